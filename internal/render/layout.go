package render

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// Layout returns the tables of the results: for each threshold policy the main and the provenance table (or one table
// for each of the user's own files), then that of foreign detectors and the confusion counts of every split. The short table
// of intervals is left out where they stand elsewhere.
func Layout(r *results.Results, elsewhere bool) []Table {
	var tables []Table
	var counts []Table
	for i, policy := range r.Policies {
		if r.SplitOf(dataset.Custom) != nil {
			for _, s := range r.Splits {
				tables = append(tables, ownTable(r, s, policy))
			}
			if i == 0 {
				tables = append(tables, shortIntervals(r, policy, elsewhere)...)
			}
		} else {
			if len(shown(r, mainColumns)) > 0 {
				tables = append(tables, axisTable(r, "main", "Main table", mainColumns, policy))
			}
			if len(shown(r, provenanceColumns)) > 0 {
				tables = append(tables, provenanceTable(r, policy))
			}
			if i == 0 { // enough to read a change; the cells of every policy are in the JSON and CSV forms
				tables = append(tables, pairedTables(r, policy)...)
				tables = append(tables, shortIntervals(r, policy, elsewhere)...)
			}
			tables = append(tables, externalTables(r, policy)...)
		}
		if t := confusionTable(r, policy); len(t.Groups) > 0 {
			counts = append(counts, t)
		}
	}
	if t := foreignTable(r); t != nil {
		tables = append(tables, *t)
	}
	tables = append(tables, counts...)
	for i := range tables {
		tables[i].Source = Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit}
		tables[i].Notes = append(tables[i].Notes, publicSubset(r)...)
		tables[i].Notes = append(tables[i].Notes, stars(tables[i])...)
	}
	if len(tables) > 0 {
		last := &tables[len(tables)-1]
		last.Notes = append(last.Notes, footing(r)...)
	}
	return tables
}

// title names what a table shows and what its numbers rest on.
func title(r *results.Results, name, policy string) string {
	t := fmt.Sprintf("%s at threshold %s (windows %s, edition %s", name, policy, r.WindowMode, r.Edition)
	if r.ManifestSHA256 != "" {
		t += ", manifest " + short(r.ManifestSHA256)
	}
	if len(r.Chosen) > 0 {
		t += ", only " + Printable(strings.Join(r.Chosen, ", "))
	}
	if r.Undisputed {
		t += ", without disputed rows"
	}
	if r.Limit > 0 {
		t += fmt.Sprintf(", a trial: first %d rows", r.Limit)
	}
	return t + ")"
}

func axisTable(r *results.Results, id, name string, columns []column, policy string) Table {
	t := Table{ID: id, Title: title(r, name, policy), Policy: policy, Columns: []string{"Detector"}}
	var lacking []string
	columns = shown(r, columns)
	for _, c := range columns {
		t.Columns = append(t.Columns, c.head)
		if axis := strings.ReplaceAll(string(c.axis), "_", "-"); c.of(r) == nil && !slices.Contains(lacking, axis) {
			lacking = append(lacking, axis)
		}
	}
	t.Columns = append(t.Columns, "Threshold")
	if len(lacking) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("n/a: edition %s has no %s axis", r.Edition, strings.Join(lacking, ", no ")))
	}
	var flagAll []string
	t.Groups = groups(r, policy, func(d results.DetectorSummary) Row {
		row := Row{label("%s", Printable(d.Name))}
		for _, c := range columns {
			row = append(row, axisEntry(r, d, c, policy, &t.Notes))
		}
		if strings.HasPrefix(policy, "val_f1") && flagsAll(d.Tau[policy]) {
			flagAll = append(flagAll, Printable(d.Name))
		}
		return append(row, tauEntry(d, policy))
	})
	t.Ranked = len(aboveTheLine(r)) > 0
	if len(flagAll) > 0 {
		note(&t.Notes, "a threshold of 0 flags every text: nothing did better on val for %s", strings.Join(flagAll, ", "))
	}
	return t
}

// axisEntry returns the number of a column, and notes why when it is undefined.
func axisEntry(r *results.Results, d results.DetectorSummary, c column, policy string, notes *[]string) Entry {
	split := c.of(r)
	if split == nil {
		return absent()
	}
	if split.Absent != "" {
		note(notes, "n/a: %s: %s", split.Name, split.Absent)
		return Entry{Cell: r.Mean(d.ID, split.Name, "all", c.metric, policyOf(c.metric, policy))}
	}
	cell := r.Mean(d.ID, split.Name, c.slice, c.metric, policyOf(c.metric, policy))
	if cell == nil {
		note(notes, "n/a: %s has no rows with %s", split.Name, c.slice)
		return absent()
	}
	if cell.Value == nil && d.Unavailable == "" { // the footing says why a detector was not run
		note(notes, "n/a: %s: %s", d.Name, cell.Reason)
	}
	return Entry{Cell: cell}
}

