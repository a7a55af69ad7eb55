package figures

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// glyph is a letter of a line of text: its place and its outline in the units of the font, y growing downwards.
type glyph struct {
	index   sfnt.GlyphIndex
	at      int
	outline sfnt.Segments // empty for a blank
}

// eachGlyph calls the function for each letter of a line of text and returns the units that make the size of the font.
// Characters that the font lacks show as the box that it keeps for them.
func eachGlyph(face plotfont.Face, text string, f func(glyph)) (units int) {
	var buf sfnt.Buffer
	// At a size of one unit of the font a point, numbers are those of the font itself.
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	at, last, first := 0, sfnt.GlyphIndex(0), true
	for _, r := range text {
		index := must(face.Face.GlyphIndex(&buf, r))
		if kern, err := face.Face.Kern(&buf, last, index, em, font.HintingNone); err == nil && !first {
			at += int(kern)
		}
		f(glyph{index, at, must(face.Face.LoadGlyph(&buf, index, em, nil))})
		at += int(must(face.Face.GlyphAdvance(&buf, index, em, font.HintingNone)))
		last, first = index, false
	}
	return int(em)
}

// outlined draws letters as filled outlines, so that a picture has the letters of the document.
type outlined struct{ vg.Canvas }

// FillString fills the outlines of a line of text whose base line begins at pt.
func (c outlined) FillString(face plotfont.Face, pt vg.Point, text string) {
	var path vg.Path
	scale := float64(face.Font.Size) / float64(face.Face.UnitsPerEm())
	eachGlyph(face, text, func(g glyph) {
		point := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: pt.X + vg.Length(scale*float64(g.at+int(p.X))), Y: pt.Y - vg.Length(scale*float64(p.Y))}
		}
		for i, s := range g.outline {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				path.Move(point(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(point(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(point(s.Args[0]), point(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
			}
		}
		if len(g.outline) > 0 {
			path.Close()
		}
	})
	if len(path) > 0 {
		c.Fill(path)
	}
}
