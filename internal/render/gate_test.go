package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"pidsbench/internal/gate"
	"pidsbench/internal/results"
)

// hostile could steer a terminal, or end an attribute, a cell or a link.
const hostile = "x\x1b[2J|<b>&\"'](http://example.org)\u202e\n"

// gateReport has a limit of each verdict, a regression with flips at two seeds, and hostile names.
func gateReport() *gate.Report {
	policy, native := "val_f1", "native"
	flips := gate.Flips{Split: hostile, Worse: 24, Better: 1,
		Rows: []gate.Flip{{Seed: 1, Row: 0, Change: gate.Better, Was: 0.9, Now: 0.1}}}
	for i := range 24 {
		flips.Rows = append(flips.Rows, gate.Flip{Seed: 1 + i/20, Row: 7 * i, Change: gate.Worse, Was: 0.25, Now: 0.75})
	}
	r := &gate.Report{Config: "ci/my gates?.yaml", Edition: "open", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max",
		Baseline: "last" + hostile, Undecided: "fails", Run: map[string]string{"pidsbench": "1.2.3"},
		Detectors: []results.DetectorSummary{{ID: "d", Name: "Detector", Seeds: []int{0},
			Tau:    map[string]map[string]float64{"native": {"0": 0.5}},
			Doubts: []string{"trained on other data: possibly contaminated"}}},
		Limits: []gate.Item{
			{ID: "holds", Line: 3, Detector: "d", Seeds: []int{0}, Metric: "fpr", Axis: "hard_benign", Split: "hard_benign_test",
				Slice: "provenance=real", Policy: &native, On: "edge", Bound: "max", At: 0.05, Verdict: gate.Pass, Value: new(0.02),
				Lo: new(0.01), Hi: new(0.03), Interval: "percentile bootstrap over families", N: 872, Total: 872,
				Groups: 829, Effective: 771.25},
			{ID: "at-one", Line: 9, Detector: "d", Seeds: []int{0}, Metric: "fpr", Split: hostile, Slice: "kind=" + hostile,
				Policy: &native,
				On:     "edge", Bound: "max", At: 0.01, Verdict: gate.Undecided, Fails: true, Value: new(0.0), Lo: new(0.0), Hi: new(0.0137),
				Interval: "exact, families as rows", N: 250, Total: 250, Groups: 230, Effective: 217.5,
				Needed: &gate.Needed{Verdict: gate.Pass,
					Groups: 299, Rows: 344}, Why: "undecided at this n: 0.01 lies within [0, 0.0137]",
				Doubts: []string{"the rows are worth 12 groups of equal size: the interval may be too narrow"}},
			{ID: "count", Line: 15, Detector: hostile, Seeds: []int{0}, Metric: "fp", Axis: "iid", Split: "test", Slice: "all",
				Policy: &native,
				On:     "value", Bound: "max", At: 3, Verdict: gate.Broken, Fails: true, Value: new(4.0), N: 99, Total: 99,
				Why: "fp is 4, above 3"},
			{ID: "no-worse", Line: 21, Detector: "d", Seeds: []int{1, 2}, Metric: "recall", Axis: "iid", Split: "test", Slice: "all",
				Policy: &policy, On: "edge", Bound: "regression", At: 0.01, Verdict: gate.Broken, Fails: true, Value: new(0.9),
				Baseline: new(0.95),
				WorseBy:  new(0.05), Lo: new(0.02), Hi: new(0.08), Interval: "paired percentile bootstrap over families", N: 500,
				Total:  500,
				Groups: 500, Effective: 500, Flips: &flips, Differs: []string{"the baseline was scored with other model files of d"},
				Why: "recall is worse than the baseline's by 0.0500 [0.0200, 0.0800], all of the interval above 0.01"},
			{ID: "gone", Line: 27, Detector: "d", Seeds: []int{}, Metric: "roc_auc", Axis: "domain_shift", Slice: "all", On: "value",
				Bound: "min", At: 0.9, Verdict: gate.NoData, Fails: true, Why: "no data: " + hostile},
			{ID: "lacking", Line: 33, Detector: "d", Seeds: []int{0}, Metric: "f1", Axis: "iid", Split: "test", Slice: "all",
				Policy: &native,
				On:     "value", Bound: "min", At: 0.9, Verdict: gate.NoData, Fails: true, Value: new(0.95), N: 98, Total: 99,
				Why: "incomplete: 98 of 99 rows have a score"},
		}}
	r.Sum()
	return r
}

