package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/paper"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

const paperConfig = `edition: v3
designs:
  - {id: rule, name: Rule-based, here: [rule]}
  - {id: a, name: Model A, here: [a]}
  - {id: b, name: "Model_B & co", here: [b]}
  - {id: gone, name: Model C, here: [gone]}
tables:
  - id: main
    title: Table 1, main
    place: README
    policy: fixed:0.5
    columns:
      - {head: IID F1, split: test, metric: f1}
      - {head: Hard FPR, split: hard_benign_test, metric: fpr, also: fixed:0.3}
      - {head: "# flagged", split: hard_benign_test, metric: fp}
      - {head: n, split: test, metric: n}
      - {head: Moon, split: moon, metric: f1}
    rows:
      - {design: rule, published: ["0.5", "0.0", "0", "4", ""]}
      - {design: a, published: [0.9±0.1, "0.25 | 0.3†", "1", "4", "0.4"]}
      - {design: b}
      - {design: gone, published: ["0.7", "", "", "", ""]}
    doubts:
      - {mark: †, note: of another file}
    notes: [A note.]
  - id: intervals
    title: Table 2, intervals
    place: README
    policy: fixed:0.5
    intervals: true
    columns:
      - {head: Hard FPR, split: hard_benign_test, metric: fpr}
    rows:
      - {design: a, published: ["0.25 [0.2, 0.3]"]}
claims:
  - id: one
    claim: Model A flags hard rows
    place: README
    for: [a]
    all:
      - {sum: [{split: hard_benign_test, metric: fpr}], above: 0}
    note: A note.
  - id: two
    claim: A flags more than B
    place: README, below
    all:
      - says: hard rows
        sum:
          - {design: a, split: hard_benign_test, metric: fpr}
          - {times: -0.5, design: b, split: hard_benign_test, metric: fpr}
        above: 0
      - {sum: [{design: gone, split: test, metric: f1}], near: 0.7, within: 0.1}
      - {sum: [{design: b, split: hard_benign_test, metric: fpr}], near: 1, within: 0.1}
`

// paperReport is a report of four rows a split with a detector of two seeds, one with a failed row, and the rules.
func paperReport(t *testing.T, edition string) *paper.Report {
	t.Helper()
	c, err := paper.Parse("paper.yaml", []byte(paperConfig))
	if err != nil {
		t.Fatal(err)
	}
	in := &results.Input{Edition: edition, ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max", Splits: []results.Split{
		{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID}, Data: read(t, "test", "text,label\na,0\nb,0\nc,1\nd,1\n")},
		{Spec: dataset.SplitSpec{Name: "hard_benign_test", Axis: dataset.HardBenign},
			Data: read(t, "hard_benign_test", "text,label\ne,0\nf,0\ng,0\nh,0\n")},
	}}
	for _, name := range []string{"fixed:0.5", "fixed:0.3"} {
		p, err := threshold.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Policies = append(in.Policies, p)
	}
	run := func(seed int, test, hard []results.Outcome) results.Seed {
		return results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{"test": test, "hard_benign_test": hard}}
	}
	failed := scored(0.9, 0.9, 0.9, 0.9)
	failed[3].State = results.Failed
	in.Detectors = []results.Detector{
		{ID: "rule", Name: "Rules", Baseline: true, Seeds: []results.Seed{run(0, scored(0, 0, 1, 0), scored(0, 0, 0, 0))}},
		{ID: "a", Name: "A small", Seeds: []results.Seed{run(42, scored(0.1, 0.2, 0.9, 0.8), scored(0.9, 0.9, 0.4, 0.1)),
			run(13, scored(0.1, 0.6, 0.9, 0.8), scored(0.9, 0.9, 0.1, 0.1))}},
		{ID: "b", Name: "B", Seeds: []results.Seed{run(0, scored(0.1, 0.2, 0.9, 0.1), failed)}},
	}
	uses := []paper.Use{
		{Design: "rule", Name: "Rule-based", Detector: "rule", Shown: "Rules", Baseline: true, Seeds: []int{0}},
		{Design: "a", Name: "Model A", Detector: "a", Shown: "A small", Seeds: []int{42, 13}},
		{Design: "b", Name: "Model_B & co", Detector: "b", Shown: "B", Seeds: []int{0}},
		{Design: "gone", Name: "Model C", Seeds: []int{}, Reason: "no score files"},
	}
	return paper.Build(c, in, results.Build(*in), uses)
}

