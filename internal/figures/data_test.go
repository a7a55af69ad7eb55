package figures

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
)

// random is a sample of both classes with ties, at steps of 1/40.
func random(seed uint64, n int) Sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := Sample{Rows: n}
	for i := range n {
		label := dataset.Label(i % 2)
		score := math.Round(40*min(1, max(0, 0.4*rng.Float64()+0.5*rng.Float64()*float64(label)+0.1))) / 40
		s.Scores, s.Labels = append(s.Scores, score), append(s.Labels, label)
	}
	return s
}

func benignOnly(s Sample) Sample {
	var out Sample
	for i, l := range s.Labels {
		if l == dataset.Benign {
			out.Scores, out.Labels, out.Rows = append(out.Scores, s.Scores[i]), append(out.Labels, l), out.Rows+1
		}
	}
	return out
}

func runs(n int) []Run {
	var of []Run
	for seed := range n {
		of = append(of, Run{Seed: seed, Test: random(uint64(seed), 200), Hard: benignOnly(random(uint64(seed+50), 120)),
			Tau: 0.45})
	}
	return of
}

func TestTheSweepHasTheCountsOfTheMetrics(t *testing.T) {
	of := runs(3)
	points := Sweep(of)
	if len(points) != 501 || points[0].Tau != 0 || points[500].Tau != 1 {
		t.Fatalf("%d points, from %v to %v", len(points), points[0].Tau, points[len(points)-1].Tau)
	}
	for k, p := range points {
		tau := float64(k) / 500
		var f1, fpr float64
		for _, r := range of {
			f1 += metrics.Count(r.Test.Scores, r.Test.Labels, tau).F1().V / 3
			fpr += metrics.Count(r.Hard.Scores, r.Hard.Labels, tau).FPR().V / 3
		}
		if math.Abs(p.F1-f1) > 1e-12 || math.Abs(p.FPR-fpr) > 1e-12 || p.Tau != tau {
			t.Fatalf("at τ %v: %+v, want F1 %v and FPR %v", tau, p, f1, fpr)
		}
	}
	if points[200].F1SD <= 0 || points[200].FPRSD <= 0 {
		t.Errorf("no spread over seeds that differ: %+v", points[200])
	}
	if one := Sweep(of[:1]); one[200].F1SD != 0 || one[200].FPRSD != 0 {
		t.Errorf("a spread over one seed: %+v", one[200])
	}
}

func TestASweepNeedsRowsOfBothClassesAndHardBenignRows(t *testing.T) {
	whole := runs(1)[0]
	for name, of := range map[string][]Run{
		"no runs":             nil,
		"no rows":             {{}},
		"no hard-benign rows": {{Test: whole.Test}},
		"one class":           {{Test: benignOnly(whole.Test), Hard: whole.Hard}},
		"one seed without":    {whole, {Test: whole.Test}},
	} {
		if points := Sweep(of); points != nil {
			t.Errorf("%s: %d points", name, len(points))
		}
	}
}

func TestMarkersLieAtTheThresholdOfEachSeed(t *testing.T) {
	of := runs(2)
	of[1].Tau = math.NaN()
	at := tuned(of)
	if len(at) != 1 {
		t.Fatalf("%d markers, want the one of the seed with a threshold", len(at))
	}
	f1 := metrics.Count(of[0].Test.Scores, of[0].Test.Labels, 0.45).F1().V
	fpr := metrics.Count(of[0].Hard.Scores, of[0].Hard.Labels, 0.45).FPR().V
	if at[0] != (plotter.XY{X: fpr, Y: f1}) {
		t.Errorf("marker at %v, want %v, %v", at[0], fpr, f1)
	}
}

func TestTheAreaUnderTheROCCurveIsTheAUC(t *testing.T) {
	for seed := range uint64(20) {
		s := random(seed, 50+int(seed)*7)
		points := ROC(s)
		area := 0.0
		for i := 1; i < len(points); i++ {
			area += (points[i].X - points[i-1].X) * (points[i].Y + points[i-1].Y) / 2
		}
		if want := metrics.ROCAUC(s.Scores, s.Labels); math.Abs(area-want.V) > 1e-12 {
			t.Errorf("seed %d: area %v, AUC %v", seed, area, want.V)
		}
		if points[0] != (plotter.XY{}) || points[len(points)-1] != (plotter.XY{X: 1, Y: 1}) {
			t.Errorf("seed %d: the curve runs from %v to %v", seed, points[0], points[len(points)-1])
		}
	}
}

