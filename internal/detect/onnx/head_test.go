package onnx

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/quick"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

func TestHeadChoosesThePositiveClasses(t *testing.T) {
	for _, c := range []struct {
		name     string
		entry    detect.Entry
		labels   []string
		width    int
		positive []int
		kind     fault.Kind
		message  string
	}{
		{name: "by its name", labels: []string{"SAFE", "INJECTION"}, width: 2, positive: []int{1}},
		{name: "by its name in the first place", labels: []string{"Prompt Injection", "benign"}, width: 2,
			positive: []int{0}},
		{name: "by its name among three", labels: []string{"ok", "warn", "jail-break", "jailbreak"}, width: 4,
			positive: []int{3}},
		{name: "a name given", entry: detect.Entry{Positive: []string{"bad"}}, labels: []string{"bad", "good"}, width: 2,
			positive: []int{0}},
		{name: "an index given", entry: detect.Entry{Positive: []string{"1"}}, width: 2, positive: []int{1}},
		{name: "a name that looks like an index", entry: detect.Entry{Positive: []string{"0"}}, labels: []string{"1", "0"},
			width: 2, positive: []int{1}},
		{name: "several given", entry: detect.Entry{Positive: []string{"C", "A"}}, labels: []string{"A", "B", "C"}, width: 3,
			positive: []int{0, 2}},
		{name: "one logit of a sigmoid head", entry: detect.Entry{Head: "sigmoid", Positive: []string{"0"}}, width: 1,
			positive: []int{0}},

		{name: "no names", width: 2, kind: fault.Usage, message: "names no classes"},
		{name: "generic names", labels: []string{"LABEL_0", "LABEL_1"}, width: 2, kind: fault.Usage,
			message: `generic class names such as "LABEL_0"`},
		{name: "a part of a name decides nothing", labels: []string{"NORMAL", "UNSAFE_NOT"}, width: 2, kind: fault.Usage,
			message: `"NORMAL", "UNSAFE_NOT"`},
		{name: "two candidates", labels: []string{"INJECTION", "JAILBREAK"}, width: 2, kind: fault.Usage,
			message: "two classes that could mean injection"},
		{name: "unknown name", entry: detect.Entry{Positive: []string{"injection"}}, labels: []string{"SAFE", "INJECTION"},
			width: 2, kind: fault.Usage, message: `field positive names the class "injection", expected "SAFE", "INJECTION"`},
		{name: "index too large", entry: detect.Entry{Positive: []string{"2"}}, width: 2, kind: fault.Usage,
			message: `field positive names the class "2", expected an index from 0 to 1`},
		{name: "index not plain", entry: detect.Entry{Positive: []string{"01"}}, width: 2, kind: fault.Usage,
			message: `field positive names the class "01"`},
		{name: "named twice", entry: detect.Entry{Positive: []string{"INJECTION", "1"}}, labels: []string{"SAFE",
			"INJECTION"}, width: 2, kind: fault.Usage, message: "names class 1 twice"},
		{name: "softmax over positives alone", entry: detect.Entry{Positive: []string{"0"}}, width: 1, kind: fault.Usage,
			message: "field head says softmax, as it does when left out, but the graph gives one logit, of which a softmax is " +
				"always 1; write `head: sigmoid`"},
		{name: "softmax over all classes", entry: detect.Entry{Positive: []string{"0", "1"}}, width: 2, kind: fault.Usage,
			message: "field positive names all 2 classes, and field head says softmax, as it does when left out: their " +
				"probabilities always add up to 1; leave the harmless classes out of `positive`, or write `head: sigmoid`"},
		{name: "a veto", entry: detect.Entry{Positive: []string{"0"}, Veto: &detect.Veto{Class: "1", At: 0.5}}, width: 2,
			positive: []int{0}},
		{name: "a veto by its name", entry: detect.Entry{Veto: &detect.Veto{Class: "SAFE", At: 0.5}},
			labels: []string{"SAFE", "INJECTION"}, width: 2, positive: []int{1}},
		{name: "a veto of no class", entry: detect.Entry{Positive: []string{"0"}, Veto: &detect.Veto{Class: "2", At: 0.5}},
			width: 2, kind: fault.Usage, message: `field veto names the class "2", expected an index from 0 to 1`},
		{name: "a veto of the positive class", entry: detect.Entry{Positive: []string{"0"},
			Veto: &detect.Veto{Class: "0", At: 0.5}}, width: 2, kind: fault.Usage,
			message: "veto.class is class 0, which is positive as well"},
		{name: "names and logits differ in number", labels: []string{"SAFE", "INJECTION"}, width: 3, kind: fault.Integrity,
			message: "names 2 classes in id2label but the graph gives 3 logits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.entry.ID = "d"
			h, err := newHead(c.entry, c.labels, c.width)
			if c.message != "" {
				checkFault(t, err, c.kind, c.message)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(h.positive) != len(c.positive) {
				t.Fatalf("positive %v, expected %v", h.positive, c.positive)
			}
			for i := range c.positive {
				if h.positive[i] != c.positive[i] {
					t.Fatalf("positive %v, expected %v", h.positive, c.positive)
				}
			}
		})
	}
}

