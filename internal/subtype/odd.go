package subtype

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// odd weighs a chunk: 1 when it mixes Latin letters with look-alikes of other scripts or hides invisible characters or
// marks between Latin letters, 2 when it is written in four styled letters or more or holds look-alikes or invisible
// characters that were read in a wrong encoding, which nobody types by chance.
func odd(s string) int {
	if misread(s) {
		return 2
	}
	latin, foreign, styled := false, false, 0
	prev := rune(0)
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf:
			l := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
			if l && isInvisible(prev) && i > utf8.RuneLen(prev) {
				return 1
			}
			latin = latin || l
		case isInvisible(r):
			// judged by what follows
		case unicode.Is(unicode.Mn, r) && prev < utf8.RuneSelf && unicode.IsLetter(prev):
			return 1
		case isEnclosed(r) || isSmallCap(r) || 0x1D400 <= r && r <= 0x1D7FF ||
			0xFF21 <= r && r <= 0xFF5A:
			styled++
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian):
			foreign = true
		case unicode.Is(unicode.Latin, r):
			latin = true
		}
		prev = r
	}
	switch {
	case styled >= 4:
		return 2
	case styled > 0 || latin && foreign:
		return 1
	}
	return 0
}

// misread reports whether a chunk holds UTF-8 of Greek, Cyrillic or invisible characters that was read as Latin: Ð, Ñ,
// Î or Ï before a sign, or â before a euro sign, beside plain letters.
func misread(s string) bool {
	prev, hit, plain := rune(0), false, false
	for _, r := range s {
		switch prev {
		case 'Ð', 'Ñ', 'Î', 'Ï':
			hit = hit || 0x80 <= r && r < 0xC0 || 0x2010 <= r && r < 0x2123
		case 'â':
			hit = hit || r == '€' || r == 0x80
		}
		plain = plain || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		prev = r
	}
	return hit && plain
}

// zigzag reports whether the letters of a chunk go up and down: twice or more from small to capital, with a way back
// between, at two thirds of its places.
func zigzag(s string) bool {
	up, down := 0, 0
	for i := 1; i < len(s); i++ {
		a, b := s[i-1], s[i]
		if 'a' <= a && a <= 'z' && 'A' <= b && b <= 'Z' {
			up++
		} else if 'A' <= a && a <= 'Z' && 'a' <= b && b <= 'z' {
			down++
		}
	}
	return up >= 2 && down >= 1 && 3*(up+down) >= 2*len(s)
}

// accented reports whether a chunk is an English word of four letters or more in which letters carry marks.
func accented(v *view, chunk string) bool {
	v.buf = v.buf[:0]
	marked := false
	for _, r := range chunk {
		switch {
		case r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r):
			marked = true
			v.buf = appendFold(v.buf, r)
		case isWord(r):
			v.buf = appendFold(v.buf, r)
		}
	}
	return marked && len(v.buf) >= 4 && v.lexicon.english[string(v.buf)]
}

// leet reports whether a part of a chunk becomes a typical word when digits and signs are read as letters.
func leet(v *view, s string, lex lexicon) bool {
	subs, last := 0, false // letters read out of signs; whether the last one was
	v.buf = v.buf[:0]
	part := func() bool {
		word, n := v.buf, subs
		v.buf, subs = v.buf[:0], 0
		if last { // an exclamation mark behind a word is no letter
			if n > 0 && len(word) <= 24 && lex.plain[string(word)] {
				return true
			}
			word, n = word[:max(len(word)-1, 0)], n-1
		}
		return n > 0 && len(word) <= 24 && (lex.plain[string(word)] ||
			bytes.IndexByte(word, 'i') >= 0 && lex.plain[string(bytes.ReplaceAll(word, []byte{'i'}, []byte{'l'}))])
	}
	for _, r := range s {
		if to := leetLetter(r); to != 0 {
			subs, last = subs+1, true
			v.buf = append(v.buf, to)
			continue
		}
		if isWord(r) || isInvisible(r) {
			last = false
			v.buf = appendFold(v.buf, r)
			continue
		}
		if part() {
			return true
		}
		last = false
	}
	return part()
}

func leetLetter(r rune) byte {
	switch r {
	case '0':
		return 'o'
	case '1', '!', '|':
		return 'i'
	case '3', '€':
		return 'e'
	case '4', '@':
		return 'a'
	case '5', '$':
		return 's'
	case '7', '+':
		return 't'
	case '8':
		return 'b'
	case '9':
		return 'g'
	}
	return 0
}
