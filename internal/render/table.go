// Package render lays results out: one table model, a renderer for each format.
package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"pidsbench/internal/results"
)

// Table is what every renderer draws: a header, rows in groups with a line between them, and notes below.
type Table struct {
	ID      string // main, provenance, foreign, confusion, own, external, external-slices, arms, …
	Title   string
	Policy  string // the threshold policy of its numbers
	Source  Source // what they rest on
	Columns []string
	Left    int // columns at the left that hold words; 0 = those named Detector or Split
	Groups  [][]Row
	Notes   []string

	Ranked bool // the rows of the first group compete: formats that can mark the best number of each column do
}

// Source says what the numbers of a table were computed from.
type Source struct {
	Edition, Manifest, Windows string
	Limit                      int // rows of each split that were scored in a trial; 0 = all
}

// Row holds one entry a column.
type Row []Entry

// Entry is a label, or a number with its counts and state. Cell is nil for labels.
type Entry struct {
	Text string
	Raw  []string // the same for programs, when it is not the text
	Cell *results.Cell
}

// Renderer writes tables in one format.
type Renderer func(w io.Writer, tables []Table) error

// label makes an entry of text.
func label(format string, args ...any) Entry { return Entry{Text: fmt.Sprintf(format, args...)} }

// absent is an entry for a number that the edition cannot give.
func absent() Entry { return Entry{Text: "n/a"} }

// String returns the entry as people read it: four decimals, ± the standard deviation over seeds, a star when some rows
// come from sets that the detector was trained on, and the rows it rests on when some are missing.
func (e Entry) String() string {
	c := e.Cell
	if c == nil {
		return e.Text
	}
	if c.Value == nil {
		return "n/a"
	}
	s := formatValue(c.Metric, *c.Value)
	if c.SD != nil {
		s += "±" + formatValue(c.Metric, *c.SD)
	}
	if c.NExposed > 0 {
		s += "*"
	}
	if c.State == results.StateIncomplete {
		s += fmt.Sprintf(" (%d/%d)", c.N, c.Total())
	}
	return s
}

func formatValue(metric string, v float64) string {
	switch metric {
	case "tn", "fp", "fn", "tp":
		if v == float64(int64(v)) {
			return strconv.FormatInt(int64(v), 10)
		}
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// Printable escapes control and format characters, so that a name or a path cannot steer a terminal.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
