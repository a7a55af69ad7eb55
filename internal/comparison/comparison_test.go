package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// makeSplit makes a split s of rows with classes and families; the slice kind is that of the column kind.
func makeSplit(t testing.TB, n int, label func(i int) int, family func(i int) string) results.Split {
	t.Helper()
	var b strings.Builder
	b.WriteString("text,label,family_id,kind,disputed\n")
	for i := range n {
		fmt.Fprintf(&b, "t%d,%d,%s,%c,%s\n", i, label(i), family(i), 'a'+rune(i%2), []string{"no", "yes"}[(i+1)%5/4])
	}
	data, err := dataset.ReadBytes("s.csv", []byte(b.String()), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	data.Name = "s"
	spec := dataset.SplitSpec{Name: "s", Axis: dataset.IID, Slices: map[string]string{"kind": "kind"}}
	return results.Split{Spec: spec, Data: data}
}

// side makes a detector with a run for each seed, each with the threshold of the policy p.
func side(id string, tau float64, seeds []int, score func(seed, row int) float64, rows int) Side {
	s := Side{ID: id, Name: id, Tau: map[string]map[string]float64{"p": {}}}
	for _, seed := range seeds {
		out := make([]results.Outcome, rows)
		for row := range out {
			out[row].Score = score(seed, row)
		}
		s.Seeds = append(s.Seeds, results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{"s": out}})
		s.Tau["p"][fmt.Sprint(seed)] = tau
	}
	return s
}

// noise gives scores that depend on all of their arguments and hold ties.
func noise(id string) func(seed, row int) float64 {
	return func(seed, row int) float64 {
		return float64(draw.New(int64(seed), id, fmt.Sprint(row)).Below(20)) / 20
	}
}

const rows = 60

func example(t testing.TB) (results.Split, Side, Side) {
	s := makeSplit(t, rows, func(i int) int { return i * 7 % 3 % 2 }, func(i int) string {
		return []string{"", fmt.Sprint("f", i/4)}[min(1, i%9)]
	})
	return s, side("a", 0.5, []int{1, 2, 3}, noise("a"), rows), side("b", 0.6, []int{3, 1, 2}, noise("b"), rows)
}

// plain computes the differences of resamples row by row, as a textbook would.
func plain(s results.Split, p Pair, m metric, use func(row int) bool) []float64 {
	families, _ := s.Data.Column("family_id")
	groups := [][]int{}
	index := map[string]int{}
	for row, name := range families {
		at, ok := index[name]
		if !ok || name == "" {
			at = len(groups)
			groups, index[name] = append(groups, nil), at
		}
		groups[at] = append(groups[at], row)
	}
	numbers := draw.New(0, "bootstrap", "s by family")
	out := make([]float64, stats.Resamples)
	for b := range out {
		var sample []int
		for range groups {
			for _, row := range groups[numbers.Below(len(groups))] {
				if use(row) {
					sample = append(sample, row)
				}
			}
		}
		mean := func(side Side) float64 {
			var of []float64
			for _, seed := range side.Seeds {
				var scores []float64
				var labels []dataset.Label
				for _, row := range sample {
					scores = append(scores, seed.Outcomes["s"][row].Score)
					labels = append(labels, s.Data.Rows[row].Label)
				}
				var v metrics.Value
				if m.of == nil {
					v = metrics.ROCAUC(scores, labels)
				} else {
					v = m.of(metrics.Count(scores, labels, side.Tau["p"][fmt.Sprint(seed.Seed)]))
				}
				if !v.OK {
					return math.NaN()
				}
				of = append(of, v.V)
			}
			return stat.Mean(of, nil)
		}
		out[b] = mean(p.A) - mean(p.B)
	}
	return out
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	switch {
	case got == nil:
		t.Errorf("%s is missing, expected %v", what, want)
	case math.Abs(*got-want) > 1e-9: // libraries sum in other orders
		t.Errorf("%s is %v, expected %v", what, *got, want)
	}
}

