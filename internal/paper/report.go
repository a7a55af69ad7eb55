package paper

import (
	"slices"
	"strconv"

	"pidsbench/internal/results"
)

// Schema names the layout of the JSON form.
const Schema = "pidsbench-paper/1"

// Report is the paper beside an edition's scores.
type Report struct {
	Schema     string    `json:"schema"`
	Edition    string    `json:"edition"`
	Manifest   string    `json:"manifest_sha256,omitempty"`
	WindowMode string    `json:"window_mode"`
	Comparable bool      `json:"comparable"` // the paper's own edition: a difference says something
	Designs    []Use     `json:"designs"`
	Tables     []Table   `json:"tables"`
	Claims     []Verdict `json:"claims"`

	Run map[string]string `json:"run,omitempty"` // of the results
}

// Use says which detector stands for a design of the paper here.
type Use struct {
	Design   string `json:"design"`
	Name     string `json:"name"`               // in the paper
	Detector string `json:"detector,omitempty"` // id; "" for none
	Shown    string `json:"detector_name,omitempty"`
	Baseline bool   `json:"baseline,omitempty"`
	Seeds    []int  `json:"seeds"`
	Reason   string `json:"reason,omitempty"` // why none does
}

// Table is a table of the paper with its values from there and from here.
type Table struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Place  string   `json:"place"`
	Heads  []string `json:"columns"`
	Rows   []Row    `json:"rows"`
	Doubts []Doubt  `json:"doubts,omitempty"`
	Notes  []string `json:"notes,omitempty"`

	Intervals bool `json:"intervals,omitempty"` // the table is about them
}

// Row is a detector in a table.
type Row struct {
	Design string `json:"design"`
	Policy string `json:"policy"`
	Cells  []Cell `json:"cells"`
}

// Cell is a quantity. A quantity that may have been published at either of two thresholds has two.
type Cell struct {
	Column     int           `json:"column"`
	Policy     string        `json:"policy"`
	Also       bool          `json:"also,omitempty"` // the second of two
	Published  []Value       `json:"published"`
	Here       *results.Cell `json:"here"`
	Difference []float64     `json:"difference,omitempty"` // here − published, for each published value
}

// source is what a report is computed from.
type source struct {
	c     *Config
	in    *results.Input
	r     *results.Results
	uses  map[string]Use
	cells map[cellKey]*results.Cell
}

type cellKey struct {
	detector, split, slice, metric, policy string
	seed                                   results.SeedRef
}

// Build sets the paper's tables and claims beside the results of an input. Uses has an element for each design of the
// configuration, in its order.
func Build(c *Config, in *results.Input, r *results.Results, uses []Use) *Report {
	s := &source{c: c, in: in, r: r, uses: map[string]Use{}, cells: make(map[cellKey]*results.Cell, len(r.Cells))}
	for _, u := range uses {
		s.uses[u.Design] = u
	}
	for i := range r.Cells {
		cell := &r.Cells[i]
		policy := ""
		if cell.Policy != nil {
			policy = *cell.Policy
		}
		s.cells[cellKey{cell.Detector, cell.Split, cell.Slice, cell.Metric, policy, cell.Seed}] = cell
	}
	out := &Report{Schema: Schema, Edition: r.Edition, Manifest: r.ManifestSHA256, WindowMode: r.WindowMode,
		Comparable: r.Edition == c.Edition, Designs: uses, Run: r.Run}
	for i := range c.Tables {
		out.Tables = append(out.Tables, s.table(&c.Tables[i], out.Comparable))
	}
	s.intervals(out)
	out.Claims = s.claims()
	return out
}

