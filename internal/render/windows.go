package render

import (
	"fmt"
	"math"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/slicing"
	"pidsbench/internal/stats"
)

// firstWindow is the window mode in which detectors see the first window alone.
const firstWindow = "truncate"

// Windows returns, for the first policy, what detectors say of the texts that are longer than their window: from the
// first window alone, and from the highest score of all windows. It is nil without the outcomes of the other window mode.
func Windows(in *results.Input, r *results.Results) []Table {
	if len(r.Policies) == 0 || in.Other == nil {
		return nil
	}
	t := Table{ID: "windows", Title: title(r, "The first window alone beside all windows, on longer texts", r.Policies[0]),
		Policy: r.Policies[0], Left: 2, Source: Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit},
		Columns: []string{"Detector", "Split", "Longer", "Benign", "FPR first", "FPR all", "FPR gained",
			"Attacks", "Recall first", "Recall all", "Recall gained"}}
	shown := 0
	for _, s := range in.Splits {
		if s.Absent == "" && !s.External {
			shown++
		}
	}
	var gaps, short []gap // heads are splits
	for i, d := range r.Detectors {
		if d.Baseline {
			continue
		}
		var group []Row
		for _, s := range in.Splits {
			if s.Absent != "" || s.External {
				continue
			}
			row, reason := readings(in, r, i, s.Data)
			switch {
			case reason != "":
				gaps = addGap(gaps, d.Name+"\x00"+reason, s.Spec.Name, d.Name)
			case row == nil:
				short = addGap(short, d.Name, s.Spec.Name, d.Name)
			default:
				group = append(group, row)
			}
		}
		if group != nil {
			t.Groups = append(t.Groups, group)
		}
	}
	for _, g := range gaps {
		_, reason, _ := strings.Cut(g.reason, "\x00")
		where := " on " + strings.Join(g.heads, ", ")
		if len(g.heads) == shown {
			where = ""
		}
		note(&t.Notes, "n/a: %s%s: %s", Printable(g.detectors[0]), Printable(where), Printable(reason))
	}
	for _, g := range short {
		note(&t.Notes, "%s reads every text of these whole: %s", Printable(g.detectors[0]),
			Printable(strings.Join(g.heads, ", ")))
	}
	switch {
	case len(t.Groups) > 0:
		note(&t.Notes, "Longer: the rows that do not fit into one window; rates are on these alone, at the thresholds of "+
			"--windows %s for both readings, means over the seeds. More windows flag more, attacks and harmless texts "+
			"alike: read the two differences together.", r.WindowMode)
		note(&t.Notes, "In brackets: 95 %% intervals, each by itself, %s resamples of families; where all agree, of Wilson "+
			"for a share and none for a difference. † fewer than %d rows.", thousands(stats.Resamples), fewRows)
	case len(t.Notes) == 0: // baselines alone
		return nil
	}
	t.Notes = append(t.Notes, publicSubset(r)...)
	return []Table{t}
}

// readings is the row of a detector on a split, nil when all texts fit into a window, or the reason why there is none.
func readings(in *results.Input, r *results.Results, i int, s *dataset.Split) (Row, string) {
	here, reason := slicing.Read(in, r, i, r.Policies[0], s.Name)
	if reason != "" {
		return nil, reason
	}
	other := *in
	other.Detectors = in.Other
	there, reason := slicing.Read(&other, r, i, r.Policies[0], s.Name)
	if reason != "" {
		return nil, reason
	}
	first, all, truncated := &there, &here, in.Other[i]
	if in.WindowMode == firstWindow {
		first, all, truncated = &here, &there, in.Detectors[i]
	}
	out := slicing.Out(in, s)
	draws := slicing.Draw(s)
	longer := 0
	row := Row{label("%s", Printable(r.Detectors[i].Name)), label("%s", Printable(s.Name)), {}}
	for _, class := range []dataset.Label{dataset.Benign, dataset.Injection} {
		pairs := slicing.Longer(s, truncated, class, out)
		longer += len(pairs.Rows)
		c, ok := slicing.Compare(s, draws, pairs, all, first)
		if !ok {
			row = append(row, sliceRows(0, c.Of), absent(), absent(), absent())
			continue
		}
		alone := estimateEntry(slicing.Estimate{Value: c.Plain.Value, Lo: math.NaN()}, "%.3f")
		row = append(row, sliceRows(c.Rows, c.Of), alone, estimateEntry(c.Here, "%.3f"), estimateEntry(c.More, "%+.3f"))
	}
	if longer == 0 {
		return nil, ""
	}
	of := len(s.Rows) - len(out)
	row[2] = Entry{Text: fmt.Sprintf("%d of %s", longer, thousands(of)), Raw: []string{fmt.Sprint(longer)}}
	return row, ""
}
