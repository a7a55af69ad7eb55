package render

import (
	"fmt"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/operating"
	"pidsbench/internal/results"
)

// Verdict says in a sentence a detector, at the first policy, how far its false alarms on hard-benign rows of each
// provenance exceed those on ordinary text; nothing for baselines, and without both splits.
func Verdict(in *results.Input, r *results.Results) (lines []string) {
	sets := operating.HardBenign(in)
	excess, _ := operating.OverDefense(in, r, sets)
	if len(excess) == 0 {
		return nil
	}
	hard, ordinary := r.SplitOf(dataset.HardBenign), r.SplitOf(dataset.OrdinaryBenign)
	policy := r.Policies[0]
	for _, i := range aboveTheLine(r) {
		d := r.Detectors[i]
		control := r.Mean(d.ID, ordinary.Name, "all", "fpr", policy)
		var parts []string
		for k, set := range sets {
			slice := "all"
			if len(sets) > 1 {
				slice = strings.ToLower(strings.TrimPrefix(set.Name, "Hard-benign "))
				slice = "provenance=" + slice
			}
			rate := r.Mean(d.ID, hard.Name, slice, "fpr", policy)
			if e := excess[0][i][k]; e.Value != nil && rate != nil && rate.Value != nil {
				words := e.Verdict()
				if words == operating.Undecided {
					words += " from ordinary"
				}
				parts = append(parts, fmt.Sprintf("%.1f %% of %s rows (%+.1f points [%+.1f, %+.1f]: %s)", 100**rate.Value,
					strings.ToLower(set.Name), 100**e.Value, 100**e.Lo, 100**e.Hi, words))
			}
		}
		if len(parts) > 0 && control != nil && control.Value != nil {
			found := ""
			if iid := r.SplitOf(dataset.IID); iid != nil {
				if recall := r.Mean(d.ID, iid.Name, "all", "recall", policy); recall != nil && recall.Value != nil {
					found = fmt.Sprintf("finds %.1f %% of the attacks of %s, and ", 100**recall.Value, iid.Name)
				}
			}
			lines = append(lines, fmt.Sprintf("%s %sflags %.1f %% of ordinary texts, %s.", Printable(d.Name), found,
				100**control.Value, strings.Join(parts, " and ")))
		}
	}
	if len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("At threshold %s; in brackets the difference from ordinary texts with its 95 %% interval.", policy))
	}
	return lines
}
