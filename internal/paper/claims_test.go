package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/dataset/datasettest"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

func split(t *testing.T, name string, slices map[string]string, csv string) results.Split {
	t.Helper()
	s := datasettest.Split(t, name, csv)
	return results.Split{Spec: dataset.SplitSpec{Name: name, Axis: dataset.Axis(name), Slices: slices}, Data: s}
}

func scored(scores ...float64) []results.Outcome {
	out := make([]results.Outcome, len(scores))
	for i, s := range scores {
		out[i].Score = s
	}
	return out
}

// flags makes n outcomes of which every k-th is flagged at 0.5, none for k = 0.
func flags(n, k int) []results.Outcome {
	scores := make([]float64, n)
	for i := range scores {
		if k > 0 && i%k == 0 {
			scores[i] = 0.9
		}
	}
	return scored(scores...)
}

// benign makes a CSV text of n benign rows, the first half real, the others curated.
func benign(n int) string {
	var b strings.Builder
	b.WriteString("text,label,source_type,disputed\n")
	for i := range n {
		provenance := "real"
		if i >= n/2 {
			provenance = "curated"
		}
		fmt.Fprintf(&b, "%s %d,0,%s,%s\n", provenance, i, provenance, map[bool]string{true: "yes", false: "no"}[i == 0])
	}
	return b.String()
}

// tiny is an edition of two benign splits of 100 rows with the same texts and one of six rows of both classes. Detector x
// flags every second row, y the same ones, none of them all, all of them; x and y have two seeds.
func tiny(t *testing.T) *results.Input {
	slices := map[string]string{"provenance": "source_type"}
	in := &results.Input{Edition: "e", WindowMode: "max", Splits: []results.Split{
		split(t, "hard", slices, benign(100)), split(t, "other", slices, benign(100)),
		split(t, "test", nil, "text,label,family_id\na,0,p\nb,0,p\nc,1,q\nd,1,q\ne,1,r\nf,0,s\n"),
	}}
	for _, name := range []string{"fixed:0.5", "fixed:0.3"} {
		p, err := threshold.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Policies = append(in.Policies, p)
	}
	detector := func(id string, of ...map[string][]results.Outcome) {
		d := results.Detector{ID: id, Name: strings.ToUpper(id)}
		for i, o := range of {
			d.Seeds = append(d.Seeds, results.Seed{Seed: i + 1, Outcomes: o})
		}
		in.Detectors = append(in.Detectors, d)
	}
	half := map[string][]results.Outcome{"hard": flags(100, 2), "other": flags(100, 2), "test": scored(0.1, 0.6, 0.9, 0.4, 0.9, 0.1)}
	better := map[string][]results.Outcome{"hard": flags(100, 2), "other": flags(100, 2), "test": scored(0.1, 0.2, 0.9, 0.9, 0.9, 0.1)}
	detector("x", half, better)
	detector("y", half, half)
	detector("none", map[string][]results.Outcome{"hard": flags(100, 0), "other": flags(100, 0), "test": flags(6, 0)})
	detector("all", map[string][]results.Outcome{"hard": flags(100, 1), "other": flags(100, 1), "test": flags(6, 1)})
	return in
}

// report builds a report of the edition with the claims (and tables) of a YAML text.
func report(t *testing.T, in *results.Input, text string) *Report {
	t.Helper()
	c, err := Parse("p.yaml", []byte(`edition: e
designs:
  - {id: x, name: X, here: [x]}
  - {id: y, name: Y, here: [y]}
  - {id: none, name: None, here: [none]}
  - {id: all, name: All, here: [all]}
  - {id: gone, name: Gone, here: [gone]}
also_called: {provenance=mine: provenance=curated}
`+text))
	if err != nil {
		t.Fatal(err)
	}
	var uses []Use
	for _, d := range c.Designs {
		u := Use{Design: d.ID, Name: d.Name, Reason: "not scored"}
		for _, det := range in.Detectors {
			if det.ID == d.ID {
				u = Use{Design: d.ID, Name: d.Name, Detector: d.ID, Shown: det.Name}
				for _, s := range det.Seeds {
					u.Seeds = append(u.Seeds, s.Seed)
				}
			}
		}
		uses = append(uses, u)
	}
	return Build(c, in, results.Build(*in), uses)
}

