package figures

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Slice is a part of a split with its number; the interval is NaN where there is none. N is the rows it rests on.
type Slice struct {
	Label         string
	Value, Lo, Hi float64
	N             int
}

// mostSlices is the number of slices that a figure has room for.
const mostSlices = 40

// Forest draws the slices below one another with their intervals, the highest value first; axis names what the values
// are. Where a slice may be below 0, as a difference, a line marks 0. Slices beyond the first 40 are left out, which the
// note says.
func Forest(name, title, axis string, slices_ []Slice) *Figure {
	if len(slices_) == 0 {
		return nil
	}
	rows := slices.Clone(slices_)
	slices.SortStableFunc(rows, func(a, b Slice) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Label, b.Label))
	})
	f := &Figure{Name: name, Title: title, Note: "Highest first; n: rows."}
	if len(rows) > mostSlices {
		f.Note += fmt.Sprintf(" The %d slices with lower values are left out.", len(rows)-mostSlices)
		rows = rows[:mostSlices]
	}
	lo, hi, intervals, hollow := 0.0, 0.1, false, false
	for _, s := range rows {
		lo, hi = min(lo, s.Value), max(hi, s.Value)
		if !math.IsNaN(s.Lo) {
			lo, hi, intervals = min(lo, s.Lo), max(hi, s.Hi), true
		}
		hollow = hollow || s.N > 0 && s.N < few
	}
	y := span{lo: -0.6, hi: float64(len(rows)) - 0.4}
	var known, small plotter.XYs
	var whiskers []plot.Plotter
	for i, s := range rows {
		at := float64(len(rows) - 1 - i)
		text := shorten(s.Label, 48)
		if s.N > 0 {
			text += ", n " + strconv.Itoa(s.N)
		}
		y.ticks = append(y.ticks, plot.Tick{Value: at, Label: text})
		if !math.IsNaN(s.Lo) {
			whiskers = append(whiskers, whisker{x: at, lo: s.Lo, hi: s.Hi, lies: true,
				style: draw.LineStyle{Color: color.Black, Width: 0.9}})
		}
		if s.N > 0 && s.N < few {
			small = append(small, plotter.XY{X: s.Value, Y: at})
		} else {
			known = append(known, plotter.XY{X: s.Value, Y: at})
		}
	}
	p := newPanel(axis, "", tenths(lo, hi), y)
	p.Y.Tick.Length = 0
	if lo < 0 {
		p.Add(rule(0, y.lo, 0, y.hi))
	}
	p.Add(whiskers...)
	open := draw.GlyphStyle{Color: color.Black, Radius: 2.6, Shape: draw.SquareGlyph{}}
	p.Add(markers{known, draw.GlyphStyle{Color: looks[1].color, Radius: 2.6, Shape: draw.BoxGlyph{}}}, markers{small,
		open})
	f.panels = append(f.panels, p)
	f.height = max(vg.Length(len(rows))*12+2.6*vg.Centimeter, 4*vg.Centimeter)
	if intervals {
		f.Note = "Whiskers: 95 % interval. " + f.Note
	}
	if hollow {
		f.Note += fmt.Sprintf(" Hollow: fewer than %d rows.", few)
	}
	return f
}

// tenths is a range in tenths, or in finer steps where it is short, that holds both values.
func tenths(lo, hi float64) span {
	step, decimals := 0.1, 1
	if hi-lo <= 0.25 {
		step, decimals = 0.05, 2
	}
	from, to := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	return steps(from*step, to*step, int(to-from), decimals)
}
