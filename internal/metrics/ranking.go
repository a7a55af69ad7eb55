package metrics

import (
	"sort"

	"pidsbench/internal/dataset"
)

// ROCAUC returns the probability that a random injection row scores above a random benign one, ties counted half (the
// Mann-Whitney statistic), with one rounding only. It is undefined unless both classes have rows. It panics on a NaN
// and when the lengths differ.
func ROCAUC(scores []float64, labels []dataset.Label) Value {
	groups, benign, injection, v := tieGroups(scores, labels)
	if v.Reason != "" {
		return v
	}
	above, twice := 0, 0 // injections with a higher score; twice the number of won pairs
	for _, g := range groups {
		twice += g.benign * (2*above + g.injection)
		above += g.injection
	}
	return Value{V: float64(twice) / (2 * float64(benign) * float64(injection)), OK: true}
}

// tieGroup counts the rows that share one score.
type tieGroup struct{ benign, injection int }

// tieGroups returns the groups of equal scores in falling order, or an undefined Value with the reason.
func tieGroups(scores []float64, labels []dataset.Label) (groups []tieGroup, benign, injection int, v Value) {
	mustPair(scores, labels)
	order := make([]int, len(scores))
	for i, l := range labels {
		order[i] = i
		if l == dataset.Injection {
			injection++
		} else {
			benign++
		}
	}
	switch {
	case len(labels) == 0:
		return nil, 0, 0, undefined(NoRows)
	case benign == 0:
		return nil, 0, 0, undefined(NoBenign)
	case injection == 0:
		return nil, 0, 0, undefined(NoInjection)
	}
	sort.Slice(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
	for k, i := range order {
		if k == 0 || scores[i] != scores[order[k-1]] {
			groups = append(groups, tieGroup{})
		}
		g := &groups[len(groups)-1]
		if labels[i] == dataset.Injection {
			g.injection++
		} else {
			g.benign++
		}
	}
	return groups, benign, injection, Value{}
}
