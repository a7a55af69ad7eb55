package figures

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/font/sfnt"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svg is a canvas that writes an SVG document. Letters are outlines, each defined once: written as text they would need
// the reader's fonts, or a copy of whole fonts in every file.
type svg struct {
	name          string // begins its identifiers, so that a page can hold several documents
	width, height vg.Length
	state         state
	saved         []state
	letters       map[sfnt.GlyphIndex]bool
	defs, body    strings.Builder
}

// state is what Push saves. A point of the drawing lies at matrix·(x, y, 1), y growing downwards.
type state struct {
	matrix [6]float64 // a b c d e f of SVG
	line   vg.Length
	dashes []vg.Length
	offset vg.Length
	color  color.Color
}

func newSVG(name string, w, h vg.Length) *svg {
	c := &svg{name: name, width: w, height: h, letters: map[sfnt.GlyphIndex]bool{}}
	c.state.matrix = [6]float64{1, 0, 0, -1, 0, float64(h)}
	vg.Initialize(c)
	return c
}

// Size returns the size of the drawing.
func (c *svg) Size() (w, h vg.Length) { return c.width, c.height }

// SetLineWidth sets the width of lines.
func (c *svg) SetLineWidth(w vg.Length) { c.state.line = w }

// SetLineDash sets the dashes of lines.
func (c *svg) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.state.dashes, c.state.offset = dashes, offset
}

// SetColor sets the colour of lines and fillings.
func (c *svg) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	c.state.color = to
}

// Rotate turns what follows, anticlockwise.
func (c *svg) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.transform(cos, sin, -sin, cos, 0, 0)
}

// Translate moves what follows.
func (c *svg) Translate(by vg.Point) { c.transform(1, 0, 0, 1, float64(by.X), float64(by.Y)) }

// Scale stretches what follows.
func (c *svg) Scale(x, y float64) { c.transform(x, 0, 0, y, 0, 0) }

