package builder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// rootWith makes a root that holds one file.
func rootWith(t *testing.T, path, content string) string {
	t.Helper()
	root := t.TempDir()
	if err := writeFile(filepath.Join(root, filepath.FromSlash(path)), []byte(content)); err != nil {
		t.Fatal(err)
	}
	return root
}

var goodLock = `packages:
  - {id: p, name: some-package, version: 1.0.0, sha256: ` + strings.Repeat("a", 64) + `, licence: MIT}
sources:
  - id: ours
    package: p
    paths: [a.csv]
    format: csv
    text: [text]
    label: {column: label, benign: ["0"], injection: ["1"]}
    role: pool
    language: en
    authorship: human
    authorship_evidence: seen
    licence: MIT
    licence_evidence: read
    attribution: us
    citation: here
`

func TestLockNamesEachMistake(t *testing.T) {
	if _, err := LoadLock(rootWith(t, LockPath, goodLock)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, say string }{
		{"package: p", "package: q", `source "ours": field package holds "q"`},
		{"paths: [a.csv]", "paths: []", "field paths"},
		{"format: csv", "format: xml", `field format holds "xml"`},
		{"text: [text]", "text: []", "field text"},
		{"role: pool", "role: filler", `field role holds "filler"`},
		{"authorship: human", "authorship: people", `field authorship holds "people"`},
		{"licence: MIT\n    l", "licence: ''\n    l", "licence"},
		{"citation: here", "citation: ''", "citation"},
		{"language: en", "language: ''", "field language"},
		{"language: en", "language: mul", `field language holds "mul"`},
		{"language: en", "language: en\n    languages: {detect: [en]}", `field language holds "en", expected mul`},
		{"language: en", "language: mul\n    languages: {detect: [en, tlh]}", `field languages.detect holds "tlh"`},
		{"language: en", "language: mul\n    languages: {column: l, detect: [en]}", "one of detect, column and folder"},
		{"role: pool", "role: pool\n    slots: {goal: ['(']}", "field slots"},
		{"label: {column: label, ", "label: {", "field label"},
		{"id: ours", "id: ''", "field id"},
		{"role: pool", "role: pool\n    frames: [{id: a, label: benign, pattern: '('}]",
			`field frames.pattern holds "("`},
		{"role: pool", "role: pool\n    frames: [{id: a, label: both, pattern: a}]", `field frames.label holds "both"`},
		{"role: pool", "role: pool\n    select: {words: [1]}", "field select.words"},
		{"role: pool", "role: pool\n    select: {max: -1}", "field skip_lines or select"},
		{"role: pool", "role: pool\n    colour: red", "colour"},
		{"sha256: a", "sha256: ", "SHA-256"},
	} {
		t.Run(tt.new, func(t *testing.T) {
			if !strings.Contains(goodLock, tt.old) {
				t.Fatalf("the lock holds no %q", tt.old)
			}
			_, err := LoadLock(rootWith(t, LockPath, strings.Replace(goodLock, tt.old, tt.new, 1)))
			if err == nil || fault.ExitCode(err) != int(fault.Usage) || !strings.Contains(err.Error(), tt.say) {
				t.Errorf("error is %v, want a Usage error that says %q", err, tt.say)
			}
		})
	}
	_, err := LoadLock(t.TempDir())
	testenv.WantFault(t, err, fault.Usage, LockPath)
}

func TestConfigNamesEachMistake(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testenv.Root(t), filepath.FromSlash(ConfigPath)))
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	for _, tt := range []struct{ old, new, say string }{
		{`version: "1.1"`, `version: "v1"`, "field version holds v1"},
		{"near_duplicate: 0.95", "near_duplicate: 1.5", "field near_duplicate holds 1.5"},
		{"family: 0.80", "family: 0", "field family holds 0"},
		{"family_margin: 0.02", "family_margin: 0.9", "field family_margin"},
		{"own_roleplay_attack: ", "own_role_attack: ", "field quotas"},
		{"roleplay_attack: 2,", "role_attack: 2,", "field paraphrase.rounds holds role_attack"},
		{"twins: ", "twins: 9", "field obfuscation.twins"},
		{"rot13_wrap: 100", "rot13_wrap: 0", "field obfuscation.weights.rot13_wrap"},
		{"rot13_wrap: 100", "rot13_wrap: 100\n    rot14_wrap: 100", "field obfuscation.weights.rot14_wrap"},
		{"max_source: 500", "max_source: 5000", "field balance"},
		{"filler_max: 2000", "filler_max: 20", "field structural"},
		{"curated: 600", "curated: -1", "field hard_benign.curated holds -1"},
		{"{train: 419, val: 116}", "{train: 419, val: -1}", "field hard_benign.hard_negative.val holds -1"},
		{"ordinary: 419", "ordinary: -419", "field augmentation.ordinary holds -419"},
		{"train: {benign: 2628", "train: {benign: -2628", "field obfuscation.train.benign holds -2628"},
		{"{seeds: 150}", "{seeds: -150}", "field held_out_obfuscation.seeds holds -150"},
		{"law: {benign: 250", "law: {benign: -250", "field domain_ood.law.benign holds -250"},
		{"data/authored/grammar/benign.yaml", "../benign.yaml", "field authored.frames["},
		{"data/authored/grammar/benign.yaml", "data/authored/../benign.yaml", "field authored.frames["},
		{"seed: 42", "sead: 42", "sead"},
	} {
		t.Run(tt.new, func(t *testing.T) {
			if !strings.Contains(good, tt.old) {
				t.Fatalf("the configuration holds no %q", tt.old)
			}
			_, err := LoadConfig(rootWith(t, ConfigPath, strings.Replace(good, tt.old, tt.new, 1)))
			if err == nil || fault.ExitCode(err) != int(fault.Usage) || !strings.Contains(err.Error(), tt.say) {
				t.Errorf("error is %v, want a Usage error that says %q", err, tt.say)
			}
		})
	}
}

func TestLockOfTheRepositoryLoads(t *testing.T) {
	lock, err := LoadLock(testenv.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range lock.Sources {
		if s.Role == Control && s.Select.Max == 0 {
			t.Errorf("control source %s has no quota", s.ID)
		}
	}
}
