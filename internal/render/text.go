package render

import (
	"bytes"
	"io"
	"strings"
)

// Text writes tables for a terminal: aligned columns, a line below the header and between groups, notes below. Where w
// is a terminal, as its method Columns says, a table that does not fit is cut into blocks of columns below each other,
// and titles and notes are wrapped to fit; elsewhere tables are as wide as they are, and notes wrap at pipeColumns.
func Text(w io.Writer, tables []Table) error {
	var b bytes.Buffer
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeText(&b, t, columnsOf(w))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// pipeColumns is where notes are wrapped when no terminal shows them, and on terminals that are wider.
const pipeColumns = 120

// fewestColumns is the narrowest terminal that lines are fitted to: below it they are left to the terminal.
const fewestColumns = 40

// columnsOf returns the columns of the terminal that w writes to, 0 when it is none or does not tell.
func columnsOf(w io.Writer) int {
	if s, ok := w.(interface{ Columns() int }); ok && s.Columns() > 0 {
		return max(s.Columns(), fewestColumns)
	}
	return 0
}

// writeText draws a table for so many columns, 0 for as many as it takes.
func writeText(b *bytes.Buffer, t Table, columns int) {
	title, wide := []string{t.Title}, pipeColumns
	if columns > 0 {
		wide = min(wide, columns)
		title = wrap(t.Title, columns, "", "  ")
	}
	b.WriteString(strings.Join(title, "\n") + "\n")
	for i, block := range newGrid(t).fit(columns) {
		if i > 0 {
			b.WriteByte('\n')
		}
		block.write(b)
	}
	for _, n := range t.Notes {
		for _, line := range wrap(Printable(n), wide, "  ", "    ") {
			b.WriteString(line + "\n")
		}
	}
}

// labelColumns tells which columns hold words: they are set flush left.
func labelColumns(t Table) []bool {
	labels := make([]bool, len(t.Columns))
	for i, c := range t.Columns {
		labels[i] = i < t.Left || t.Left == 0 && (c == "Detector" || c == "Split")
	}
	return labels
}

// twoLines breaks a long head at its last space, to keep tables narrow.
func twoLines(head string) []string {
	if i := strings.LastIndex(head, " "); len(head) > 9 && i > 0 {
		return []string{head[:i], head[i+1:]}
	}
	return []string{head}
}
