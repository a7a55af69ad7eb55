package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/comparison"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Comparison returns a table for each policy of how A stands to B: the differences at the policy, and those that rest on
// no threshold.
func Comparison(r *results.Results, p *comparison.Pair, of []comparison.Result) []Table {
	var tables []Table
	for _, policy := range r.Policies {
		t := Table{ID: "comparison", Policy: policy, Left: 1,
			Title:  title(r, fmt.Sprintf("%s (A) against %s (B)", Printable(p.A.Name), Printable(p.B.Name)), policy),
			Source: Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit},
			Columns: []string{"Number", "A", "B", "Difference", "Joint interval", "McNemar p", "t p", "Rows", "Families", "MDE",
				"A is", "Status"}}
		var rows []Row
		for i := range of {
			c := &of[i]
			if c.Policy != nil && *c.Policy != policy {
				continue
			}
			mcnemar := absent()
			if len(c.Runs) > 0 && c.Runs[0].McNemar != nil {
				mcnemar = pValue(&c.Runs[0].McNemar.P)
			}
			var ofT *float64
			if c.T != nil {
				ofT = &c.T.P
			}
			rows = append(rows, Row{label("%s", Printable(c.Name)), decimals(c.ValueA), decimals(c.ValueB), comparedDiff(c),
				comparedJoint(c), mcnemar, pValue(ofT), comparedRows(c), comparedFamilies(c), decimals(c.MDE),
				verdictEntry(string(c.Verdict)), label("%s", c.Status)})
			noteDoubts(&t.Notes, c)
		}
		if len(rows) == 0 {
			continue
		}
		noteReasons(&t.Notes, r, of, policy)
		t.Groups = [][]Row{rows}
		t.Notes = append(append(t.Notes, publicSubset(r)...), seedNotes(p, of)...)
		tables = append(tables, t)
	}
	if len(tables) > 0 {
		last := &tables[len(tables)-1]
		last.Notes = append(append(last.Notes, readingNotes(of)...), closing(r)...)
	}
	return tables
}

// PrimaryComparisons returns the table of the listed comparisons, corrected together.
func PrimaryComparisons(r *results.Results, of []comparison.Result) []Table {
	t := Table{ID: "primary", Title: title(r, "Primary comparisons, each", "as listed"), Policy: "as listed", Left: 3,
		Source: Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit},
		Columns: []string{"Comparison", "A", "B", "Value A", "Value B", "Difference", "Joint interval", "p", "Holm p", "Rows",
			"Families", "MDE", "A is better"}}
	var rows []Row
	for i := range of {
		c := &of[i]
		rows = append(rows, Row{label("%s", Printable(c.ID)), label("%s", Printable(c.A)), label("%s", Printable(c.B)),
			decimals(c.ValueA), decimals(c.ValueB), comparedDiff(c), comparedJoint(c), pValue(c.P), pValue(c.PHolm),
			comparedRows(c), comparedFamilies(c), decimals(c.MDE), verdictEntry(string(c.Outcome))})
		noteDoubts(&t.Notes, c)
		if c.Outcome != "" && c.Outcome != comparison.NotConfirmed && c.Verdict == comparison.Indistinguishable {
			note(&t.Notes, "%s: its joint interval holds 0: with other seeds the difference may be another", Printable(c.ID))
		}
	}
	t.Groups = [][]Row{rows}
	noteReasons(&t.Notes, r, of, "")
	for _, c := range of {
		at := ""
		if c.Policy != nil {
			at = ", threshold " + *c.Policy
		}
		note(&t.Notes, "%s: %s (%s of %s, %s%s)", Printable(c.ID), Printable(c.Question), c.Metric, Printable(c.Split),
			Printable(c.Slice), at)
	}
	note(&t.Notes, "p: twice the share of resamples on the smaller side of 0, rows alone, seeds as they are. Holm p: corrected "+
		"for all %d that are listed, n/a counting as 1; confirmed below %.2f.", len(of), comparison.Level)
	t.Notes = append(append(t.Notes, intervalNotes()...), closing(r)...)
	return []Table{t}
}

// noteReasons says why numbers are undefined, of those at a policy and those without one; of all where none is named.
// Where a detector was not run, its own line says why.
func noteReasons(notes *[]string, r *results.Results, of []comparison.Result, policy string) {
	names := map[string][]string{}
	var reasons []string
	for i := range of {
		c := &of[i]
		if c.Reason == "" || notRun(r, c.A) || notRun(r, c.B) || policy != "" && c.Policy != nil && *c.Policy != policy {
			continue
		}
		if names[c.Reason] == nil {
			reasons = append(reasons, c.Reason)
		}
		names[c.Reason] = append(names[c.Reason], Printable(c.Name))
	}
	for _, reason := range reasons {
		note(notes, "n/a: %s: %s", strings.Join(names[reason], "; "), Printable(reason))
	}
}

// noteDoubts says what a reader must know of one comparison.
func noteDoubts(notes *[]string, c *comparison.Result) {
	name := Printable(c.Name)
	if c.NoInterval != "" {
		note(notes, "no interval: %s: %s", name, Printable(c.NoInterval))
	}
	if c.N < c.Total && c.ValueA != nil {
		note(notes, "%s rests on %s of %s rows: the others lack a score of one of the two and count for neither", name,
			thousands(c.N), thousands(c.Total))
	}
	if c.Interval != nil && c.Groups < results.FewGroups {
		note(notes, "%s: only %d families; with fewer than %d the interval may be too narrow", name, c.Groups,
			results.FewGroups)
	}
}

