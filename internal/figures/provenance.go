package figures

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Estimate is a number with its 95 % interval, which is NaN where there is none.
type Estimate struct{ Value, Lo, Hi float64 }

// HasInterval reports whether the interval is known.
func (e Estimate) HasInterval() bool { return !math.IsNaN(e.Lo) && !math.IsNaN(e.Hi) }

// Group is a detector with one estimate a series; nil where the number is undefined.
type Group struct {
	Name   string
	Values []*Estimate
}

// sets are the series of the provenance figure with the fills of their bars.
var sets = []struct {
	name string
	fill fill
}{
	{"hard-benign, real sources", fill{color: color.NRGBA{0, 90, 150, 255}}},
	{"hard-benign, curated", fill{color: color.NRGBA{230, 170, 120, 255}, hatched: true}},
	{"ordinary", fill{color: color.Gray{240}}},
}

// Provenance draws false alarms by where benign texts come from, a group of bars a detector: hard-benign texts from real
// sources, curated ones, ordinary ones. The policy is that of the threshold.
func Provenance(groups []Group, policy string) *Figure {
	top, some, intervals, lacking := 0.1, false, false, false
	for _, g := range groups {
		for _, v := range g.Values {
			if v == nil {
				lacking = true
				continue
			}
			some, top = true, max(top, v.Value)
			if v.HasInterval() {
				intervals, top = true, max(top, v.Hi)
			}
		}
	}
	if !some {
		return nil
	}
	f := &Figure{Name: "provenance", Title: "False alarms by provenance at threshold " + policy}
	p := newPanel("", "FPR", span{lo: -0.5, hi: float64(len(groups)) - 0.5}, toTenth(top))
	p.grid.Vertical.Width = 0
	group := (width - 2*vg.Centimeter) / vg.Length(len(groups))
	ticks := make([]plot.Tick, len(groups))
	deepest := 0
	for i, g := range groups {
		lines := wrap(words(tickSize), g.Name, group-6)
		deepest = max(deepest, len(lines))
		ticks[i] = plot.Tick{Value: float64(i), Label: strings.Join(lines, "\n")}
		const across = 0.26
		for k, v := range g.Values {
			x := float64(i) + across*(float64(k)-1)
			if v == nil {
				p.Add(label{x: x, y: p.Y.Max / 40, text: "n/a", size: noteSize, centred: true})
				continue
			}
			p.Add(bar{x - across/2, x + across/2, v.Value, sets[k].fill})
			if v.HasInterval() {
				p.Add(whisker{x: x, lo: v.Lo, hi: v.Hi, style: draw.LineStyle{Color: color.White, Width: 2.2}},
					whisker{x: x, lo: v.Lo, hi: v.Hi, style: draw.LineStyle{Color: color.Black, Width: 0.9}})
			}
		}
	}
	for i, t := range ticks { // labels of the same height begin at the same height
		ticks[i].Label += strings.Repeat("\n ", deepest-1-strings.Count(t.Label, "\n"))
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.Length = 0
	p.Add(rule(-0.5, targetFPR, float64(len(groups))-0.5, targetFPR))
	for _, s := range sets {
		f.legend = append(f.legend, key{s.name, []plot.Thumbnailer{s.fill}})
	}
	f.panels = append(f.panels, p)
	f.Note = fmt.Sprintf("Mean over seeds. Dashed: FPR %.2f.", targetFPR)
	if intervals {
		f.Note = fmt.Sprintf("Mean over seeds; whiskers: 95 %% interval. Dashed: FPR %.2f.", targetFPR)
	}
	if lacking {
		f.Note += " n/a: not measured."
	}
	return f
}
