// Package facet says by what the rows of a split can be told apart: who wrote them, where they come from, what is
// disguised and how, how long they are, in which language, and with which structures of speech.
package facet

import (
	"slices"

	"pidsbench/internal/breakdown"
	"pidsbench/internal/dataset"
	"pidsbench/internal/language"
)

// Facet is one way of telling rows apart.
type Facet struct {
	Name   string   // provenance, source, attack_type, …
	Values []string // one a row; empty where a row has none
	ByRule bool     // at least some values were found by rule, not known from where the row comes from
}

// columns are the facets that a split has columns for; the first column with two values is taken.
var columns = []struct {
	name string
	of   []string
}{
	{"source_type", []string{"source_type"}},
	{"source", []string{"source"}},
	{"topic", []string{"topic", "hardneg_category"}},
	{"attack_type", []string{"attack_type", "attack_style"}},
	{"obfuscation", []string{"obfuscation_kind", "obfuscation"}},
	{"domain", []string{"domain"}},
	{"transform", []string{"transform_type"}},
}

// Of returns the facets of a split that part its rows, in a fixed order.
func Of(s *dataset.Split) []Facet {
	var out []Facet
	for _, c := range columns {
		for _, name := range c.of {
			values, ok := s.Column(name)
			if !ok || !parts(values) {
				continue
			}
			f := Facet{Name: c.name, Values: values}
			switch {
			case c.name == "source_type" && slices.Contains(values, "curated"):
				f.Name = "provenance"
			case c.name == "attack_type":
				f.ByRule = namedByRule(s)
			}
			out = append(out, f)
			break
		}
	}
	for _, f := range []Facet{
		{Name: "language", Values: languages(s)},
		{Name: "characters", Values: breakdown.Characters(s)},
		{Name: "structure", Values: structures(s), ByRule: true},
	} {
		if parts(f.Values) {
			out = append(out, f)
		}
	}
	return out
}

// parts reports whether there are two values.
func parts(values []string) bool {
	first := ""
	for _, v := range values {
		if first == "" {
			first = v
		}
		if v != "" && v != first {
			return true
		}
	}
	return false
}

// namedByRule reports whether the attack type of some row was found by a rule rather than written for.
func namedByRule(s *dataset.Split) bool {
	rules, _ := s.Column("attack_rule")
	return slices.ContainsFunc(rules, func(rule string) bool { return rule != "" && rule != "authored" })
}

// languages are those of the column language, or found where the split has none.
func languages(s *dataset.Split) []string {
	if values, ok := s.Column("language"); ok {
		return values
	}
	tags := language.Tags()
	out := make([]string, len(s.Rows))
	for i, r := range s.Rows {
		if !r.Missing {
			out[i] = language.Detect(r.Text, tags)
		}
	}
	return out
}
