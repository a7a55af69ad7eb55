package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Tradeoff draws what the threshold does to one detector: IID F1 and hard-benign FPR over all thresholds. It is nil
// where the detector lacks rows.
func Tradeoff(d Detector) *Figure {
	points := Sweep(d.Runs)
	if points == nil {
		return nil
	}
	f := &Figure{Name: "tradeoff-" + d.ID, Title: "Threshold trade-off of " + d.Name, Detail: true}
	p := newPanel("threshold τ", "IID test F1, hard-benign FPR", unit(), unit())
	series := []struct {
		label     string
		value, sd func(Point) float64
	}{
		{"IID test F1", func(p Point) float64 { return p.F1 }, func(p Point) float64 { return p.F1SD }},
		{"hard-benign FPR, real sources", func(p Point) float64 { return p.FPR }, func(p Point) float64 { return p.FPRSD }},
	}
	for i, s := range series {
		var xys, low, high plotter.XYs
		for _, pt := range points {
			v, sd := s.value(pt), s.sd(pt)
			xys = append(xys, plotter.XY{X: pt.Tau, Y: v})
			low = append(low, plotter.XY{X: pt.Tau, Y: max(v-sd, 0)})
			high = append(high, plotter.XY{X: pt.Tau, Y: min(v+sd, 1)})
		}
		if len(d.Runs) > 1 {
			for k := len(high) - 1; k >= 0; k-- {
				low = append(low, high[k])
			}
			p.Add(area{low, bandOf(i)})
		}
		p.Add(line(lineOf(i), xys))
		f.legend = append(f.legend, key{s.label, []plot.Thumbnailer{lineSample{line: lineOf(i)}}})
	}
	p.Add(rule(0, targetF1, 1, targetF1), rule(0, targetFPR, 1, targetFPR))
	n := 0
	for _, r := range d.Runs {
		if !math.IsNaN(r.Tau) {
			p.Add(line(lineOf(2), plotter.XYs{{X: r.Tau, Y: 0}, {X: r.Tau, Y: 1}}))
			n++
		}
	}
	if n > 0 {
		f.legend = append(f.legend, key{"τ chosen on val, each seed", []plot.Thumbnailer{lineSample{line: lineOf(2)}}})
	}
	f.panels = append(f.panels, p)
	f.Note = fmt.Sprintf("Mean over seeds, band ±1 sd. Dashed: F1 %.2f, FPR %.2f.", targetF1, targetFPR) +
		seedsOf([]Detector{d})
	return f
}
