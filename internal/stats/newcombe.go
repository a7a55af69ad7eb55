package stats

import "math"

// Newcombe returns the interval of the difference k1/n1 - k2/n2 of two shares of different rows, 0 ≤ k ≤ n and n > 0, at
// 95 %, inside [-1, 1]: the hybrid of both Wilson intervals (Newcombe 1998, "Interval estimation for the difference
// between independent proportions", Statistics in Medicine 17, method 10). It takes the rows as independent.
func Newcombe(k1, n1, k2, n2 int) (lo, hi float64) {
	p1, p2 := float64(k1)/float64(n1), float64(k2)/float64(n2)
	lo1, hi1 := Wilson(k1, n1)
	lo2, hi2 := Wilson(k2, n2)
	span := func(a, b float64) float64 { return math.Sqrt(float64(a*a) + float64(b*b)) }
	return max(-1, p1-p2-span(p1-lo1, hi2-p2)), min(1, p1-p2+span(hi1-p1, p2-lo2))
}
