package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// operatingInput has a detector with two seeds, one with failed rows of val and test, one that is not here, and a
// baseline, on small splits of every axis that the sections need.
func operatingInput(t *testing.T) *results.Input {
	t.Helper()
	file := func(name string, benign, injection int, sourceType func(i int) string) *dataset.Split {
		text := "text,label,source_type,family_id\n"
		for i := range benign + injection {
			label := 0
			if i >= benign {
				label = 1
			}
			text += fmt.Sprintf("%s%d,%d,%s,f%d\n", name, i, label, sourceType(i), i/2)
		}
		return read(t, name, text)
	}
	plain := func(int) string { return "real" }
	hard := file("hard_benign_test", 60, 0, func(i int) string { return []string{"real", "curated"}[i/40] })
	splits := []results.Split{
		{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID}, Data: file("test", 30, 30, plain)},
		{Spec: dataset.SplitSpec{Name: "hard_benign_test", Axis: dataset.HardBenign,
			Slices: map[string]string{"provenance": "source_type"}}, Data: hard},
		{Spec: dataset.SplitSpec{Name: "ordinary_benign", Axis: dataset.OrdinaryBenign},
			Data: file("ordinary_benign", 40, 0, plain)},
		{Spec: dataset.SplitSpec{Name: "obfuscated_attacks", Axis: dataset.Obfuscation},
			Data: file("obfuscated_attacks", 0, 10, plain)},
		{Spec: dataset.SplitSpec{Name: "structural_ood", Axis: dataset.StructuralShift}, Absent: "its file is not here",
			Data: &dataset.Split{Name: "structural_ood"}},
	}
	// Scores that step through a range which lies higher for injections.
	run := func(seed, step int, shift float64) results.Seed {
		of := func(s *dataset.Split) []results.Outcome {
			out := make([]results.Outcome, len(s.Rows))
			for i, row := range s.Rows {
				out[i].Score = float64((i*step+7)%23) / 46
				if row.Label == dataset.Injection {
					out[i].Score += shift
				}
			}
			return out
		}
		run := results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{}}
		for _, s := range splits {
			if s.Absent == "" {
				run.Outcomes[s.Spec.Name] = of(s.Data)
			}
		}
		return run
	}
	val := file("val", 40, 40, plain)
	in := &results.Input{Edition: "open", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max", Splits: splits, Val: val,
		ValPromised: true}
	onVal := func(seed results.Seed, step int, shift float64) results.Seed {
		seed.Val = make([]results.Outcome, len(val.Rows))
		for i, row := range val.Rows {
			seed.Val[i].Score = float64((i*step+3)%19) / 38
			if row.Label == dataset.Injection {
				seed.Val[i].Score += shift
			}
		}
		return seed
	}
	broken := onVal(run(1, 3, 0.2), 3, 0.2)
	broken.Outcomes["test"][2] = results.Outcome{State: results.Failed}
	broken.Outcomes["hard_benign_test"][5] = results.Outcome{State: results.Failed}
	broken.Val[0] = results.Outcome{State: results.Failed}
	block := run(0, 1, 0)
	for _, out := range block.Outcomes {
		for i := range out {
			out[i].Score = 1
		}
	}
	block.Val = slices.Repeat([]results.Outcome{{Score: 1}}, len(val.Rows))
	for _, name := range []string{"fixed:0.5", "val_f1", "native"} {
		p, err := threshold.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Policies = append(in.Policies, p)
	}
	in.Detectors = []results.Detector{
		{ID: "two", Name: "Two\x1b[31m seeds", Doubts: []string{"trained on other data: possibly contaminated"},
			Seeds: []results.Seed{onVal(run(1, 5, 0.45), 5, 0.45), onVal(run(2, 7, 0.5), 7, 0.5)}},
		{ID: "broken", Name: "Broken", Seeds: []results.Seed{broken}},
		{ID: "gone", Name: "Gone", Unavailable: "its model is not here"},
		{ID: "always-block", Name: "Always block", Baseline: true, Native: new(0.5), Seeds: []results.Seed{block}},
	}
	return in
}

// operatingSections are the sections of this kind, by name.
var operatingSections = []struct {
	name string
	make func(in *results.Input, r *results.Results) []Table
}{
	{"operating", Operating}, {"transfer", Transfer},
	{"prevalence", func(in *results.Input, r *results.Results) []Table { return Prevalence(in, r, CostOptions{}) }},
	{"over-defense", OverDefense}, {"frontier", Frontier}, {"calibration", Calibration}, {"reliability", Reliability},
}

