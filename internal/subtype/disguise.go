package subtype

import (
	"unicode"
	"unicode/utf8"
)

// disguise counts the chunks of a text, parted by white space and by signs that stand for no letter, whose letters are
// disguised.
type disguise struct {
	chunks, hidden int
	start, end     int
}

// disguised finds heavy disguise: at least two chunks, and a third of those that hold letters, are written with mixed
// scripts, invisible characters, styled letters, stray marks, or digits and signs for letters.
func disguised(v *view) (start, end int, ok bool) {
	d := v.countDisguise()
	return d.start, d.end, d.hidden >= 2 && 3*d.hidden >= d.chunks
}

func (v *view) countDisguise() disguise {
	d := disguise{}
	lex := v.lexicon
	for i := 0; i < len(v.text); {
		r, n := utf8.DecodeRuneInString(v.text[i:])
		if unicode.IsSpace(r) || r < utf8.RuneSelf && isBreak(byte(r)) {
			i += n
			continue
		}
		from := i
		plain, letters := true, 0
		for i < len(v.text) {
			c := v.text[i]
			if c < utf8.RuneSelf {
				if isBreak(c) {
					break
				}
				switch {
				case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
					letters++
				case '0' <= c && c <= '9' || c == '@' || c == '$' || c == '!' || c == '+' || c == '|':
					plain = false
				}
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(v.text[i:])
			if unicode.IsSpace(r) {
				break
			}
			if unicode.IsLetter(r) || isEnclosed(r) {
				letters++
			}
			plain = false
			i += n
		}
		if letters == 0 {
			continue
		}
		weight, chunk := 0, v.text[from:i]
		if zigzag(chunk) {
			weight = 1
		} else if !plain {
			if weight = odd(chunk); weight == 0 && (leet(v, chunk, lex) || accented(v, chunk)) {
				weight = 1
			}
		}
		if letters >= 3 || weight > 0 { // short ones say little
			d.chunks++
		}
		if weight > 0 {
			if d.hidden == 0 {
				d.start = from
			}
			d.hidden += weight
			d.end = i
		}
	}
	return d
}

// isBreak reports whether a chunk ends at an ASCII character.
func isBreak(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\v', '\f', '\r', '.', ',', ';', ':', '(', ')', '[', ']', '{', '}', '"', '\'', '`', '/', '=':
		return true
	}
	return false
}
