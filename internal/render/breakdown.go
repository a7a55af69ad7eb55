package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/slicing"
	"pidsbench/internal/stats"
)

const (
	fewRows     = 30 // slices with fewer are marked
	wholeUpTo   = 3  // detectors whose slices are shown all
	worstShown  = 10 // slices of each detector when there are more
	valueLength = 60 // characters of a value of a facet
)

// Breakdown returns, for the first policy, the error rates of detectors on the slices of each split of the edition or
// of the user, the worst first: a table a split, or with many detectors one table of the worst slices of each.
func Breakdown(in *results.Input, r *results.Results) []Table {
	if len(r.Policies) == 0 {
		return nil
	}
	b := cutTables{in: in, r: r, policy: r.Policies[0], detectors: aboveTheLine(r)}
	var tables []Table
	var all, worst []slicing.Cut
	for _, s := range in.Splits {
		if s.Absent != "" || s.External || len(b.detectors) == 0 {
			continue
		}
		of, gaps := b.verdicts(s.Data.Name)
		cuts := slicing.Cuts(s.Data, slicing.Out(in, s.Data), of)
		if len(b.detectors) > wholeUpTo {
			worst = append(worst, cuts...)
			continue
		}
		if len(cuts) > 0 {
			t := b.table(Printable(s.Data.Name)+" by slice", cuts, false)
			t.Notes = gaps
			tables = append(tables, t)
			all = append(all, cuts...)
		}
	}
	if len(all) > 0 {
		last := &tables[len(tables)-1]
		last.Notes = append(last.Notes, b.notes(all)...)
	}
	if len(worst) > 0 {
		tables = append(tables, b.worst(worst))
	}
	return tables
}

// aboveTheLine returns the places of the detectors that are no baselines and were run.
func aboveTheLine(r *results.Results) (at []int) {
	for i, d := range r.Detectors {
		if !d.Baseline && d.Unavailable == "" {
			at = append(at, i)
		}
	}
	return at
}

// cutTables lays out what detectors do at a policy.
type cutTables struct {
	in        *results.Input
	r         *results.Results
	policy    string
	detectors []int
}

// verdicts returns those of each detector on a split, and why others have none.
func (b *cutTables) verdicts(split string) (of map[int]slicing.Verdicts, gaps []string) {
	of = map[int]slicing.Verdicts{}
	for _, i := range b.detectors {
		v, reason := slicing.Read(b.in, b.r, i, b.policy, split)
		if reason != "" {
			note(&gaps, "n/a: %s: %s", Printable(b.r.Detectors[i].Name), Printable(reason))
			continue
		}
		of[i] = v
	}
	return of, gaps
}

// table lays out all slices of cuts; with their split when they are of several.
func (b *cutTables) table(name string, cuts []slicing.Cut, several bool) Table {
	t := Table{ID: "breakdown", Title: title(b.r, name, b.policy), Policy: b.policy, Left: 4,
		Source:  Source{b.r.Edition, b.r.ManifestSHA256, b.r.WindowMode, b.r.Limit},
		Columns: []string{"Detector", "Facet", "Value", "Class", "n", "Families", "Error rate", "Worst by chance"}}
	if several {
		t.Left++
		t.Columns = slices.Insert(t.Columns, 1, "Split")
	}
	for _, i := range b.detectors {
		for _, c := range cuts {
			if c.Detector != i || len(c.Slices) < 2 {
				continue
			}
			t.Groups = append(t.Groups, nil)
			last := &t.Groups[len(t.Groups)-1]
			first := true // of those that may be the worst
			for _, s := range c.Slices {
				banded := !math.IsNaN(s.Lo)
				*last = append(*last, b.row(c, s, first && banded, several))
				first = first && !banded
			}
		}
	}
	return t
}

// worst lays out the slices of each detector whose interval lies highest.
func (b *cutTables) worst(cuts []slicing.Cut) Table {
	var picked []slicing.Cut // of one slice each
	for _, i := range b.detectors {
		var of []slicing.Cut
		for _, c := range cuts {
			if c.Detector != i || c.K < 2 {
				continue
			}
			for _, s := range c.Slices {
				if !math.IsNaN(s.Lo) {
					one := c
					one.Slices = []slicing.Slice{s}
					of = append(of, one)
				}
			}
		}
		slices.SortStableFunc(of, func(x, y slicing.Cut) int {
			return cmp.Or(cmp.Compare(y.Slices[0].Lo, x.Slices[0].Lo), cmp.Compare(y.Slices[0].Rate, x.Slices[0].Rate))
		})
		picked = append(picked, of[:min(len(of), worstShown)]...)
	}
	t := b.table(fmt.Sprintf("The %d worst slices of each detector", worstShown), nil, true)
	for k, c := range picked {
		if k == 0 || picked[k-1].Detector != c.Detector {
			t.Groups = append(t.Groups, nil)
		}
		last := &t.Groups[len(t.Groups)-1]
		*last = append(*last, b.row(c, c.Slices[0], true, true))
	}
	t.Notes = append([]string{fmt.Sprintf("Of more than %d detectors only the slices of all splits whose interval begins "+
		"highest are shown; one has them all with --detector ID.", wholeUpTo)}, b.notes(picked)...)
	return t
}

