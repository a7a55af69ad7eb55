package gate

import "math"

// few is the number of rows, or of groups worth as much, below which resampling says too little of a share: with one
// false alarm the percentile interval is half as wide as it should be. The exact interval then counts as well.
const few = 10

// interval is a 95 % interval.
type interval struct {
	lo, hi float64
	method string
}

const byExact = "exact, families as rows"

// at returns the interval that the number would have if it rested on n effective groups, n ≥ 1, and stayed as it is;
// false when there is none. At n = Effective it is the interval that it has. Its ends come nearer to the number as n
// grows:
//
//   - the ends of a resampled interval by 1/√n, as the standard error of a mean does;
//   - those of an exact interval, of a share of rows with few on one side, by their formula;
//   - what seeds add, in quadrature, does not shrink with rows.
func (m *Measure) at(n float64) (interval, bool) {
	v := *m.Value
	switch {
	case m.Effective == 0 || m.Lo == nil && m.change == nil:
		return interval{}, false
	case m.change != nil && m.change.worse+m.change.better == 0:
		return interval{-none(n), none(n), byExact}, true
	case m.change == nil && m.plain && v == 0:
		return interval{0, none(n), byExact}, true
	case m.change == nil && m.plain && v == 1:
		return interval{1 - none(n), 1, byExact}, true
	case m.Lo == nil:
		return interval{}, false
	}
	shrink := math.Sqrt(m.Effective / n)
	out := interval{v - math.Hypot((v-*m.Lo)*shrink, m.Seeds), v + math.Hypot((*m.Hi-v)*shrink, m.Seeds), m.Method}
	if n == m.Effective && m.Seeds == 0 { // without rounding
		out.lo, out.hi = *m.Lo, *m.Hi
	}
	lo, hi, ok := m.exact(n)
	if ok && (lo < out.lo || hi > out.hi) {
		out = interval{min(lo, out.lo), max(hi, out.hi), m.Method + "; exact, families as rows"}
	}
	if m.change == nil {
		out.lo, out.hi = max(0, out.lo), min(1, out.hi)
	}
	return out, true
}

// exact returns the exact interval on n groups, where few of the rows there are lie on one side. That of a difference
// runs from the lowest to the highest that those of its two parts allow.
func (m *Measure) exact(n float64) (lo, hi float64, ok bool) {
	switch c, v := m.change, *m.Value; {
	case !m.plain:
		return 0, 0, false
	case c == nil && min(v, 1-v)*m.Effective < few:
		return lower(v*n, n), upper(v*n, n), true
	case c != nil && (c.worse+c.better)*m.Effective < few:
		return lower(c.worse*n, n) - upperOf(c.better, n), upperOf(c.worse, n) - lower(c.better*n, n), true
	}
	return 0, 0, false
}

// upperOf is upper of a share, none for 0.
func upperOf(share, n float64) float64 {
	if share == 0 {
		return none(n)
	}
	return upper(share*n, n)
}
