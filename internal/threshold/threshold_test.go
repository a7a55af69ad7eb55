package threshold

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/metrics"
)

func TestParseReadsEveryForm(t *testing.T) {
	for s, want := range map[string]Policy{
		"fixed:0.5":     {Kind: Fixed, Value: 0.5},
		"fixed:0":       {Kind: Fixed},
		"fixed:1":       {Kind: Fixed, Value: 1},
		"fixed:.25":     {Kind: Fixed, Value: 0.25},
		"fixed:1e-3":    {Kind: Fixed, Value: 0.001},
		"val_f1":        {Kind: ValF1},
		"val_f1:high":   {Kind: ValF1, High: true},
		"val_fpr:0.01":  {Kind: ValFPR, Value: 0.01},
		"val_fpr:1e-05": {Kind: ValFPR, Value: 1e-5},
		"native":        {Kind: Native},
	} {
		got, err := Parse(s)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{"fixed:0.5", "val_f1", "val_f1:high", "val_fpr:0.01", "native", "fixed:1e-05"} {
		if p, err := Parse(s); err != nil || p.String() != s {
			t.Errorf("Parse(%q) prints %q, %v", s, p, err)
		}
	}
}

func TestBadPoliciesAreUsageErrorsThatListTheGoodOnes(t *testing.T) {
	for _, s := range []string{
		"", "0.5", "fixed", "fixed:", "fixed:x", "fixed:1.01", "fixed:-0.1", "fixed:NaN", "fixed:Inf", "fixed:0x1p-1",
		"fixed: 0.5", "fixed:0.5 ", "fixed:0.5:1", "Fixed:0.5", "val_f1:", "val_f1:low", "val_fpr", "val_fpr:2",
		"val_fpr:1e999", "native:", "native:0.5", "val_auc", "fixed:0_1", "fixed:+0.5", "\x1b[31m", "val_fpr:1%",
		strings.Repeat("x", 1000),
	} {
		p, err := Parse(s)
		if fault.ExitCode(err) != int(fault.Usage) || p != (Policy{}) {
			t.Errorf("Parse(%.40q) = %+v, %v", s, p, err)
			continue
		}
		msg := err.Error()
		for _, part := range []string{"fixed:T", "val_f1", "val_f1:high", "val_fpr:X", "native", "--threshold"} {
			if !strings.Contains(msg, part) {
				t.Errorf("the message for %.40q lacks %q: %s", s, part, msg)
			}
		}
		if strings.ContainsAny(msg, "\x1b\n") || len(msg) > 400 {
			t.Errorf("the message for %.40q is unsafe or long: %q", s, msg)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"fixed:0.5", "val_f1", "val_f1:high", "val_fpr:0.01", "native", "fixed:1e-300", "x:y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			return
		}
		if !(p.Value >= 0 && p.Value <= 1) {
			t.Fatalf("Parse(%q) holds %g", s, p.Value)
		}
		if q, err := Parse(p.String()); err != nil || q != p {
			t.Fatalf("Parse(%q) = %+v prints %q, which reads back as %+v, %v", s, p, p, q, err)
		}
	})
}

func choose(t *testing.T, policy string, scores []float64, labels []dataset.Label, native *float64) Choice {
	t.Helper()
	p, err := Parse(policy)
	if err != nil {
		t.Fatal(err)
	}
	return p.Choose(scores, labels, native)
}

// sample draws scores of the shapes that hurt: ties, grid points, neighbours of grid points, zeros and ones.
func sample(rng *rand.Rand) (scores []float64, labels []dataset.Label) {
	n := 2 + rng.IntN(60)
	for i := range n {
		label := dataset.Label(rng.IntN(2))
		if i < 2 {
			label = dataset.Label(i)
		}
		var s float64
		grid := float64(rng.IntN(GridSteps+1)) / GridSteps
		switch rng.IntN(6) {
		case 0:
			s = grid
		case 1:
			s = min(1, math.Nextafter(grid, 2))
		case 2:
			s = max(0, math.Nextafter(grid, -1))
		case 3:
			s = float64(rng.IntN(5)) / 4
		default:
			s = rng.Float64()
		}
		scores, labels = append(scores, s), append(labels, label)
	}
	return scores, labels
}

func TestValF1EqualsBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for trial := range 300 {
		scores, labels := sample(rng)
		best, low, high := -1.0, 0.0, 0.0
		for k := 0; k <= 500; k++ {
			tau := float64(k) / 500
			f1 := metrics.Count(scores, labels, tau).F1().V
			if f1 > best {
				best, low = f1, tau
			}
			if f1 == best {
				high = tau
			}
		}
		for policy, want := range map[string]float64{"val_f1": low, "val_f1:high": high} {
			got := choose(t, policy, scores, labels, nil)
			if !got.OK || got.Tau != want || metrics.Count(scores, labels, got.Tau).F1().V != best {
				t.Fatalf("trial %d: %s gives %+v, want τ %v with F1 %v", trial, policy, got, want, best)
			}
		}
	}
}

