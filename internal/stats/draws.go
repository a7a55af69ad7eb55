package stats

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"pidsbench/internal/draw"
)

// Resamples is the number of samples an interval rests on.
const Resamples = 10_000

// Draws are Resamples samples of groups, drawn with replacement, as many groups in each as there are. They depend on
// the stream's name and the number of groups alone: all that is computed on the same draws is paired.
type Draws struct {
	groups *Groups
	times  []uint8 // [Resamples][groups]: how often a group stands in a sample
	Rows   []float64
}

// mostGroups bounds the memory that draws take, 10 kB a group. Of more groups bundles are drawn.
const mostGroups = 20_000

// bundle throws the groups together at random, into as many as may be drawn. Sums over bundles vary as those over
// independent groups do.
func (g *Groups) bundle() *Groups {
	numbers := draw.New(0, "bootstrap", "bundles")
	to := make([]int, g.Len())
	for i := range to {
		to[i] = numbers.Below(mostGroups)
	}
	out := &Groups{rows: make([]float64, mostGroups), of: make([]int, len(g.of))}
	for row, group := range g.of {
		out.of[row] = to[group]
		out.rows[to[group]]++
	}
	return out
}

// Draw draws the samples. Without a group there is no row in any of them.
func (g *Groups) Draw(stream string) *Draws {
	if g.Len() > mostGroups {
		g = g.bundle()
	}
	n := g.Len()
	d := &Draws{groups: g, times: make([]uint8, Resamples*n), Rows: make([]float64, Resamples)}
	numbers := draw.New(0, "bootstrap", stream)
	for b := range Resamples {
		times := d.times[b*n : (b+1)*n]
		for range n {
			at := numbers.Below(n)
			if times[at]++; times[at] == 0 {
				panic("stats: a group was drawn 256 times")
			}
			d.Rows[b] += g.rows[at]
		}
	}
	return d
}

// Totals returns the total of each series in each sample: [series][Resamples], the sum of its values over the rows of
// the drawn groups. A series has a count a row, such as 1 for a false alarm or the number of seeds that give one; the
// totals are exact. It panics on a negative value, on a series of another length, and on totals of 2³² and more, all
// faults of the caller.
//
// Several series are summed in one word, each in a lane wide enough for its largest total. The time it takes grows with
// the groups that have a value: errors cost less to sum than what is right.
func (d *Draws) Totals(series ...[]int) [][]float64 {
	lanes, width := 4, 16
	switch most := d.most(series); {
	case most >= 1<<32:
		panic("stats: a total does not fit into 32 bits")
	case most >= 1<<16:
		lanes, width = 2, 32
	}
	n, words := d.groups.Len(), (len(series)+lanes-1)/lanes
	packed := make([]uint64, n*words)
	for s, values := range series {
		shift := s % lanes * width
		for row, v := range values {
			packed[d.groups.of[row]*words+s/lanes] += uint64(v) << shift
		}
	}
	var some []int // groups with a value that is not 0; the others add nothing
	kept := packed[:0]
	for g := range n {
		if sums := packed[g*words : (g+1)*words]; slices.ContainsFunc(sums, func(v uint64) bool { return v != 0 }) {
			some = append(some, g)
			kept = append(kept, sums...)
		}
	}
	out := make([][]float64, len(series))
	for s := range out {
		out[s] = make([]float64, Resamples)
	}
	d.each(func() func(b int) {
		sums := make([]uint64, words)
		return func(b int) {
			times := d.times[b*n : (b+1)*n]
			if words == 1 { // without a branch: a third of the groups is not drawn, which no processor foresees
				sum := uint64(0)
				for i, g := range some {
					sum += uint64(times[g]) * kept[i]
				}
				sums[0] = sum
			} else {
				clear(sums)
				for i, g := range some {
					t := uint64(times[g])
					if t == 0 {
						continue
					}
					for w, v := range kept[i*words : (i+1)*words] {
						sums[w] += t * v
					}
				}
			}
			for s := range out {
				out[s][b] = float64(sums[s/lanes] >> (s % lanes * width) & (1<<width - 1))
			}
		}
	})
	return out
}

// most returns a bound of all totals.
func (d *Draws) most(series [][]int) float64 {
	largest := 0
	for _, values := range series {
		if len(values) != len(d.groups.of) {
			panic("stats: a series does not have one value a row")
		}
		for _, v := range values {
			if v < 0 {
				panic("stats: a count is negative")
			}
			largest = max(largest, v)
		}
	}
	if len(series) == 0 || len(d.groups.of) == 0 {
		return 0
	}
	return float64(largest) * slices.Max(d.Rows)
}

// AUC returns the area under the ROC curve in each sample, ties counted half; NaN where a sample lacks a class. scores
// and injection have a value a row; a row whose score is NaN has none and counts nowhere.
func (d *Draws) AUC(scores []float64, injection []bool) []float64 {
	if len(scores) != len(d.groups.of) || len(injection) != len(scores) {
		panic("stats: scores and classes do not have one value a row")
	}
	type row struct {
		group     int32
		injection bool
		last      bool // of the rows with its score
	}
	order := make([]int, 0, len(scores))
	for i, s := range scores {
		if !math.IsNaN(s) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	rows := make([]row, len(order))
	for i, r := range order {
		rows[i] = row{int32(d.groups.of[r]), injection[r], i+1 == len(order) || scores[order[i+1]] != scores[r]}
	}
	n := d.groups.Len()
	out := make([]float64, Resamples)
	d.each(func() func(b int) {
		return func(b int) {
			times := d.times[b*n : (b+1)*n]
			var below, above, twice uint64 // benign rows and injections so far; twice the number of won pairs
			var benign, injections uint64  // with the score at hand
			for _, r := range rows {
				if t := uint64(times[r.group]); r.injection {
					injections += t
				} else {
					benign += t
				}
				if r.last {
					twice += injections * (2*below + benign)
					below, above = below+benign, above+injections
					benign, injections = 0, 0
				}
			}
			out[b] = math.NaN()
			if below > 0 && above > 0 {
				out[b] = float64(twice) / (2 * float64(below) * float64(above))
			}
		}
	})
	return out
}

// each calls what work returns for every sample, on all cores, and work once for each of them.
func (d *Draws) each(work func() func(b int)) {
	workers := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			one := work()
			for b := w * Resamples / workers; b < (w+1)*Resamples/workers; b++ {
				one(b)
			}
		})
	}
	wait.Wait()
}
