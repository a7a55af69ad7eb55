// Package calibration measures how far scores are probabilities, and fits maps that make them more so.
package calibration

import (
	"math"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// Bins is the number of bins that errors of calibration rest on here.
const Bins = 15

// Bin is a range of scores, open below and closed above; the first holds 0 as well.
type Bin struct {
	Lo, Hi float64
	N      int     // rows
	Mean   float64 // of their scores; 0 without rows
	Share  float64 // of them that are injections; 0 without rows
}

// Reliability counts rows in bins of equal width over [0,1], as scikit-learn's calibration_curve does. Scores are in
// [0,1]; it panics when the lengths differ.
func Reliability(scores []float64, labels []dataset.Label, bins int) []Bin {
	hit := make([]bool, len(scores))
	for i, l := range labels {
		hit[i] = l == dataset.Injection
	}
	return reliability(scores, hit, bins)
}

// reliability does the same for any event that scores are the probability of.
func reliability(scores []float64, hit []bool, bins int) []Bin {
	if len(scores) != len(hit) {
		panic("calibration: scores and labels differ in length")
	}
	out := make([]Bin, bins)
	inner := make([]float64, bins-1) // edges between bins
	for i := range out {
		out[i].Lo, out[i].Hi = float64(i)/float64(bins), float64(i+1)/float64(bins)
		if i > 0 {
			inner[i-1] = out[i].Lo
		}
	}
	for i, s := range scores {
		at, _ := slices.BinarySearch(inner, s)
		b := &out[at]
		b.N++
		b.Mean += s
		if hit[i] {
			b.Share++
		}
	}
	for i := range out {
		if n := float64(out[i].N); n > 0 {
			out[i].Mean /= n
			out[i].Share /= n
		}
	}
	return out
}

// ECE returns the expected calibration error in [0,1]: |share of injections − mean score| of each bin, weighted by its
// rows (Naeini, Cooper and Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian binning").
func ECE(scores []float64, labels []dataset.Label, bins int) metrics.Value {
	return gap(Reliability(scores, labels, bins), len(scores))
}

// ConfidenceECE returns the same for the decision at one half: a row's confidence max(p, 1 − p) against whether the
// decision is right (Guo et al. 2017, "On calibration of modern neural networks"). Errors on both sides of one half may
// cancel here.
func ConfidenceECE(scores []float64, labels []dataset.Label, bins int) metrics.Value {
	confidence, right := make([]float64, len(scores)), make([]bool, len(scores))
	for i, p := range scores {
		confidence[i] = max(p, 1-p)
		right[i] = (p >= 0.5) == (labels[i] == dataset.Injection)
	}
	return gap(reliability(confidence, right, bins), len(scores))
}

func gap(bins []Bin, n int) metrics.Value {
	if n == 0 {
		return metrics.Value{Reason: metrics.NoRows}
	}
	sum := 0.0
	for _, b := range bins {
		sum += float64(float64(b.N) / float64(n) * math.Abs(b.Share-b.Mean))
	}
	return metrics.Value{V: sum, OK: true}
}
