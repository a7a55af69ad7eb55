// Package tfidf is the classical baseline: TF-IDF over word 1- and 2-grams and logistic regression, fitted natively and
// equal to scikit-learn's TfidfVectorizer and LogisticRegression fitted to convergence.
package tfidf

import (
	"math"
	"slices"
	"strings"
)

// Parameters are the settings of a model. This version knows one set, Paper; they stand in the model file so that
// another version cannot mistake it.
type Parameters struct {
	MinWords    int     `json:"min_words"` // n-grams of one word …
	MaxWords    int     `json:"max_words"` // … to two
	Lowercase   bool    `json:"lowercase"`
	Accents     string  `json:"accents"`      // unicode: stripped by compatibility decomposition
	MinDF       int     `json:"min_df"`       // texts a term must occur in at least
	MaxDF       float64 `json:"max_df"`       // share of the texts a term may occur in at most
	IDF         string  `json:"idf"`          // smooth: ln((1+n)/(1+df))+1
	Norm        string  `json:"norm"`         // l2, a text
	C           float64 `json:"c"`            // inverse weight of the L2 penalty; the intercept is free
	ClassWeight string  `json:"class_weight"` // balanced: n/(2·rows of the class)
	Tolerance   float64 `json:"tolerance"`    // largest component of the mean loss's gradient at the solution
}

// Paper is the published setting of the baseline, with a tolerance at which probabilities are within 1e-4 of the exact
// solution (scikit-learn's default tolerance leaves errors of 1e-2 and flips decisions).
var Paper = Parameters{
	MinWords: 1, MaxWords: 2, Lowercase: true, Accents: "unicode", MinDF: 2, MaxDF: 0.95, IDF: "smooth", Norm: "l2",
	C: 1, ClassWeight: "balanced", Tolerance: 1e-8,
}

// Model is a fitted baseline. It is safe for concurrent use.
type Model struct {
	Parameters  Parameters
	TrainSHA256 string // lower-case hex of the train split it was fitted on; empty when unknown
	Benign      int    // training rows
	Injection   int
	Intercept   float64

	terms  []string // rising in byte order: one word, or two with a space between
	df     []int    // training texts that hold the term
	weight []float64

	idf    []float64
	words  map[string]int32 // word → number
	column []int32          // word number → column of its 1-gram, or -1
	pairs  map[uint64]int32 // numbers of two words → column of their 2-gram
}

// Terms returns the number of terms.
func (m *Model) Terms() int { return len(m.terms) }

func pairKey(first, second int32) uint64 { return uint64(first)<<32 | uint64(uint32(second)) }

// index derives the look-up tables from the terms and their document frequencies.
func (m *Model) index() {
	m.words = make(map[string]int32, len(m.terms))
	m.column = nil
	m.pairs = make(map[uint64]int32, len(m.terms))
	number := func(word string) int32 {
		n, ok := m.words[word]
		if !ok {
			n = int32(len(m.column))
			m.words[word] = n
			m.column = append(m.column, -1)
		}
		return n
	}
	m.idf = make([]float64, len(m.terms))
	n := float64(m.Benign + m.Injection)
	for c, term := range m.terms {
		first, second, two := strings.Cut(term, " ")
		if two {
			m.pairs[pairKey(number(first), number(second))] = int32(c)
		} else {
			m.column[number(first)] = int32(c)
		}
		m.idf[c] = math.Log((1+n)/float64(1+m.df[c])) + 1
	}
}

// vector is a sparse row: the columns in rising order and the value of each.
type vector struct {
	columns []int32
	values  []float64
	words   analyzer
}

// vectorize fills v with the TF-IDF vector of the text, of length 1 unless no term occurs.
func (m *Model) vectorize(text string, v *vector) {
	v.words.run(text)
	v.columns, v.values = v.columns[:0], v.values[:0]
	last := int32(-1)
	v.words.words(func(word []byte) {
		n, known := m.words[string(word)]
		if !known {
			last = -1
			return
		}
		if c := m.column[n]; c >= 0 {
			v.columns = append(v.columns, c)
		}
		if last >= 0 {
			if c, ok := m.pairs[pairKey(last, n)]; ok {
				v.columns = append(v.columns, c)
			}
		}
		last = n
	})
	slices.Sort(v.columns)
	distinct := 0
	for i := 0; i < len(v.columns); {
		c, tf := v.columns[i], 0
		for ; i < len(v.columns) && v.columns[i] == c; i++ {
			tf++
		}
		v.columns[distinct] = c
		v.values = append(v.values, float64(tf)*m.idf[c])
		distinct++
	}
	v.columns = v.columns[:distinct]
	squares := 0.0
	for _, x := range v.values {
		squares += x * x
	}
	if length := math.Sqrt(squares); length > 0 {
		for i := range v.values {
			v.values[i] /= length
		}
	}
}

// probability returns P(injection) in [0,1] of a vectorized text.
func (m *Model) probability(v *vector) float64 {
	z := m.Intercept
	for i, c := range v.columns {
		z += m.weight[c] * v.values[i]
	}
	return sigmoid(z)
}

func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}
