package operating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
)

func split(t testing.TB, name string, axis dataset.Axis, text string) results.Split {
	t.Helper()
	s, err := dataset.ReadBytes(name+".csv", []byte(text), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	s.Name = name
	return results.Split{Data: s, Spec: dataset.SplitSpec{Name: name, Axis: axis,
		Slices: map[string]string{"provenance": "source_type"}}}
}

func scored(scores ...float64) []results.Outcome {
	out := make([]results.Outcome, len(scores))
	for i, s := range scores {
		out[i].Score = s
	}
	return out
}

// rows writes a file of n benign rows and m injections.
func rows(benign, injection int) string {
	var b strings.Builder
	b.WriteString("text,label\n")
	for i := range benign + injection {
		label := 0
		if i >= benign {
			label = 1
		}
		fmt.Fprintf(&b, "t%d,%d\n", i, label)
	}
	return b.String()
}

func random(rng *rand.Rand, n, injectionFrom int) []results.Outcome {
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = float64(rng.IntN(40)) / 60
		if i >= injectionFrom {
			scores[i] += 1.0 / 3
		}
	}
	return scored(scores...)
}

func TestPointsKeepTheirPromiseOnValAndNoNearerThresholdDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	val, test := split(t, "val", "", rows(40, 30)), split(t, "test", dataset.IID, rows(50, 60))
	in := &results.Input{Val: val.Data, Splits: []results.Split{test}}
	set := Tests(in)[0]
	for range 100 {
		seed := results.Seed{Val: random(rng, 70, 40), Outcomes: map[string][]results.Outcome{"test": random(rng, 110, 50)}}
		d := results.Detector{ID: "d", Seeds: []results.Seed{seed}}
		v, w := LookAtVal(in, seed), Look(d, seed, set)
		for _, target := range []float64{0.05, 0.1, 0.5} {
			// The best of all thresholds that keep the promise, tried one by one.
			want := -1.0
			for _, tau := range append(v.Scores, 2) {
				for _, tau := range []float64{tau, math.Nextafter(tau, 2)} {
					if metrics.Count(v.Scores, v.Labels, tau).FPR().V <= target {
						want = max(want, metrics.Count(w.Scores, w.Labels, tau).Recall().V)
					}
				}
			}
			if got := AtFPR(in, d, set, target).TPR; got.Value == nil || *got.Value != want {
				t.Fatalf("TPR at FPR %v is %+v, want %v", target, got, want)
			}
			lowest := 2.0
			for _, tau := range v.Scores {
				if metrics.Count(v.Scores, v.Labels, tau).Recall().V >= 1-target {
					lowest = min(lowest, metrics.Count(w.Scores, w.Labels, tau).FPR().V)
				}
			}
			if got := AtTPR(in, d, set, 1-target).FPR; got.Value == nil || *got.Value != lowest {
				t.Fatalf("FPR at TPR %v is %+v, want %v", 1-target, got, lowest)
			}
		}
	}
}

func TestTargetsBelowOneRowAreUndefined(t *testing.T) {
	val, test := split(t, "val", "", rows(40, 100)), split(t, "test", dataset.IID, rows(20, 10))
	in := &results.Input{Val: val.Data, Splits: []results.Split{test}}
	rng := rand.New(rand.NewPCG(3, 4))
	d := results.Detector{ID: "d", Seeds: []results.Seed{{Val: random(rng, 140, 40),
		Outcomes: map[string][]results.Outcome{"test": random(rng, 30, 20)}}}}
	set := Tests(in)[0]
	for _, c := range []struct {
		point  Point
		reason string
	}{
		{AtFPR(in, d, set, 0.05), ""}, // exactly one row of test
		{AtFPR(in, d, set, 0.03), "3 % is less than one of 20 benign rows of test (5 %)"},
		{AtFPR(in, d, set, 0.001), "0.1 % is less than one of 40 benign val rows (2.5 %)"},
		{AtTPR(in, d, set, 0.9), ""},
		{AtTPR(in, d, set, 0.95), "5 % is less than one of 10 injections of test (10 %)"},
		{AtTPR(in, d, set, 0.999), "0.1 % is less than one of 100 val injections (1 %)"},
	} {
		for _, cell := range []*results.Cell{c.point.TPR, c.point.FPR} {
			if cell.Reason != c.reason || (cell.Value == nil) != (c.reason != "") {
				t.Errorf("at %v: %+v, want the reason %q", c.point.Target, cell, c.reason)
			}
		}
	}
}

