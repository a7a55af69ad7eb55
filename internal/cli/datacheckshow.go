package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/leak"
	"pidsbench/internal/render"
	"pidsbench/internal/schema"
)

var checkFormats = map[string]func(io.Writer, *checked) error{
	"table":    func(w io.Writer, c *checked) error { return render.Text(w, c.tables()) },
	"markdown": func(w io.Writer, c *checked) error { return render.Markdown(w, c.tables()) },
	"csv":      checkCSV,
	"json":     checkJSON,
}

// kindWords say what rows of a kind share.
var kindWords = map[leak.Kind]string{
	leak.Raw: "equal bytes", leak.Exact: "equal after NFKC, case folding and white space",
	leak.Skeleton: "equal once disguise is removed", leak.Near: "TF-IDF cosine", leak.Parent: "one parent_seed_id",
	leak.Family: "one family_id", leak.Frame: "one frame_id", leak.Carrier: "one carrier_id",
}

func textRow(cells ...string) render.Row {
	row := make(render.Row, len(cells))
	for i, c := range cells {
		row[i] = render.Entry{Text: c}
	}
	return row
}

// tables returns the matrix of each kind that any two files share, and what else was found.
func (c *checked) tables() []render.Table {
	tables := []render.Table{c.summary()}
	for _, k := range leak.Kinds {
		if c.between(k) > 0 {
			tables = append(tables, c.kindTable(k))
		}
	}
	for _, a := range c.contamination {
		tables = append(tables, a.table())
	}
	last := &tables[len(tables)-1]
	last.Notes = append(last.Notes, c.schemaNotes()...)
	return tables
}

// between returns how many pairs of files share rows of a kind.
func (c *checked) between(k leak.Kind) int {
	n := 0
	for _, o := range c.matrix.Overlaps {
		if o.Kind == k && o.A != o.B {
			n++
		}
	}
	return n
}

func (c *checked) summary() render.Table {
	rows := 0
	for _, f := range c.matrix.Files {
		rows += f.Rows
	}
	t := render.Table{Title: fmt.Sprintf("Overlaps between %s of %s", count(len(c.matrix.Files), "file"), count(rows,
		"row")),
		Columns: []string{"Kind", "Pairs of files", "Allowed", "Violations", "Pairs of rows", "Opposed labels",
			"Inside files"}, Left: 1}
	if c.edition != "" {
		t.Title += ", edition " + render.Printable(c.edition)
	}
	var group []render.Row
	var absent []string
	violations := c.violations()
	for _, k := range leak.Kinds {
		if c.matrix.Having[k] == 0 {
			absent = append(absent, fmt.Sprintf("%s (no file has the column %s)", k, k.Column()))
			continue
		}
		var shared, allowed, bad int
		var pairs, opposed, inside int64
		for _, o := range c.matrix.Overlaps {
			switch {
			case o.Kind != k:
			case o.A == o.B:
				inside += o.Pairs
			default:
				shared++
				pairs += o.Pairs
				opposed += o.Opposed
				if o.Allowed {
					allowed++
				}
			}
		}
		for _, o := range violations {
			if o.Kind == k {
				bad++
			}
		}
		group = append(group, textRow(string(k), strconv.Itoa(shared), strconv.Itoa(allowed), strconv.Itoa(bad),
			strconv.FormatInt(pairs, 10), strconv.FormatInt(opposed, 10), strconv.FormatInt(inside, 10)))
	}
	t.Groups = [][]render.Row{group}
	if len(absent) > 0 {
		t.Notes = append(t.Notes, "n/a: "+strings.Join(absent, ", "))
	}
	t.Notes = append(t.Notes, fmt.Sprintf("near: TF-IDF cosine of at least %g, as written or in the plain form; raw, "+
		"exact, skeleton and near each include the kinds before", c.matrix.Near))
	for _, f := range c.matrix.Files {
		if f.Withheld > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d of %d rows have no text and are compared by columns alone",
				render.Printable(f.Name), f.Withheld, f.Rows))
		}
	}
	for _, m := range c.missing {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: n/a, the file is not here", render.Printable(m)))
	}
	return t
}

// kindTable is the matrix of one kind: rows of the file on the left with a partner in the file above.
func (c *checked) kindTable(k leak.Kind) render.Table {
	t := render.Table{Title: fmt.Sprintf("%s: rows of the file on the left with a partner in the file above (%s)", k,
		kindWords[k]), Left: 1, Columns: []string{"Split", "Rows"}}
	var group []render.Row
	for i, f := range c.matrix.Files {
		t.Columns = append(t.Columns, strconv.Itoa(i+1))
		row := []string{fmt.Sprintf("%d %s", i+1, render.Printable(f.Name)), strconv.Itoa(f.Rows)}
		for j, g := range c.matrix.Files {
			o := c.matrix.Find(k, f.Name, g.Name)
			n := o.RowsA
			if o.A != f.Name {
				n = o.RowsB
			}
			cell := strconv.Itoa(n)
			if i == j || o.Allowed {
				cell = "(" + cell + ")"
			}
			row = append(row, cell)
		}
		group = append(group, textRow(row...))
	}
	t.Groups = [][]render.Row{group}
	t.Notes = append(t.Notes, "(n): inside one file, or between files that may repeat each other")
	return t
}

