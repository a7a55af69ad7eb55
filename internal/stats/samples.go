package stats

import (
	"math"
	"slices"
)

// Shares returns a/b, value by value; NaN where b is 0.
func Shares(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
		if b[i] == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

// Minus returns a − b, value by value: the differences of two paired series.
func Minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// Percentile returns the 95 % percentile interval of resampled values, which it does not change: their 2.5 % and 97.5 %
// quantiles, interpolated linearly (Hyndman and Fan 1996, type 7). Values must be numbers.
func Percentile(values []float64) (lo, hi float64) {
	work := slices.Clone(values)
	return quantile(work, 0.025), quantile(work, 0.975)
}

// undefinedShare is the share of samples that may leave a number undefined.
const undefinedShare = 0.01

// Defined returns the values that are numbers; false where more than one in a hundred are none, or all, so that what is
// left would be a choice.
func Defined(values []float64) (kept []float64, ok bool) {
	kept = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	lost := len(values) - len(kept)
	return kept, len(kept) > 0 && float64(lost) <= undefinedShare*float64(len(values))
}

// quantile reorders the values.
func quantile(values []float64, p float64) float64 {
	at := p * float64(len(values)-1)
	i := int(at)
	pick(values, i)
	if i+1 >= len(values) {
		return values[i]
	}
	next := slices.Min(values[i+1:])
	return values[i] + float64((at-float64(i))*(next-values[i]))
}

// pick puts the k-th smallest value at its place, smaller ones before and larger ones behind it (Hoare 1961, "Find").
func pick(values []float64, k int) {
	for lo, hi := 0, len(values)-1; lo < hi; {
		a, b, c := values[lo], values[lo+(hi-lo)/2], values[hi]
		pivot := max(min(a, b), min(max(a, b), c)) // the median of the three
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for pivot < values[j] {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}
