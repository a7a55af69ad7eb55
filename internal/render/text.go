package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text writes tables for a terminal: aligned columns, a line below the header and between groups.
func Text(w io.Writer, tables []Table) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := textTable(w, t); err != nil {
			return err
		}
	}
	return nil
}

func textTable(w io.Writer, t Table) error {
	var buf bytes.Buffer
	labels := labelColumns(t)
	align := make(tw.Alignment, len(t.Columns))
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		align[i] = tw.AlignRight
		if labels[i] {
			align[i] = tw.AlignLeft
		}
		heads[i] = twoLines(c)
	}
	off := tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off}
	table := tablewriter.NewTable(&buf,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
			Settings: tw.Settings{Lines: off, Separators: tw.Separators{BetweenColumns: tw.Off}},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone), tablewriter.WithAlignment(align),
	)
	table.Header(heads)
	for _, g := range t.Groups {
		for _, row := range g {
			cells := make([]string, len(row))
			for i, e := range row {
				cells[i] = e.String()
			}
			if err := table.Append(cells); err != nil {
				return err
			}
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, t.Title); err != nil {
		return err
	}
	if err := writeGroups(w, buf.String(), t); err != nil {
		return err
	}
	for _, n := range t.Notes {
		if _, err := fmt.Fprintln(w, "  "+Printable(n)); err != nil {
			return err
		}
	}
	return nil
}

// writeGroups copies the drawn table and repeats the line below the header between groups. Every row is one line high.
func writeGroups(w io.Writer, drawn string, t Table) error {
	lines := strings.Split(strings.TrimRight(drawn, "\n"), "\n")
	rows := 0
	for _, g := range t.Groups {
		rows += len(g)
	}
	first := len(lines) - rows
	rule := ""
	if first > 0 {
		rule = lines[first-1]
	}
	starts := map[int]bool{}
	at := first
	for _, g := range t.Groups {
		starts[at] = at != first
		at += len(g)
	}
	for i, line := range lines {
		if starts[i] {
			line = rule + "\n" + line
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
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
func twoLines(head string) string {
	if i := strings.LastIndex(head, " "); len(head) > 9 && i > 0 {
		return head[:i] + "\n" + head[i+1:]
	}
	return head
}
