package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// String writes the limit as a policy is written.
func (l *Limit) String() string {
	on := l.Split
	if l.Slice != "" {
		on += " " + l.Slice
	}
	return fmt.Sprintf("best with fpr <= %g on %s", *l.FPR, on)
}

// best returns the threshold with the highest F1 on rows, of those that flag at most a share of benign rows; the
// highest of several, +Inf when none flags an injection.
func best(split *results.Split, seed results.Seed, rows []int, benign *results.Split, limited []int, share float64) float64 {
	var alarms []float64
	for _, row := range limited {
		if benign.Data.Rows[row].Label == dataset.Benign {
			alarms = append(alarms, seed.Outcomes[benign.Spec.Name][row].Score)
		}
	}
	slices.Sort(alarms)
	slices.Reverse(alarms)
	allowed := 0
	for allowed < len(alarms) && float64(allowed+1)/float64(len(alarms)) <= share {
		allowed++
	}
	above := math.Inf(-1) // the threshold lies above the first alarm too many
	if allowed < len(alarms) {
		above = alarms[allowed]
	}
	outcomes := seed.Outcomes[split.Spec.Name]
	order := slices.Clone(rows)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(outcomes[b].Score, outcomes[a].Score) })
	positives := 0
	for _, row := range rows {
		if split.Data.Rows[row].Label == dataset.Injection {
			positives++
		}
	}
	tau, top := math.Inf(1), 0.0
	tp := 0
	for i, row := range order {
		score := outcomes[row].Score
		if score <= above {
			break
		}
		if split.Data.Rows[row].Label == dataset.Injection {
			tp++
		}
		if i+1 < len(order) && outcomes[order[i+1]].Score == score {
			continue
		}
		if f1 := 2 * float64(tp) / float64(i+1+positives); f1 > top { // 2TP + FP + FN = flagged + injections
			tau, top = score, f1
		}
	}
	return tau
}
