package inventory

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

func mit(t *testing.T) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(testenv.Root(t), "tools", "licences", "onnxruntime.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestLicencesAreKnownByTheirWording(t *testing.T) {
	apache, err := os.ReadFile(filepath.Join(testenv.Root(t), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	commented := []byte(" * " + strings.ReplaceAll(string(mit(t)), "\n", "\n * "))
	for name, test := range map[string]struct {
		files []Text
		want  string
	}{
		"one":            {[]Text{{"LICENSE", mit(t)}}, "MIT"},
		"in a comment":   {[]Text{{"licence of a.hxx", commented}}, "MIT"},
		"two, sorted":    {[]Text{{"LICENSE-MIT", mit(t)}, {"LICENSE-APACHE", apache}}, "Apache-2.0 AND MIT"},
		"one twice":      {[]Text{{"LICENSE", mit(t)}, {"a/LICENCE.txt", mit(t)}}, "MIT"},
		"with a notice":  {[]Text{{"COPYING", mit(t)}, {"NOTICE", []byte("made by somebody")}}, "MIT"},
		"a notice alone": {[]Text{{"NOTICE", mit(t)}}, ""},
		"none":           {nil, ""},
		"other words":    {[]Text{{"LICENSE", mit(t)}, {"LICENSE.other", []byte("you may look, and that is all")}}, ""},
	} {
		if got := classify(test.files); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestOnlyLicenceFilesAndNoticesAreTaken(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE", "LICENCE.md", "UNLICENSE", "COPYING", "NOTICE", "licenser.go", "README.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := licenceFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "COPYING LICENCE.md LICENSE NOTICE UNLICENSE" {
		t.Errorf("took %s", got)
	}
}

func TestCratesThatOnlyRunWhileBuildingAreLeftOut(t *testing.T) {
	const graph = `{
	"packages": [
		{"id": "root", "name": "root", "targets": [{"kind": ["staticlib"]}]},
		{"id": "b", "name": "b", "targets": [{"kind": ["lib"]}]},
		{"id": "a", "name": "a", "targets": [{"kind": ["lib"]}]},
		{"id": "macro", "name": "macro", "targets": [{"kind": ["proc-macro"]}]},
		{"id": "of-macro", "name": "of-macro", "targets": [{"kind": ["lib"]}]},
		{"id": "cc", "name": "cc", "targets": [{"kind": ["lib"]}]},
		{"id": "bench", "name": "bench", "targets": [{"kind": ["lib"]}]}],
	"resolve": {"root": "root", "nodes": [
		{"id": "root", "deps": [{"pkg": "b", "dep_kinds": [{"kind": null}]}, {"pkg": "bench", "dep_kinds": [{"kind": "dev"}]},
			{"pkg": "macro", "dep_kinds": [{"kind": null}]}]},
		{"id": "b", "deps": [{"pkg": "a", "dep_kinds": [{"kind": "dev"}, {"kind": null}]}, {"pkg": "b", "dep_kinds": [{"kind": null}]},
			{"pkg": "cc", "dep_kinds": [{"kind": "build"}]}]},
		{"id": "macro", "deps": [{"pkg": "of-macro", "dep_kinds": [{"kind": null}]}]}]}}`
	var meta cargoMetadata
	if err := json.Unmarshal([]byte(graph), &meta); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range linkedCrates(meta) {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "a b" {
		t.Errorf("linked: %s", got)
	}
}

// TestEveryRequirementIsLockedWithHashes: pip refuses a file in which one package has none.
func TestEveryRequirementIsLockedWithHashes(t *testing.T) {
	dir := filepath.Join(testenv.Root(t), "tools", "train")
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	whole, cpu := read("requirements.lock"), read("requirements-cpu.lock")
	for line := range strings.Lines(read("requirements.txt")) {
		pin := "\n" + strings.TrimSpace(line) + " \\\n"
		if !strings.Contains(whole, pin) {
			t.Errorf("requirements.lock lacks %s; run tools/train/lock.sh", strings.TrimSpace(line))
		}
		if !strings.HasPrefix(line, "torch==") && !strings.Contains(cpu, pin) {
			t.Errorf("requirements-cpu.lock lacks %s; run tools/train/lock.sh", strings.TrimSpace(line))
		}
	}
	if regexp.MustCompile(`(?m)^(torch|triton|nvidia-|cuda-)`).MatchString(cpu) {
		t.Error("requirements-cpu.lock brings CUDA along")
	}
	entry := regexp.MustCompile(`(?m)^[a-z0-9][^\n]*\\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+`)
	for name, text := range map[string]string{"requirements.lock": whole, "requirements-cpu.lock": cpu} {
		rest := entry.ReplaceAllString(text, "")
		if strings.Count(rest, "\n") != 1 {
			t.Errorf("%s holds entries without hashes:\n%s", name, rest)
		}
	}
}

func TestThePolicyAndTheProjectsOwnListsFit(t *testing.T) {
	root := testenv.Root(t)
	p, err := LoadPolicy(root)
	if err != nil {
		t.Fatal(err)
	}
	var all []Component
	for _, list := range []func(string) ([]Component, error){pythonPackages, texts, detectors} {
		found, err := list(root)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	verdicts, stale := p.Judge(all)
	for _, v := range verdicts {
		if v.Problem != "" {
			t.Errorf("%s %s: %s", v.Kind, v.Name, v.Problem)
		}
	}
	for _, s := range stale { // modules are for `make licences`
		if !strings.Contains(s, string(GoModule)) {
			t.Error(s)
		}
	}
}
