package gate

// Verdict is what becomes of a limit.
type Verdict string

// The verdicts, and NoData where there is nothing to judge by.
const (
	Pass      Verdict = "pass"
	Broken    Verdict = "broken"
	Undecided Verdict = "undecided"
	NoData    Verdict = "no_data"
)

// bound is what a number must keep: max and regression from above, min from below.
type bound struct {
	Kind string // max, min or regression
	At   float64
}

// rounding is what arithmetic may leave of an equality: 0.95 − 0.94 is above 0.01.
const rounding = 1e-12

// keeps reports whether a number keeps the bound; a number at the bound does.
func (b bound) keeps(x float64) bool {
	if b.Kind == "min" {
		return x >= b.At-rounding
	}
	return x <= b.At+rounding
}

// on judges a value.
func (b bound) on(value float64) Verdict {
	if b.keeps(value) {
		return Pass
	}
	return Broken
}

// edge judges an interval: it passes when all of it keeps the bound and is broken when none of it does.
func (b bound) edge(in interval) Verdict {
	lo, hi := b.keeps(in.lo), b.keeps(in.hi)
	switch {
	case lo && hi:
		return Pass
	case !lo && !hi:
		return Broken
	}
	return Undecided
}
