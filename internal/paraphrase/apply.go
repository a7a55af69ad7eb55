package paraphrase

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/draw"
)

// apply replaces what the changes find, each find with the given chance in 1,000. Of finds that overlap the earliest
// counts, of those at one place the longest.
func apply(changes []change, s string, perMille int, d draw.Stream) string {
	type find struct {
		start, end int
		free       string
		to         []string
	}
	var finds []find
	lower := strings.ToLower(s)
	held := trigramsOf(lower)
	for _, c := range changes {
		if !held.may(c.literal) || !strings.Contains(lower, c.literal) {
			continue
		}
		for _, m := range c.match.FindAllStringSubmatchIndex(s, -1) {
			if c.guarded(s, m[2], m[3]) {
				continue
			}
			f := find{start: m[2], end: m[3], to: c.to}
			if len(m) > 4 && m[4] >= 0 {
				f.free = s[m[4]:m[5]]
			}
			finds = append(finds, f)
		}
	}
	slices.SortStableFunc(finds, func(a, b find) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var b strings.Builder
	at := 0
	for _, f := range finds {
		if f.start < at {
			continue
		}
		b.WriteString(s[at:f.start])
		at = f.end
		was := s[f.start:f.end]
		var to []string
		for _, t := range f.to {
			t = strings.Replace(t, "{x}", f.free, 1)
			if !strings.EqualFold(t, was) && !strings.Contains(lower, strings.ToLower(t)) { // which would say it twice
				to = append(to, t)
			}
		}
		if len(to) == 0 || !d.Chance(perMille) {
			b.WriteString(was)
			continue
		}
		said := article(b.String(), like(was, to[d.Below(len(to))]))
		b.Reset()
		b.WriteString(said)
	}
	b.WriteString(s[at:])
	return b.String()
}

// guarded reports whether the words around a match forbid the change.
func (c change) guarded(s string, start, end int) bool {
	before, after := strings.Fields(s[:start]), strings.Fields(s[end:])
	if (end == len(s) || strings.ContainsRune(".,;:!?)'", rune(s[end]))) && slices.Contains(c.notBefore, ".") {
		return true
	}
	return len(after) > 0 && slices.Contains(c.notBefore, plainWord(after[0])) ||
		len(before) > 0 && slices.Contains(c.notAfter, plainWord(before[len(before)-1]))
}

// plainWord is a word as the lists of the rule file hold it: without marks around it, "*" for a part that is kept.
func plainWord(w string) string {
	if r, _ := utf8.DecodeRuneInString(w); isMask(r) {
		return "*"
	}
	return strings.ToLower(strings.Trim(w, ".,;:!?"))
}

// like gives a phrase the letter case of what it replaces.
func like(was, phrase string) string {
	if shouting(was) && !strings.HasSuffix(was, ":") { // one word before a colon is a name, such as BASE64
		return strings.ToUpper(phrase)
	}
	if first, _ := utf8.DecodeRuneInString(was); unicode.IsUpper(first) {
		return capital(phrase)
	}
	return phrase
}

// indefinite is an article at the end of a text.
var indefinite = regexp.MustCompile(`\b([Aa])n? $`)

// consonant finds words that begin with the letter of a vowel but not with its sound.
var consonant = regexp.MustCompile(`(?i)^(?:uni[cfqtv]|us[aeu]|one\b|once\b|eu)`)

// article joins a phrase to the text before it and makes an article between them agree.
func article(before, phrase string) string {
	if m := indefinite.FindStringSubmatchIndex(before); m != nil {
		a := before[m[2]:m[3]]
		if strings.ContainsAny(phrase[:1], "aeiouAEIOU") && !consonant.MatchString(phrase) {
			a += "n"
		}
		before = before[:m[0]] + a + " "
	}
	return before + phrase
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func small(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// shouting reports whether a text begins with a word of two capitals or more.
func shouting(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return len(word) > 1 && strings.ToUpper(word) == word && strings.ToLower(word) != word
}
