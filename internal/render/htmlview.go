package render

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/results"
)

// pageView is a page as its template reads it.
type pageView struct {
	Page
	CSS       template.CSS
	JS        template.JS
	Policy    string
	Main      []pageTable
	Counts    []pageTable // confusion counts, folded away
	Wrong     []pageTable
	Drawings  []pageFigure
	Details   []pageFigure
	Detectors []string
	Axes      []string
}

type pageFigure struct {
	Picture
	SVG template.HTML
}

// pageTable is a table of the page.
type pageTable struct {
	ID      string // main, main-2, …
	Title   string
	Context string // what stands in brackets after the title: windows, edition, manifest
	Columns []pageColumn
	Groups  [][]pageRow
	Notes   []string
}

type pageColumn struct {
	Head  string
	Axis  string // of all its numbers; empty where they differ
	Words bool
}

type pageRow struct {
	Detector string // empty where the row is of none
	Axis     string // of all its numbers, where columns have none of their own
	Entries  []pageEntry
}

type pageEntry struct {
	Text, Sort, Hint string
	Axis             string
	Words            bool
	Long             bool // needs room
}

// long is the length of a text in bytes from which its column is given room on a narrow screen.
const long = 40

// numbering gives tables of one kind names of their own.
type numbering map[string]int

func newNumbering() numbering { return numbering{} }

func (n numbering) name(id string) string {
	n[id]++
	if n[id] == 1 {
		return id
	}
	return id + "-" + strconv.Itoa(n[id])
}

func newPageTable(t Table, names numbering) pageTable {
	s := pageTable{ID: names.name(t.ID), Title: t.Title, Notes: t.Notes}
	if head, rest, ok := strings.Cut(t.Title, " ("); ok && strings.HasSuffix(rest, ")") {
		s.Title, s.Context = head, strings.TrimSuffix(rest, ")")
	}
	labels := labelColumns(t)
	for i, c := range t.Columns {
		s.Columns = append(s.Columns, pageColumn{Head: Printable(c), Axis: columnAxis(t, i), Words: labels[i]})
	}
	detector := slices.Index(t.Columns, "Detector")
	for _, g := range t.Groups {
		var rows []pageRow
		for _, row := range g {
			r := pageRow{Axis: rowAxis(row)}
			for i, e := range row {
				words, axis := i < len(labels) && labels[i], ""
				if i < len(s.Columns) {
					axis = s.Columns[i].Axis
				}
				text := Printable(e.String())
				r.Entries = append(r.Entries, pageEntry{Text: text, Sort: sortNumber(e), Hint: cellHint(e.Cell), Axis: axis,
					Words: words,
					Long:  len(text) > long})
				if axis != "" {
					r.Axis = ""
				}
			}
			if detector >= 0 && detector < len(row) {
				r.Detector = Printable(row[detector].String())
			}
			rows = append(rows, r)
		}
		s.Groups = append(s.Groups, rows)
	}
	return s
}

// columnAxis is the axis of a column, where other columns have others: a table of one axis alone is filtered by rows.
func columnAxis(t Table, column int) string {
	var of, all []string
	for _, g := range t.Groups {
		for _, row := range g {
			for i, e := range row {
				if e.Cell == nil || e.Cell.Axis == "" {
					continue
				}
				axis := string(e.Cell.Axis)
				if i == column && !slices.Contains(of, axis) {
					of = append(of, axis)
				}
				if !slices.Contains(all, axis) {
					all = append(all, axis)
				}
			}
		}
	}
	if len(of) == 1 && len(all) > 1 {
		return of[0]
	}
	return ""
}

// rowAxis is the axis of all cells of a row.
func rowAxis(row Row) string {
	axis := ""
	for _, e := range row {
		if e.Cell == nil {
			continue
		}
		if a := string(e.Cell.Axis); axis == "" {
			axis = a
		} else if a != axis {
			return ""
		}
	}
	return axis
}

// sortNumber is the number by which a column is sorted; empty where there is none, so that it goes by the text.
func sortNumber(e Entry) string {
	switch {
	case e.Cell != nil:
		return number(e.Cell.Value)
	case len(e.Raw) > 0:
		first, _, _ := strings.Cut(e.Raw[0], " ")
		return first
	}
	return ""
}

// cellHint says what a number rests on.
func cellHint(c *results.Cell) string {
	if c == nil {
		return ""
	}
	if c.Value == nil {
		return c.Reason
	}
	s := fmt.Sprintf("n = %d (%d benign, %d injection)", c.N, c.NBenign, c.NInjection)
	if c.NSeeds > 1 {
		s += fmt.Sprintf(", mean over %d seeds", c.NSeeds)
	}
	if c.Lo != nil && c.Hi != nil {
		s += fmt.Sprintf(", 95 %% interval %s to %s", formatValue(c.Metric, *c.Lo), formatValue(c.Metric, *c.Hi))
	}
	return s
}

// pageChoices lists the detectors and the axes that the page can be filtered by, in the order in which they first stand.
func pageChoices(lists ...[]pageTable) (detectors, axes []string) {
	add := func(to *[]string, s string) {
		if s != "" && !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for _, list := range lists {
		for _, s := range list {
			for _, c := range s.Columns {
				add(&axes, c.Axis)
			}
			for _, g := range s.Groups {
				for _, r := range g {
					add(&detectors, r.Detector)
					add(&axes, r.Axis)
				}
			}
		}
	}
	return detectors, axes
}
