// Package schema holds the files of the open edition to what configs/schema.yaml declares: columns and their order,
// closed vocabularies, and the rules that tie fields together.
package schema

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// Schema is configs/schema.yaml.
type Schema struct {
	MayOverlap [][]string        `yaml:"may_overlap"` // groups of file names that may repeat each other
	Own        []string          `yaml:"own"`         // columns at the end of every file
	Layouts    map[string]Layout `yaml:"layouts"`
	Files      []File            `yaml:"files"`
	Columns    map[string]Column `yaml:"columns"`
}

// Layout is a list of columns that several files have.
type Layout struct {
	Columns []string `yaml:"columns"` // the original's, in its order
	Own     []string `yaml:"own"`     // ours, before those of every file
}

// File says which layout a file has.
type File struct {
	Name   string              `yaml:"name"` // of its split
	Layout string              `yaml:"layout"`
	Values map[string][]string `yaml:"values"` // what a column may hold in this file
	Seeds  string              `yaml:"seeds"`  // for texts in other surroundings: the file that holds them without
}

// Column says what the fields of a column may hold. Without values, list, pattern or bounds that is any text.
type Column struct {
	Values  []string `yaml:"values"`
	List    string   `yaml:"list"`    // the name of further values, which are declared elsewhere
	Pattern string   `yaml:"pattern"` // of the whole field
	Least   *int     `yaml:"least"`   // of a whole number
	Most    *int     `yaml:"most"`
	Empty   bool     `yaml:"empty"` // the field may be empty

	re *regexp.Regexp
}

// Load reads a schema file, named by its path below root with slashes. The lists give the values that columns name by list. A mistake in the file is a usage
// error with its line.
func Load(root, name string, lists map[string][]string) (*Schema, error) {
	s := &Schema{}
	f := &strictyaml.File{Name: name, Kind: fault.Usage, Cure: "correct it"}
	if err := f.Load(filepath.Join(root, filepath.FromSlash(name)), s); err != nil {
		return nil, err
	}
	if err := s.prepare(f, lists); err != nil {
		return nil, err
	}
	if err := s.checkNames(f); err != nil {
		return nil, err
	}
	return s, nil
}

// prepare checks what columns may hold, adds the values of lists and compiles patterns.
func (s *Schema) prepare(f *strictyaml.File, lists map[string][]string) error {
	for _, name := range slices.Sorted(maps.Keys(s.Columns)) {
		c := s.Columns[name]
		at := f.Line("columns", name)
		kinds := 0
		for _, given := range []bool{c.Values != nil || c.List != "", c.Pattern != "", c.Least != nil || c.Most != nil} {
			if given {
				kinds++
			}
		}
		if kinds > 1 {
			return f.Fail(at, "column %s has more than one of values (or list), pattern and bounds", name).WithCure("keep one")
		}
		if (c.Least == nil) != (c.Most == nil) {
			return f.Fail(at, "column %s has one of least and most, expected both", name).WithCure("add the other")
		}
		if c.Pattern != "" {
			re, err := regexp.Compile(`\A(?:` + c.Pattern + `)\z`)
			if err != nil {
				return f.Fail(at, "field pattern holds %s, which is no regular expression: %v", fault.Quote(c.Pattern), err)
			}
			c.re = re
		}
		if c.List != "" {
			values, ok := lists[c.List]
			if !ok {
				return f.Fail(at, "field list holds %s, expected one of %v", fault.Quote(c.List), slices.Sorted(maps.Keys(lists)))
			}
			c.Values = append(append([]string{}, c.Values...), values...) // an empty list allows nothing
		}
		s.Columns[name] = c
	}
	return nil
}

// checkNames checks that every column, layout and file that is named is declared.
func (s *Schema) checkNames(f *strictyaml.File) error {
	declared := func(names []string, path ...any) error {
		for _, n := range names {
			if _, ok := s.Columns[n]; !ok {
				return f.Fail(f.Line(path...), "column %s is not among columns", fault.Quote(n)).
					WithCure("say there what it may hold")
			}
		}
		return nil
	}
	if err := declared(s.Own, "own"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Layouts)) {
		l := s.Layouts[name]
		if err := declared(slices.Concat(l.Columns, l.Own), "layouts", name); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for i, file := range s.Files {
		l, ok := s.Layouts[file.Layout]
		switch {
		case seen[file.Name]:
			return f.Fail(f.Line("files", i), "the file %s stands twice", fault.Quote(file.Name)).WithCure("delete one of them")
		case !ok:
			return f.Fail(f.Line("files", i), "field layout holds %s, expected one of %v", fault.Quote(file.Layout),
				slices.Sorted(maps.Keys(s.Layouts)))
		}
		seen[file.Name] = true
		columns := slices.Concat(l.Columns, l.Own, s.Own)
		for _, c := range slices.Sorted(maps.Keys(file.Values)) {
			if !slices.Contains(columns, c) {
				return f.Fail(f.Line("files", i), "field values names the column %s, which layout %s does not have",
					fault.Quote(c), file.Layout)
			}
		}
	}
	for i, group := range s.MayOverlap {
		for _, name := range group {
			if !seen[name] {
				return f.Fail(f.Line("may_overlap", i), "the file %s is not among files", fault.Quote(name))
			}
		}
	}
	return nil
}

// file returns the declaration of a file.
func (s *Schema) file(name string) (File, bool) {
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return File{}, false
	}
	return s.Files[i], true
}
