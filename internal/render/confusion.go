package render

import "pidsbench/internal/results"

// confusion is the ID of the tables of confusion counts.
const confusion = "confusion"

// confusionTable has a row for each detector and split with its counts; detectors that have none are left out.
func confusionTable(r *results.Results, policy string) Table {
	t := Table{
		ID: confusion, Title: title(r, "Confusion counts", policy), Policy: policy,
		Columns: []string{"Detector", "Split", "n", "TN", "FP", "FN", "TP", "Errors", "Missing", "Truncated"},
	}
	t.Groups = [][]Row{}
	var below []Row
	for _, d := range r.Detectors {
		if len(d.Tau[policy]) == 0 || d.Baseline && !d.Required {
			continue // it was not run, the policy gives it no threshold, or nobody asked for its counts
		}
		var rows []Row
		for _, s := range r.Splits {
			if s.Absent != "" {
				continue
			}
			row := Row{label("%s", Printable(d.Name)), label("%s", splitName(s))}
			for i, metric := range []string{"tn", "fp", "fn", "tp"} {
				cell := r.Mean(d.ID, s.Name, "all", metric, policy)
				if i == 0 {
					row = append(row, label("%d", cell.N))
				}
				row = append(row, Entry{Cell: withoutNote(cell)})
			}
			cell := r.Mean(d.ID, s.Name, "all", "tn", policy)
			rows = append(rows, append(row, label("%d", cell.NError), label("%d", cell.NMissing+cell.NUnscored),
				label("%d", cell.NTruncated)))
		}
		if d.Baseline {
			below = append(below, rows...)
			continue
		}
		t.Groups = append(t.Groups, rows)
	}
	if len(below) > 0 {
		t.Groups = append(t.Groups, below)
	}
	return t
}

// withoutNote drops the n/N mark of an incomplete count: the table has columns for that.
func withoutNote(c *results.Cell) *results.Cell {
	copied := *c
	copied.State = results.StateComplete
	return &copied
}
