package dataset

import (
	"path/filepath"
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
	for _, tt := range []struct{ name, data, want string }{
		{"unknown key", "editions:\n  - id: open\n    colour: red\n", `b.yaml:3: unknown field "colour"`},
		{"duplicate key", "editions:\n  - id: open\n    id: open\n", `b.yaml:3: mapping key "id" already defined at ` +
			`[2:5]`},
		{"no editions", "editions: []\n", "b.yaml:1: there is no edition, expected at least one under editions"},
		{"bad id", "editions:\n  - id: Open!\n", `b.yaml:2: id is "Open!", expected lower-case letters, digits, ` +
			`dots, dashes and underscores`},
		{"no name", "editions:\n  - id: open\n", `b.yaml:2: edition open has no name`},
		{"no manifest", "editions:\n  - id: open\n    name: x\n", `b.yaml:2: manifest is "", expected a path inside ` +
			`the project with slashes`},
		{"folder outside", "editions:\n  - id: open\n    name: x\n    dir: ../x\n", `b.yaml:4: dir is "../x", ` +
			`expected a path inside the project with slashes`},
		{"no splits", "editions:\n  - id: open\n    name: x\n    manifest: M\n", `b.yaml:2: edition open has no ` +
			`splits`},
		{"split path outside", head + "      - {name: a, path: /a.csv}\n", `b.yaml:7: path is "/a.csv", expected a ` +
			`path inside the edition's folder with slashes`},
		{"backslash", head + "      - {name: a, path: 'ood\\a.csv'}\n", `b.yaml:7: path is "ood\\a.csv", expected a ` +
			`path inside the edition's folder with slashes`},
		{"split twice", head + "      - {name: a, path: a.csv}\n      - {name: a, path: b.csv}\n", "b.yaml:8: the " +
			"split a stands twice in edition open"},
		{"path twice", head + "      - {name: a, path: a.csv}\n      - {name: b, path: a.csv}\n", "b.yaml:8: the " +
			"path a.csv stands twice in edition open"},
		{"unknown axis", head + "      - name: a\n        path: a.csv\n        axis: hard\n", `b.yaml:9: axis is ` +
			`"hard", expected one of iid, ` +
			"hard_benign, ordinary_benign, obfuscation, balanced_subtype, domain_shift or structural_shift"},
		{"edition twice", head + "      - {name: a, path: a.csv}\n  - id: open\n    name: x\n    " +
			"manifest: M\n", `b.yaml:8: the edition id "open" stands twice`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseBenchmark("b.yaml", []byte(tt.data))
			checkError(t, err, fault.Usage, tt.want)
		})
	}
}
