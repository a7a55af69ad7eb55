package results

import (
	"fmt"
	"maps"
	"slices"

	"pidsbench/internal/dataset"
)

// part is a slice of a split: the rows that count.
type part struct {
	name   string
	rows   []int
	labels []dataset.Label
}

// partition cuts a split into all its rows and its slices; rows in dispute count nowhere when undisputed is set.
func partition(s Split, undisputed bool) (parts []part, warnings []string) {
	all := part{name: "all"}
	var out map[int]bool
	if undisputed {
		out = Disputed(s.Data)
	}
	for i, row := range s.Data.Rows {
		if out[i] {
			continue
		}
		all.rows = append(all.rows, i)
		all.labels = append(all.labels, row.Label)
	}
	parts = []part{all}
	if s.Absent != "" {
		return parts, nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Spec.Slices)) {
		column := s.Spec.Slices[name]
		values, ok := s.Data.Column(column)
		if !ok {
			warnings = append(warnings, fmt.Sprintf("%s has no column %q: no breakdown by %s", s.Data.File, column, name))
			continue
		}
		byValue := map[string]*part{}
		for i, v := range values {
			if out[i] {
				continue
			}
			if byValue[v] == nil {
				byValue[v] = &part{name: name + "=" + v}
			}
			p := byValue[v]
			p.rows = append(p.rows, i)
			p.labels = append(p.labels, s.Data.Rows[i].Label)
		}
		for _, v := range slices.Sorted(maps.Keys(byValue)) {
			parts = append(parts, *byValue[v])
		}
	}
	return parts, warnings
}

// Disputed holds the rows whose label readers doubt: those with yes in the column disputed.
func Disputed(s *dataset.Split) map[int]bool {
	values, _ := s.Column("disputed")
	rows := map[int]bool{}
	for i, v := range values {
		if v == "yes" {
			rows[i] = true
		}
	}
	return rows
}

// authorship counts the rows of a split by who wrote them; nil when the split does not say.
func authorship(s *dataset.Split) map[string]int {
	values, ok := s.Column("authorship")
	if !ok {
		return nil
	}
	counts := map[string]int{}
	for _, v := range values {
		counts[v]++
	}
	return counts
}

// withheld returns the number of rows whose text is not there.
func withheld(s *dataset.Split) int {
	n := 0
	for _, row := range s.Rows {
		if row.Missing {
			n++
		}
	}
	return n
}
