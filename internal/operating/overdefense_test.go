package operating

import (
	"fmt"
	"math"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
	"pidsbench/internal/threshold"
)

// overDefense has a detector with two seeds and one that flags everything, on rows of families of mixed size.
func overDefense(t *testing.T) (*results.Input, *results.Results) {
	hard, control := "text,label,source_type,family_id\n", "text,label,family_id\n"
	var hard1, hard2, control1, all []float64
	for i := range 60 {
		kind := []string{"real", "curated"}[i%3/2]
		hard += fmt.Sprintf("h%d,0,%s,f%d\n", i, kind, i/3*2)
		hard1, hard2 = append(hard1, float64(i%5)/4), append(hard2, float64(i%4)/4)
		all = append(all, 1)
	}
	for i := range 40 {
		control += fmt.Sprintf("c%d,0,g%d\n", i, i/2)
		control1 = append(control1, float64(i%8)/8)
	}
	in := &results.Input{
		Splits: []results.Split{split(t, "hard_benign_test", dataset.HardBenign, hard),
			split(t, "ordinary_benign", dataset.OrdinaryBenign, control)},
		Policies: []threshold.Policy{{Kind: threshold.Fixed, Value: 0.5}},
		Detectors: []results.Detector{
			{ID: "two", Seeds: []results.Seed{
				{Seed: 1, Outcomes: map[string][]results.Outcome{
					"hard_benign_test": scored(hard1...), "ordinary_benign": scored(control1...)}},
				{Seed: 2, Outcomes: map[string][]results.Outcome{
					"hard_benign_test": scored(hard2...), "ordinary_benign": scored(control1...)}},
			}},
			{ID: "block", Seeds: []results.Seed{{Seed: 1, Outcomes: map[string][]results.Outcome{
				"hard_benign_test": scored(all...), "ordinary_benign": scored(all[:40]...)}}}},
			{ID: "gone", Unavailable: "its model is not here"},
			{ID: "half", Seeds: []results.Seed{{Seed: 1, Outcomes: map[string][]results.Outcome{"hard_benign_test": scored(all...)},
				Missing: map[string]string{"ordinary_benign": "no scores of ordinary_benign"}}}},
		},
	}
	return in, results.Build(*in)
}

func TestOverDefenseIsADifferenceOfIndependentlyDrawnRates(t *testing.T) {
	in, r := overDefense(t)
	sets := HardBenign(in)
	excess, families := OverDefense(in, r, sets)
	if len(sets) != 2 || sets[0].Name != "Hard-benign real" || len(sets[0].Rows) != 40 {
		t.Fatalf("the sets are %+v", sets)
	}
	if len(families) != 2 || families[0].Groups != 20 || families[1].Groups != 20 || families[0].Effective != 20 {
		t.Errorf("the families are %+v", families)
	}
	// The same by plain sums over one seed's flags at a time.
	seeds := in.Detectors[0].Seeds
	for s, set := range sets {
		drawn := make([]float64, stats.Resamples)
		value := 0.0
		for _, seed := range seeds {
			for k, part := range []Set{set, SetOf(in, in.Splits[1], "", "", "")} {
				name := part.Split.Spec.Name
				flags, members := make([]int, len(part.Split.Data.Rows)), make([]int, len(part.Split.Data.Rows))
				n := 0
				for _, row := range part.Rows {
					members[row] = 1
					if seed.Outcomes[name][row].Score >= 0.5 {
						flags[row] = 1
						n++
					}
				}
				names, _ := part.Split.Data.Column("family_id")
				totals := stats.NewGroups(names).Draw(name+" by family").Totals(flags, members)
				sign := []float64{1, -1}[k]
				value += sign * float64(n) / float64(len(part.Rows)) / float64(len(seeds))
				for b := range drawn {
					drawn[b] += sign * totals[0][b] / totals[1][b] / float64(len(seeds))
				}
			}
		}
		lo, hi := stats.Percentile(drawn)
		e := excess[0][0][s]
		if e.Value == nil || math.Abs(*e.Value-value) > 1e-12 || math.Abs(*e.Lo-lo) > 1e-12 || math.Abs(*e.Hi-hi) > 1e-12 ||
			e.N != len(set.Rows)+40 {
			t.Errorf("%s: %+v, want %v [%v, %v]", set.Name, e, value, lo, hi)
		}
		if b := excess[0][1][s]; *b.Value != 0 || *b.Lo != 0 || *b.Hi != 0 || b.Verdict() != "not distinguishable" {
			t.Errorf("flagging everything gives %v [%v, %v]", *b.Value, *b.Lo, *b.Hi)
		}
		if g := excess[0][2][s]; g.Value != nil || g.Reason != "its model is not here" || g.Verdict() != "n/a" {
			t.Errorf("a detector that was not run gives %+v", g)
		}
		if h := excess[0][3][s]; h.Value != nil || h.Reason != "no scores of ordinary_benign" {
			t.Errorf("a detector without scores of a split gives %+v", h)
		}
	}
}

func TestRowsWithoutAScoreAreNoRowsOfOverDefense(t *testing.T) {
	in, r := overDefense(t)
	sets := []Set{SetOf(in, in.Splits[0], "All", "", "")}
	before, _ := OverDefense(in, r, sets)
	out := in.Detectors[1].Seeds[0].Outcomes["hard_benign_test"]
	out[3] = results.Outcome{State: results.Failed}
	out[4] = results.Outcome{State: results.NotAsked}
	after, _ := OverDefense(in, r, sets)
	e := after[0][1][0]
	if e.Value == nil || *e.Value != 0 || e.N != before[0][1][0].N-2 || e.Lacking != 1 || *e.Lo != 0 || *e.Hi != 0 {
		t.Errorf("with a failed row: %+v", e)
	}
	if got, want := after[0][0][0], before[0][0][0]; *got.Lo != *want.Lo || *got.Hi != *want.Hi {
		t.Error("the interval of a detector depends on the rows of another")
	}
}

func TestSplitsThatAreAbsentGiveNoOverDefense(t *testing.T) {
	in, _ := overDefense(t)
	sets := HardBenign(in)
	in.Splits = in.Splits[:1]
	if excess, families := OverDefense(in, results.Build(*in), sets); excess != nil || families != nil {
		t.Errorf("without an ordinary split there is %v", excess)
	}
	in.Splits = nil
	if HardBenign(in) != nil || Tests(in) != nil {
		t.Error("there are sets of no splits")
	}
}

func TestFamiliesOfTheOriginalEditionAreItsSeeds(t *testing.T) {
	s := split(t, "h", dataset.HardBenign, "text,label,original_seed_idx\na,0,1\nb,0,1\nc,0,2\n")
	if got := newTally(s).families().Groups; got != 2 {
		t.Errorf("%d families, expected 2", got)
	}
}
