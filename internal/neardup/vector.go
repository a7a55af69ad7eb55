// Package neardup finds the pairs of texts whose TF-IDF vectors are close, without missing one, and joins rows into
// families.
package neardup

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The lengths of the character n-grams, in code points.
const (
	minGram = 3
	maxGram = 5
)

// vectors holds one L2-normalised vector a text, flat. Features are numbered rare-first: by the number of texts that
// hold them, then by their bytes; a vector lists its features in that order, which is also the order of every sum.
type vectors struct {
	start   []int // of text i in feature and weight; one more than there are texts
	feature []uint32
	weight  []float64
	terms   []string // by feature
}

// vectorise counts n-grams of 3 to 5 code points inside word bounds and weighs them as scikit-learn's
// TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)) fitted on the same texts: lower case, plain counts times
// ln((1+n)/(1+df)) + 1, divided by the L2 norm. Texts without a word get no features.
func vectorise(texts []string) *vectors {
	v := &vectors{start: make([]int, 1, len(texts)+1)}
	g := grams{ids: map[string]uint32{}, byWord: map[string][]uint32{}}
	lower := cases.Lower(language.Und, cases.HandleFinalSigma(true))
	var df []int
	var all []uint32
	for _, text := range texts {
		all = all[:0]
		for _, word := range strings.FieldsFunc(lower.String(text), isSpace) {
			all = append(all, g.of(word)...)
		}
		slices.Sort(all)
		for len(df) < len(g.terms) {
			df = append(df, 0)
		}
		for i := 0; i < len(all); {
			j := i + 1
			for j < len(all) && all[j] == all[i] {
				j++
			}
			v.feature = append(v.feature, all[i])
			v.weight = append(v.weight, float64(j-i))
			df[all[i]]++
			i = j
		}
		v.start = append(v.start, len(v.feature))
	}
	rank := v.rank(g.terms, df)
	idf := make([]float64, len(df))
	for id, n := range df {
		idf[rank[id]] = math.Log(float64(1+len(texts))/float64(1+n)) + 1
	}
	for i := range texts {
		v.finish(i, rank, idf)
	}
	return v
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

// finish renumbers the features of text i, sorts them, and turns counts into normalised weights.
func (v *vectors) finish(i int, rank []uint32, idf []float64) {
	type entry struct {
		feature uint32
		weight  float64
	}
	feature, weight := v.row(i)
	entries := make([]entry, len(feature))
	for k, id := range feature {
		entries[k] = entry{rank[id], weight[k] * idf[rank[id]]}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.feature, b.feature) })
	var squares float64
	for _, e := range entries {
		squares += float64(e.weight * e.weight)
	}
	norm := math.Sqrt(squares)
	for k, e := range entries {
		feature[k], weight[k] = e.feature, e.weight/norm
	}
}

// row returns the features and weights of text i.
func (v *vectors) row(i int) ([]uint32, []float64) {
	from, to := v.start[i], v.start[i+1]
	return v.feature[from:to], v.weight[from:to]
}

// grams numbers n-grams as they come and remembers those of each word, because words come again and again.
type grams struct {
	ids    map[string]uint32
	terms  []string
	byWord map[string][]uint32
}

// of returns the numbers of the n-grams of a word: of each length all pieces of the word with a space on both sides. A
// piece as long as the padded word or longer is the padded word, once, and no longer pieces follow.
func (g *grams) of(word string) []uint32 {
	if ids, ok := g.byWord[word]; ok {
		return ids
	}
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
	// Words are as long as their author likes; only short ones are worth remembering.
	if utf8.RuneCountInString(word) <= 32 {
		g.byWord[word] = ids
	}
	return ids
}

func (g *grams) id(term string) uint32 {
	id, ok := g.ids[term]
	if !ok {
		id = uint32(len(g.terms))
		term = strings.Clone(term)
		g.ids[term] = id
		g.terms = append(g.terms, term)
	}
	return id
}

// isSpace is Python's notion of white space, which the reference splits on.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F }