func spec(metric, slice string) Spec {
	s := Spec{Name: metric, Split: "s", Slice: slice, Metric: metric, Policy: "p"}
	if metric == "roc_auc" {
		s.Policy = ""
	}
	return s
}

func TestBootstrapIsThatOfAPlainLoop(t *testing.T) {
	s, a, b := example(t)
	b.Seeds[1].Outcomes["s"][7].State = results.Failed // of one run, hence dropped from all
	for _, undisputed := range []bool{false, true} {
		d := NewData([]results.Split{s}, undisputed)
		out := map[int]bool{}
		if undisputed {
			out = results.Disputed(s.Data)
		}
		for _, m := range comparable {
			for _, slice := range []string{"all", "kind=b"} {
				p := Match(a, b)
				got := d.Compare(p, spec(m.name, slice))
				use := func(row int) bool { return row != 7 && !out[row] && (slice == "all" || row%2 == 1) }
				var diffs []float64
				below, above := 0, 0
				for _, v := range plain(s, p, m, use) {
					if !math.IsNaN(v) {
						diffs = append(diffs, v)
						if v < 1e-12 {
							below++
						}
						if v > -1e-12 {
							above++
						}
					}
				}
				if got.Interval == nil {
					t.Fatalf("%s %s: no interval: %s%s", m.name, slice, got.Reason, got.NoInterval)
				}
				what := fmt.Sprintf("%s %s, undisputed %v: ", m.name, slice, undisputed)
				lo, hi := stats.Percentile(diffs)
				near(t, what+"lower end", &got.Interval.Lo, lo)
				near(t, what+"upper end", &got.Interval.Hi, hi)
				near(t, what+"standard error", got.SE, stat.StdDev(diffs, nil))
				near(t, what+"detectable", got.MDE, (1.959963984540054+0.8416212335729143)*stat.StdDev(diffs, nil))
				near(t, what+"p", got.P, min(1, 2*(1+float64(min(below, above)))/(1+float64(len(diffs)))))
				if got.Undefined != stats.Resamples-len(diffs) {
					t.Errorf("%s: %d resamples are undefined, expected %d", what, got.Undefined, stats.Resamples-len(diffs))
				}
			}
		}
	}
}

func TestValuesAreMeansOverTheRunsOnRowsThatAllHaveScored(t *testing.T) {
	s, a, b := example(t)
	got := NewData([]results.Split{s}, false).Compare(Match(a, b), spec("fpr", "all"))
	benign := 0
	rate := func(side Side) float64 {
		hits := 0
		benign = 0
		for row, r := range s.Data.Rows {
			if r.Label == dataset.Benign {
				benign++
				for _, run := range side.Seeds {
					if run.Outcomes["s"][row].Score >= side.Tau["p"]["1"] {
						hits++
					}
				}
			}
		}
		return float64(hits) / float64(3*benign)
	}
	near(t, "A", got.ValueA, rate(a))
	near(t, "B", got.ValueB, rate(b))
	near(t, "difference", got.Diff, rate(a)-rate(b))
	if got.N != benign || got.Total != benign || got.Groups >= benign || got.Groups < 2 {
		t.Errorf("%d of %d rows in %d families, expected %d benign ones", got.N, got.Total, got.Groups, benign)
	}
	for _, run := range got.Runs {
		if run.SeedA != run.SeedB {
			t.Errorf("seed %d stands beside seed %d", run.SeedA, run.SeedB)
		}
	}
	a.Seeds[0].Outcomes["s"][0].State = results.Failed // rows 0 and 2 are benign, 1 is not
	b.Seeds[2].Outcomes["s"][2].State = results.MissingText
	b.Seeds[2].Outcomes["s"][1].State = results.Failed
	got = NewData([]results.Split{s}, false).Compare(Match(a, b), spec("fpr", "all"))
	if got.N != benign-2 || got.Total != benign || got.ValueA == nil {
		t.Errorf("with two benign rows unscored it rests on %d of %d, expected %d of %d", got.N, got.Total, benign-2, benign)
	}
}

