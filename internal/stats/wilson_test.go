package stats

import (
	"math"
	"testing"
)

func TestWilsonIntervalsOfKnownCounts(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{
		{0, 10, 0, 0.27753}, {10, 10, 0.72247, 1}, {5, 10, 0.23659, 0.76341}, {1, 1, 0.20655, 1},
		{489, 1594, 0.28462, 0.32986},
	} {
		lo, hi := Wilson(c.k, c.n)
		if math.Abs(lo-c.lo) > 1e-5 || math.Abs(hi-c.hi) > 1e-5 {
			t.Errorf("Wilson(%d, %d) is %.5f to %.5f, expected %.5f to %.5f", c.k, c.n, lo, hi, c.lo, c.hi)
		}
	}
}

func TestWilsonEndsExactlyWhereNothingOrEverythingIsCounted(t *testing.T) {
	for n := 1; n < 2000; n++ {
		if lo, _ := Wilson(0, n); lo != 0 {
			t.Errorf("0 of %d: from %v", n, lo)
		}
		if _, hi := Wilson(n, n); hi != 1 {
			t.Errorf("%d of %d: to %v", n, n, hi)
		}
	}
}
