package paper

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
	"pidsbench/internal/threshold"
)

// longest bounds the runes of a claim: it stands in a column of a table.
const longest = 48

// Metrics that a column, and that a number of a claim, can have.
var (
	columnMetrics = []string{"accuracy", "f1", "precision", "recall", "fpr", "fnr", "tn", "fp", "fn", "tp", "roc_auc", "n",
		"n_injection", "family_f1", "family_fpr", "weighted_f1"}
	wholeMetrics = []string{"family_f1", "family_fpr", "weighted_f1"} // take no slice
	claimMetrics = []string{"f1", "fpr", "recall", seedSD}
)

// checker holds the file to its rules; fail names the first slip with its line.
type checker struct {
	*strictyaml.File
	c *Config
}

func (c *Config) check(f *strictyaml.File) error {
	c.designIndex = map[string]int{}
	k := checker{f, c}
	if c.Edition == "" {
		return f.Fail(f.Line("edition"), "field edition is missing, expected the edition that the values were measured on")
	}
	for i, d := range c.Designs {
		at := []any{"designs", i}
		if _, twice := c.designIndex[d.ID]; twice || d.ID == "" || d.Name == "" || len(d.Here) == 0 {
			return f.Fail(f.Line(at...), "a design needs an id of its own, a name and detectors that stand for it here")
		}
		c.designIndex[d.ID] = i
	}
	ids := map[string]bool{}
	for i := range c.Tables {
		t := &c.Tables[i]
		if ids[t.ID] || t.ID == "" || t.Title == "" || t.Place == "" || len(t.Columns) == 0 || len(t.Rows) == 0 {
			return f.Fail(f.Line("tables", i), "a table needs an id of its own, title, place, columns and rows")
		}
		ids[t.ID] = true
		if err := k.table(i, t); err != nil {
			return err
		}
	}
	for i := range c.Claims {
		claim := &c.Claims[i]
		if ids["claim "+claim.ID] || claim.ID == "" || claim.Text == "" || claim.Place == "" || len(claim.All) == 0 {
			return f.Fail(f.Line("claims", i), "a claim needs an id of its own, the claim, its place and statements (all)")
		}
		ids["claim "+claim.ID] = true
		if err := k.claim(i, claim); err != nil {
			return err
		}
	}
	return nil
}

func (k checker) table(i int, t *TableSpec) error {
	at := func(path ...any) int { return k.Line(append([]any{"tables", i}, path...)...) }
	if err := k.policy(at("policy"), t.Policy); err != nil {
		return err
	}
	given := 0
	for j, col := range t.Columns {
		line := at("columns", j)
		switch {
		case col.Head == "":
			return k.Fail(line, "a column has no head")
		case len(col.Less) > 0:
			if col.Split+col.Slice+col.Metric+col.Also != "" || len(col.Less) != 2 || !plain(t, col.Less[0]) || !plain(t, col.Less[1]) {
				return k.Fail(line, "column %s: less takes the numbers of two columns with a metric, and nothing beside it",
					fault.Quote(col.Head))
			}
		case col.Split == "" || !slices.Contains(columnMetrics, col.Metric):
			return k.Fail(line, "column %s needs a split and a metric out of %s", fault.Quote(col.Head),
				strings.Join(columnMetrics, ", "))
		case col.Slice != "" && slices.Contains(wholeMetrics, col.Metric):
			return k.Fail(line, "column %s: %s is of all rows of a split, and a slice is given", fault.Quote(col.Head), col.Metric)
		default:
			given++
		}
		if col.Also != "" {
			if err := k.policy(line, col.Also); err != nil {
				return err
			}
		}
	}
	for j := range t.Rows {
		r := &t.Rows[j]
		if err := k.design(at("rows", j), r.Design); err != nil {
			return err
		}
		if r.Policy != "" {
			if err := k.policy(at("rows", j, "policy"), r.Policy); err != nil {
				return err
			}
		}
		if len(r.Published) != 0 && len(r.Published) != given {
			return k.Fail(at("rows", j, "published"), "row %s has %d published values, expected %d, one a column", r.Design,
				len(r.Published), given)
		}
		r.values = make([][]Value, len(t.Columns))
		next := 0
		for c, col := range t.Columns {
			if len(col.Less) > 0 || len(r.Published) == 0 {
				continue
			}
			text := r.Published[next]
			values, ok := parseValues(text, t.Doubts)
			if !ok {
				return k.Fail(at("rows", j, "published", next), "row %s, column %s: %s is no published value, expected "+
					"VALUE, VALUE±SD or VALUE [LO, HI], marks of doubt behind it, several parted by |", r.Design,
					fault.Quote(col.Head), fault.Quote(text))
			}
			r.values[c] = values
			next++
		}
		for c, col := range t.Columns {
			if len(col.Less) > 0 {
				r.values[c] = less(r.values[col.Less[0]], r.values[col.Less[1]])
			}
		}
	}
	return nil
}

func plain(t *TableSpec, column int) bool {
	return column >= 0 && column < len(t.Columns) && len(t.Columns[column].Less) == 0
}

func (k checker) policy(line int, name string) error {
	if _, err := threshold.Parse(name); err != nil {
		return k.Fail(line, "%s is no threshold policy", fault.Quote(name))
	}
	return nil
}

func (k checker) design(line int, id string) error {
	if _, ok := k.c.designIndex[id]; !ok {
		return k.Fail(line, "there is no design %s", fault.Quote(id))
	}
	return nil
}

func (k checker) claim(i int, c *Claim) error {
	at := func(path ...any) int { return k.Line(append([]any{"claims", i}, path...)...) }
	if n := utf8.RuneCountInString(c.Text); n > longest {
		return k.Fail(at("claim"), "claim %s has %d letters, expected at most %d", c.ID, n, longest).
			WithCure("say the rest in its note")
	}
	if err := k.policy(at("policy"), c.policy()); err != nil {
		return err
	}
	for j, id := range c.For {
		if err := k.design(at("for", j), id); err != nil {
			return err
		}
	}
	for j, s := range c.All {
		line := at("all", j)
		relations := 0
		for _, p := range []*float64{s.Above, s.Below, s.Near} {
			if p != nil {
				relations++
			}
		}
		if relations != 1 || (s.Near == nil) != (s.Within == nil) || s.Within != nil && *s.Within < 0 || len(s.Sum) == 0 {
			return k.Fail(line, "claim %s: a statement needs a sum and one of above, below, or near with within", c.ID)
		}
		for m, q := range s.Sum {
			line := at("all", j, "sum", m)
			switch {
			case q.Split == "" || !slices.Contains(claimMetrics, q.Metric):
				return k.Fail(line, "claim %s: a number needs a split and a metric out of %s", c.ID, strings.Join(claimMetrics, ", "))
			case q.At != nil && (q.Metric != "f1" || q.At.Split == "" || q.At.FPR == nil):
				return k.Fail(line, "claim %s: at needs a split and an fpr, and takes the metric f1", c.ID)
			case q.Metric == seedSD && len(s.Sum) > 1:
				return k.Fail(line, "claim %s: %s stands alone in its sum", c.ID, seedSD)
			case q.Design == "" && len(c.For) == 0:
				return k.Fail(line, "claim %s: a number names no design, and the claim has none (for)", c.ID)
			case q.Design != "":
				if err := k.design(line, q.Design); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
