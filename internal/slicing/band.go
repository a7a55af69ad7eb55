package slicing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Band returns intervals of k error rates that hold all true rates at once in 95 of 100 samples: those of the largest
// studentised deviation. drawn holds the rates of each slice in the resamples, the same resamples for all, NaN where a
// resample has no row of it; groups is the number of groups of each slice.
//
// With g(p) = arcsin √p, on which the spread of a share does not depend on the share (Anscombe 1948, "The
// transformation of Poisson, binomial and negative-binomial data"), t(b) is the largest |g(drawn) − g(rate)| / SE over
// the slices, SE the standard deviation of g over the resamples. With c the 95 % quantile of t, the interval of a
// slice is g⁻¹(g(rate) ± c·SE) (Westfall and Young 1993, "Resampling-based multiple testing"; Romano and Wolf 2005,
// "Exact and approximate stepdown methods for multiple hypothesis testing"). For a slice of m groups c is taken from
// Student's distribution with m−1 degrees of freedom at the same tail as in the normal one, and SE is widened by
// √(m/(m−1)): resamples of few groups vary too little.
//
// Where no resample differs, as for a rate of 0 or 1, the interval is that of Wilson for so many independent groups,
// at the level 1 − 0.05/k (Bonferroni).
func Band(rates []float64, drawn [][]float64, groups []int) (lo, hi []float64) {
	k := len(rates)
	lo, hi = make([]float64, k), make([]float64, k)
	middle, spread := make([]float64, k), make([]float64, k)
	var largest []float64
	for j, values := range drawn {
		middle[j] = angle(rates[j])
		deviations := make([]float64, len(values))
		for b, v := range values {
			deviations[b] = angle(v) - middle[j]
		}
		if spread[j] = deviation(deviations); spread[j] == 0 || groups[j] < 2 {
			spread[j] = 0
			continue
		}
		if largest == nil {
			largest = make([]float64, len(values))
		}
		for b, d := range deviations {
			if t := math.Abs(d) / spread[j]; t > largest[b] { // false for NaN
				largest[b] = t
			}
		}
	}
	slices.Sort(largest)
	for j := range k {
		if spread[j] == 0 {
			lo[j], hi[j] = wilson(rates[j], groups[j], k)
			continue
		}
		half := reach(largest[int(math.Ceil(0.95*float64(len(largest))))-1], groups[j]) * spread[j]
		lo[j] = share(max(0, middle[j]-half))
		hi[j] = share(min(math.Pi/2, middle[j]+half))
	}
	return lo, hi
}

// reach is c for m groups, m ≥ 2: widened, and at the tail that it has in the normal distribution.
func reach(c float64, m int) float64 {
	df := float64(m - 1)
	tail := min(0.5, distuv.UnitNormal.CDF(-c))
	return -distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(max(tail, 1e-12)) * math.Sqrt(float64(m)/df)
}

func angle(p float64) float64 { return math.Asin(math.Sqrt(p)) }

func share(angle float64) float64 { s := math.Sin(angle); return s * s }

// deviation is the standard deviation of those values that are numbers.
func deviation(values []float64) float64 {
	n, mean := 0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			n++
			mean += v
		}
	}
	mean /= float64(n)
	sum := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += float64((v - mean) * (v - mean))
		}
	}
	if n < 2 || sum < 1e-18*float64(n) { // what rounding leaves
		return 0
	}
	return math.Sqrt(sum / float64(n-1))
}

// wilson is the score interval of a share of n groups at the level 1 − 0.05/k (see stats.Wilson).
func wilson(p float64, n, k int) (lo, hi float64) {
	z := distuv.UnitNormal.Quantile(1 - 0.025/float64(k))
	m := float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := float64(z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)))
	lo, hi = max(0, middle-half), min(1, middle+half)
	if p == 0 {
		lo = 0
	}
	if p == 1 {
		hi = 1
	}
	return lo, hi
}
