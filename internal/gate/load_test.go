package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/testenv"
	"pidsbench/internal/threshold"
)

func load(t *testing.T, yaml string) (*Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o666); err != nil {
		t.Fatal(err)
	}
	return Load(path, "g.yaml")
}

func TestALimitIsOnTheEdgeAtTheDetectorsOwnThresholdUnlessItSaysOtherwise(t *testing.T) {
	c := config(t, `limits:
  - {id: a, detector: d, metric: fpr, axis: iid, max: 0.1}
  - {id: b, detector: d, metric: fpr, split: s, slice: {kind: x}, policy: "fixed:0.50", on: value, regression: 0.1}
  - {id: c, detector: d, metric: roc_auc, axis: iid, min: 0.1}
`)
	for i, want := range []struct {
		on, policy, slice string
		b                 bound
	}{{OnEdge, "native", "all", bound{"max", 0.1}}, {OnValue, "fixed:0.5", "kind=x", bound{"regression", 0.1}},
		{OnEdge, "", "all", bound{"min", 0.1}}} {
		l := &c.Limits[i]
		if l.On != want.on || l.Policy != want.policy || l.SliceName() != want.slice || l.bound() != want.b {
			t.Errorf("limit %s: %+v", l.ID, l)
		}
	}
}

func TestMistakesInAFileOfLimitsNameTheLine(t *testing.T) {
	for name, tt := range map[string]struct{ yaml, want string }{
		"no limit":    {"limits: []\n", "g.yaml:1: there is no limit"},
		"no id":       {"limits:\n  - detector: d\n    metric: fpr\n", "g.yaml:2: a limit lacks field id"},
		"no detector": {"limits:\n  - id: x\n    detector: ' '\n    metric: fpr\n", "g.yaml:3: a limit lacks field detector"},
		"the same id": {limit("metric: fpr, axis: iid, max: 0.1") + "  - {id: a, detector: d, metric: fpr, axis: iid, max: 1}\n",
			"g.yaml:3: the id a stands twice"},
		"a hostile id": {strings.Replace(limit("metric: fpr, axis: iid, max: 0.1"), "id: a", `id: "a\e[2J"`, 1),
			`g.yaml:2: id is "a\x1b[2J"`},
	} {
		wantMistake(t, name, tt.yaml, tt.want)
	}
}

func TestFieldsThatMeanNothingAreMistakes(t *testing.T) {
	for fields, want := range map[string]string{
		"metric: recal, axis: iid, min: 0.1":                    `metric is "recal" (did you mean recall?)`,
		"metric: fpr, max: 0.1":                                 "says neither on which axis it is nor on which split",
		"metric: fpr, axis: iid, split: test, max: 0.1":         "an axis and on a split",
		"metric: fpr, axis: domain, max: 0.1":                   `axis is "domain" (did you mean domain_shift?)`,
		"metric: fpr, axis: iid, slice: {a: b, c: d}, max: 0.1": "slice has 2 names",
		"metric: fpr, axis: iid, policy: val_f2, max: 0.1":      `policy is "val_f2" (did you mean val_f1?)`,
		`metric: fpr, axis: iid, policy: "fixed:2", max: 0.1`:   `policy is "fixed:2", and there is no such policy`,
		"metric: roc_auc, axis: iid, policy: native, min: 0.1":  "roc_auc rests on no threshold",
		"metric: fpr, axis: iid, on: egde, max: 0.1":            `on is "egde" (did you mean edge?)`,
		"metric: fp, axis: iid, max: 3":                         "fp is a count and has no interval",
		"metric: fpr, axis: iid":                                "a limit has no bound",
		"metric: fpr, axis: iid, max: 0.1, min: 0.05":           "the bounds max and min",
		"metric: fpr, axis: iid, max: 5":                        "max is 5, expected a share from 0 to 1 (0.05 for 5 %)",
		"metric: fpr, axis: iid, max: .nan":                     "max is NaN, expected a share",
		"metric: fp, axis: iid, on: value, max: -1":             "max is -1, expected a number of rows",
		"metric: fp, axis: iid, on: value, max: .inf":           "max is +Inf, expected a number of rows",
		"metric: fp, axis: iid, on: value, regression: 1":       "fp is not compared with a baseline",
		"metric: fpr, axis: iid, max: 0":                        "no number of rows shows that fpr is exactly 0",
		"metric: recall, axis: iid, min: 1":                     "no number of rows shows that recall is exactly 1",
	} {
		wantMistake(t, fields, limit(fields), want)
	}
}

// limit is a file with one limit on a detector d.
func limit(fields string) string { return "limits:\n  - {id: a, detector: d, " + fields + "}\n" }

