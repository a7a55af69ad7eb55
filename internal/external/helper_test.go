package external

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// write makes files in a folder of its own and returns their paths in the order of the arguments: name, contents, ….
func write(t testing.TB, files ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// labelled reads column kind: ok or bad.
func labelled(t testing.TB, change ...func(*Rule)) *Mapping {
	t.Helper()
	r := Rule{Names: []string{"*"}, Text: "text", Label: LabelRule{Column: "kind", Benign: []string{"ok"},
		Injection: []string{"bad"}}}
	for _, c := range change {
		c(&r)
	}
	m, err := Plain(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func importFiles(t testing.TB, s Store, name string, m *Mapping, paths ...string) (*Set, error) {
	t.Helper()
	set, _, err := s.Import(context.Background(), name, m, Input{Paths: paths}, false)
	return set, err
}

// read returns the contents of a file of a set.
func read(t testing.TB, s Store, name, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.Dir, name, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
