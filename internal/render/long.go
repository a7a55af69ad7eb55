package render

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// longTable is a table for programs: each number is an entry of its own.
type longTable struct {
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	Policy  string      `json:"policy,omitempty"`
	Columns []string    `json:"columns"`
	Rows    [][]longRaw `json:"rows"`
	Notes   []string    `json:"notes"`
}

// longRaw is an entry: the text that people read, and the numbers in it at full precision.
type longRaw struct {
	Text   string   `json:"text"`
	Values []string `json:"values,omitempty"` // the value, and where there is an interval its ends
}

// raw returns the numbers of an entry, none for words and for what is undefined.
func (e Entry) raw() []string {
	if e.Cell == nil {
		return e.Raw
	}
	if e.Cell.Value == nil {
		return nil
	}
	values := []string{number(e.Cell.Value)}
	if e.Cell.Lo != nil && e.Cell.Hi != nil {
		values = append(values, number(e.Cell.Lo), number(e.Cell.Hi))
	}
	return values
}

func longTables(tables []Table) []longTable {
	out := make([]longTable, len(tables))
	for i, t := range tables {
		long := longTable{ID: t.ID, Title: t.Title, Policy: t.Policy, Columns: t.Columns, Rows: [][]longRaw{},
			Notes: append([]string{}, t.Notes...)}
		for _, row := range slices.Concat(t.Groups...) {
			entries := make([]longRaw, len(row))
			for k, e := range row {
				entries[k] = longRaw{Text: e.String(), Values: e.raw()}
			}
			long.Rows = append(long.Rows, entries)
		}
		out[i] = long
	}
	return out
}

// LongCSV writes tables of any shape, a line for each entry: the table, the detector where the row has numbers of one, the
// words at the left of its row, its column, the text that people read, and the number and its interval at full precision
// where there are any.
func LongCSV(w io.Writer, tables []Table) error {
	out := csv.NewWriter(w)
	records := [][]string{{"table", "policy", "row", "detector", "words", "column", "text", "value", "lo", "hi", "edition", "manifest_sha256"}}
	for _, t := range tables {
		labels := labelColumns(t)
		for n, row := range slices.Concat(t.Groups...) {
			var words []string
			detector := ""
			for i, e := range row {
				if e.Cell != nil && detector == "" {
					detector = e.Cell.Detector
				}
				if labels[i] {
					words = append(words, e.String())
				}
			}
			for i, e := range row {
				if labels[i] {
					continue
				}
				record := []string{t.ID, t.Policy, strconv.Itoa(n + 1), detector, strings.Join(words, " | "), t.Columns[i], e.String()}
				raw := append(slices.Clone(e.raw()), "", "", "")[:3]
				records = append(records, append(append(record, raw...), t.Source.Edition, t.Source.Manifest))
			}
		}
	}
	return out.WriteAll(records)
}