// checkFault checks the kind of an error, that its message holds a part and that it says what to do.
func checkFault(t *testing.T, err error, kind fault.Kind, part string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("error %v, expected one with a kind", err)
	}
	if f.Kind != kind || !strings.Contains(err.Error(), part) || f.Cure == "" || strings.Contains(err.Error(), "\n") {
		t.Fatalf("kind %d, error %q; expected kind %d, a sentence with %q and a cure", f.Kind, err, kind, part)
	}
}

func TestScoreIsTheProbabilityOfThePositiveClasses(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		head   head
		logits []float32
		want   float64
	}{
		{"softmax of equal logits", head{positive: []int{1}, temperature: 1}, []float32{3, 3}, 0.5},
		{"softmax of two", head{positive: []int{1}, temperature: 1}, []float32{0, 1}, 1 / (1 + math.Exp(-1))},
		{"softmax sums classes", head{positive: []int{0, 2}, temperature: 1}, []float32{1, 1, 1, 1}, 0.5},
		{"temperature divides the logits", head{positive: []int{1}, temperature: 2}, []float32{0, 2}, 1 / (1 + math.Exp(-1))},
		{"softmax of huge logits", head{positive: []int{0}, temperature: 1}, []float32{3e38, -3e38}, 1},
		{"softmax of huge negative logits", head{positive: []int{0}, temperature: 1}, []float32{-3e38, -3e38}, 0.5},
		{"sigmoid", head{sigmoid: true, positive: []int{0}, temperature: 2}, []float32{2, 9}, 1 / (1 + math.Exp(-1))},
		{"sigmoid of a large negative logit", head{sigmoid: true, positive: []int{0}, temperature: 1}, []float32{-1000}, 0},
		{"sigmoids are capped at 1", head{sigmoid: true, positive: []int{0, 1}, temperature: 1}, []float32{5, 5}, 1},
		{"a veto short of its limit", head{sigmoid: true, positive: []int{0}, temperature: 1, veto: &veto{1, 0.51}},
			[]float32{0, 0}, 0.5},
		{"a veto at its limit", head{sigmoid: true, positive: []int{0}, temperature: 1, veto: &veto{1, 0.5}},
			[]float32{9, 0}, 0},
		{"a veto sees the temperature", head{sigmoid: true, positive: []int{0}, temperature: 10, veto: &veto{1, 0.6}},
			[]float32{0, 2}, 0.5},
		{"a veto of a softmax head", head{positive: []int{0}, temperature: 1, veto: &veto{2, 0.5}}, []float32{1, 0, 2}, 0},
		{"NaN in the class of a veto", head{sigmoid: true, positive: []int{0}, temperature: 1, veto: &veto{1, 0.5}},
			[]float32{1, nan}, math.NaN()},
		{"NaN", head{positive: []int{1}, temperature: 1}, []float32{nan, 1}, math.NaN()},
		{"NaN in another class of a sigmoid head", head{sigmoid: true, positive: []int{0}, temperature: 1}, []float32{1,
			nan}, math.NaN()},
		{"infinite", head{positive: []int{1}, temperature: 1}, []float32{0, inf}, math.NaN()},
		{"infinite and negative", head{sigmoid: true, positive: []int{0}, temperature: 1}, []float32{-inf}, math.NaN()},
	} {
		got := c.head.score(c.logits)
		if math.IsNaN(c.want) != math.IsNaN(got) || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}

func TestScoresOfAllClassesSumToOne(t *testing.T) {
	property := func(a, b, c float32, temperature uint8) bool {
		sum := 0.0
		for i := range 3 {
			s := head{positive: []int{i}, temperature: float64(temperature)/16 + 0.1}.score([]float32{a, b, c})
			if !(s >= 0 && s <= 1) {
				return false
			}
			sum += s
		}
		return math.Abs(sum-1) < 1e-12
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}
