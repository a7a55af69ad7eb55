package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pidsbench/internal/draw"
)

// shares returns the mean of each series in each sample.
func shares(g *Groups, stream string, series ...[]int) [][]float64 {
	draws := g.Draw(stream)
	out := draws.Totals(series...)
	for s := range out {
		out[s] = Shares(out[s], draws.Rows)
	}
	return out
}

func repeat[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func TestIntervalOfIndependentRowsIsTheBinomialOne(t *testing.T) {
	const n, k = 1000, 300
	values := repeat(n, func(i int) int {
		if i < k {
			return 1
		}
		return 0
	})
	lo, hi := Percentile(shares(NewGroups(make([]string, n)), "rows", values)[0])
	half := Z * math.Sqrt(0.3*0.7/n)
	if math.Abs(lo-(0.3-half)) > 0.003 || math.Abs(hi-(0.3+half)) > 0.003 {
		t.Errorf("interval is %.4f to %.4f, expected about %.4f to %.4f", lo, hi, 0.3-half, 0.3+half)
	}
}

func TestRowsOfOneGroupCountAsOneObservation(t *testing.T) {
	// 100 groups of ten equal rows are as good as 100 rows, not 1,000.
	names := make([]string, 1000)
	values := make([]int, 1000)
	for i := range names {
		names[i] = fmt.Sprint(i / 10)
		if i/10 < 30 {
			values[i] = 1
		}
	}
	g := NewGroups(names)
	lo, hi := Percentile(shares(g, "groups", values)[0])
	half := Z * math.Sqrt(0.3*0.7/100)
	if g.Len() != 100 || math.Abs(g.Effective()-100) > 1e-9 || math.Abs((hi-lo)/2-half) > 0.01 {
		t.Errorf("%d groups, effective %.1f, half width %.3f, expected 100, 100, %.3f", g.Len(), g.Effective(), (hi-lo)/2, half)
	}
}

func TestSeriesSeeTheSameSamples(t *testing.T) {
	a := repeat(200, func(i int) int { return i % 3 })
	b := repeat(200, func(i int) int { return i%3 + 1 })
	g := NewGroups(make([]string, 200))
	out := shares(g, "pairs", a, b)
	if lo, hi := Percentile(Minus(out[1], out[0])); math.Abs(lo-1) > 1e-9 || math.Abs(hi-1) > 1e-9 {
		t.Errorf("a constant difference has the interval %v to %v, expected 1 to 1", lo, hi)
	}
	if !slices.Equal(out[0], shares(g, "pairs", a)[0]) {
		t.Error("the samples of a series depend on the other series")
	}
	if slices.Equal(out[0], shares(g, "others", a)[0]) {
		t.Error("two streams draw the same samples")
	}
}

// plain draws as Draw does and sums one row after the other.
func plain(names []string, stream string, values []int) []float64 {
	g := NewGroups(names)
	numbers := draw.New(0, "bootstrap", stream)
	out := make([]float64, Resamples)
	for b := range out {
		for range g.Len() {
			at := numbers.Below(g.Len())
			for row, of := range g.of {
				if of == at {
					out[b] += float64(values[row])
				}
			}
		}
	}
	return out
}

func TestTotalsAreSumsOverTheDrawnRows(t *testing.T) {
	names := []string{"a", "", "b", "a", "", "b", "b"}
	for _, most := range []int{1, 50_000, 5_000_000} { // four lanes a word, and two
		var series [][]int
		for s := range 7 {
			series = append(series, repeat(len(names), func(row int) int { return (s*5 + row*3) % 4 * most / 3 }))
		}
		got := NewGroups(names).Draw("sums").Totals(series...)
		for s := range series {
			if !slices.Equal(got[s], plain(names, "sums", series[s])) {
				t.Errorf("values to %d: the totals of series %d are others than those of a plain loop", most, s)
			}
		}
	}
}

func TestAUCOfASampleIsThatOfItsRows(t *testing.T) {
	names := []string{"a", "a", "b", "c", "c", "", ""}
	scores := []float64{0.2, 0.7, 0.7, 0.1, 0.9, 0.4, 0.7}
	injection := []bool{false, true, false, false, true, true, false}
	g := NewGroups(names)
	draws := g.Draw("auc")
	got := draws.AUC(scores, injection)
	undefined := 0
	for b := range 500 {
		var won, pairs float64
		for i, times := range g.of {
			for j, others := range g.of {
				if !injection[i] || injection[j] {
					continue
				}
				weight := float64(draws.times[b*g.Len()+times]) * float64(draws.times[b*g.Len()+others])
				pairs += weight
				switch {
				case scores[i] > scores[j]:
					won += weight
				case scores[i] == scores[j]:
					won += weight / 2
				}
			}
		}
		if pairs == 0 {
			undefined++
			if !math.IsNaN(got[b]) {
				t.Fatalf("sample %d lacks a class and has the AUC %v", b, got[b])
			}
			continue
		}
		if math.Abs(got[b]-won/pairs) > 1e-12 {
			t.Fatalf("sample %d: AUC %v, expected %v", b, got[b], won/pairs)
		}
	}
	if undefined == 500 {
		t.Error("no sample has both classes")
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
		var values []int
		for group := range 60 {
			p := uniform()
			for range 5 {
				names = append(names, fmt.Sprint(group))
				v := 0
				if uniform() < p {
					v = 1
				}
				values = append(values, v)
			}
		}
		lo, hi := Percentile(shares(NewGroups(names), fmt.Sprint(trial), values)[0])
		if lo <= 0.5 && 0.5 <= hi {
			held++
		}
	}
	if held < 180 || held > 199 {
		t.Errorf("%d of 200 intervals hold the true mean, expected about 190", held)
	}
}

func TestTotalsOfNothing(t *testing.T) {
	draws := NewGroups(nil).Draw("none")
	if got := draws.Totals([]int{}); len(got) != 1 || got[0][0] != 0 {
		t.Errorf("without rows the totals are %v", got)
	}
	if share := Shares(draws.Rows, draws.Rows)[0]; !math.IsNaN(share) {
		t.Errorf("a share of no rows is %v", share)
	}
	if got := NewGroups([]string{"a"}).Draw("none").Totals(); len(got) != 0 {
		t.Errorf("no series have the totals %v", got)
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

func TestQuantilesAreThoseOfTheSortedValues(t *testing.T) {
	numbers := draw.New(1, "quantiles", "")
	for n := 1; n < 400; n += 1 + n/7 {
		for _, most := range []int{1, 3, 1 << 40} { // all equal, many ties, none
			values := repeat(n, func(int) float64 { return float64(numbers.Below(most)) })
			sorted := slices.Sorted(slices.Values(values))
			for _, p := range []float64{0, 0.025, 0.5, 0.975, 1} {
				at := p * float64(n-1)
				i := int(at)
				want := sorted[i]
				if i+1 < n {
					want += (at - float64(i)) * (sorted[i+1] - sorted[i])
				}
				if got := quantile(slices.Clone(values), p); math.Abs(got-want) > 1e-9*math.Abs(want) {
					t.Errorf("quantile %v of %d values below %d is %v, expected %v", p, n, most, got, want)
				}
			}
		}
	}
}

// Ten detectors with five seeds each on a split like test, two counts a row.
func BenchmarkTotals(b *testing.B) {
	const rows = 3918
	draws := NewGroups(repeat(rows, func(i int) string { return fmt.Sprint(i * 2 / 3) })).Draw("benchmark")
	series := repeat(100, func(s int) []int { return repeat(rows, func(i int) int { return (i * s) % 7 / 6 }) })
	for b.Loop() {
		draws.Totals(series...)
	}
}

func BenchmarkAUC(b *testing.B) {
	const rows = 3918
	draws := NewGroups(repeat(rows, func(i int) string { return fmt.Sprint(i * 2 / 3) })).Draw("benchmark")
	scores := repeat(rows, func(i int) float64 { return float64(i*7919%rows) / rows })
	injection := repeat(rows, func(i int) bool { return i%2 == 0 })
	for b.Loop() {
		draws.AUC(scores, injection)
	}
}

func BenchmarkPercentile(b *testing.B) {
	values := repeat(Resamples, func(i int) float64 { return float64(i * 7919 % Resamples) })
	for b.Loop() {
		Percentile(values)
	}
}

func TestManyGroupsAreDrawnInBundles(t *testing.T) {
	n := 3 * mostGroups
	names, wrong := make([]string, n), make([]int, n)
	for i := range wrong {
		names[i] = fmt.Sprint(i)
		if i%10 == 0 {
			wrong[i] = 1
		}
	}
	d := NewGroups(names).Draw("many")
	lo, hi := Percentile(Shares(d.Totals(wrong)[0], d.Rows))
	half := Z * math.Sqrt(0.1*0.9/float64(n))
	if math.Abs((hi-lo)/2-half) > 0.1*half || math.Abs((hi+lo)/2-0.1) > 0.2*half {
		t.Errorf("the interval is [%v, %v], expected 0.1 ± %v", lo, hi, half)
	}
	if len(d.times) != Resamples*mostGroups {
		t.Errorf("the draws take %d bytes", len(d.times))
	}
}

func TestWhatIsDefinedIsKeptUnlessTooLittleOfItIs(t *testing.T) {
	values := make([]float64, 1000)
	for lost, want := range map[int]bool{0: true, 10: true, 11: false, 1000: false} {
		for i := range values {
			values[i] = 1
			if i < lost {
				values[i] = math.NaN()
			}
		}
		if kept, ok := Defined(values); ok != want || len(kept) != 1000-lost {
			t.Errorf("of 1000 values without %d: %d kept, %v", lost, len(kept), ok)
		}
	}
	if _, ok := Defined(nil); ok {
		t.Error("no values are enough")
	}
}
