package slicing

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"pidsbench/internal/dataset"
	"pidsbench/internal/facet"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// MinGroups is the number of families below which a slice has no interval, and is no candidate for the worst one.
const MinGroups = results.FewGroups

// MaxSlices is the number of slices of a facet and class; the rows of further values are one slice together.
const MaxSlices = 50

// Cut is what a detector does on the slices of one class of a split by one facet.
type Cut struct {
	Detector int // its place in the results
	Split    string
	Class    dataset.Label
	Facet    string
	ByRule   bool
	Slices   []Slice // the highest error rate first; of equal ones the larger, then by name
	K        int     // slices that have an interval
	Expected float64 // rate that the worst of K slices shows by chance alone when all are alike; NaN when K < 2
}

// Slice is the error rate of a detector on a slice: false alarms of benign rows, misses of injections, the mean over
// the seeds.
type Slice struct {
	Value  string
	Rows   int // with a score of every seed
	Of     int // rows there are
	Groups int // families among Rows
	Rate   float64
	Lo, Hi float64 // 95 %, simultaneous over the slices with an interval; NaN without one
}

// Cuts returns what the detectors with verdicts, by their place in the results, do on the slices of a split; outermost
// by class and facet, in the order of facet.Of, then by detector. Rows in out count nowhere.
func Cuts(s *dataset.Split, out map[int]bool, of map[int]Verdicts) []Cut {
	draws, group := Draw(s), numbered(families(s))
	detectors := make([]int, 0, len(of))
	for i := range of { // sorted below
		detectors = append(detectors, i)
	}
	slices.Sort(detectors)
	var cuts []Cut
	facets := facet.Of(s)
	for _, class := range []dataset.Label{dataset.Benign, dataset.Injection} {
		for _, f := range facets {
			p := partition(s, f, class, out)
			if len(p.values) < 2 {
				continue
			}
			c := cutter{draws: draws, group: group, parts: p, class: class, split: s.Name, facet: f}
			cuts = append(cuts, c.all(detectors, of)...)
		}
	}
	return cuts
}

// numbered returns the number of the group of each row; an empty name is a group of its own.
func numbered(names []string) []int {
	index, out := map[string]int{}, make([]int, len(names))
	next := 0
	for i, name := range names {
		at, known := index[name]
		if !known || name == "" {
			at = next
			index[name] = at
			next++
		}
		out[i] = at
	}
	return out
}

// parts are the rows of a class by value of a facet, the most frequent value first.
type parts struct {
	values []string
	rows   [][]int
}

func partition(s *dataset.Split, f facet.Facet, class dataset.Label, out map[int]bool) (p parts) {
	rows := map[string][]int{}
	for i, r := range s.Rows {
		if v := f.Values[i]; r.Label == class && v != "" && !out[i] {
			rows[v] = append(rows[v], i)
		}
	}
	for v := range rows { // sorted below
		p.values = append(p.values, v)
	}
	slices.SortFunc(p.values, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(rows[b]), len(rows[a])), strings.Compare(a, b))
	})
	for _, v := range p.values {
		p.rows = append(p.rows, rows[v])
	}
	if n := len(p.values) - MaxSlices + 1; n > 1 {
		rest := slices.Concat(p.rows[MaxSlices-1:]...)
		slices.Sort(rest)
		p.values = append(p.values[:MaxSlices-1], fmt.Sprintf("%d other values", n))
		p.rows = append(p.rows[:MaxSlices-1], rest)
	}
	return p
}

// cutter computes the cuts of all detectors by one facet of one class.
type cutter struct {
	draws *stats.Draws
	group []int
	parts parts
	class dataset.Label
	split string
	facet facet.Facet
}

// base is what the rows with a score of a detector amount to, whatever it says of them.
type base struct {
	slices []Slice     // in the order of the parts, without rates
	banded []int       // parts with an interval
	rows   [][]float64 // of each of these, in each resample
	deck   *deck       // for their cards
}

func (c *cutter) all(detectors []int, of map[int]Verdicts) []Cut {
	var whole *base // of detectors with all scores
	cuts := make([]Cut, len(detectors))
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for at, i := range detectors {
		v := of[i]
		var b *base
		switch {
		case slices.Contains(v.Scored, false):
			b = c.base(v.Scored)
		case whole == nil:
			whole = c.base(nil)
			fallthrough
		default:
			b = whole
		}
		free <- struct{}{}
		wait.Go(func() {
			cuts[at] = c.cut(i, &v, b)
			<-free
		})
	}
	wait.Wait()
	return cuts
}

