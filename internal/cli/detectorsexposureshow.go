package cli

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/render"
	"pidsbench/internal/results"
)

func showExposure(st *State, format string, r *results.Results, all []exposure) error {
	switch format {
	case "json":
		return writeJSON(st, struct {
			Schema    string     `json:"schema"`
			Edition   string     `json:"edition"`
			Manifest  string     `json:"manifest_sha256"`
			Split     string     `json:"split"`
			Policy    string     `json:"policy"`
			Windows   string     `json:"window_mode"`
			Detectors []exposure `json:"detectors"`
		}{"pidsbench-exposure/1", r.Edition, r.ManifestSHA256, r.Splits[0].Name, r.Policies[0], r.WindowMode, all})
	case "csv":
		return exposureCSV(st, r, all)
	case "markdown":
		return render.Markdown(st.Stdout, []render.Table{exposureTable(r, all)})
	}
	return render.Text(st.Stdout, []render.Table{exposureTable(r, all)})
}

// exposureTable has a row a source and a column a detector; public sources, own texts, and what they sum up to.
func exposureTable(r *results.Results, all []exposure) render.Table {
	t := render.Table{Left: 1, Columns: []string{"Source", "Injections"}, Title: fmt.Sprintf(
		"Recall by source on %s at threshold %s (windows %s, edition %s, manifest %.12s)", render.Printable(r.Splits[0].Name),
		r.Policies[0], r.WindowMode, r.Edition, r.ManifestSHA256)}
	sources := map[bool][]string{}
	for _, e := range all {
		t.Columns = append(t.Columns, e.name)
		if e.Reason != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("n/a: %s: %s", e.name, e.Reason))
		}
		for _, s := range e.Sources {
			if !slices.Contains(sources[s.Own], s.Source) {
				sources[s.Own] = append(sources[s.Own], s.Source)
			}
		}
	}
	for _, own := range []bool{false, true} {
		slices.Sort(sources[own])
		var rows []render.Row
		for _, name := range sources[own] {
			rows = append(rows, foundRow(name, all, func(e *exposure) *sourceFound {
				at := slices.IndexFunc(e.Sources, func(s sourceFound) bool { return s.Source == name })
				if at < 0 {
					return nil
				}
				return &e.Sources[at]
			}))
		}
		if len(rows) > 0 {
			t.Groups = append(t.Groups, rows)
		}
	}
	gaps := textRow("gap", "")
	for _, e := range all {
		text := "n/a"
		if e.Gap != nil {
			text = fmt.Sprintf("%+.3f [%+.3f, %+.3f]", e.Gap.Value, e.Gap.Lo, e.Gap.Hi)
		}
		gaps = append(gaps, render.Entry{Text: text})
	}
	t.Groups = append(t.Groups, []render.Row{
		foundRow("all public", all, func(e *exposure) *sourceFound { return e.Public }),
		foundRow("all own", all, func(e *exposure) *sourceFound { return e.Own }), gaps})
	t.Notes = append(t.Notes, "own: "+strings.Join(ownSources, ", ")+", texts written for this edition; the other sources are public",
		"in brackets: 95 %, Wilson's for a share and Newcombe's for the gap, as if rows were independent, which those of a "+
			"family are not",
		"a gap may mean that a detector was trained on public texts, or that they are easier: compare it with that of the rules")
	return t
}

// foundRow shows a share a detector; the number of rows is the largest that any of them was scored on.
func foundRow(name string, all []exposure, of func(*exposure) *sourceFound) render.Row {
	row := textRow(render.Printable(name), "")
	n := 0
	for i := range all {
		f := of(&all[i])
		if f == nil {
			row = append(row, render.Entry{Text: "n/a"})
			continue
		}
		n = max(n, f.N)
		row = append(row, render.Entry{Text: fmt.Sprintf("%.3f [%.3f, %.3f]", f.Recall, f.Lo, f.Hi)})
	}
	row[1].Text = strconv.Itoa(n)
	return row
}

// exposureCSV writes a row for each detector, seed and source, with the sums and the gap as sources of their own; for a
// detector without numbers one row that says why.
func exposureCSV(st *State, r *results.Results, all []exposure) error {
	w := csv.NewWriter(st.Stdout)
	rows := [][]string{{"detector", "seed", "split", "policy", "source", "origin", "n", "found", "recall", "lo", "hi", "reason"}}
	for i := range all {
		e := &all[i]
		seed := ""
		if e.Seed != nil {
			seed = strconv.Itoa(*e.Seed)
		}
		add := func(fields ...string) {
			rows = append(rows, append([]string{e.Detector, seed, r.Splits[0].Name, r.Policies[0]}, fields...))
		}
		shares := slices.Clone(e.Sources)
		for _, sum := range []*sourceFound{e.Public, e.Own} {
			if sum != nil {
				shares = append(shares, sourceFound{"all", sum.Own, sum.N, sum.Found, sum.Recall, sum.Lo, sum.Hi})
			}
		}
		if len(shares) == 0 {
			add("all", "", "", "", "n/a", "", "", e.Reason)
		}
		for _, s := range shares {
			origin := "public"
			if s.Own {
				origin = "own"
			}
			add(s.Source, origin, strconv.Itoa(s.N), strconv.Itoa(s.Found), decimal(s.Recall), decimal(s.Lo), decimal(s.Hi), "")
		}
		if e.Gap != nil {
			add("gap", "", "", "", decimal(e.Gap.Value), decimal(e.Gap.Lo), decimal(e.Gap.Hi), "")
		}
	}
	return w.WriteAll(rows)
}
