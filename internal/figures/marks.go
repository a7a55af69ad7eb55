package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// area fills a polygon, cut at the edge of the panel.
type area struct {
	points plotter.XYs
	color  color.Color
}

// Plot fills the area.
func (a area) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	points := make([]vg.Point, len(a.points))
	for i, pt := range a.points {
		points[i] = vg.Point{X: x(pt.X), Y: y(pt.Y)}
	}
	if points = c.ClipPolygonXY(points); len(points) > 2 {
		c.FillPolygon(a.color, points)
	}
}

// fill says how a bar is filled: a grey level, with lines across it where hatched.
type fill struct {
	color   color.Color
	hatched bool
}

func (f fill) rectangle(c *draw.Canvas, r vg.Rectangle) {
	if r.Max.Y <= r.Min.Y || r.Max.X <= r.Min.X {
		return
	}
	c.SetColor(f.color)
	c.Fill(r.Path())
	edge := draw.LineStyle{Color: color.Black, Width: 0.6}
	if f.hatched {
		const gap = 3.5
		for offset := r.Min.X - r.Size().Y; offset < r.Max.X; offset += gap {
			lo, hi := max(offset, r.Min.X), min(offset+r.Size().Y, r.Max.X)
			if lo < hi {
				c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 0.5}, lo, r.Min.Y+lo-offset, hi, r.Min.Y+hi-offset)
			}
		}
	}
	c.StrokeLines(edge, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

// Thumbnail fills the sample of a legend.
func (f fill) Thumbnail(c *draw.Canvas) {
	f.rectangle(c, vg.Rectangle{Min: vg.Point{X: c.Min.X + 4, Y: c.Min.Y}, Max: vg.Point{X: c.Max.X - 4, Y: c.Max.Y}})
}

// bar stands on the lower edge of the panel from x0 to x1.
type bar struct {
	x0, x1, height float64
	fill           fill
}

// Plot draws the bar.
func (b bar) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	b.fill.rectangle(&c, vg.Rectangle{Min: vg.Point{X: x(b.x0), Y: c.Min.Y},
		Max: vg.Point{X: x(b.x1), Y: min(y(b.height), c.Max.Y)}})
}

// whisker is an interval with caps at its ends, cut at the edge of the panel: at x from lo to hi or, where it lies, at
// height x.
type whisker struct {
	x, lo, hi float64
	lies      bool
	style     draw.LineStyle
}

// Plot draws the whisker.
func (w whisker) Plot(c draw.Canvas, p *plot.Plot) {
	const cap = 2.5
	tx, ty := p.Transforms(&c)
	if w.lies {
		lo, hi, y := max(tx(w.lo), c.Min.X), min(tx(w.hi), c.Max.X), ty(w.x)
		c.StrokeLines(w.style, []vg.Point{{X: lo, Y: y}, {X: hi, Y: y}},
			[]vg.Point{{X: lo, Y: y - cap}, {X: lo, Y: y + cap}}, []vg.Point{{X: hi, Y: y - cap}, {X: hi, Y: y + cap}})
		return
	}
	lo, hi, x := max(ty(w.lo), c.Min.Y), min(ty(w.hi), c.Max.Y), tx(w.x)
	c.StrokeLines(w.style, []vg.Point{{X: x, Y: lo}, {X: x, Y: hi}},
		[]vg.Point{{X: x - cap, Y: lo}, {X: x + cap, Y: lo}}, []vg.Point{{X: x - cap, Y: hi}, {X: x + cap, Y: hi}})
}

// markers are points of one style.
type markers struct {
	points plotter.XYs
	style  draw.GlyphStyle
}

// Plot draws those that lie in the panel.
func (m markers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, pt := range m.points {
		at := vg.Point{X: x(pt.X), Y: y(pt.Y)}
		if !math.IsNaN(pt.X) && c.Contains(at) {
			c.DrawGlyphNoClip(m.style, at)
		}
	}
}

// label is text at a point of the panel.
type label struct {
	x, y    float64
	text    string
	size    vg.Length
	centred bool // the point is the middle of the text, not its left end
}

// Plot writes the text.
func (l label) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := words(l.size)
	sty.YAlign = draw.YCenter
	if l.centred {
		sty.XAlign = draw.XCenter
	}
	c.FillText(sty, vg.Point{X: x(l.x), Y: y(l.y)}, l.text)
}