func TestMcNemarCountsRowsThatOneAloneHasRight(t *testing.T) {
	s := makeSplit(t, 12, func(i int) int { return i % 2 }, func(int) string { return "" })
	right := func(wrong ...int) func(int, int) float64 {
		return func(_, row int) float64 {
			if (row%2 == 1) != slices.Contains(wrong, row) {
				return 0.9
			}
			return 0.1
		}
	}
	p := Match(side("a", 0.5, []int{1}, right(0, 1), 12), side("b", 0.5, []int{1}, right(1, 2, 3, 4, 6, 8), 12))
	d := NewData([]results.Split{s}, false)
	for metric, want := range map[string]McNemar{
		"f1": {OnlyA: 5, OnlyB: 1, P: 0.21875}, "fpr": {OnlyA: 4, OnlyB: 1, P: 0.375}, "recall": {OnlyA: 1, OnlyB: 0, P: 1},
	} {
		got := d.Compare(p, spec(metric, "all")).Runs
		if len(got) != 1 || got[0].McNemar == nil {
			t.Fatalf("%s: got %+v", metric, got)
		}
		near(t, metric+": p", &got[0].McNemar.P, want.P)
		if got[0].McNemar.OnlyA != want.OnlyA || got[0].McNemar.OnlyB != want.OnlyB {
			t.Errorf("%s: got %+v, expected %+v", metric, got[0].McNemar, want)
		}
	}
	if got := d.Compare(p, spec("roc_auc", "all")).Runs[0].McNemar; got != nil {
		t.Errorf("an area has the verdicts %+v", got)
	}
}

func TestADetectorIsNotDistinguishableFromItself(t *testing.T) {
	s, a, _ := example(t)
	twin := a
	twin.ID = "twin"
	d := NewData([]results.Split{s}, false)
	for _, m := range comparable {
		got := d.Compare(Match(a, twin), spec(m.name, "all"))
		near(t, m.name+": difference", got.Diff, 0)
		near(t, m.name+": p", got.P, 1)
		if *got.Interval != (Interval{}) || *got.Joint != (Interval{}) || got.MDE != nil || got.T != nil || got.NoT == "" {
			t.Errorf("%s: got %+v", m.name, got)
		}
		if got.Verdict != Indistinguishable {
			t.Errorf("%s: it is %q than itself", m.name, got.Verdict)
		}
		if mc := got.Runs[0].McNemar; mc != nil && *mc != (McNemar{P: 1}) {
			t.Errorf("%s: McNemar says %+v", m.name, mc)
		}
	}
	// A single run of what the other has three times over differs by rounding alone.
	same := side("same", 0.5, []int{1, 2, 3}, func(_, row int) float64 { return noise("a")(1, row) }, rows)
	one := side("one", 0.5, []int{0}, func(_, row int) float64 { return noise("a")(1, row) }, rows)
	one.Single = true
	for _, m := range comparable {
		got := d.Compare(Match(same, one), spec(m.name, "all"))
		if *got.P != 1 || *got.SE != 0 || *got.Diff != 0 || len(got.Runs) != 3 {
			t.Errorf("%s: got %+v", m.name, got)
		}
	}
}

func TestSwappedSidesNegate(t *testing.T) {
	s, a, b := example(t)
	d := NewData([]results.Split{s}, false)
	for _, m := range comparable {
		x, y := d.Compare(Match(a, b), spec(m.name, "all")), d.Compare(Match(b, a), spec(m.name, "all"))
		near(t, m.name+": difference", y.Diff, -*x.Diff)
		near(t, m.name+": lower end", &y.Interval.Lo, -x.Interval.Hi)
		near(t, m.name+": upper end", &y.Interval.Hi, -x.Interval.Lo)
		near(t, m.name+": joint lower end", &y.Joint.Lo, -x.Joint.Hi)
		near(t, m.name+": p", y.P, *x.P)
		near(t, m.name+": t", y.T.T, -*x.T.T)
		near(t, m.name+": p of t", &y.T.P, x.T.P)
		other := map[Verdict]Verdict{Better: Worse, Worse: Better, Indistinguishable: Indistinguishable}
		if y.Verdict != other[x.Verdict] {
			t.Errorf("%s: %q one way, %q the other", m.name, x.Verdict, y.Verdict)
		}
		for _, run := range x.Runs {
			at := slices.IndexFunc(y.Runs, func(r RunPair) bool { return r.SeedA == run.SeedA })
			if mc, back := run.McNemar, y.Runs[at].McNemar; mc != nil && (mc.OnlyA != back.OnlyB || mc.P != back.P) {
				t.Errorf("%s: McNemar says %+v and %+v", m.name, mc, back)
			}
		}
	}
}

