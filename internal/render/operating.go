package render

import (
	"fmt"

	"pidsbench/internal/metrics"
	"pidsbench/internal/operating"
	"pidsbench/internal/results"
)

// Operating returns, for the IID split or each of a user's own files, a table of what detectors find at a rate of false
// alarms promised on val and the other way round, and one of how well their scores rank the rows.
func Operating(in *results.Input, r *results.Results) []Table {
	sets := operating.Tests(in)
	if len(sets) == 0 {
		return nothing(r, "operating", "Operating points", "IID split")
	}
	var tables []Table
	for _, set := range sets {
		tables = append(tables, pointTable(in, r, set), rankingTable(in, r, set))
	}
	return end(in, r, tables)
}

func pointTable(in *results.Input, r *results.Results, set operating.Set) Table {
	s := newSheet(r, "operating", "Operating points on "+Printable(set.Name), "")
	for _, target := range operating.FPRTargets {
		s.Columns = append(s.Columns, "TPR at FPR "+percent(target), "FPR reached")
	}
	for _, target := range operating.TPRTargets {
		s.Columns = append(s.Columns, "FPR at TPR "+percent(target), "TPR reached")
	}
	s.rows(in, r, func(_ int, d results.Detector) []Row {
		row := Row{label("%s", Printable(d.Name))}
		for _, target := range operating.FPRTargets {
			p := operating.AtFPR(in, d, set, target)
			row = append(row, s.cell(d, "TPR at FPR "+percent(target), p.TPR), s.cell(d, "TPR at FPR "+percent(target), p.FPR))
		}
		for _, target := range operating.TPRTargets {
			p := operating.AtTPR(in, d, set, target)
			row = append(row, s.cell(d, "FPR at TPR "+percent(target), p.FPR), s.cell(d, "FPR at TPR "+percent(target), p.TPR))
		}
		return []Row{row}
	})
	return s.done(r, "The threshold of each seed comes from val: the smallest one whose FPR there is at most the "+
		"target, and the "+
		"largest one whose TPR there is at least the target. Reached: the same rate on "+Printable(set.Name)+".",
		"Resolution: "+resolution(in, set))
}

// resolution says how small a rate can be told from another.
func resolution(in *results.Input, set operating.Set) string {
	benign, injection := set.Counts()
	if benign == 0 || injection == 0 {
		return "n/a: " + Printable(set.Name) + " lacks a class"
	}
	said := fmt.Sprintf("one row of %s moves the FPR by 1/%d and the TPR by 1/%d", Printable(set.Name), benign, injection)
	if in.Val == nil {
		return said
	}
	if benign, injection := in.Val.Counts(); benign > 0 && injection > 0 {
		said += fmt.Sprintf(", one of val by 1/%d and 1/%d", benign, injection)
	}
	return said + "; a target below one of these is n/a."
}

func rankingTable(in *results.Input, r *results.Results, set operating.Set) Table {
	cap := percent(operating.Cap)
	s := newSheet(r, "ranking", "Ranking of "+Printable(set.Name), "", "ROC-AUC", "PR-AUC", "Floor of PR-AUC", "AUC to "+
		"FPR "+cap,
		"Standardised")
	shown := policies(in, r)
	for _, policy := range shown {
		s.Columns = append(s.Columns, "Balanced accuracy "+policy)
	}
	s.rows(in, r, func(i int, d results.Detector) []Row {
		k := operating.Rank(d, set)
		row := Row{label("%s", Printable(d.Name))}
		for c, cell := range []*results.Cell{k.AUC, k.AveragePrecision, k.Floor, k.Partial, k.Standardised} {
			row = append(row, s.cell(d, s.Columns[c+1], cell))
		}
		for _, policy := range shown {
			taus, reason := operating.Taus(d, r.Detectors[i], policy)
			row = append(row, s.cell(d, "Balanced accuracy "+policy, operating.AtTaus(d, set, taus, reason, "balanced_accuracy",
				metrics.Counts.BalancedAccuracy)))
		}
		return []Row{row}
	})
	return s.done(r, "PR-AUC is the average precision; its floor, the share of injections, is what a random order gets.",
		"AUC to FPR "+cap+" is a share of the largest possible area there; standardised (McClish), a random order gets 0.5 "+
			"as "+
			"in ROC-AUC.",
		"Balanced accuracy is the mean of TPR and 1 − FPR: 0.5 for flagging everything or nothing.")
}
