package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func shares(t *testing.T, g *Groups, stream string, series ...[]float64) [][]float64 {
	t.Helper()
	out, err := g.Shares(stream, series...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func repeat(n int, f func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func TestIntervalOfIndependentRowsIsTheBinomialOne(t *testing.T) {
	const n, k = 1000, 300
	values := repeat(n, func(i int) float64 {
		if i < k {
			return 1
		}
		return 0
	})
	lo, hi := Percentile(shares(t, NewGroups(make([]string, n)), "rows", values)[0])
	half := Z * math.Sqrt(0.3*0.7/n)
	if math.Abs(lo-(0.3-half)) > 0.003 || math.Abs(hi-(0.3+half)) > 0.003 {
		t.Errorf("interval is %.4f to %.4f, expected about %.4f to %.4f", lo, hi, 0.3-half, 0.3+half)
	}
}

func TestRowsOfOneGroupCountAsOneObservation(t *testing.T) {
	// 100 groups of ten equal rows are as good as 100 rows, not 1,000.
	names := make([]string, 1000)
	values := make([]float64, 1000)
	for i := range names {
		names[i] = fmt.Sprint(i / 10)
		if i/10 < 30 {
			values[i] = 1
		}
	}
	g := NewGroups(names)
	lo, hi := Percentile(shares(t, g, "groups", values)[0])
	half := Z * math.Sqrt(0.3*0.7/100)
	if g.Len() != 100 || math.Abs(g.Effective()-100) > 1e-9 || math.Abs((hi-lo)/2-half) > 0.01 {
		t.Errorf("%d groups, effective %.1f, half width %.3f, expected 100, 100, %.3f", g.Len(), g.Effective(), (hi-lo)/2, half)
	}
}

func TestSeriesSeeTheSameSamples(t *testing.T) {
	a := repeat(200, func(i int) float64 { return float64(i%3) / 2 })
	b := repeat(200, func(i int) float64 { return float64(i%3)/2 + 0.1 })
	g := NewGroups(make([]string, 200))
	out := shares(t, g, "pairs", a, b)
	lo, hi := Percentile(Minus(out[1], out[0]))
	if math.Abs(lo-0.1) > 1e-9 || math.Abs(hi-0.1) > 1e-9 {
		t.Errorf("a constant difference has the interval %v to %v, expected 0.1 to 0.1", lo, hi)
	}
	if !slices.Equal(out[0], shares(t, g, "pairs", a)[0]) {
		t.Error("the samples of a series depend on the other series")
	}
	if slices.Equal(out[0], shares(t, g, "others", a)[0]) {
		t.Error("two streams draw the same samples")
	}
}

func TestIntervalCoversTheTruthAboutAsOftenAsItSays(t *testing.T) {
	// 200 samples of 60 groups with a group effect: the share of intervals that hold the true mean.
	held := 0
	next := uint64(1)
	uniform := func() float64 { // xorshift: the samples must not come from the generator under test
		next ^= next << 13
		next ^= next >> 7
		next ^= next << 17
		return float64(next>>11) / (1 << 53)
	}
	for trial := range 200 {
		var names []string
		var values []float64
		for group := range 60 {
			p := uniform()
			for range 5 {
				names = append(names, fmt.Sprint(group))
				v := 0.0
				if uniform() < p {
					v = 1
				}
				values = append(values, v)
			}
		}
		lo, hi := Percentile(shares(t, NewGroups(names), fmt.Sprint(trial), values)[0])
		if lo <= 0.5 && 0.5 <= hi {
			held++
		}
	}
	if held < 180 || held > 199 {
		t.Errorf("%d of 200 intervals hold the true mean, expected about 190", held)
	}
}

func TestSharesRefusesWhatItCannotDraw(t *testing.T) {
	if _, err := NewGroups(nil).Shares("none"); err == nil {
		t.Error("no rows are accepted")
	}
	if _, err := NewGroups([]string{"a", "b"}).Shares("short", []float64{1}); err == nil {
		t.Error("a series with too few rows is accepted")
	}
}

func TestQuantilesAreInterpolated(t *testing.T) {
	values := repeat(101, func(i int) float64 { return float64(100 - i) })
	if lo, hi := Percentile(values); math.Abs(lo-2.5) > 1e-12 || math.Abs(hi-97.5) > 1e-12 {
		t.Errorf("quantiles are %v and %v, expected 2.5 and 97.5", lo, hi)
	}
	if lo, hi := Percentile([]float64{7}); lo != 7 || hi != 7 {
		t.Errorf("quantiles of one value are %v and %v", lo, hi)
	}
}

func BenchmarkShares(b *testing.B) {
	names := make([]string, 1472)
	for i := range names {
		names[i] = fmt.Sprint(i / 2)
	}
	g := NewGroups(names)
	values := repeat(len(names), func(i int) float64 { return float64(i % 2) })
	for b.Loop() {
		if _, err := g.Shares("benchmark", values, values, values, values); err != nil {
			b.Fatal(err)
		}
	}
}
