package operating

import (
	"fmt"
	"slices"
	"strconv"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// The rates that are promised on val.
var (
	FPRTargets = []float64{0.05, 0.01, 0.005, 0.001}
	TPRTargets = []float64{0.95, 0.99}
)

// Point is a rate promised on val and what comes of it on a set: cells of both rates at the threshold from val.
type Point struct {
	Target   float64
	TPR, FPR *results.Cell
}

// AtFPR returns what a detector finds where its FPR on val is at most a target, threshold.ValFPR. A target below one row
// of the benign rows of val or of the set cannot be told from 0: it is undefined.
func AtFPR(in *results.Input, d results.Detector, set Set, target float64) Point {
	return at(in, d, set, target, func(val, test *View) (float64, string) {
		valBenign, _ := val.classes()
		benign, _ := test.classes()
		if reason := unresolvedFPR(target, valBenign, "benign val rows"); reason != "" {
			return 0, reason
		}
		if reason := unresolvedFPR(target, benign, "benign rows of "+set.Name); reason != "" {
			return 0, reason
		}
		c := threshold.Policy{Kind: threshold.ValFPR, Value: target}.Choose(val.Scores, val.Labels, nil)
		return c.Tau, c.Reason
	})
}

// AtTPR returns what a detector flags falsely where its recall on val is at least a target, at the largest threshold that
// keeps it: an injection's val score. What may be missed must be no less than one injection of val and of the set.
func AtTPR(in *results.Input, d results.Detector, set Set, target float64) Point {
	return at(in, d, set, target, func(val, test *View) (float64, string) {
		_, valInjection := val.classes()
		_, injection := test.classes()
		if reason := unresolvedTPR(target, valInjection, "val injections"); reason != "" {
			return 0, reason
		}
		if reason := unresolvedTPR(target, injection, "injections of "+set.Name); reason != "" {
			return 0, reason
		}
		return largestWithin(val, target)
	})
}

// unresolvedFPR says that a target is less than one of n rows; without rows the rates themselves say so.
func unresolvedFPR(target float64, n int, rows string) string {
	if n == 0 || 1/float64(n) <= target {
		return ""
	}
	return tooFine(target, n, rows)
}

// unresolvedTPR says that what a target lets pass is less than one of n rows.
func unresolvedTPR(target float64, n int, rows string) string {
	if n == 0 || float64(n-1)/float64(n) >= target {
		return ""
	}
	return tooFine(1-target, n, rows)
}

func tooFine(share float64, n int, rows string) string {
	return fmt.Sprintf("%s %% is less than one of %d %s (%s %%)", strconv.FormatFloat(100*share, 'g', 3, 64), n, rows,
		strconv.FormatFloat(100/float64(n), 'g', 3, 64))
}

// largestWithin returns the largest τ at which at least the target share of the injections is flagged.
func largestWithin(val *View, target float64) (tau float64, reason string) {
	var scores []float64
	for i, l := range val.Labels {
		if l == dataset.Injection {
			scores = append(scores, val.Scores[i])
		}
	}
	n := len(scores)
	if n == 0 {
		return 0, "val has no injection rows"
	}
	slices.Sort(scores)
	k := 1 // injections that must be flagged
	for float64(k)/float64(n) < target {
		k++
	}
	return scores[n-k], ""
}

func at(in *results.Input, d results.Detector, set Set, target float64,
	choose func(val, test *View) (float64, string)) Point {
	var tpr, fpr []Number
	for _, seed := range d.Seeds {
		val, test := LookAtVal(in, seed), Look(d, seed, set)
		tau, reason := 0.0, val.Reason
		if reason == "" && test.Reason == "" {
			tau, reason = choose(&val, &test)
		}
		if reason != "" {
			tpr, fpr = append(tpr, test.Undefined(reason)), append(fpr, test.Undefined(reason))
			continue
		}
		c := metrics.Count(test.Scores, test.Labels, tau)
		tpr, fpr = append(tpr, test.Of(c.Recall())), append(fpr, test.Of(c.FPR()))
	}
	return Point{target, Mean(d, "recall", tpr), Mean(d, "fpr", fpr)}
}
