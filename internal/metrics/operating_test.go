package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"pidsbench/internal/dataset"
)

func TestRankingIsThatOfScikitLearn(t *testing.T) {
	data, err := os.ReadFile("testdata/ranking.json") // by tools/golden/operating.py
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name             string
			Scores           []float64
			Labels           []dataset.Label
			Tau              float64
			AveragePrecision *float64 `json:"average_precision"`
			BalancedAccuracy *float64 `json:"balanced_accuracy"`
			Partial          []struct{ Cap, Share, Standardised float64 }
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) < 30 {
		t.Fatalf("only %d cases", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			near := func(what string, got Value, want float64) {
				t.Helper()
				if !got.OK || got.Reason != "" || math.Abs(got.V-want) > 1e-12 {
					t.Errorf("%s is %+v, want %v", what, got, want)
				}
			}
			precision, balanced := AveragePrecision(c.Scores, c.Labels), Count(c.Scores, c.Labels, c.Tau).BalancedAccuracy()
			if c.AveragePrecision == nil {
				share, std := PartialAUC(c.Scores, c.Labels, 0.1)
				for what, v := range map[string]Value{"average precision": precision, "balanced accuracy": balanced,
					"partial AUC": share, "standardised": std} {
					if v.OK || v.Reason == "" {
						t.Errorf("%s is %+v, want undefined with a reason", what, v)
					}
				}
				return
			}
			near("average precision", precision, *c.AveragePrecision)
			near("balanced accuracy", balanced, *c.BalancedAccuracy)
			for _, p := range c.Partial {
				share, std := PartialAUC(c.Scores, c.Labels, p.Cap)
				near("partial AUC", share, p.Share)
				near("standardised", std, p.Standardised)
			}
		})
	}
}

func TestPartialAUCOfTheWholeRangeIsTheAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		n := 2 + rng.IntN(60)
		scores, labels := make([]float64, n), make([]dataset.Label, n)
		for i := range n {
			scores[i], labels[i] = float64(rng.IntN(9))/8, dataset.Label(rng.IntN(2))
		}
		labels[0], labels[1] = 0, 1
		want := ROCAUC(scores, labels).V
		share, std := PartialAUC(scores, labels, 1)
		if math.Abs(share.V-want) > 1e-12 || math.Abs(std.V-want) > 1e-12 {
			t.Fatalf("partial AUC is %v (%v), the AUC %v", share.V, std.V, want)
		}
	}
}

func TestLossesOfCertainScores(t *testing.T) {
	labels := []dataset.Label{0, 1}
	if got := Brier([]float64{0, 1}, labels); got != (Value{OK: true}) {
		t.Errorf("Brier of right and certain scores is %+v", got)
	}
	if got := Brier([]float64{1, 0}, labels); got != (Value{V: 1, OK: true}) {
		t.Errorf("Brier of wrong and certain scores is %+v", got)
	}
	if got := LogLoss([]float64{1, 0}, labels, 1e-6); !got.OK || math.Abs(got.V+math.Log(1e-6)) > 1e-9 {
		t.Errorf("log loss of wrong and certain scores is %+v", got)
	}
	if got := LogLoss(nil, nil, 1e-6); got != (Value{Reason: NoRows}) {
		t.Errorf("log loss of nothing is %+v", got)
	}
}
