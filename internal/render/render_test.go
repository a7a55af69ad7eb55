package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with testdata/NAME, or rewrites it under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update when the change is meant:\n%s", path, diff)
	}
}

func read(t *testing.T, name, text string) *dataset.Split {
	t.Helper()
	s, err := dataset.ReadBytes(name+".csv", []byte(text), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	s.Name = name
	return s
}

func scored(scores ...float64) []results.Outcome {
	out := make([]results.Outcome, len(scores))
	for i, s := range scores {
		out[i] = results.Outcome{Score: s}
	}
	return out
}

// sample has a detector with two seeds, one with a failed and a truncated row, one that is not here, and a baseline.
func sample(t *testing.T) *results.Results {
	native := 0.6
	test := read(t, "test", "text,label,source_type\na,0,real\nb,0,real\nc,1,real\nd,1,real\ne,1,template\nf,0,template\n")
	hard := read(t, "hard_benign_test", "text,label,source_type\ng,0,real\nh,0,real\n")
	ordinary := read(t, "ordinary_benign", "text,label\ni,0\nj,0\n")
	val := read(t, "val", "text,label\nv,0\nw,1\n")
	var policies []threshold.Policy
	for _, name := range []string{"fixed:0.5", "val_f1", "native"} {
		p, err := threshold.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	broken := scored(0.1, 0.6, 0.9, 0.4, 0.8, 0.2)
	broken[1] = results.Outcome{State: results.Failed}
	broken[2].Truncated = true
	return results.Build(results.Input{
		Edition: "open", EditionName: "a small edition", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max", Val: val,
		Splits: []results.Split{
			{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID, Slices: map[string]string{"source_type": "source_type"}}, Data: test},
			{Spec: dataset.SplitSpec{Name: "hard_benign_test", Axis: dataset.HardBenign,
				Slices: map[string]string{"provenance": "source_type"}}, Data: hard},
			{Spec: dataset.SplitSpec{Name: "ordinary_benign", Axis: dataset.OrdinaryBenign}, Data: ordinary},
		},
		Policies: policies,
		Detectors: []results.Detector{
			{ID: "two-seeds", Name: "Two seeds", Native: &native, Doubts: []string{"trained on other data: possibly contaminated"},
				Seeds: []results.Seed{
					{Seed: 1, Outcomes: map[string][]results.Outcome{"test": scored(0.1, 0.6, 0.9, 0.4, 0.8, 0.2),
						"hard_benign_test": scored(0.7, 0.1), "ordinary_benign": scored(0.1, 0.1)}, Val: scored(0.2, 0.3)},
					{Seed: 2, Outcomes: map[string][]results.Outcome{"test": scored(0.1, 0.2, 0.9, 0.8, 0.8, 0.2),
						"hard_benign_test": scored(0.7, 0.6), "ordinary_benign": scored(0.1, 0.9)}, Val: scored(0.2, 0.9)},
				}},
			{ID: "broken", Name: "Bro|ken_ & <b>", Seeds: []results.Seed{{Outcomes: map[string][]results.Outcome{
				"test": broken, "hard_benign_test": scored(0.7, 0.1), "ordinary_benign": scored(0, 0)}, Val: scored(0.2, 0.3)}}},
			{ID: "gone", Name: "Gone", Unavailable: "its model is not here"},
			{ID: "always-block", Name: "Always block", Baseline: true, Seeds: []results.Seed{{Outcomes: map[string][]results.Outcome{
				"test": scored(1, 1, 1, 1, 1, 1), "hard_benign_test": scored(1, 1), "ordinary_benign": scored(1, 1),
			}, Val: scored(1, 1)}}},
		},
	})
}

func TestRenderersMatchTheirGoldenFiles(t *testing.T) {
	tables := Layout(sample(t), false)
	for name, r := range map[string]Renderer{"table.txt": Text, "table.md": Markdown, "table.tex": LaTeX, "table.csv": CSV} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := r(&b, tables); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
		})
	}
}

func TestJSONHoldsEveryCell(t *testing.T) {
	r := sample(t)
	var b bytes.Buffer
	if err := JSON(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	var back results.Results
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Cells, back.Cells); diff != "" {
		t.Errorf("cells differ after a round trip:\n%s", diff)
	}
	if back.Schema != results.Schema || back.ManifestSHA256 != r.ManifestSHA256 {
		t.Errorf("header differs: %q %q", back.Schema, back.ManifestSHA256)
	}
}

