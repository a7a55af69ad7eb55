package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"pidsbench/internal/metrics"
)

// ROC returns the points of the curve (FPR, TPR) of a sample, from (0, 0) to (1, 1): one for each distinct score, less
// those that lie between two others on a straight line. It is empty unless both classes have rows.
func ROC(s Sample) plotter.XYs {
	var points plotter.XYs
	eachCut(s, func(c metrics.Counts) {
		points = append(points, plotter.XY{X: c.FPR().V, Y: c.Recall().V})
	})
	return straighten(points)
}

// PR returns the points of the curve (recall, precision) of a sample in rising recall, one for each distinct score. It
// is empty unless both classes have rows.
func PR(s Sample) plotter.XYs {
	var points plotter.XYs
	eachCut(s, func(c metrics.Counts) {
		if p := c.Precision(); p.OK {
			points = append(points, plotter.XY{X: c.Recall().V, Y: p.V})
		}
	})
	return points
}

// AveragePrecision returns Σ (R_k − R_{k−1})·P_k over the points of PR: the area under the curve drawn as steps.
func AveragePrecision(points plotter.XYs) float64 {
	area, before := 0.0, 0.0
	for _, p := range points {
		area += float64((p.X - before) * p.Y)
		before = p.X
	}
	return area
}

// eachCut calls the function with the counts of each threshold that makes a difference, from flagging nothing to
// flagging all.
func eachCut(s Sample, f func(metrics.Counts)) {
	benign, injection := s.byClass()
	if len(benign) == 0 || len(injection) == 0 {
		return
	}
	cuts := slices.Clone(s.Scores)
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	f(counts(benign, injection, math.Inf(1)))
	for _, tau := range slices.Backward(cuts) {
		f(counts(benign, injection, tau))
	}
}

// straighten leaves out points between two others with the same x or the same y.
func straighten(points plotter.XYs) plotter.XYs {
	var kept plotter.XYs
	for i, p := range points {
		if n := len(kept); n > 0 && i+1 < len(points) {
			before, next := kept[n-1], points[i+1]
			if before.X == p.X && p.X == next.X || before.Y == p.Y && p.Y == next.Y {
				continue
			}
		}
		kept = append(kept, p)
	}
	return kept
}

// lowest is the FPR at which the logarithmic panel of the ROC curves begins.
const lowest = 0.001

// ROCCurves draws the ROC curves of the detectors' first seeds on the IID test split, twice: over all of the FPR, and
// with a logarithmic axis that shows the low ones.
func ROCCurves(detectors []Detector) (f *Figure, without []string) {
	f = &Figure{Name: "roc", Title: "ROC curves on the IID test split", cols: 2, height: 9.4 * usual / 10}
	full := newPanel("false-positive rate", "true-positive rate", unit(), unit())
	full.Add(rule(0, 0, 1, 1))
	low := newPanel("false-positive rate, from 0.001", "", logarithmic(), unit())
	low.X.Scale = plot.LogScale{}
	chance := make(plotter.XYs, 0, 61)
	for k := range 61 {
		x := math.Pow(10, -3+float64(k)/20)
		chance = append(chance, plotter.XY{X: x, Y: x})
	}
	low.Add(line(ruleLine, chance))
	var seeds []int
	for _, d := range detectors {
		if len(d.Runs) == 0 || len(ROC(d.Runs[0].Test)) == 0 {
			without = append(without, d.Name)
			continue
		}
		i := len(seeds)
		seeds = append(seeds, d.Runs[0].Seed)
		points := ROC(d.Runs[0].Test)
		full.Add(line(lineOf(i), thin(points)))
		low.Add(line(lineOf(i), fromLowest(points)))
		auc := metrics.ROCAUC(d.Runs[0].Test.Scores, d.Runs[0].Test.Labels)
		f.legend = append(f.legend, key{fmt.Sprintf("%s, AUC %.4f", d.Name, auc.V),
			[]plot.Thumbnailer{lineSample{line: lineOf(i)}}})
	}
	if len(seeds) == 0 {
		return nil, without
	}
	f.panels = []*panel{full, low}
	f.Note = "One seed a detector, its first (" + numbers(seeds) +
		"). Right: the same curves, FPR from 0.001 on a logarithmic axis. " +
		"Dashed: chance."
	return f, without
}

// fromLowest cuts a ROC curve at the left end of the logarithmic panel.
func fromLowest(points plotter.XYs) plotter.XYs {
	at := 0.0 // the highest TPR at an FPR of at most lowest
	var kept plotter.XYs
	for _, p := range points {
		if p.X <= lowest {
			at = p.Y
		} else {
			kept = append(kept, p)
		}
	}
	return append(plotter.XYs{{X: lowest, Y: at}}, kept...)
}

func logarithmic() span {
	s := span{lo: lowest, hi: 1}
	for _, decade := range []float64{0.001, 0.01, 0.1, 1} {
		s.ticks = append(s.ticks, plot.Tick{Value: decade, Label: strconv.FormatFloat(decade, 'g', -1, 64)})
		for k := 2.0; k < 10 && decade < 1; k++ {
			s.ticks = append(s.ticks, plot.Tick{Value: decade * k})
		}
	}
	return s
}

// numbers lists the distinct seeds.
func numbers(seeds []int) string {
	seeds = slices.Clone(seeds)
	slices.Sort(seeds)
	out := ""
	for i, s := range slices.Compact(seeds) {
		if i > 0 {
			out += ", "
		}
		out += strconv.Itoa(s)
	}
	return out
}

// PRCurves draws precision against recall of the detectors' first seeds on the IID test split.
func PRCurves(detectors []Detector) (f *Figure, without []string) {
	f = &Figure{Name: "pr", Title: "Precision and recall on the IID test split"}
	var seeds []int
	var curves []plotter.XYs
	floor := 0.0
	for _, d := range detectors {
		var points plotter.XYs
		if len(d.Runs) > 0 {
			points = PR(d.Runs[0].Test)
		}
		if points == nil {
			without = append(without, d.Name)
			continue
		}
		benign, injection := d.Runs[0].Test.byClass()
		floor = float64(len(injection)) / float64(len(benign)+len(injection))
		i := len(seeds)
		seeds, curves = append(seeds, d.Runs[0].Seed), append(curves, points)
		f.legend = append(f.legend, key{fmt.Sprintf("%s, AP %.4f", d.Name, AveragePrecision(points)),
			[]plot.Thumbnailer{lineSample{line: lineOf(i)}}})
	}
	if len(seeds) == 0 {
		return nil, without
	}
	low := math.Floor(floor*10) / 10
	for _, points := range curves {
		for _, p := range points {
			if p.X > 0.02 { // the first few flagged rows leap
				low = min(low, math.Floor(p.Y*10)/10)
			}
		}
	}
	p := newPanel("recall", "precision", unit(), steps(low, 1, int(math.Round((1-low)*10)), 1))
	p.Add(rule(0, floor, 1, floor))
	for i, points := range curves {
		l := line(lineOf(i), thin(points))
		l.line.StepStyle = plotter.PreStep
		p.Add(l)
	}
	f.panels = append(f.panels, p)
	f.Note = fmt.Sprintf("One seed a detector, its first (%s). AP: average precision, the area under the steps. "+
		"Dashed: the share of "+
		"injections, %.3f, which is what chance gives.", numbers(seeds), floor)
	return f, without
}
