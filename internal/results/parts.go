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

func partition(s Split) (parts []part, warnings []string) {
	all := part{name: "all"}
	for i, row := range s.Data.Rows {
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
