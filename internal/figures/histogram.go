package figures

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bins is the number of equal bins of a histogram of scores.
const bins = 50

// Bins returns the share of the scores in each of n equal bins of [0, 1]; a score of 1 lies in the last. Without scores
// all are 0.
func Bins(scores []float64, n int) []float64 {
	shares := make([]float64, n)
	for _, s := range scores {
		shares[min(max(int(s*float64(n)), 0), n-1)] += 1
	}
	for i := range shares {
		if len(scores) > 0 {
			shares[i] /= float64(len(scores))
		}
	}
	return shares
}

// Histograms draws for each detector how its scores of hard-benign rows lie, seeds put together.
func Histograms(detectors []Detector) (f *Figure, without []string) {
	f = &Figure{Name: "scores", Title: "Scores of hard-benign texts from real sources", cols: 2}
	floor := 1.0
	var shown []Detector
	var shares [][]float64
	for _, d := range detectors {
		var hard []Sample
		for _, r := range d.Runs {
			hard = append(hard, r.Hard)
		}
		all := join(hard)
		if len(all.Scores) == 0 {
			without = append(without, d.Name)
			continue
		}
		of := Bins(all.Scores, bins)
		for _, share := range of {
			if share > 0 {
				floor = min(floor, share)
			}
		}
		shown, shares = append(shown, d), append(shares, of)
	}
	if len(shown) == 0 {
		return nil, without
	}
	floor = max(math.Pow(10, math.Floor(math.Log10(floor*0.999))), 1e-4)
	rows := (len(shown) + 1) / 2
	for i, d := range shown {
		x, y := "", ""
		if i >= len(shown)-2 {
			x = "score"
		}
		if i%2 == 0 {
			y = "share of rows"
		}
		p := newPanel(x, y, unit(), decades(floor))
		p.Y.Scale = plot.LogScale{}
		p.title = d.Name
		for k, share := range shares[i] {
			if share > floor {
				p.Add(bar{float64(k) / bins, float64(k+1) / bins, share, fill{color: color.Gray{175}}})
			}
		}
		for _, r := range d.Runs {
			if !math.IsNaN(r.Tau) {
				p.Add(line(tauLine, plotter.XYs{{X: r.Tau, Y: floor}, {X: r.Tau, Y: 1}}))
			}
		}
		f.panels = append(f.panels, p)
	}
	if len(shown) == 1 {
		f.cols = 1
	}
	f.height = vg.Length(max(rows, 2)) * 4.4 * vg.Centimeter
	f.legend = []key{{"share of rows in the bin", []plot.Thumbnailer{fill{color: color.Gray{175}}}},
		{"threshold chosen on val, each seed", []plot.Thumbnailer{lineSample{line: tauLine}}}}
	f.Note = fmt.Sprintf("%d bins, logarithmic height. A score at or above the threshold is a false alarm.", bins) +
		seedsOf(shown)
	return f, without
}

var tauLine = draw.LineStyle{Color: looks[2].color, Width: 1, Dashes: []vg.Length{3, 2}}

// decades is a logarithmic range of shares up to 1.
func decades(floor float64) span {
	s := span{lo: floor, hi: 1}
	for e := math.Round(math.Log10(floor)); e <= 0; e++ {
		s.ticks = append(s.ticks, plot.Tick{Value: math.Pow(10, e), Label: fmt.Sprintf("%g", math.Pow(10, e))})
	}
	return s
}