func TestOperatingSectionsMatchTheirGoldenFiles(t *testing.T) {
	in := operatingInput(t)
	r := results.Build(*in)
	for _, s := range operatingSections {
		t.Run(s.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Text(&b, s.make(in, r)); err != nil {
				t.Fatal(err)
			}
			golden(t, s.name+".txt", b.Bytes())
		})
	}
}

func TestEveryRowOfASectionHasAnEntryForEachColumnAndBaselinesStandBelow(t *testing.T) {
	in := operatingInput(t)
	r := results.Build(*in)
	for _, s := range operatingSections {
		for _, table := range s.make(in, r) {
			for g, rows := range table.Groups {
				for _, row := range rows {
					if len(row) != len(table.Columns) {
						t.Errorf("%s: a row has %d entries, the head %d", table.Title, len(row), len(table.Columns))
					}
					if baseline := row[0].Text == "Always block"; table.ID != "reliability" && baseline != (g == 1) {
						t.Errorf("%s: %s stands in group %d", table.Title, row[0].Text, g)
					}
				}
			}
			from := table.Source
			if from.Edition != "open" || from.Manifest != in.ManifestSHA256 || !strings.Contains(table.Title, "edition open") {
				t.Errorf("%s does not say what it rests on: %+v", table.Title, from)
			}
		}
	}
}

func TestSectionsSayWhatTheyLack(t *testing.T) {
	in := operatingInput(t)
	in.Splits = in.Splits[3:4] // attacks alone
	r := results.Build(*in)
	for _, s := range operatingSections {
		var notes []string
		for _, table := range s.make(in, r) {
			notes = append(notes, table.Notes...)
		}
		says := func(n string) bool { return strings.HasPrefix(n, "n/a: edition open has no ") }
		if s.name != "transfer" && !slices.ContainsFunc(notes, says) {
			t.Errorf("%s does not say that its split is absent: %q", s.name, notes)
		}
	}
	in = operatingInput(t)
	in.Val, in.NoVal = nil, "there is no val file"
	r = results.Build(*in)
	for _, s := range operatingSections[:2] {
		says := func(n string) bool { return strings.HasSuffix(n, ": there is no val file") }
		if notes := s.make(in, r)[0].Notes; !slices.ContainsFunc(notes, says) {
			t.Errorf("%s does not say that val is absent: %q", s.name, notes)
		}
	}
}

func TestAUsersOwnFilesHaveOperatingPointsOfTheirOwn(t *testing.T) {
	in := operatingInput(t)
	in.Edition, in.ManifestSHA256 = "custom", ""
	in.Splits = slices.Clone(in.Splits[:2])
	for i := range in.Splits {
		in.Splits[i].Spec.Axis = dataset.Custom
	}
	in.Limit = 10
	r := results.Build(*in)
	tables := Operating(in, r)
	if len(tables) != 4 || !strings.HasPrefix(tables[2].Title, "Operating points on hard_benign_test (") {
		t.Fatalf("%d tables", len(tables))
	}
	if got := tables[2].Groups[0][0][1].String(); got != "n/a" {
		t.Errorf("the TPR of benign rows is %q", got)
	}
	if !strings.Contains(tables[0].Title, "a trial: first 10 rows") {
		t.Errorf("the title is %q", tables[0].Title)
	}
	for _, s := range operatingSections {
		for _, table := range s.make(in, r) {
			var b bytes.Buffer
			for _, f := range []Renderer{Text, Markdown, LaTeX} {
				if err := f(&b, []Table{table}); err != nil {
					t.Error(err)
				}
			}
			if strings.ContainsRune(b.String(), '\x1b') {
				t.Errorf("%s steers the terminal", table.Title)
			}
		}
	}
}

func TestCostFollowsItsOptions(t *testing.T) {
	in := operatingInput(t)
	r := results.Build(*in)
	last := func(o CostOptions) string {
		row := Prevalence(in, r, o)[0].Groups[1][0] // always block: R = FPR = 1
		return row[len(row)-1].String()
	}
	if got := last(CostOptions{}); got != "990.0" {
		t.Errorf("blocking everything costs %s", got)
	}
	if got := last(CostOptions{Ratio: 3, Prevalence: 0.2}); got != "800.0" {
		t.Errorf("blocking everything costs %s", got)
	}
}
