// Package comparison compares two detectors on the same rows: the difference of a metric with the interval of a paired
// bootstrap over families, what seeds add to it, paired tests, and what difference could have been found at all.
package comparison

import (
	"cmp"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Spec is what is compared: a metric of a slice of a split at a threshold policy.
type Spec struct {
	Name   string // what tables show: "IID F1"
	Split  string
	Slice  string // "all" or name=value, the name one of the split's slices
	Metric string // f1, fpr, recall, accuracy or roc_auc
	Policy string // empty for roc_auc
	Reason string // why there is nothing to compare; empty when there is
}

// Compare compares the two of a pair.
func (d *Data) Compare(p Pair, s Spec) Result {
	r := Result{Name: s.Name, Status: Exploratory, A: p.A.ID, B: p.B.ID, Split: s.Split, Slice: s.Slice, Metric: s.Metric,
		Runs: []RunPair{}}
	if s.Policy != "" {
		r.Policy = &s.Policy
	}
	m := metricsByName[s.Metric]
	rows, reason := d.rows(s, m)
	if r.Reason = cmp.Or(s.Reason, p.Reason, reason); r.Reason != "" {
		return r
	}
	r.Total = len(rows)
	runs, reason := p.runs(s)
	if r.Reason = reason; reason != "" {
		return r
	}
	split := d.splits[s.Split]
	view := view{split: split, rows: scoredByAll(rows, runs)}
	r.N = len(view.rows)
	groups := stats.NewGroups(view.families())
	r.Groups, r.Effective = groups.Len(), groups.Effective()
	values := map[*run]float64{}
	for _, of := range runs {
		v := m.value(view, of)
		if !v.OK {
			r.Reason = v.Reason
			if r.N < r.Total {
				r.Reason += fmt.Sprintf(" among the %d of %d that both have scores of", r.N, r.Total)
			}
			return r
		}
		values[of] = v.V
	}
	a, b := runs[:len(p.A.Seeds)], runs[len(p.A.Seeds):]
	r.ValueA, r.ValueB = meanOf(a, values), meanOf(b, values)
	var diffs []float64
	for i := range max(len(a), len(b)) {
		x, y := a[min(i, len(a)-1)], b[min(i, len(b)-1)]
		pair := RunPair{SeedA: x.seed, SeedB: y.seed, ValueA: values[x], ValueB: values[y]}
		if s.Policy != "" {
			pair.McNemar = view.mcnemar(x, y)
		}
		r.Runs = append(r.Runs, pair)
		diffs = append(diffs, values[x]-values[y])
	}
	r.Diff = new(exact(*r.ValueA - *r.ValueB))
	r.bootstrap(stats.Minus(m.drawn(view, a), m.drawn(view, b)))
	r.seeds(diffs, len(a) == len(b))
	r.Verdict = r.judge()
	return r
}

func meanOf(runs []*run, values map[*run]float64) *float64 {
	of := make([]float64, len(runs))
	for i, run := range runs {
		of[i] = values[run]
	}
	return new(stat.Mean(of, nil))
}

// scoredByAll returns those of the rows that every run has a score of.
func scoredByAll(rows []int, runs []*run) []int {
	var kept []int
next:
	for _, row := range rows {
		for _, run := range runs {
			if run.outcomes[row].State != results.Scored {
				continue next
			}
		}
		kept = append(kept, row)
	}
	return kept
}
