package comparison

import (
	"math"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/stats"
)

// metric is a number that can be compared. Without a formula of counts it is the area under the ROC curve.
type metric struct {
	name      string
	benign    bool // it counts benign rows
	injection bool
	lower     bool // lower is better
	of        func(metrics.Counts) metrics.Value
}

var comparable = []metric{
	{"f1", true, true, false, metrics.Counts.F1},
	{"fpr", true, false, true, metrics.Counts.FPR},
	{"recall", false, true, false, metrics.Counts.Recall},
	{"accuracy", true, true, false, metrics.Counts.Accuracy},
	{"roc_auc", true, true, false, nil},
}

var metricsByName = func() map[string]metric {
	named := map[string]metric{}
	for _, m := range comparable {
		named[m.name] = m
	}
	return named
}()

// counts reports whether rows of a class count.
func (m metric) counts(l dataset.Label) bool {
	return l == dataset.Injection && m.injection || l == dataset.Benign && m.benign
}

// value returns the metric of a run.
func (m metric) value(v view, r *run) metrics.Value {
	var counts metrics.Counts
	var scores []float64
	var labels []dataset.Label
	for _, row := range v.rows {
		label := v.split.Data.Rows[row].Label
		counts.Add(label, r.flags(row))
		scores, labels = append(scores, r.outcomes[row].Score), append(labels, label)
	}
	if m.of == nil {
		return metrics.ROCAUC(scores, labels)
	}
	return m.of(counts)
}

// drawn returns the mean of the metric over the runs in each resample; NaN where it is undefined for one of them.
func (m metric) drawn(v view, runs []*run) []float64 {
	if m.of == nil {
		return v.areas(runs)
	}
	n := len(v.split.Data.Rows)
	series := [][]int{make([]int, n), make([]int, n)} // benign rows, injections; then errors on both of each run
	for range runs {
		series = append(series, make([]int, n), make([]int, n))
	}
	for _, row := range v.rows {
		class := 0
		if v.injection(row) {
			class = 1
		}
		series[class][row] = 1
		for i, r := range runs {
			if r.flags(row) != v.injection(row) {
				series[2+2*i+class][row] = 1
			}
		}
	}
	totals := v.split.drawn().Totals(series...)
	out := make([]float64, stats.Resamples)
	for b := range out {
		benign, injections := int(totals[0][b]), int(totals[1][b])
		for i := range runs {
			fp, fn := int(totals[2+2*i][b]), int(totals[3+2*i][b])
			x := m.of(metrics.Counts{TN: benign - fp, FP: fp, FN: fn, TP: injections - fn})
			if !x.OK {
				x.V = math.NaN()
			}
			out[b] += x.V
		}
		out[b] /= float64(len(runs))
	}
	return out
}

// areas returns the mean area under the ROC curve in each resample.
func (v view) areas(runs []*run) []float64 {
	injection := make([]bool, len(v.split.Data.Rows))
	for _, row := range v.rows {
		injection[row] = v.injection(row)
	}
	out := make([]float64, stats.Resamples)
	for _, r := range runs {
		scores := make([]float64, len(injection))
		for row := range scores {
			scores[row] = math.NaN() // counts nowhere
		}
		for _, row := range v.rows {
			scores[row] = r.outcomes[row].Score
		}
		for b, area := range v.split.drawn().AUC(scores, injection) {
			out[b] += area
		}
	}
	for b := range out {
		out[b] /= float64(len(runs))
	}
	return out
}