// base looks at the rows that are scored; all of them for nil.
func (c *cutter) base(scored []bool) *base {
	b := &base{slices: make([]Slice, len(c.parts.values))}
	here := func(row int) int {
		if scored == nil || scored[row] {
			return 1
		}
		return 0
	}
	total := c.totals()
	var sizes []int
	for j, rows := range c.parts.rows {
		seen := map[int]bool{}
		for _, row := range rows {
			if here(row) == 1 {
				b.slices[j].Rows++
				seen[c.group[row]] = true
			}
		}
		b.slices[j].Value, b.slices[j].Of, b.slices[j].Groups = c.parts.values[j], len(rows), len(seen)
		b.slices[j].Lo, b.slices[j].Hi = math.NaN(), math.NaN()
		if len(seen) >= MinGroups {
			b.banded, sizes = append(b.banded, j), append(sizes, len(seen))
			b.rows = append(b.rows, total(rows, here))
		}
	}
	if len(sizes) > 1 {
		b.deck = newDeck(c.split+" "+c.class.Name()+" by "+c.facet.Name, sizes)
	}
	return b
}

func (c *cutter) cut(detector int, v *Verdicts, b *base) Cut {
	cut := Cut{Detector: detector, Split: c.split, Class: c.class, Facet: c.facet.Name, ByRule: c.facet.ByRule,
		Slices: slices.Clone(b.slices), K: len(b.banded), Expected: math.NaN()}
	right := make([]bool, len(c.parts.rows)) // what is summed, the rarer of right and wrong: that costs less
	for j, rows := range c.parts.rows {
		errors := 0
		for _, row := range rows {
			if v.Scored[row] {
				errors += v.Errors(row, c.class)
			}
		}
		n := v.Seeds * cut.Slices[j].Rows
		cut.Slices[j].Rate = float64(errors) / float64(n) // NaN without rows
		right[j] = 2*errors > n
	}
	c.band(&cut, v, b, right)
	if b.deck != nil {
		cut.Expected = b.deck.worst(c.cards(v, b), v.Seeds)
	}
	cut.Slices = slices.DeleteFunc(cut.Slices, func(s Slice) bool { return s.Rows == 0 })
	slices.SortFunc(cut.Slices, func(x, y Slice) int {
		return cmp.Or(cmp.Compare(y.Rate, x.Rate), cmp.Compare(y.Rows, x.Rows), strings.Compare(x.Value, y.Value))
	})
	return cut
}

// band sets the simultaneous intervals.
func (c *cutter) band(cut *Cut, v *Verdicts, b *base, right []bool) {
	k := len(b.banded)
	drawn, rates, groups := make([][]float64, k), make([]float64, k), make([]int, k)
	total := c.totals()
	for i, j := range b.banded {
		rates[i], groups[i] = cut.Slices[j].Rate, cut.Slices[j].Groups
		drawn[i] = total(c.parts.rows[j], func(row int) int {
			switch {
			case !v.Scored[row]:
				return 0
			case right[j]:
				return v.Seeds - v.Errors(row, c.class)
			}
			return v.Errors(row, c.class)
		})
		for d, rows := range b.rows[i] {
			drawn[i][d] /= rows * float64(v.Seeds) // NaN where the resample has no row of the slice
			if right[j] {
				drawn[i][d] = 1 - drawn[i][d]
			}
		}
	}
	lo, hi := Band(rates, drawn, groups)
	for i, j := range b.banded {
		cut.Slices[j].Lo, cut.Slices[j].Hi = lo[i], hi[i]
	}
}

// totals returns what sums a value of some rows in each resample: one slice after the other, since the groups of a slice
// are few and those of all slices many.
func (c *cutter) totals() func(rows []int, value func(row int) int) []float64 {
	series := make([]int, len(c.group))
	return func(rows []int, value func(row int) int) []float64 {
		for _, row := range rows {
			series[row] = value(row)
		}
		out := c.draws.Totals(series)[0]
		for _, row := range rows {
			series[row] = 0
		}
		return out
	}
}

// cards are what the slices with an interval hold of each family.
func (c *cutter) cards(v *Verdicts, b *base) (cards []card) {
	for _, j := range b.banded {
		at := map[int]int{}
		for _, row := range c.parts.rows[j] {
			if !v.Scored[row] {
				continue
			}
			i, known := at[c.group[row]]
			if !known {
				i = len(cards)
				at[c.group[row]] = i
				cards = append(cards, card{})
			}
			cards[i].rows++
			cards[i].errors += int32(v.Errors(row, c.class))
		}
	}
	return cards
}

// Out holds the rows of a split that count nowhere.
func Out(in *results.Input, s *dataset.Split) map[int]bool {
	if in.Undisputed {
		return results.Disputed(s)
	}
	return nil
}
