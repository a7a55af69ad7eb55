package results

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/dataset/datasettest"
	"pidsbench/internal/threshold"
)

func scored(scores ...float64) []Outcome {
	out := make([]Outcome, len(scores))
	for i, s := range scores {
		out[i] = Outcome{Score: s}
	}
	return out
}

func policies(t *testing.T, names ...string) []threshold.Policy {
	t.Helper()
	var out []threshold.Policy
	for _, n := range names {
		p, err := threshold.Parse(n)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// input is one detector with two seeds on a test split of six rows and a hard-benign split of two.
func input(t *testing.T) Input {
	test := datasettest.Split(t, "test", "text,label,source_type\na,0,real\nb,0,real\nc,1,real\nd,1,real\ne,1,template\nf,0,template\n")
	hard := datasettest.Split(t, "hard_benign_test", "text,label,source_type\ng,0,real\nh,0,curated\n")
	val := datasettest.Split(t, "val", "text,label\nv,0\nw,1\n")
	return Input{
		Edition: "open", WindowMode: "max", Val: val,
		Splits: []Split{
			{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID, Slices: map[string]string{"source_type": "source_type"}},
				Data: test},
			{Spec: dataset.SplitSpec{Name: "hard_benign_test", Axis: dataset.HardBenign,
				Slices: map[string]string{"provenance": "source_type"}}, Data: hard},
		},
		Policies: policies(t, "fixed:0.5", "val_f1"),
		Detectors: []Detector{{ID: "d", Name: "D", Seeds: []Seed{
			{Seed: 1, Outcomes: map[string][]Outcome{
				"test": scored(0.1, 0.6, 0.9, 0.4, 0.8, 0.2), "hard_benign_test": scored(0.7, 0.1)}, Val: scored(0.2, 0.3)},
			{Seed: 2, Outcomes: map[string][]Outcome{
				"test": scored(0.1, 0.2, 0.9, 0.8, 0.8, 0.2), "hard_benign_test": scored(0.7, 0.6)}, Val: scored(0.2, 0.9)},
		}}},
	}
}

func value(t *testing.T, c *Cell) float64 {
	t.Helper()
	if c == nil || c.Value == nil {
		t.Fatalf("cell %+v has no value", c)
	}
	return *c.Value
}

func TestCellsHoldTheMeanOverSeedsAndItsStandardDeviation(t *testing.T) {
	r := Build(input(t))
	c := r.Mean("d", "test", "all", "f1", "fixed:0.5")
	// Seed 1: TP 2, FP 1, FN 1: F1 2/3. Seed 2: all right: 1.
	if got, want := value(t, c), (2.0/3+1)/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("mean F1 %v, want %v", got, want)
	}
	if got, want := *c.SD, (1-2.0/3)/math.Sqrt2; math.Abs(got-want) > 1e-15 {
		t.Errorf("sd %v, want %v", got, want)
	}
	if c.NSeeds != 2 || c.N != 6 || c.NBenign != 3 || c.NInjection != 3 || c.State != StateComplete {
		t.Errorf("counts %+v", c)
	}
}

func TestThresholdIsChosenOnValForEachSeed(t *testing.T) {
	r := Build(input(t))
	want := map[string]float64{"1": 0.202, "2": 0.202}
	if diff := cmp.Diff(want, r.Detectors[0].Tau["val_f1"]); diff != "" {
		t.Error(diff)
	}
	// At 0.202 seed 1 flags test rows b, c, d, e: FPR 1/3.
	if got := value(t, r.Mean("d", "test", "all", "tp", "val_f1")); got != 3 {
		t.Errorf("TP %v, want 3", got)
	}
}

func TestSlicesRestOnTheirOwnRows(t *testing.T) {
	r := Build(input(t))
	if got := value(t, r.Mean("d", "hard_benign_test", "provenance=real", "fpr", "fixed:0.5")); got != 1 {
		t.Errorf("real FPR %v, want 1", got)
	}
	if got := value(t, r.Mean("d", "hard_benign_test", "provenance=curated", "fpr", "fixed:0.5")); got != 0.5 {
		t.Errorf("curated FPR %v, want 0.5", got)
	}
	if c := r.Mean("d", "hard_benign_test", "all", "f1", "fixed:0.5"); c.Value != nil || c.Reason == "" {
		t.Errorf("F1 without injections is %+v, want undefined with a reason", c)
	}
	if c := r.Mean("d", "hard_benign_test", "all", "roc_auc", ""); c.Value != nil || c.Policy != nil {
		t.Errorf("AUC without injections is %+v", c)
	}
}

