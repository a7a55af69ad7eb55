// Package paper sets what the original benchmark published beside scores made here: the values of its tables, and its
// claims in words, each checked on the rows at hand.
package paper

import (
	"slices"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// Config is configs/paper.yaml: published values with their place, and claims.
type Config struct {
	Edition     string            `yaml:"edition"` // that the values were measured on
	Designs     []Design          `yaml:"designs"`
	AlsoCalled  map[string]string `yaml:"also_called"` // slice → its name in another edition
	Tables      []TableSpec       `yaml:"tables"`
	Claims      []Claim           `yaml:"claims"`
	designIndex map[string]int
}

// Design is a detector of the paper.
type Design struct {
	ID   string   `yaml:"id"`
	Name string   `yaml:"name"`
	Here []string `yaml:"here"` // detectors that can stand in its place, the first with scores does
}

// TableSpec is a table of the paper.
type TableSpec struct {
	ID        string    `yaml:"id"`
	Title     string    `yaml:"title"`
	Place     string    `yaml:"place"`  // where the values stand
	Policy    string    `yaml:"policy"` // threshold policy of rows without their own
	Seed      *int      `yaml:"seed"`   // nil for the mean over all seeds
	Intervals bool      `yaml:"intervals"`
	Columns   []Column  `yaml:"columns"`
	Rows      []RowSpec `yaml:"rows"`
	Doubts    []Doubt   `yaml:"doubts"`
	Notes     []string  `yaml:"notes"`
}

// Column is a quantity: a metric of a slice of a split, or one column less another.
type Column struct {
	Head   string `yaml:"head"`
	Split  string `yaml:"split"`
	Slice  string `yaml:"slice"` // "" for all rows
	Metric string `yaml:"metric"`
	Also   string `yaml:"also"` // a second policy that the published value may stem from
	Less   []int  `yaml:"less"` // [a, b]: column a minus column b
}

// RowSpec holds what was published of one detector.
type RowSpec struct {
	Design    string   `yaml:"design"`
	Policy    string   `yaml:"policy"`
	Published []string `yaml:"published"` // a value for each column without less; absent for a row of our own

	values [][]Value // of each column: what was published, several where they contradict each other
}

// Doubt explains a mark behind published values.
type Doubt struct {
	Mark string `yaml:"mark" json:"mark"`
	Note string `yaml:"note" json:"note"`
}

// Claim is a sentence of the paper with the statements that it comes to.
type Claim struct {
	ID     string      `yaml:"id"`
	Text   string      `yaml:"claim"`
	Place  string      `yaml:"place"`
	Policy string      `yaml:"policy"` // of its numbers; fixed:0.5 unless given
	For    []string    `yaml:"for"`    // designs it is made for; empty when its numbers name theirs
	All    []Statement `yaml:"all"`
	Note   string      `yaml:"note"`
}

// Statement says where a weighted sum of numbers lies: above, below or near a number, one of the three.
type Statement struct {
	Says   string     `yaml:"says"` // tells it apart from others of the same design
	Sum    []Quantity `yaml:"sum"`
	Above  *float64   `yaml:"above"`
	Below  *float64   `yaml:"below"`
	Near   *float64   `yaml:"near"`
	Within *float64   `yaml:"within"` // how far from near it may be
}

// Quantity is a number of a statement.
type Quantity struct {
	Times  *float64 `yaml:"times"` // its weight; 1 unless given
	Design string   `yaml:"design"`
	Split  string   `yaml:"split"`
	Slice  string   `yaml:"slice"`
	Metric string   `yaml:"metric"` // f1, fpr, recall, seed_sd_f1
	At     *Limit   `yaml:"at"`     // instead of a policy
}

// Limit admits the thresholds at which the FPR on benign rows of a slice is at most a share.
type Limit struct {
	Split string   `yaml:"split"`
	Slice string   `yaml:"slice"`
	FPR   *float64 `yaml:"fpr"`
}

// Load reads the file at path, which errors call by the name given.
func Load(path, name string) (*Config, error) {
	f, c := file(name), &Config{}
	if err := f.Load(path, c); err != nil {
		return nil, err
	}
	return c, c.check(f)
}

// Parse reads the text of such a file.
func Parse(name string, data []byte) (*Config, error) {
	f, c := file(name), &Config{}
	if err := f.Decode(data, c); err != nil {
		return nil, err
	}
	return c, c.check(f)
}

func file(name string) *strictyaml.File {
	return &strictyaml.File{Name: name, Kind: fault.Usage, Cure: "correct it, or restore the file from the repository"}
}

// Splits returns the names of all splits that tables and claims rest on.
func (c *Config) Splits() map[string]bool {
	names := map[string]bool{}
	for _, t := range c.Tables {
		for _, col := range t.Columns {
			names[col.Split] = true
		}
	}
	for _, claim := range c.Claims {
		for _, s := range claim.All {
			for _, q := range s.Sum {
				names[q.Split] = true
				if q.At != nil {
					names[q.At.Split] = true
				}
			}
		}
	}
	delete(names, "")
	return names
}

// policyOf returns the policy of a row.
func (t *TableSpec) policyOf(r RowSpec) string {
	if r.Policy != "" {
		return r.Policy
	}
	return t.Policy
}

// policy returns the policy of a claim's numbers.
func (c *Claim) policy() string {
	if c.Policy != "" {
		return c.Policy
	}
	return "fixed:0.5"
}

// Policies returns the threshold policies of the rows of designs that are here, and of the claims made of them, in the
// order of the file.
func (c *Config) Policies(uses []Use) []string {
	here := map[string]bool{}
	for _, u := range uses {
		here[u.Design] = u.Detector != ""
	}
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		for _, r := range t.Rows {
			if !here[r.Design] {
				continue
			}
			add(t.policyOf(r))
			for _, col := range t.Columns {
				add(col.Also)
			}
		}
	}
	for i := range c.Claims {
		claim := &c.Claims[i]
		if len(claim.For) == 0 || slices.ContainsFunc(claim.For, func(id string) bool { return here[id] }) {
			add(claim.policy())
		}
	}
	return out
}
