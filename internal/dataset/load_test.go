package dataset

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestShippedBenchmarkLoads(t *testing.T) {
	b, err := LoadBenchmark(filepath.Join(testenv.Root(t), "configs", "benchmark.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"open", "v3"} {
		e, err := b.Edition(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"train", "val", "test", "hard_benign_test"} {
			if _, ok := e.Split(name); !ok {
				t.Errorf("edition %s has no split %s", id, name)
			}
		}
		if s, _ := e.Split("test"); s.Axis != IID || s.Path != "test.csv" {
			t.Errorf("edition %s: test is %+v", id, s)
		}
	}
	if e, _ := b.Edition("v3"); e.Dir != "" {
		t.Errorf("v3 lies at %q, which its user must say", e.Dir)
	}
	_, err = b.Edition("v4")
	checkError(t, err, fault.Usage, `there is no edition "v4"; choose open or v3`)
	if _, ok := b.Editions[0].Split("tset"); ok {
		t.Error("an unknown split is found")
	}
}

func TestBadBenchmarkNamesTheLine(t *testing.T) {
	const head = "editions:\n  - id: open\n    name: Open\n    dir: data\n    manifest: M.txt\n    splits:\n"
	const name = "lower-case letters, digits, dots, dashes and underscores; correct it"
	const inside = "a path inside the project with slashes; correct it"
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "b.yaml is empty; correct it"},
		{"unknown key", "editions:\n  - id: open\n    colour: red\n",
			`b.yaml:3: unknown field "colour"; correct its name or delete it`},
		{"duplicate key", "editions:\n  - id: open\n    id: open\n", "b.yaml:3: field id stands twice; delete one of them"},
		{"no editions", "editions: []\n",
			"b.yaml:1: there is no edition, expected at least one under editions; correct it"},
		{"bad id", "editions:\n  - id: Open!\n", `b.yaml:2: field id holds "Open!", expected ` + name},
		{"no name", "editions:\n  - id: open\n", "b.yaml:2: edition open has no name; add it as name"},
		{"no manifest", "editions:\n  - id: open\n    name: x\n", `b.yaml:2: field manifest holds "", expected ` + inside},
		{"folder outside", "editions:\n  - id: open\n    name: x\n    dir: ../x\n",
			`b.yaml:4: field dir holds "../x", expected ` + inside},
		{"no splits", "editions:\n  - id: open\n    name: x\n    manifest: M\n",
			"b.yaml:2: edition open has no splits; add them under splits"},
		{"split without name", head + "      - {path: a.csv}\n", `b.yaml:7: field name holds "", expected ` + name},
		{"split path outside", head + "      - {name: a, path: /a.csv}\n", `b.yaml:7: field path holds "/a.csv", expected ` +
			"a path inside the edition's folder with slashes; correct it"},
		{"backslash", head + "      - {name: a, path: 'ood\\a.csv'}\n", `b.yaml:7: field path holds "ood\\a.csv", expected ` +
			"a path inside the edition's folder with slashes; correct it"},
		{"split twice", head + "      - {name: a, path: a.csv}\n      - {name: a, path: b.csv}\n",
			"b.yaml:8: the split a stands twice in edition open; rename one of them"},
		{"path twice", head + "      - {name: a, path: a.csv}\n      - {name: b, path: a.csv}\n",
			"b.yaml:8: the path a.csv stands twice in edition open; delete one of them"},
		{"unknown axis", head + "      - name: a\n        path: a.csv\n        axis: hard\n",
			`b.yaml:9: field axis holds "hard", expected iid, hard_benign, ordinary_benign, obfuscation, balanced_subtype, ` +
				"domain_shift or structural_shift; correct it"},
		{"edition twice", head + "      - {name: a, path: a.csv}\n  - id: open\n    name: x\n    manifest: M\n",
			`b.yaml:8: the edition id "open" stands twice; rename one of them`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseBenchmark([]byte(tt.data))
			checkError(t, err, fault.Usage, tt.want)
		})
	}
}

func parseBenchmark(data []byte) (*Benchmark, error) {
	b, f := &Benchmark{}, benchmarkFile("b.yaml")
	if err := f.Decode(data, b); err != nil {
		return nil, err
	}
	return b, b.check(f)
}

// FuzzLoadBenchmark feeds arbitrary bytes: every outcome is a usage error with a cure, or editions whose names and
// paths are safe.
func FuzzLoadBenchmark(f *testing.F) {
	f.Add([]byte("editions:\n  - {id: open, name: x, manifest: M, splits: [{name: a, path: b/a.csv, axis: iid}]}\n"))
	f.Add([]byte("editions:\n  - id: a\n    dir: 'c:\\x'\n    splits: &s\n      - name: b\n        slices: {c: d}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := parseBenchmark(data)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind != fault.Usage || e.Cure == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %q", err)
			}
			return
		}
		for _, e := range b.Editions {
			for _, p := range e.Splits {
				if !plainName(e.ID) || !plainName(p.Name) || !filepath.IsLocal(p.Path) || !filepath.IsLocal(e.Manifest) {
					t.Errorf("accepted %+v", e)
				}
			}
		}
	})
}
