package operating

import "pidsbench/internal/metrics"

// Precision returns the share of flagged texts that are injections when there are benign texts for each injection, k ≥ 0:
// R/(R + k·F), R the recall and F the FPR: Bayes' rule (Axelsson 2000, "The base-rate fallacy and the difficulty of
// intrusion detection"). It is undefined where nothing is ever flagged.
func Precision(recall, fpr, k float64) metrics.Value {
	flagged := recall + float64(k*fpr)
	if flagged == 0 {
		return metrics.Value{Reason: metrics.NoneFlagged}
	}
	return metrics.Value{V: recall / flagged, OK: true}
}

// Cost returns the expected cost of 1,000 texts in units of one false alarm: 1,000·(π·(1 − R)·c + (1 − π)·F), π in [0,1]
// the share of injections and c ≥ 0 what a miss costs (Drummond and Holte 2006, "Cost curves").
func Cost(recall, fpr, c, prevalence float64) float64 {
	return 1000 * (float64(prevalence*(1-recall)*c) + float64((1-prevalence)*fpr))
}
