package slicing

import (
	"fmt"
	"math"
	"testing"

	"pidsbench/internal/draw"
)

// family is a group of rows of one slice.
type family struct{ errors, rows int }

// population draws slices of families of 1 to 5 rows whose rows err alike more often than not.
func population(numbers draw.Stream, rates []float64, families int) [][]family {
	out := make([][]family, len(rates))
	for j, rate := range rates {
		for range families {
			f := family{rows: 1 + numbers.Below(5)}
			first := numbers.Below(1_000_000) < int(rate*1e6)
			for range f.rows {
				errs := first
				if numbers.Chance(500) {
					errs = numbers.Below(1_000_000) < int(rate*1e6)
				}
				if errs {
					f.errors++
				}
			}
			out[j] = append(out[j], f)
		}
	}
	return out
}

// resampled returns the rates of the slices, and those of resamples of their families.
func resampled(numbers draw.Stream, of [][]family, resamples int) (rates []float64, drawn [][]float64, groups []int) {
	for _, families := range of {
		one := func(pick func(i int) family) float64 {
			var sum family
			for i := range families {
				f := pick(i)
				sum.errors += f.errors
				sum.rows += f.rows
			}
			return float64(sum.errors) / float64(sum.rows)
		}
		rates = append(rates, one(func(i int) family { return families[i] }))
		values := make([]float64, resamples)
		for b := range values {
			values[b] = one(func(int) family { return families[numbers.Below(len(families))] })
		}
		drawn, groups = append(drawn, values), append(groups, len(families))
	}
	return rates, drawn, groups
}

func TestTheBandHoldsAllRatesAtOnce(t *testing.T) {
	const samples, resamples = 400, 400
	for _, tt := range []struct {
		families int
		rates    []float64
	}{
		{60, []float64{0.5, 0.4, 0.3, 0.2, 0.3, 0.1, 0.6, 0.2}},
		{60, []float64{0.3, 0.3}},
		{25, []float64{0.2, 0.3, 0.4, 0.5}},
	} {
		all, one := 0, 0
		for s := range samples {
			numbers := draw.New(1, "band", fmt.Sprint(s))
			rates, drawn, groups := resampled(numbers, population(numbers, tt.rates, tt.families), resamples)
			lo, hi := Band(rates, drawn, groups)
			held := 0
			for j, rate := range tt.rates {
				if lo[j] <= rate && rate <= hi[j] {
					held++
				}
			}
			if held == len(tt.rates) {
				all++
			}
			if lo[0] <= tt.rates[0] && tt.rates[0] <= hi[0] {
				one++
			}
		}
		t.Logf("%d families, %d slices: all %.3f, the first %.3f", tt.families, len(tt.rates), float64(all)/samples,
			float64(one)/samples)
		if share := float64(all) / samples; share < 0.92 || share > 0.985 {
			t.Errorf("%d families in each of %d slices: all rates are in the band in %.3f of the samples, expected 0.95",
				tt.families, len(tt.rates), share)
		}
	}
}

func TestABandWithoutSpreadIsWilsonsForSoManyGroups(t *testing.T) {
	flat := func(v float64) []float64 { return []float64{v, v, v, v} }
	lo, hi := Band([]float64{0, 1}, [][]float64{flat(0), flat(1)}, []int{20, 20})
	// z is the 0.9875 quantile of the normal distribution: z²/(n+z²) with n = 20.
	const z = 2.241402727604947
	want := z * z / (20 + z*z)
	if lo[0] != 0 || math.Abs(hi[0]-want) > 1e-12 || hi[1] != 1 || math.Abs(lo[1]-(1-want)) > 1e-12 {
		t.Errorf("bands %v to %v, expected ends at %v and %v", lo, hi, want, 1-want)
	}
	if lo, hi := Band(nil, nil, nil); len(lo) != 0 || len(hi) != 0 {
		t.Errorf("no slice has the band %v to %v", lo, hi)
	}
}

func TestOneSliceHasTheBandOfItsOwnSpread(t *testing.T) {
	// g is 0.2 off in 190 of 200 resamples and 0.5 in the others, to both sides: its 95 % quantile is 0.2.
	values := make([]float64, 200)
	for i := range values {
		off := 0.2
		if i >= 190 {
			off = 0.5
		}
		values[i] = share(math.Pi/4 + off*float64(1-i%2*2))
	}
	lo, hi := Band([]float64{0.5}, [][]float64{values}, []int{10})
	spread := math.Sqrt((190*0.04 + 10*0.25) / 199)
	// SciPy: t.isf(norm.sf(0.2/spread), 9) is 0.9340…
	half := spread * 0.9340283679518762 * math.Sqrt(10.0/9)
	if math.Abs(lo[0]-share(math.Pi/4-half)) > 1e-9 || math.Abs(hi[0]-share(math.Pi/4+half)) > 1e-9 {
		t.Errorf("band %v to %v, expected %v to %v", lo[0], hi[0], share(math.Pi/4-half), share(math.Pi/4+half))
	}
}

func TestAResampleWithoutASliceDoesNotCountForIt(t *testing.T) {
	a, b := []float64{0.1, 0.2, 0.3, 0.2}, []float64{0.1, math.NaN(), 0.3, 0.2}
	lo, hi := Band([]float64{0.2, 0.2}, [][]float64{a, b}, []int{5, 5})
	for j := range lo {
		if !(0 <= lo[j] && lo[j] < 0.2 && 0.2 < hi[j] && hi[j] <= 1) {
			t.Errorf("slice %d has the band %v to %v", j, lo[j], hi[j])
		}
	}
}