func provenanceTable(r *results.Results, policy string) Table {
	t := axisTable(r, "provenance", "Hard-benign false alarms by provenance", provenanceColumns, policy)
	var ns []string
	for _, c := range provenanceColumns {
		if n := rowsOf(r, c, policy); n > 0 {
			ns = append(ns, fmt.Sprintf("%s %d", c.head, n))
		}
	}
	if len(ns) > 0 {
		t.Notes = append(t.Notes, "n: "+strings.Join(ns, ", "))
	}
	t.Notes = append(t.Notes, "Over-defense is claimed only as far as hard-benign FPR exceeds the ordinary control's.")
	return t
}

// rowsOf returns the benign rows a column rests on, 0 when no detector was scored on them.
func rowsOf(r *results.Results, c column, policy string) int {
	split := c.of(r)
	if split == nil {
		return 0
	}
	n := 0
	for _, d := range r.Detectors {
		if cell := r.Mean(d.ID, split.Name, c.slice, c.metric, policy); cell != nil {
			n = max(n, cell.NBenign)
		}
	}
	return n
}

func ownTable(r *results.Results, s results.SplitSummary, policy string) Table {
	t := Table{ID: "own", Title: title(r, Printable(s.Name), policy), Policy: policy, Columns: []string{"Detector"}}
	for _, c := range ownColumns {
		t.Columns = append(t.Columns, c.head)
	}
	t.Columns = append(t.Columns, "Threshold")
	var gaps []gap
	t.Groups = groups(r, policy, func(d results.DetectorSummary) Row {
		row := Row{label("%s", Printable(d.Name))}
		for _, c := range ownColumns {
			cell := r.Mean(d.ID, s.Name, c.slice, c.metric, policyOf(c.metric, policy))
			row = append(row, Entry{Cell: cell})
			switch {
			case cell.Value != nil || d.Unavailable != "":
			case cell.Reason == d.NoTau[policy]:
				note(&t.Notes, "n/a: %s", cell.Reason)
			default:
				gaps = addGap(gaps, cell.Reason, c.head, d.Name)
			}
		}
		return append(row, tauEntry(d, policy))
	})
	for _, g := range gaps {
		note(&t.Notes, "n/a: %s", g.String())
	}
	note(&t.Notes, "%s: %d rows, %d benign, %d injection", Printable(s.Name), s.Rows, s.Benign, s.Injection)
	return t
}

// groups puts detectors above the line and rule and trivial baselines below it.
func groups(r *results.Results, policy string, row func(results.DetectorSummary) Row) [][]Row {
	var above, below []Row
	for _, d := range r.Detectors {
		switch {
		case d.Baseline && policy == "native" && len(d.Tau[policy]) == 0:
		case d.Baseline:
			below = append(below, row(d))
		default:
			above = append(above, row(d))
		}
	}
	var out [][]Row
	for _, g := range [][]Row{above, below} {
		if len(g) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// tauEntry shows the threshold, or its range over the seeds.
func tauEntry(d results.DetectorSummary, policy string) Entry {
	taus := slices.Sorted(maps.Values(d.Tau[policy]))
	if len(taus) == 0 {
		return Entry{Text: "n/a", Raw: []string{""}}
	}
	lo, hi := taus[0], taus[len(taus)-1]
	e := Entry{Text: formatTau(lo)}
	if lo != hi {
		e.Text += "–" + formatTau(hi)
	}
	raw := make([]string, len(taus))
	for i, t := range taus {
		raw[i] = strconv.FormatFloat(t, 'g', -1, 64)
	}
	e.Raw = []string{strings.Join(raw, " ")}
	return e
}

// formatTau shortens a threshold for people; one that no score reaches shows as such.
func formatTau(t float64) string {
	if t > 1 {
		return ">1"
	}
	return strconv.FormatFloat(t, 'g', 4, 64)
}

func flagsAll(taus map[string]float64) bool {
	for _, t := range taus {
		if t <= 0 {
			return true
		}
	}
	return false
}
