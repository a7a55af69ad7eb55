package augmentation

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// scored makes outcomes of which the first k of n are above one half.
func scored(n, k int) []results.Outcome {
	out := make([]results.Outcome, n)
	for i := range out {
		if i < k {
			out[i].Score = 0.9
		}
	}
	return out
}

func arm(name string, seeds ...[]results.Outcome) Arm {
	a := Arm{Name: name, Detector: "d-" + name}
	for i, o := range seeds {
		a.Seeds = append(a.Seeds, results.Seed{Seed: i, Outcomes: map[string][]results.Outcome{"s": o}})
		a.Tau = append(a.Tau, 0.5)
	}
	return a
}

func set(n int) Set {
	s := Set{Name: "set", Split: "s"}
	for i := range n {
		s.Rows, s.Groups = append(s.Rows, i), append(s.Groups, fmt.Sprint(i/2))
	}
	return s
}

func TestSeedsAreAveragedAndDifferencesPaired(t *testing.T) {
	cells := Compute([]Arm{arm("none", scored(200, 100), scored(200, 60)), arm("curated", scored(200, 40), scored(200, 0))},
		set(200))
	none, curated := cells[0], cells[1]
	rate, other, diff := none.FPR.Value, curated.FPR.Value, curated.Diff.Value
	if math.Abs(rate-0.4) > 1e-12 || math.Abs(other-0.1) > 1e-12 || math.Abs(diff+0.3) > 1e-12 {
		t.Errorf("rates are %v and %v, difference %v, expected 0.4, 0.1, -0.3", rate, other, diff)
	}
	if math.Abs(*none.SeedSD-0.2/math.Sqrt2) > 1e-12 || none.Seeds != 2 || none.Groups != 100 {
		t.Errorf("standard deviation %v over %d seeds, %d families, expected %v, 2, 100", *none.SeedSD, none.Seeds, none.Groups,
			0.2/math.Sqrt2)
	}
	if none.Diff != nil || none.NoDiff != "" {
		t.Errorf("the first arm differs from itself by %v (%s)", none.Diff, none.NoDiff)
	}
	if !(none.FPR.Lo < rate && rate < none.FPR.Hi && curated.Diff.Lo < -0.3 && -0.3 < curated.Diff.Hi && curated.Diff.Hi < 0) {
		t.Errorf("intervals do not hold their values: %+v, %+v", none.FPR, curated.Diff)
	}
	if one := Compute([]Arm{arm("none", scored(200, 100))}, set(200))[0]; one.SeedSD != nil {
		t.Errorf("one seed has the standard deviation %v", *one.SeedSD)
	}
}

func TestAnArmWithoutAllScoresHasNoNumber(t *testing.T) {
	failed := scored(10, 3)
	failed[4].State = results.Failed
	for _, tt := range []struct {
		name string
		arm  Arm
		want string
	}{
		{"a row in error", arm("a", failed), "seed 0 has no score of row 4 of s"},
		{"another split", Arm{Name: "a", Seeds: []results.Seed{{Seed: 7}}, Tau: []float64{0.5}}, "seed 7 has no scores of s"},
		{"no threshold", Arm{Name: "a", Reason: "val is not scored"}, "val is not scored"},
		{"no seeds", Arm{Name: "a"}, "there are no scores"},
	} {
		cells := Compute([]Arm{arm("none", scored(10, 5)), tt.arm}, set(10))
		if !strings.Contains(cells[1].Reason, tt.want) || cells[0].Reason != "" || cells[0].FPR.Value != 0.5 {
			t.Errorf("%s: got %+v", tt.name, cells)
		}
		if cells[1].FPR != nil || cells[1].Diff != nil || cells[1].SeedSD != nil {
			t.Errorf("%s: got the numbers %+v", tt.name, cells[1])
		}
	}
}

func TestWithoutTheFirstArmThereAreNoDifferences(t *testing.T) {
	cells := Compute([]Arm{{Name: "none", Reason: "not run"}, arm("curated", scored(10, 5))}, set(10))
	if c := cells[1]; c.Reason != "" || c.FPR.Value != 0.5 || c.Diff != nil || c.NoDiff != "not run" {
		t.Errorf("got %+v", c)
	}
}

func TestSetsHoldBenignRowsByProvenanceAndFamily(t *testing.T) {
	split := func(name, csv string, external bool) results.Split {
		s, err := dataset.ReadBytes(name+".csv", []byte(csv), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		s.Name = name
		return results.Split{Spec: dataset.SplitSpec{Name: name}, Data: s, External: external}
	}
	splits := []results.Split{
		split("hard_benign_test", "text,label,source_type,family_id\na,0,real,f1\nb,0,curated,f2\nc,0,real,f1\n", false),
		split("ordinary_benign", "text,label,disputed\nd,0,no\ng,0,yes\n", false),
		split("notinject", "text,label\ne,0\nf,1\n", true),
	}
	sets := Sets(splits, false)
	var got []string
	for _, s := range sets {
		got = append(got, fmt.Sprintf("%s %v %q %v", s.Name, s.Rows, s.Groups, s.External))
	}
	want := []string{
		`Curated, new frames [1] ["f2"] false`, `Third-party [0 2] ["f1" "f1"] false`, `Ordinary [0 1] ["" ""] false`,
		`notinject [0] [""] true`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if rows := Sets(splits, true)[2].Rows; len(rows) != 1 || rows[0] != 0 {
		t.Errorf("without rows in dispute the ordinary set has the rows %v, expected [0]", rows)
	}
}

func TestAnArmWithoutAFalseAlarmMayStillHaveSome(t *testing.T) {
	c := Compute([]Arm{arm("none", scored(200, 0))}, set(200))[0]
	if c.FPR.Value != 0 || c.FPR.Lo != 0 || c.FPR.Hi < 0.03 || c.FPR.Hi > 0.04 {
		t.Errorf("of 100 families without a false alarm: %+v, expected an upper end of 0.037", c.FPR)
	}
}
