package metrics

import "pidsbench/internal/dataset"

// AveragePrecision returns the area under the steps of the precision-recall curve, Σ (Rₖ − Rₖ₋₁)·Pₖ over the distinct
// scores in falling order, R and P the recall and the precision at that threshold, without interpolation (as
// scikit-learn's average_precision_score). A random order gets about the share of injections, its floor. It is undefined
// unless both classes have rows. It panics on a NaN and when the lengths differ.
func AveragePrecision(scores []float64, labels []dataset.Label) Value {
	groups, _, injection, v := tieGroups(scores, labels)
	if v.Reason != "" {
		return v
	}
	v.OK = true
	tp, flagged := 0, 0
	for _, g := range groups {
		tp += g.injection
		flagged += g.benign + g.injection
		v.V += float64(float64(g.injection) * float64(tp) / float64(flagged))
	}
	v.V /= float64(injection)
	return v
}