func TestPaperTablesMatchTheirGoldenFiles(t *testing.T) {
	own, other := paperReport(t, "v3"), paperReport(t, "open")
	for name, write := range map[string]func(*bytes.Buffer) error{
		"paper.txt":      func(b *bytes.Buffer) error { return Text(b, Paper(own, &results.Results{})) },
		"paper-open.txt": func(b *bytes.Buffer) error { return Text(b, Paper(other, &results.Results{})) },
		"paper.csv":      func(b *bytes.Buffer) error { return LongCSV(b, Paper(own, &results.Results{})) },
		"paper.md":       func(b *bytes.Buffer) error { return Markdown(b, PaperWide(own, &results.Results{})) },
		"paper.tex":      func(b *bytes.Buffer) error { return LaTeX(b, PaperWide(own, &results.Results{})) },
		"paper.json":     func(b *bytes.Buffer) error { return PaperJSON(b, own) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func TestTheJSONOfThePaperNamesItsSchema(t *testing.T) {
	var b bytes.Buffer
	if err := PaperJSON(&b, paperReport(t, "open")); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema, Edition string
		Comparable      *bool
		Tables          []struct {
			Rows []struct{ Cells []map[string]any }
		}
		Claims []struct{ Here string }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "pidsbench-paper/1" || got.Edition != "open" || got.Comparable == nil || *got.Comparable ||
		len(got.Tables) != 2 || len(got.Claims) != 2 || got.Claims[1].Here != "undecided" {
		t.Errorf("%+v", got)
	}
	for _, row := range got.Tables[0].Rows {
		for _, cell := range row.Cells {
			if _, has := cell["difference"]; has {
				t.Fatal("another edition than the paper's has a difference")
			}
		}
	}
}

func TestLaTeXMarksTheBestOfTheFirstGroup(t *testing.T) {
	num := func(metric string, v float64, state string) Entry {
		return Entry{Cell: &results.Cell{Metric: metric, Value: &v, State: state}}
	}
	none := Entry{Cell: &results.Cell{Metric: "f1"}}
	table := Table{Ranked: true, Columns: []string{"Detector", "F1", "FPR", "FP", "Alone"}, Groups: [][]Row{
		{
			{label("a"), num("f1", 0.91, ""), num("fpr", 0.10001, ""), num("fp", 1, ""), num("f1", 0.5, "")},
			{label("b"), num("f1", 0.92, ""), num("fpr", 0.10002, ""), num("fp", 2, ""), none},
			{label("c"), num("f1", 0.99, results.StateIncomplete), num("fpr", 0.2, ""), num("fp", 0, ""), none},
		},
		{{label("rule"), num("f1", 1, ""), num("fpr", 0, ""), num("fp", 0, ""), none}},
	}}
	draw := func() string {
		var b bytes.Buffer
		if err := LaTeX(&b, []Table{table}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := draw()
	for _, want := range []string{
		`a & 0.9100 & \textbf{0.1000} & 1 & 0.5000 \\`, `b & \textbf{0.9200} & \textbf{0.1000} & 2 & n/a \\`, "rule & 1.0000 & 0.0000 & 0 & n/a",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Count(got, "textbf") != 3 {
		t.Errorf("%d numbers are bold, expected 3:\n%s", strings.Count(got, "textbf"), got)
	}
	table.Ranked = false
	if got := draw(); strings.Contains(got, "textbf") {
		t.Errorf("a table whose rows do not compete has a bold number:\n%s", got)
	}
	table.Ranked, table.Groups = true, nil
	draw()
}
