package comparison

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/stats"
)

// exact takes what only rounding has left of a difference for 0: means over other numbers of runs are rounded otherwise.
func exact(diff float64) float64 {
	if math.Abs(diff) < 1e-12 {
		return 0
	}
	return diff
}

// bootstrap fills in what the resampled differences tell, those left out in which one of the two has no value.
func (r *Result) bootstrap(diffs []float64) {
	kept, ok := stats.Defined(diffs)
	var below, above int // at or below 0, at or above 0
	for i, v := range kept {
		v = exact(v)
		kept[i] = v
		if v <= 0 {
			below++
		}
		if v >= 0 {
			above++
		}
	}
	if r.Undefined = len(diffs) - len(kept); !ok {
		r.NoInterval = fmt.Sprintf("%d of %d resamples leave the metric undefined", r.Undefined, len(diffs))
		return
	}
	lo, hi := stats.Percentile(kept)
	r.Interval, r.SE = &Interval{lo, hi}, new(standardError(kept))
	if *r.SE > 0 {
		r.MDE = new(power * *r.SE)
	}
	r.P = new(bootstrapP(min(below, above), len(kept)))
}

// standardError returns the standard deviation of resampled values, exactly 0 when all are the same.
func standardError(values []float64) float64 {
	for _, v := range values {
		if v != values[0] {
			return stat.StdDev(values, nil)
		}
	}
	return 0
}

// bootstrapP returns the two-sided p-value of a difference of 0: twice the share of the resamples on the smaller side of
// it, both sides with 0, the observed sample counted as one more so that it is never 0 (Davison and Hinkley 1997,
// "Bootstrap Methods and their Application", section 4.2). A percentile interval at 1 − p just reaches 0.
func bootstrapP(smaller, resamples int) float64 {
	return min(1, 2*float64(1+smaller)/float64(1+resamples))
}

// power times a standard error is the difference that a two-sided test at 5 % finds with a probability of 80 %: the 0.975
// and the 0.8 quantile of the normal distribution, 1.96 + 0.84 (Bloom 1995, "Minimum detectable effects", Evaluation
// Review 19).
const power = stats.Z + 0.8416212335729143

// seeds fills in what the differences of the runs tell.
func (r *Result) seeds(diffs []float64, paired bool) {
	if len(diffs) < 2 {
		r.NoT = "there is one run of each"
		return
	}
	sd := stat.StdDev(diffs, nil)
	r.SeedSD = &sd
	if r.Interval != nil {
		r.Joint = joint(*r.Diff, *r.Interval, sd, len(diffs))
	}
	t, ok := stats.PairedT(diffs)
	if !ok {
		r.NoT = "all differences are 0"
		return
	}
	r.T = &TTest{Kind: "paired", DF: t.DF, P: t.P}
	if !paired {
		r.T.Kind = "one-sample"
	}
	if !math.IsInf(t.T, 0) {
		r.T.T = &t.T
	}
}

// joint returns the interval of a difference for other rows and other seeds: on each side the width of the bootstrap's
// interval, which holds the seeds fixed, and the half width t(n−1)·sd/√n of that of n seeds, which holds the rows fixed,
// in quadrature (Zou and Donner 2008, "Construction of confidence limits about effect measures", Statistics in Medicine
// 27). It takes both sources as independent and their effects as additive, and the differences of seeds as normal.
func joint(d float64, rows Interval, sd float64, n int) *Interval {
	seeds := stats.TQuantile(n-1) * sd / math.Sqrt(float64(n))
	return &Interval{d - math.Hypot(max(0, d-rows.Lo), seeds), d + math.Hypot(max(0, rows.Hi-d), seeds)}
}
