package tfidf

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"pidsbench/internal/dataset"
)

// The golden files come from scikit-learn by way of tools/golden/tfidf.py.
func golden(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func analyze(text string) []string {
	words := []string{}
	var a analyzer
	a.run(text)
	a.words(func(w []byte) { words = append(words, string(w)) })
	return words
}

func TestWordsEqualScikitLearn(t *testing.T) {
	var g struct {
		Texts []string
		Words [][]string
	}
	golden(t, "words.json", &g)
	if len(g.Texts) < 15 || len(g.Words) != len(g.Texts) {
		t.Fatalf("%d texts and %d lists of words", len(g.Texts), len(g.Words))
	}
	for i, text := range g.Texts {
		if got := analyze(text); !slices.Equal(got, g.Words[i]) {
			t.Errorf("words of %q are\n%q, want\n%q", text, got, g.Words[i])
		}
	}
}

func TestVectorsEqualScikitLearn(t *testing.T) {
	type rows [][][2]float64 // a text: pairs of column and value
	var g struct {
		Train     []string
		Terms     []string
		IDF       []float64
		TrainRows rows `json:"train_rows"`
		Extra     []string
		ExtraRows rows `json:"extra_rows"`
	}
	golden(t, "vectors.json", &g)
	m := &Model{Parameters: Paper, Benign: len(g.Train)}
	m.learnTerms(g.Train)
	m.index()
	if !slices.Equal(m.terms, g.Terms) {
		t.Fatalf("terms are\n%q, want\n%q", m.terms, g.Terms)
	}
	for c, want := range g.IDF {
		if math.Abs(m.idf[c]-want) > 1e-12 {
			t.Errorf("idf of %q is %v, want %v", m.terms[c], m.idf[c], want)
		}
	}
	var v vector
	check := func(texts []string, want rows) {
		for i, text := range texts {
			m.vectorize(text, &v)
			if len(v.columns) != len(want[i]) {
				t.Errorf("%q has %d terms, want %d", text, len(v.columns), len(want[i]))
				continue
			}
			for k, cell := range want[i] {
				if int(v.columns[k]) != int(cell[0]) || math.Abs(v.values[k]-cell[1]) > 1e-12 {
					t.Errorf("%q, term %d: column %d value %v, want %v", text, k, v.columns[k], v.values[k], cell)
				}
			}
		}
	}
	check(g.Train, g.TrainRows)
	check(g.Extra, g.ExtraRows)
}

type regressionGolden struct {
	Train              []string
	Labels             []dataset.Label
	Terms              int
	Intercept          float64
	HeldOut            []string  `json:"held_out"`
	TrainProbability   []float64 `json:"train_probability"`
	HeldOutProbability []float64 `json:"held_out_probability"`
}

func TestProbabilitiesEqualScikitLearnFittedToConvergence(t *testing.T) {
	var g regressionGolden
	golden(t, "regression.json", &g)
	m, err := Fit(g.Train, g.Labels, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Terms() != g.Terms || math.Abs(m.Intercept-g.Intercept) > 1e-5 {
		t.Errorf("%d terms and intercept %v, want %d and %v", m.Terms(), m.Intercept, g.Terms, g.Intercept)
	}
	far, flips := 0.0, 0
	var v vector
	check := func(texts []string, want []float64) {
		for i, text := range texts {
			m.vectorize(text, &v)
			p := m.probability(&v)
			far = max(far, math.Abs(p-want[i]))
			if (p >= 0.5) != (want[i] >= 0.5) {
				flips++
			}
		}
	}
	check(g.Train, g.TrainProbability)
	check(g.HeldOut, g.HeldOutProbability)
	t.Logf("largest difference of a probability: %.2g", far)
	if far > 1e-5 || flips != 0 {
		t.Errorf("probabilities differ by up to %g with %d flips, want at most 1e-5 and none", far, flips)
	}
}