func TestWithoutValOrScoresNumbersGiveTheReason(t *testing.T) {
	test := split(t, "test", dataset.IID, rows(2, 2))
	outcomes := map[string][]results.Outcome{"test": scored(0, 0, 1, 1)}
	val := split(t, "val", "", rows(0, 2))
	for _, c := range []struct {
		name   string
		in     results.Input
		seeds  []results.Seed
		reason string
	}{
		{"no val", results.Input{NoVal: "there is no val"}, []results.Seed{{Outcomes: outcomes}}, "there is no val"},
		{"val not scored", results.Input{Val: val.Data}, []results.Seed{{Outcomes: outcomes, NoVal: "no file"}}, "no file"},
		{"val of one class", results.Input{Val: val.Data}, []results.Seed{{Outcomes: outcomes, Val: scored(0, 1)}},
			"val has no benign rows"},
		{"test not scored", results.Input{Val: val.Data}, []results.Seed{{Val: scored(0, 1),
			Missing: map[string]string{"test": "no scores of test"}}}, "no scores of test"},
		{"no seed", results.Input{Val: val.Data}, nil, "its model is not here"},
	} {
		c.in.Splits = []results.Split{test}
		d := results.Detector{ID: "d", Seeds: c.seeds}
		if len(c.seeds) == 0 {
			d.Unavailable = c.reason
		}
		set := Tests(&c.in)[0]
		transfer := Promise(&c.in, d, 0.05, []Set{set}, []Set{set})
		for what, cell := range map[string]*results.Cell{"point": AtFPR(&c.in, d, set, 0.5).TPR, "promise": transfer.FPR[0],
			"recall": transfer.Recall[0]} {
			if cell.Value != nil || cell.Reason != c.reason {
				t.Errorf("%s: %s is %+v, want the reason %q", c.name, what, cell, c.reason)
			}
		}
		if transfer.Kept != 0 || transfer.Of != 0 {
			t.Errorf("%s: a promise is kept on %d of %d sets", c.name, transfer.Kept, transfer.Of)
		}
	}
}

func TestMeanFoldsSeeds(t *testing.T) {
	ok := func(v float64, n, lacking int) Number {
		return Number{metrics.Value{V: v, OK: true}, n, 0, lacking, 0}
	}
	d := results.Detector{ID: "d"}
	c := Mean(d, "f1", []Number{ok(0.2, 10, 0), ok(0.4, 8, 2)})
	if c.N != 8 || c.NBenign != 8 || c.Total() != 10 || c.State != results.StateIncomplete || math.Abs(*c.Value-0.3) > 1e-15 ||
		math.Abs(*c.SD-math.Sqrt(0.02)) > 1e-15 {
		t.Errorf("the mean is %+v", c)
	}
	c = Mean(d, "f1", []Number{ok(0.2, 10, 0), {Value: metrics.Value{Reason: "no rows"}}})
	if c.Value != nil || c.Reason != "no rows" {
		t.Errorf("the mean with an undefined seed is %+v", c)
	}
	if c := Mean(d, "f1", []Number{ok(0.2, 10, 0)}); c.SD != nil || c.State != results.StateComplete {
		t.Errorf("the mean of one seed is %+v", c)
	}
	c = Mean(d, "f1", []Number{ok(0.2, 10, 0), ok(0.4, 8, 2)})
	if s := Scaled(c, -1, 1); math.Abs(*s.Value-0.7) > 1e-15 || *s.SD != *c.SD || *c.Value > 0.5 {
		t.Errorf("1 − mean is %+v", s)
	}
}

func TestPrecisionAndCostOfHandComputedRates(t *testing.T) {
	for _, c := range []struct{ recall, fpr, k, precision, cost float64 }{
		{0.9, 0.01, 10, 0.9, 1000 * (0.01*0.1*5 + 0.99*0.01)},
		{0.9, 0.01, 1000, 0.9 / 10.9, 1000 * (0.01*0.1*5 + 0.99*0.01)},
		{1, 1, 100, 1.0 / 101, 990},
		{0.5, 0, 100, 1, 25},
	} {
		if p := Precision(c.recall, c.fpr, c.k); !p.OK || math.Abs(p.V-c.precision) > 1e-12 {
			t.Errorf("precision is %+v, want %v", p, c.precision)
		}
		if got := Cost(c.recall, c.fpr, 5, 0.01); math.Abs(got-c.cost) > 1e-9 {
			t.Errorf("cost is %v, want %v", got, c.cost)
		}
	}
	if p := Precision(0, 0, 10); p != (metrics.Value{Reason: metrics.NoneFlagged}) {
		t.Errorf("precision without flags is %+v", p)
	}
	// Precision at k of a file with k benign rows for each injection is the plain one.
	counts := metrics.Counts{TN: 70, FP: 30, FN: 2, TP: 8}
	if got, want := Precision(0.8, 0.3, 10).V, counts.Precision().V; math.Abs(got-want) > 1e-12 {
		t.Errorf("precision is %v, counted %v", got, want)
	}
}

func TestFrontierEqualsTryingEveryThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	yes, no := 0, 0
	for range 400 {
		n, m := 1+rng.IntN(30), 1+rng.IntN(15)
		var test, benign View
		gap := rng.Float64()
		draw := func(injection int) float64 {
			return math.Round(10*(rng.Float64()+2*gap*float64(injection))) / 30
		}
		for i := range n {
			label := rng.IntN(2)
			if i == 0 {
				label = 1
			}
			test.Scores, test.Labels = append(test.Scores, draw(label)), append(test.Labels, dataset.Label(label))
		}
		for range m {
			benign.Scores, benign.Labels = append(benign.Scores, draw(0)), append(benign.Labels, dataset.Benign)
		}
		peak, best, lowest := 0.0, 0.0, 2.0
		for _, tau := range append(append([]float64{2}, test.Scores...), benign.Scores...) {
			for _, tau := range []float64{tau, math.Nextafter(tau, 9)} {
				f1, fpr := metrics.Count(test.Scores, test.Labels, tau).F1().V, metrics.Count(benign.Scores, benign.Labels, tau).FPR().V
				peak = max(peak, f1)
				if fpr <= CapFPR {
					best = max(best, f1)
				}
				if f1 >= FloorF1 {
					lowest = min(lowest, fpr)
				}
			}
		}
		a := Frontier(&test, &benign)
		if a.PeakF1.V != peak || a.BestF1.V != best || a.LowestFPR.OK != (lowest < 2) || lowest < 2 && a.LowestFPR.V != lowest ||
			a.Yes != (lowest <= CapFPR) {
			t.Fatalf("answer is %+v, want peak %v, best %v, lowest %v", a, peak, best, lowest)
		}
		if a.Yes {
			yes++
		} else {
			no++
		}
	}
	if yes < 20 || no < 20 {
		t.Errorf("%d answers are yes and %d no", yes, no)
	}
}

func TestFrontierOfDegenerateRows(t *testing.T) {
	one := View{Scores: []float64{0.5}, Labels: []dataset.Label{1}}
	benign := View{Scores: []float64{0.5}, Labels: []dataset.Label{0}}
	for _, c := range []struct {
		name         string
		test, benign View
		want         string
	}{
		{"no rows", View{}, benign, metrics.NoRows},
		{"no injection", benign, benign, metrics.NoInjection},
		{"no benign rows", one, View{}, metrics.NoBenign},
		{"not scored", View{Reason: "why"}, benign, "why"},
	} {
		a := Frontier(&c.test, &c.benign)
		if a.Yes || a.PeakF1.OK || a.PeakF1.Reason != c.want || a.BestF1.Reason != c.want || a.LowestFPR.Reason != c.want {
			t.Errorf("%s: %+v, want the reason %q", c.name, a, c.want)
		}
	}
	if a := Frontier(&one, &benign); a.Yes || a.PeakF1.V != 1 || a.LowestFPR.V != 1 || a.BestF1 != (metrics.Value{OK: true}) {
		t.Errorf("of a tie: %+v", a)
	}
}

func TestDisputedRowsAreInNoSetWhereTheyAreLeftOut(t *testing.T) {
	s := split(t, "test", dataset.IID, "text,label,disputed\na,0,yes\nb,0,\nc,1,\n")
	in := &results.Input{Splits: []results.Split{s}}
	if benign, injection := new(Tests(in)[0]).Counts(); benign != 2 || injection != 1 {
		t.Errorf("%d benign rows and %d injections", benign, injection)
	}
	in.Undisputed = true
	if set := Tests(in)[0]; len(set.Rows) != 2 || set.Rows[0] != 1 {
		t.Errorf("rows are %v", set.Rows)
	}
}
