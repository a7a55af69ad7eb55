package comparison

import (
	"fmt"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Data is the splits on which detectors are compared. All comparisons on a split rest on the same resamples.
type Data struct {
	splits     map[string]*split
	undisputed bool
}

// split is a split with the families of its rows.
type split struct {
	results.Split
	families []string
	draws    *stats.Draws // nil until they are needed
}

// NewData makes the data of splits; rows in dispute count nowhere when undisputed is set.
func NewData(splits []results.Split, undisputed bool) *Data {
	d := &Data{splits: map[string]*split{}, undisputed: undisputed}
	for _, s := range splits {
		d.splits[s.Spec.Name] = &split{Split: s, families: results.Families.Of(s)}
	}
	return d
}

// drawn returns the resamples of the split. A slice is drawn with its whole split.
func (s *split) drawn() *stats.Draws {
	if s.draws == nil {
		s.draws = results.Families.Draw(s.Split)
	}
	return s.draws
}

// rows returns the rows of the classes that the metric speaks of, or why there are none.
func (d *Data) rows(s Spec, m metric) (rows []int, reason string) {
	split := d.splits[s.Split]
	if split == nil {
		return nil, "there is no split " + s.Split
	}
	if split.Absent != "" {
		return nil, split.Absent
	}
	name, want, sliced := strings.Cut(s.Slice, "=")
	var values []string
	if sliced {
		ok := false
		if values, ok = split.Data.Column(split.Spec.Slices[name]); !ok {
			return nil, fmt.Sprintf("%s has no breakdown by %s", s.Split, name)
		}
	}
	var out map[int]bool
	if d.undisputed {
		out = results.Disputed(split.Data)
	}
	for i, row := range split.Data.Rows {
		if !out[i] && (values == nil || values[i] == want) && m.counts(row.Label) {
			rows = append(rows, i)
		}
	}
	switch {
	case len(rows) > 0:
	case sliced:
		reason = fmt.Sprintf("%s has no rows with %s that count", s.Split, s.Slice)
	default:
		reason = s.Split + " has no rows that count"
	}
	return rows, reason
}

// view is the rows of a split that count in a comparison.
type view struct {
	split *split
	rows  []int
}

func (v view) families() []string {
	names := make([]string, len(v.rows))
	for i, row := range v.rows {
		names[i] = v.split.families[row]
	}
	return names
}

func (v view) injection(row int) bool { return v.split.Data.Rows[row].Label == dataset.Injection }

// mcnemar compares the verdicts of two runs on the rows.
func (v view) mcnemar(a, b *run) *McNemar {
	t := &McNemar{}
	for _, row := range v.rows {
		switch x, y := a.flags(row) == v.injection(row), b.flags(row) == v.injection(row); {
		case x && !y:
			t.OnlyA++
		case y && !x:
			t.OnlyB++
		}
	}
	t.P = stats.McNemar(t.OnlyA, t.OnlyB)
	return t
}