func TestLowerIsBetterForFalseAlarmsAlone(t *testing.T) {
	s := makeSplit(t, 200, func(i int) int { return i % 2 }, func(int) string { return "" })
	flagAll := side("all", 0.5, []int{0}, func(_, row int) float64 { return 0.6 + float64(row%7)/100 }, 200)
	flagFew := side("few", 0.5, []int{0}, func(_, row int) float64 { return float64(row%9) / 16 }, 200)
	good := side("good", 0.5, []int{0}, func(_, row int) float64 { return float64(row % 2) }, 200)
	d := NewData([]results.Split{s}, false)
	for _, tt := range []struct {
		a, b   Side
		metric string
		want   Verdict
	}{
		{flagAll, flagFew, "fpr", Worse}, {flagFew, flagAll, "fpr", Better}, {flagAll, flagFew, "recall", Better},
		{good, flagAll, "f1", Better}, {flagAll, good, "accuracy", Worse}, {good, flagFew, "roc_auc", Better},
	} {
		if got := d.Compare(Match(tt.a, tt.b), spec(tt.metric, "all")); got.Verdict != tt.want {
			t.Errorf("%s of %s is %q than that of %s, expected %q", tt.metric, tt.a.ID, got.Verdict, tt.b.ID, tt.want)
		}
	}
}

func TestSeedsWidenTheIntervalInQuadrature(t *testing.T) {
	s, a, b := example(t)
	d := NewData([]results.Split{s}, false)
	got := d.Compare(Match(a, b), spec("f1", "all"))
	var diffs []float64
	for _, run := range got.Runs {
		diffs = append(diffs, run.ValueA-run.ValueB)
	}
	sd := stat.StdDev(diffs, nil)
	half := 4.302652729911275 * sd / math.Sqrt(3) // the 0.975 quantile of t with two degrees of freedom
	near(t, "standard deviation", got.SeedSD, sd)
	near(t, "lower end", &got.Joint.Lo, *got.Diff-math.Sqrt(math.Pow(*got.Diff-got.Interval.Lo, 2)+half*half))
	near(t, "upper end", &got.Joint.Hi, *got.Diff+math.Sqrt(math.Pow(got.Interval.Hi-*got.Diff, 2)+half*half))
	test, _ := stats.PairedT(diffs)
	near(t, "t", got.T.T, test.T)
	if got.T.Kind != "paired" || got.T.DF != 2 || got.T.P != test.P {
		t.Errorf("got the test %+v", got.T)
	}
	b.Single, b.Seeds = true, b.Seeds[:1]
	one := d.Compare(Match(a, b), spec("f1", "all"))
	if one.T.Kind != "one-sample" || len(one.Runs) != 3 || one.Runs[2].SeedB != 3 {
		t.Errorf("against a single run: got %+v", one)
	}
	a.Single, a.Seeds = true, a.Seeds[:1]
	one = d.Compare(Match(a, b), spec("f1", "all"))
	if one.T != nil || one.Joint != nil || one.SeedSD != nil || one.NoT == "" || one.Interval == nil {
		t.Errorf("one run each: got %+v", one)
	}
	if got := joint(0.1, Interval{0.2, 0.3}, 0, 5); got.Lo != 0.1 || math.Abs(got.Hi-0.3) > 1e-12 {
		t.Errorf("an interval that does not hold its value becomes %+v", got)
	}
}