// row shows a slice; the first one with an interval says what the worst one is expected to be.
func (b *cutTables) row(c slicing.Cut, s slicing.Slice, first, several bool) Row {
	name := c.Facet
	if c.ByRule {
		name += " (by rule)"
	}
	row := Row{label("%s", Printable(b.r.Detectors[c.Detector].Name)), label("%s", Printable(name)),
		label("%s", shorten(s.Value, valueLength)), label("%s", c.Class.Name()), sliceRows(s.Rows, s.Of),
		sliceFamilies(s.Groups), estimateEntry(slicing.Estimate{Value: s.Rate, Lo: s.Lo, Hi: s.Hi}, "%.3f"), {}}
	if first && !math.IsNaN(c.Expected) {
		row[7] = Entry{Text: fmt.Sprintf("%.3f (of %d)", c.Expected, c.K), Raw: []string{number(&c.Expected)}}
	}
	if several {
		row = slices.Insert(row, 1, label("%s", Printable(c.Split)))
	}
	return row
}

func (b *cutTables) notes(cuts []slicing.Cut) []string {
	notes := []string{
		"Error rate: false alarms among benign rows, misses among injections (1 − recall), the mean over the seeds.",
		fmt.Sprintf("In brackets: intervals that hold the slices of one facet, class and split all at once in 95 of 100 "+
			"samples (largest studentised deviation in %s resamples of families, the same for all detectors). Slices of "+
			"fewer than %d families have none.",
			thousands(stats.Resamples), slicing.MinGroups),
		"Worst by chance: the rate at which the worst of so many slices is expected when all are alike. The worst " +
			"slice is that one by selection: only what lies beyond this number speaks of the slice.",
		fmt.Sprintf("† fewer than %d rows or %d families: a hint, no more.", fewRows, results.FewGroups),
	}
	for _, c := range cuts {
		switch {
		case c.ByRule && c.Facet == "attack_type":
			note(&notes, "attack_type (by rule): types of third-party rows were found by rule; docs/data.md says how far two "+
				"readers agree with the rules, and results by type carry that error.")
		case c.ByRule:
			note(&notes, "%s (by rule): found by fixed phrases of the text.", Printable(c.Facet))
		}
	}
	return append(append(notes, publicSubset(b.r)...), incompleteNote(cuts)...)
}

// incompleteNote explains n/N where a row lacks a score.
func incompleteNote(cuts []slicing.Cut) []string {
	for _, c := range cuts {
		for _, s := range c.Slices {
			if s.Rows < s.Of {
				return []string{"n/N: only n of N rows have a score of every seed; the others count nowhere."}
			}
		}
	}
	return nil
}

// sliceRows shows how many of the rows count.
func sliceRows(n, of int) Entry {
	e := label("%d", n)
	if n < of {
		e.Text += fmt.Sprintf("/%d", of)
	}
	if n < fewRows {
		e.Text += "†"
	}
	e.Raw = []string{fmt.Sprint(n)}
	return e
}

func sliceFamilies(n int) Entry {
	e := Entry{Text: fmt.Sprint(n), Raw: []string{fmt.Sprint(n)}}
	if n < results.FewGroups {
		e.Text += "†"
	}
	return e
}

// estimateEntry shows a number with its interval, if it has one.
func estimateEntry(e slicing.Estimate, format string) Entry {
	if math.IsNaN(e.Value) {
		return absent()
	}
	shown := Entry{Text: fmt.Sprintf(format, e.Value), Raw: []string{number(&e.Value)}}
	if !math.IsNaN(e.Lo) {
		shown.Text += fmt.Sprintf(" ["+format+", "+format+"]", e.Lo, e.Hi)
		shown.Raw = append(shown.Raw, number(&e.Lo), number(&e.Hi))
	}
	return shown
}

// shorten escapes a text and cuts it to so many characters, never within an escape.
func shorten(text string, most int) string {
	var pieces []string
	width := 0
	for _, c := range text {
		piece := Printable(string(c))
		width += utf8.RuneCountInString(piece)
		pieces = append(pieces, piece)
		if width > most {
			for width > most-1 { // room for the dots
				width -= utf8.RuneCountInString(pieces[len(pieces)-1])
				pieces = pieces[:len(pieces)-1]
			}
			return strings.Join(pieces, "") + "…"
		}
	}
	return strings.Join(pieces, "")
}

// splitData returns the rows of a split of the edition, or nil.
func splitData(in *results.Input, name string) *dataset.Split {
	for _, s := range in.Splits {
		if s.Spec.Name == name && s.Absent == "" && !s.External {
			return s.Data
		}
	}
	return nil
}
