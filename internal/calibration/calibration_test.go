package calibration

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// golden holds what scikit-learn and SciPy say; tools/golden/calibration.py writes it.
type golden struct {
	Clip  float64
	Bins  int
	Probe []float64
	Cases []struct {
		Name          string
		Scores        []float64
		Labels        []dataset.Label
		Brier         *float64
		LogLoss       *float64 `json:"log_loss"`
		Count         []int
		Share, Mean   []float64 // of the bins that have rows
		ECE           *float64
		ConfidenceECE *float64 `json:"confidence_ece"`
		Isotonic      []float64
		Temperature   *float64
		Slope         *float64
		Intercept     *float64
		Platt         []float64
	}
}

func readGolden(t *testing.T) golden {
	t.Helper()
	data, err := os.ReadFile("testdata/calibration.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Cases) < 25 || g.Clip != Clip || g.Bins != Bins || len(g.Probe) == 0 {
		t.Fatalf("%d cases, clip %v, %d bins, %d probes", len(g.Cases), g.Clip, g.Bins, len(g.Probe))
	}
	return g
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func nearValue(t *testing.T, what string, got metrics.Value, want *float64) {
	t.Helper()
	switch {
	case want == nil && (got.OK || got.Reason == ""):
		t.Errorf("%s is %+v, want undefined with a reason", what, got)
	case want != nil && !got.OK:
		t.Errorf("%s is undefined: %s, want %v", what, got.Reason, *want)
	case want != nil:
		near(t, what, got.V, *want, 1e-12)
	}
}

func TestErrorsOfCalibrationAreThoseOfScikitLearn(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Cases {
		t.Run(c.Name, func(t *testing.T) {
			nearValue(t, "Brier", metrics.Brier(c.Scores, c.Labels), c.Brier)
			nearValue(t, "log loss", metrics.LogLoss(c.Scores, c.Labels, Clip), c.LogLoss)
			nearValue(t, "ECE", ECE(c.Scores, c.Labels, Bins), c.ECE)
			nearValue(t, "ECE of confidence", ConfidenceECE(c.Scores, c.Labels, Bins), c.ConfidenceECE)
			filled := 0
			for i, b := range Reliability(c.Scores, c.Labels, Bins) {
				if c.Count != nil && b.N != c.Count[i] || c.Count == nil && b != (Bin{Lo: b.Lo, Hi: b.Hi}) {
					t.Fatalf("bin %d is %+v, scikit-learn counts %v", i, b, c.Count)
				}
				if b.N > 0 {
					near(t, "share", b.Share, c.Share[filled], 1e-12)
					near(t, "mean", b.Mean, c.Mean[filled], 1e-12)
					filled++
				}
			}
		})
	}
}

func TestFitsAreThoseOfScikitLearnAndSciPy(t *testing.T) {
	g := readGolden(t)
	fitted := 0
	for _, c := range g.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Temperature != nil {
				fitted++
				got, reason := Temperature(c.Scores, c.Labels)
				if reason != "" {
					t.Fatal(reason)
				}
				near(t, "temperature", got, *c.Temperature, 2e-7) // how far SciPy's search stops before an end
			}
			steps, reason := Isotonic(c.Scores, c.Labels)
			if (reason == "") != (c.Isotonic != nil) {
				t.Fatalf("isotonic fit: %q, scikit-learn says %v", reason, c.Isotonic)
			}
			for i, want := range c.Isotonic {
				near(t, "isotonic", steps.At(g.Probe[i]), want, 1e-12)
			}
			if c.Platt == nil {
				return
			}
			slope, intercept, reason := Platt(c.Scores, c.Labels)
			if reason != "" {
				t.Fatal(reason)
			}
			near(t, "slope", slope, *c.Slope, 1e-5)
			near(t, "intercept", intercept, *c.Intercept, 1e-5)
			for i, want := range c.Platt {
				near(t, "Platt", Platted(slope, intercept)(g.Probe[i]), want, 1e-5)
			}
		})
	}
	if fitted < 15 {
		t.Errorf("only %d fits are compared", fitted)
	}
}

func TestFitsOfDegenerateScores(t *testing.T) {
	for _, c := range []struct {
		name                         string
		scores                       []float64
		labels                       []dataset.Label
		temperature, platt, isotonic bool // whether there is a fit
	}{
		{"no rows", nil, nil, false, false, false},
		{"benign rows alone", []float64{0.1, 0.9}, []dataset.Label{0, 0}, false, false, false},
		{"injection rows alone", []float64{0.1, 0.9}, []dataset.Label{1, 1}, false, false, false},
		{"classes apart", []float64{0.1, 0.2, 0.9}, []dataset.Label{0, 0, 1}, true, false, true},
		{"classes apart the wrong way", []float64{0.9, 0.8, 0.1}, []dataset.Label{0, 0, 1}, true, false, true},
		{"classes apart but for a tie", []float64{0, 0, 0, 1}, []dataset.Label{0, 0, 1, 1}, true, false, true},
		{"all equal", []float64{0.3, 0.3, 0.3, 0.3}, []dataset.Label{0, 1, 0, 0}, true, true, true},
		{"all one half", []float64{0.5, 0.5}, []dataset.Label{0, 1}, true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			temperature, reason1 := Temperature(c.scores, c.labels)
			slope, intercept, reason2 := Platt(c.scores, c.labels)
			steps, reason3 := Isotonic(c.scores, c.labels)
			if (reason1 == "") != c.temperature || (reason2 == "") != c.platt || (reason3 == "") != c.isotonic {
				t.Fatalf("reasons are %q, %q, %q", reason1, reason2, reason3)
			}
			share := 0.0
			for _, l := range c.labels {
				share += float64(l) / float64(len(c.labels))
			}
			if c.temperature && !(temperature >= Coldest && temperature <= Hottest) {
				t.Errorf("temperature is %v", temperature)
			}
			if c.platt {
				near(t, "Platt of all equal", Platted(slope, intercept)(c.scores[0]), share, 1e-9)
				near(t, "isotonic of all equal", steps.At(c.scores[0]), share, 1e-9)
			}
		})
	}
	if got, _ := Temperature([]float64{0.5, 0.5}, []dataset.Label{0, 1}); got != 1 {
		t.Errorf("scores of one half have the temperature %v, want 1", got)
	}
}

func TestTemperatureNeverChangesADecisionAtOneHalfAndIsotonicNeverAnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 5 + rng.IntN(100)
		scores, labels := make([]float64, n), make([]dataset.Label, n)
		for i := range n {
			scores[i], labels[i] = rng.Float64(), dataset.Label(rng.IntN(2))
		}
		labels[0], labels[1] = 0, 1
		temperature, _ := Temperature(scores, labels)
		steps, _ := Isotonic(scores, labels)
		raw := metrics.Brier(scores, labels).V
		mapped := make([]float64, n)
		for i, s := range scores {
			if (Tempered(temperature)(s) >= 0.5) != (s >= 0.5) {
				t.Fatalf("temperature %v changes the decision on %v", temperature, s)
			}
			mapped[i] = steps.At(s)
			for _, other := range scores {
				if other < s && steps.At(other) > mapped[i] {
					t.Fatalf("the isotonic curve falls between %v and %v", other, s)
				}
			}
		}
		if got := metrics.Brier(mapped, labels).V; got > raw+1e-12 {
			t.Fatalf("the isotonic fit is worse than the scores it was made of: %v, raw %v", got, raw)
		}
	}
}
