package figures

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

const hostile = "<script>alert(1)</script> & \"τ\" ]]> a name that is longer than any legend can hold, with \x1b[31m"

// input has detectors of the given ids on small splits; each has the given seeds, the last one none of its hard-benign
// scores where lacking is set.
func input(t *testing.T, seeds int, ids ...string) (*results.Input, *results.Results) {
	t.Helper()
	split := func(name string, axis dataset.Axis, slices map[string]string, csv string) results.Split {
		data, err := dataset.ReadBytes(name+".csv", []byte(csv), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		return results.Split{Spec: dataset.SplitSpec{Name: name, Axis: axis, Slices: slices}, Data: data}
	}
	test, hard, ordinary := "text,label\n", "text,label,source_type\n", "text,label\n"
	for i := range 120 {
		test += fmt.Sprintf("t%d,%d\n", i, i%2)
		hard += fmt.Sprintf("h%d,0,%s\n", i, []string{"real", "curated"}[i%2])
		ordinary += fmt.Sprintf("o%d,0\n", i)
	}
	in := &results.Input{Edition: "open", WindowMode: "max", Policies: []threshold.Policy{{Kind: threshold.ValF1}},
		Splits: []results.Split{split("test", dataset.IID, nil, test),
			split("hard", dataset.HardBenign, map[string]string{"provenance": "source_type"}, hard),
			split("ordinary", dataset.OrdinaryBenign, nil, ordinary)}}
	val := split("val", "", nil, test)
	in.Val = val.Data
	for k, id := range ids {
		d := results.Detector{ID: id, Name: id}
		for s := range seeds {
			outcomes := func(of uint64) (out []results.Outcome) {
				for _, score := range random(uint64(100*k+10*s)+of, 120).Scores {
					out = append(out, results.Outcome{Score: score})
				}
				return out
			}
			d.Seeds = append(d.Seeds, results.Seed{Seed: s, Val: outcomes(1), Outcomes: map[string][]results.Outcome{
				"test": outcomes(2), "hard": outcomes(3), "ordinary": outcomes(4)}})
		}
		in.Detectors = append(in.Detectors, d)
	}
	return in, results.Build(*in)
}

func names(all []*Figure) []string {
	var of []string
	for _, f := range all {
		of = append(of, f.Name)
	}
	return of
}

func TestEveryFigureIsDrawnWholeAndTheSameTwice(t *testing.T) {
	in, r := input(t, 2, "a", "b", "a-hn", "a-pool100", "a-hn-pool-200", "c", "d")
	in.Detectors[1].Name = hostile
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Seed.Mean && c.Metric == "fpr" && c.Value != nil && c.Detector == "a" {
			c.Lo, c.Hi = new(max(*c.Value-0.1, 0)), new(min(*c.Value+0.1, 1))
		}
	}
	all, notes := All(in, r)
	want := []string{"frontier", "provenance", "pools", "roc", "pr", "scores", "reliability", "tradeoff-a", "tradeoff-b",
		"tradeoff-a-hn", "tradeoff-a-pool100", "tradeoff-a-hn-pool-200", "tradeoff-c", "slices-a", "slices-b", "slices-a-hn",
		"slices-a-pool100", "slices-a-hn-pool-200", "slices-c"}
	if got := names(all); !slices.Equal(got, want) {
		t.Errorf("figures %v, want %v", got, want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "without d ") {
		t.Errorf("notes %q, want one that the detector d is left out", notes)
	}
	for _, f := range all[:9] {
		check(t, f)
	}
	check(t, all[len(all)-1])
	again, _ := All(in, r)
	for i, f := range all {
		if !bytes.Equal(drawn(t, f, (*Figure).SVG), drawn(t, again[i], (*Figure).SVG)) {
			t.Errorf("%s: made anew from the same results it differs", f.Name)
		}
	}
}

func TestOneDetectorWithOneSeedHasItsFigures(t *testing.T) {
	in, r := input(t, 1, "only")
	all, notes := All(in, r)
	if want := []string{"frontier", "provenance", "roc", "pr", "scores", "reliability", "tradeoff-only",
		"slices-only"}; !slices.Equal(names(all), want) {
		t.Errorf("figures %v, want %v", names(all), want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "no figure pools") {
		t.Errorf("notes %q", notes)
	}
	for _, f := range all {
		check(t, f)
	}
}

func TestWhatCannotBeDrawnIsSaid(t *testing.T) {
	t.Run("no scores of hard-benign rows", func(t *testing.T) {
		in, _ := input(t, 1, "a", "b")
		delete(in.Detectors[0].Seeds[0].Outcomes, "hard")
		all, notes := All(in, results.Build(*in))
		if !slices.Contains(names(all), "frontier") || !strings.Contains(strings.Join(notes, "\n"),
			"figure frontier is without a:") {
			t.Errorf("figures %v, notes %q", names(all), notes)
		}
	})
	t.Run("failed rows", func(t *testing.T) {
		in, _ := input(t, 1, "a")
		in.Detectors[0].Seeds[0].Outcomes["test"][3].State = results.Failed
		if _, notes := All(in, results.Build(*in)); !slices.Contains(notes, "a seed 0: curves rest on 119 of 120 rows") {
			t.Errorf("notes %q", notes)
		}
	})
	t.Run("baselines alone", func(t *testing.T) {
		in, _ := input(t, 1, "a")
		in.Detectors[0].Baseline = true
		if all, notes := All(in, results.Build(*in)); len(all) != 0 || len(notes) != 1 {
			t.Errorf("figures %v, notes %q", names(all), notes)
		}
	})
	t.Run("own files", func(t *testing.T) {
		in, _ := input(t, 1, "a")
		in.Splits = in.Splits[:1]
		in.Splits[0].Spec.Axis = dataset.Custom
		if all, notes := All(in, results.Build(*in)); len(all) != 0 || len(notes) != 1 {
			t.Errorf("figures %v, notes %q", names(all), notes)
		}
	})
}

func TestAPoolSweepRunsFromNoneToTheWholePool(t *testing.T) {
	in, r := input(t, 2, "a-pool200", "a", "b", "a-hn", "a-pool100", "b-hn")
	sweeps := pools(in, r)
	if len(sweeps) != 1 || sweeps[0].Name != "a" {
		t.Fatalf("sweeps %+v, want one of a", sweeps)
	}
	var sizes []int
	for _, p := range sweeps[0].Sizes {
		sizes = append(sizes, p.Size)
		if len(p.FPR) != 2 {
			t.Errorf("pool %d has %d seeds, want 2", p.Size, len(p.FPR))
		}
	}
	if want := []int{0, 100, 200, 419}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
	// The rate is that of the cell.
	want := *r.Mean("a", "hard", "provenance=real", "fpr", "val_f1").Value
	if got, _ := meanSD(sweeps[0].Sizes[0].FPR); math.Abs(got-want) > 1e-15 {
		t.Errorf("FPR %v, the cell has %v", got, want)
	}
}

func TestAForestKeepsTheHighestAndSaysWhatItLeavesOut(t *testing.T) {
	var of []Slice
	for i := range 45 {
		of = append(of, Slice{Label: "slice " + strconv.Itoa(i), Value: float64(i) / 100, Lo: math.NaN(), Hi: math.NaN(),
			N: 10 + i})
	}
	of[3] = Slice{Label: hostile, Value: 0.9, Lo: 0.8, Hi: 0.95, N: 100}
	f := Forest("x", "X", "FPR", of)
	if !strings.Contains(f.Note, "The 5 slices with lower values are left out.") || !strings.Contains(f.Note,
		"fewer than 30") {
		t.Errorf("note %q", f.Note)
	}
	ticks := f.panels[0].Y.Tick.Marker.Ticks(0, 1)
	if top := ticks[0]; top.Value != 39 || !strings.HasPrefix(top.Label, "<script>") {
		t.Errorf("the top is %+v", top)
	}
	check(t, f)
	if Forest("x", "X", "FPR", nil) != nil {
		t.Error("a forest without slices")
	}
}

func TestDifferencesShowOnBothSidesOfZero(t *testing.T) {
	f := Forest("d", "D", "difference", []Slice{{Label: "a", Value: -0.11, Lo: -0.2, Hi: -0.02}, {Label: "b",
		Value: 0.02, Lo: -0.01, Hi: 0.05}})
	if p := f.panels[0]; p.X.Min > -0.2 || p.X.Max < 0.05 {
		t.Errorf("the axis runs from %v to %v", p.X.Min, p.X.Max)
	}
	check(t, f)
}

func TestMissingNumbersShowAsNone(t *testing.T) {
	some := &Estimate{0.4, math.NaN(), math.NaN()}
	f := Provenance([]Group{{"a", []*Estimate{some, nil, nil}}, {"b", []*Estimate{nil, {0.2, 0.1, 0.3}, some}}}, "val_f1")
	if !strings.Contains(f.Note, "n/a") {
		t.Errorf("note %q", f.Note)
	}
	check(t, f)
	if f := Provenance([]Group{{"a", []*Estimate{nil, nil, nil}}}, "val_f1"); f != nil {
		t.Error("a figure without a number")
	}
}

func TestDetectorsDifferWithoutColour(t *testing.T) {
	for i, a := range looks {
		for _, b := range looks[:i] {
			if slices.Equal(a.dashes, b.dashes) || a.shape == b.shape {
				t.Errorf("%v and %v look alike in print", a, b)
			}
		}
	}
}

func TestLettersAreThoseOfTheTextWhateverItHolds(t *testing.T) {
	face := words(tickSize).Font
	c := newSVG("x", 100, 100)
	sty := words(tickSize)
	shown := sty.Handler.Cache().Lookup(face, face.Size)
	c.FillString(shown, vg.Point{X: 5, Y: 5}, "aba 漢")
	if got := len(c.letters); got != 3 { // a, b, the box for what the font lacks
		t.Errorf("%d letters are defined, want 3", got)
	}
	if uses := strings.Count(c.body.String(), "<use "); uses != 4 {
		t.Errorf("%d letters are drawn, want 4", uses)
	}
}
