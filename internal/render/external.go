package render

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/results"
)

// The IDs of the tables of external sets.
const (
	external       = "external"
	externalSlices = "external-slices"
)

// mostSliceColumns bounds the width of a breakdown; one with more values is in the JSON form alone.
const mostSliceColumns = 8

// externalTables returns, for sets that the user imported, a table with a row for each detector and set, and one for
// each set that is broken down. They stand apart from the tables of the edition: no number of theirs is part of one of
// its axes.
func externalTables(r *results.Results, policy string) []Table {
	var sets []results.SplitSummary
	for _, s := range r.Splits {
		if s.External {
			sets = append(sets, s)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	t := Table{ID: external, Title: title(r, "External sets (not frozen)", policy), Policy: policy,
		Columns: []string{"Detector", "Split", "Axis", "n"}, Left: 3}
	for _, c := range ownColumns {
		t.Columns = append(t.Columns, c.head)
	}
	t.Columns = append(t.Columns, "Threshold")
	for _, s := range sets {
		if s.Injection == 0 {
			note(&t.Notes, "n/a: %s has no injection rows", Printable(s.Name))
		} else if s.Benign == 0 {
			note(&t.Notes, "n/a: %s has no benign rows", Printable(s.Name))
		}
		var above, below []Row
		for _, d := range r.Detectors {
			row := Row{label("%s", Printable(d.Name)), label("%s", Printable(s.Name)), label("%s", s.Axis), label("%d", s.Rows)}
			for _, c := range ownColumns {
				cell := r.Mean(d.ID, s.Name, "all", c.metric, policyOf(c.metric, policy))
				row = append(row, Entry{Cell: cell})
				noteUndefined(&t.Notes, d, cell, policy)
			}
			row = append(row, tauEntry(d, policy))
			switch {
			case d.Baseline && policy == "native" && len(d.Tau[policy]) == 0:
			case d.Baseline:
				below = append(below, row)
			default:
				above = append(above, row)
			}
		}
		t.Groups = append(t.Groups, append(above, below...))
	}
	tables := []Table{t}
	for _, s := range sets {
		if slice := breakdown(r, s); slice != nil {
			tables = append(tables, sliceTable(r, s, slice, policy))
		}
	}
	return tables
}

// noteUndefined says why a number is undefined, unless the set's one class says it.
func noteUndefined(notes *[]string, d results.DetectorSummary, cell *results.Cell, policy string) {
	switch {
	case cell.Value != nil || d.Unavailable != "":
	case cell.Reason == d.NoTau[policy]:
		note(notes, "n/a: %s", cell.Reason)
	case cell.N == 0:
		note(notes, "n/a: %s: %s", Printable(cell.Split), cell.Reason)
	}
}

// breakdown returns the slices of a set that are shown: those of the breakdown with the fewest values, two at least and
// none of them empty; of several the first by name.
func breakdown(r *results.Results, s results.SplitSummary) []string {
	byName := map[string][]string{}
	var names []string
	for i := range r.Cells {
		c := &r.Cells[i]
		name, _, ok := strings.Cut(c.Slice, "=")
		if c.Split != s.Name || !ok || slices.Contains(byName[name], c.Slice) {
			continue
		}
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], c.Slice)
	}
	var best []string
	for _, name := range names { // in the order of the cells: by name
		if v := byName[name]; len(v) > 1 && len(v) <= mostSliceColumns && !slices.Contains(v, name+"=") &&
			(best == nil || len(v) < len(best)) {
			best = v
		}
	}
	return best
}

// sliceTable shows a set by the values of one breakdown: false alarms where it is all benign, recall where it is all
// injection, else the share of right answers.
func sliceTable(r *results.Results, s results.SplitSummary, values []string, policy string) Table {
	head, metric := "accuracy", "accuracy"
	switch {
	case s.Injection == 0:
		head, metric = "FPR", "fpr"
	case s.Benign == 0:
		head, metric = "recall", "recall"
	}
	t := Table{ID: externalSlices, Policy: policy, Columns: []string{"Detector", "All"},
		Title: title(r, fmt.Sprintf("%s (not frozen): %s by slice", Printable(s.Name), head), policy)}
	for _, v := range values {
		t.Columns = append(t.Columns, Printable(v))
	}
	t.Groups = groups(r, policy, func(d results.DetectorSummary) Row {
		row := Row{label("%s", Printable(d.Name))}
		for _, slice := range append([]string{"all"}, values...) {
			row = append(row, Entry{Cell: r.Mean(d.ID, s.Name, slice, metric, policy)})
		}
		return row
	})
	return t
}

// splitName is the name of a split in a table that holds frozen ones too.
func splitName(s results.SplitSummary) string {
	if s.External {
		return Printable(s.Name) + " (not frozen)"
	}
	return Printable(s.Name)
}
