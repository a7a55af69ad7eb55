package slicing

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestFormulasAreThoseOfSciPy compares with testdata/scipy.json, which tools/golden/slicing.py writes.
func TestFormulasAreThoseOfSciPy(t *testing.T) {
	data, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Wilson []struct {
			P      float64
			N, K   int
			Lo, Hi float64
		}
		Reach []struct {
			C     float64
			M     int
			Reach float64
		}
		Correlation []struct {
			X, Y []int
			R    float64
		}
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Wilson) == 0 || len(g.Reach) == 0 || len(g.Correlation) == 0 {
		t.Fatal("testdata/scipy.json lacks a part")
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-8*max(1, math.Abs(want)) {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	for _, c := range g.Wilson {
		lo, hi := wilson(c.P, c.N, c.K)
		near("Wilson's lower end", lo, c.Lo)
		near("Wilson's upper end", hi, c.Hi)
	}
	for _, c := range g.Reach {
		near("reach", reach(c.C, c.M), c.Reach)
	}
	for _, c := range g.Correlation {
		var sums [6]float64
		for i, x := range c.X {
			y := c.Y[i]
			for k, v := range []int{1, x, y, x * x, y * y, x * y} {
				sums[k] += float64(v)
			}
		}
		near("correlation", pearson(sums[:]), c.R)
	}
}
