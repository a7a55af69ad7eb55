package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/testenv"
)

type goldenCase struct {
	Name           string
	Scores         []float64
	Labels         []dataset.Label
	Tau            float64
	TN, FP, FN, TP int
	Accuracy       *float64
	Precision      *float64
	Recall         *float64
	F1             *float64
	BenignRecall   *float64 `json:"benign_recall"`
	ROCAUC         *float64 `json:"roc_auc"`
}

func TestMetricsEqualScikitLearn(t *testing.T) {
	data, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) < 30 {
		t.Fatalf("only %d cases", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			got := Count(c.Scores, c.Labels, c.Tau)
			if want := (Counts{c.TN, c.FP, c.FN, c.TP}); got != want {
				t.Fatalf("counts are %+v, want %+v", got, want)
			}
			if got.Injection() == 0 { // there scikit-learn gives 0, or nothing
				c.Precision, c.F1 = nil, nil
			}
			var fpr *float64
			if c.BenignRecall != nil {
				v := float64(c.FP) / float64(c.FP+c.TN)
				if math.Abs(1-*c.BenignRecall-v) > 1e-12 {
					t.Fatalf("benign recall %g contradicts the counts", *c.BenignRecall)
				}
				fpr = &v
			}
			for _, m := range []struct {
				name string
				got  Value
				want *float64
			}{
				{"accuracy", got.Accuracy(), c.Accuracy},
				{"precision", got.Precision(), c.Precision},
				{"recall", got.Recall(), c.Recall},
				{"f1", got.F1(), c.F1},
				{"fpr", got.FPR(), fpr},
				{"roc auc", ROCAUC(c.Scores, c.Labels), c.ROCAUC},
			} {
				switch {
				case m.want == nil && (m.got.OK || m.got.Reason == "" || m.got.V != 0):
					t.Errorf("%s is %+v, want undefined with a reason", m.name, m.got)
				case m.want != nil && (!m.got.OK || m.got.Reason != "" || math.Abs(m.got.V-*m.want) > 1e-12):
					t.Errorf("%s is %+v, want %g", m.name, m.got, *m.want)
				}
			}
		})
	}
}

func TestUndefinedMetricsGiveTheirReason(t *testing.T) {
	none, benign, attacks := Counts{}, Counts{TN: 5, FP: 2}, Counts{FN: 5, TP: 2}
	for _, c := range []struct {
		name   string
		got    Value
		reason string
	}{
		{"accuracy of nothing", none.Accuracy(), NoRows},
		{"f1 of nothing", none.F1(), NoRows},
		{"fpr of nothing", none.FPR(), NoRows},
		{"f1 on benign rows", benign.F1(), NoInjection},
		{"precision on benign rows", benign.Precision(), NoInjection},
		{"recall on benign rows", benign.Recall(), NoInjection},
		{"fpr on injection rows", attacks.FPR(), NoBenign},
		{"precision when nothing is flagged", Counts{TN: 1, FN: 1}.Precision(), NoneFlagged},
		{"auc of nothing", ROCAUC(nil, nil), NoRows},
		{"auc on benign rows", ROCAUC([]float64{1}, []dataset.Label{0}), NoInjection},
		{"auc on injection rows", ROCAUC([]float64{1}, []dataset.Label{1}), NoBenign},
	} {
		if c.got != (Value{Reason: c.reason}) {
			t.Errorf("%s is %+v, want the reason %q", c.name, c.got, c.reason)
		}
	}
	if got := attacks.F1(); !got.OK || got.V != 4.0/9 {
		t.Errorf("f1 on injection rows is %+v, want 4/9", got)
	}
	if got := (Counts{TN: 1, FN: 1}).F1(); got != (Value{OK: true}) {
		t.Errorf("f1 when all injections are missed is %+v, want a defined 0", got)
	}
}

func TestROCAUCIsTheShareOfWonPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + rng.IntN(40)
		scores, labels := make([]float64, n), make([]dataset.Label, n)
		for i := range n {
			scores[i] = float64(rng.IntN(12)) / 11
			labels[i] = dataset.Label(rng.IntN(2))
		}
		labels[0], labels[1] = dataset.Benign, dataset.Injection
		won, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if labels[i] == dataset.Injection && labels[j] == dataset.Benign {
					pairs++
					if scores[i] > scores[j] {
						won++
					} else if scores[i] == scores[j] {
						won += 0.5
					}
				}
			}
		}
		if got := ROCAUC(scores, labels); got.V != won/pairs {
			t.Fatalf("AUC is %v, want %v", got.V, won/pairs)
		}
		// An increasing map of the scores and another order of the rows change nothing.
		auc := ROCAUC(scores, labels)
		for i := range scores {
			scores[i] = math.Exp(3 * scores[i])
		}
		rng.Shuffle(n, func(i, j int) {
			scores[i], scores[j] = scores[j], scores[i]
			labels[i], labels[j] = labels[j], labels[i]
		})
		if ROCAUC(scores, labels) != auc {
			t.Fatal("the AUC depends on the scale of the scores or the order of the rows")
		}
	}
}

func TestCountComparesAsFloat64Inclusively(t *testing.T) {
	scores := []float64{math.Nextafter(0.5, 0), 0.5, math.Nextafter(0.5, 1)}
	labels := []dataset.Label{1, 1, 1}
	if got := Count(scores, labels, 0.5); got != (Counts{FN: 1, TP: 2}) {
		t.Errorf("counts are %+v", got)
	}
}

func TestNaNAndUnequalLengthsPanic(t *testing.T) {
	nan := math.NaN()
	for name, f := range map[string]func(){
		"score":     func() { Count([]float64{nan}, []dataset.Label{0}, 0.5) },
		"threshold": func() { Count([]float64{0}, []dataset.Label{0}, nan) },
		"length":    func() { Count([]float64{0}, nil, 0.5) },
		"auc":       func() { ROCAUC([]float64{nan, 1}, []dataset.Label{0, 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// The reports beside the public test file print a confusion matrix and, from scikit-learn, what follows from it.
const reports = "realdata/Prompt-Injection-Detection-System/reports/"

func TestMetricsReproduceThePublishedReports(t *testing.T) {
	data, err := os.ReadFile(testenv.Shared(t, reports+"model_comparison_summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var summary map[string]map[string]map[string]float64
	if err := json.Unmarshal(data, &summary); err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"rule", "tfidf", "distilbert", "ensemble_majority"} {
		text, err := os.ReadFile(testenv.Shared(t, reports+"test_"+model+"_report.txt"))
		if err != nil {
			t.Fatal(err)
		}
		printed, matrix, _ := strings.Cut(string(text), "Confusion Matrix")
		c := parseMatrix(t, matrix)
		swapped := Counts{TN: c.TP, FP: c.FN, FN: c.FP, TP: c.TN} // benign as the positive class
		want := strings.Join(strings.Fields(printed), " ")
		row := func(name string, c Counts) string {
			return fmt.Sprintf("%s %.4f %.4f %.4f %d", name, c.Precision().V, c.Recall().V, c.F1().V, c.Injection())
		}
		for _, line := range []string{
			row("benign", swapped), row("injection", c),
			fmt.Sprintf("accuracy %.4f %d", c.Accuracy().V, c.N()),
			fmt.Sprintf("macro avg %.4f %.4f", (c.Precision().V+swapped.Precision().V)/2, (c.Recall().V+swapped.Recall().V)/2),
		} {
			if !strings.Contains(want, line) {
				t.Errorf("%s: computed %q, the report prints %q", model, line, want)
			}
		}
		for name, v := range map[string]Value{
			"accuracy": c.Accuracy(), "precision": c.Precision(), "recall": c.Recall(), "f1": c.F1(),
		} {
			if w, ok := summary["test"][model][name]; !ok || math.Abs(v.V-w) > 1e-15 {
				t.Errorf("%s: %s is %v, the summary prints %v", model, name, v.V, w)
			}
		}
	}
}

func parseMatrix(t *testing.T, s string) Counts {
	t.Helper()
	var n []int
	for _, d := range regexp.MustCompile(`\d+`).FindAllString(s, -1) {
		v, err := strconv.Atoi(d)
		if err != nil {
			t.Fatal(err)
		}
		n = append(n, v)
	}
	if len(n) != 4 {
		t.Fatalf("the report's matrix %q holds %d numbers, want 4", s, len(n))
	}
	return Counts{TN: n[0], FP: n[1], FN: n[2], TP: n[3]}
}

func BenchmarkROCAUC(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	scores, labels := make([]float64, 4000), make([]dataset.Label, 4000)
	for i := range scores {
		scores[i], labels[i] = rng.Float64(), dataset.Label(rng.IntN(2))
	}
	for b.Loop() {
		ROCAUC(scores, labels)
	}
}
