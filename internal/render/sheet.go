package render

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/operating"
	"pidsbench/internal/results"
)

// sheet is a table in the making, with the reasons of its undefined numbers.
type sheet struct {
	Table
	gaps  []gap
	shown int // detectors that have a row
}

// newSheet begins a table. Without a policy its numbers rest on none, or on thresholds that the table itself names.
func newSheet(r *results.Results, id, name, policy string, columns ...string) *sheet {
	t := Table{ID: id, Title: title(r, name, policy), Policy: policy, Left: 1, Columns: append([]string{"Detector"}, columns...),
		Source: Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit}}
	if policy == "" {
		t.Title = name + strings.TrimPrefix(title(r, "", ""), " at threshold ")
	}
	return &sheet{Table: t}
}

// rows puts detectors above the line and baselines below it; those that were not run have no row. A baseline without the
// threshold of its own that the policy asks for has none either.
func (s *sheet) rows(in *results.Input, r *results.Results, of func(i int, d results.Detector) []Row) {
	var above, below []Row
	for i, d := range in.Detectors {
		switch {
		case d.Unavailable != "" || d.Baseline && s.Policy == "native" && len(r.Detectors[i].Tau[s.Policy]) == 0:
		case d.Baseline:
			s.shown++
			below = append(below, of(i, d)...)
		default:
			s.shown++
			above = append(above, of(i, d)...)
		}
	}
	for _, g := range [][]Row{above, below} {
		if len(g) > 0 {
			s.Groups = append(s.Groups, g)
		}
	}
}

// cell is a number, or n/a with its reason kept for the notes.
func (s *sheet) cell(d results.Detector, head string, c *results.Cell) Entry {
	if c == nil {
		return absent()
	}
	if c.Value == nil {
		s.gaps = addGap(s.gaps, c.Reason, head, d.Name)
	}
	return Entry{Cell: c}
}

// done ends the table: why numbers are undefined, then what else is to be said.
func (s *sheet) done(r *results.Results, notes ...string) Table {
	for _, g := range s.gaps {
		who := strings.Join(g.heads, ", ")
		switch n := len(g.detectors); {
		case n == s.shown:
		case n > 3:
			who += fmt.Sprintf(" of %d detectors", n)
		default:
			who += " of " + strings.Join(g.detectors, ", ")
		}
		note(&s.Notes, "n/a: %s: %s", who, g.reason)
	}
	s.Notes = append(append(append(s.Notes, notes...), publicSubset(r)...), stars(s.Table)...)
	return s.Table
}

// nothing is a table without rows that says why.
func nothing(r *results.Results, id, name, lacking string) []Table {
	reason := fmt.Sprintf("n/a: edition %s has no %s", r.Edition, lacking)
	if len(r.Chosen) > 0 {
		reason = fmt.Sprintf("n/a: there is no %s among %s", lacking, Printable(strings.Join(r.Chosen, ", ")))
	}
	return []Table{newSheet(r, id, name, "").done(r, reason)}
}

// end puts below the last table what is to be doubted in the detectors and in the thresholds that val gives.
func end(in *results.Input, r *results.Results, tables []Table) []Table {
	if len(tables) == 0 {
		return nil
	}
	notes := &tables[len(tables)-1].Notes
	for _, d := range in.Detectors {
		for _, seed := range d.Seeds {
			if v := operating.LookAtVal(in, seed); v.Reason == "" && v.Lacking > 0 {
				note(notes, "%s seed %d: what is taken from val rests on %d of %d rows", d.Name, seed.Seed, len(v.Scores),
					len(v.Scores)+v.Lacking)
			}
		}
	}
	for _, line := range closing(r) {
		if !slices.Contains(*notes, line) {
			*notes = append(*notes, line)
		}
	}
	return tables
}

// policies returns the policies that a table is made for: native only where a detector above the line has a threshold of
// its own.
func policies(in *results.Input, r *results.Results) (of []string) {
	for _, p := range r.Policies {
		has := slices.ContainsFunc(in.Detectors, func(d results.Detector) bool {
			return !d.Baseline && d.Unavailable == "" && d.Native != nil
		})
		if p != "native" || has {
			of = append(of, p)
		}
	}
	return of
}

// percent shows a share as a number of per cent, without a blank, for heads.
func percent(share float64) string { return fmt.Sprintf("%g%%", 100*share) }
