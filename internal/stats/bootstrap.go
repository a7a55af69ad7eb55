package stats

import (
	"fmt"
	"slices"

	"pidsbench/internal/draw"
)

// Resamples is the number of resamples an interval rests on.
const Resamples = 10_000

// Groups says which rows are drawn together: rows of one family are no independent observations.
type Groups struct {
	rows []float64 // of each group
	of   []int     // group of each row
}

// NewGroups puts rows of equal names into one group; a row with an empty name is a group of its own.
func NewGroups(names []string) *Groups {
	g := &Groups{of: make([]int, len(names))}
	index := map[string]int{}
	for i, name := range names {
		at, known := index[name]
		if !known || name == "" {
			at = len(g.rows)
			g.rows = append(g.rows, 0)
			index[name] = at
		}
		g.of[i] = at
		g.rows[at]++
	}
	return g
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.rows) }

// Effective returns the number of groups of equal size that would weigh as much: (Σ n)² / Σ n², n the rows of a group
// (Kish 1965, "Survey Sampling").
func (g *Groups) Effective() float64 {
	var sum, squares float64
	for _, n := range g.rows {
		sum += n
		squares += n * n
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// Shares draws Resamples samples of groups with replacement and returns, for each series, the share in each sample:
// the sum of the series' values over the drawn rows by the number of these rows. A series has a value a row, such as 1
// for a false alarm, or its mean over seeds. All series see the same samples, so that differences between them are
// paired. The samples depend on the stream's name and the number of groups alone. It fails when there is no row or a
// series has another number of rows.
func (g *Groups) Shares(stream string, series ...[]float64) ([][]float64, error) {
	if len(g.rows) == 0 {
		return nil, fmt.Errorf("there are no rows to draw from")
	}
	sums := make([][]float64, len(series)) // of each series in each group
	for s, values := range series {
		if len(values) != len(g.of) {
			return nil, fmt.Errorf("series %d has %d values, expected %d: one a row", s, len(values), len(g.of))
		}
		sums[s] = make([]float64, len(g.rows))
		for i, v := range values {
			sums[s][g.of[i]] += v
		}
	}
	out := make([][]float64, len(series))
	for s := range out {
		out[s] = make([]float64, Resamples)
	}
	numbers := draw.New(0, "bootstrap", stream)
	drawn := make([]float64, len(g.rows)) // how often each group stands in the sample
	for b := range Resamples {
		clear(drawn)
		for range g.rows {
			drawn[numbers.Below(len(g.rows))]++
		}
		rows := dot(drawn, g.rows)
		for s := range series {
			out[s][b] = dot(drawn, sums[s]) / rows
		}
	}
	return out, nil
}

// dot converts each product, which keeps compilers from fusing it with the sum: the same bits on every processor.
func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// Percentile returns the 95 % percentile interval of resampled values, which it does not change: their 2.5 % and 97.5 %
// quantiles, interpolated linearly (Hyndman and Fan 1996, type 7).
func Percentile(values []float64) (lo, hi float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return quantile(sorted, 0.025), quantile(sorted, 0.975)
}

func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// Minus returns a − b, value by value: the differences of two paired series.
func Minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}
