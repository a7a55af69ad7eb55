package render

import (
	"cmp"
	"fmt"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/slicing"
)

// textLength is the number of characters of a text that a listing of errors shows.
const textLength = 160

// Errors lists, for the first policy and each detector above the line, the n worst false alarms of each split (benign
// rows that a seed flags, the highest scores first) and the n worst misses (injections that a seed passes, the lowest
// scores first). Texts are escaped and cut.
func Errors(in *results.Input, r *results.Results, n int) []Table {
	if len(r.Policies) == 0 {
		return nil
	}
	b := cutTables{in: in, r: r, policy: r.Policies[0], detectors: aboveTheLine(r)}
	var tables []Table
	for _, s := range in.Splits {
		if s.Absent != "" {
			continue
		}
		of, gaps := b.verdicts(s.Data.Name)
		for _, class := range []dataset.Label{dataset.Benign, dataset.Injection} {
			if t := b.errors(s.Data, of, class, n); t != nil {
				t.Notes = append(gaps, t.Notes...)
				tables = append(tables, *t)
			}
		}
	}
	return tables
}

// errors is the table of a class of a split; nil when no detector errs on it.
func (b *cutTables) errors(s *dataset.Split, of map[int]slicing.Verdicts, class dataset.Label, n int) *Table {
	what := map[dataset.Label]string{dataset.Benign: "worst false alarms", dataset.Injection: "worst misses"}[class]
	t := &Table{ID: "errors", Title: title(b.r, Printable(s.Name)+": "+what, b.policy), Policy: b.policy, Left: 5,
		Source:  Source{b.r.Edition, b.r.ManifestSHA256, b.r.WindowMode, b.r.Limit},
		Columns: []string{"Detector", "Row", "Source", "Family", "Text", "Score", "Seeds wrong"}}
	sources, _ := s.Column("source")
	family, _ := s.Column("family_id")
	value := func(column []string, row int) Entry {
		if column == nil {
			return label("")
		}
		return label("%s", shorten(column[row], valueLength))
	}
	for _, i := range b.detectors {
		v, ok := of[i]
		if !ok {
			continue
		}
		name := Printable(b.r.Detectors[i].Name)
		wrong, all := worstRows(s, &v, class, slicing.Out(b.in, s), n)
		var rows []Row
		for _, row := range wrong {
			rows = append(rows, Row{label("%s", name), label("%d", row), value(sources, row), value(family, row),
				label("%s", shorten(s.Rows[row].Text, textLength)), plainNumber(v.Scores[row]),
				label("%d/%d", v.Errors(row, class), v.Seeds)})
		}
		if len(rows) > 0 {
			t.Groups = append(t.Groups, rows)
			note(&t.Notes, "%s: %d of %d", name, len(rows), all)
		}
	}
	if len(t.Groups) == 0 {
		return nil
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Rows are counted from 0, scores are means over the seeds, texts are cut to "+
		"%d characters.", textLength))
	return t
}

// worstRows returns the n rows of a class that are most wrong, by score and then by number, and how many are wrong for
// a seed at least.
func worstRows(s *dataset.Split, v *slicing.Verdicts, class dataset.Label, out map[int]bool, n int) (
	rows []int, all int) {
	for i, r := range s.Rows {
		if r.Label == class && !out[i] && v.Scored[i] && v.Errors(i, class) > 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		if class == dataset.Injection {
			return cmp.Compare(v.Scores[a], v.Scores[b])
		}
		return cmp.Compare(v.Scores[b], v.Scores[a])
	})
	return rows[:min(n, len(rows))], len(rows)
}
