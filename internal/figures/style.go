package figures

import (
	"image/color"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of letters, and the white border.
const (
	titleSize = 10
	labelSize = 8.5
	tickSize  = 7.5
	panelSize = 7 // the titles of panels
	noteSize  = 6.5
	margin    = 6
)

var (
	paper = color.Gray{255}
	ink   = color.Gray{60}
	faint = color.Gray{215}
)

// most is the number of detectors that a figure can tell apart.
const most = 6

// looks tell detectors apart in print without colour: each has a dash and a marker of its own. The colours are those of
// Okabe and Ito (2008, "Color Universal Design"), which people with colour-blindness tell apart.
var looks = [most]struct {
	color  color.NRGBA
	dashes []vg.Length
	shape  draw.GlyphDrawer
}{
	{color.NRGBA{0, 0, 0, 255}, nil, draw.CircleGlyph{}},
	{color.NRGBA{0, 114, 178, 255}, []vg.Length{6, 2.5}, draw.SquareGlyph{}},
	{color.NRGBA{213, 94, 0, 255}, []vg.Length{2, 2}, draw.PyramidGlyph{}},
	{color.NRGBA{0, 158, 115, 255}, []vg.Length{7, 2, 1.5, 2}, draw.RingGlyph{}},
	{color.NRGBA{204, 121, 167, 255}, []vg.Length{4, 1.5, 1.5, 1.5, 1.5, 1.5}, draw.BoxGlyph{}},
	{color.NRGBA{86, 180, 233, 255}, []vg.Length{10, 3}, draw.CrossGlyph{}},
}

func lineOf(i int) draw.LineStyle {
	return draw.LineStyle{Color: looks[i].color, Width: 1.2, Dashes: looks[i].dashes}
}

func markerOf(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: looks[i].color, Radius: 2.6, Shape: looks[i].shape}
}

func bandOf(i int) color.Color {
	c := looks[i].color
	c.A = 45
	return c
}

// words is the style of text of a size.
func words(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Handler: plot.DefaultTextHandler,
		Font: plotfont.From(plotfont.Font{Typeface: "Liberation", Variant: "Sans"}, size)}
}

// must is for plotters of finite values, which the callers made.
func must[T any](v T, err error) T {
	if err != nil {
		panic("figures: " + err.Error())
	}
	return v
}

// curve is a line that does not change the range of its panel.
type curve struct{ line *plotter.Line }

// Plot draws the line.
func (l curve) Plot(c draw.Canvas, p *plot.Plot) { l.line.Plot(c, p) }

// line draws through the points.
func line(sty draw.LineStyle, points plotter.XYs) curve {
	l := must(plotter.NewLine(points))
	l.LineStyle = sty
	return curve{l}
}

var ruleLine = draw.LineStyle{Color: ink, Width: 0.7, Dashes: []vg.Length{3, 3}}

// rule is a thin dashed line between two points, for a target.
func rule(x0, y0, x1, y1 float64) curve {
	return line(ruleLine, plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}})
}

// wrap breaks a text at blanks into lines that are at most as wide as given, where its words allow.
func wrap(sty text.Style, s string, most vg.Length) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if n := len(lines); n > 0 && sty.Width(lines[n-1]+" "+word) <= most {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// fit cuts a text that is wider than given.
func fit(sty text.Style, s string, most vg.Length) string {
	for n := utf8.RuneCountInString(s); n > 1 && sty.Width(s) > most; n-- {
		s = shorten(s, n)
	}
	return s
}

// shorten cuts a name that would not fit.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}
