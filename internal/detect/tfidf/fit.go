package tfidf

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Options say what a fit needs beside its rows.
type Options struct {
	TrainSHA256 string // of the train split, kept in the model
	Workers     int    // goroutines; 0 = GOMAXPROCS. The model does not depend on it
}

// Fit learns the vocabulary and the weights from the texts with their labels, with the parameters of Paper. It fails
// with an integrity error when the rows cannot be learnt from: a class has no rows, or no term occurs often enough.
func Fit(texts []string, labels []dataset.Label, opts Options) (*Model, error) {
	if len(texts) != len(labels) {
		return nil, errors.New("tfidf: texts and labels differ in length")
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	m := &Model{Parameters: Paper, TrainSHA256: opts.TrainSHA256}
	for _, l := range labels {
		if l == dataset.Injection {
			m.Injection++
		} else {
			m.Benign++
		}
	}
	if m.Benign == 0 || m.Injection == 0 {
		return nil, fault.New(fault.Integrity,
			"the training rows hold %d benign and %d injection texts, expected some of each", m.Benign, m.Injection).
			WithCure("fit on a split with both labels")
	}
	m.learnTerms(texts)
	if len(m.terms) == 0 {
		return nil, fault.New(fault.Integrity, "no word occurs in at least %d and at most %g %% of the %d training texts",
			m.Parameters.MinDF, 100*m.Parameters.MaxDF, len(texts)).WithCure("fit on more texts")
	}
	m.index()
	rows := m.matrix(texts, opts.Workers)
	if err := m.learnWeights(rows, labels, opts.Workers); err != nil {
		return nil, err
	}
	return m, nil
}

// learnTerms sets terms and df: the 1- and 2-grams whose document frequency lies within the bounds.
func (m *Model) learnTerms(texts []string) {
	var (
		words  []string // by number
		number = map[string]int32{}
		df     = map[uint64]int{} // 1-gram n: key 0,n+1; 2-gram n,k: key n+1,k+1
		a      analyzer
		keys   []uint64
	)
	for _, text := range texts {
		a.run(text)
		keys = keys[:0]
		last := int32(0)
		a.words(func(word []byte) {
			n, ok := number[string(word)]
			if !ok {
				n = int32(len(words)) + 1
				words = append(words, string(word))
				number[words[n-1]] = n
			}
			keys = append(keys, pairKey(0, n))
			if last > 0 {
				keys = append(keys, pairKey(last, n))
			}
			last = n
		})
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			df[k]++
		}
	}
	type counted struct {
		term string
		df   int
	}
	var kept []counted
	most := m.Parameters.MaxDF * float64(len(texts))
	for key, n := range df { // sorted below
		if n < m.Parameters.MinDF || float64(n) > most {
			continue
		}
		first, second := int32(key>>32), int32(uint32(key))
		term := words[second-1]
		if first > 0 {
			term = words[first-1] + " " + term
		}
		kept = append(kept, counted{term, n})
	}
	slices.SortFunc(kept, func(a, b counted) int {
		if a.term < b.term {
			return -1
		}
		return 1 // terms are distinct
	})
	for _, k := range kept {
		m.terms, m.df = append(m.terms, k.term), append(m.df, k.df)
	}
}

// matrix returns the vectors of the texts as rows.
func (m *Model) matrix(texts []string, workers int) *sparse {
	chunks := make([]sparse, (len(texts)+chunkRows-1)/chunkRows)
	parallel(workers, len(chunks), func(k int) {
		var v vector
		c := &chunks[k]
		for _, text := range texts[k*chunkRows : min(len(texts), (k+1)*chunkRows)] {
			m.vectorize(text, &v)
			c.index = append(c.index, v.columns...)
			c.value = append(c.value, v.values...)
			c.start = append(c.start, len(c.index))
		}
	})
	all := &sparse{start: []int{0}}
	for _, c := range chunks {
		base := len(all.index)
		for _, end := range c.start {
			all.start = append(all.start, base+end)
		}
		all.index = append(all.index, c.index...)
		all.value = append(all.value, c.value...)
	}
	return all
}

// parallel calls f for 0 ≤ k < n on several goroutines. Which one takes which k must not matter to the result.
func parallel(workers, n int, f func(k int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				f(k)
			}
		})
	}
	wg.Wait()
}
