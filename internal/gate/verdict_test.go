package gate

import (
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		b      bound
		value  float64
		lo, hi float64
		number Verdict
		edge   Verdict
	}{
		{"all below a max", bound{"max", 0.5}, 0.2, 0.1, 0.3, Pass, Pass},
		{"the upper end at a max", bound{"max", 0.3}, 0.2, 0.1, 0.3, Pass, Pass},
		{"a max between number and upper end", bound{"max", 0.25}, 0.2, 0.1, 0.3, Pass, Undecided},
		{"the number at a max", bound{"max", 0.2}, 0.2, 0.1, 0.3, Pass, Undecided},
		{"a max between lower end and number", bound{"max", 0.15}, 0.2, 0.1, 0.3, Broken, Undecided},
		{"the lower end at a max", bound{"max", 0.1}, 0.2, 0.1, 0.3, Broken, Undecided},
		{"all above a max", bound{"max", 0.05}, 0.2, 0.1, 0.3, Broken, Broken},
		{"all above a min", bound{"min", 0.05}, 0.2, 0.1, 0.3, Pass, Pass},
		{"the lower end at a min", bound{"min", 0.1}, 0.2, 0.1, 0.3, Pass, Pass},
		{"a min between lower end and number", bound{"min", 0.15}, 0.2, 0.1, 0.3, Pass, Undecided},
		{"the number at a min", bound{"min", 0.2}, 0.2, 0.1, 0.3, Pass, Undecided},
		{"the upper end at a min", bound{"min", 0.3}, 0.2, 0.1, 0.3, Broken, Undecided},
		{"all below a min", bound{"min", 0.5}, 0.2, 0.1, 0.3, Broken, Broken},
		{"better than the baseline", bound{"regression", 0}, -0.02, -0.03, -0.01, Pass, Pass},
		{"as good as the baseline", bound{"regression", 0}, 0, -0.01, 0.01, Pass, Undecided},
		{"but for rounding as much worse as may be", bound{"regression", 0.01}, 0.95 - 0.94, 0.95 - 0.94, 0.95 - 0.94,
			Pass, Pass},
		{"worse", bound{"regression", 0.01}, 0.03, 0.02, 0.04, Broken, Broken},
	} {
		if got := tt.b.on(tt.value); got != tt.number {
			t.Errorf("%s: on the value %s, expected %s", tt.name, got, tt.number)
		}
		if got := tt.b.edge(interval{lo: tt.lo, hi: tt.hi}); got != tt.edge {
			t.Errorf("%s: on the edge %s, expected %s", tt.name, got, tt.edge)
		}
	}
}

// config makes limits of YAML.
func config(t *testing.T, yaml string) *Config {
	t.Helper()
	c, err := load(t, yaml)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestALimitFailsWhereThereIsNothingToJudgeBy(t *testing.T) {
	c := config(t, `limits:
  - {id: edge, detector: d, metric: fpr, axis: iid, policy: fixed:0.5, max: 0.5}
  - {id: value, detector: d, metric: fpr, axis: iid, policy: fixed:0.5, on: value, max: 0.5}
`)
	good := share(0.1, 400, 0.05, 0.15)
	incomplete := good
	incomplete.Incomplete = "399 of 400 rows have a score"
	for name, tt := range map[string]struct {
		m    Measure
		want string
	}{
		"a number":           {good, "pass "},
		"no number":          {Measure{Reason: "not scored"}, "no_data no data: not scored"},
		"an incomplete cell": {incomplete, "no_data incomplete: 399 of 400 rows have a score"},
		"neither":            {Measure{Reason: "not scored", Incomplete: "0 of 4 rows"}, "no_data no data: not scored"},
	} {
		for i := range c.Limits {
			for _, allow := range []bool{false, true} {
				it := c.Judge(i, "test", tt.m, allow)
				if got := string(it.Verdict) + " " + it.Why; got != tt.want {
					t.Errorf("%s, %s: %q, expected %q", name, it.ID, got, tt.want)
				}
				if it.Fails != (it.Verdict == NoData) {
					t.Errorf("%s, %s: it fails: %v", name, it.ID, it.Fails)
				}
			}
		}
	}
}

func TestUndecidedFailsUnlessItIsAllowed(t *testing.T) {
	c := config(t, "limits:\n  - {id: x, detector: d, metric: recall, axis: iid, policy: fixed:0.5, min: 0.9}\n")
	m := share(0.92, 400, 0.89, 0.95)
	for _, allow := range []bool{false, true} {
		it := c.Judge(0, "test", m, allow)
		if it.Verdict != Undecided || it.Fails == allow || it.Needed == nil || it.Needed.Verdict != Pass {
			t.Errorf("allowed %v: %+v", allow, it)
		}
		r := Report{Config: "g.yaml", Limits: []Item{it}}
		r.Sum()
		if err := r.Broke(); (err == nil) != allow || r.Passed != allow || r.Counts[Undecided] != 1 {
			t.Errorf("allowed %v: %v, %+v", allow, err, r)
		}
	}
}

func TestWithoutAnIntervalALimitOnAnEdgeIsUndecidedAndSaysWhy(t *testing.T) {
	c := config(t, "limits:\n  - {id: x, detector: d, metric: f1, axis: iid, policy: fixed:0.5, min: 0.9}\n")
	one := 1.0
	it := c.Judge(0, "test", Measure{Value: &one, NoInterval: "every resample gives 1"}, false)
	const want = "there is no interval: every resample gives 1"
	if it.Verdict != Undecided || it.Needed != nil || !strings.Contains(it.Why, want) {
		t.Errorf("%+v", it)
	}
}