func wantMistake(t *testing.T, name, yaml, want string) {
	t.Helper()
	c, err := load(t, yaml)
	if err == nil {
		t.Errorf("%s: %+v is taken", name, c.Limits)
		return
	}
	testenv.WantFault(t, err, fault.Usage, "g.yaml:", want)
}

func place(t *testing.T, name string, axis dataset.Axis, csv string, slices map[string]string) results.Split {
	t.Helper()
	data, err := dataset.ReadBytes(name+".csv", []byte(csv), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	return results.Split{Spec: dataset.SplitSpec{Name: name, Axis: axis, Slices: slices}, Data: data}
}

func TestNamesThatExistNowhereAreMistakesAndThoseOfElsewhereAreNot(t *testing.T) {
	splits := []results.Split{
		place(t, "beside", dataset.HardBenign, "text,label\na,0\n", nil),
		place(t, "hard", dataset.HardBenign, "text,label,from\na,0,real\nb,0,curated\n", map[string]string{"provenance": "from"}),
		{Spec: dataset.SplitSpec{Name: "gone", Axis: dataset.DomainShift}, Data: &dataset.Split{Name: "gone"},
			Absent: "gone.csv is not here"},
	}
	splits[0].External = true
	for yaml, want := range map[string]string{
		"axis: hard_benign, slice: {provenance: real}": "hard",
		"split: beside":              "beside",
		"axis: domain_shift":         "gone.csv is not here",
		"axis: iid":                  "there is no split of the iid axis here",
		"split: only_in_another_one": "there is no split only_in_another_one here",
	} {
		c := config(t, limit("metric: fpr, max: 0.1, "+yaml))
		at, err := c.Places(splits, []string{"only_in_another_one"})
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
			continue
		}
		got := at[0].Reason
		if at[0].Split != nil {
			got += at[0].Split.Spec.Name
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", yaml, got, want)
		}
	}
	for yaml, want := range map[string]string{
		"metric: fpr, split: hardd":                               `split is "hardd" (did you mean hard?)`,
		"metric: fpr, split: hard, slice: {provenanc: real}":      `slice is "provenanc" (did you mean provenance?)`,
		"metric: fpr, split: hard, slice: {provenance: rael}":     `slice is "provenance=rael" (did you mean provenance=real?)`,
		"metric: fpr, split: beside, slice: {provenance: real}":   `slice is "provenance", and there is no such slice`,
		"metric: roc_auc, split: hard, slice: {provenance: real}": "roc_auc has an interval on all rows of the iid axis",
	} {
		c := config(t, limit("max: 0.1, "+yaml))
		_, err := c.Places(splits, nil)
		testenv.WantFault(t, err, fault.Usage, "g.yaml:2: ", want)
	}
}

func TestDetectorsMustExistAndHaveAThresholdOfTheirOwnForNative(t *testing.T) {
	known := []Detector{{"own", true}, {"bare", false}}
	for detector, want := range map[string]string{"own": "", "bare": "detector bare has no threshold of its own",
		"barre": "(did you mean bare?)"} {
		err := config(t, "limits:\n  - {id: a, detector: "+detector+", metric: fpr, axis: iid, max: 0.1}\n").CheckDetectors(known)
		if want == "" && err != nil {
			t.Error(err)
		} else if want != "" {
			testenv.WantFault(t, err, fault.Usage, "g.yaml:2: ", want)
		}
	}
	area := config(t, "limits:\n  - {id: a, detector: bare, metric: roc_auc, axis: iid, min: 0.1}\n")
	if err := area.CheckDetectors(known); err != nil {
		t.Error(err)
	}
}

// TestMetricsAreThoseOfTheResults compares the list with the cells that results have.
func TestMetricsAreThoseOfTheResults(t *testing.T) {
	policy, err := threshold.Parse("fixed:0.5")
	if err != nil {
		t.Fatal(err)
	}
	r := results.Build(results.Input{Policies: []threshold.Policy{policy},
		Splits:    []results.Split{place(t, "s", dataset.IID, "text,label\na,0\n", nil)},
		Detectors: []results.Detector{{ID: "d"}}})
	found := map[string]bool{}
	for _, c := range r.Cells {
		found[c.Metric] = true
		if _, ok := metricNamed(c.Metric); !ok {
			t.Errorf("no limit can be set on %s", c.Metric)
		}
	}
	for _, m := range metrics {
		if !found[m.name] {
			t.Errorf("results have no %s", m.name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("limits:\n  - {id: a, detector: d, metric: fpr, axis: iid, max: 0.1}\n")
	f.Add("limits: [{id: \"\\e\", slice: {a: b}, policy: native, on: value, regression: 1e400}]")
	f.Fuzz(func(t *testing.T, yaml string) {
		c, err := load(t, yaml)
		if err != nil {
			testenv.WantFault(t, err, fault.Usage)
			return
		}
		for i := range c.Limits {
			c.Limits[i].bound()
		}
	})
}
