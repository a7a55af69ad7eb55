package calibration

import "pidsbench/internal/dataset"

// A temperature lies between these.
const (
	Coldest = 0.05
	Hottest = 20
)

// Temperature fits σ(logit(p)/T): the T in [Coldest, Hottest] with the lowest log loss (Guo et al. 2017). The loss is
// convex in 1/T, so its slope has one zero there, or the best T is an end. Scores that are all one half fit every T; T is
// then 1. Without both classes there is no fit and a reason. The map never changes a decision at one half.
func Temperature(scores []float64, labels []dataset.Label) (t float64, reason string) {
	z, y, reason := logits(scores, labels)
	if reason != "" {
		return 0, reason
	}
	flat := true
	for _, v := range z {
		flat = flat && v == 0
	}
	if flat {
		return 1, ""
	}
	slope := func(inverse float64) (sum float64) {
		for i, v := range z {
			sum += float64(v * (sigmoid(inverse*v) - y[i]))
		}
		return sum
	}
	lo, hi := 1.0/Hottest, 1.0/Coldest
	switch {
	case slope(lo) >= 0:
		return Hottest, ""
	case slope(hi) <= 0:
		return Coldest, ""
	}
	for { // halve until the ends are neighbours
		middle := lo + (hi-lo)/2
		if middle <= lo || middle >= hi {
			return 1 / middle, ""
		}
		if slope(middle) < 0 {
			lo = middle
		} else {
			hi = middle
		}
	}
}

// Tempered returns the map of a temperature.
func Tempered(t float64) Map {
	return func(p float64) float64 { return sigmoid(logit(p) / t) }
}
