package calibration

import (
	"math"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// Clip keeps logits and log losses finite: scores are drawn into [Clip, 1 − Clip].
const Clip = 1e-6

// Map turns scores in [0,1] into others in [0,1].
type Map func(score float64) float64

func logit(p float64) float64 {
	p = min(max(p, Clip), 1-Clip)
	return math.Log(p) - math.Log1p(-p)
}

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// logits returns the logits of scores and their classes, or why nothing can be fitted to them: a map needs both classes.
func logits(scores []float64, labels []dataset.Label) (z, y []float64, reason string) {
	if len(scores) != len(labels) {
		panic("calibration: scores and labels differ in length")
	}
	z, y = make([]float64, len(scores)), make([]float64, len(scores))
	injection := 0
	for i, s := range scores {
		z[i] = logit(s)
		if labels[i] == dataset.Injection {
			y[i] = 1
			injection++
		}
	}
	return z, y, lacks(len(scores), injection)
}

func lacks(n, injection int) string {
	switch {
	case n == 0:
		return "val has " + metrics.NoRows
	case injection == 0:
		return "val has " + metrics.NoInjection
	case injection == n:
		return "val has " + metrics.NoBenign
	}
	return ""
}
