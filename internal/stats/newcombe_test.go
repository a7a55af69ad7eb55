package stats

import (
	"math"
	"testing"
)

// These are the examples (a) to (h) of the paper's table II, to the four digits printed there.
func TestNewcombeIsThatOfThePaper(t *testing.T) {
	for _, c := range []struct {
		k1, n1, k2, n2 int
		lo, hi         float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.1705, 0.8090},
		{6, 7, 2, 7, 0.0582, 0.8062},
		{5, 56, 0, 29, -0.0381, 0.1926},
		{0, 10, 0, 20, -0.1611, 0.2775},
		{0, 10, 0, 10, -0.2775, 0.2775},
		{10, 10, 0, 20, 0.6791, 1},
		{10, 10, 0, 10, 0.6075, 1},
	} {
		lo, hi := Newcombe(c.k1, c.n1, c.k2, c.n2)
		if math.Abs(lo-c.lo) > 0.00005 || math.Abs(hi-c.hi) > 0.00005 {
			t.Errorf("%d/%d - %d/%d: %.4f to %.4f, expected %.4f to %.4f", c.k1, c.n1, c.k2, c.n2, lo, hi, c.lo, c.hi)
		}
	}
}

func TestNewcombeTurnsWithItsArguments(t *testing.T) {
	for k1 := range 8 {
		for k2 := range 12 {
			lo, hi := Newcombe(k1, 7, k2, 11)
			back, forth := Newcombe(k2, 11, k1, 7)
			d := float64(k1)/7 - float64(k2)/11
			if lo != -forth || hi != -back || !(lo <= d && d <= hi) || lo < -1 || hi > 1 {
				t.Errorf("%d/7 - %d/11: %v to %v around %v, turned %v to %v", k1, k2, lo, hi, d, back, forth)
			}
		}
	}
}
