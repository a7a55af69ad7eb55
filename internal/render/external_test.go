package render

import (
	"bytes"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// withSets has a hard-benign split of the edition and, beside it, a hard-benign and a mixed external set; the latter has
// no scores.
func withSets(t *testing.T) *results.Results {
	t.Helper()
	hard := read(t, "hard_benign_test", "text,label\ng,0\nh,0\n")
	words := read(t, "words", "text,label,provenance,trigger_words\ni,0,words,1\nj,0,words,1\nk,0,words,2\n")
	mixed := read(t, "mixed", "text,label\nl,0\nm,1\n")
	fixed, err := threshold.Parse("fixed:0.5")
	if err != nil {
		t.Fatal(err)
	}
	return results.Build(results.Input{
		Edition: "open", EditionName: "a small edition", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max",
		NoVal: "there is none",
		Splits: []results.Split{
			{Spec: dataset.SplitSpec{Name: "hard_benign_test", Axis: dataset.HardBenign}, Data: hard},
			{Spec: dataset.SplitSpec{Name: "words", Axis: dataset.HardBenign,
				Slices: map[string]string{"provenance": "provenance", "trigger_words": "trigger_words"}}, Data: words, External: true},
			{Spec: dataset.SplitSpec{Name: "mixed", Axis: dataset.Custom}, Data: mixed, External: true},
		},
		Policies: []threshold.Policy{fixed},
		Detectors: []results.Detector{{ID: "d", Name: "D", Seeds: []results.Seed{{
			Outcomes: map[string][]results.Outcome{"hard_benign_test": scored(0.1, 0.9), "words": scored(0.1, 0.1, 0.9)},
			Missing:  map[string]string{"mixed": "no scores"},
		}}}},
	})
}

func TestExternalSetsStandApartAndAreMarkedNotFrozen(t *testing.T) {
	r := withSets(t)
	var b bytes.Buffer
	if err := Text(&b, Layout(r, false)); err != nil {
		t.Fatal(err)
	}
	golden(t, "external.txt", b.Bytes())
	b.Reset()
	if err := CSV(&b, Layout(r, false)); err != nil {
		t.Fatal(err)
	}
	golden(t, "external.csv", b.Bytes())
}

func TestExternalRowsAreNoPartOfAFrozenAxis(t *testing.T) {
	r := withSets(t)
	if s := r.SplitOf(dataset.HardBenign); s == nil || s.Name != "hard_benign_test" {
		t.Errorf("the hard-benign axis is %+v", s)
	}
	if s := r.SplitOf(dataset.Custom); s != nil {
		t.Errorf("an external set is taken for the user's own file: %+v", s)
	}
	if c := r.Mean("d", "hard_benign_test", "all", "fpr", "fixed:0.5"); *c.Value != 0.5 || c.N != 2 || !c.Frozen {
		t.Errorf("frozen FPR %+v", c)
	}
	c := r.Mean("d", "words", "provenance=words", "fpr", "fixed:0.5")
	if *c.Value != 1.0/3 || c.N != 3 || c.Frozen {
		t.Errorf("external FPR %+v", c)
	}
}

func TestASetWithoutScoresIsIncompleteOnlyWhenItWasNamed(t *testing.T) {
	r := withSets(t)
	if c := r.Mean("d", "mixed", "all", "f1", "fixed:0.5"); c.Value != nil || c.Reason != "no scores" || r.Incomplete() {
		t.Errorf("%+v, incomplete %v", c, r.Incomplete())
	}
}
