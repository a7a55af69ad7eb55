package threshold

import (
	"math"
	"slices"
	"sort"

	"pidsbench/internal/dataset"
)

// Choice is the chosen threshold or the reason why there is none.
type Choice struct {
	Tau    float64 // rows with score >= Tau are positive; meaningful only when OK
	OK     bool
	Reason string // empty when OK; otherwise a clause: "val has no benign rows"
}

// GridSteps is the number of steps of the val_f1 grid: τ is k/500 for k from 0 to 500.
const GridSteps = 500

// Choose applies the policy to the scores in [0,1] and labels of the val rows that were scored. native is the
// detector's own threshold, nil when it declares none. It panics on a NaN and when the lengths differ, both faults of
// the caller.
func (p Policy) Choose(valScores []float64, valLabels []dataset.Label, native *float64) Choice {
	benign, injection := sorted(valScores, valLabels)
	c := Choice{OK: true}
	switch p.Kind {
	case Fixed:
		c.Tau = p.Value
	case Native:
		if native == nil {
			return Choice{Reason: "the detector declares no native threshold"}
		}
		if math.IsNaN(*native) {
			return Choice{Reason: "the detector's native threshold is not a number"}
		}
		c.Tau = *native
	case ValF1, ValFPR:
		switch {
		case len(valScores) == 0:
			return Choice{Reason: "there are no scored val rows"}
		case len(benign) == 0:
			return Choice{Reason: "val has no benign rows"}
		case p.Kind == ValFPR:
			c.Tau = smallestWithin(benign, p.Value)
		case len(injection) == 0:
			return Choice{Reason: "val has no injection rows"}
		default:
			c.Tau = bestF1(benign, injection, p.High)
		}
	default:
		panic("threshold: policy of unknown kind " + string(p.Kind))
	}
	return c
}

// sorted returns the scores of each class in rising order.
func sorted(scores []float64, labels []dataset.Label) (benign, injection []float64) {
	if len(scores) != len(labels) {
		panic("threshold: scores and labels differ in length")
	}
	for i, s := range scores {
		if math.IsNaN(s) {
			panic("threshold: a score is NaN")
		}
		if labels[i] == dataset.Injection {
			injection = append(injection, s)
		} else {
			benign = append(benign, s)
		}
	}
	slices.Sort(benign)
	slices.Sort(injection)
	return benign, injection
}

// flagged returns how many of the rising scores are at least tau.
func flagged(scores []float64, tau float64) int {
	return len(scores) - sort.SearchFloat64s(scores, tau)
}

// bestF1 returns the τ of the grid with the highest F1, the lowest of those that tie, or the highest. F1 =
// 2TP/(TP+FP+P) is compared as a fraction, so that a tie is a tie.
func bestF1(benign, injection []float64, high bool) float64 {
	best, bestTP, bestDen := 0.0, 0, 1
	for k := 0; k <= GridSteps; k++ {
		tau := float64(k) / GridSteps
		tp := flagged(injection, tau)
		den := tp + flagged(benign, tau) + len(injection)
		gain := tp*bestDen - bestTP*den
		if k == 0 || gain > 0 || gain == 0 && high {
			best, bestTP, bestDen = tau, tp, den
		}
	}
	return best
}

// smallestWithin returns the smallest float64 τ >= 0 at which at most the given share of the rising benign scores is
// flagged: the next float above the highest score that must pass. It lies above 1 when a score of 1 must pass.
func smallestWithin(benign []float64, limit float64) float64 {
	n := len(benign)
	// The largest k with float64(k)/n <= limit, the comparison that a reader of the FPR makes.
	k := sort.Search(n, func(i int) bool { return float64(i+1)/float64(n) > limit })
	if k == n {
		return 0
	}
	return math.Nextafter(benign[n-1-k], math.Inf(1))
}
