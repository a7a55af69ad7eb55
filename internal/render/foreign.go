package render

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// foreign is the ID of the table of foreign detectors.
const foreign = "foreign"

// foreignColumns are shown twice, at the detector's own threshold and at the one that val gives.
var foreignColumns = []column{
	{head: "IID F1", axis: dataset.IID, slice: "all", metric: "f1"},
	{head: "Hard-benign FPR", axis: dataset.HardBenign, slice: "all", metric: "fpr"},
	{head: "Ordinary FPR", axis: dataset.OrdinaryBenign, slice: "all", metric: "fpr"},
	{head: "Obfuscation recall", axis: dataset.Obfuscation, slice: "all", metric: "recall"},
	{head: "Domain-shift F1", axis: dataset.DomainShift, slice: "all", metric: "f1"},
}

// foreignTable sets what foreign detectors do at their own threshold beside what they do at the one that val gives. It
// is nil where the results do not hold both, are of a user's own files, or no foreign detector was scored.
func foreignTable(r *results.Results) *Table {
	const native, tuned = "native", "val_f1"
	if !slices.Contains(r.Policies, native) || !slices.Contains(r.Policies, tuned) || r.SplitOf(dataset.Custom) != nil {
		return nil
	}
	t := &Table{ID: foreign, Title: title(r, "Foreign detectors", "native | "+tuned), Policy: native + " | " + tuned,
		Columns: []string{"Detector"}}
	columns := shown(r, foreignColumns)
	for _, c := range columns {
		t.Columns = append(t.Columns, c.head+" native", c.head+" val")
	}
	t.Columns = append(t.Columns, "Threshold native", "Threshold val")
	var rows []Row
	for _, d := range r.Detectors {
		if !d.Foreign || d.Unavailable != "" {
			continue
		}
		row := Row{label("%s", Printable(d.Name))}
		for _, c := range columns {
			row = append(row, axisEntry(r, d, c, native, &t.Notes), axisEntry(r, d, c, tuned, &t.Notes))
		}
		rows = append(rows, append(row, tauEntry(d, native), tauEntry(d, tuned)))
	}
	if len(rows) == 0 || len(columns) == 0 {
		return nil
	}
	t.Groups, t.Ranked = [][]Row{rows}, true
	t.Notes = append(t.Notes,
		"native: the threshold that the detector's authors use; val: the one with the best F1 on val of this edition.")
	return t
}
