package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// McNemar returns the exact two-sided p-value of two detectors on the same rows, b and c the rows that only the first
// and only the second has right: min(1, 2·P(X ≤ min(b, c))), X binomial over b+c rows with one half (McNemar 1947,
// "Note on the sampling error of the difference between correlated proportions"). It takes the rows as independent.
// Without a row on which they differ it is 1.
func McNemar(b, c int) float64 {
	if b+c == 0 {
		return 1
	}
	x := distuv.Binomial{N: float64(b + c), P: 0.5}
	return min(1, 2*x.CDF(float64(min(b, c))))
}

// T is a paired t-test: the mean of differences, one a seed, with its 95 % interval.
type T struct {
	Mean, SD float64 // the sample standard deviation (ddof 1)
	DF       int     // n − 1
	T        float64 // infinite when all differences are the same and not 0
	P        float64 // two-sided
	Lo, Hi   float64
}

// PairedT tests whether the mean of the differences is 0 (Student 1908, "The probable error of a mean"). It reports
// false when there are fewer than two, or when all are 0: there is then nothing to test.
func PairedT(diffs []float64) (T, bool) {
	if len(diffs) < 2 {
		return T{}, false
	}
	t := T{DF: len(diffs) - 1}
	t.Mean, t.SD = stat.MeanStdDev(diffs, nil)
	if t.SD == 0 && t.Mean == 0 {
		return T{}, false
	}
	se := t.SD / math.Sqrt(float64(len(diffs)))
	half := TQuantile(t.DF) * se
	t.Lo, t.Hi = t.Mean-half, t.Mean+half
	t.T = t.Mean / se
	if !math.IsInf(t.T, 0) {
		t.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(t.DF)}.CDF(-math.Abs(t.T))
	}
	return t, true
}

// TQuantile returns the 0.975 quantile of Student's t with df degrees of freedom, df ≥ 1: 2.776 with four.
func TQuantile(df int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(0.975)
}

// WilcoxonFloor returns the smallest two-sided p-value that Wilcoxon's signed-rank test can give with n pairs, 2/2ⁿ:
// 0.0625 with five seeds, so that it cannot reach 0.05 whatever the seeds say.
func WilcoxonFloor(n int) float64 { return math.Min(1, math.Exp2(float64(1-n))) }

// Holm returns the p-values, corrected for their number, in the order given: the k-th smallest of m times m−k+1, at least
// the one before it, at most 1 (Holm 1979, "A simple sequentially rejective multiple test procedure").
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	floor := 0.0
	for k, i := range order {
		floor = min(1, max(floor, float64(len(p)-k)*p[i]))
		out[i] = floor
	}
	return out
}
