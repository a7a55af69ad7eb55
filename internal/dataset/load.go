package dataset

import (
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

var axes = []Axis{IID, HardBenign, OrdinaryBenign, Obfuscation, BalancedSubtype, DomainShift, StructuralShift}

// LoadBenchmark reads configs/benchmark.yaml. A mistake in it (an unknown or repeated field, a name that stands twice,
// an unknown axis, a path that leads out of its folder) is a usage error that names the line.
func LoadBenchmark(path string) (*Benchmark, error) {
	b, f := &Benchmark{}, benchmarkFile(path)
	if err := f.Load(path, b); err != nil {
		return nil, err
	}
	if err := b.check(f); err != nil {
		return nil, err
	}
	return b, nil
}

func benchmarkFile(name string) *strictyaml.File {
	return &strictyaml.File{Name: name, Kind: fault.Usage, Cure: "correct it"}
}

func (b *Benchmark) check(f *strictyaml.File) error {
	if len(b.Editions) == 0 {
		return f.Fail(f.Line("editions"), "there is no edition, expected at least one under editions")
	}
	ids := map[string]bool{}
	for i := range b.Editions {
		e := &b.Editions[i]
		if ids[e.ID] {
			return f.Fail(f.Line("editions", i, "id"), "the edition id %s stands twice", fault.Quote(e.ID)).
				WithCure("rename one of them")
		}
		ids[e.ID] = true
		if err := e.check(f, i); err != nil {
			return err
		}
	}
	return nil
}

// check looks at the edition at position i.
func (e *Edition) check(f *strictyaml.File, i int) error {
	bad := func(field, found, expected string) error {
		return f.Fail(f.Line("editions", i, field), "field %s holds %s, expected %s", field, fault.Quote(found), expected)
	}
	const inside = "a path inside the project with slashes"
	switch {
	case !plainName(e.ID):
		return bad("id", e.ID, nameRule)
	case e.Name == "":
		return f.Fail(f.Line("editions", i), "edition %s has no name", e.ID).WithCure("add it as name")
	case e.Dir != "" && !localPath(e.Dir):
		return bad("dir", e.Dir, inside)
	case !localPath(e.Manifest):
		return bad("manifest", e.Manifest, inside)
	case len(e.Splits) == 0:
		return f.Fail(f.Line("editions", i), "edition %s has no splits", e.ID).WithCure("add them under splits")
	}
	names, paths := map[string]bool{}, map[string]bool{}
	for j, s := range e.Splits {
		at := func(field string) int { return f.Line("editions", i, "splits", j, field) }
		bad := func(field, found, expected string) error {
			return f.Fail(at(field), "field %s holds %s, expected %s", field, fault.Quote(found), expected)
		}
		switch {
		case !plainName(s.Name):
			return bad("name", s.Name, nameRule)
		case names[s.Name]:
			return f.Fail(at("name"), "the split %s stands twice in edition %s", s.Name, e.ID).
				WithCure("rename one of them")
		case !localPath(s.Path):
			return bad("path", s.Path, "a path inside the edition's folder with slashes")
		case paths[s.Path]:
			return f.Fail(at("path"), "the path %s stands twice in edition %s", fault.Name(s.Path), e.ID).
				WithCure("delete one of them")
		case s.Axis != "" && !slices.Contains(axes, s.Axis):
			return bad("axis", string(s.Axis), joinAxes())
		}
		names[s.Name], paths[s.Path] = true, true
	}
	return nil
}

const nameRule = "lower-case letters, digits, dots, dashes and underscores"

// plainName reports whether a name is safe as part of a file name on every system.
func plainName(s string) bool {
	return s != "" && s[0] != '.' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// localPath reports whether a slash-separated path stays inside its folder on every system.
func localPath(s string) bool {
	return s != "" && s != "." && !strings.ContainsAny(s, `\:`) && filepath.IsLocal(filepath.FromSlash(s))
}

func joinAxes() string {
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = string(a)
	}
	return orList(names)
}

// Edition returns the edition with the given id; an unknown one is a usage error that lists those there are.
func (b *Benchmark) Edition(id string) (*Edition, error) {
	ids := make([]string, len(b.Editions))
	for i := range b.Editions {
		if ids[i] = b.Editions[i].ID; ids[i] == id {
			return &b.Editions[i], nil
		}
	}
	return nil, fault.New(fault.Usage, "there is no edition %s", fault.Quote(id)).WithCure("choose %s", orList(ids))
}

// Split returns the split with the given name and whether the edition declares it.
func (e *Edition) Split(name string) (SplitSpec, bool) {
	for _, s := range e.Splits {
		if s.Name == name {
			return s, true
		}
	}
	return SplitSpec{}, false
}
