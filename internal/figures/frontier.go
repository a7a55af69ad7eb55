package figures

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"pidsbench/internal/threshold"
)

// Run is what one seed of a detector scored: the IID test split, hard-benign rows, and the threshold chosen on val (NaN
// where there is none).
type Run struct {
	Seed int
	Test Sample
	Hard Sample
	Tau  float64
}

// Detector is a detector's runs under the name that figures show.
type Detector struct {
	ID   string
	Name string
	Runs []Run
}

// Point is what one threshold gives: means over the seeds and sample standard deviations (ddof 1; 0 for one seed).
type Point struct{ Tau, FPR, FPRSD, F1, F1SD float64 }

// The targets that a detector is asked to meet together.
const (
	targetF1  = 0.95
	targetFPR = 0.10
)

// Sweep returns the trade-off of the thresholds 0, 0.002, … 1, the grid on which val_f1 chooses. It is empty unless
// every run has test rows of both classes and hard-benign rows.
func Sweep(runs []Run) []Point {
	if !swept(runs) {
		return nil
	}
	f1, fpr := make([][]float64, threshold.GridSteps+1), make([][]float64, threshold.GridSteps+1)
	for _, r := range runs {
		benign, injection := r.Test.byClass()
		hard, _ := r.Hard.byClass()
		for k := range f1 {
			tau := float64(k) / threshold.GridSteps
			f1[k] = append(f1[k], counts(benign, injection, tau).F1().V)
			fpr[k] = append(fpr[k], counts(hard, nil, tau).FPR().V)
		}
	}
	points := make([]Point, len(f1))
	for k := range points {
		points[k] = Point{Tau: float64(k) / threshold.GridSteps, FPR: stat.Mean(fpr[k], nil), F1: stat.Mean(f1[k], nil)}
		if len(runs) > 1 {
			points[k].FPRSD, points[k].F1SD = stat.StdDev(fpr[k], nil), stat.StdDev(f1[k], nil)
		}
	}
	return points
}

func swept(runs []Run) bool {
	for _, r := range runs {
		benign, injection := r.Test.byClass()
		if len(benign) == 0 || len(injection) == 0 || len(r.Hard.Scores) == 0 {
			return false
		}
	}
	return len(runs) > 0
}

// tuned returns the place of each run's own threshold.
func tuned(runs []Run) plotter.XYs {
	var at plotter.XYs
	for _, r := range runs {
		if math.IsNaN(r.Tau) {
			continue
		}
		benign, injection := r.Test.byClass()
		hard, _ := r.Hard.byClass()
		at = append(at, plotter.XY{X: counts(hard, nil, r.Tau).FPR().V, Y: counts(benign, injection, r.Tau).F1().V})
	}
	return at
}

// Frontier draws what each detector trades: hard-benign false alarms of real texts against IID F1, a curve over all
// thresholds. Detectors that lack rows are returned as left out.
func Frontier(detectors []Detector) (f *Figure, without []string) {
	f = &Figure{Name: "frontier", Title: "What a threshold trades: hard-benign false alarms against IID F1"}
	var curves [][]Point
	var shown []Detector
	floor := 0.6
	for _, d := range detectors {
		points := Sweep(d.Runs)
		if points == nil {
			without = append(without, d.Name)
			continue
		}
		best := 0.0
		for _, p := range points {
			best = max(best, p.F1)
		}
		floor = min(floor, math.Floor(best*10-3)/10)
		curves, shown = append(curves, points), append(shown, d)
	}
	if len(shown) == 0 {
		return nil, without
	}
	floor = max(floor, 0)
	p := newPanel("hard-benign FPR, texts from real sources", "IID test F1", unit(), steps(floor, 1,
		int(math.Round((1-floor)*10)), 1))
	for i, points := range curves {
		if len(shown[i].Runs) > 1 {
			p.Add(area{band(points), bandOf(i)})
		}
	}
	p.Add(rule(targetFPR, floor, targetFPR, 1), rule(0, targetF1, 1, targetF1))
	for i, points := range curves {
		xys := make(plotter.XYs, len(points))
		for k, pt := range points {
			xys[k] = plotter.XY{X: pt.FPR, Y: pt.F1}
		}
		p.Add(line(lineOf(i), thin(xys)))
	}
	for i, d := range shown {
		p.Add(markers{tuned(d.Runs), markerOf(i)})
		f.legend = append(f.legend, detectorKey(i, d.Name))
	}
	f.panels = append(f.panels, p)
	f.Note = fmt.Sprintf("Curve: mean over seeds at each threshold; band: ±1 sd of the FPR over seeds. Marker: the threshold "+
		"of each seed, chosen on val (val_f1). Dashed: FPR %.2f and F1 %.2f; the corner above and left of both "+
		"meets both targets.",
		targetFPR, targetF1)
	f.Note += seedsOf(shown)
	return f, without
}

// band is the outline of ±1 sd of the FPR around a curve.
func band(points []Point) plotter.XYs {
	var left, right plotter.XYs
	for _, p := range points {
		left = append(left, plotter.XY{X: max(p.FPR-p.FPRSD, 0), Y: p.F1})
		right = append(right, plotter.XY{X: min(p.FPR+p.FPRSD, 1), Y: p.F1})
	}
	left, right = thin(left), thin(right)
	for i := len(right) - 1; i >= 0; i-- {
		left = append(left, right[i])
	}
	return left
}

// thin leaves out points that cannot be told from the one before, so that files stay small.
func thin(xys plotter.XYs) plotter.XYs {
	const least = 5e-4
	var kept plotter.XYs
	for i, p := range xys {
		if n := len(kept); n == 0 || i == len(xys)-1 || math.Hypot(p.X-kept[n-1].X, p.Y-kept[n-1].Y) >= least {
			kept = append(kept, p)
		}
	}
	return kept
}

// seedsOf says how many seeds the detectors have: the most common number, then the exceptions.
func seedsOf(detectors []Detector) string {
	with := map[int][]string{}
	common := 0
	for _, d := range detectors {
		n := len(d.Runs)
		with[n] = append(with[n], d.Name)
		if len(with[n]) > len(with[common]) || len(with[n]) == len(with[common]) && n > common {
			common = n
		}
	}
	s := fmt.Sprintf(" Seeds: %d", common)
	for _, n := range slices.Sorted(maps.Keys(with)) {
		if n != common {
			s += fmt.Sprintf("; %d for %s", n, strings.Join(with[n], ", "))
		}
	}
	return s + "."
}
