package render

import (
	"fmt"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/operating"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// OverDefense returns for each policy a table of the three accuracies that over-defense is reported by, and one of
// hard-benign false alarms less those on ordinary text, by provenance, with intervals and in words.
func OverDefense(in *results.Input, r *results.Results) []Table {
	hard := operating.First(in, dataset.HardBenign)
	if hard == nil || operating.First(in, dataset.OrdinaryBenign) == nil {
		return nothing(r, "over-defense", "Over-defense", "pair of a hard-benign and an ordinary split")
	}
	sets := operating.HardBenign(in)
	if len(sets) > 1 {
		sets = append(sets, operating.SetOf(in, *hard, "All", "", ""))
	}
	shown := policies(in, r)
	excess, families := operating.OverDefense(in, r, sets)
	var tables []Table
	for p, policy := range r.Policies {
		if slices.Contains(shown, policy) {
			tables = append(tables, tripleTable(in, r, policy, *hard), excessTable(in, r, policy, sets, excess[p], families))
		}
	}
	return end(in, r, tables)
}

func tripleTable(in *results.Input, r *results.Results, policy string, hard results.Split) Table {
	s := newSheet(r, "over-defense", "Over-defense by three accuracies", policy, "Over-defense accuracy", "Benign "+
		"accuracy",
		"Malicious accuracy", "Mean")
	sets := []*operating.Set{new(operating.SetOf(in, hard, "hard-benign", "", "")), nil, nil}
	if o := operating.First(in, dataset.OrdinaryBenign); o != nil {
		sets[1] = new(operating.SetOf(in, *o, "ordinary", "", ""))
	}
	if iid := operating.First(in, dataset.IID); iid != nil {
		sets[2] = new(operating.SetOf(in, *iid, "IID", "", ""))
	} else {
		note(&s.Notes, "n/a: there is no IID split")
	}
	s.rows(in, r, func(i int, d results.Detector) []Row {
		taus, reason := operating.Taus(d, r.Detectors[i], policy)
		row := Row{label("%s", Printable(d.Name))}
		sum, all := 0.0, true
		for k, set := range sets {
			var c *results.Cell
			switch {
			case set == nil:
			case k == 2:
				c = operating.AtTaus(d, *set, taus, reason, "recall", metrics.Counts.Recall)
			default:
				c = operating.Scaled(operating.AtTaus(d, *set, taus, reason, "fpr", metrics.Counts.FPR), -1, 1)
			}
			row = append(row, s.cell(d, s.Columns[k+1], c))
			if c == nil || c.Value == nil {
				all = false
			} else {
				sum += *c.Value
			}
		}
		return []Row{append(row, plain(metrics.Value{V: sum / 3, OK: all}, "%.4f"))}
	})
	return s.done(r, "Over-defense accuracy: 1 − FPR on hard-benign rows; benign: 1 − FPR on ordinary ones; malicious: "+
		"recall on IID "+
		"injections. Blocking everything and letting everything pass show what a high one alone is worth.")
}

func excessTable(in *results.Input, r *results.Results, policy string, sets []operating.Set, excess [][]operating.Excess,
	families []operating.Families) Table {
	s := newSheet(r, "over-defense-excess", "Hard-benign FPR less ordinary FPR", policy)
	for _, set := range sets {
		s.Columns = append(s.Columns, Printable(set.Name), "In words")
	}
	s.rows(in, r, func(i int, d results.Detector) []Row {
		row := Row{label("%s", Printable(d.Name))}
		for k, e := range excess[i] {
			if e.Value == nil {
				s.gaps = addGap(s.gaps, e.Reason, sets[k].Name, d.Name)
			}
			row = append(row, excessEntry(e), label("%s", e.Verdict()))
		}
		return []Row{row}
	})
	for _, f := range families {
		note(&s.Notes, "%s: %d rows in %d families, as good as %.0f of equal "+
			"size", Printable(f.Split), f.Rows, f.Groups, f.Effective)
		if f.Effective < results.FewGroups {
			note(&s.Notes, "Worth under %d groups, an interval by resampling is too narrow.", results.FewGroups)
		}
	}
	return s.done(r, fmt.Sprintf("In brackets: 95 %% interval, %s resamples of families, the two splits drawn each by "+
		"itself; seeds "+
		"are averaged. In words: over-defense when the whole interval is above 0, below ordinary when it is below, else not "+
		"distinguishable at this n.", thousands(stats.Resamples)))
}

func excessEntry(e operating.Excess) Entry {
	if e.Value == nil {
		return absent()
	}
	out := label("%+.3f [%+.3f, %+.3f]", *e.Value, *e.Lo, *e.Hi)
	if e.Lacking > 0 {
		out.Text += fmt.Sprintf(" (%d/%d)", e.N, e.N+e.Lacking)
	}
	out.Raw = []string{number(e.Value), number(e.Lo), number(e.Hi)}
	return out
}
