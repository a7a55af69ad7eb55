// Package gate holds limits that the numbers of detectors must keep, and says of each whether it is kept, broken or
// undecided by the rows there are, and how many rows would decide it.
package gate

import (
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/strictyaml"
)

// Limit is one number that must keep a bound. Exactly one of Max, Min and Regression is given.
type Limit struct {
	ID       string            `yaml:"id"`
	Detector string            `yaml:"detector"`
	Metric   string            `yaml:"metric"`
	Axis     string            `yaml:"axis"`   // the first split of the edition that measures it …
	Split    string            `yaml:"split"`  // … or a split by name
	Slice    map[string]string `yaml:"slice"`  // at most one: name of a slice → value
	Policy   string            `yaml:"policy"` // native unless given; empty for roc_auc
	On       string            `yaml:"on"`     // edge unless given

	Max        *float64 `yaml:"max"`
	Min        *float64 `yaml:"min"`
	Regression *float64 `yaml:"regression"` // the most that the number may be worse than the baseline's
}

// What of a number must keep the bound: the number itself, or all of its 95 % interval.
const (
	OnValue = "value"
	OnEdge  = "edge"
)

// Config is a file of limits.
type Config struct {
	Name   string // of the file, as messages and reports show it
	Limits []Limit

	file *strictyaml.File
}

// fail is a usage error about a field of a limit that names file and line.
func (c *Config) fail(i int, field, format string, args ...any) *fault.Error {
	return c.file.Fail(c.file.Line("limits", i, field), format, args...)
}

// SliceName names the slice of a split as results do.
func (l *Limit) SliceName() string {
	for name, value := range l.Slice {
		return name + "=" + value
	}
	return "all"
}

// bound returns the bound that a number, or for a regression how much worse it is, must keep.
func (l *Limit) bound() bound {
	switch {
	case l.Max != nil:
		return bound{"max", *l.Max}
	case l.Min != nil:
		return bound{"min", *l.Min}
	}
	return bound{"regression", *l.Regression}
}

// Cell returns the cell of the results that a limit is on, nil when they have none.
func (l *Limit) Cell(r *results.Results, split string) *results.Cell {
	return r.Mean(l.Detector, split, l.SliceName(), l.Metric, l.Policy)
}
