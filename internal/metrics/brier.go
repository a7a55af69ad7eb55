package metrics

import (
	"math"

	"pidsbench/internal/dataset"
)

// Brier returns the mean of (score − y)², y 1 for an injection and 0 for a benign row, in [0,1]: 0 is best (Brier 1950,
// "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78). It panics on a NaN and when
// the lengths differ.
func Brier(scores []float64, labels []dataset.Label) Value {
	return meanOf(scores, labels, func(p, y float64) float64 { return (p - y) * (p - y) })
}

// LogLoss returns the mean of −ln(score) over injections and −ln(1 − score) over benign rows, natural logarithm, 0 or
// more. Scores are first drawn into [clip, 1 − clip], 0 < clip < ½, or else one certain error would make it infinite. It
// panics on a NaN and when the lengths differ.
func LogLoss(scores []float64, labels []dataset.Label, clip float64) Value {
	return meanOf(scores, labels, func(p, y float64) float64 {
		p = min(max(p, clip), 1-clip)
		if y == 1 {
			return -math.Log(p)
		}
		return -math.Log1p(-p)
	})
}

func meanOf(scores []float64, labels []dataset.Label, loss func(p, y float64) float64) Value {
	mustPair(scores, labels)
	if len(scores) == 0 {
		return undefined(NoRows)
	}
	sum := 0.0
	for i, p := range scores {
		y := 0.0
		if labels[i] == dataset.Injection {
			y = 1
		}
		sum += loss(p, y)
	}
	return Value{V: sum / float64(len(scores)), OK: true}
}