func TestValFPRKeepsItsPromiseAndNoSmallerThresholdDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	limits := []float64{0, 0.01, 0.05, 0.1, 1.0 / 3, 0.5, 2.0 / 3, 0.9, 1}
	for trial := range 300 {
		scores, labels := sample(rng)
		for _, limit := range append(limits, rng.Float64()) {
			p := Policy{Kind: ValFPR, Value: limit}
			got := p.Choose(scores, labels, nil)
			if !got.OK || metrics.Count(scores, labels, got.Tau).FPR().V > limit {
				t.Fatalf("trial %d, limit %g: %+v breaks the promise", trial, limit, got)
			}
			if got.Tau == 0 {
				continue // no score lies below 0
			}
			below := math.Nextafter(got.Tau, -1)
			if fpr := metrics.Count(scores, labels, below).FPR().V; fpr <= limit {
				t.Fatalf("trial %d, limit %g: τ %v keeps the promise (FPR %g) below the chosen %v",
					trial, limit, below, fpr, got.Tau)
			}
		}
	}
}

func TestChoicesOnHandMadeScores(t *testing.T) {
	next := func(x float64) float64 { return math.Nextafter(x, 2) }
	native := 0.52
	for _, c := range []struct {
		name, policy string
		scores       []float64
		labels       []dataset.Label
		native       *float64
		want         float64
	}{
		{"fixed needs no val", "fixed:0.5", nil, nil, nil, 0.5},
		{"native", "native", nil, nil, &native, 0.52},
		{"lowest of a plateau", "val_f1", []float64{0.1, 0.9}, []dataset.Label{0, 1}, nil, 0.102},
		{"highest of a plateau", "val_f1:high", []float64{0.1, 0.9}, []dataset.Label{0, 1}, nil, 0.9},
		// 0.002*300 is 0.6000000000000001 in float64, and 3*0.1 is 0.30000000000000004: the grid is k/500.
		{"score on a grid point", "val_f1:high", []float64{0.1, 0.6}, []dataset.Label{0, 1}, nil, 0.6},
		{"score just above a grid point", "val_f1:high", []float64{0.1, 3 * 0.1}, []dataset.Label{0, 1}, nil, 0.3},
		{"all scores equal", "val_f1", []float64{0.5, 0.5}, []dataset.Label{0, 1}, nil, 0},
		{"zero FPR", "val_fpr:0", []float64{0.2, 0.4, 0.9}, []dataset.Label{0, 0, 1}, nil, next(0.4)},
		{"half the benign rows", "val_fpr:0.5", []float64{0.2, 0.4, 0.9}, []dataset.Label{0, 0, 1}, nil, next(0.2)},
		{"a tie is passed as a whole", "val_fpr:0.5", []float64{0.4, 0.4, 0.9}, []dataset.Label{0, 0, 1}, nil, next(0.4)},
		{"a benign row scores 1", "val_fpr:0", []float64{1, 1}, []dataset.Label{0, 1}, nil, next(1)},
		{"a limit of one", "val_fpr:1", []float64{0.2, 0.4}, []dataset.Label{0, 1}, nil, 0},
		{"one third of three is one", "val_fpr:0.3333333333333333", []float64{0.1, 0.2, 0.3}, make([]dataset.Label, 3),
			nil, next(0.2)},
	} {
		got := choose(t, c.policy, c.scores, c.labels, c.native)
		if !got.OK || got.Tau != c.want || got.Reason != "" {
			t.Errorf("%s: %+v, want τ %v", c.name, got, c.want)
		}
	}
}

func TestUndefinedChoicesGiveTheirReason(t *testing.T) {
	scores := []float64{0.1, 0.9}
	benign, attacks := []dataset.Label{0, 0}, []dataset.Label{1, 1}
	for _, c := range []struct {
		policy string
		scores []float64
		labels []dataset.Label
		reason string
	}{
		{"native", scores, benign, "the detector declares no native threshold"},
		{"val_f1", nil, nil, "there are no scored val rows"},
		{"val_fpr:0.1", nil, nil, "there are no scored val rows"},
		{"val_f1", scores, benign, "val has no injection rows"},
		{"val_f1", scores, attacks, "val has no benign rows"},
		{"val_fpr:0.1", scores, attacks, "val has no benign rows"},
	} {
		if got := choose(t, c.policy, c.scores, c.labels, nil); got != (Choice{Reason: c.reason}) {
			t.Errorf("%s: %+v, want the reason %q", c.policy, got, c.reason)
		}
	}
	nan := math.NaN()
	if got := choose(t, "native", scores, benign, &nan); got.OK || got.Reason == "" {
		t.Errorf("a native threshold that is not a number gives %+v", got)
	}
}

func TestChoiceDoesNotDependOnTheOrderOfRowsNorChangeThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		scores, labels := sample(rng)
		before := fmt.Sprint(scores, labels)
		first := map[string]Choice{}
		for _, p := range []string{"val_f1", "val_f1:high", "val_fpr:0.1"} {
			first[p] = choose(t, p, scores, labels, nil)
		}
		if fmt.Sprint(scores, labels) != before {
			t.Fatal("Choose changed its input")
		}
		rng.Shuffle(len(scores), func(i, j int) {
			scores[i], scores[j] = scores[j], scores[i]
			labels[i], labels[j] = labels[j], labels[i]
		})
		for p, want := range first {
			if got := choose(t, p, scores, labels, nil); got != want {
				t.Fatalf("%s depends on the order: %+v and %+v", p, got, want)
			}
		}
	}
}

func BenchmarkValF1(b *testing.B) {
	rng := rand.New(rand.NewPCG(17, 18))
	scores, labels := make([]float64, 4000), make([]dataset.Label, 4000)
	for i := range scores {
		scores[i], labels[i] = rng.Float64(), dataset.Label(rng.IntN(2))
	}
	for b.Loop() {
		Policy{Kind: ValF1}.Choose(scores, labels, nil)
	}
}