func TestClaimsHoldFailOrStayUndecidedByTheirInterval(t *testing.T) {
	for _, tt := range []struct{ name, claim, here, reason string }{
		{"every row is flagged", "for: [all]\n    all: [{sum: [{split: hard, metric: fpr}], above: 0.5}]", Holds, ""},
		{"no row is flagged", "for: [none]\n    all: [{sum: [{split: hard, metric: fpr}], above: 0.5}]", Fails, ""},
		{"half is flagged", "for: [x]\n    all: [{sum: [{split: hard, metric: fpr}], above: 0.5}]", Undecided, "both sides"},
		{"half is more than a third", "for: [x]\n    all: [{sum: [{split: hard, metric: fpr}], above: 0.33}]", Holds, ""},
		{"half is not less than a third", "for: [x]\n    all: [{sum: [{split: hard, metric: fpr}], below: 0.33}]", Fails, ""},
		{"half is about one half", "for: [x]\n    all: [{sum: [{split: hard, metric: fpr}], near: 0.5, within: 0.2}]", Holds, ""},
		{"half is about one half, closely", "for: [x]\n    all: [{sum: [{split: hard, metric: fpr}], near: 0.5, within: 0.01}]",
			Undecided, "both sides"},
		{"half is not about one", "for: [x]\n    all: [{sum: [{split: hard, metric: fpr}], near: 1, within: 0.2}]", Fails, ""},
		{"at the bound itself", "for: [all]\n    all: [{sum: [{split: hard, metric: fpr}], above: 1}]", Undecided, "both sides"},
		{"one split is paired", "all: [{sum: [{design: x, split: hard, metric: fpr}, {times: -1, design: y, split: hard, " +
			"metric: fpr}], near: 0, within: 0.001}]", Holds, ""},
		{"two splits are not", "all: [{sum: [{design: x, split: hard, metric: fpr}, {times: -1, design: x, split: other, " +
			"metric: fpr}], near: 0, within: 0.001}]", Undecided, "both sides"},
		{"weights", "all: [{sum: [{times: 0.2, design: all, split: hard, metric: fpr}], near: 0.2, within: 0.001}]", Holds, ""},
		{"a slice", "for: [x]\n    all: [{sum: [{split: hard, slice: provenance=real, metric: fpr}], above: 0.3}]", Holds, ""},
		{"a slice by its other name", "for: [x]\n    all: [{sum: [{split: hard, slice: provenance=mine, metric: fpr}], above: 0.3}]",
			Holds, ""},
		{"a slice without rows", "for: [x]\n    all: [{sum: [{split: hard, slice: provenance=no, metric: fpr}], above: 0.3}]",
			Undecided, "hard has no rows with provenance=no"},
		{"a slice that the split does not have", "for: [x]\n    all: [{sum: [{split: test, slice: provenance=real, metric: fpr}], " +
			"above: 0.3}]", Undecided, "test has no rows with provenance=real"},
		{"recall without injections", "for: [x]\n    all: [{sum: [{split: hard, metric: recall}], above: 0.3}]", Undecided,
			"no injection rows"},
		{"F1 without injections", "for: [x]\n    all: [{sum: [{split: hard, metric: f1}], above: 0.3}]", Undecided,
			"no injection rows"},
		{"another edition's split", "for: [x]\n    all: [{sum: [{split: moon, metric: fpr}], above: 0.3}]", Undecided,
			"edition e has no moon"},
		{"a detector without scores", "for: [gone]\n    all: [{sum: [{split: hard, metric: fpr}], above: 0.3}]", Undecided, "not scored"},
		{"another one than the claim is of", "for: [x]\n    all: [{sum: [{split: hard, metric: fpr}, {design: gone, split: hard, " +
			"metric: fpr}], above: 0.3}]", Undecided, "Gone: not scored"},
		{"no threshold", "policy: fixed:0.9\n    for: [x]\n    all: [{sum: [{split: hard, metric: fpr}], above: 0.3}]", Undecided,
			"X has no threshold fixed:0.9"},
		{"equal seeds", "for: [y]\n    all: [{sum: [{split: test, metric: seed_sd_f1}], near: 0, within: 0.001}]", Holds, ""},
		{"unequal seeds", "for: [x]\n    all: [{sum: [{split: test, metric: seed_sd_f1}], near: 0, within: 0.001}]", Fails, ""},
		{"one seed", "for: [none]\n    all: [{sum: [{split: test, metric: seed_sd_f1}], near: 0, within: 0.001}]", Undecided, "run once"},
	} {
		v := report(t, tiny(t), "claims:\n  - id: c\n    claim: C\n    place: P\n    "+tt.claim+"\n").Claims[0]
		if v.Here != tt.here || v.Parts[0].Here != tt.here || !strings.Contains(v.Parts[0].Reason, tt.reason) ||
			tt.reason == "" && v.Parts[0].Reason != "" {
			t.Errorf("%s: %s (%+v), expected %s (%s)", tt.name, v.Here, v.Parts[0], tt.here, tt.reason)
		}
	}
}

