package calibration

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/operating"
	"pidsbench/internal/results"
)

// Kinds names what is done to scores before they are measured, in the order of Result.Rows.
var Kinds = []string{"raw", "temperature", "Platt", "isotonic"}

// Row holds what scores of one kind are worth: on the test set how far they are probabilities, on hard-benign rows their
// mean and the FPR at one half.
type Row struct {
	Brier, ECE, ConfidenceECE, LogLoss *results.Cell
	HardMean, HardFPR                  *results.Cell
}

// Result is the calibration of a detector, as the mean over its seeds, each with its own fits on val.
type Result struct {
	Rows                                  []Row // one of each of Kinds
	Temperature, Slope, Intercept, Points *results.Cell
}

// fit is what val gives for one seed; a reason stands in place of what cannot be fitted.
type fit struct {
	maps    []Map // of each kind
	reasons []string

	temperature, slope, intercept, points metrics.Value
}

func fitTo(val operating.View) fit {
	f := fit{maps: make([]Map, len(Kinds)), reasons: make([]string, len(Kinds))}
	f.maps[0] = func(p float64) float64 { return p }
	if val.Reason != "" {
		for k := 1; k < len(Kinds); k++ {
			f.reasons[k] = val.Reason
		}
		none := metrics.Value{Reason: val.Reason}
		f.temperature, f.slope, f.intercept, f.points = none, none, none, none
		return f
	}
	value := func(v float64, reason string) metrics.Value {
		if reason != "" {
			return metrics.Value{Reason: reason}
		}
		return metrics.Value{V: v, OK: true}
	}
	t, reason := Temperature(val.Scores, val.Labels)
	f.temperature, f.maps[1], f.reasons[1] = value(t, reason), Tempered(t), reason
	slope, intercept, reason := Platt(val.Scores, val.Labels)
	f.slope, f.intercept = value(slope, reason), value(intercept, reason)
	f.maps[2], f.reasons[2] = Platted(slope, intercept), reason
	steps, reason := Isotonic(val.Scores, val.Labels)
	f.points, f.maps[3], f.reasons[3] = value(float64(len(steps.X)), reason), steps.At, reason
	return f
}

// Measure returns the calibration of a detector on a set with both classes and on hard-benign rows, nil where there are
// none.
func Measure(in *results.Input, d results.Detector, test operating.Set, hard *operating.Set) Result {
	type numbers struct{ brier, ece, confidence, loss, mean, fpr []operating.Number }
	of := make([]numbers, len(Kinds))
	var temperature, slope, intercept, points []operating.Number
	for _, seed := range d.Seeds {
		val := operating.LookAtVal(in, seed)
		f := fitTo(val)
		temperature, slope = append(temperature, val.Of(f.temperature)), append(slope, val.Of(f.slope))
		intercept, points = append(intercept, val.Of(f.intercept)), append(points, val.Of(f.points))
		v := operating.Look(d, seed, test)
		var h operating.View
		if hard != nil {
			h = operating.Look(d, seed, *hard)
		} else {
			h.Reason = "there is no hard-benign split"
		}
		for k := range of {
			n := &of[k]
			if reason := f.reasons[k]; reason != "" {
				none, alike := v.Undefined(reason), h.Undefined(reason)
				n.brier, n.ece, n.confidence, n.loss = append(n.brier, none), append(n.ece, none), append(n.confidence, none),
					append(n.loss, none)
				n.mean, n.fpr = append(n.mean, alike), append(n.fpr, alike)
				continue
			}
			p := apply(f.maps[k], v.Scores)
			n.brier = append(n.brier, v.Of(metrics.Brier(p, v.Labels)))
			n.ece = append(n.ece, v.Of(ECE(p, v.Labels, Bins)))
			n.confidence = append(n.confidence, v.Of(ConfidenceECE(p, v.Labels, Bins)))
			n.loss = append(n.loss, v.Of(metrics.LogLoss(p, v.Labels, Clip)))
			q := apply(f.maps[k], h.Scores)
			n.mean = append(n.mean, h.Of(meanScore(q)))
			n.fpr = append(n.fpr, h.Of(metrics.Count(q, h.Labels, 0.5).FPR()))
		}
	}
	r := Result{
		Temperature: operating.Mean(d, "temperature", temperature), Slope: operating.Mean(d, "platt_slope", slope),
		Intercept: operating.Mean(d, "platt_intercept", intercept), Points: operating.Mean(d, "isotonic_points", points),
	}
	for _, n := range of {
		r.Rows = append(r.Rows, Row{
			operating.Mean(d, "brier", n.brier), operating.Mean(d, "ece", n.ece),
			operating.Mean(d, "ece_confidence", n.confidence), operating.Mean(d, "log_loss", n.loss),
			operating.Mean(d, "mean_score", n.mean), operating.Mean(d, "fpr", n.fpr),
		})
	}
	return r
}

// OfSet counts what one seed of a detector gives in bins; the view says why there is nothing.
func OfSet(d results.Detector, seed results.Seed, set operating.Set) ([]Bin, operating.View) {
	v := operating.Look(d, seed, set)
	return Reliability(v.Scores, v.Labels, Bins), v
}

func apply(m Map, scores []float64) []float64 {
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = m(s)
	}
	return out
}

func meanScore(scores []float64) metrics.Value {
	if len(scores) == 0 {
		return metrics.Value{Reason: metrics.NoRows}
	}
	return metrics.Value{V: mean(scores), OK: true}
}

// HardBenign returns all rows of the hard-benign split, nil when there is none.
func HardBenign(in *results.Input) *operating.Set {
	s := operating.First(in, dataset.HardBenign)
	if s == nil {
		return nil
	}
	return new(operating.SetOf(in, *s, "hard-benign", "", ""))
}
