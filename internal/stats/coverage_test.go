package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// coverage draws families of mixed size, each with a share of errors of its own around 0.3, and returns how often the
// 95 % interval of the share of rows in error holds the true one, and the mean effective number of families.
func coverage(families, trials int) (share, effective float64) {
	numbers := rand.New(rand.NewPCG(uint64(families), 99))
	held := 0
	for range trials {
		var names []string
		var wrong []int
		for f := range families {
			rate := 0.3
			if f%2 == 0 { // every other family is right or wrong as a whole, seven in ten right
				rate = float64(int(numbers.Float64() + 0.3))
			}
			for range 1 + numbers.IntN(8) {
				names = append(names, fmt.Sprint(f))
				wrong = append(wrong, int(numbers.Float64()+rate))
			}
		}
		groups := NewGroups(names)
		d := groups.Draw("coverage")
		lo, hi := Percentile(Shares(d.Totals(wrong)[0], d.Rows))
		if lo <= 0.3 && 0.3 <= hi {
			held++
		}
		effective += groups.Effective() / float64(trials)
	}
	return float64(held) / float64(trials), effective
}

// TestIntervalsHoldTheTruthAsOftenAsTheySay allows three standard errors of the simulation beyond 0.93 to 0.97; with
// fewer effective groups than cells ask for without a doubt, coverage is too low, which the doubt says.
func TestIntervalsHoldTheTruthAsOftenAsTheySay(t *testing.T) {
	for _, tt := range []struct {
		families, trials int
		low, high        float64
	}{
		{8, 400, 0.75, 0.93},
		{12, 400, 0.80, 0.94},
		{38, 400, 0.90, 0.99},
		{150, 200, 0.90, 0.99},
	} {
		share, effective := coverage(tt.families, tt.trials)
		t.Logf("%d families, worth %.1f of equal size: %.3f", tt.families, effective, share)
		if share < tt.low || share > tt.high {
			t.Errorf("with %d families intervals hold the truth in %.3f of %d trials, expected %.2f to %.2f", tt.families, share,
				tt.trials, tt.low, tt.high)
		}
	}
}
