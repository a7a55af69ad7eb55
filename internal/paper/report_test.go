package paper

import (
	"math"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

const tables = `tables:
  - id: t
    title: T
    place: P
    policy: fixed:0.5
    columns:
      - {head: FPR, split: hard, metric: fpr}
      - {head: F1, split: test, metric: f1, also: fixed:0.3}
      - {head: FNR, split: test, metric: fnr}
      - {head: n, split: hard, slice: provenance=real, metric: n}
      - {head: Family F1, split: test, metric: family_f1}
      - {head: Delta, less: [4, 1]}
      - {head: Family FPR, split: test, metric: family_fpr}
      - {head: Moon, split: moon, metric: f1}
    rows:
      - {design: x, published: ["0.4 | 0.6", "0.9", "0.1", "50", "0.8", "", ""]}
      - {design: gone, published: ["0.5", "", "", "", "", "", ""]}
`

func cellOf(t *testing.T, r *Report, row, column int, also bool) Cell {
	t.Helper()
	for _, c := range r.Tables[0].Rows[row].Cells {
		if c.Column == column && c.Also == also {
			return c
		}
	}
	t.Fatalf("row %d has no cell of column %d", row, column)
	return Cell{}
}

func TestTablesHoldPublishedAndOwnNumbersAndTheirDifference(t *testing.T) {
	r := report(t, tiny(t), tables)
	if !r.Comparable {
		t.Fatal("the paper's own edition is not comparable")
	}
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-12 {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	fpr := cellOf(t, r, 0, 0, false)
	near("FPR", fpr.Here.Value, 0.5)
	if len(fpr.Difference) != 2 || math.Abs(fpr.Difference[0]-0.1) > 1e-12 || math.Abs(fpr.Difference[1]+0.1) > 1e-12 {
		t.Errorf("differences %v, expected 0.1 and -0.1", fpr.Difference)
	}
	// Seed 1 at 0.5: TP 2, FP 1, FN 1: 2/3; seed 2: all right. At 0.3 seed 1 has TP 3, FP 1: 6/7.
	near("F1", cellOf(t, r, 0, 1, false).Here.Value, (2.0/3+1)/2)
	near("F1 at the other threshold", cellOf(t, r, 0, 1, true).Here.Value, (6.0/7+1)/2)
	near("FNR", cellOf(t, r, 0, 2, false).Here.Value, 1.0/6)
	near("n", cellOf(t, r, 0, 3, false).Here.Value, 50)
	// Families of seed 1: p benign 0.35, q injection 0.65, r injection 0.9, s benign 0.1; seed 2 has all right too.
	near("family F1", cellOf(t, r, 0, 4, false).Here.Value, 1)
	near("delta", cellOf(t, r, 0, 5, false).Here.Value, 1-(2.0/3+1)/2)
	near("family FPR", cellOf(t, r, 0, 6, false).Here.Value, 0)
	if d := cellOf(t, r, 0, 5, false); len(d.Published) != 1 || math.Abs(d.Published[0].V+0.1) > 1e-12 {
		t.Errorf("the published delta is %+v, expected -0.1", d.Published)
	}
	if moon := cellOf(t, r, 0, 7, false); moon.Here.Value != nil || moon.Here.Reason != "edition e has no moon" {
		t.Errorf("%+v", moon.Here)
	}
	if gone := cellOf(t, r, 1, 0, false); gone.Here.Value != nil || gone.Here.Reason != "not scored" || gone.Difference != nil {
		t.Errorf("%+v", gone)
	}
}

func TestOnAnotherEditionThereIsNoDifference(t *testing.T) {
	in := tiny(t)
	in.Edition = "open"
	r := report(t, in, tables)
	if c := cellOf(t, r, 0, 0, false); r.Comparable || c.Difference != nil || c.Here.Value == nil {
		t.Errorf("comparable %v, %+v", r.Comparable, c)
	}
}

func TestATableOfOneSeedTakesThatSeedOrTheOnlyOne(t *testing.T) {
	seeded := strings.Replace(tables, "    policy", "    seed: 2\n    policy", 1)
	seeded = strings.Replace(seeded, "design: gone", "design: all", 1)
	r := report(t, tiny(t), seeded)
	if c := cellOf(t, r, 0, 1, false).Here; *c.Value != 1 || c.Seed.Seed != 2 {
		t.Errorf("seed 2 has F1 1, got %+v", c)
	}
	if c := cellOf(t, r, 0, 4, false).Here; *c.Value != 1 || c.SD != nil {
		t.Errorf("family F1 of seed 2 is 1, got %+v", c)
	}
	if c := cellOf(t, r, 1, 0, false).Here; *c.Value != 1 || c.Seed.Seed != 1 {
		t.Errorf("a detector that ran once gives that run, got %+v", c)
	}
	r = report(t, tiny(t), strings.Replace(seeded, "seed: 2", "seed: 42", 1))
	if c := cellOf(t, r, 0, 0, false).Here; c.Value != nil || c.Reason != "it has no seed 42" {
		t.Errorf("%+v", c)
	}
}

func TestTablesOfIntervalsHaveThem(t *testing.T) {
	r := report(t, tiny(t), strings.Replace(tables, "    policy", "    intervals: true\n    policy", 1))
	c := cellOf(t, r, 0, 0, false).Here
	if c.Lo == nil || !(*c.Lo < 0.5 && 0.5 < *c.Hi) || c.Interval == "" || c.Groups != 100 {
		t.Errorf("%+v", c)
	}
}

func TestWeightedF1IsWeighedByInjections(t *testing.T) {
	half, one := 0.5, 1.0
	a := &results.Cell{Metric: "f1", Value: &half, N: 10, NInjection: 3}
	b := &results.Cell{Metric: "f1", Value: &one, N: 5, NInjection: 1}
	if w := weighted(a, b); math.Abs(*w.Value-0.625) > 1e-12 || w.N != 15 || w.NInjection != 4 {
		t.Errorf("%+v with value %v, expected 0.625", w, *w.Value)
	}
	if w := weighted(a, &results.Cell{Reason: "no rows"}); w.Value != nil || w.Reason != "no rows" {
		t.Errorf("%+v", w)
	}
}

func TestAFamilyCountsOnceWithItsFirstLabelAndItsMeanScore(t *testing.T) {
	counted := []scoredRow{{0, dataset.Injection, 0.2}, {1, dataset.Benign, 0.4}, {2, dataset.Benign, 0.9}, {4, dataset.Injection, 0.6},
		{5, dataset.Benign, 0.7}}
	scores, labels := collapse(counted, []string{"f", "", "g", "g", "f", ""})
	want := []scoredRow{{0, dataset.Injection, 0.4}, {0, dataset.Benign, 0.4}, {0, dataset.Benign, 0.9}, {0, dataset.Benign, 0.7}}
	if len(scores) != len(want) {
		t.Fatalf("%d families, expected %d", len(scores), len(want))
	}
	for i, w := range want {
		if math.Abs(scores[i]-w.score) > 1e-12 || labels[i] != w.label {
			t.Errorf("family %d: %v of class %v, expected %v of %v", i, scores[i], labels[i], w.score, w.label)
		}
	}
	if scores, labels := collapse(nil, nil); len(scores) != 0 || len(labels) != 0 {
		t.Error("no rows make a family")
	}
}

func TestFamiliesOfTheOriginalAreItsSeeds(t *testing.T) {
	for _, tt := range []struct{ csv, want string }{
		{"text,label,family_id,parent_seed_id\na,0,f,p\nb,1,,q\n", "f,"},
		{"text,label,original_seed_idx,parent_seed_id\na,0,7,\nb,1,7,\nc,1,,\n", "0:7,1:7,"},
		{"text,label,parent_seed_id\na,0,s1\nb,1,\n", "s1,"},
		{"text,label\na,0\nb,1\n", ","},
	} {
		s := split(t, "s", nil, tt.csv)
		if got := strings.Join(results.Families.Of(s), ","); got != tt.want {
			t.Errorf("%q has the families %q, expected %q", tt.csv, got, tt.want)
		}
	}
}
