package subtype

import (
	"strings"
	"unicode/utf8"
)

// escapes finds characters spelt as \x41, \u0041, u0041, %41 or &#65;, four or more with nothing between, that are
// text, and words that are parted by escaped blanks.
func escapes(v *view) (start, end int, ok bool) {
	if !strings.ContainsAny(v.text, `\%&`) && !strings.Contains(v.text, "u00") {
		return 0, 0, false
	}
	for _, blank := range []string{"%20", `\x20`, "&#32;", `\u0020`} {
		if start, end, ok = blanks(v.text, blank); ok {
			return start, end, true
		}
	}
	var b []byte
	at := -1
	for i := 0; i < len(v.text); {
		r, n := escape(v.text[i:])
		if n == 0 {
			if len(b) >= 4 && readable(b) {
				return at, i, true
			}
			b, at = b[:0], -1
			i++
			continue
		}
		if at < 0 {
			at = i
		}
		b = utf8.AppendRune(b, r)
		i += n
	}
	return at, len(v.text), len(b) >= 4 && readable(b)
}

// blanks finds three escaped blanks or more between letters in one chunk, which is no address.
func blanks(text, blank string) (start, end int, ok bool) {
	if strings.Count(text, blank) < 3 {
		return 0, 0, false
	}
	for i := 0; i < len(text); {
		stop := len(text)
		if n := strings.IndexAny(text[i:], " \t\r\n"); n >= 0 {
			stop = i + n
		}
		chunk := text[i:stop]
		if strings.Count(chunk, blank) >= 3 && !strings.Contains(chunk, "://") && !strings.HasPrefix(chunk, "www.") &&
			3*strings.Count(chunk, blank)*len(blank) <= 2*len(chunk) {
			return i, stop, true
		}
		i = stop + 1
	}
	return 0, 0, false
}

// escape reads one spelt-out character and returns its length, 0 for none.
func escape(s string) (r rune, n int) {
	switch {
	case len(s) >= 4 && s[0] == '\\' && s[1] == 'x':
		return number(s[2:4], 16, 4)
	case len(s) >= 6 && s[0] == '\\' && s[1] == 'u':
		return number(s[2:6], 16, 6)
	case len(s) >= 5 && s[:3] == "u00":
		return number(s[1:5], 16, 5)
	case len(s) >= 3 && s[0] == '%':
		return number(s[1:3], 16, 3)
	case len(s) >= 4 && s[0] == '&' && s[1] == '#':
		stop := strings.IndexByte(s[:min(len(s), 10)], ';')
		if stop < 3 {
			return 0, 0
		}
		if s[2] == 'x' || s[2] == 'X' {
			return number(s[3:stop], 16, stop+1)
		}
		return number(s[2:stop], 10, stop+1)
	}
	return 0, 0
}

func number(digits string, base rune, length int) (rune, int) {
	var r rune
	for i := range len(digits) {
		d, ok := hexValue(digits[i])
		if !ok || rune(d) >= base {
			return 0, 0
		}
		r = r*base + rune(d)
	}
	if digits == "" || !utf8.ValidRune(r) {
		return 0, 0
	}
	return r, length
}