func TestTheROCCurveKeepsItsCornersAlone(t *testing.T) {
	s := Sample{Scores: []float64{0.9, 0.8, 0.7, 0.6, 0.5}, Labels: []dataset.Label{1, 1, 0, 0, 1}}
	want := plotter.XYs{{X: 0, Y: 0}, {X: 0, Y: 2.0 / 3}, {X: 1, Y: 2.0 / 3}, {X: 1, Y: 1}}
	if got := ROC(s); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTheLogarithmicPanelBeginsAtTheRateReachedThere(t *testing.T) {
	got := fromLowest(plotter.XYs{{X: 0, Y: 0}, {X: 0, Y: 0.2}, {X: 0.0005, Y: 0.3}, {X: 0.4, Y: 0.8}, {X: 1, Y: 1}})
	want := plotter.XYs{{X: 0.001, Y: 0.3}, {X: 0.4, Y: 0.8}, {X: 1, Y: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAveragePrecisionIsThatOfEachCut(t *testing.T) {
	s := Sample{Scores: []float64{0.9, 0.8, 0.8, 0.4, 0.1}, Labels: []dataset.Label{1, 0, 1, 1, 0}}
	// Cuts at 0.9, 0.8, 0.4, 0.1: recall 1/3, 2/3, 1, 1; precision 1, 2/3, 3/4, 3/5.
	want := plotter.XYs{{X: 1.0 / 3, Y: 1}, {X: 2.0 / 3, Y: 2.0 / 3}, {X: 1, Y: 0.75}, {X: 1, Y: 0.6}}
	got := PR(s)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if ap := AveragePrecision(got); math.Abs(ap-(1.0/3+2.0/9+0.25)) > 1e-15 {
		t.Errorf("average precision %v", ap)
	}
}

func TestCurvesOfOneClassAreEmpty(t *testing.T) {
	for _, s := range []Sample{{}, {Scores: []float64{0.5}, Labels: []dataset.Label{0}}, {Scores: []float64{0.5, 0.5},
		Labels: []dataset.Label{1, 1}}} {
		if roc, pr := ROC(s), PR(s); roc != nil || pr != nil {
			t.Errorf("%v: ROC %v, PR %v", s, roc, pr)
		}
	}
}

func TestBinsHoldSharesAndTheLastOneTheHighestScore(t *testing.T) {
	got := Bins([]float64{0, 0.24, 0.25, 0.5, 1, 1, 0.999, 0.75}, 4)
	if want := []float64{0.25, 0.125, 0.125, 0.5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Bins(nil, 2); !slices.Equal(got, []float64{0, 0}) {
		t.Errorf("without scores %v", got)
	}
}

func TestReliabilityLeavesOutEmptyBins(t *testing.T) {
	s := Sample{Scores: []float64{0.25, 0, 1, 0.75, 1}, Labels: []dataset.Label{1, 0, 1, 0, 1}}
	want := []Bin{{2, 0.125, 0.5}, {3, 2.75 / 3, 2.0 / 3}}
	if got := Reliability(s, 3); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Reliability(Sample{}, 15); got != nil {
		t.Errorf("without rows %v", got)
	}
}

func TestOnlyScoredRowsThatCountAreTaken(t *testing.T) {
	data, err := dataset.ReadBytes("s.csv", []byte("text,label,disputed\na,0,no\nb,1,yes\nc,0,no\nd,1,no\ne,0,no\n"),
		dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	split := results.Split{Spec: dataset.SplitSpec{Name: "s"}, Data: data}
	seed := results.Seed{Outcomes: map[string][]results.Outcome{"s": {{Score: 0.1}, {Score: 0.2}, {State: results.Failed},
		{Score: 0.4}, {State: results.NotAsked}}}}
	got := Take(seed, split, true, func(row int) bool { return row != 0 })
	if !slices.Equal(got.Scores, []float64{0.4}) || !slices.Equal(got.Labels, []dataset.Label{dataset.Injection}) ||
		got.Rows != 2 {
		t.Errorf("%+v, want the score of row 3 alone, of 2 rows", got)
	}
	if got := Take(results.Seed{}, split, false, nil); len(got.Scores) != 0 || got.Rows != 5 {
		t.Errorf("without scores %+v", got)
	}
}