func TestAClaimHoldsWhenAllPartsDoAndFailsWhenOneDoes(t *testing.T) {
	for _, tt := range []struct{ designs, want string }{
		{"all, all", Holds}, {"all, x", Undecided}, {"x, none", Fails}, {"none, x", Fails}, {"all, gone", Undecided},
	} {
		v := report(t, tiny(t), "claims:\n  - {id: c, claim: C, place: P, for: ["+tt.designs+
			"], all: [{sum: [{split: hard, metric: fpr}], above: 0.5}]}\n").Claims[0]
		if v.Here != tt.want || len(v.Parts) != 2 {
			t.Errorf("%s: %s with %d parts, expected %s with 2", tt.designs, v.Here, len(v.Parts), tt.want)
		}
	}
}

func TestNumbersOfClaimsAreThoseOfTheTablesAndTheirIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("text,label,family_id,kind\n")
	const n = 300
	for i := range n {
		fmt.Fprintf(&b, "t%d,%d,f%d,%s\n", i, rng.IntN(2), rng.IntN(60), []string{"p", "q"}[rng.IntN(2)])
	}
	in := tiny(t)
	in.Splits = []results.Split{split(t, "test", map[string]string{"kind": "kind"}, b.String())}
	in.Detectors = nil
	d := results.Detector{ID: "x", Name: "X"}
	for seed := range 3 {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = rng.Float64()
		}
		d.Seeds = append(d.Seeds, results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{"test": scored(scores...)}})
	}
	in.Detectors = append(in.Detectors, d)
	r := results.Build(*in)
	for _, metric := range []string{"f1", "fpr", "recall"} {
		for _, slice := range []string{"", "kind=q"} {
			p := report(t, in, "claims:\n  - {id: c, claim: C, place: P, for: [x], all: [{sum: [{split: test, slice: '"+slice+"', metric: "+
				metric+"}], above: 0}]}\n").Claims[0].Parts[0]
			name := slice
			if slice == "" {
				name = "all"
			}
			cell := r.Mean("x", "test", name, metric, "fixed:0.5")
			want := results.Intervals(in, r, results.Families, []*results.Cell{cell})[0]
			if math.Abs(*p.Value-*cell.Value) > 1e-12 || math.Abs(*p.Lo-want.Lo) > 1e-12 || math.Abs(*p.Hi-want.Hi) > 1e-12 {
				t.Errorf("%s %s: %v [%v, %v], the table has %v [%v, %v]", metric, name, *p.Value, *p.Lo, *p.Hi, *cell.Value, want.Lo,
					want.Hi)
			}
			if p.Terms[0].N != cell.N || p.Terms[0].Seeds != 3 || p.Terms[0].Missing != 0 {
				t.Errorf("%s %s: %+v, expected %d rows of three seeds", metric, name, p.Terms[0], cell.N)
			}
		}
	}
}

