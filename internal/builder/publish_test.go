package builder

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
	"pidsbench/internal/testenv"
)

// ownRoot makes a repository of our own texts: a wheel, a lock, lists and a configuration. It has no authored texts.
func ownRoot(t *testing.T) (root string, s *source) {
	t.Helper()
	root = t.TempDir()
	s = small()
	s.cfg.Authored, s.cfg.Paraphrase, s.cfg.Domain = AuthoredConfig{}, ParaphraseConfig{}, nil
	s.cfg.Carriers = CarriersConfig{}
	s.cfg.HardBenign.Curated, s.cfg.HardBenign.Negative.Train, s.cfg.HardBenign.Negative.Val = 0, 0, 0
	for _, q := range s.cfg.Quotas.parts() {
		maps.DeleteFunc(q, func(stratum string, _ int) bool { return strings.HasPrefix(stratum, ownPrefix) })
		q["tool_injection"] /= 2
	}
	wheel := s.wheel(t)
	sum := sha256.Sum256(wheel)
	config, err := yaml.Marshal(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	drops := "schema: pidsbench-drops/1\ndrop:\n"
	for _, hash := range slices.Sorted(maps.Keys(s.lists.Drops)) {
		drops += fmt.Sprintf("  - {sha256: %s, reason: %s, source: prompts}\n", hash, s.lists.Drops[hash])
	}
	verdicts := "schema: pidsbench-hard-benign/1\nrows:\n"
	for _, hash := range slices.Sorted(maps.Keys(s.lists.Verdicts)) {
		v := s.lists.Verdicts[hash]
		topic := ""
		if v.Topic != "" {
			topic = ", topic: " + v.Topic
		}
		verdicts += fmt.Sprintf("  - {sha256: %s, verdict: %s%s, source: prompts}\n", hash, v.Verdict, topic)
	}
	rules := "schema: pidsbench-subtypes/1\nrules:\n"
	for _, w := range byWord {
		rules += fmt.Sprintf("  - {id: 'word:%s', type: %s, patterns: [%[1]s], why: ours, match: [%[1]s it], not: [lamp]}\n",
			w.word, w.kind)
	}
	wheels := t.TempDir()
	t.Setenv(packages.SourcesVar, wheels)
	files := map[string][]byte{
		filepath.Join(wheels, "own_texts-1.0.0-py3-none-any.whl"): wheel,
		filepath.Join(root, LockPath):                             []byte(ownLock(hex.EncodeToString(sum[:]))),
		filepath.Join(root, ConfigPath):                           config,
		filepath.Join(root, adjacentPath): []byte(
			"schema: pidsbench-words/1\ntopics:\n  - {name: ours, terms: [prompts]}\nhomonyms: [a]\n"),
		filepath.Join(root, dropPath):       []byte(drops + "kept: []\n"),
		filepath.Join(root, hardBenignPath): []byte(verdicts),
		filepath.Join(root, subtypePath):    []byte(rules),
		filepath.Join(root, domainPath):     []byte("schema: pidsbench-domains/1\nrows: []\n"),
	}
	for _, path := range []string{GoalsPath, paraphrasePath} { // of no use here, but a build reads them
		if files[filepath.Join(root, path)], err = os.ReadFile(filepath.Join(testenv.Root(t), path)); err != nil {
			t.Fatal(err)
		}
	}
	for path, data := range files {
		if err := writeFile(path, data); err != nil {
			t.Fatal(err)
		}
	}
	return root, s
}

// wheel packs the texts of the sources.
func (s *source) wheel(t *testing.T) []byte {
	t.Helper()
	var prompts bytes.Buffer
	var rows [][]string
	for _, it := range s.items[0] {
		rows = append(rows, []string{it.Text, fmt.Sprint(it.Label)})
	}
	if err := dataset.WriteCSV(&prompts, []string{"text", "label"}, rows); err != nil {
		t.Fatal(err)
	}
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	add := func(name string, data []byte) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
	}
	add("own/prompts.csv", prompts.Bytes())
	for i, name := range []string{"chats", "forms", "letters", "control"} {
		var lines bytes.Buffer
		for _, it := range s.items[i+1] {
			_, carrier, _ := strings.Cut(it.Carrier, "/") // the reader puts the source before it
			if err := json.NewEncoder(&lines).Encode(map[string]string{"t": it.Text, "c": carrier}); err != nil {
				t.Fatal(err)
			}
		}
		add("own/"+name+".jsonl", lines.Bytes())
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return wheel.Bytes()
}

func ownLock(sum string) string {
	lock := `packages:
  - {id: own, name: own-texts, version: 1.0.0, licence: MIT, sha256: "` + sum + `"}
sources:
`
	for _, s := range []struct{ id, more string }{
		{"prompts", `
    paths: [own/prompts.csv]
    format: csv
    text: [text]
    label: {column: label, benign: ["0"], injection: ["1"]}
    role: pool
    authorship: unknown
    hard_benign: true`},
		{"chats", `
    paths: [own/chats.jsonl]
    format: jsonl
    text: [t]
    carrier: c
    label: {constant: benign}
    select: {max: 60, filler: 28, one_per_carrier: true}
    role: pool
    authorship: human`},
		{"forms", `
    paths: [own/forms.jsonl]
    format: jsonl
    text: [t]
    carrier: c
    label: {constant: benign}
    role: pool
    authorship: template`},
		{"letters", `
    paths: [own/letters.jsonl]
    format: jsonl
    text: [t]
    carrier: c
    label: {constant: benign}
    role: pool
    authorship: human`},
		{"control", `
    paths: [own/control.jsonl]
    format: jsonl
    text: [t]
    label: {constant: benign}
    select: {max: 20}
    role: control
    authorship: human`},
	} {
		lock += "  - id: " + s.id + s.more + `
    package: own
    language: en
    authorship_evidence: ours
    licence: MIT
    licence_evidence: ours
    attribution: us
    citation: here
`
	}
	return lock
}

// tree returns the files below dir by path.
func tree(t testing.TB, dir string) map[string]string {
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
	root, _ := ownRoot(t)
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
	testenv.WantFault(t, err, fault.Integrity, "train.csv: benign")

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
	testenv.WantFault(t, err, fault.Integrity,
		"differs from the edition frozen in FREEZE_MANIFEST.txt in 1 files (train.csv)")
	if diff := cmp.Diff(first, tree(t, open)); diff != "" {
		t.Errorf("a failed build changed the edition: %s", diff)
	}
}

func TestAStoppedBuildLeavesTheEditionAlone(t *testing.T) {
	root, _ := ownRoot(t)
	open := filepath.Join(root, "data", "open")
	if _, err := Build(t.Context(), Options{Root: root, Draft: true}); err != nil {
		t.Fatal(err)
	}
	before := tree(t, open)
	for _, at := range []string{stageImport, stageClean, "round-01/" + stageSplit, "round-01/" + stageCheck} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Build(ctx, Options{Root: root, Draft: true, Stage: func(name string, _ int, _ bool) {
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

func TestABuildKeepsItsStagesUntilAFileOfTheRepositoryChanges(t *testing.T) {
	root, s := ownRoot(t)
	run := func() (ran []string) {
		t.Helper()
		var b build
		if _, err := Build(t.Context(), Options{Root: root, Draft: true, Stage: b.done}); err != nil {
			t.Fatal(err)
		}
		return sorted(b.ran)
	}
	if diff := cmp.Diff(allStages(), run()); diff != "" {
		t.Fatal(diff)
	}
	for path, data := range tree(t, filepath.Join(root, ".build", "builder")) {
		var m stageManifest
		if filepath.Base(path) != manifestFile {
			continue
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Fatal(err)
		}
		for in, sum := range m.Inputs {
			if file, err := os.ReadFile(filepath.Join(root, in)); err == nil && hashOf(file) != sum {
				t.Errorf("%s has another hash of %s", path, in)
			}
			if len(sum) != 64 {
				t.Errorf("%s has the hash %q of %s", path, sum, in)
			}
		}
	}
	whole := tree(t, filepath.Join(root, ".build", "builder"))
	if ran := run(); len(ran) > 0 {
		t.Errorf("nothing changed, and yet %v ran", ran)
	}
	if diff := cmp.Diff(whole, tree(t, filepath.Join(root, ".build", "builder"))); diff != "" {
		t.Errorf("the second build left other files: %.2000s", diff)
	}
	change := func(path string, change func(string) string) {
		t.Helper()
		path = filepath.Join(root, path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(path, []byte(change(string(data)))); err != nil {
			t.Fatal(err)
		}
	}
	comment := func(text string) string { return text + "# a comment\n" }
	for path, want := range map[string][]string{
		ConfigPath:     nil, // its values count, not its bytes
		subtypePath:    {stageClassify},
		hardBenignPath: {stageClean, stageHoldOut},
		LockPath:       {stageImport, stageClean, stageSelect, stageHoldOut},
	} {
		change(path, comment)
		if diff := cmp.Diff(sorted(want), run(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: other stages ran: %s", path, diff)
		}
	}
	before := tree(t, filepath.Join(root, "data", "open"))
	s.cfg.Slices.Benign--
	config, err := yaml.Marshal(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	change(ConfigPath, func(string) string { return string(config) })
	if diff := cmp.Diff([]string{stageCheck, stageSlices}, run()); diff != "" {
		t.Error(diff)
	}
	var changed []string
	for path, data := range tree(t, filepath.Join(root, "data", "open")) {
		if before[path] != data {
			changed = append(changed, path)
		}
	}
	if diff := cmp.Diff([]string{balancedFile}, changed); diff != "" {
		t.Error(diff)
	}
}

func TestTheOwnEditionIsWhatAnEditionMustBe(t *testing.T) {
	root, s := ownRoot(t)
	report, err := Build(t.Context(), Options{Root: root, Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	checkEdition(t, filepath.Join(root, "data", "open"), report.Files, s.cfg, s.lock)
}

// The folders of the stages hold texts; what lies beside them is for any reader.
func TestLogsHoldNoText(t *testing.T) {
	root, s := ownRoot(t)
	report, err := Build(t.Context(), Options{Root: root, Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(root, ".build", "builder")
	for _, name := range []string{"removed.jsonl", "rows.jsonl", "families.json"} {
		data, err := os.ReadFile(filepath.Join(work, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range s.items {
			for _, it := range rows {
				if len(it.Text) > 3 && bytes.Contains(data, []byte(it.Text)) {
					t.Fatalf("%s holds the text %q", name, it.Text)
				}
			}
		}
		if name == "removed.jsonl" && bytes.Count(data, []byte("\n")) != len(report.Removed) {
			t.Errorf("%s has %d lines, want %d", name, bytes.Count(data, []byte("\n")), len(report.Removed))
		}
	}
}

func TestAnErrorNamesTheFirstOfManyWrongCounts(t *testing.T) {
	var found []Expected
	for i := range 30 {
		found = append(found, Expected{File: fmt.Sprintf("f%02d.csv", i)})
	}
	err := checkCounts(found, nil)
	testenv.WantFault(t, err, fault.Integrity, "misses 30 of its counts", "f07.csv", "and 22 more")
	if strings.Contains(err.Error(), "f08.csv") {
		t.Errorf("error is %v", err)
	}
}
