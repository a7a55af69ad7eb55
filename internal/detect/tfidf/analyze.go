package tfidf

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// analyzer cuts a text into words: lower case, accents stripped, runs of two or more letters, numbers and underscores.
// It does what scikit-learn's vectorizer does in that order (str.lower, strip_accents="unicode", the token pattern
// (?u)\b\w\w+\b). It is reused from text to text.
type analyzer struct {
	buf   []byte // the words, one after the other
	ends  []int  // where each word ends in buf
	runes int    // length of the word under way
}

// run analyses the text; words then returns its words.
func (a *analyzer) run(text string) {
	a.buf, a.ends, a.runes = a.buf[:0], a.ends[:0], 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_':
				a.buf = append(a.buf, c)
				a.runes++
			case 'A' <= c && c <= 'Z':
				a.buf = append(a.buf, c+'a'-'A')
				a.runes++
			default:
				a.endWord()
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		a.strip(lower(text, i, r))
		i += size
	}
	a.endWord()
}

// strip appends the compatibility decomposition of a rune without its combining marks. Decomposing rune by rune is
// enough: normalisation of a whole text would only reorder marks, and they all go.
func (a *analyzer) strip(r rune) {
	var in [utf8.UTFMax]byte
	b := in[:utf8.EncodeRune(in[:], r)]
	if 0xac00 <= r && r <= 0xd7a3 { // Hangul decomposes by rule, not by table
		b = norm.NFKD.AppendString(nil, string(r))
	} else if d := norm.NFKD.Properties(b).Decomposition(); d != nil {
		b = d
	}
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case norm.NFKD.Properties(b[:size]).CCC() != 0:
		case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_':
			a.buf = append(a.buf, b[:size]...)
			a.runes++
		default:
			a.endWord()
		}
		b = b[size:]
	}
}

func (a *analyzer) endWord() {
	start := 0
	if n := len(a.ends); n > 0 {
		start = a.ends[n-1]
	}
	switch {
	case a.runes >= 2:
		a.ends = append(a.ends, len(a.buf))
	case a.runes == 1:
		a.buf = a.buf[:start]
	}
	a.runes = 0
}

// words calls f with each word in order. The bytes are valid until the next run.
func (a *analyzer) words(f func(word []byte)) {
	start := 0
	for _, end := range a.ends {
		f(a.buf[start:end])
		start = end
	}
}

// lower returns the lower case of the rune at text[at:] by the full Unicode rules: a sigma that ends a word becomes ς.
// The other rune whose lower case depends on more than itself, İ, becomes i and a combining dot; the dot is stripped
// anyway.
func lower(text string, at int, r rune) rune {
	switch {
	case r == 'İ':
		return 'i'
	case r == 'Σ' && endsWord(text, at):
		return 'ς'
	}
	return unicode.ToLower(r)
}

// endsWord tells whether the sigma at text[at:] follows a cased letter and precedes none, case-ignorable runes skipped
// (the condition Final_Sigma of the Unicode standard, section 3.13).
func endsWord(text string, at int) bool {
	before := false
	for rest := text[:at]; len(rest) > 0; {
		r, size := utf8.DecodeLastRuneInString(rest)
		if !caseIgnorable(r) {
			before = cased(r)
			break
		}
		rest = rest[:len(rest)-size]
	}
	if !before {
		return false
	}
	for _, r := range text[at+len("Σ"):] {
		if !caseIgnorable(r) {
			return !cased(r)
		}
	}
	return true
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '·', '\u0387', '\u055f', '\u05f4', '‘', '’', '\u2024', '\u2027',
		'\ufe13', '\ufe52', '\ufe55', '\uff07', '\uff0e', '\uff1a':
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
