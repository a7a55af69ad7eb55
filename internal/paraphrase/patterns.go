package paraphrase

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

// patternSet lists ways to say one whole sentence. {x} and {y} are words that stay; each stands once in each of them.
type patternSet struct {
	Any       []string `yaml:"any"`
	Of        []string `yaml:"of"`
	To        []string `yaml:"to"`
	NotBefore []string `yaml:"not_before"` // words that {x} may not begin with
	Without   []string `yaml:"without"`    // words that may not stand in {x} or {y}
	Most      int      `yaml:"most"`       // words of {x} and of {y}; 0 stands for 24
}

// pattern is one of these ways and what may stand for it.
type pattern struct {
	words     string
	fixed     []string // the parts of it that stand in every match, in small letters
	match     *regexp.Regexp
	to        []string
	notBefore []string
	without   []string
	most      int
}

var slot = regexp.MustCompile(`\\\{([xy])\\\}`)

// patterns compiles the sets, longest first, so that of all that match a sentence the most special counts.
func patterns(sets []patternSet) (out []pattern, at int, problem string) {
	seen := map[string]bool{}
	for i, s := range sets {
		of, to := s.Of, s.To
		if len(s.Any) > 1 && len(of)+len(to) == 0 {
			of, to = s.Any, s.Any
		}
		if len(of) == 0 || len(to) == 0 || len(s.Any) > 0 && len(s.Of)+len(s.To) > 0 {
			return nil, i, "an entry leaves no choice or more than one, expected any with two patterns or more, or of and to"
		}
		y := strings.Count(of[0], "{y}")
		for _, p := range slices.Concat(of, to) {
			if p == "" || strings.Join(strings.Fields(p), " ") != p {
				return nil, i, "an entry holds " + fault.Quote(p) + ", expected words with single spaces between"
			}
			if strings.Count(p, "{x}") != 1 || strings.Count(p, "{y}") != y || y > 1 {
				return nil, i, "an entry holds " + fault.Quote(p) +
					", expected {x} once, and {y} once in each of a set or in none"
			}
		}
		for _, p := range of {
			if key := strings.ToLower(p); seen[key] {
				return nil, i, "an entry holds " + fault.Quote(p) + " a second time, expected each pattern once"
			}
			seen[strings.ToLower(p)] = true
			re := slot.ReplaceAllString(regexp.QuoteMeta(p), `(?P<$1>[^.!?;:\n]*[^.!?;:,\s])`)
			most := s.Most
			if most == 0 {
				most = 24
			}
			out = append(out, pattern{p, between(p), regexp.MustCompile(`(?i)^` + re + `$`), to, s.NotBefore, s.Without, most})
		}
	}
	slices.SortStableFunc(out, func(a, b pattern) int { return len(b.words) - len(a.words) })
	return out, 0, ""
}

// between returns the parts of a pattern between its slots, as far as letter case in them is a matter of ASCII.
func between(p string) []string {
	parts := strings.Split(strings.ReplaceAll(strings.ToLower(p), "{y}", "{x}"), "{x}")
	return slices.DeleteFunc(parts, func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
	})
}

// fits returns the words of {x} and {y} when the pattern says the sentence, which goes without its end mark. held are the
// trigrams of the sentence.
func (p pattern) fits(s string, held *trigrams) (x, y string, ok bool) {
	for _, part := range p.fixed {
		if !held.may(part) {
			return "", "", false
		}
	}
	m := p.match.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	x = m[p.match.SubexpIndex("x")]
	if i := p.match.SubexpIndex("y"); i >= 0 {
		y = m[i]
	}
	for _, part := range []string{x, y} {
		words := strings.Fields(part)
		if len(words) > p.most || strings.HasPrefix(part, ",") ||
			slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.without, plainWord(w)) }) {
			return "", "", false
		}
	}
	first := strings.Fields(x)
	return x, y, len(first) > 0 && !slices.Contains(p.notBefore, plainWord(first[0]))
}

// recast says a sentence by another pattern of its set.
func (r *Rules) recast(s string, d draw.Stream) string {
	body, mark := cutMark(s)
	if strings.HasSuffix(body, ".") || shouting(body) && strings.ToUpper(body) != body {
		return s
	}
	held := trigramsOf(strings.ToLower(body))
	for _, p := range r.patterns {
		x, y, ok := p.fits(body, &held)
		if !ok || mark == "?" && !r.asks(p.words) {
			continue
		}
		to := p.to[d.Below(len(p.to))]
		if strings.EqualFold(to, p.words) {
			return s
		}
		if strings.HasPrefix(p.words, "{x}") && !strings.HasPrefix(to, "{x}") {
			x = lowered(x)
		}
		if strings.Contains(body, " i ") {
			to = strings.Replace(to, "I ", "i ", 1)
		}
		if shouting(body) {
			to = upper(to)
		}
		said := strings.NewReplacer("{x}", x, "{y}", y).Replace(to)
		if first, _ := utf8.DecodeRuneInString(body); unicode.IsUpper(first) || isMask(first) {
			said = capital(said)
		}
		switch asks := r.asks(to); {
		case mark == "":
		case asks:
			mark = "?"
		case mark == "?":
			mark = "."
		}
		return said + mark
	}
	return s
}

// upper is a pattern in capitals, but for its free parts.
func upper(s string) string {
	return strings.NewReplacer("{X}", "{x}", "{Y}", "{y}").Replace(strings.ToUpper(s))
}

// recasts reports whether a pattern fits the sentence.
func (r *Rules) recasts(s string) bool {
	body, mark := cutMark(s)
	held := trigramsOf(strings.ToLower(body))
	return slices.ContainsFunc(r.patterns, func(p pattern) bool {
		_, _, ok := p.fits(body, &held)
		return ok && (mark != "?" || r.asks(p.words))
	})
}

// cutMark cuts the end mark off a sentence.
func cutMark(s string) (body, mark string) {
	s = strings.TrimRight(s, " ")
	if n := len(s); n > 0 && strings.ContainsRune(".!?", rune(s[n-1])) {
		return s[:n-1], s[n-1:]
	}
	return s, ""
}

// lowered gives a sentence a small first letter, unless it begins with I or in capitals.
func lowered(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if word == "I" || strings.HasPrefix(word, "I'") || strings.HasPrefix(word, "I’") || shouting(s) {
		return s
	}
	return small(s)
}
