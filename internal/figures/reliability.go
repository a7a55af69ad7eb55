package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"pidsbench/internal/dataset"
)

// calibrationBins is the number of equal bins of a reliability diagram.
const calibrationBins = 15

// Bin is a bin of a reliability diagram: the rows in it, the mean of their scores, the share of injections.
type Bin struct {
	N                int
	Score, Injection float64
}

// Reliability returns the bins of a sample that have rows, of n equal ones of [0, 1], in rising order of the score.
func Reliability(s Sample, n int) []Bin {
	rows, sum, injections := make([]int, n), make([]float64, n), make([]int, n)
	for i, score := range s.Scores {
		k := min(max(int(score*float64(n)), 0), n-1)
		rows[k]++
		sum[k] += score
		if s.Labels[i] == dataset.Injection {
			injections[k]++
		}
	}
	var of []Bin
	for k, m := range rows {
		if m > 0 {
			of = append(of, Bin{m, sum[k] / float64(m), float64(injections[k]) / float64(m)})
		}
	}
	return of
}

// few is the number of rows below which a bin says little.
const few = 30

// Reliabilities draws for each detector whether its scores are the probabilities that they look like: the share of
// injections against the mean score, seeds put together.
func Reliabilities(detectors []Detector) (f *Figure, without []string) {
	f = &Figure{Name: "reliability", Title: "Reliability of scores on the IID test split", cols: 3}
	hollow := markerOf(3)
	hollow.Color = looks[0].color
	for _, d := range detectors {
		var test []Sample
		for _, r := range d.Runs {
			test = append(test, r.Test)
		}
		of := Reliability(join(test), calibrationBins)
		if len(of) == 0 {
			without = append(without, d.Name)
			continue
		}
		y := ""
		if len(f.panels)%3 == 0 {
			y = "share of injections"
		}
		p := newPanel("mean score", y, unit(), unit())
		p.title = d.Name
		p.Add(rule(0, 0, 1, 1))
		var all, many, thin plotter.XYs
		for _, b := range of {
			at := plotter.XY{X: b.Score, Y: b.Injection}
			all = append(all, at)
			if b.N < few {
				thin = append(thin, at)
			} else {
				many = append(many, at)
			}
		}
		p.Add(line(lineOf(0), all), markers{many, markerOf(0)}, markers{thin, hollow})
		f.panels = append(f.panels, p)
	}
	if len(f.panels) == 0 {
		return nil, without
	}
	f.cols = min(3, len(f.panels))
	f.height = vg.Length((len(f.panels)+2)/3)*5*vg.Centimeter + 2*vg.Centimeter
	f.legend = []key{{"bin", []plot.Thumbnailer{lineSample{line: lineOf(0), marker: markerOf(0)}}},
		{fmt.Sprintf("bin of fewer than %d rows", few), []plot.Thumbnailer{lineSample{line: lineOf(0), marker: hollow}}}}
	var shown []Detector
	for _, d := range detectors {
		if len(d.Runs) > 0 {
			shown = append(shown, d)
		}
	}
	f.Note = fmt.Sprintf("%d equal bins of the score. Dashed: calibrated scores; below it scores promise too much.",
		calibrationBins) + seedsOf(shown)
	return f, without
}
