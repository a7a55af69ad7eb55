package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/augmentation"
	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// design has a detector with two seeds, an arm with one, one with a failed row, one that was not run, and a doubt.
func design(t *testing.T) (*results.Results, []augmentation.Cell, []augmentation.Set) {
	t.Helper()
	splits := []results.Split{
		{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID}, Data: read(t, "test", "text,label\na,0\nb,1\n")},
		{Spec: dataset.SplitSpec{Name: "ordinary_benign", Axis: dataset.OrdinaryBenign},
			Data: read(t, "ordinary_benign", "text,label,family_id\nc,0,x\nd,0,x\ne,0,y\nf,0,z\n")},
		{Spec: dataset.SplitSpec{Name: "other_set", Axis: dataset.HardBenign}, External: true,
			Data: read(t, "other_set", "text,label\ng,0\nh,0\n")},
	}
	run := func(seed int, ordinary, other []results.Outcome) results.Seed {
		return results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{"test": scored(0.1, 0.9),
			"ordinary_benign": ordinary, "other_set": other}}
	}
	failed := scored(0.9, 0.1)
	failed[1] = results.Outcome{State: results.Failed}
	d := augmentation.Design{Name: "Base", Names: []string{"none", "curated", "third-party", "ordinary"}}
	d.Detectors = []results.Detector{
		{ID: "base", Name: "Base", Seeds: []results.Seed{run(1, scored(0.9, 0.9, 0.9, 0.1), scored(0.9, 0.9)),
			run(2, scored(0.9, 0.9, 0.1, 0.1), scored(0.9, 0.1))}},
		{ID: "base-hn", Name: "Base +HN", Doubts: []string{"trained on other data: possibly contaminated"},
			Seeds: []results.Seed{run(1, scored(0.1, 0.1, 0.9, 0.1), scored(0.1, 0.1))}},
		{ID: "base-third", Name: "Base +third", Seeds: []results.Seed{run(1, scored(0.1, 0.9, 0.9, 0.1), failed)}},
		{ID: "base-ordinary", Name: "Base +ordinary", Unavailable: "there are no score files"},
	}
	policy, err := threshold.Parse("fixed:0.5")
	if err != nil {
		t.Fatal(err)
	}
	r := results.Build(results.Input{Edition: "open", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max",
		Splits: splits, Policies: []threshold.Policy{policy}, Detectors: d.Detectors})
	sets := augmentation.Sets(splits, false)
	cells := augmentation.Compute(d.Arms(r, "fixed:0.5"), sets...)
	return r, cells, sets
}

func TestArmsMatchTheirGoldenFiles(t *testing.T) {
	r, cells, sets := design(t)
	reports := []ArmsReport{{Design: "base", Policy: "fixed:0.5", Cells: cells}}
	var text, csv, json bytes.Buffer
	for _, err := range []error{
		Text(&text, Arms(r, "Base", "fixed:0.5", cells, sets)),
		ArmsCSV(&csv, r.Edition, r.ManifestSHA256, reports),
		ArmsJSON(&json, r.Edition, r.ManifestSHA256, reports, nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "arms.txt", text.Bytes())
	golden(t, "arms.csv", csv.Bytes())
	golden(t, "arms.json", json.Bytes())
}

func TestWithoutTheDetectorItselfThereAreRatesAndNoDifferences(t *testing.T) {
	r, _, sets := design(t)
	arms := []augmentation.Arm{{Name: "none", Detector: "base", Reason: "val is not scored"}}
	for _, a := range []string{"curated", "third-party"} {
		arms = append(arms, augmentation.Arm{Name: a, Detector: "base-hn", Tau: []float64{0.5}, Seeds: []results.Seed{{
			Outcomes: map[string][]results.Outcome{"ordinary_benign": scored(0.1, 0.1, 0.9, 0.1), "other_set": scored(0, 0)}}}})
	}
	cells := augmentation.Compute(arms, sets...)
	tables := Arms(r, "Base", "fixed:0.5", cells, sets)
	for _, e := range tables[1].Groups[0][0][1:] {
		if e.String() != "n/a" {
			t.Errorf("a difference from nothing is %q", e)
		}
	}
	if got := tables[0].Groups[0][1][3].String(); !strings.HasPrefix(got, "0.250 [") {
		t.Errorf("the arm's own rate is %q, expected 0.250 with its interval", got)
	}
	if want := "n/a: base has no scores to compare with: val is not scored"; !slices.Contains(tables[1].Notes, want) {
		t.Errorf("the notes are %q, expected %q", tables[1].Notes, want)
	}
}

func TestForeignDetectorsStandAtTheirOwnThresholdBesideThatOfVal(t *testing.T) {
	r := sample(t)
	if slices.ContainsFunc(Layout(r, false), func(t Table) bool { return t.ID == foreign }) {
		t.Error("there is a table of foreign detectors, and none is foreign")
	}
	var before, after bytes.Buffer
	if err := CSV(&before, Layout(r, false)); err != nil {
		t.Fatal(err)
	}
	for i := range r.Detectors {
		r.Detectors[i].Foreign = r.Detectors[i].ID == "two-seeds" || r.Detectors[i].ID == "gone"
	}
	tables := Layout(r, false)
	at := slices.IndexFunc(tables, func(t Table) bool { return t.ID == foreign })
	if at < 0 {
		t.Fatal("there is no table of foreign detectors")
	}
	var b bytes.Buffer
	if err := Text(&b, tables[at:at+1]); err != nil {
		t.Fatal(err)
	}
	golden(t, "foreign.txt", b.Bytes())
	if err := CSV(&after, tables); err != nil {
		t.Fatal(err)
	}
	if before.String() != after.String() {
		t.Errorf("the table of foreign detectors changes the CSV form:\n%s", after.Bytes())
	}
	r.Policies = []string{"fixed:0.5", "native"}
	if foreignTable(r) != nil {
		t.Error("there is a table of two policies without one of them")
	}
	own := sample(t)
	own.Detectors[0].Foreign = true
	own.Splits[0].Axis = dataset.Custom
	if foreignTable(own) != nil {
		t.Error("a user's own files have a table of the edition's axes")
	}
}