// table fills a table of the paper.
func (s *source) table(spec *TableSpec, comparable bool) Table {
	t := Table{ID: spec.ID, Title: spec.Title, Place: spec.Place, Doubts: spec.Doubts, Notes: spec.Notes,
		Intervals: spec.Intervals}
	for _, col := range spec.Columns {
		t.Heads = append(t.Heads, col.Head)
	}
	for _, rowSpec := range spec.Rows {
		row := Row{Design: rowSpec.Design, Policy: spec.policyOf(rowSpec)}
		for i, col := range spec.Columns {
			policies := []string{row.Policy}
			if col.Also != "" {
				policies = append(policies, col.Also)
			}
			for k, policy := range policies {
				cell := Cell{Column: i, Policy: policy, Also: k > 0, Published: rowSpec.values[i],
					Here: s.here(spec, rowSpec, i, policy)}
				if cell.Published == nil {
					cell.Published = []Value{}
				}
				if comparable && cell.Here.Value != nil {
					for _, v := range cell.Published {
						cell.Difference = append(cell.Difference, *cell.Here.Value-v.V)
					}
				}
				row.Cells = append(row.Cells, cell)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// here returns the quantity of a column from the scores at hand; a cell without a value and with the reason where there
// is none.
func (s *source) here(t *TableSpec, row RowSpec, column int, policy string) *results.Cell {
	col := t.Columns[column]
	use := s.uses[row.Design]
	none := func(reason string) *results.Cell {
		return &results.Cell{Detector: use.Detector, Split: col.Split, Slice: col.Slice, Metric: col.Metric, Reason: reason}
	}
	if use.Detector == "" {
		return none(use.Reason)
	}
	seed := results.SeedRef{Mean: true}
	if t.Seed != nil {
		switch {
		case slices.Contains(use.Seeds, *t.Seed):
			seed = results.SeedRef{Seed: *t.Seed}
		case len(use.Seeds) == 1:
			seed = results.SeedRef{Seed: use.Seeds[0]}
		default:
			return none("it has no seed " + strconv.Itoa(*t.Seed))
		}
	}
	if len(col.Less) > 0 {
		return difference(s.here(t, row, col.Less[0], policy), s.here(t, row, col.Less[1], policy))
	}
	find := func(slice, metric string) *results.Cell {
		return s.find(use.Detector, col.Split, slice, metric, policy, seed)
	}
	switch col.Metric {
	case "fnr":
		return complement(find(col.Slice, "recall"))
	case "n", "n_injection":
		return rows(find(col.Slice, "tp"), col.Metric)
	case "weighted_f1":
		return weighted(find("source_type=real", "f1"), find("source_type=template", "f1"))
	case "family_f1", "family_fpr":
		return s.family(use, col, policy, seed)
	}
	return find(col.Slice, col.Metric)
}

// intervals gives the cells of tables about intervals theirs.
func (s *source) intervals(out *Report) {
	var at []*Cell
	var cells []*results.Cell
	for _, t := range out.Tables {
		for i := range t.Rows {
			for k := range t.Rows[i].Cells {
				if c := &t.Rows[i].Cells[k]; t.Intervals && c.Here.Value != nil && c.Here.Seed.Mean {
					at, cells = append(at, c), append(cells, c.Here)
				}
			}
		}
	}
	for i, of := range results.Intervals(s.in, s.r, results.Families, cells) {
		if of != nil {
			c := *cells[i]
			c.Lo, c.Hi, c.Interval, c.Groups, c.GroupsEffective = &of.Lo, &of.Hi, of.Method, of.Groups, of.Effective
			at[i].Here = &c
		}
	}
}

// find looks a cell up, under the slice's other name where the edition has none of the first.
func (s *source) find(detector, split, slice, metric, policy string, seed results.SeedRef) *results.Cell {
	if metric == "roc_auc" {
		policy = ""
	}
	if slice == "" {
		slice = "all"
	}
	for _, name := range []string{slice, s.c.AlsoCalled[slice]} {
		if c := s.cells[cellKey{detector, split, name, metric, policy, seed}]; c != nil {
			return c
		}
	}
	none := &results.Cell{Detector: detector, Split: split, Slice: slice, Metric: metric, Seed: seed}
	switch at := s.split(split); {
	case at == nil:
		none.Reason = "edition " + s.r.Edition + " has no " + split
	case at.Absent != "":
		none.Reason = at.Absent
	default:
		none.Reason = split + " has no rows with " + slice
	}
	return none
}

// split returns the edition's split of that name, or nil.
func (s *source) split(name string) *results.Split {
	for i := range s.in.Splits {
		if s.in.Splits[i].Spec.Name == name && !s.in.Splits[i].External {
			return &s.in.Splits[i]
		}
	}
	return nil
}
