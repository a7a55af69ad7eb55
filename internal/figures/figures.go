// Package figures draws results for papers and pages: curves, bars and intervals from score files, as SVG and PNG. A
// figure reads in black and white (line styles, markers, hatches), carries its letters as outlines, so that no font is
// needed to see it, and has the same bytes on every run.
package figures

import (
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Figure is a drawing: a title, a legend above one or more panels, and a line below that says what they show.
type Figure struct {
	Name  string // of its files, without an ending: frontier, roc, …
	Title string
	Note  string // what is drawn, in a sentence or two

	Detail bool // of a single detector

	legend []key
	panels []*panel
	cols   int       // panels a row; 0 for one
	height vg.Length // 0 for the usual one
}

// The usual size: the width of a paper column, and resolution for print.
const (
	width      = 16 * vg.Centimeter
	usual      = 10 * vg.Centimeter
	resolution = 200 // dots an inch of a PNG
)

func (f *Figure) size() (w, h vg.Length) {
	if f.height > 0 {
		return width, f.height
	}
	return width, usual
}

// SVG writes the figure as an SVG document whose title is the figure's, for readers who cannot see it.
func (f *Figure) SVG(w io.Writer) error {
	wide, high := f.size()
	c := newSVG(f.Name, wide, high)
	f.draw(draw.NewCanvas(c, wide, high))
	return c.write(w, f.Title, f.Note)
}

// PNG writes the figure as a picture.
func (f *Figure) PNG(w io.Writer) error {
	wide, high := f.size()
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(resolution))}
	f.draw(draw.NewCanvas(outlined{c}, wide, high))
	_, err := c.WriteTo(w)
	return err
}

func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := words(titleSize)
	title := wrap(top, f.Title, c.Max.X-c.Min.X)
	for _, l := range title {
		c.FillText(top, vg.Point{X: c.Min.X, Y: c.Max.Y - top.FontExtents().Ascent}, l)
		c.Max.Y -= top.FontExtents().Height
	}
	c.Max.Y -= 2
	c.Max.Y -= drawLegend(c, f.legend)
	c.Min.Y += drawNote(c, f.Note)
	drawPanels(c, f.panels, max(f.cols, 1))
}

// drawNote writes the line below the panels and returns its height.
func drawNote(c draw.Canvas, note string) vg.Length {
	if note == "" {
		return 0
	}
	sty := words(noteSize)
	sty.Color = ink
	lines := wrap(sty, note, c.Max.X-c.Min.X)
	step := sty.FontExtents().Height
	for i, l := range lines {
		y := c.Min.Y + step*vg.Length(len(lines)-1-i) + sty.FontExtents().Descent
		c.FillText(sty, vg.Point{X: c.Min.X, Y: y}, l)
	}
	return step*vg.Length(len(lines)) + 4
}
