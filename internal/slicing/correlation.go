package slicing

import (
	"cmp"
	"math"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/stats"
)

// Correlation returns Pearson's correlation, over rows with a score of every seed, of a number in [0, 1] a row with the
// share of the seeds that flag it; for one seed that is the point-biserial correlation. Numbers are rounded to
// thousandths or, on very many rows, more coarsely, so that resampled sums are exact. rows are rows of s, x their
// numbers. It is undefined when one of the two does not vary.
func Correlation(s *dataset.Split, draws *stats.Draws, rows []int, x []float64, v *Verdicts) (
	e Estimate, value metrics.Value) {
	scale := min(1000, math.Floor(math.Sqrt((1<<32-1)/max(1, slices.Max(draws.Rows)))))
	n := len(s.Rows)
	series := make([][]int, 6) // 1, x, y, x², y², xy
	for i := range series {
		series[i] = make([]int, n)
	}
	for i, row := range rows {
		if !v.Scored[row] {
			continue
		}
		a, b := int(math.Round(x[i]*scale)), v.Flags[row]
		for k, value := range []int{1, a, b, a * a, b * b, a * b} {
			series[k][row] = value
		}
	}
	sums := make([]float64, len(series))
	for k, values := range series {
		sums[k] = float64(sum(values))
	}
	r := pearson(sums)
	switch {
	case sums[0] == 0:
		return e, metrics.Value{Reason: metrics.NoRows}
	case math.IsNaN(r):
		return e, metrics.Value{Reason: "all rows are alike"}
	}
	drawn := draws.Totals(series...)
	values := make([]float64, stats.Resamples)
	for b := range values {
		for k := range sums {
			sums[k] = drawn[k][b]
		}
		values[b] = pearson(sums)
	}
	return difference(r, values), metrics.Value{V: r, OK: true}
}

// pearson is the correlation from n, Σx, Σy, Σx², Σy² and Σxy, all exact whole numbers; NaN when x or y does not vary.
func pearson(sums []float64) float64 {
	n, x, y, xx, yy, xy := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
	a := float64(n*xx) - float64(x*x)
	b := float64(n*yy) - float64(y*y)
	if a <= 0 || b <= 0 {
		return math.NaN()
	}
	return (float64(n*xy) - float64(x*y)) / (math.Sqrt(a) * math.Sqrt(b))
}

// Quarters returns the share of flagged rows, the mean over the seeds, in each quarter of the rows in the order of x,
// from low to high, of equal ones in the order of rows; NaN for a quarter without rows. Rows without a score of every
// seed do not count.
func Quarters(rows []int, x []float64, v *Verdicts) (rates [4]float64) {
	var order []int
	for i, row := range rows {
		if v.Scored[row] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	for q := range rates {
		part := order[q*len(order)/4 : (q+1)*len(order)/4]
		flags := 0
		for _, i := range part {
			flags += v.Flags[rows[i]]
		}
		rates[q] = float64(flags) / float64(len(part)*v.Seeds)
	}
	return rates
}