func (c *svg) transform(a, b, d, e, x, y float64) {
	m := c.state.matrix
	c.state.matrix = [6]float64{m[0]*a + m[2]*b, m[1]*a + m[3]*b, m[0]*d + m[2]*e, m[1]*d + m[3]*e,
		m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

// Push saves the state for the next Pop.
func (c *svg) Push() { c.saved = append(c.saved, c.state) }

// Pop brings back the state that Push saved.
func (c *svg) Pop() {
	c.state = c.saved[len(c.saved)-1]
	c.saved = c.saved[:len(c.saved)-1]
}

// Stroke draws lines along the path.
func (c *svg) Stroke(path vg.Path) {
	if c.state.line <= 0 {
		return
	}
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" stroke%s stroke-width="%s"`, c.data(path), c.paint(""),
		decimal(float64(c.state.line)))
	if len(c.state.dashes) > 0 {
		lengths := make([]string, len(c.state.dashes))
		for i, d := range c.state.dashes {
			lengths[i] = decimal(float64(d))
		}
		fmt.Fprintf(&c.body, ` stroke-dasharray="%s"`, strings.Join(lengths, " "))
		if c.state.offset != 0 {
			fmt.Fprintf(&c.body, ` stroke-dashoffset="%s"`, decimal(float64(c.state.offset)))
		}
	}
	c.body.WriteString("/>\n")
}

// Fill fills the path.
func (c *svg) Fill(path vg.Path) {
	fmt.Fprintf(&c.body, "<path d=\"%s\" fill%s/>\n", c.data(path), c.paint("fill-"))
}

// paint returns the value of the attribute fill or stroke, and its opacity where the colour is translucent.
func (c *svg) paint(prefix string) string {
	n := color.NRGBAModel.Convert(c.state.color).(color.NRGBA)
	if prefix == "" {
		prefix = "stroke-"
	}
	s := fmt.Sprintf(`="#%02x%02x%02x"`, n.R, n.G, n.B)
	if n.A < 255 {
		s += fmt.Sprintf(` %sopacity="%s"`, prefix, decimal(float64(n.A)/255))
	}
	return s
}

func (c *svg) data(path vg.Path) string {
	var b strings.Builder
	at := func(p vg.Point) string {
		m := c.state.matrix
		x, y := float64(p.X), float64(p.Y)
		return decimal(m[0]*x+m[2]*y+m[4]) + " " + decimal(m[1]*x+m[3]*y+m[5])
	}
	for i, part := range path {
		switch part.Type {
		case vg.MoveComp:
			b.WriteString("M" + at(part.Pos))
		case vg.LineComp:
			b.WriteString("L" + at(part.Pos))
		case vg.CurveComp:
			command := "Q"
			if len(part.Control) == 2 {
				command = "C"
			}
			for _, p := range part.Control {
				command += at(p) + " "
			}
			b.WriteString(command + at(part.Pos))
		case vg.ArcComp:
			arc(&b, at, part, i == 0)
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

// arc draws a part of a circle in two halves, since the ends of one arc may not meet.
func arc(b *strings.Builder, at func(vg.Point) string, part vg.PathComp, first bool) {
	on := func(angle float64) string {
		sin, cos := math.Sincos(angle)
		return at(vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos), Y: part.Pos.Y + part.Radius*vg.Length(sin)})
	}
	sweep := 0 // anticlockwise, as the page has it
	if part.Angle < 0 {
		sweep = 1
	}
	command := "L"
	if first {
		command = "M"
	}
	b.WriteString(command + on(part.Start))
	r := decimal(float64(part.Radius))
	for _, half := range []float64{0.5, 1} {
		fmt.Fprintf(b, "A%s %s 0 0 %d %s", r, r, sweep, on(part.Start+half*part.Angle))
	}
}

// FillString writes a line of text whose base line begins at the point.
func (c *svg) FillString(face plotfont.Face, at vg.Point, text string) {
	m, x, y := c.state.matrix, float64(at.X), float64(at.Y)
	var uses strings.Builder
	units := eachGlyph(face, text, func(g glyph) {
		if len(g.outline) == 0 {
			return
		}
		id := c.name + "-" + strconv.Itoa(int(g.index))
		if !c.letters[g.index] {
			c.letters[g.index] = true
			fmt.Fprintf(&c.defs, "<path id=\"%s\" d=\"%s\"/>\n", id, outlineData(g.outline))
		}
		if g.at == 0 {
			fmt.Fprintf(&uses, `<use href="#%s"/>`, id)
		} else {
			fmt.Fprintf(&uses, `<use href="#%s" x="%d"/>`, id, g.at)
		}
	})
	if uses.Len() == 0 {
		return
	}
	k := float64(face.Font.Size) / float64(units)
	fmt.Fprintf(&c.body, "<g fill%s transform=\"matrix(%s %s %s %s %s %s)\">%s</g>\n", c.paint("fill-"), fine(k*m[0]),
		fine(k*m[1]),
		fine(-k*m[2]), fine(-k*m[3]), decimal(m[0]*x+m[2]*y+m[4]), decimal(m[1]*x+m[3]*y+m[5]), uses.String())
}

// outlineData is the path of a letter in the units of its font, y growing downwards.
func outlineData(outline sfnt.Segments) string {
	var b strings.Builder
	for i, s := range outline {
		command, points := "M", 1
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				b.WriteString("Z")
			}
		case sfnt.SegmentOpLineTo:
			command = "L"
		case sfnt.SegmentOpQuadTo:
			command, points = "Q", 2
		case sfnt.SegmentOpCubeTo:
			command, points = "C", 3
		}
		b.WriteString(command)
		for k := range points {
			if k > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%d %d", int(s.Args[k].X), int(s.Args[k].Y))
		}
	}
	return b.String() + "Z"
}

// DrawImage panics: figures have no pictures in them.
func (c *svg) DrawImage(vg.Rectangle, image.Image) { panic("figures: a picture in a figure") }

// write puts the document out, with a title and a description for readers who cannot see it. It begins at its root
// element, so that a page can take it in as it is.
func (c *svg) write(w io.Writer, title, description string) error {
	wide, high := decimal(float64(c.width)), decimal(float64(c.height))
	_, err := fmt.Fprintf(w,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%spt\" height=\"%spt\" viewBox=\"0 0 %s %s\" role=\"img\">\n"+
			"<title>%s</title>\n<desc>%s</desc>\n<defs>\n%s</defs>\n%s</svg>\n", wide, high, wide, high,
		html.EscapeString(title),
		html.EscapeString(description), c.defs.String(), c.body.String())
	return err
}

// decimal writes a number with at most two decimals, which is finer than print.
func decimal(v float64) string { return shortest(v, 2) }

func fine(v float64) string { return shortest(v, 6) }

func shortest(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}
