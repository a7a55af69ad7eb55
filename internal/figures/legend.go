package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key is an entry of a legend: samples drawn over one another, and what they stand for.
type key struct {
	label   string
	samples []plot.Thumbnailer
}

// drawLegend lays the entries out in columns at the top of the canvas, outside all data, and returns its height.
func drawLegend(c draw.Canvas, keys []key) vg.Length {
	if len(keys) == 0 {
		return 0
	}
	const sample, gap, between = 24, 4, 10
	sty := words(tickSize)
	var widths []vg.Length // of the columns
	for cols := len(keys); cols > 0; cols-- {
		widths = make([]vg.Length, cols)
		total := vg.Length(-between)
		for i, k := range keys {
			widths[i%cols] = max(widths[i%cols], sample+gap+sty.Width(k.label)+between)
		}
		for _, w := range widths {
			total += w
		}
		if total <= c.Max.X-c.Min.X {
			break
		}
	}
	cols := len(widths)
	height := sty.FontExtents().Height + 1.5
	for i, k := range keys {
		x := c.Min.X
		for _, w := range widths[:i%cols] {
			x += w
		}
		y := c.Max.Y - height*vg.Length(i/cols+1)
		icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + sample, Y: y + height - 3}}}
		for _, s := range k.samples {
			s.Thumbnail(&icon)
		}
		c.FillText(sty, vg.Point{X: x + sample + gap, Y: y + sty.FontExtents().Descent}, k.label)
	}
	rows := (len(keys) + cols - 1) / cols
	return height*vg.Length(rows) + 5
}

// lineSample is a line with a marker in the middle, or one of the two.
type lineSample struct {
	line   draw.LineStyle
	marker draw.GlyphStyle
}

// Thumbnail draws the sample.
func (s lineSample) Thumbnail(c *draw.Canvas) {
	if s.line.Width > 0 {
		c.StrokeLine2(s.line, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
	}
	if s.marker.Shape != nil {
		c.DrawGlyphNoClip(s.marker, c.Center())
	}
}

// detectorKey is the entry of a detector that is drawn with a line and a marker.
func detectorKey(i int, label string) key {
	return key{label, []plot.Thumbnailer{lineSample{lineOf(i), markerOf(i)}}}
}
