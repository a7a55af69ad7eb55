package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/comparison"
	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// compared has three seeds of one detector beside one run of another, which failed at a row, and comparisons of them:
// with an interval, with few families, without an interval, without scores.
func compared(t *testing.T) (*results.Results, comparison.Pair, []comparison.Result) {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("text,label\n")
	for i := range 80 {
		fmt.Fprintf(&csv, "t%d,%d\n", i, i%2)
	}
	splits := []results.Split{
		{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID}, Data: read(t, "test", csv.String())},
		{Spec: dataset.SplitSpec{Name: "ordinary_benign", Axis: dataset.OrdinaryBenign},
			Data: read(t, "ordinary_benign", "text,label,family_id\nc,0,x\nd,0,x\ne,0,y\nf,0,z\n")},
		{Spec: dataset.SplitSpec{Name: "domain_ood", Axis: dataset.DomainShift},
			Data: read(t, "domain_ood", "text,label\ng,0\nh,1\n")},
		{Spec: dataset.SplitSpec{Name: "structural_ood", Axis: dataset.StructuralShift},
			Data: read(t, "structural_ood", "text,label\ni,0\nj,1\n")},
	}
	run := func(seed, every int) results.Seed {
		test := make([]results.Outcome, 80)
		for i := range test {
			test[i].Score = float64(i % 2)
			if i%every == 0 {
				test[i].Score = 1 - test[i].Score
			}
		}
		return results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{"test": test,
			"ordinary_benign": scored(0.9, 0.1, 0.9, 0.1), "domain_ood": scored(0.1, 0.9)}}
	}
	other := run(0, 3)
	other.Outcomes["test"][5].State = results.Failed
	detectors := []results.Detector{
		{ID: "a", Name: "An \x1bA", Seeds: []results.Seed{run(1, 5), run(2, 7), run(3, 6)},
			Doubts: []string{"trained on other data"}},
		{ID: "b", Name: "B", Seeds: []results.Seed{other}},
	}
	policy, err := threshold.Parse("fixed:0.5")
	if err != nil {
		t.Fatal(err)
	}
	r := results.Build(results.Input{Edition: "open", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max",
		Splits: splits, Policies: []threshold.Policy{policy}, Detectors: detectors})
	pair := comparison.Match(comparison.NewSide(detectors[0], r, false), comparison.NewSide(detectors[1], r, true))
	pair.Gone = []string{"a has no scores of seed 4"}
	data := comparison.NewData(splits, false)
	var of []comparison.Result
	for _, s := range comparison.Axes(splits, r.Policies, false) {
		of = append(of, data.Compare(pair, s))
	}
	of[2].Status = comparison.Primary
	return r, pair, of
}

func TestComparisonsMatchTheirGoldenFiles(t *testing.T) {
	r, pair, of := compared(t)
	listed := slices.Clone(of[:4])
	for i := range listed {
		listed[i].ID, listed[i].Question = fmt.Sprintf("id-%d", i), "Is A better?"
	}
	comparison.Confirm(listed)
	listed[0].Outcome, listed[0].Verdict = comparison.Confirmed, comparison.Indistinguishable
	var text, csv, json bytes.Buffer
	for _, err := range []error{
		Text(&text, append(Comparison(r, &pair, of), PrimaryComparisons(r, listed)...)),
		CompareCSV(&csv, r, append(of, listed...)),
		CompareJSON(&json, r, append(of[:2:2], listed[1]), pair.Gone),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "compare.txt", text.Bytes())
	golden(t, "compare.csv", csv.Bytes())
	golden(t, "compare.json", json.Bytes())
}

func TestEveryFormatTakesComparisonsWithoutAnyNumber(t *testing.T) {
	r, pair, _ := compared(t)
	pair.Reason = "a: there are no score files"
	of := []comparison.Result{comparison.NewData(nil, false).Compare(pair, comparison.Spec{Name: "IID F1", Split: "test",
		Slice: "all", Metric: "f1", Policy: "fixed:0.5"})}
	comparison.Confirm(of)
	for name, render := range map[string]Renderer{"table": Text, "markdown": Markdown, "latex": LaTeX} {
		var b bytes.Buffer
		if err := render(&b, append(Comparison(r, &pair, of), PrimaryComparisons(r, of)...)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "n/a: IID F1: a: there are no score files") || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s shows\n%s", name, b.String())
		}
	}
	var b bytes.Buffer
	if err := CompareJSON(&b, r, of, nil); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Comparisons []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"value_a", "value_b", "difference", "interval", "joint", "p_bootstrap", "p_holm", "t", "mde"} {
		if v, there := got.Comparisons[0][field]; !there || v != nil {
			t.Errorf("%s is %v, expected null", field, v)
		}
	}
}

func TestSmallPValuesAreNotShownAsZero(t *testing.T) {
	for p, want := range map[float64]string{0: "<0.0001", 0.00009: "<0.0001", 0.0001: "0.0001", 0.04999: "0.0500", 1: "1.0000"} {
		if got := pValue(&p); got.Text != want || got.Raw[0] != number(&p) {
			t.Errorf("%v is shown as %+v, expected %s", p, got, want)
		}
	}
}
