package tfidf

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// sentences draws n texts of about the given number of words from a vocabulary with a long tail; injections draw some
// of their words from a corner of it.
func sentences(seed uint64, n, words int) (texts []string, labels []dataset.Label) {
	rng := rand.New(rand.NewPCG(seed, 99))
	for range n {
		label := dataset.Label(rng.IntN(2))
		var b strings.Builder
		for range words/2 + rng.IntN(words+1) {
			rank := int(math.Exp(rng.Float64()*9.2)) - 1
			if label == dataset.Injection && rng.IntN(8) == 0 {
				rank = 40 + rng.IntN(60)
			}
			fmt.Fprintf(&b, "word%d ", rank)
		}
		texts, labels = append(texts, b.String()), append(labels, label)
	}
	return texts, labels
}

func fit(t testing.TB, texts []string, labels []dataset.Label, opts Options) *Model {
	t.Helper()
	m, err := Fit(texts, labels, opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestModelBytesDoNotDependOnWorkers(t *testing.T) {
	texts, labels := sentences(1, 2500, 12) // several chunks of rows and of columns
	want := fit(t, texts, labels, Options{Workers: 1})
	if want.Terms() < 2*chunkColumns {
		t.Fatalf("only %d terms: the columns make less than two chunks", want.Terms())
	}
	for _, workers := range []int{0, 2, 3, 7} {
		if got := fit(t, texts, labels, Options{Workers: workers}); !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%d workers give another model than one", workers)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := fit(t, texts, labels, Options{}); !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("one core gives another model")
	}
}

func TestFitReachesTheMinimum(t *testing.T) {
	texts, labels := sentences(2, 400, 10)
	m := fit(t, texts, labels, Options{})
	o := m.objective(m.matrix(texts, 1), labels, 1)
	x := append(append([]float64(nil), m.weight...), m.Intercept)
	gradient := make([]float64, len(x))
	least := o.evaluate(x, gradient)
	if g := largest(gradient); g > m.Parameters.Tolerance {
		t.Errorf("the gradient at the solution is %g", g)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	y, unused := make([]float64, len(x)), make([]float64, len(x))
	for range 50 {
		for i := range y {
			y[i] = x[i] + 1e-3*rng.NormFloat64()
		}
		if value := o.evaluate(y, unused); value < least {
			t.Fatalf("the objective is %v near the solution, %v at it", value, least)
		}
	}
}

func TestGradientEqualsDifferences(t *testing.T) {
	texts, labels := sentences(3, 60, 8)
	m := fit(t, texts, labels, Options{})
	o := m.objective(m.matrix(texts, 1), labels, 1)
	rng := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, len(m.terms)+1)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	gradient, unused := make([]float64, len(x)), make([]float64, len(x))
	o.evaluate(x, gradient)
	for _, i := range []int{0, 1, len(x) / 2, len(x) - 2, len(x) - 1} {
		const h = 1e-5
		at := x[i]
		x[i] = at + h
		up := o.evaluate(x, unused)
		x[i] = at - h
		down := o.evaluate(x, unused)
		x[i] = at
		if d := (up - down) / (2 * h); math.Abs(d-gradient[i]) > 1e-8 {
			t.Errorf("component %d of the gradient is %v, the difference quotient %v", i, gradient[i], d)
		}
	}
}

func TestFitRefusesWhatItCannotLearnFrom(t *testing.T) {
	for _, c := range []struct {
		name   string
		texts  []string
		labels []dataset.Label
		part   string
	}{
		{"no rows", nil, nil, "0 benign and 0 injection"},
		{"one class", []string{"aa bb", "aa bb"}, []dataset.Label{1, 1}, "0 benign and 2 injection"},
		{"no word twice", []string{"aa bb", "cc dd"}, []dataset.Label{0, 1}, "no word occurs"},
		{"only words in every text", []string{"aa", "aa", "aa"}, []dataset.Label{0, 1, 0}, "no word occurs"},
		{"no words", []string{"", "! ?"}, []dataset.Label{0, 1}, "no word occurs"},
	} {
		_, err := Fit(c.texts, c.labels, Options{})
		if fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: error is %v, want one with %q", c.name, err, c.part)
		}
	}
	if _, err := Fit([]string{"aa"}, nil, Options{}); err == nil {
		t.Error("texts without labels are fitted")
	}
}

func TestMinimizeSolvesAnIllConditionedQuadratic(t *testing.T) {
	const n = 60
	evaluate := func(x, gradient []float64) float64 {
		value := 0.0
		for i := range x {
			scale := math.Pow(10, -4*float64(i)/n)
			d := x[i] - float64(i)
			value += scale / 2 * d * d
			gradient[i] = scale * d
		}
		return value
	}
	x := make([]float64, n)
	if g := minimize(evaluate, x, 1e-9, 5000); g > 1e-9 {
		t.Errorf("the gradient is %g", g)
	}
	for i := range x {
		if math.Abs(x[i]-float64(i)) > 1e-4 {
			t.Errorf("x[%d] is %v", i, x[i])
		}
	}
}

func BenchmarkFit(b *testing.B) {
	texts, labels := sentences(4, 20_000, 40)
	b.ResetTimer()
	for b.Loop() {
		fit(b, texts, labels, Options{})
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}
