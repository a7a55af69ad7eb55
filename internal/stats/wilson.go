// Package stats holds formulas for how far a measured number may be off.
package stats

import "math"

// Z is the 0.975 quantile of the standard normal distribution: intervals are of 95 %.
const Z = 1.959963984540054

// Wilson returns the score interval of k of n rows, 0 ≤ k ≤ n and n > 0, at 95 %, inside [0, 1] (Wilson 1927, "Probable
// inference, the law of succession, and statistical inference", JASA 22). It takes the rows as independent. The product
// is converted before it is added, which keeps compilers from fusing the two steps: the ends are the same on every
// processor.
func Wilson(k, n int) (lo, hi float64) {
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + Z*Z/(2*m)) / (1 + Z*Z/m)
	half := float64(Z / (1 + Z*Z/m) * math.Sqrt(p*(1-p)/m+Z*Z/(4*m*m)))
	lo, hi = max(0, middle-half), min(1, middle+half)
	if k == 0 { // exactly, where rounding would leave a remainder
		lo = 0
	}
	if k == n {
		hi = 1
	}
	return lo, hi
}

// AtBoundary returns the interval of a share of 0 or 1, of which resampling says nothing: Wilson's of as many rows as the
// effective number of groups; false for any other share.
func AtBoundary(share, effective float64) (lo, hi float64, ok bool) {
	if share != 0 && share != 1 {
		return 0, 0, false
	}
	n := max(1, int(effective))
	lo, hi = Wilson(int(share)*n, n)
	return lo, hi, true
}
