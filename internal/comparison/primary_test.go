package comparison

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/testenv"
)

func TestConfirmCorrectsByHolmOverAllThatAreListed(t *testing.T) {
	result := func(metric string, diff, p float64) Result { return Result{Metric: metric, Diff: &diff, P: &p} }
	r := []Result{result("f1", 0.1, 0.011), result("fpr", 0.1, 0.004), {Metric: "fpr", Reason: "not scored"},
		result("fpr", -0.1, 0.0125), result("f1", 0.1, 0.5)}
	Confirm(r)
	want := []struct {
		p       float64
		outcome Outcome
	}{{0.044, Confirmed}, {0.02, Opposite}, {0, ""}, {0.044, Confirmed}, {1, NotConfirmed}} // times 4, 5, –, 3, 2
	for i, w := range want {
		if r[i].Status != Primary || r[i].Outcome != w.outcome || (r[i].PHolm == nil) != (w.outcome == "") {
			t.Errorf("comparison %d: got %+v", i, r[i])
		} else if r[i].PHolm != nil {
			near(t, "corrected", r[i].PHolm, w.p)
		}
	}
	alone := []Result{result("f1", 0.1, 0.05)}
	if Confirm(alone); alone[0].Outcome != NotConfirmed {
		t.Errorf("p = 0.05 is %s", alone[0].Outcome)
	}
}

func TestANumberThatComesLaterRaisesNoOther(t *testing.T) {
	numbers := draw.New(1, "holm", "")
	for range 200 {
		before, after := make([]Result, 6), make([]Result, 6)
		for i := range before {
			p := float64(1+numbers.Below(1000)) / 20_000
			after[i] = Result{Metric: "f1", Diff: new(0.1), P: &p}
			before[i] = Result{Metric: "f1", Reason: "not scored"}
			if i < 3 {
				before[i] = after[i]
			}
		}
		Confirm(before)
		Confirm(after)
		for i := range 3 {
			if *after[i].PHolm > *before[i].PHolm || before[i].Outcome == Confirmed && after[i].Outcome != Confirmed {
				t.Fatalf("p %v: corrected %v, later %v", *after[i].P, *before[i].PHolm, *after[i].PHolm)
			}
		}
	}
}

func TestTheListedComparisonsAreReadAsTheyStand(t *testing.T) {
	list, err := LoadPrimary(filepath.Join(testenv.Root(t), "configs", "primary.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 6 || list[0].ID != "curated-negatives-curated-rows" || list[0].A != "minilm-hn" {
		t.Fatalf("got %+v", list)
	}
	if got := list[0].Spec(); got != (Spec{Name: list[0].ID, Split: "hard_benign_test", Slice: "provenance=curated",
		Metric: "fpr", Policy: "fixed:0.5"}) {
		t.Errorf("got %+v", got)
	}
	s := Spec{Name: "IID F1", Split: "test", Slice: "all", Metric: "f1", Policy: "val_f1"}
	if c := &list[5]; !c.Is("deberta", "tfidf", s) || !c.Is("tfidf", "deberta", s) || c.Is("deberta", "rule", s) {
		t.Errorf("%s is not recognised", c.ID)
	}
	if s.Policy = "fixed:0.5"; list[5].Is("deberta", "tfidf", s) {
		t.Error("another policy is taken for the listed one")
	}
}

func TestMistakesInTheListNameTheirLine(t *testing.T) {
	one := func(id string) string {
		return "  - id: " + id + "\n    question: Why?\n    a: x\n    b: y\n    metric: f1\n    split: test\n" +
			"    policy: fixed:0.5\n"
	}
	for _, tt := range []struct{ name, text, line, want string }{
		{"unknown field", strings.Replace(one("c"), "metric", "metrics", 1), ":6:",
			`unknown field "metrics" (did you mean metric?)`},
		{"missing field", strings.Replace(one("c"), "    a: x\n", "", 1), ":2:", "lacks field a"},
		{"same detector", strings.Replace(one("c"), "b: y", "b: x", 1), ":5:", `name the same detector "x"`},
		{"unknown metric", strings.Replace(one("c"), "f1", "recal", 1), ":6:",
			`metric is "recal" (did you mean recall?), expected one of`},
		{"unknown policy", strings.Replace(one("c"), "fixed:0.5", "fixed", 1), ":8:", `policy is "fixed", expected`},
		{"a policy for an area", strings.Replace(one("c"), "f1", "roc_auc", 1), ":8:", "rests on no threshold"},
		{"two slices", one("c") + "    slice: {p: q, r: s}\n", ":9:", "slice has 2 names, expected one"},
		{"twice", one("c") + one("c"), ":9:", `the id "c" stands twice`},
		{"seven", one("a") + one("b") + one("c") + one("d") + one("e") + one("f") + one("g"), ":44:",
			"7 comparisons, expected at most 6"},
		{"none", "[]\n", ":1:", "there is no comparison"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "primary.yaml")
			if err := os.WriteFile(path, []byte("comparisons:\n"+tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			if tt.name == "none" {
				if err := os.WriteFile(path, []byte("comparisons: "+tt.text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, err := LoadPrimary(path)
			testenv.WantFault(t, err, fault.Usage, tt.line, tt.want)
		})
	}
	_, err := LoadPrimary(filepath.Join(t.TempDir(), "primary.yaml"))
	testenv.WantFault(t, err, fault.Usage, "cannot be read")
}

func TestAxesAreThoseOfTheEditionAndFilesStandForThemselves(t *testing.T) {
	split := func(name string, axis dataset.Axis, external bool, csv string) results.Split {
		data, err := dataset.ReadBytes(name+".csv", []byte("text,label\n"+csv), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		return results.Split{Spec: dataset.SplitSpec{Name: name, Axis: axis}, Data: data, External: external}
	}
	names := func(specs []Spec) (out []string) {
		for _, s := range specs {
			out = append(out, s.Name+"|"+s.Split+"|"+s.Policy+"|"+s.Reason)
		}
		return out
	}
	edition := []results.Split{split("test", dataset.IID, false, "a,0\nb,1\n"), split("held", dataset.IID, false, "a,1\n"),
		split("mine", dataset.HardBenign, true, "a,0\n")}
	got := names(Axes(edition, []string{"p", "q"}, false))
	for _, want := range []string{"IID F1|test|p|", "IID F1|test|q|", "IID ROC-AUC|test||", "mine FPR|mine|q|",
		"Ordinary FPR||p|the edition has no ordinary-benign axis", "Hard-benign FPR||p|the edition has no hard-benign axis"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lack %q", got, want)
		}
	}
	if len(got) != 2*11+1 {
		t.Errorf("there are %d: %q", len(got), got)
	}
	got = names(Axes(edition[:2], []string{"p"}, true))
	want := []string{"IID F1|test|p|", "Real-source F1|test|p|", "IID benign FPR|test|p|", "held recall|held|p|",
		"IID ROC-AUC|test||"}
	if !slices.Equal(got, want) {
		t.Errorf("of chosen splits: %q, expected %q", got, want)
	}
	got = names(Axes([]results.Split{split("own", dataset.Custom, false, "a,0\nb,1\n")}, []string{"p"}, false))
	want = []string{"own F1|own|p|", "own recall|own|p|", "own FPR|own|p|", "own ROC-AUC|own||"}
	if !slices.Equal(got, want) {
		t.Errorf("of own files: %q, expected %q", got, want)
	}
}
