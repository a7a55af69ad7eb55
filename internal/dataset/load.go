package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"pidsbench/internal/fault"
)

var axes = []Axis{IID, HardBenign, OrdinaryBenign, Obfuscation, BalancedSubtype, DomainShift, StructuralShift}

// LoadBenchmark reads configs/benchmark.yaml. Unknown keys, names that stand twice, unknown axes and paths that lead
// out of their folder are usage errors that name the line.
func LoadBenchmark(path string) (*Benchmark, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Usage, "the benchmark configuration cannot be read: %w", err)
	}
	return parseBenchmark(path, data)
}

func parseBenchmark(file string, data []byte) (*Benchmark, error) {
	var b Benchmark
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&b); err != nil {
		var ye yaml.Error
		if errors.As(err, &ye) && ye.GetToken() != nil {
			return nil, fault.New(fault.Usage, "%s: %s", at(Quote(file), ye.GetToken().Position.Line), ye.GetMessage())
		}
		return nil, fault.New(fault.Usage, "%s: %w", Quote(file), err)
	}
	fail := func(key, format string, args ...any) error {
		return fault.New(fault.Usage, "%s: "+format, append([]any{at(Quote(file), lineOfKey(data, key))}, args...)...)
	}
	if len(b.Editions) == 0 {
		return nil, fail("$.editions", "there is no edition, expected at least one under editions")
	}
	ids := map[string]bool{}
	for i, e := range b.Editions {
		key := fmt.Sprintf("$.editions[%d]", i)
		switch {
		case !plainName(e.ID):
			return nil, fail(key+".id", "id is %s, expected lower-case letters, digits, dots, dashes and underscores",
				show(e.ID))
		case ids[e.ID]:
			return nil, fail(key+".id", "the edition id %s stands twice", show(e.ID))
		case e.Name == "":
			return nil, fail(key, "edition %s has no name", e.ID)
		case e.Dir != "" && !localPath(e.Dir):
			return nil, fail(key+".dir", "dir is %s, expected a path inside the project with slashes", show(e.Dir))
		case !localPath(e.Manifest):
			return nil, fail(key+".manifest", "manifest is %s, expected a path inside the project with slashes",
				show(e.Manifest))
		case len(e.Splits) == 0:
			return nil, fail(key, "edition %s has no splits", e.ID)
		}
		ids[e.ID] = true
		names, paths := map[string]bool{}, map[string]bool{}
		for j, s := range e.Splits {
			key := fmt.Sprintf("%s.splits[%d]", key, j)
			switch {
			case !plainName(s.Name):
				return nil, fail(key+".name", "name is %s, expected lower-case letters, digits, dots, dashes and underscores",
					show(s.Name))
			case names[s.Name]:
				return nil, fail(key+".name", "the split %s stands twice in edition %s", s.Name, e.ID)
			case !localPath(s.Path):
				return nil, fail(key+".path", "path is %s, expected a path inside the edition's folder with slashes",
					show(s.Path))
			case paths[s.Path]:
				return nil, fail(key+".path", "the path %s stands twice in edition %s", s.Path, e.ID)
			case s.Axis != "" && !slices.Contains(axes, s.Axis):
				return nil, fail(key+".axis", "axis is %s, expected one of %s", show(string(s.Axis)), joinAxes())
			}
			names[s.Name], paths[s.Path] = true, true
		}
	}
	return &b, nil
}

// lineOfKey returns the line of a value by its path in the document, or of the nearest part of the path that exists.
func lineOfKey(data []byte, key string) int {
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		return 1
	}
	for key != "$" {
		if p, err := yaml.PathString(key); err == nil {
			if node, err := p.FilterFile(doc); err == nil && node != nil && node.GetToken() != nil {
				return node.GetToken().Position.Line
			}
		}
		key = key[:strings.LastIndexAny(key, ".[")]
	}
	return 1
}

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
	return nil, fault.New(fault.Usage, "there is no edition %s", show(id)).WithCure("choose %s", orList(ids))
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
