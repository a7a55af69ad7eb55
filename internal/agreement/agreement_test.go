package agreement

import (
	"math"
	"math/rand/v2"
	"testing"

	"pidsbench/internal/stats"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// TestWorkedExamples checks values worked out by hand from the formulas, to the digits shown. The first table is the
// psychiatric diagnoses of Fleiss (1981), whose kappa is 0.676; the second is Gwet's example (2002) in which 94 %
// agree, kappa is negative and AC1 is 0.941.
func TestWorkedExamples(t *testing.T) {
	for _, tt := range []struct {
		name                          string
		table                         Table
		percent, plo, phi             float64
		kappa, klo, khi, ac1, alo, ah float64
	}{
		// po = 89/100; pe = .8·.8 + .1·.05 + .1·.15 = .66; kappa = .23/.34 = .67647. Variance:
		// (.295188 + .008044 - .214315)/(100·.34²) = .0076918, so the standard error is .0877, as published.
		{"Fleiss", Table{{75, 1, 4}, {5, 4, 1}, {0, 0, 10}}, .89, .81369, .93746, .67647, .50458, .84837, .86757, .79029,
			.94485},
		// π(1) = (123 + 120)/250 = .972; pe = 2·.972·.028 = .054432; AC1 = (.944 - .054432)/.945568 = .94078.
		{"Gwet", Table{{118, 5}, {2, 0}}, .944, .88891, .97261, -.02339, -.04747, .00069, .94078, .89559, .98597},
		// pe = .5·.25 + .5·.75 = .5; kappa = .5; variance (.16796875 + .03515625 - .0625)/(4·.25) = .375².
		{"one disagrees", Table{{1, 1}, {0, 2}}, .75, .30064, .95441, .5, -.23499, 1, .52941, -.45069, 1},
	} {
		p, k, a := tt.table.Percent(), tt.table.Kappa(), tt.table.AC1()
		for _, v := range []struct {
			what      string
			got, want float64
		}{{"percent", *p.Value, tt.percent}, {"percent lo", *p.Lo, tt.plo}, {"percent hi", *p.Hi, tt.phi},
			{"kappa", *k.Value, tt.kappa}, {"kappa lo", *k.Lo, tt.klo}, {"kappa hi", *k.Hi, tt.khi},
			{"AC1", *a.Value, tt.ac1}, {"AC1 lo", *a.Lo, tt.alo}, {"AC1 hi", *a.Hi, tt.ah}} {
			if !near(v.got, v.want, 6e-6) {
				t.Errorf("%s: %s %.5f, want %.5f", tt.name, v.what, v.got, v.want)
			}
		}
	}
}

func TestUndefinedIsSaidWithItsReason(t *testing.T) {
	empty := NewTable(2)
	for name, e := range map[string]Estimate{"percent": empty.Percent(), "kappa": empty.Kappa(), "AC1": empty.AC1(),
		"specific": empty.Specific(0)} {
		if e.Value != nil || e.Lo != nil || e.Reason == "" {
			t.Errorf("%s of no item: %+v", name, e)
		}
	}
	one := Table{{7, 0}, {0, 0}} // one category alone
	if k := one.Kappa(); k.Value != nil || k.Reason == "" {
		t.Errorf("kappa of one category: %+v", k)
	}
	if a := one.AC1(); a.Value == nil || *a.Value != 1 || a.Lo != nil || a.Reason == "" {
		t.Errorf("AC1 of one category: %+v, want 1 without an interval", a)
	}
	if s := one.Specific(1); s.Value != nil || s.Reason == "" {
		t.Errorf("specific agreement on an unused category: %+v", s)
	}
	if s := one.Specific(0); s.Value == nil || *s.Value != 1 {
		t.Errorf("specific agreement on the used category: %+v", s)
	}
	if p := one.Percent(); *p.Value != 1 || *p.Hi != 1 || !near(*p.Lo, .64567, 1e-5) {
		t.Errorf("percentage of one category: %v %v %v", *p.Value, *p.Lo, *p.Hi)
	}
	// One annotator answers alike throughout: kappa is 0, defined.
	if k := (Table{{3, 2}, {0, 0}}).Kappa(); k.Value == nil || !near(*k.Value, 0, 1e-12) {
		t.Errorf("kappa when one answers alike throughout: %+v", k)
	}
	if a := (Table{{0, 1}, {0, 0}}).AC1(); a.Value == nil || a.Lo != nil || a.Reason == "" {
		t.Errorf("AC1 of one item: %+v", a)
	}
}

// flat lists the cells; table is its inverse.
func flat(t Table) (p []float64) {
	for _, row := range t {
		for _, c := range row {
			p = append(p, float64(c)/float64(t.N()))
		}
	}
	return p
}

// coefficients computes kappa and AC1 from cell shares, as plainly as can be.
func coefficients(p []float64, q int) (kappa, ac1 float64) {
	var po, pk, pa float64
	for k := range q {
		var row, column float64
		for j := range q {
			row += p[k*q+j]
			column += p[j*q+k]
		}
		po += p[k*q+k]
		pk += row * column
		m := (row + column) / 2
		pa += m * (1 - m) / float64(q-1)
	}
	return (po - pk) / (1 - pk), (po - pa) / (1 - pa)
}

// TestIntervalsEqualTheDeltaMethod checks both variances against the one that the multinomial distribution of the cells
// gives by numerical differentiation.
func TestIntervalsEqualTheDeltaMethod(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	checked := 0
	for range 300 {
		q := 2 + rng.IntN(3)
		table := NewTable(q)
		for i := range q {
			for j := range q {
				table[i][j] = 1 + rng.IntN(30)
				if i == j {
					table[i][j] *= 1 + rng.IntN(10)
				}
			}
		}
		p, n := flat(table), float64(table.N())
		var mean, square [2]float64
		for i := range p {
			const h = 1e-6
			up, down := append([]float64{}, p...), append([]float64{}, p...)
			up[i] += h
			down[i] -= h
			ku, au := coefficients(up, q)
			kd, ad := coefficients(down, q)
			for c, g := range []float64{(ku - kd) / (2 * h), (au - ad) / (2 * h)} {
				mean[c] += p[i] * g
				square[c] += p[i] * g * g
			}
		}
		kappa, ac1 := coefficients(p, q)
		for c, tt := range []struct {
			name       string
			got        Estimate
			value      float64
			correction float64
		}{{"kappa", table.Kappa(), kappa, 1}, {"AC1", table.AC1(), ac1, n / (n - 1)}} {
			if !near(*tt.got.Value, tt.value, 1e-12) {
				t.Fatalf("%s of %v is %v, want %v", tt.name, table, *tt.got.Value, tt.value)
			}
			if *tt.got.Hi == 1 || *tt.got.Lo == -1 {
				continue
			}
			half := stats.Z * math.Sqrt((square[c]-mean[c]*mean[c])/n*tt.correction)
			if !near(*tt.got.Hi-*tt.got.Value, half, 1e-6) || !near(*tt.got.Value-*tt.got.Lo, half, 1e-6) {
				t.Fatalf("%s of %v: half width %v, want %v", tt.name, table, *tt.got.Hi-*tt.got.Value, half)
			}
			checked++
		}
	}
	if checked < 500 {
		t.Errorf("only %d intervals were checked", checked)
	}
}

func TestNothingDependsOnWhoIsFirstOrOnTheOrderOfCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for range 100 {
		q := 2 + rng.IntN(3)
		table, turned, permuted := NewTable(q), NewTable(q), NewTable(q)
		perm := rng.Perm(q)
		for i := range q {
			for j := range q {
				n := rng.IntN(9)
				table[i][j], turned[j][i], permuted[perm[i]][perm[j]] = n, n, n
			}
		}
		for _, other := range []Table{turned, permuted} {
			for _, pair := range [][2]Estimate{{table.Kappa(), other.Kappa()}, {table.AC1(), other.AC1()},
				{table.Percent(), other.Percent()}} {
				a, b := pair[0], pair[1]
				for _, v := range [][2]*float64{{a.Value, b.Value}, {a.Lo, b.Lo}, {a.Hi, b.Hi}} {
					if (v[0] == nil) != (v[1] == nil) || v[0] != nil && !near(*v[0], *v[1], 1e-12) {
						t.Fatalf("%v and %v: %+v, %+v", table, other, a, b)
					}
				}
			}
		}
	}
}

func TestBands(t *testing.T) {
	for value, want := range map[float64]string{-1: "poor", -.001: "poor", -1e-17: "slight", .6 + 1e-16: "moderate",
		0: "slight", .2: "slight", .21: "fair", .4: "fair",
		.41: "moderate", .6: "moderate", .61: "substantial", .8: "substantial", .81: "almost perfect", 1: "almost perfect"} {
		if got := Band(value); got != want {
			t.Errorf("Band(%v) = %s, want %s", value, got, want)
		}
	}
}
