package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// Table is a CSV file as it stands: every field as written.
type Table struct {
	Name    string // of its split
	Header  []string
	Records [][]string
}

// Violation is one way in which a file is not what the schema says.
type Violation struct {
	File    string `json:"file"`
	Row     int    `json:"row"`    // from 0; -1 when it is about the whole file
	Column  string `json:"column"` // "" when it is about the row or the file
	Problem string `json:"problem"`
}

// String returns the violation as a sentence without its end.
func (v Violation) String() string {
	where := fault.Name(v.File)
	if v.Row >= 0 {
		where += fmt.Sprintf(" row %d", v.Row)
	}
	if v.Column != "" {
		where += ": column " + fault.Name(v.Column)
	}
	return where + ": " + v.Problem
}

// Check returns every violation, by file in the given order, then by row. A file whose columns are not those of its
// layout gets one violation, and its rows are not looked at.
func (s *Schema) Check(tables []Table) []Violation {
	var out []Violation
	seeds := s.seeds(tables)
	for _, t := range tables {
		spec, ok := s.file(t.Name)
		if !ok {
			out = append(out, Violation{File: t.Name, Row: -1, Problem: "the file is not declared in configs/schema.yaml"})
			continue
		}
		l := s.Layouts[spec.Layout]
		if problem := compareHeader(t.Header, slices.Concat(l.Columns, l.Own, s.Own)); problem != "" {
			out = append(out, Violation{File: t.Name, Row: -1, Problem: problem})
			continue
		}
		out = append(out, s.rows(t, spec, seeds)...)
	}
	return out
}

func compareHeader(got, want []string) string {
	for i, w := range want {
		switch {
		case i >= len(got):
			return fmt.Sprintf("column %d (%s) is missing", i+1, w)
		case got[i] != w:
			return fmt.Sprintf("column %d is %s, expected %s", i+1, fault.Quote(got[i]), w)
		}
	}
	if len(got) > len(want) {
		return fmt.Sprintf("column %d (%s) is not declared for this file", len(want)+1, fault.Quote(got[len(want)]))
	}
	return ""
}

// row is one record with its fields by name.
type row struct {
	at     map[string]int
	fields []string
}

// get returns a field and whether the file has the column.
func (r row) get(column string) (string, bool) {
	i, ok := r.at[column]
	if !ok {
		return "", false
	}
	return r.fields[i], true
}

func (s *Schema) rows(t Table, spec File, seeds *seedTexts) []Violation {
	var out []Violation
	columns := make([]Column, len(t.Header))
	at := make(map[string]int, len(t.Header))
	for i, name := range t.Header {
		at[name] = i
		columns[i] = s.Columns[name]
		if v, ok := spec.Values[name]; ok {
			columns[i] = Column{Values: v, Empty: columns[i].Empty}
		}
	}
	for n, fields := range t.Records {
		bad := func(column, problem string) {
			out = append(out, Violation{t.Name, n, column, problem})
		}
		for i, c := range columns {
			if problem := c.problem(fields[i]); problem != "" {
				bad(t.Header[i], problem)
			}
		}
		r := row{at, fields}
		for _, rule := range []func(row) (string, string){s.emptyText, s.attackType, s.edits} {
			if column, problem := rule(r); problem != "" {
				bad(column, problem)
			}
		}
		if _, ok := at["transform_type"]; ok {
			if problem := seeds.compare(r, spec.Seeds); problem != "" {
				bad("text", problem)
			}
		}
	}
	return out
}

// problem says what is wrong with a field, or nothing. Texts have a rule of their own.
func (c Column) problem(field string) string {
	switch {
	case field == "" && c.Empty:
	case c.Values != nil:
		if !slices.Contains(c.Values, field) {
			return fmt.Sprintf("holds %s, expected %s", fault.Quote(field), orList(c.Values))
		}
	case c.re != nil:
		if !c.re.MatchString(field) {
			return fmt.Sprintf("holds %s, expected the pattern %s", fault.Quote(field), c.Pattern)
		}
	case c.Least != nil:
		if n, err := strconv.Atoi(field); err != nil || n < *c.Least || n > *c.Most || strconv.Itoa(n) != field {
			return fmt.Sprintf("holds %s, expected a whole number from %d to %d", fault.Quote(field), *c.Least, *c.Most)
		}
	}
	return ""
}

// orList joins words as "a, b or c", at most twelve of them.
func orList(words []string) string {
	if len(words) > 12 {
		return fmt.Sprintf("%s or %d others", strings.Join(words[:12], ", "), len(words)-12)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
