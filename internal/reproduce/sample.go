package reproduce

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"pidsbench/internal/draw"
	"pidsbench/internal/scores"
)

// Sample says which rows of each split are scored again.
type Sample struct {
	Rows int   `json:"rows_per_split"` // 0 for all
	Seed int64 `json:"seed"`
}

// purpose names the stream of draw that samples come from.
const purpose = "reproduce"

// Draw returns the rows of a split to be scored again, in rising order: all that are usable, or so many of them as the
// sample says. Of these a quarter are the rows whose published score lies nearest to a threshold, where verdicts flip
// first, and a quarter took more than one window, as far as there are any; all but the nearest are drawn at random, by
// (seed, purpose, split, row).
func (s Sample) Draw(published []scores.Line, usable func(row int) bool, split string, cutoffs []Cutoff) []int {
	var pool []scores.Line
	for _, l := range published {
		if usable(l.Row) {
			pool = append(pool, l)
		}
	}
	draw.Order(pool, s.Seed, purpose, func(l scores.Line) string { return split + " " + strconv.Itoa(l.Row) })
	n := len(pool)
	if s.Rows > 0 {
		n = min(n, s.Rows)
	}
	taken := map[int]bool{}
	take := func(of []scores.Line, most int, fits func(scores.Line) bool) {
		for _, l := range of {
			if most > 0 && len(taken) < n && !taken[l.Row] && fits(l) {
				taken[l.Row] = true
				most--
			}
		}
	}
	quarter := (n + 3) / 4
	take(nearest(pool, cutoffs), quarter, scores.Line.Scored)
	take(pool, quarter, func(l scores.Line) bool { return l.Windows > 1 })
	take(pool, n, func(scores.Line) bool { return true })
	rows := make([]int, 0, n)
	for row := range taken {
		rows = append(rows, row)
	}
	slices.Sort(rows)
	return rows
}

// nearest returns the lines by how near their scores lie to a threshold; equally near ones stay in their order. Without
// thresholds there are none.
func nearest(lines []scores.Line, cutoffs []Cutoff) []scores.Line {
	type placed struct {
		line     scores.Line
		distance float64
	}
	var all []placed
	for _, l := range lines {
		p := placed{l, math.Inf(1)}
		for _, c := range cutoffs {
			if c.Tau != nil {
				p.distance = min(p.distance, math.Abs(l.Score-*c.Tau))
			}
		}
		if l.Scored() && !math.IsInf(p.distance, 1) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.distance, b.distance) })
	out := make([]scores.Line, len(all))
	for i, p := range all {
		out[i] = p.line
	}
	return out
}
