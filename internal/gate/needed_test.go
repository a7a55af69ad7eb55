package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// measures are numbers of all kinds, undecided ones among them.
func measures() (of []Measure) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		n := math.Ceil(math.Exp(r.Float64()*8)) + 1
		if r.IntN(2) == 0 {
			n += r.Float64() // families
		}
		k := math.Floor(r.Float64() * r.Float64() * (n + 1))
		v := min(1, k/n)
		half := 2 * math.Sqrt(v*(1-v)/n)
		m := share(v, n, max(0, v-half*r.Float64()), min(1, v+half*r.Float64()))
		m.N, m.Total = int(n)*3, int(n)*3
		switch r.IntN(4) {
		case 0:
			m.plain = false // F1 and such
		case 1:
			worse, better := math.Floor(r.Float64()*min(12, n/2))/n, math.Floor(r.Float64()*min(12, n/2))/n
			d := worse - better
			m = Measure{Value: &d, Lo: new(d - half), Hi: new(d + half), Effective: n, N: int(n) + 5, plain: true,
				change: &change{worse, better}}
		case 2:
			m.Seeds = 0.02 * r.Float64()
		}
		of = append(of, m)
	}
	return of
}

func TestTheNamedNumberOfGroupsDecidesAndOneFewerDoesNot(t *testing.T) {
	undecided, never := 0, 0
	r := rand.New(rand.NewPCG(3, 4))
	for i, m := range measures() {
		in, ok := m.at(m.Effective)
		if !ok {
			t.Fatalf("measure %d has no interval: %+v", i, m)
		}
		at := in.lo + (in.hi-in.lo)*r.Float64()
		for _, b := range []bound{{"max", at}, {"min", at}} {
			if b.edge(in) != Undecided {
				continue
			}
			undecided++
			needed, why := b.needed(&m)
			if needed == nil {
				never++
				if m.Seeds == 0 && math.Abs(*m.Value-at) > 1e-4 {
					t.Errorf("measure %d, %+v: %s, though seeds add nothing", i, b, why)
				}
				continue
			}
			with := func(n int) Verdict { in, _ := m.at(float64(n)); return b.edge(in) }
			if with(needed.Groups) != needed.Verdict || needed.Verdict != b.on(*m.Value) {
				t.Errorf("measure %d, %+v: %d groups give %s, promised is %s", i, b, needed.Groups, with(needed.Groups), needed.Verdict)
			}
			if needed.Groups > 1 && with(needed.Groups-1) == needed.Verdict {
				t.Errorf("measure %d, %+v: %d groups are enough", i, b, needed.Groups-1)
			}
			if groups := float64(needed.Rows) / float64(m.N) * m.Effective; groups < float64(needed.Groups)-1e-6 {
				t.Errorf("measure %d, %+v: %d rows are %v groups, fewer than %d", i, b, needed.Rows, groups, needed.Groups)
			}
		}
	}
	if undecided < 3000 || never == 0 || never > undecided/4 {
		t.Errorf("of %d undecided ones %d are never decided", undecided, never)
	}
}

func TestNoNumberOfRowsDecides(t *testing.T) {
	at := share(0.2, 100, 0.1, 0.3)
	seeds := at
	seeds.Seeds = 0.1
	for _, tt := range []struct {
		name string
		m    Measure
		b    bound
		want string
	}{
		{"at the bound itself", at, bound{"max", 0.2}, "the number is the bound itself"},
		{"where seeds spread beyond the bound", seeds, bound{"max", 0.25}, "the seeds alone spread further"},
	} {
		if needed, why := tt.b.needed(&tt.m); needed != nil || !strings.Contains(why, tt.want) {
			t.Errorf("%s: %+v, %q", tt.name, needed, why)
		}
	}
	if needed, why := (bound{"max", 0.35}).needed(&seeds); needed == nil {
		t.Errorf("seeds that spread less than to the bound: %s", why)
	}
}