func (a contamination) table() render.Table {
	t := render.Table{Title: "Contamination: rows that are in " + render.Printable(a.Against),
		Columns: []string{"Split", "Kind", "Eval rows", "Matches", "%", "Pairs"}, Left: 2}
	for i, r := range a.Rows {
		pct := "n/a"
		if r.Pct != nil {
			pct = strconv.FormatFloat(*r.Pct, 'f', 2, 64)
		}
		if i%3 == 0 {
			t.Groups = append(t.Groups, nil)
		}
		last := &t.Groups[len(t.Groups)-1]
		*last = append(*last, textRow(render.Printable(r.Split), string(r.Kind), strconv.Itoa(r.EvalRows),
			strconv.Itoa(r.Matches), pct,
			strconv.FormatInt(r.Pairs, 10)))
	}
	t.Notes = append(t.Notes, fmt.Sprintf("near: TF-IDF cosine of at least %g", a.Near))
	return t
}

// schemaNotes are a line for each violation of the schema, up to twenty.
func (c *checked) schemaNotes() []string {
	const shown = 20
	var notes []string
	for _, v := range c.schema[:min(shown, len(c.schema))] {
		notes = append(notes, "schema: "+v.String())
	}
	if len(c.schema) > shown {
		notes = append(notes, fmt.Sprintf("schema: and %d more (--format json lists all)", len(c.schema)-shown))
	}
	if len(c.schema) > 0 {
		notes = append(notes, "Rows are counted from 0, as in score files.")
	}
	return notes
}

// checkCSV writes a row for each pair of files and kind that share anything, and for each file and kind of --against.
func checkCSV(w io.Writer, c *checked) error {
	header := []string{"kind", "near", "a", "b", "rows_a", "of_a", "pct_a", "rows_b", "of_b", "pairs", "opposed_labels",
		"state"}
	of := map[string]int{}
	for _, f := range c.matrix.Files {
		of[f.Name] = f.Rows
	}
	near := func(k leak.Kind, cosine float64) string {
		if k != leak.Near {
			return ""
		}
		return strconv.FormatFloat(cosine, 'g', -1, 64)
	}
	pct := func(n, of int) string {
		if of == 0 {
			return ""
		}
		return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 4, 64)
	}
	violations := c.violations()
	var records [][]string
	for _, o := range c.matrix.Overlaps {
		state := "shown"
		switch {
		case o.A == o.B:
			state = "inside"
		case o.Allowed:
			state = "allowed"
		case slices.ContainsFunc(violations,
			func(v leak.Overlap) bool { return v.Kind == o.Kind && v.A == o.A && v.B == o.B }):
			state = "violation"
		}
		records = append(records, []string{string(o.Kind), near(o.Kind, c.matrix.Near), o.A, o.B, strconv.Itoa(o.RowsA),
			strconv.Itoa(of[o.A]), pct(o.RowsA, of[o.A]), strconv.Itoa(o.RowsB), strconv.Itoa(of[o.B]),
			strconv.FormatInt(o.Pairs, 10), strconv.FormatInt(o.Opposed, 10), state})
	}
	for _, a := range c.contamination {
		for _, r := range a.Rows {
			records = append(records, []string{string(r.Kind), near(r.Kind, a.Near), r.Split, a.Against, strconv.Itoa(r.Matches),
				strconv.Itoa(r.EvalRows), pct(r.Matches, r.EvalRows), "", "", strconv.FormatInt(r.Pairs, 10), "", "against"})
		}
	}
	return dataset.WriteCSV(w, header, records)
}

func checkJSON(w io.Writer, c *checked) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Schema        string             `json:"schema"`
		Edition       string             `json:"edition"`
		Matrix        *leak.Report       `json:"matrix"`
		Violations    []leak.Overlap     `json:"violations"`
		Contamination []contamination    `json:"contamination"`
		SchemaErrors  []schema.Violation `json:"schema_violations"`
		Missing       []string           `json:"missing"`
	}{"pidsbench-data-check/1", c.edition, c.matrix, append([]leak.Overlap{}, c.violations()...),
		append([]contamination{}, c.contamination...), append([]schema.Violation{}, c.schema...), append([]string{},
			c.missing...)})
}
