package gate

import (
	"strings"
	"testing"

	"pidsbench/internal/comparison"
	"pidsbench/internal/results"
)

func TestACellThatLacksRowsKeepsNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		c      results.Cell
		agreed bool
		want   string
	}{
		"a complete cell":            {results.Cell{State: results.StateComplete, N: 3}, false, ""},
		"a row with an error":        {results.Cell{State: results.StateIncomplete, N: 3, NError: 1}, false, "3 of 4 rows"},
		"val rows without a score":   {results.Cell{State: results.StateIncomplete, N: 3}, false, "that its threshold rests on"},
		"texts that are agreed upon": {results.Cell{State: results.StateIncomplete, N: 3, NMissing: 2}, true, ""},
	} {
		got := Lacking(&tt.c, tt.agreed)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, expected %q", name, got, tt.want)
		}
	}
}

func TestAMeasureOfACellCountsTheRowsOfItsClass(t *testing.T) {
	cell := results.Cell{Value: new(0.25), Lo: new(0.1), Hi: new(0.4), GroupsEffective: 30, N: 100, NBenign: 40,
		NInjection: 60, NError: 2,
		SD: new(0.02), NSeeds: 4}
	for metric, want := range map[string]int{"fpr": 40, "recall": 60, "accuracy": 100} {
		m := (&Limit{Metric: metric}).FromCell(&cell, false)
		if m.N != want || m.Total != want+2 || !m.plain {
			t.Errorf("%s: %+v", metric, m)
		}
		if m.Seeds < 0.0318 || m.Seeds > 0.0319 { // 3.182 · 0.02 / 2
			t.Errorf("seeds spread by %v", m.Seeds)
		}
	}
}

func TestADifferenceIsTurnedSoThatMoreIsWorse(t *testing.T) {
	c := comparison.Result{N: 100, Total: 100, Effective: 100, Groups: 100, ValueA: new(0.9), ValueB: new(0.92),
		Diff:     new(-0.02),
		Interval: &comparison.Interval{Lo: -0.05, Hi: 0.01}, SE: new(0.01),
		Runs: []comparison.RunPair{{McNemar: &comparison.McNemar{OnlyA: 1, OnlyB: 3}}}}
	recall := (&Limit{Metric: "recall"}).FromComparison(&c)
	if *recall.Value != 0.02 || *recall.Lo != -0.01 || *recall.Hi != 0.05 || *recall.change != (change{0.03, 0.01}) {
		t.Errorf("recall: %v [%v, %v], %+v", *recall.Value, *recall.Lo, *recall.Hi, recall.change)
	}
	fpr := (&Limit{Metric: "fpr"}).FromComparison(&c)
	if *fpr.Value != -0.02 || *fpr.Lo != -0.05 || *fpr.Hi != 0.01 {
		t.Errorf("fpr: %v [%v, %v]", *fpr.Value, *fpr.Lo, *fpr.Hi)
	}
	f1 := (&Limit{Metric: "f1"}).FromComparison(&c)
	if f1.change != nil {
		t.Error("F1 is no share of rows, and what flipped does not bound it")
	}
	none := (&Limit{Metric: "fpr"}).FromComparison(&comparison.Result{Reason: "not scored"})
	if none.Value != nil || none.Reason != "not scored" {
		t.Errorf("without scores: %+v", none)
	}
}

func TestWithoutAFlipTheRowsSayHowMuchWorseItMayBe(t *testing.T) {
	c := comparison.Result{N: 400, Total: 400, Effective: 400, Groups: 400, ValueA: new(0.1), ValueB: new(0.1), Diff: new(0.0),
		Interval: &comparison.Interval{}, SE: new(0.0), Runs: []comparison.RunPair{{McNemar: &comparison.McNemar{}}}}
	for metric, want := range map[string]Verdict{"fpr": Pass, "recall": Pass, "f1": Undecided} {
		file := config(t, limit("metric: "+metric+", axis: iid, policy: fixed:0.5, regression: 0.01"))
		it := file.Judge(0, "s", file.Limits[0].FromComparison(&c), false)
		if it.Verdict != want || (want == Pass) != (it.Hi != nil) {
			t.Errorf("%s: %+v", metric, it)
		}
	}
	c.N, c.Total, c.Effective = 200, 200, 200
	file := config(t, limit("metric: fpr, axis: iid, policy: fixed:0.5, regression: 0.01"))
	if it := file.Judge(0, "s", file.Limits[0].FromComparison(&c), false); it.Verdict != Undecided || it.Needed.Groups != 299 {
		t.Errorf("200 rows: %+v", it)
	}
}
