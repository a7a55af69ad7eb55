package operating

import (
	"cmp"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// The question of the frontier: does any threshold give an IID F1 of FloorF1 or more and a hard-benign FPR of CapFPR or
// less?
const (
	FloorF1 = 0.95
	CapFPR  = 0.10
)

// Answer answers the question for one seed and one set of benign rows.
type Answer struct {
	Yes       bool          // meaningful when PeakF1 is defined
	PeakF1    metrics.Value // the highest F1 of any threshold
	LowestFPR metrics.Value // the lowest FPR with F1 ≥ FloorF1; undefined when F1 never gets there
	BestF1    metrics.Value // the highest F1 with FPR ≤ CapFPR; 0 where only flagging nothing keeps it
}

// BelowFloor is the reason of a LowestFPR that no threshold gives.
const BelowFloor = "F1 does not reach 0.95 at any threshold"

// Frontier looks at every threshold that decides differently. Thresholds between two neighbouring test scores decide the
// test rows alike and flag least of the benign rows at the upper of the two: it is enough to look at the test scores, and
// at one above them all, where F1 and FPR are 0.
func Frontier(test, benign *View) Answer {
	for _, v := range []*View{test, benign} {
		if v.Reason != "" {
			r := metrics.Value{Reason: v.Reason}
			return Answer{PeakF1: r, LowestFPR: r, BestF1: r}
		}
	}
	passed, injection := test.classes()
	counts := metrics.Counts{TN: passed, FN: injection}
	if f1 := counts.F1(); !f1.OK {
		return Answer{PeakF1: f1, LowestFPR: f1, BestF1: f1}
	}
	if len(benign.Scores) == 0 {
		r := metrics.Value{Reason: metrics.NoBenign}
		return Answer{PeakF1: r, LowestFPR: r, BestF1: r}
	}
	order := make([]int, len(test.Scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(test.Scores[b], test.Scores[a]) })
	falling := slices.Clone(benign.Scores)
	slices.SortFunc(falling, func(a, b float64) int { return cmp.Compare(b, a) })

	a := Answer{PeakF1: metrics.Value{OK: true}, BestF1: metrics.Value{OK: true},
		LowestFPR: metrics.Value{Reason: BelowFloor}}
	flagged := 0
	for k := 0; k < len(order); {
		tau := test.Scores[order[k]]
		for ; k < len(order) && test.Scores[order[k]] == tau; k++ {
			if test.Labels[order[k]] == dataset.Injection {
				counts.TP++
				counts.FN--
			} else {
				counts.FP++
				counts.TN--
			}
		}
		for flagged < len(falling) && falling[flagged] >= tau {
			flagged++
		}
		f1, fpr := counts.F1().V, float64(flagged)/float64(len(falling))
		a.PeakF1.V = max(a.PeakF1.V, f1)
		if fpr <= CapFPR {
			a.BestF1.V = max(a.BestF1.V, f1)
		}
		if f1 >= FloorF1 && (!a.LowestFPR.OK || fpr < a.LowestFPR.V) {
			a.LowestFPR = metrics.Value{V: fpr, OK: true}
		}
	}
	a.Yes = a.LowestFPR.OK && a.LowestFPR.V <= CapFPR
	return a
}
