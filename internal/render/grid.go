package render

import (
	"bytes"
	"slices"
	"strings"
)

// grid is a table as it is drawn: columns of cells with their widths.
type grid struct {
	columns []gridColumn
	groups  []int // rows of each group
}

// gridColumn is a column of words, flush left, or of numbers, flush right.
type gridColumn struct {
	head  []string // lines
	cells []string // one a row
	words bool
	width int // columns of a terminal, without the blank on either side
	least int // how far it may be narrowed to make a grid fit, for a column of words
}

func newGrid(t Table) *grid {
	g := &grid{columns: make([]gridColumn, len(t.Columns))}
	labels := labelColumns(t)
	for i, head := range t.Columns {
		g.columns[i] = gridColumn{head: twoLines(head), words: labels[i]}
	}
	for _, group := range t.Groups {
		if len(group) > 0 {
			g.groups = append(g.groups, len(group))
		}
		for _, row := range group {
			for i := range g.columns {
				cell := ""
				if i < len(row) {
					cell = steady(strings.TrimSpace(row[i].String()))
				}
				g.columns[i].cells = append(g.columns[i].cells, cell)
			}
		}
	}
	for i := range g.columns {
		c := &g.columns[i]
		for _, s := range slices.Concat(c.head, c.cells) {
			c.width = max(c.width, width(s))
		}
		c.least = min(c.width, max(fewestWord, c.width/4))
	}
	return g
}

// total returns the columns of a terminal that the grid takes, with a blank on either side of each cell.
func (g *grid) total() int {
	n := 0
	for _, c := range g.columns {
		n += c.width + 2
	}
	return n
}

// A column of words is narrowed to fewestWord columns or a fourth of its width. One of more than mostName holds texts, not
// names.
const (
	fewestWord = 12
	mostName   = 60
)

// fit returns the grid, or what it is cut into to fit into so many columns, 0 for no bound. Columns of words are narrowed
// where that is enough. Else the columns are dealt out to blocks, each of which begins with the first columns of words.
func (g *grid) fit(columns int) []*grid {
	if columns == 0 || g.total() <= columns {
		return []*grid{g}
	}
	narrowed := g.part(0, len(g.columns))
	if narrowed.narrow(columns); narrowed.total() <= columns {
		return []*grid{narrowed}
	}
	stub := g.stub(columns * 2 / 3)
	var blocks []*grid
	for _, c := range g.columns[len(stub.columns):] {
		if c.words {
			c.width = min(c.width, max(columns-stub.total()-2, fewestWord))
		}
		last := len(blocks) - 1
		if last < 0 || len(blocks[last].columns) > len(stub.columns) && blocks[last].total()+c.width+2 > columns {
			blocks = append(blocks, stub.part(0, len(stub.columns)))
			last++
		}
		blocks[last].columns = append(blocks[last].columns, c)
	}
	if len(blocks) == 0 {
		return []*grid{narrowed}
	}
	return blocks
}

// part returns a copy of some of the columns.
func (g *grid) part(from, to int) *grid {
	return &grid{columns: slices.Clone(g.columns[from:to]), groups: g.groups}
}

// stub returns the first column, and those with names behind it that fit into so many columns with it: they tell rows
// apart.
func (g *grid) stub(columns int) *grid {
	n := 1
	for n < len(g.columns) && g.columns[n].words && g.columns[n].width <= mostName {
		more := g.part(0, n+1)
		if more.narrow(columns); more.total() > columns {
			break
		}
		n++
	}
	stub := g.part(0, n)
	stub.narrow(columns)
	return stub
}

// narrow makes the widest column of words narrower, again and again, until all fit or none can give more.
func (g *grid) narrow(columns int) {
	for g.total() > columns {
		widest := -1
		for i, c := range g.columns {
			if c.words && c.width > c.least && (widest < 0 || c.width > g.columns[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		g.columns[widest].width--
	}
}

// write draws the head, a rule below it and between groups, and the rows.
func (g *grid) write(b *bytes.Buffer) {
	heads := make([][]string, len(g.columns))
	for i, c := range g.columns {
		heads[i] = c.head
	}
	g.row(b, heads)
	rule := strings.Repeat("─", g.total()) + "\n"
	at := 0
	for _, rows := range g.groups {
		b.WriteString(rule)
		for range rows {
			cells := make([][]string, len(g.columns))
			for i, c := range g.columns {
				cells[i] = split(c.cells[at], c.width)
			}
			g.row(b, cells)
			at++
		}
	}
}

// row writes as many lines as the highest of the cells has.
func (g *grid) row(b *bytes.Buffer, cells [][]string) {
	high := 1
	for _, lines := range cells {
		high = max(high, len(lines))
	}
	for n := range high {
		var line strings.Builder
		for i, c := range g.columns {
			s := ""
			if n < len(cells[i]) {
				s = cells[i][n]
			}
			pad := strings.Repeat(" ", max(c.width-width(s), 0))
			if c.words {
				line.WriteString(" " + s + pad + " ")
			} else {
				line.WriteString(" " + pad + s + " ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
