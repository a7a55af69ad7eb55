package figures

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a plot with words around it.
type panel struct {
	*plot.Plot
	title, x, y string
	grid        *plotter.Grid
}

// newPanel returns an empty plot over the ranges, with a grid and words at its axes.
func newPanel(x, y string, xs, ys span) *panel {
	p := &panel{Plot: plot.New(), x: x, y: y}
	p.BackgroundColor = nil
	setAxis(&p.X, xs)
	setAxis(&p.Y, ys)
	p.grid = plotter.NewGrid()
	p.grid.Horizontal = draw.LineStyle{Color: faint, Width: 0.4}
	p.grid.Vertical = p.grid.Horizontal
	p.Add(p.grid)
	return p
}

func setAxis(axis *plot.Axis, s span) {
	axis.Min, axis.Max = s.lo, s.hi
	axis.Padding = 2
	axis.LineStyle = draw.LineStyle{Color: ink, Width: 0.6}
	axis.Tick.LineStyle = axis.LineStyle
	axis.Tick.Length = 3
	axis.Tick.Label.Font = words(tickSize).Font
	axis.Tick.Marker = plot.ConstantTicks(s.ticks)
}

// span is the range of an axis with its ticks.
type span struct {
	lo, hi float64
	ticks  []plot.Tick
}

// steps is a range from lo to hi with n equal steps, ticks labelled with the given decimals.
func steps(lo, hi float64, n, decimals int) span {
	s := span{lo: lo, hi: hi}
	for i := range n + 1 {
		v := lo + (hi-lo)*float64(i)/float64(n)
		s.ticks = append(s.ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', decimals, 64)})
	}
	return s
}

// unit is the range of a share.
func unit() span { return steps(0, 1, 5, 1) }

// toTenth is a range from 0 to the next tenth at or above the value, at most 1.
func toTenth(top float64) span {
	n := max(min(int(math.Ceil(top*10-1e-9)), 10), 1)
	return steps(0, float64(n)/10, n, 1)
}

// insets are the widths of what lies around the data of a plot.
type insets struct{ left, right, bottom, top vg.Length }

// drawPanels lays panels out in rows. The data of all panels have the same size.
func drawPanels(c draw.Canvas, panels []*panel, cols int) {
	tiles := draw.Tiles{Cols: cols, Rows: (len(panels) + cols - 1) / cols, PadX: 8, PadY: 6}
	around := insets{}
	for i, p := range panels {
		in := p.insets(tiles.At(c, i%cols, i/cols))
		around = insets{max(around.left, in.left), max(around.right, in.right), max(around.bottom, in.bottom),
			max(around.top, in.top)}
	}
	for i, p := range panels {
		p.draw(tiles.At(c, i%cols, i/cols), around)
	}
}

const wordGap = 3

// insets measures what ticks and words take of a tile.
func (p *panel) insets(c draw.Canvas) insets {
	data := p.DataCanvas(c)
	in := insets{data.Min.X - c.Min.X, c.Max.X - data.Max.X, data.Min.Y - c.Min.Y, c.Max.Y - data.Max.Y}
	label := words(labelSize).FontExtents().Height
	if p.x != "" {
		in.bottom += label + wordGap
	}
	if p.y != "" {
		in.left += label + wordGap
	}
	if p.title != "" {
		in.top += words(panelSize).FontExtents().Height
	}
	return in
}

func (p *panel) draw(c draw.Canvas, around insets) {
	want := vg.Rectangle{Min: vg.Point{X: c.Min.X + around.left, Y: c.Min.Y + around.bottom},
		Max: vg.Point{X: c.Max.X - around.right, Y: c.Max.Y - around.top}}
	inner := draw.Canvas{Canvas: c.Canvas, Rectangle: want}
	for range 3 { // what is around the data depends a little on the size
		data := p.DataCanvas(inner)
		inner.Min.X += want.Min.X - data.Min.X
		inner.Min.Y += want.Min.Y - data.Min.Y
		inner.Max.X += want.Max.X - data.Max.X
		inner.Max.Y += want.Max.Y - data.Max.Y
	}
	p.Plot.Draw(inner)
	sty := words(labelSize)
	sty.XAlign = draw.XCenter
	middle := vg.Point{X: (want.Min.X + want.Max.X) / 2, Y: (want.Min.Y + want.Max.Y) / 2}
	if p.x != "" {
		c.FillText(sty, vg.Point{X: middle.X, Y: inner.Min.Y - sty.FontExtents().Ascent - wordGap + 2}, p.x)
	}
	if p.y != "" {
		turned := sty
		turned.Rotation = math.Pi / 2
		c.FillText(turned, vg.Point{X: c.Min.X + sty.FontExtents().Ascent, Y: middle.Y}, p.y)
	}
	if p.title != "" {
		small := words(panelSize)
		small.XAlign = draw.XCenter
		c.FillText(small, vg.Point{X: middle.X, Y: inner.Max.Y + 3}, fit(small, p.title, c.Max.X-c.Min.X))
	}
}