// judged builds results of benign rows, the first alarms of which are flagged, and judges their false-alarm rate. Rows
// come in families of the given size.
func judged(t *testing.T, rows, alarms, family int, most float64) Item {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("text,label,family_id\n")
	outcomes := make([]results.Outcome, rows)
	for i := range rows {
		fmt.Fprintf(&csv, "text %d,0,f%d\n", i, i/family)
		if i < alarms {
			outcomes[i].Score = 1
		}
	}
	data, err := dataset.ReadBytes("quiet.csv", []byte(csv.String()), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := threshold.Parse("fixed:0.5")
	if err != nil {
		t.Fatal(err)
	}
	in := results.Input{Edition: "open", Policies: []threshold.Policy{policy},
		Splits: []results.Split{{Spec: dataset.SplitSpec{Name: "quiet", Axis: dataset.HardBenign}, Data: data}},
		Detectors: []results.Detector{{ID: "d", Seeds: []results.Seed{{
			Outcomes: map[string][]results.Outcome{"quiet": outcomes}}}}}}
	r := results.Build(in)
	r.Resample(&in, nil)
	c := config(t, limit(fmt.Sprintf("metric: fpr, axis: hard_benign, policy: fixed:0.5, max: %g", most)))
	return c.Judge(0, "quiet", c.Limits[0].FromCell(c.Limits[0].Cell(r, "quiet"), false), false)
}

func TestTwoHundredAndNinetyNineRowsWithoutAFalseAlarmShowOnePerCent(t *testing.T) {
	if it := judged(t, 299, 0, 1, 0.01); it.Verdict != Pass {
		t.Errorf("299 rows: %+v", it)
	}
	it := judged(t, 298, 0, 1, 0.01)
	if it.Verdict != Undecided || *it.Needed != (Needed{Pass, 299, 299}) {
		t.Errorf("298 rows: %+v", it)
	}
	if want := "299 benign rows with the same result would show that it holds, here are 298"; !strings.Contains(it.Why, want) {
		t.Errorf("%q does not say %q", it.Why, want)
	}
	it = judged(t, 400, 0, 2, 0.01)
	if it.Verdict != Undecided || *it.Needed != (Needed{Pass, 299, 598}) {
		t.Errorf("400 rows in families of two: %+v", it)
	}
	if want := "598 benign rows like these, worth 299 groups of equal size, "; !strings.Contains(it.Why, want) {
		t.Errorf("%q does not say %q", it.Why, want)
	}
	if it := judged(t, 598, 0, 2, 0.01); it.Verdict != Pass {
		t.Errorf("598 rows in families of two: %+v", it)
	}
}

func TestAFalseAlarmNeedsMoreRowsThanNone(t *testing.T) {
	if it := judged(t, 300, 1, 1, 0.01); it.Verdict != Undecided || !strings.Contains(it.Interval, "exact") {
		t.Errorf("one false alarm in 300 rows: %+v", it)
	}
}

// TestTheNamedNumberOfRowsDecides judges the same share again on as many rows as were named. Resampled intervals narrow
// as they are taken to but for chance, hence the tenth more.
func TestTheNamedNumberOfRowsDecides(t *testing.T) {
	for _, tt := range []struct {
		rows, alarms, family int
		limit                float64
		want                 Verdict
	}{
		{300, 30, 1, 0.12, Pass},
		{300, 30, 1, 0.08, Broken},
		{300, 4, 1, 0.02, Pass},
		{400, 40, 4, 0.15, Pass},
		{200, 200, 1, 0.99, Broken},
	} {
		first := judged(t, tt.rows, tt.alarms, tt.family, tt.limit)
		if first.Verdict != Undecided || first.Needed == nil || first.Needed.Verdict != tt.want {
			t.Errorf("%+v: %+v", tt, first)
			continue
		}
		times := float64(first.Needed.Rows) * 1.1 / float64(tt.rows)
		again := judged(t, int(times*float64(tt.rows)), int(math.Round(times*float64(tt.alarms))), tt.family, tt.limit)
		if again.Verdict != tt.want {
			t.Errorf("%+v: on %d rows, named were %d: %+v", tt, again.N, first.Needed.Rows, again)
		}
	}
}