func TestRowsWithoutScoreMakeCellsIncompleteAndCountForNoClass(t *testing.T) {
	in := input(t)
	o := in.Detectors[0].Seeds[0].Outcomes["test"]
	o[1] = Outcome{State: Failed}      // the false alarm
	o[5] = Outcome{State: MissingText} // a benign row
	o[0].Truncated = true
	r := Build(in)
	c := r.Mean("d", "test", "all", "fpr", "fixed:0.5")
	if c.State != StateIncomplete || c.N != 4 || c.NError != 1 || c.NMissing != 1 || c.Total() != 6 || c.NTruncated != 1 {
		t.Errorf("%+v", c)
	}
	if got := value(t, c); got != 0 {
		t.Errorf("FPR %v, want 0 over the scored rows", got)
	}
	if !r.Incomplete() {
		t.Error("results with a failed row count as complete")
	}
}

func TestRowsBeyondTheLimitAreNeitherErrorsNorMissing(t *testing.T) {
	in := input(t)
	in.Limit = 2
	for _, s := range in.Detectors[0].Seeds {
		for i := range s.Outcomes["test"] {
			if i >= 2 {
				s.Outcomes["test"][i] = Outcome{State: NotAsked}
			}
		}
	}
	r := Build(in)
	if c := r.Mean("d", "test", "all", "fpr", "fixed:0.5"); c.N != 2 || c.State != StateComplete {
		t.Errorf("%+v", c)
	}
}

func TestUndefinedThresholdsAndAbsentScoresAreUndefinedCellsWithTheReason(t *testing.T) {
	in := input(t)
	in.Val, in.NoVal = nil, "there is no val here"
	delete(in.Detectors[0].Seeds[1].Outcomes, "hard_benign_test")
	in.Detectors = append(in.Detectors, Detector{ID: "gone", Name: "Gone", Unavailable: "its model is not here"})
	r := Build(in)
	if c := r.Mean("d", "test", "all", "f1", "val_f1"); c.Value != nil || c.Reason != "there is no val here" {
		t.Errorf("%+v", c)
	}
	if c := r.Mean("d", "hard_benign_test", "all", "fpr", "fixed:0.5"); c.Value != nil || c.State != StateIncomplete {
		t.Errorf("a mean over a seed that was not scored is %+v", c)
	}
	if c := r.Mean("gone", "test", "all", "f1", "fixed:0.5"); c.Value != nil || c.Reason != "its model is not here" {
		t.Errorf("%+v", c)
	}
}

func TestSeedReferenceRoundTripsThroughJSON(t *testing.T) {
	for _, want := range []SeedRef{{Mean: true}, {Seed: 0}, {Seed: 7777}} {
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got SeedRef
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			t.Errorf("%s reads back as %+v (%v), want %+v", b, got, err, want)
		}
	}
}

