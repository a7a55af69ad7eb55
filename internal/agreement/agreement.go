// Package agreement measures how far two annotators agree: formulas only. Products are converted to float64 before they
// are added, which keeps compilers from fusing the two steps: numbers are the same on every processor.
package agreement

import (
	"fmt"
	"math"

	"pidsbench/internal/stats"
)

// Table counts the answers of two annotators to one question: Counts[i][j] items got category i from the first and j
// from the second. It is square, and its size is the number of categories of the scale, used or not.
type Table [][]int

// NewTable returns an empty table of q categories, at least two.
func NewTable(q int) Table {
	if q < 2 {
		panic("agreement: a scale has at least two categories")
	}
	t := make(Table, q)
	for i := range t {
		t[i] = make([]int, q)
	}
	return t
}

// Estimate is a number with its interval. Value is nil when it is undefined, Lo and Hi when there is no interval;
// Reason says why for either.
type Estimate struct {
	Value  *float64 `json:"value"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
	Reason string   `json:"reason,omitempty"`
}

// N returns the number of items.
func (t Table) N() int {
	n := 0
	for _, row := range t {
		for _, c := range row {
			n += c
		}
	}
	return n
}

// shares returns the cells as shares of all items, and the shares of each category for either annotator.
func (t Table) shares() (p [][]float64, first, second []float64) {
	n := float64(t.N())
	p = make([][]float64, len(t))
	first, second = make([]float64, len(t)), make([]float64, len(t))
	for i, row := range t {
		p[i] = make([]float64, len(t))
		for j, c := range row {
			p[i][j] = float64(c) / n
			first[i] += p[i][j]
			second[j] += p[i][j]
		}
	}
	return p, first, second
}

// agreed returns the number of items with equal answers.
func (t Table) agreed() int {
	n := 0
	for i := range t {
		n += t[i][i]
	}
	return n
}

const noItems = "no item has an answer of both"

// Percent returns the share of items on which both agree, in [0, 1], with the interval of stats.Wilson.
func (t Table) Percent() Estimate {
	n := t.N()
	if n == 0 {
		return Estimate{Reason: noItems}
	}
	lo, hi := stats.Wilson(t.agreed(), n)
	return Estimate{Value: new(float64(t.agreed()) / float64(n)), Lo: &lo, Hi: &hi}
}

// Kappa returns Cohen's kappa, (po - pe)/(1 - pe) with pe = Σ p(i,·)·p(·,i) (Cohen 1960, "A coefficient of agreement
// for nominal scales"), in [-1, 1]. It is undefined when both annotators give every item one and the same category.
// The interval is ±1.96 standard errors by the large-sample variance of Fleiss, Cohen and Everitt (1969, "Large sample
// standard errors of kappa and weighted kappa"), cut at -1 and 1.
func (t Table) Kappa() Estimate {
	n := t.N()
	if n == 0 {
		return Estimate{Reason: noItems}
	}
	p, first, second := t.shares()
	for i := range t {
		if t[i][i] == n {
			return Estimate{Reason: "both gave every item the same answer, so chance alone would agree"}
		}
	}
	var po, pe float64
	for i := range t {
		po += p[i][i]
		pe += float64(first[i] * second[i])
	}
	k := (po - pe) / (1 - pe)
	var sum float64
	for i := range t {
		for j := range t {
			if i == j {
				d := 1 - float64((first[i]+second[i])*(1-k))
				sum += float64(p[i][i] * d * d)
			} else {
				d := (second[i] + first[j]) * (1 - k)
				sum += float64(p[i][j] * d * d)
			}
		}
	}
	rest := k - float64(pe*(1-k))
	return t.around(k, (sum-float64(rest*rest))/(float64(n)*(1-pe)*(1-pe)))
}

// AC1 returns Gwet's AC1, (po - pe)/(1 - pe) with pe = Σ π(k)·(1 - π(k))/(q - 1), where π(k) is the mean share of
// category k over both annotators and q the number of categories of the scale (Gwet 2008, "Computing inter-rater
// reliability and its variance in the presence of high agreement"), in [-1, 1]. It is defined even when one category
// is used alone. The interval is ±1.96 standard errors by the variance of that paper, the items taken as a sample of
// an unlimited population, cut at -1 and 1.
func (t Table) AC1() Estimate {
	n := t.N()
	if n == 0 {
		return Estimate{Reason: noItems}
	}
	p, first, second := t.shares()
	q := float64(len(t))
	mean := make([]float64, len(t))
	var po, pe float64
	for k := range t {
		mean[k] = (first[k] + second[k]) / 2
		po += p[k][k]
		pe += float64(mean[k] * (1 - mean[k]) / (q - 1))
	}
	g := (po - pe) / (1 - pe)
	if n == 1 {
		return Estimate{Value: &g, Reason: "one item has no variance"}
	}
	// Each item's part in the coefficient, linearised: its own agreement, less what it adds to chance.
	var sum float64
	for i := range t {
		for j, c := range t[i] {
			own, chance := 0.0, ((1-mean[i])+(1-mean[j]))/2/(q-1)
			if i == j {
				own = 1
			}
			d := (own-pe)/(1-pe) - 2*(1-g)*(chance-pe)/(1-pe) - g
			sum += float64(float64(c) * d * d)
		}
	}
	return t.around(g, sum/float64(n)/float64(n-1))
}

// around returns the estimate with its interval.
func (t Table) around(value, variance float64) Estimate {
	if t.agreed() == t.N() {
		return Estimate{Value: &value, Reason: "all items agree, so the large-sample variance is 0 and gives no interval; " +
			"read that of the percentage"}
	}
	half := float64(stats.Z * math.Sqrt(max(0, variance)))
	return Estimate{Value: &value, Lo: new(max(-1, value-half)), Hi: new(min(1, value+half))}
}

// Specific returns the agreement on one category, in [0, 1]: of the times it was given by either annotator, the share
// in which the other gave it too, 2·n(k,k)/(n(k,·) + n(·,k)) (Spitzer and Fleiss 1974). It has no interval.
func (t Table) Specific(k int) Estimate {
	given := 0
	for i := range t {
		given += t[k][i] + t[i][k]
	}
	if given == 0 {
		return Estimate{Reason: "neither gave this answer"}
	}
	return Estimate{Value: new(2 * float64(t[k][k]) / float64(given)), Reason: "no interval is computed"}
}

// bands are the names that Landis and Koch (1977, "The measurement of observer agreement for categorical data") gave to
// ranges of kappa, by their upper ends.
var bands = []struct {
	to   float64
	name string
}{{0.20, "slight"}, {0.40, "fair"}, {0.60, "moderate"}, {0.80, "substantial"}, {1, "almost perfect"}}

// Band names a coefficient in the words of Landis and Koch: poor below 0, then slight to 0.20, fair to 0.40, moderate
// to 0.60, substantial to 0.80, almost perfect to 1. The bounds are a convention, not a result.
func Band(value float64) string {
	const rounding = 1e-9 // what sums of shares may be off
	if value < -rounding {
		return "poor"
	}
	for _, b := range bands {
		if value <= b.to+rounding {
			return b.name
		}
	}
	panic(fmt.Sprintf("agreement: %v is above 1", value))
}
