// Package neardup finds the pairs of texts whose TF-IDF vectors are close, without missing one, and joins rows into
// families.
package neardup

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The lengths of the character n-grams, in code points.
const (
	minGram = 3
	maxGram = 5
)

// vectors holds one L2-normalised vector a text. Features are numbered rare-first: by the number of texts that hold them,
// then by their bytes; a vector lists its features in that order, which is also the order of every sum. Counts are kept,
// and weights worked out from them where they are read, because they take less memory.
type vectors struct {
	rows  [][]entry // by text
	norm  []float64 // L2 norm of each text's weights before they are divided by it
	idf   []float64 // by feature
	terms []string  // by feature
}

// entry is a feature, in the upper half, and how often a text holds it.
type entry uint64

func (e entry) feature() uint32 { return uint32(e >> 32) }
func (e entry) count() uint32   { return uint32(e) }

// weight returns the weight of an entry of text i.
func (v *vectors) weight(e entry, i int) float64 {
	return float64(e.count()) * v.idf[e.feature()] / v.norm[i]
}

// weights returns the weights of text i, in the given buffer.
func (v *vectors) weights(i int, buffer []float64) []float64 {
	out := buffer[:0]
	for _, e := range v.rows[i] {
		out = append(out, v.weight(e, i))
	}
	return out
}

// vectorise counts n-grams of 3 to 5 code points inside word bounds and weighs them as scikit-learn's
// TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)) fitted on the same texts: lower case, plain counts times
// ln((1+n)/(1+df)) + 1, divided by the L2 norm. Texts without a word get no features. The vectors do not depend on the
// number of workers.
func vectorise(texts []string, workers int) *vectors {
	g := grams{ids: map[string]uint32{}}
	words := g.split(texts, workers)
	v := &vectors{rows: make([][]entry, len(texts)), norm: make([]float64, len(texts))}
	dfs := make([][]int, workers)
	each(len(texts), workers, func(worker, from, to int) {
		if dfs[worker] == nil {
			dfs[worker] = make([]int, len(g.terms))
		}
		count := make([]uint32, len(g.terms))
		var touched []uint32
		for i := from; i < to; i++ {
			touched = touched[:0]
			for _, word := range words[i] {
				for _, id := range g.ofWord[word] {
					if count[id] == 0 {
						touched = append(touched, id)
					}
					count[id]++
				}
			}
			v.rows[i] = make([]entry, len(touched))
			for k, id := range touched {
				v.rows[i][k] = entry(id)<<32 | entry(count[id])
				count[id] = 0
				dfs[worker][id]++
			}
		}
	})
	df := make([]int, len(g.terms))
	for _, part := range dfs {
		for id, n := range part {
			df[id] += n
		}
	}
	rank := v.rank(g.terms, df)
	v.idf = make([]float64, len(df))
	for id, n := range df {
		v.idf[rank[id]] = math.Log(float64(1+len(texts))/float64(1+n)) + 1
	}
	each(len(texts), workers, func(_, from, to int) {
		for i := from; i < to; i++ {
			v.finish(i, rank)
		}
	})
	return v
}

// each calls do with ranges that together are 0…n, on so many workers, numbered from 0. Ranges are large, since do may
// prepare something for each.
func each(n, workers int, do func(worker, from, to int)) {
	size := max(1, (n+4*workers-1)/(4*workers))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for from := int(next.Add(int64(size))) - size; from < n; from = int(next.Add(int64(size))) - size {
				do(w, from, min(from+size, n))
			}
		})
	}
	wg.Wait()
}

// rank numbers the features rare-first and keeps their terms in that order.
func (v *vectors) rank(terms []string, df []int) []uint32 {
	order := make([]uint32, len(terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(df[a], df[b]), cmp.Compare(terms[a], terms[b]))
	})
	rank := make([]uint32, len(terms))
	v.terms = make([]string, len(terms))
	for r, id := range order {
		rank[id] = uint32(r)
		v.terms[r] = terms[id]
	}
	return rank
}

// finish renumbers the features of text i, sorts them, and sets its norm.
func (v *vectors) finish(i int, rank []uint32) {
	for k, e := range v.rows[i] {
		v.rows[i][k] = entry(rank[e.feature()])<<32 | entry(e.count())
	}
	slices.Sort(v.rows[i])
	var squares float64
	for _, e := range v.rows[i] {
		w := float64(e.count()) * v.idf[e.feature()]
		squares += float64(w * w)
	}
	v.norm[i] = math.Sqrt(squares)
}

// grams numbers n-grams, and the words that hold them, because words come again and again.
type grams struct {
	ids    map[string]uint32
	terms  []string
	ofWord [][]uint32 // the n-grams of each word
}

// split returns the numbers of the words of each text, in lower case.
func (g *grams) split(texts []string, workers int) [][]uint32 {
	fields := make([][]string, len(texts))
	each(len(texts), workers, func(_, from, to int) {
		lower := cases.Lower(language.Und, cases.HandleFinalSigma(true))
		for i := from; i < to; i++ {
			fields[i] = strings.FieldsFunc(lower.String(texts[i]), isSpace)
		}
	})
	numbers := map[string]uint32{}
	words := make([][]uint32, len(texts))
	for i, f := range fields {
		words[i] = make([]uint32, len(f))
		for k, word := range f {
			n, ok := numbers[word]
			if !ok {
				n = uint32(len(g.ofWord))
				numbers[word] = n
				g.ofWord = append(g.ofWord, g.of(word))
			}
			words[i][k] = n
		}
	}
	return words
}

// of returns the numbers of the n-grams of a word: of each length all pieces of the word with a space on both sides. A
// piece as long as the padded word or longer is the padded word, once, and no longer pieces follow.
func (g *grams) of(word string) []uint32 {
	padded := " " + word + " "
	var starts []int // byte position of each code point, and the end
	for i := range padded {
		starts = append(starts, i)
	}
	length := len(starts)
	starts = append(starts, len(padded))
	var ids []uint32
	for n := minGram; n <= maxGram; n++ {
		if length <= n {
			ids = append(ids, g.id(padded))
			break
		}
		for i := 0; i+n <= length; i++ {
			ids = append(ids, g.id(padded[starts[i]:starts[i+n]]))
		}
	}
	return ids
}

func (g *grams) id(term string) uint32 {
	id, ok := g.ids[term]
	if !ok {
		id = uint32(len(g.terms))
		g.ids[term] = id
		g.terms = append(g.terms, term)
	}
	return id
}

// isSpace is Python's notion of white space, which the reference splits on.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F }
