package probe

import (
	"cmp"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/textnorm"
)

// row is what probes look at. A column that the split lacks is empty.
type row struct {
	text       string
	label      dataset.Label
	family     string // texts of equal exact form are one family where the split has none
	source     string
	sourceType string
	authorship string
}

// rowsOf returns the rows that have a text, in an order that depends on their contents alone: sums of a fit then do not
// depend on the order of the file.
func rowsOf(s *dataset.Split) []row {
	column := func(name string) func(i int) string {
		values, ok := s.Column(name)
		if !ok {
			return func(int) string { return "" }
		}
		return func(i int) string { return values[i] }
	}
	family, source := column("family_id"), column("source")
	sourceType, authorship := column("source_type"), column("authorship")
	var out []row
	for i, r := range s.Rows {
		if r.Missing {
			continue
		}
		w := row{r.Text, r.Label, family(i), source(i), sourceType(i), authorship(i)}
		if w.family == "" {
			w.family = textnorm.ExactHash(r.Text)
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b row) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.label, b.label), strings.Compare(a.family, b.family),
			strings.Compare(a.source, b.source), strings.Compare(a.sourceType, b.sourceType),
			strings.Compare(a.authorship, b.authorship))
	})
	return out
}

func texts(rows []row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.text
	}
	return out
}

func labels(rows []row) []dataset.Label {
	out := make([]dataset.Label, len(rows))
	for i, r := range rows {
		out[i] = r.label
	}
	return out
}

func filter(rows []row, keep func(row) bool) []row {
	var out []row
	for _, r := range rows {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}

func only(rows []row, label dataset.Label) []row {
	return filter(rows, func(r row) bool { return r.label == label })
}

// without returns the rows whose families hold none of the others.
func without(rows, others []row) []row {
	gone := families(others)
	return filter(rows, func(r row) bool { return !gone[r.family] })
}

func families(rows []row) map[string]bool {
	out := map[string]bool{}
	for _, r := range rows {
		out[r.family] = true
	}
	return out
}

// valuesOf returns the values of a column, rising, and the rows of each.
func valuesOf(rows []row, column func(row) string) ([]string, map[string]int) {
	counts := map[string]int{}
	for _, r := range rows {
		counts[column(r)]++
	}
	values := make([]string, 0, len(counts))
	for v := range counts { // sorted below
		values = append(values, v)
	}
	slices.Sort(values)
	return values, counts
}