func TestWhatCannotBeComparedSaysWhy(t *testing.T) {
	s, a, b := example(t)
	failed := side("f", 0.5, []int{1}, noise("f"), rows)
	for row := range failed.Seeds[0].Outcomes["s"] {
		failed.Seeds[0].Outcomes["s"][row].State = results.Failed
	}
	other := side("o", 0.5, []int{1}, noise("o"), rows)
	other.Seeds[0].Outcomes = map[string][]results.Outcome{"elsewhere": nil}
	gone := side("g", 0.5, []int{1, 9}, noise("g"), rows)
	gone.Seeds[0].Outcomes = nil
	untuned := side("u", 0.5, []int{1}, noise("u"), rows)
	untuned.Tau, untuned.NoTau = nil, map[string]string{"p": "val is not scored"}
	absent := Side{ID: "x", Reason: "there are no score files"}
	for _, tt := range []struct {
		name string
		a, b Side
		spec Spec
		want string
	}{
		{"no scores", absent, b, spec("f1", "all"), "x: there are no score files"},
		{"no scores of the split", a, other, spec("f1", "all"), "o has no scores of s at seed 1"},
		{"no common seed", a, gone, spec("f1", "all"), "there is no seed of which both have scores"},
		{"every row failed", a, failed, spec("f1", "all"), "no rows among the 0 of 60 that both have scores of"},
		{"no threshold", a, untuned, spec("f1", "all"), "u at seed 1: val is not scored"},
		{"no such split", a, b, Spec{Split: "q", Slice: "all", Metric: "f1", Policy: "p"}, "there is no split q"},
		{"no such breakdown", a, b, spec("f1", "label=1"), "s has no breakdown by label"},
		{"no such rows", a, b, spec("f1", "kind=z"), "s has no rows with kind=z that count"},
		{"a reason of its own", a, b, Spec{Split: "s", Slice: "all", Metric: "f1", Reason: "the edition has none"},
			"the edition has none"},
	} {
		got := NewData([]results.Split{s}, false).Compare(Match(tt.a, tt.b), tt.spec)
		if got.Reason != tt.want || got.Diff != nil || got.Interval != nil || got.Verdict != "" || got.P != nil {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
	if p := Match(a, gone); !slices.Equal(p.Gone, []string{"g has no scores of seed 1"}) {
		t.Errorf("left out: %q", p.Gone)
	}
	if got := NewData([]results.Split{s}, false).Compare(Match(a, untuned), spec("roc_auc", "all")); got.Reason != "" {
		t.Errorf("an area needs a threshold: %s", got.Reason)
	}
	here := s
	here.Absent = "s.csv is not here"
	if got := NewData([]results.Split{here}, false).Compare(Match(a, b), spec("f1", "all")); got.Reason != here.Absent {
		t.Errorf("of an absent split: %q", got.Reason)
	}
}

func TestFewRowsGiveNoInterval(t *testing.T) {
	two := makeSplit(t, 2, func(i int) int { return i }, func(int) string { return "" })
	a := side("a", 0.5, []int{0}, func(_, row int) float64 { return float64(row) }, 2)
	b := side("b", 0.5, []int{0}, noise("b"), 2)
	got := NewData([]results.Split{two}, false).Compare(Match(a, b), spec("f1", "all"))
	if got.Diff == nil || got.Interval != nil || got.P != nil || got.Verdict != "" ||
		!strings.Contains(got.NoInterval, "resamples") {
		t.Errorf("of two rows, a quarter of whose resamples lack an injection: got %+v", got)
	}
	one := makeSplit(t, 1, func(int) int { return 0 }, func(int) string { return "" })
	got = NewData([]results.Split{one}, false).Compare(Match(a, b), spec("fpr", "all"))
	if got.N != 1 || got.Groups != 1 || got.Interval == nil || *got.SE != 0 {
		t.Errorf("of one row: got %+v", got)
	}
	none := one
	none.Data = &dataset.Split{Name: "s"}
	got = NewData([]results.Split{none}, false).Compare(Match(a, b), spec("fpr", "all"))
	if got.Reason != "s has no rows that count" {
		t.Errorf("of no row: got %+v", got)
	}
}
