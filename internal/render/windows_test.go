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

// readTwice is a split of 80 rows, half of them attacks, and one without long texts, read in both window modes. Every
// fourth row is longer than a window: the further windows of every second of these hold what its first one lacks.
func readTwice(t *testing.T) *results.Input {
	t.Helper()
	var long, short strings.Builder
	long.WriteString("text,label,family_id\n")
	short.WriteString("text,label,family_id\n")
	for i := range 80 {
		fmt.Fprintf(&long, "t%d,%d,f%d\n", i, i%8/4, i/2)
		fmt.Fprintf(&short, "s%d,%d,g%d\n", i, i%2, i)
	}
	splits := []results.Split{
		{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID}, Data: read(t, "test", long.String())},
		{Spec: dataset.SplitSpec{Name: "domain_ood", Axis: dataset.DomainShift},
			Data: read(t, "domain_ood", short.String())},
		{Spec: dataset.SplitSpec{Name: "structural_ood"}, Data: &dataset.Split{}, Absent: "not here"},
	}
	seeds := func(all bool, numbers ...int) (out []results.Seed) {
		for _, n := range numbers {
			run := results.Seed{Seed: n, Outcomes: map[string][]results.Outcome{
				"test": make([]results.Outcome, 80), "domain_ood": make([]results.Outcome, 80)}}
			for i := 0; i < 80; i += 4 {
				o := &run.Outcomes["test"][i]
				o.Truncated = !all
				if i%3 == 0 || all && i%8 == 4 {
					o.Score = 1
				}
			}
			out = append(out, run)
		}
		return out
	}
	part := seeds(false, 7)
	delete(part[0].Outcomes, "test")
	part[0].Missing = map[string]string{"test": "not scored with --windows truncate; run `it`"}
	return &results.Input{Edition: "open", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max", Splits: splits,
		Policies: []threshold.Policy{{Kind: threshold.Fixed, Value: 0.5}},
		Detectors: []results.Detector{
			{ID: "both", Name: "Bo\x1bth", Seeds: seeds(true, 1, 2)},
			{ID: "part", Name: "Part", Seeds: seeds(true, 7)},
			{ID: "whole", Name: "Whole", Seeds: seeds(true, 0)},
			{ID: "absent", Name: "Absent", Unavailable: "no weights"},
			{ID: "line", Name: "Line", Baseline: true, Seeds: seeds(true, 0)}},
		Other: []results.Detector{
			{ID: "both", Seeds: seeds(false, 1, 2)}, {ID: "part", Seeds: part},
			{ID: "whole", Unavailable: "it has no windows"}, {ID: "absent", Unavailable: "no weights"}, {ID: "line"}}}
}

func TestLongTextsAreReadByTheFirstWindowAndByAll(t *testing.T) {
	in := readTwice(t)
	r := results.Build(*in)
	tables := Windows(in, r)
	if len(tables) != 1 || len(tables[0].Groups) != 1 || len(tables[0].Groups[0]) != 1 {
		t.Fatalf("the tables are %+v", tables)
	}
	// Rows 0, 8, … are benign, 4, 12, … attacks, ten of each. Those divisible by 3 are flagged by the first window: 0, 24,
	// 48, 72 and 12, 36, 60. All windows flag every attack, and the same benign ones.
	var got []string
	for _, e := range tables[0].Groups[0][0] {
		text, _, _ := strings.Cut(e.Text, " [")
		got = append(got, text)
	}
	want := []string{`Bo\x1bth`, "test", "20 of 80", "10†", "0.400", "0.400", "+0.000", "10†", "0.300", "1.000", "+0.700"}
	if !slices.Equal(got, want) {
		t.Errorf("the row is %q, expected %q", got, want)
	}
	notes := strings.Join(tables[0].Notes, "\n")
	for _, want := range []string{`Bo\x1bth reads every text of these whole: domain_ood`,
		"Part reads every text of these whole: domain_ood", "n/a: Whole: it has no windows\n",
		"n/a: Part on test: not scored with --windows truncate; run `it`\n", "n/a: Absent: no weights\n",
		"at the thresholds of --windows max for both readings"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "Line") {
		t.Errorf("a baseline is spoken of:\n%s", notes)
	}
	for name, render := range map[string]Renderer{"text": Text, "markdown": Markdown, "latex": LaTeX, "csv": LongCSV} {
		var out bytes.Buffer
		if err := render(&out, tables); err != nil || out.Len() == 0 || bytes.Contains(out.Bytes(), []byte("\x1b")) {
			t.Errorf("%s: %v\n%q", name, err, out.String())
		}
	}
}

func TestTheSideThatTheTablesAreMadeForChangesNoRate(t *testing.T) {
	in := readTwice(t)
	want := Windows(in, results.Build(*in))[0].Groups
	in.Detectors = in.Detectors[:1]
	in.Other = in.Other[:1]
	in.Detectors[0].Seeds, in.Other[0].Seeds = in.Other[0].Seeds, in.Detectors[0].Seeds
	in.WindowMode = "truncate"
	if got := Windows(in, results.Build(*in))[0].Groups; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("--windows truncate shows %v, --windows max %v", got, want)
	}
}

func TestWithoutTheOtherWindowModeThereIsNoTable(t *testing.T) {
	in := readTwice(t)
	in.Other = nil
	if got := Windows(in, results.Build(*in)); got != nil {
		t.Errorf("there are %v", got)
	}
	in = readTwice(t)
	in.Detectors, in.Other = in.Detectors[4:], in.Other[4:]
	if got := Windows(in, results.Build(*in)); got != nil {
		t.Errorf("of baselines there are %v", got)
	}
	in = readTwice(t)
	in.Policies = nil
	if got := Windows(in, results.Build(*in)); got != nil {
		t.Errorf("without a threshold there are %v", got)
	}
}
