package leak

import (
	"cmp"
	"slices"

	"pidsbench/internal/dataset"
)

// run is the rows of one group that lie in one file.
type run struct {
	file   int
	rows   []int32  // in the sequence of all rows, ascending
	labels [2]int64 // rows of each class
}

// cell is what one file shares with another, or repeats of itself.
type cell struct {
	rows, pairs, opposed, sameCarrier int64
	allowed                           bool
	examples                          []Example
	shown                             int // examples wanted
}

// tallier counts the overlaps of one kind.
type tallier struct {
	*rows
	cells []cell // by file and file; pairs are counted at the smaller file first, rows at their own file first
}

func newTallier(m *rows) *tallier {
	t := &tallier{rows: m, cells: make([]cell, len(m.files)*len(m.files))}
	for a := range m.files {
		for b := range m.files {
			c := t.cell(a, b)
			c.allowed = a == b || m.options.allows(m.files[a].Name, m.files[b].Name)
			if c.shown = m.options.Examples; c.allowed {
				c.shown = min(c.shown, allowedExamples)
			}
		}
	}
	return t
}

func (t *tallier) cell(a, b int) *cell { return &t.cells[a*len(t.files)+b] }

// tally counts what every two files share when the rows of a group are partners of each other, and so are the rows of
// two linked groups. Rows with group -1 have no partner.
func (m *rows) tally(kind Kind, groups []int32, links []link) []Overlap {
	t := newTallier(m)
	runs := m.runs(groups)
	linked := make([]bool, len(runs)*len(m.files)) // group g has a linked group with rows in file f
	equal := 0.0                                   // the cosine of rows of one group
	if kind == Near {
		equal = 1
	}
	for _, own := range runs {
		for i, x := range own {
			t.inside(x, equal)
			for _, y := range own[i+1:] {
				t.between(x, y, equal)
			}
		}
	}
	for _, l := range links {
		for _, x := range runs[l.a] {
			linked[int(l.b)*len(m.files)+x.file] = true
			for _, y := range runs[l.b] {
				t.between(x, y, l.cosine)
			}
		}
		for _, y := range runs[l.b] {
			linked[int(l.a)*len(m.files)+y.file] = true
		}
	}
	for g, own := range runs {
		for _, x := range own {
			for f := range m.files {
				n := len(x.rows)
				shared := f == x.file && n > 1
				for _, y := range own {
					shared = shared || y.file == f && f != x.file
				}
				if shared || linked[g*len(m.files)+f] {
					t.cell(x.file, f).rows += int64(n)
				}
			}
		}
	}
	return t.overlaps(kind)
}

// runs returns the rows of every group by file, files ascending.
func (m *rows) runs(groups []int32) [][]run {
	most := int32(-1)
	for _, g := range groups {
		most = max(most, g)
	}
	runs := make([][]run, most+1)
	for i, g := range groups {
		if g < 0 {
			continue
		}
		f := int(m.file[i])
		if n := len(runs[g]); n == 0 || runs[g][n-1].file != f {
			runs[g] = append(runs[g], run{file: f})
		}
		r := &runs[g][len(runs[g])-1]
		r.rows = append(r.rows, int32(i))
		if labels := m.files[f].Labels; labels != nil {
			r.labels[labels[i-m.first[f]]]++
		}
	}
	return runs
}

// inside counts the pairs of rows of one run.
func (t *tallier) inside(x run, cosine float64) {
	n := int64(len(x.rows))
	if n < 2 {
		return
	}
	c := t.cell(x.file, x.file)
	c.pairs += n * (n - 1) / 2
	c.opposed += x.labels[dataset.Benign] * x.labels[dataset.Injection]
	for i, a := range x.rows {
		for _, b := range x.rows[i+1:] {
			if !t.pair(c, a, b, cosine) {
				return
			}
		}
	}
}

// between counts the pairs of a row of one run and a row of another.
func (t *tallier) between(x, y run, cosine float64) {
	if x.file > y.file {
		x, y = y, x
	}
	c := t.cell(x.file, y.file)
	c.pairs += int64(len(x.rows)) * int64(len(y.rows))
	c.opposed += x.labels[0]*y.labels[1] + x.labels[1]*y.labels[0]
	for _, a := range x.rows {
		for _, b := range y.rows {
			if !t.pair(c, a, b, cosine) {
				return
			}
		}
	}
}

// pair looks at one pair of rows and reports whether there is a reason to look at another.
func (t *tallier) pair(c *cell, a, b int32, cosine float64) bool {
	if a > b {
		a, b = b, a
	}
	if len(c.examples) < c.shown {
		c.examples = append(c.examples, Example{int(a) - t.first[t.file[a]], int(b) - t.first[t.file[b]], cosine})
	}
	if t.carrier[a] >= 0 && t.carrier[a] == t.carrier[b] {
		c.sameCarrier++
	}
	return t.carriers || len(c.examples) < c.shown
}

// overlaps returns the cells that hold anything.
func (t *tallier) overlaps(kind Kind) []Overlap {
	var out []Overlap
	for a := range t.files {
		for b := a; b < len(t.files); b++ {
			c := t.cell(a, b)
			if c.pairs == 0 {
				continue
			}
			slices.SortFunc(c.examples, func(x, y Example) int {
				return cmp.Or(cmp.Compare(x.RowA, y.RowA), cmp.Compare(x.RowB, y.RowB))
			})
			out = append(out, Overlap{Kind: kind, A: t.files[a].Name, B: t.files[b].Name, RowsA: int(c.rows),
				RowsB: int(t.cell(b, a).rows), Pairs: c.pairs, Opposed: c.opposed, SameCarrier: c.sameCarrier,
				Allowed: c.allowed, Examples: append([]Example{}, c.examples...)})
		}
	}
	return out
}

// allows reports whether some group holds both names.
func (o Options) allows(a, b string) bool {
	return slices.ContainsFunc(o.Allowed, func(group []string) bool {
		return slices.Contains(group, a) && slices.Contains(group, b)
	})
}
