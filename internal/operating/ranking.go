package operating

import (
	"strconv"

	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
)

// Cap is the FPR up to which the partial AUC counts.
const Cap = 0.1

// Ranking says how well scores put injections above benign rows of a set, at no threshold.
type Ranking struct {
	AUC, AveragePrecision *results.Cell
	Floor                 *results.Cell // of the average precision: the share of injections
	Partial, Standardised *results.Cell // AUC up to an FPR of Cap: share of the largest area, and McClish's
}

// Rank measures the ranking of a detector on a set.
func Rank(d results.Detector, set Set) Ranking {
	var auc, precision, floor, partial, standardised []Number
	for _, seed := range d.Seeds {
		v := Look(d, seed, set)
		share, mcclish := metrics.PartialAUC(v.Scores, v.Labels, Cap)
		ap := metrics.AveragePrecision(v.Scores, v.Labels)
		least := ap
		if _, injection := v.classes(); ap.OK {
			least.V = float64(injection) / float64(len(v.Scores))
		}
		auc = append(auc, v.Of(metrics.ROCAUC(v.Scores, v.Labels)))
		precision, floor = append(precision, v.Of(ap)), append(floor, v.Of(least))
		partial, standardised = append(partial, v.Of(share)), append(standardised, v.Of(mcclish))
	}
	r := Ranking{Mean(d, "roc_auc", auc), Mean(d, "average_precision", precision), Mean(d, "prevalence", floor),
		Mean(d, "partial_auc", partial), Mean(d, "partial_auc_standardised", standardised)}
	r.Floor.SD, r.Floor.NExposed = nil, 0 // it is the set's, not the detector's
	return r
}

// Taus returns the threshold of each seed under a policy, or why there is none.
func Taus(d results.Detector, sum results.DetectorSummary, policy string) (taus []float64, reason string) {
	if d.Unavailable != "" {
		return nil, d.Unavailable
	}
	for _, seed := range d.Seeds {
		tau, ok := sum.Tau[policy][strconv.Itoa(seed.Seed)]
		if !ok {
			if reason = sum.NoTau[policy]; reason == "" {
				reason = "there is no threshold"
			}
			return nil, reason
		}
		taus = append(taus, tau)
	}
	return taus, ""
}

// AtTaus returns the mean of a rate over the seeds, each at its own threshold; reason says why there are none.
func AtTaus(d results.Detector, set Set, taus []float64, reason, metric string,
	rate func(metrics.Counts) metrics.Value) *results.Cell {
	var numbers []Number
	for i, seed := range d.Seeds {
		v := Look(d, seed, set)
		if reason != "" {
			numbers = append(numbers, v.Undefined(reason))
		} else {
			numbers = append(numbers, v.Of(rate(metrics.Count(v.Scores, v.Labels, taus[i]))))
		}
	}
	return Mean(d, metric, numbers)
}
