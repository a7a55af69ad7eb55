package gate

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// tail is what lies beyond an edge of a 95 % interval with two of them.
const tail = 0.025

// upper and lower return the ends of the exact 95 % interval of a share when k of n rows count, 0 < k < n, either of
// which may be a fraction: quantiles of beta distributions (Clopper and Pearson 1934, "The use of confidence or
// fiducial limits illustrated in the case of the binomial", Biometrika 26). n is the effective number of groups where
// rows come in families (Korn and Graubard 1998, "Confidence intervals for proportions with small expected number of
// positive counts estimated from survey data", Survey Methodology 24).
func upper(k, n float64) float64 {
	if k >= n {
		return 1
	}
	return mathext.InvRegIncBeta(k+1, n-k, 1-tail)
}

func lower(k, n float64) float64 {
	if k <= 0 {
		return 0
	}
	return mathext.InvRegIncBeta(k, n-k+1, tail)
}

// none returns the upper end of the exact 95 % interval of a share when none of n rows counts, 1 − 0.05^(1/n): all of
// the 5 % lie on the one side on which the share can be (Louis 1981, "Confidence intervals for a binomial parameter
// after observing no successes", The American Statistician 35). For n = 299 it is just below 0.01.
func none(n float64) float64 { return -math.Expm1(math.Log(2*tail) / n) }