// seedNotes says which runs are compared.
func seedNotes(p *comparison.Pair, of []comparison.Result) []string {
	at := slices.IndexFunc(of, func(c comparison.Result) bool { return len(c.Runs) > 0 })
	if at < 0 {
		return nil
	}
	runs := of[at].Runs
	seeds := make([]string, len(runs))
	single := ""
	for i, run := range runs {
		seeds[i] = strconv.Itoa(run.SeedA)
		if p.A.Single {
			seeds[i] = strconv.Itoa(run.SeedB)
		}
	}
	switch {
	case p.A.Single && p.B.Single:
		return []string{"One run of each: there is no joint interval and no t."}
	case p.A.Single:
		single = "A is"
	case p.B.Single:
		single = "B is"
	}
	line := fmt.Sprintf("Seeds %s, the mean over them", strings.Join(seeds, ", "))
	if single != "" {
		line += "; " + single + " run once, so t is that of one sample, its differences from the seeds of the other"
	}
	notes := []string{line + "."}
	if len(p.Gone) > 0 {
		notes = append(notes, "Left out: "+Printable(strings.Join(p.Gone, "; "))+".")
	}
	if floor := stats.WilcoxonFloor(len(runs)); len(runs) > 1 && floor > 0.05 {
		notes = append(notes, fmt.Sprintf("Wilcoxon's signed-rank test is not shown: with %d seeds its p is %.4g at the least, "+
			"whatever they say.", len(runs), floor))
	}
	return notes
}

// intervalNotes explains the columns that both tables have.
func intervalNotes() []string {
	return []string{
		fmt.Sprintf("Difference: A - B, with the 95 %% interval of %s resamples of families, the same for both. Joint interval: "+
			"with the t-interval of the seeds, in quadrature. MDE: the difference that is found four times in five, 2.80 standard "+
			"errors of the resamples.", thousands(stats.Resamples)),
	}
}

func readingNotes(of []comparison.Result) []string {
	notes := intervalNotes()
	if at := slices.IndexFunc(of, func(c comparison.Result) bool { return len(c.Runs) > 0 }); at >= 0 {
		which := ""
		if runs := of[at].Runs; len(runs) > 1 {
			which = ", of the first seed alone"
		}
		notes = append(notes, "McNemar: exact"+which+"; it takes rows as independent, which rows of one family are not. t: over "+
			"seeds, rows as they are.")
	}
	notes = append(notes, "A is better or worse where the interval (the joint one where there is one) does not hold 0; lower is "+
		"better for FPR. Exploratory: not corrected for how many are looked at.")
	if slices.ContainsFunc(of, func(c comparison.Result) bool { return c.Status == comparison.Primary }) {
		notes = append(notes, "Primary: named in configs/primary.yaml; `pidsbench compare --primary` corrects them together.")
	}
	return notes
}

// comparedDiff shows A − B with the interval of the bootstrap.
func comparedDiff(c *comparison.Result) Entry {
	switch {
	case c.Diff == nil:
		return absent()
	case c.Interval == nil:
		return Entry{Text: fmt.Sprintf("%+.4f", *c.Diff), Raw: []string{number(c.Diff)}}
	}
	return Entry{Text: fmt.Sprintf("%+.4f [%+.4f, %+.4f]", *c.Diff, c.Interval.Lo, c.Interval.Hi),
		Raw: []string{number(c.Diff), number(&c.Interval.Lo), number(&c.Interval.Hi)}}
}

func comparedJoint(c *comparison.Result) Entry {
	if c.Joint == nil {
		return absent()
	}
	return Entry{Text: fmt.Sprintf("[%+.4f, %+.4f]", c.Joint.Lo, c.Joint.Hi),
		Raw: []string{number(c.Diff), number(&c.Joint.Lo), number(&c.Joint.Hi)}}
}

// decimals shows a number, n/a without one.
func decimals(v *float64) Entry {
	if v == nil {
		return absent()
	}
	return Entry{Text: fmt.Sprintf("%.4f", *v), Raw: []string{number(v)}}
}

// pValue shows a p-value, one that four decimals would make 0 as smaller than their smallest.
func pValue(p *float64) Entry {
	e := decimals(p)
	if p != nil && *p < 0.0001 {
		e.Text = "<0.0001"
	}
	return e
}

func comparedRows(c *comparison.Result) Entry {
	switch {
	case c.Total == 0:
		return absent()
	case c.N < c.Total:
		return Entry{Text: fmt.Sprintf("%d/%d", c.N, c.Total), Raw: []string{strconv.Itoa(c.N)}}
	}
	return Entry{Text: strconv.Itoa(c.N), Raw: []string{strconv.Itoa(c.N)}}
}

func comparedFamilies(c *comparison.Result) Entry {
	if c.Groups == 0 {
		return absent()
	}
	return Entry{Text: strconv.Itoa(c.Groups), Raw: []string{strconv.Itoa(c.Groups)}}
}

func verdictEntry(s string) Entry {
	if s == "" {
		return absent()
	}
	return label("%s", s)
}
