package figures

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Pool is what a detector does that was trained with a pool of hard negatives: the hard-benign FPR of each seed.
type Pool struct {
	Size int
	FPR  []float64
}

// Pools is a detector's sweep over sizes of the pool, in rising size.
type Pools struct {
	Name  string
	Sizes []Pool
}

// PoolSweep draws the hard-benign FPR of real texts against the number of hard negatives in training.
func PoolSweep(sweeps []Pools) *Figure {
	if len(sweeps) == 0 {
		return nil
	}
	f := &Figure{Name: "pools", Title: "Hard negatives in training and false alarms on texts from real sources"}
	top, last := targetFPR, 0
	for _, s := range sweeps {
		for _, pool := range s.Sizes {
			m, sd := meanSD(pool.FPR)
			top, last = max(top, m+sd), max(last, pool.Size)
		}
	}
	x := span{lo: -10, hi: float64(last) + 10}
	for _, s := range sweeps {
		for _, pool := range s.Sizes {
			tick := plot.Tick{Value: float64(pool.Size), Label: strconv.Itoa(pool.Size)}
			if !hasTick(x.ticks, tick) {
				x.ticks = append(x.ticks, tick)
			}
		}
	}
	p := newPanel("hard negatives in training", "hard-benign FPR, real sources", x, toTenth(top))
	p.Add(rule(x.lo, targetFPR, x.hi, targetFPR))
	for i, s := range sweeps {
		var at plotter.XYs
		shift := 2.5 * (float64(i) - float64(len(sweeps)-1)/2) // so that whiskers do not lie on one another
		for _, pool := range s.Sizes {
			m, sd := meanSD(pool.FPR)
			at = append(at, plotter.XY{X: float64(pool.Size) + shift, Y: m})
			if len(pool.FPR) > 1 {
				p.Add(whisker{x: float64(pool.Size) + shift, lo: max(m-sd, 0), hi: m + sd,
					style: draw.LineStyle{Color: looks[i].color, Width: 0.9}})
			}
		}
		p.Add(line(lineOf(i), at), markers{at, markerOf(i)})
		f.legend = append(f.legend, detectorKey(i, s.Name))
	}
	f.panels = append(f.panels, p)
	f.Note = fmt.Sprintf("Mean over seeds at the threshold chosen on val (val_f1); whiskers: ±1 sd over seeds. "+
		"Dashed: FPR %.2f.",
		targetFPR)
	return f
}

func hasTick(ticks []plot.Tick, t plot.Tick) bool {
	for _, other := range ticks {
		if other.Value == t.Value {
			return true
		}
	}
	return false
}

// meanSD returns the mean and the sample standard deviation (ddof 1), which is 0 for one value.
func meanSD(values []float64) (mean, sd float64) {
	if len(values) < 2 {
		return stat.Mean(values, nil), 0
	}
	return stat.MeanStdDev(values, nil)
}
