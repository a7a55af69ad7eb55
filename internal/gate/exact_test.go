package gate

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

var update = flag.Bool("update", false, "write the numbers of docs/gate.md")

type golden struct {
	Intervals []struct{ K, N, Lo, Hi float64 }
	None      []struct{ N, Hi float64 }
	Fewest    []struct {
		Bound float64
		N     int
	}
}

func goldenFile(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/exact.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil || len(g.Intervals) == 0 || len(g.None) == 0 || len(g.Fewest) == 0 {
		t.Fatalf("%v: %+v", err, g)
	}
	return g
}

func TestExactIntervalsAreThoseOfSciPy(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9+1e-6*math.Abs(b) }
	g := goldenFile(t)
	for _, c := range g.Intervals {
		if lo, hi := lower(c.K, c.N), upper(c.K, c.N); !near(lo, c.Lo) || !near(hi, c.Hi) {
			t.Errorf("%v of %v: %v to %v, expected %v to %v", c.K, c.N, lo, hi, c.Lo, c.Hi)
		}
	}
	for _, c := range g.None {
		if hi := none(c.N); !near(hi, c.Hi) {
			t.Errorf("none of %v: %v, expected %v", c.N, hi, c.Hi)
		}
	}
}

func TestAllOrNoneOfTheRowsEndAnIntervalExactly(t *testing.T) {
	for _, n := range []float64{1, 2, 2.5, 300} {
		if lo, hi := lower(0, n), upper(n, n); lo != 0 || hi != 1 {
			t.Errorf("of %v rows: from %v, to %v", n, lo, hi)
		}
	}
}

// share is a measure of a share of n rows that stand for themselves, as results would give it.
func share(value, n, lo, hi float64) Measure {
	return Measure{Value: &value, Lo: &lo, Hi: &hi, Method: "resampled", Effective: n, Groups: int(n), N: int(n),
		Total: int(n), plain: true}
}

func TestTheFewestRowsWithoutAFalseAlarmAreThoseFoundByTrying(t *testing.T) {
	for _, c := range goldenFile(t).Fewest {
		m := share(0, 2, 0, 0.7)
		needed, never := bound{"max", c.Bound}.needed(&m)
		if needed == nil {
			t.Errorf("bound %v: %s", c.Bound, never)
		} else if *needed != (Needed{Pass, c.N, c.N}) {
			t.Errorf("bound %v: %+v, expected %d", c.Bound, *needed, c.N)
		}
	}
}

// TestTheGatePageShowsHowManyRowsDecide compares its table with the formula.
func TestTheGatePageShowsHowManyRowsDecide(t *testing.T) {
	var heads, rows strings.Builder
	for _, p := range []float64{0.1, 0.05, 0.02, 0.01, 0.005, 0.001} {
		m := share(0, 2, 0, 0.7)
		needed, never := bound{"max", p}.needed(&m)
		if needed == nil {
			t.Fatal(never)
		}
		fmt.Fprintf(&heads, " %g %% |", 100*p)
		fmt.Fprintf(&rows, " %d |", needed.Rows)
	}
	want := "\n| limit |" + heads.String() + "\n|---|" + strings.Repeat("---:|", 6) +
		"\n| rows without a false alarm |" + rows.String() + "\n\n"
	const page = "docs/gate.md"
	if *update {
		testenv.SetRegion(t, page, "fewest", want)
	} else if got := testenv.Region(t, page, "fewest"); got != want {
		t.Errorf("%s shows%sexpected is%s(run the test with -update)", page, got, want)
	}
}