func TestCSVHasOneWellFormedRowForEachDetectorAndPolicy(t *testing.T) {
	var b bytes.Buffer
	if err := CSV(&b, Layout(sample(t), false)); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range records[1:] {
		key := r[0] + " " + r[1]
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
	}
	if !seen["two-seeds val_f1"] || !seen["gone fixed:0.5"] || !seen["always-block fixed:0.5"] {
		t.Errorf("rows missing: %v", seen)
	}
}

func TestControlCharactersNeverReachATerminal(t *testing.T) {
	r := sample(t)
	r.Detectors[0].Name = "evil\x1b]0;title\x07\u009dname\u202e"
	r.Warnings = append(r.Warnings, "a\x1b[2Jb")
	var b bytes.Buffer
	if err := Text(&b, Layout(r, false)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"\x1b", "\x07", "\u009d", "\u202e"} {
		if strings.Contains(b.String(), c) {
			t.Errorf("the table holds %q", c)
		}
	}
}

func TestEveryTableSaysWhichTextsAreWithheld(t *testing.T) {
	r := sample(t)
	r.PublicSubset = true
	r.Splits[1].Rows, r.Splits[1].Withheld = 1472, 664
	for _, table := range Layout(r, false) {
		if n := strings.Count(strings.Join(table.Notes, "\n"), "808 of 1,472 rows"); n != 1 {
			t.Errorf("%s at %s says so %d times, want once", table.ID, table.Policy, n)
		}
	}
}

func TestAnAbsentSplitIsExplainedOnceAndNotCounted(t *testing.T) {
	r := sample(t)
	r.Splits[1].Absent = "hard.csv is not here"
	for _, table := range Layout(r, false) {
		n := strings.Count(strings.Join(table.Notes, "\n"), "n/a: hard_benign_test: hard.csv is not here")
		if want := map[string]int{"main": 1, "provenance": 1}[table.ID]; n != want {
			t.Errorf("%s at %s says so %d times, want %d", table.ID, table.Policy, n, want)
		}
		for _, g := range table.Groups {
			for _, row := range g {
				if table.ID == "confusion" && row[1].Text == "hard_benign_test" {
					t.Error("an absent split has counts")
				}
			}
		}
	}
}

func TestEveryTableSaysWhichRowsInDisputeAreLeftOut(t *testing.T) {
	r := sample(t)
	r.Splits[1].Rows, r.Splits[1].Disputed = 1472, 31
	for _, undisputed := range []bool{false, true} {
		r.Undisputed = undisputed
		for _, table := range Layout(r, false) {
			n := strings.Count(strings.Join(table.Notes, "\n"), "31 of 1,472 rows of hard_benign_test are left out")
			if said := strings.Contains(table.Title, "without disputed rows"); said != undisputed || n == 1 != undisputed {
				t.Errorf("undisputed %v, %s at %s: title %q, notes %q", undisputed, table.ID, table.Policy, table.Title,
					table.Notes)
			}
		}
	}
}

func TestNumbersOverRowsThatTheDetectorWasTrainedOnBearAStar(t *testing.T) {
	r := sample(t)
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Detector == r.Detectors[0].ID && c.Split == "test" {
			c.NExposed = 1
		}
	}
	const note = "* some of the rows come from sets that the detector was trained on"
	starred := 0
	for _, table := range Layout(r, false) {
		has := false
		for _, g := range table.Groups {
			for _, row := range g {
				for _, e := range row {
					star := e.Cell != nil && e.Cell.Value != nil && e.Cell.NExposed > 0
					if star != strings.Contains(e.String(), "*") {
						t.Errorf("table %s shows %q", table.ID, e)
					}
					has = has || star
				}
			}
		}
		if has {
			starred++
		}
		if has != strings.Contains(strings.Join(table.Notes, "\n"), note) {
			t.Errorf("table %s has stars: %v; its notes are %q", table.ID, has, table.Notes)
		}
	}
	if starred == 0 {
		t.Error("no table has a star")
	}
}

// TestNoColumnOfTheWideFormStandsForTwoNumbers looks at the columns of all tables that share a line of the CSV form.
func TestNoColumnOfTheWideFormStandsForTwoNumbers(t *testing.T) {
	seen := map[string]column{}
	add := func(name string, c column) {
		c.head = ""
		if other, ok := seen[name]; ok && other != c {
			t.Errorf("column %q stands for %+v and %+v", name, other, c)
		}
		seen[name] = c
	}
	for _, c := range append(append([]column{}, mainColumns...), provenanceColumns...) {
		add(c.head, c)
	}
	for _, p := range pairedLayouts {
		for _, c := range p.columns {
			add(p.id+": "+c.head, c)
		}
	}
}
