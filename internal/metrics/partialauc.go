package metrics

import "pidsbench/internal/dataset"

// PartialAUC returns the area under the ROC curve left of an FPR, 0 < maxFPR ≤ 1, as a share of the largest possible
// area, and standardised: ½·(1 + (A − m²/2)/(m − m²/2)), A the area and m maxFPR, so that it is ½ for a random order and 1
// for a perfect one (McClish 1989, "Analyzing a portion of the ROC curve", Medical Decision Making 9; scikit-learn's
// roc_auc_score with max_fpr). The curve is interpolated linearly at maxFPR. Both are undefined unless both classes have
// rows. It panics on a NaN and when the lengths differ.
func PartialAUC(scores []float64, labels []dataset.Label, maxFPR float64) (share, standardised Value) {
	groups, benign, injection, v := tieGroups(scores, labels)
	if v.Reason != "" {
		return v, v
	}
	limit := maxFPR * float64(benign)
	area := 0.0 // in false alarms times hits
	fp, tp := 0.0, 0.0
	for _, g := range groups {
		width, height := float64(g.benign), float64(g.injection)
		if fp+width > limit {
			width = limit - fp
			height *= width / float64(g.benign)
		}
		area += float64(width * (tp + height/2))
		if fp, tp = fp+width, tp+height; fp >= limit {
			break
		}
	}
	a := area / float64(benign) / float64(injection)
	least := maxFPR * maxFPR / 2
	return Value{V: a / maxFPR, OK: true}, Value{V: (1 + (a-least)/(maxFPR-least)) / 2, OK: true}
}
