package paraphrase

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/textnorm"
)

// The reasons why a try is not used.
const (
	NoChange       = "no_change_possible"
	SeedTooLong    = "seed_too_long"
	Empty          = "empty"
	Unreadable     = "not_text" // not UTF-8, or holds control characters
	Refusal        = "refusal"
	Unfinished     = "unfinished" // cut off at the token limit
	PayloadChanged = "payload_changed"
	PayloadDecoded = "payload_decoded"
	SameAsSeed     = "same_as_seed"
	SameAsRound    = "same_as_another_round"
	TooShort       = "too_short"
	TooLong        = "too_long"
	TooSimilar     = "too_similar"
	TooDifferent   = "too_different"
	OtherScript    = "other_script"
)

// The bands a rewording must stay in. Lengths are in characters without the payloads; the slack lets a short text grow
// by a few words. Similarities are Jaccard indices.
const (
	minLength, maxLength = 0.5, 2.0
	shorter, longer      = 20, 70
	minSimilar           = 0.05 // of the words, payload included
	maxSimilar           = 0.80 // of the words and pairs of words outside the payloads, to the seed and other rounds
)

// checker holds what the rewordings of one seed are compared with.
type checker struct {
	rules    *Rules
	seed     string
	exact    string          // form of the seed
	words    map[string]bool // of the seed
	refuses  bool            // whether the seed itself says what a refusal says
	payloads []string
	outside  string            // the seed without its payloads
	script   string            // of what is outside
	seen     map[string]string // exact forms of the seed and the accepted rounds
	others   []map[string]bool // their words and pairs of words outside the payloads
}

func (r *Rules) checker(s Seed) *checker {
	c := &checker{rules: r, seed: s.Text, exact: textnorm.Exact(s.Text)}
	c.seen, c.words, c.refuses = map[string]string{c.exact: SameAsSeed}, words(c.exact, false), r.refuses(c.exact)
	all, _ := spans(s.Text)
	for _, sp := range all {
		if sp.payload {
			c.payloads = append(c.payloads, s.Text[sp.start:sp.end])
		}
	}
	c.outside = c.without(s.Text)
	c.script = script(c.outside)
	c.others = []map[string]bool{words(textnorm.Exact(c.outside), true)}
	return c
}

// accept makes later rounds differ from this text too.
func (c *checker) accept(text string) {
	c.seen[textnorm.Exact(text)] = SameAsRound
	c.others = append(c.others, words(textnorm.Exact(c.without(text)), true))
}

// problem returns why a text is no rewording of the seed, or "".
func (c *checker) problem(text string) string {
	if strings.TrimSpace(text) == "" {
		return Empty
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune(c.seed, r) && r != '\n' && r != '\t'
	}) {
		return Unreadable
	}
	exact := textnorm.Exact(text)
	if !c.refuses && c.rules.refuses(exact) {
		return Refusal
	}
	if reason := c.seen[exact]; reason != "" {
		return reason
	}
	for _, p := range c.payloads {
		if strings.Count(text, p) < strings.Count(c.seed, p) {
			return PayloadChanged
		}
		if plain, ok := decoded(p); ok {
			plain = textnorm.Exact(plain)
			if strings.Contains(exact, plain) && !strings.Contains(c.exact, plain) {
				return PayloadDecoded
			}
		}
	}
	outside := c.without(text)
	if c.script != "" && script(outside) != c.script {
		return OtherScript
	}
	was, is := float64(utf8.RuneCountInString(c.outside)), float64(utf8.RuneCountInString(outside))
	switch {
	case is < minLength*was-shorter:
		return TooShort
	case is > maxLength*was+longer:
		return TooLong
	case jaccard(c.words, words(exact, false)) < minSimilar:
		return TooDifferent
	}
	now := words(textnorm.Exact(outside), true)
	if slices.ContainsFunc(c.others, func(o map[string]bool) bool { return jaccard(o, now) > maxSimilar }) {
		return TooSimilar
	}
	return ""
}

// without returns the text with its payloads taken out.
func (c *checker) without(text string) string {
	for _, p := range c.payloads {
		text = strings.Replace(text, p, "\n", 1)
	}
	return text
}

// words returns the set of words of a text in exact form, and of pairs of neighbours where asked.
func words(exact string, pairs bool) map[string]bool {
	out := map[string]bool{}
	last := ""
	for _, w := range strings.FieldsFunc(exact, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		out[w] = true
		if pairs {
			out[last+" "+w] = true
		}
		last = w
	}
	return out
}

// jaccard is the size of the intersection over that of the union; 0 for two empty sets, which have nothing in common.
func jaccard(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if n := len(a) + len(b) - both; n > 0 {
		return float64(both) / float64(n)
	}
	return 0
}

// script names the script of most letters; of equal counts the first of the list.
func script(text string) string {
	scripts := []struct {
		name  string
		table *unicode.RangeTable
	}{
		{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Han", unicode.Han},
		{"Kana", unicode.Hiragana}, {"Kana", unicode.Katakana}, {"Hangul", unicode.Hangul}, {"Arabic", unicode.Arabic},
		{"Hebrew", unicode.Hebrew}, {"Devanagari", unicode.Devanagari}, {"Thai", unicode.Thai},
	}
	counts := make([]int, len(scripts))
	best := 0
	for _, r := range text {
		for i, s := range scripts {
			if unicode.Is(s.table, r) {
				counts[i]++
				if counts[i] > counts[best] {
					best = i
				}
			}
		}
	}
	if counts[best] == 0 {
		return ""
	}
	return scripts[best].name
}
