package builder

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
	"pidsbench/internal/textnorm"
)

// ownRoot makes a repository of our own texts: a wheel, a lock, lists and a configuration.
func ownRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	cfg, _, _, items := small()
	var prompts, chats, control strings.Builder
	rows := make([][]string, len(items[0]))
	for i, it := range items[0] {
		rows[i] = []string{it.Text, fmt.Sprint(it.Label)}
	}
	if err := dataset.WriteCSV(&prompts, []string{"text", "label"}, rows); err != nil {
		t.Fatal(err)
	}
	for _, it := range items[1] {
		fmt.Fprintf(&chats, "{\"t\": %q, \"c\": %q}\n", it.Text, it.Carrier)
	}
	for _, it := range items[2] {
		fmt.Fprintf(&control, "{\"t\": %q}\n", it.Text)
	}
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	for _, m := range []struct{ name, data string }{
		{"own/prompts.csv", prompts.String()}, {"own/chats.jsonl", chats.String()},
		{"own/control.jsonl", control.String()},
	} {
		w, err := z.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(m.data))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(wheel.Bytes())
	common := `
    package: own
    language: en
    authorship: human
    authorship_evidence: ours
    licence: MIT
    licence_evidence: ours
    attribution: us
    citation: here
`
	lock := `packages:
  - {id: own, name: own-texts, version: 1.0.0, licence: MIT, sha256: "` + hex.EncodeToString(sum[:]) + `"}
sources:
  - id: prompts
    paths: [own/prompts.csv]
    format: csv
    text: [text]
    label: {column: label, benign: ["0"], injection: ["1"]}
    role: pool
    hard_benign: true` + common + `
  - id: chats
    paths: [own/chats.jsonl]
    format: jsonl
    text: [t]
    carrier: c
    label: {constant: benign}
    select: {max: 80, filler: 30, one_per_carrier: true}
    role: pool` + common + `
  - id: control
    paths: [own/control.jsonl]
    format: jsonl
    text: [t]
    label: {constant: benign}
    select: {max: 30}
    role: control` + common
	config, err := yaml.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	wheels := t.TempDir()
	t.Setenv(packages.SourcesVar, wheels)
	for path, data := range map[string][]byte{
		filepath.Join(wheels, "own_texts-1.0.0-py3-none-any.whl"): wheel.Bytes(),
		filepath.Join(root, LockPath):                             []byte(lock),
		filepath.Join(root, ConfigPath):                           config,
		filepath.Join(root, "data/lists/security_adjacent.yaml"): []byte(
			"schema: pidsbench-words/1\ntopics:\n  - {name: ours, terms: [prompts]}\nhomonyms: [a]\n"),
		filepath.Join(root, "data/lists/drop.yaml"): []byte("schema: pidsbench-drops/1\ndrop:\n  - {sha256: " +
			textnorm.ExactHash(items[0][2].Text) + ", reason: fragment, source: prompts}\nkept: []\n"),
	} {
		if err := writeFile(path, data); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// tree returns the files below dir by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func expectCounts(t *testing.T, root string, expect []Expected) {
	t.Helper()
	cfg, err := LoadConfig(root)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Expect = expect
	data, err := yaml.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(root, ConfigPath), data); err != nil {
		t.Fatal(err)
	}
}

func TestBuildKeepsToCountsAndManifest(t *testing.T) {
	root := ownRoot(t)
	open := filepath.Join(root, "data", "open")

	draft, err := Build(t.Context(), Options{Root: root, Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	first := tree(t, open)
	if len(first) != len(draft.Files) {
		t.Fatalf("the edition holds %d files, want %d", len(first), len(draft.Files))
	}
	if reasons(draft.Removed)["drop list: fragment"] != 1 {
		t.Error("the drop list was not used")
	}
	if _, err := Build(t.Context(), Options{Root: root}); err == nil {
		t.Error("a build without expected counts succeeds")
	}

	expectCounts(t, root, draft.Files)
	m, err := Freeze(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Files) != len(draft.Files) {
		t.Errorf("%d files are frozen, want %d", len(m.Files), len(draft.Files))
	}
	if err := os.RemoveAll(open); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), Options{Root: root}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, tree(t, open)); diff != "" {
		t.Errorf("the second build differs: %s", diff)
	}

	// Other counts, then the same counts with other rows: neither may touch the edition.
	wrong := append([]Expected(nil), draft.Files...)
	wrong[0].Benign++
	expectCounts(t, root, wrong)
	_, err = Build(t.Context(), Options{Root: root})
	wantFault(t, err, fault.Integrity, "train.csv: benign")

	expectCounts(t, root, draft.Files)
	path := filepath.Join(root, ManifestPath)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := m.Lookup(trainFile)
	other := strings.Replace(string(data), f.SHA256, strings.Repeat("0", 64), 1)
	if err := writeFile(path, []byte(other)); err != nil {
		t.Fatal(err)
	}
	_, err = Build(t.Context(), Options{Root: root})
	wantFault(t, err, fault.Integrity, "differs from the edition frozen in FREEZE_MANIFEST.txt", "train.csv")
	if diff := cmp.Diff(first, tree(t, open)); diff != "" {
		t.Errorf("a failed build changed the edition: %s", diff)
	}
}

func TestAStoppedBuildLeavesTheEditionAlone(t *testing.T) {
	root := ownRoot(t)
	open := filepath.Join(root, "data", "open")
	if _, err := Build(t.Context(), Options{Root: root, Draft: true}); err != nil {
		t.Fatal(err)
	}
	before := tree(t, open)
	for _, at := range []string{stageImport, stageClean, stageSplit, "leaks"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Build(ctx, Options{Root: root, Draft: true, Stage: func(name string, _ int) {
			if name == at {
				cancel()
			}
		}})
		if fault.ExitCode(err) != int(fault.Interrupted) {
			t.Errorf("stopped after %s: error is %v", at, err)
		}
	}
	if diff := cmp.Diff(before, tree(t, open)); diff != "" {
		t.Errorf("a stopped build changed the edition: %s", diff)
	}
}

func TestLogsHoldNoText(t *testing.T) {
	root := ownRoot(t)
	report, err := Build(t.Context(), Options{Root: root, Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(root, ".build", "builder")
	_, _, _, items := small()
	for _, name := range []string{"removed.jsonl", "rows.jsonl", "families.json"} {
		data, err := os.ReadFile(filepath.Join(work, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range items {
			for _, it := range rows {
				if bytes.Contains(data, []byte(it.Text)) {
					t.Fatalf("%s holds the text %q", name, it.Text)
				}
			}
		}
		if name == "removed.jsonl" && bytes.Count(data, []byte("\n")) != len(report.Removed) {
			t.Errorf("%s has %d lines, want %d", name, bytes.Count(data, []byte("\n")), len(report.Removed))
		}
	}
}
