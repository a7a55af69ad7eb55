// Package lists reads the reviewed lists under data/lists, which decide rows of the open edition: the words that make a
// benign row security-adjacent, and the rows that are dropped.
package lists

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
	"pidsbench/internal/textnorm"
)

// wordsSchema names the form of a word list.
const wordsSchema = "pidsbench-words/1"

// Words is a word list. It is safe for concurrent use.
type Words struct {
	terms    []term
	homonyms []term
	byFirst  map[string][]int // first word of a term, when it is whole, to positions in terms
	open     []int            // positions in terms of those whose first word ends in *
	hByFirst map[string][]int
	hOpen    []int
}

// term is one or several adjacent words; a word that ends in * matches every word that begins with the rest.
type term struct {
	name  string
	words []string
}

type wordsFile struct {
	Schema value `yaml:"schema"`
	Topics []struct {
		Name  value   `yaml:"name"`
		Terms []value `yaml:"terms"`
	} `yaml:"topics"`
	Homonyms []value `yaml:"homonyms"`
}

// LoadWords reads a word list, named by its path below root with slashes. A file that cannot be read, does not parse,
// holds an unknown field, another schema, no term, or a term that is empty, repeated or not in exact form
// (textnorm.Exact) is an error of kind Integrity that names file, line and field.
func LoadWords(root, name string) (*Words, error) {
	var f wordsFile
	file := list(name)
	if err := file.Load(filepath.Join(root, filepath.FromSlash(name)), &f); err != nil {
		return nil, err
	}
	if f.Schema.text != wordsSchema {
		return nil, file.Fail(max(f.Schema.line, 1), "field schema holds %s, expected %q", fault.Quote(f.Schema.text),
			wordsSchema)
	}
	var all []value
	for _, topic := range f.Topics {
		all = append(all, topic.Terms...)
	}
	if len(all) == 0 {
		return nil, file.Fail(1, "field topics holds no terms, expected at least one")
	}
	w := &Words{}
	var err error
	if w.terms, err = parseTerms(file, "terms", all); err != nil {
		return nil, err
	}
	if w.homonyms, err = parseTerms(file, "homonyms", f.Homonyms); err != nil {
		return nil, err
	}
	w.byFirst, w.open = index(w.terms)
	w.hByFirst, w.hOpen = index(w.homonyms)
	return w, nil
}

// parseTerms refuses a term that could never match or stands there twice.
func parseTerms(file *strictyaml.File, field string, in []value) ([]term, error) {
	out := make([]term, len(in))
	seen := map[string]bool{}
	for i, v := range in {
		words := strings.Fields(v.text)
		ok := len(words) > 0 && v.text == strings.Join(words, " ")
		for _, word := range words {
			stem := strings.TrimSuffix(word, "*")
			ok = ok && stem != "" && stem == textnorm.Exact(stem) &&
				strings.IndexFunc(stem, func(r rune) bool { return !inWord(r) }) < 0
		}
		if !ok {
			return nil, file.Fail(v.line, "field %s holds %s, expected words of small letters and digits with single "+
				"spaces between, each with at most one * at its end", field, fault.Quote(v.text))
		}
		if seen[v.text] {
			return nil, file.Fail(v.line, "field %s holds %s a second time, expected each term once", field,
				fault.Quote(v.text))
		}
		seen[v.text] = true
		out[i] = term{v.text, words}
	}
	return out, nil
}

func index(terms []term) (byFirst map[string][]int, open []int) {
	byFirst = map[string][]int{}
	for i, t := range terms {
		if strings.HasSuffix(t.words[0], "*") {
			open = append(open, i)
		} else {
			byFirst[t.words[0]] = append(byFirst[t.words[0]], i)
		}
	}
	return byFirst, open
}

// Match reports whether the text holds a term of the list, and which one: the first in file order that occurs outside
// every homonym phrase. The text is cut into runs of letters and digits of its exact form.
func (w *Words) Match(text string) (entry string, ok bool) {
	tokens := strings.FieldsFunc(textnorm.Exact(text), func(r rune) bool { return !inWord(r) })
	best := len(w.terms)
	var covered []int // as cover returns it; nil until it is needed
	for at := range tokens {
		try := func(i int) {
			n := w.terms[i].matches(tokens[at:])
			if n == 0 || i >= best {
				return
			}
			if covered == nil {
				covered = w.cover(tokens)
			}
			if covered[at] < at+n {
				best = i
			}
		}
		for _, i := range w.byFirst[tokens[at]] {
			try(i)
		}
		for _, i := range w.open {
			try(i)
		}
	}
	if best == len(w.terms) {
		return "", false
	}
	return w.terms[best].name, true
}

// cover returns for each token how far (exclusive) a homonym phrase reaches that begins there or before, or 0.
func (w *Words) cover(tokens []string) []int {
	ends := make([]int, len(tokens))
	for at := range tokens {
		if at > 0 {
			ends[at] = ends[at-1]
		}
		for _, i := range slices.Concat(w.hByFirst[tokens[at]], w.hOpen) {
			if n := w.homonyms[i].matches(tokens[at:]); n > 0 {
				ends[at] = max(ends[at], at+n)
			}
		}
	}
	return ends
}

// matches returns the number of tokens that the term takes at the start of tokens, or 0.
func (t term) matches(tokens []string) int {
	if len(tokens) < len(t.words) {
		return 0
	}
	for i, word := range t.words {
		if stem, open := strings.CutSuffix(word, "*"); open {
			if !strings.HasPrefix(tokens[i], stem) {
				return 0
			}
		} else if tokens[i] != word {
			return 0
		}
	}
	return len(t.words)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
