package stats

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// golden holds what SciPy and statsmodels say; tools/golden/stats.py writes it.
type golden struct {
	McNemar []struct {
		B, C int
		P    float64
	}
	PairedT []struct {
		Diffs        []float64
		T, P, Lo, Hi float64
	} `json:"paired_t"`
	Holm      []struct{ P, Corrected []float64 }
	TQuantile []struct {
		DF int
		Q  float64
	} `json:"t_quantile"`
	Wilcoxon []struct {
		N int
		P float64
	}
}

func readGolden(t *testing.T) golden {
	t.Helper()
	data, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.McNemar) == 0 || len(g.PairedT) == 0 || len(g.Holm) == 0 || len(g.TQuantile) == 0 || len(g.Wilcoxon) == 0 {
		t.Fatalf("testdata/scipy.json lacks a part: %+v", g)
	}
	return g
}

// near allows the last digits to differ: libraries sum their series in other orders.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(math.Abs(want), 1e-6) {
		t.Errorf("%s: %v, expected %v", what, got, want)
	}
}

func TestPairedTestsAreThoseOfSciPy(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.McNemar {
		near(t, "McNemar", McNemar(c.B, c.C), c.P)
	}
	for _, c := range g.PairedT {
		got, ok := PairedT(c.Diffs)
		if !ok {
			t.Fatalf("%v cannot be tested", c.Diffs)
		}
		near(t, "t", got.T, c.T)
		near(t, "p", got.P, c.P)
		near(t, "lower end", got.Lo, c.Lo)
		near(t, "upper end", got.Hi, c.Hi)
	}
	for _, c := range g.TQuantile {
		near(t, "quantile", TQuantile(c.DF), c.Q)
	}
	for _, c := range g.Wilcoxon {
		near(t, "Wilcoxon", WilcoxonFloor(c.N), c.P)
	}
}

func TestHolmIsThatOfStatsmodels(t *testing.T) {
	for _, c := range readGolden(t).Holm {
		for i, p := range Holm(c.P) {
			near(t, "corrected", p, c.Corrected[i])
		}
	}
}

func TestDifferencesThatCannotBeTested(t *testing.T) {
	for _, diffs := range [][]float64{nil, {0.3}, {0, 0, 0, 0, 0}} {
		if got, ok := PairedT(diffs); ok {
			t.Errorf("%v gives %+v", diffs, got)
		}
	}
	same, ok := PairedT([]float64{0.25, 0.25, 0.25})
	if !ok || !math.IsInf(same.T, 1) || same.P != 0 || same.Lo != 0.25 || same.Hi != 0.25 {
		t.Errorf("equal differences give %+v (%v), expected t infinite, p 0 and an interval of no width", same, ok)
	}
}