// gateForms are all forms of a report, by the ending of their golden file.
var gateForms = map[string]func(io.Writer, *gate.Report) error{
	"txt":   func(w io.Writer, r *gate.Report) error { return Text(w, []Table{Gate(r)}) },
	"md":    GateMarkdown,
	"json":  GateJSON,
	"xml":   GateJUnit,
	"sarif": GateSARIF,
}

func gateForm(t *testing.T, form string, r *gate.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := gateForms[form](&out, r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGatesMatchTheirGoldenFiles(t *testing.T) {
	for form := range gateForms {
		golden(t, "gate."+form, gateForm(t, form, gateReport()))
	}
}

func TestHostileNamesSteerNothingInAGate(t *testing.T) {
	for form := range gateForms {
		out := string(gateForm(t, form, gateReport()))
		steers := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
		if form == "json" { // for programs, which get names as they are
			steers = func(r rune) bool { return r != '\n' && unicode.IsControl(r) }
		}
		if at := strings.IndexFunc(out, steers); at >= 0 {
			t.Errorf("%s holds %q", form, out[at:min(len(out), at+10)])
		}
		switch form {
		case "md":
			if strings.Contains(out, "<b>") || strings.Contains(strings.ReplaceAll(out, `\]`, ""), "](http") {
				t.Errorf("hostile names are alive in %s", out)
			}
			for line := range strings.Lines(out) {
				if cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") && cells != 10 {
					t.Errorf("a row has %d bars: %s", cells, line)
				}
			}
		case "sarif":
			if strings.Contains(out, "](http") {
				t.Error("a viewer makes a link of a name")
			}
		case "xml":
			dec := xml.NewDecoder(strings.NewReader(out))
			for {
				token, err := dec.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if e, ok := token.(xml.StartElement); ok && e.Name.Local == "b" {
					t.Error("a name has become an element")
				}
			}
		}
	}
}

func TestJUnitTellsFailuresFromWhatCouldNotBeJudged(t *testing.T) {
	r := gateReport()
	out := string(gateForm(t, "xml", r))
	for _, want := range []string{`tests="6" failures="3" errors="2" skipped="0"`, `<failure type="undecided"`,
		`<failure type="broken"`,
		`<error type="no data"`} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %s in %s", want, out)
		}
	}
	r.Limits[1].Fails = false
	if out := string(gateForm(t, "xml", r)); !strings.Contains(out, `tests="6" failures="2" errors="2" skipped="1"`) {
		t.Errorf("an undecided limit that may pass is not skipped: %s", out)
	}
}

func TestAGateSaysInItsTitleHowItEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		limits []gate.Item
		want   string
	}{
		"all hold":  {[]gate.Item{{Verdict: gate.Pass}, {Verdict: gate.Pass}}, "The gate passes: all 2 limits hold"},
		"one":       {[]gate.Item{{Verdict: gate.Pass}}, "The gate passes: 1 limit holds"},
		"one fails": {[]gate.Item{{Verdict: gate.Pass}, {Verdict: gate.Broken, Fails: true}}, "The gate fails: 1 of 2 limits"},
		"one undecided": {[]gate.Item{{Verdict: gate.Pass}, {Verdict: gate.Undecided}},
			"The gate passes: 1 of 2 limits hold, the others are undecided"},
	} {
		r := &gate.Report{Limits: tt.limits}
		r.Sum()
		if got := gateOutcome(r); got != tt.want {
			t.Errorf("%s: %q, expected %q", name, got, tt.want)
		}
	}
}
