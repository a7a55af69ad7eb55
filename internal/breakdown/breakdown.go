// Package breakdown counts the rows of a split by what they are and where they come from, and sets beside the rows how
// many independent texts they amount to.
package breakdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// Names of breakdowns that are no column of the file.
const (
	ByLabel      = "label"
	ByWords      = "words"      // runs of non-space characters
	ByCharacters = "characters" // Unicode code points
	ByTokens     = "tokens"     // of a model's tokenizer, special tokens counted
)

// Default lists the breakdowns that are shown when none is named: closed vocabularies and lengths.
var Default = []string{ByLabel, "attack_type", "source", "source_type", "authorship", "language", "obfuscation",
	"license", ByWords, ByCharacters}

// MaxValues is the number of values of a breakdown that are shown for each class; what is beyond the most frequent ones
// is counted together.
const MaxValues = 50

// Group counts the rows of one class (or of all) with one value.
type Group struct {
	By, Value string
	Other     int    // values counted together in this group; 0 when Value is a value of the rows
	Label     string // benign, injection or all
	Rows      int
	Share     float64       // of the split's rows, in [0,1]
	Families  metrics.Value // distinct values of family_id
	Frames    metrics.Value // distinct values of frame_id, rows without one left out
	Carriers  metrics.Value // distinct values of carrier_id, rows without one left out

	// EffectiveN is EffectiveN of the numbers of rows by family, in [1, Rows].
	EffectiveN metrics.Value
	// LargestFamily is the share of the group's rows that the largest family holds, in (0,1].
	LargestFamily metrics.Value
}

// Table is one split, broken down.
type Table struct {
	Split             string
	SHA256            string // of the file
	Rows              int
	Benign, Injection int
	Missing           int // rows whose text is withheld; lengths count them as such
	Groups            []Group
	Lacking           []string // breakdowns that the split has no column for
}

// EffectiveN returns Kish's effective sample size (Kish, Survey Sampling, 1965) of rows in families of the given sizes:
// (Σm)²/Σm². It is the number of independent rows with the same variance of a mean when the rows of a family all behave
// alike, in [1, Σm]; for no rows it is undefined.
func EffectiveN(sizes []int) metrics.Value {
	sum, squares := 0.0, 0.0
	for _, m := range sizes {
		sum += float64(m)
		squares += float64(m) * float64(m)
	}
	if squares == 0 {
		return metrics.Value{Reason: metrics.NoRows}
	}
	return metrics.Value{V: sum * sum / squares, OK: true}
}

// Of breaks a split down by the named columns or lengths, in that order: by label for all rows and each class,
// otherwise for each class by value, the most frequent first (lengths from short to long). The order of the rows does
// not matter. tokens counts the tokens of a text and is called for the breakdown by tokens alone; its error ends the
// count.
func Of(s *dataset.Split, by []string, tokens func(text string) (int, error)) (Table, error) {
	t := Table{Split: s.Name, SHA256: s.SHA256, Rows: len(s.Rows)}
	t.Benign, t.Injection = s.Counts()
	for _, r := range s.Rows {
		if r.Missing {
			t.Missing++
		}
	}
	c := counter{rows: len(s.Rows)}
	for _, id := range []struct {
		column string
		to     *[]string
	}{{"family_id", &c.family}, {"frame_id", &c.frame}, {"carrier_id", &c.carrier}} {
		*id.to, _ = s.Column(id.column)
	}
	for _, name := range by {
		if name == ByLabel {
			all := make([]int, len(s.Rows))
			for i := range all {
				all[i] = i
			}
			t.Groups = append(t.Groups, c.group(name, "all", all))
		}
		values, order, err := valuesOf(s, name, tokens)
		if err != nil {
			return t, err
		}
		if values == nil {
			t.Lacking = append(t.Lacking, name)
			continue
		}
		for _, label := range []dataset.Label{dataset.Benign, dataset.Injection} {
			rows := map[string][]int{}
			for i, r := range s.Rows {
				if r.Label == label {
					rows[values[i]] = append(rows[values[i]], i)
				}
			}
			t.Groups = append(t.Groups, c.groups(name, label.Name(), rows, order)...)
		}
	}
	return t, nil
}

// valuesOf returns the value of each row, or nil when the split has no such column, and for lengths the order of the
// values.
func valuesOf(s *dataset.Split, by string, tokens func(string) (int, error)) (values, order []string, err error) {
	if by == ByLabel {
		values = make([]string, len(s.Rows))
		for i, r := range s.Rows {
			values[i] = r.Label.Name()
		}
		return values, nil, nil
	}
	if b, ok := bands[by]; ok {
		values, err = b.of(s, tokens)
		return values, b.names(), err
	}
	values, ok := s.Column(by)
	if !ok {
		return nil, nil, nil
	}
	return values, nil, nil
}

// counter counts groups of rows; a nil column is one that the split lacks.
type counter struct {
	rows                   int
	family, frame, carrier []string
}

// groups counts the rows of one class by value.
func (c *counter) groups(by, label string, rows map[string][]int, order []string) []Group {
	values := make([]string, 0, len(rows))
	for v := range rows { // sorted below
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b string) int {
		if order != nil {
			return cmp.Compare(slices.Index(order, a), slices.Index(order, b))
		}
		return cmp.Or(cmp.Compare(len(rows[b]), len(rows[a])), strings.Compare(a, b))
	})
	var out []Group
	for _, v := range values[:min(len(values), MaxValues)] {
		g := c.group(by, v, rows[v])
		g.Label = label
		out = append(out, g)
	}
	if n := len(values) - MaxValues; n > 0 {
		var rest []int
		for _, v := range values[MaxValues:] {
			rest = append(rest, rows[v]...)
		}
		g := c.group(by, fmt.Sprintf("%d other values", n), rest)
		g.Label, g.Other = label, n
		out = append(out, g)
	}
	return out
}

func (c *counter) group(by, value string, rows []int) Group {
	g := Group{By: by, Value: value, Label: "all", Rows: len(rows), Share: float64(len(rows)) / float64(c.rows)}
	g.Frames, _ = distinct(c.frame, "frame_id", rows)
	g.Carriers, _ = distinct(c.carrier, "carrier_id", rows)
	var sizes []int
	if g.Families, sizes = distinct(c.family, "family_id", rows); !g.Families.OK {
		g.EffectiveN, g.LargestFamily = g.Families, g.Families
		return g
	}
	if g.EffectiveN = EffectiveN(sizes); !g.EffectiveN.OK { // no row has a family
		g.LargestFamily = g.EffectiveN
		return g
	}
	g.LargestFamily = metrics.Value{V: float64(slices.Max(sizes)) / float64(len(rows)), OK: true}
	return g
}

// distinct counts the values of a column on some rows and the rows of each. An empty field of family_id is a family of
// its own; one of frame_id or carrier_id says that the row has none.
func distinct(column []string, name string, rows []int) (metrics.Value, []int) {
	if column == nil {
		return metrics.Value{Reason: "no column " + name}, nil
	}
	count := map[string]int{}
	var sizes []int
	for _, i := range rows {
		switch {
		case column[i] != "":
			count[column[i]]++
		case name == "family_id":
			sizes = append(sizes, 1)
		}
	}
	for _, n := range count { // the order of sizes does not matter: they are whole numbers, and sums of them exact
		sizes = append(sizes, n)
	}
	return metrics.Value{V: float64(len(sizes)), OK: true}, sizes
}
