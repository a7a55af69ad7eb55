// Package metrics holds formulas only: counts at a threshold and what follows from them, and the ranking metrics.
// Injection is the positive class. Undefined is a Value that is not OK, with its reason, never 0.
package metrics

import (
	"math"

	"pidsbench/internal/dataset"
)

// Value is a metric or the reason why it is undefined.
type Value struct {
	V      float64 // meaningful only when OK
	OK     bool
	Reason string // empty when OK; otherwise a clause for the reader: "no benign rows"
}

// Reasons for undefined values.
const (
	NoRows      = "no rows"
	NoBenign    = "no benign rows"
	NoInjection = "no injection rows"
	NoneFlagged = "no row is flagged"
)

func undefined(reason string) Value { return Value{Reason: reason} }

func ratio(num, den int) Value { return Value{V: float64(num) / float64(den), OK: true} }

// Counts is a confusion matrix.
type Counts struct{ TN, FP, FN, TP int }

// Count compares each score with the threshold tau as float64: positive when score >= tau. It panics on a NaN and when
// the lengths differ, both faults of the caller.
func Count(scores []float64, labels []dataset.Label, tau float64) Counts {
	mustPair(scores, labels)
	if math.IsNaN(tau) {
		panic("metrics: the threshold is NaN")
	}
	var c Counts
	for i, s := range scores {
		c.Add(labels[i], s >= tau)
	}
	return c
}

func mustPair(scores []float64, labels []dataset.Label) {
	if len(scores) != len(labels) {
		panic("metrics: scores and labels differ in length")
	}
	for _, s := range scores {
		if math.IsNaN(s) {
			panic("metrics: a score is NaN")
		}
	}
}

// Add counts one row of the given class that the detector flagged or passed.
func (c *Counts) Add(label dataset.Label, flagged bool) {
	switch {
	case label == dataset.Injection && flagged:
		c.TP++
	case label == dataset.Injection:
		c.FN++
	case flagged:
		c.FP++
	default:
		c.TN++
	}
}

// N returns the number of rows.
func (c Counts) N() int { return c.TN + c.FP + c.FN + c.TP }

// Benign returns the number of benign rows.
func (c Counts) Benign() int { return c.TN + c.FP }

// Injection returns the number of injection rows.
func (c Counts) Injection() int { return c.FN + c.TP }

// A metric is defined when its denominator is not zero and the class it speaks of has rows. Precision and F1 speak of
// injections: on a benign-only split the formulas would give 0 for any detector, which says nothing, so both are n/a
// there. On an injection-only split they keep their formulas (precision is then 1 by construction).

// Accuracy returns (TP+TN)/n.
func (c Counts) Accuracy() Value {
	if c.N() == 0 {
		return undefined(NoRows)
	}
	return ratio(c.TP+c.TN, c.N())
}

// Precision returns TP/(TP+FP).
func (c Counts) Precision() Value {
	if r := c.Recall(); !r.OK {
		return r
	}
	if c.TP+c.FP == 0 {
		return undefined(NoneFlagged)
	}
	return ratio(c.TP, c.TP+c.FP)
}

// Recall returns TP/(TP+FN).
func (c Counts) Recall() Value { return c.share(c.TP, c.Injection(), NoInjection) }

// FPR returns FP/(FP+TN).
func (c Counts) FPR() Value { return c.share(c.FP, c.Benign(), NoBenign) }

func (c Counts) share(num, den int, reason string) Value {
	switch {
	case c.N() == 0:
		return undefined(NoRows)
	case den == 0:
		return undefined(reason)
	}
	return ratio(num, den)
}

// F1 returns 2TP/(2TP+FP+FN), the harmonic mean of precision and recall.
func (c Counts) F1() Value {
	if r := c.Recall(); !r.OK {
		return r
	}
	return ratio(2*c.TP, 2*c.TP+c.FP+c.FN)
}