func TestRowsThatOneSeedLacksAreLeftOutAndCounted(t *testing.T) {
	const claim = "claims:\n  - {id: c, claim: C, place: P, for: [x], all: [{sum: [{split: hard, metric: fpr}], above: 0}]}\n"
	in := tiny(t)
	in.Detectors[0].Seeds[0].Outcomes["hard"] = slices.Clone(in.Detectors[0].Seeds[0].Outcomes["hard"])
	in.Detectors[0].Seeds[0].Outcomes["hard"][2].State = results.Failed
	term := report(t, in, claim).Claims[0].Parts[0].Terms[0]
	if term.N != 99 || term.Missing != 1 || math.Abs(*term.Value-49.0/99) > 1e-12 {
		t.Errorf("%+v with value %v, expected 49 of 99 rows", term, *term.Value)
	}
	in = tiny(t)
	in.Undisputed = true // row 0, which is flagged
	term = report(t, in, claim).Claims[0].Parts[0].Terms[0]
	if term.N != 99 || term.Missing != 0 || math.Abs(*term.Value-49.0/99) > 1e-12 {
		t.Errorf("%+v with value %v, expected 49 of 99 rows", term, *term.Value)
	}
	in = tiny(t)
	delete(in.Detectors[0].Seeds[1].Outcomes, "hard")
	delete(in.Detectors[0].Seeds[0].Outcomes, "hard")
	if p := report(t, in, claim).Claims[0].Parts[0]; p.Here != Undecided || !strings.Contains(p.Reason, "X: seed 1 has no scores of hard") {
		t.Errorf("%+v", p)
	}
}

func TestAnUndefinedNumberInManyResamplesDecidesNothing(t *testing.T) {
	in := tiny(t) // test has three injections in two families: a quarter of the resamples of four families has fewer
	p := report(t, in, "claims:\n  - {id: c, claim: C, place: P, for: [all], all: [{sum: [{split: test, metric: recall}], above: 0}]}\n").
		Claims[0].Parts[0]
	if p.Here != Undecided || p.Reason != "too many resamples lack a class" || p.Lo != nil || *p.Value != 1 {
		t.Errorf("%+v", p)
	}
}

func TestTheBestThresholdIsThatOfATrialOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 200 {
		n, m := 1+rng.IntN(12), 1+rng.IntN(12)
		var test, hard strings.Builder
		test.WriteString("text,label\n")
		hard.WriteString("text,label\n")
		a, b := make([]float64, n), make([]float64, m)
		var rows, limited []int
		for i := range a {
			fmt.Fprintf(&test, "t%d,%d\n", i, rng.IntN(2))
			a[i] = float64(rng.IntN(6)) / 5
			rows = append(rows, i)
		}
		for i := range b {
			fmt.Fprintf(&hard, "h%d,0\n", i)
			b[i] = float64(rng.IntN(6)) / 5
			limited = append(limited, i)
		}
		on, off := split(t, "test", nil, test.String()), split(t, "hard", nil, hard.String())
		seed := results.Seed{Outcomes: map[string][]results.Outcome{"test": scored(a...), "hard": scored(b...)}}
		share := float64(rng.IntN(4)) / 10
		f1 := func(tau float64) float64 {
			labels := make([]dataset.Label, n)
			for i, r := range on.Data.Rows {
				labels[i] = r.Label
			}
			if v := metrics.Count(a, labels, tau).F1(); v.OK {
				return v.V
			}
			return 0
		}
		want := 0.0
		for _, tau := range a {
			alarms := 0
			for _, s := range b {
				if s >= tau {
					alarms++
				}
			}
			if float64(alarms)/float64(m) <= share {
				want = max(want, f1(tau))
			}
		}
		tau := best(&on, seed, rows, &off, limited, share)
		got := 0.0
		if !math.IsInf(tau, 1) {
			got = f1(tau)
		}
		if math.Abs(got-want) > 1e-12 {
			t.Fatalf("trial %d: F1 %v at %v, expected %v", trial, got, tau, want)
		}
	}
}

func TestTheLimitChoosesTheThresholdOfEachSeed(t *testing.T) {
	p := report(t, tiny(t), "claims:\n  - {id: c, claim: C, place: P, for: [x], all: [{sum: [{split: test, metric: f1, at: {split: hard, "+
		"slice: provenance=real, fpr: 0.1}}], below: 2}]}\n").Claims[0].Parts[0]
	// Half of hard scores 0.9, so that only thresholds above are allowed, and nothing is flagged there.
	if term := p.Terms[0]; *term.Value != 0 || fmt.Sprint(term.Tau) != "[+Inf +Inf]" || term.Policy !=
		"best with fpr <= 0.1 on hard provenance=real" {
		t.Errorf("%+v", term)
	}
}