func TestAThresholdFromFewerValRowsIsIncompleteAndSaysSo(t *testing.T) {
	in := input(t)
	in.Detectors[0].Seeds[0].Val[0] = Outcome{State: Failed}
	r := Build(in)
	if c := r.Mean("d", "test", "all", "f1", "val_f1"); c.State != StateIncomplete {
		t.Errorf("a cell whose threshold lacks val rows is %s", c.State)
	}
	if c := r.Mean("d", "test", "all", "f1", "fixed:0.5"); c.State != StateComplete {
		t.Errorf("a cell without val is %s", c.State)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "1 of 2 val rows") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestASplitOfTheUsersNamedValIsNotTheValOfThresholds(t *testing.T) {
	in := input(t)
	in.Splits[0].Spec.Name = "val"
	for _, s := range in.Detectors[0].Seeds {
		s.Outcomes["val"] = s.Outcomes["test"]
	}
	r := Build(in)
	if got := value(t, r.Mean("d", "val", "all", "tp", "fixed:0.5")); got != 2.5 {
		t.Errorf("TP %v, want 2.5", got)
	}
}

func TestCellsOfADetectorTheUserNamedAreIncompleteWhenItCouldNotRun(t *testing.T) {
	in := input(t)
	in.Detectors = []Detector{{ID: "gone", Unavailable: "its model is not here", Required: true}}
	if !Build(in).Incomplete() {
		t.Error("nothing is incomplete")
	}
	in.Detectors[0].Required = false
	if Build(in).Incomplete() {
		t.Error("a detector that all skipped makes the results incomplete")
	}
}

func TestExternalSetsLackScoresOnlyWhenTheUserNamedThem(t *testing.T) {
	for _, asked := range []bool{false, true} {
		in := input(t)
		in.ManifestSHA256 = "ab"
		in.Splits = append(in.Splits, Split{Spec: dataset.SplitSpec{Name: "mine", Axis: dataset.Custom},
			Data: datasettest.Split(t, "mine", "text,label\na,0\n"), External: true, Asked: asked})
		r := Build(in)
		c := r.Mean("d", "mine", "all", "fpr", "fixed:0.5")
		if c.Frozen || c.Value != nil || c.Reason == "" || (c.State == StateIncomplete) != asked || c.NUnscored != 0 != asked {
			t.Errorf("asked %v: %+v", asked, c)
		}
		if !r.Mean("d", "test", "all", "fpr", "fixed:0.5").Frozen {
			t.Error("a cell of the edition is not frozen")
		}
	}
}

func TestASplitThatIsNotHereIsUndefinedWithTheReason(t *testing.T) {
	in := input(t)
	in.Splits[1].Data, in.Splits[1].Absent = &dataset.Split{Name: "hard_benign_test"}, "hard.csv is not here"
	in.Absent = []string{"hard.csv is not here"}
	delete(in.Detectors[0].Seeds[0].Outcomes, "hard_benign_test")
	r := Build(in)
	c := r.Mean("d", "hard_benign_test", "all", "fpr", "fixed:0.5")
	if c.Value != nil || c.Reason != "hard.csv is not here" || c.State != StateIncomplete || c.Total() != 0 {
		t.Errorf("%+v", c)
	}
	if r.Mean("d", "hard_benign_test", "provenance=real", "fpr", "fixed:0.5") != nil {
		t.Error("a split that is not here has slices")
	}
	if c := r.Mean("d", "test", "all", "fpr", "fixed:0.5"); c.Value == nil || c.State != StateComplete {
		t.Errorf("another split: %+v", c)
	}
	if !r.Incomplete() || !slices.Contains(r.Warnings, "hard.csv is not here") || r.Splits[1].Absent == "" {
		t.Errorf("incomplete %v, warnings %q", r.Incomplete(), r.Warnings)
	}
}

func TestWithheldTextsAreNoLackWhereTheUserAskedForTheOthers(t *testing.T) {
	for _, public := range []bool{false, true} {
		in := input(t)
		in.PublicSubset = public
		in.Splits[1].Data = datasettest.Split(t, "hard_benign_test", "text,label,source_type,text_sha256\n,0,real,"+strings.Repeat("a", 64)+
			"\nh,0,curated,\n")
		for _, s := range in.Detectors[0].Seeds {
			s.Outcomes["hard_benign_test"][0] = Outcome{State: MissingText}
		}
		r := Build(in)
		c := r.Mean("d", "hard_benign_test", "all", "fpr", "fixed:0.5")
		if c.N != 1 || c.Total() != 2 || c.State != StateIncomplete || r.Splits[1].Withheld != 1 {
			t.Errorf("%+v, %+v", c, r.Splits[1])
		}
		if (r.Lacking(c) > 0) == public || r.Incomplete() == public {
			t.Errorf("public subset %v: lacking %d, incomplete %v", public, r.Lacking(c), r.Incomplete())
		}
		in.Detectors[0].Seeds[1].Outcomes["hard_benign_test"][1] = Outcome{State: Failed}
		if r := Build(in); !r.Incomplete() {
			t.Error("a failed row passes for a withheld one")
		}
	}
}

func TestDisputedRowsCountNowhereWhereTheUserLeavesThemOut(t *testing.T) {
	in := input(t)
	in.Splits[1].Data = datasettest.Split(t, "hard_benign_test", "text,label,source_type,disputed\ng,0,real,no\nh,0,curated,yes\n")
	r := Build(in)
	if c := r.Mean("d", "hard_benign_test", "all", "fpr", "fixed:0.5"); c.N != 2 || value(t, c) != 0.75 {
		t.Errorf("all rows: %+v", c)
	}
	in.Undisputed = true
	r = Build(in)
	if c := r.Mean("d", "hard_benign_test", "all", "fpr", "fixed:0.5"); c.N != 1 || c.Total() != 1 || value(t, c) != 1 {
		t.Errorf("without the disputed row: %+v", c)
	}
	if c := r.Mean("d", "hard_benign_test", "provenance=curated", "fpr", "fixed:0.5"); c != nil {
		t.Errorf("a slice of disputed rows alone: %+v", c)
	}
	if c := r.Mean("d", "test", "all", "fpr", "fixed:0.5"); c.N != 6 {
		t.Errorf("a split without the column: %+v", c)
	}
	if !r.Undisputed || r.Splits[1].Disputed != 1 || r.Splits[1].Rows != 2 || r.Splits[0].Disputed != 0 {
		t.Errorf("undisputed %v, splits %+v", r.Undisputed, r.Splits)
	}
}

func TestCellsCountRowsThatTheDetectorWasTrainedOn(t *testing.T) {
	in := input(t)
	in.Detectors[0].Exposed = map[string][]bool{"test": {false, false, true, false, true, false}}
	r := Build(in)
	for i := range r.Cells {
		c := &r.Cells[i]
		want := map[string]int{"test all": 2, "test source_type=real": 1, "test source_type=template": 1}[c.Split+" "+c.Slice]
		if c.NExposed != want {
			t.Fatalf("%s of %s %s, seed %+v: %d rows, expected %d", c.Metric, c.Split, c.Slice, c.Seed, c.NExposed, want)
		}
	}
	r = Build(input(t))
	if c := r.Mean("d", "test", "all", "f1", "val_f1"); c.NExposed != 0 {
		t.Errorf("%d rows of a detector that was trained on nothing known", c.NExposed)
	}
}
