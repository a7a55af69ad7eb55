package subtype

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readable reports whether decoded bytes are text: UTF-8, at least nine tenths of it printable or white space, and a
// third of it letters or more.
func readable(b []byte) bool {
	if len(b) == 0 || !utf8.Valid(b) {
		return false
	}
	n, printable, letters := 0, 0, 0
	for _, r := range string(b) {
		n++
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			printable++
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return 10*printable >= 9*n && 3*letters >= n
}

// distinct counts the different bytes.
func distinct(b []byte) int {
	var seen [256]bool
	n := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// set is a set of bytes.
type set [256]bool

func bytesOf(ranges ...string) *set {
	var s set
	for _, r := range ranges {
		for c := int(r[0]); c <= int(r[len(r)-1]); c++ {
			s[c] = true
		}
	}
	return &s
}

var (
	base64Bytes = bytesOf("az", "AZ", "09", "+", "/", "-", "_")
	base32Bytes = bytesOf("AZ", "27")
	hexBytes    = bytesOf("09", "af", "AF", " ")
	bitBytes    = bytesOf("01", " ")
	base85Bytes = bytesOf(strings.Split(base85Digits, "")...)
)

// base85Digits are the digits of RFC 1924 in their order.
const base85Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// runs calls yield for each maximal run of bytes of a set, at least so many long, until it returns true.
func runs(text string, least int, of *set, yield func(start, end int) bool) (int, int, bool) {
	for i := 0; i < len(text); i++ {
		if !of[text[i]] {
			continue
		}
		start := i
		for i < len(text) && of[text[i]] {
			i++
		}
		if i-start >= least && yield(start, i) {
			return start, i, true
		}
	}
	return 0, 0, false
}

// tags finds letters of the tag block, which show nothing and spell ASCII: four or more, without the few behind a black
// flag that make it the flag of a region.
func tags(v *view) (start, end int, ok bool) {
	n := 0
	for i := 0; ; {
		k := strings.Index(v.text[i:], "\xF3\xA0") // U+E0000 to U+E0FFF
		if k < 0 {
			return start, end, n >= 4
		}
		from := i + k
		i = from
		for i+3 < len(v.text) && v.text[i:i+2] == "\xF3\xA0" && (v.text[i+2] == 0x80 || v.text[i+2] == 0x81) { // to U+E007F
			i += 4
		}
		run := (i - from) / 4
		switch {
		case run == 0:
			i += 2
		case run > 7 || !strings.HasSuffix(v.text[:from], "🏴"):
			if n == 0 {
				start = from
			}
			n, end = n+run, i
		}
	}
}

// base64Run finds base64 of either alphabet, 16 characters or more, that decodes to text, or whose padding is right and
// whose letters all are small, as if the case were lost.
func base64Run(v *view) (int, int, bool) {
	return runs(v.text, 16, base64Bytes, func(start, end int) bool {
		run := v.text[start:end]
		if strings.ContainsAny(run, "-_") {
			run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
		}
		if len(run)%4 == 1 { // a lone last sign says nothing
			run = run[:len(run)-1]
		}
		if b, err := base64.RawStdEncoding.DecodeString(run); err == nil && readable(b) {
			return !plainRun(v.text[start:end])
		}
		return lostCase(v.text[start:end], v.text[end:])
	})
}

// lostCase reports whether a run without capitals, three digits or more among its letters, ends in the padding that its
// length asks for.
func lostCase(run, rest string) bool {
	digits := 0
	for i := range len(run) {
		switch c := run[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c < 'a' || c > 'z':
			return false
		}
	}
	pad := len(rest) - len(strings.TrimLeft(rest, "="))
	return digits >= 3 && digits < len(run)/2 && pad > 0 && pad < 3 && (len(run)+pad)%4 == 0
}

// plainRun reports whether a run is what people write with these letters: paths, words with hyphens.
func plainRun(s string) bool {
	lower := 0
	for i := range len(s) {
		if c := s[i]; 'a' <= c && c <= 'z' || c == '-' || c == '/' || c == '_' {
			lower++
		}
	}
	return lower == len(s)
}

// base85Run finds Ascii85 between its marks <~ and ~>, and base85 with the alphabet of RFC 1924, 25 characters or more,
// that decode to text.
func base85Run(v *view) (int, int, bool) {
	if start := strings.Index(v.text, "<~"); start >= 0 {
		if n := strings.Index(v.text[start:], "~>"); n >= 12 {
			src := []byte(v.text[start+2 : start+n])
			b := make([]byte, 4*len(src)) // z stands for four bytes
			if n, _, err := ascii85.Decode(b, src, true); err == nil && readable(b[:n]) {
				return start, start + len(src) + 4, true
			}
		}
	}
	return runs(v.text, 25, base85Bytes, func(start, end int) bool {
		b := make([]byte, 0, (end-start)/5*4)
		for i := start; i+5 <= end; i += 5 {
			var word uint64
			for _, c := range []byte(v.text[i : i+5]) {
				word = 85*word + uint64(strings.IndexByte(base85Digits, c))
			}
			if word > 1<<32-1 {
				return false
			}
			b = append(b, byte(word>>24), byte(word>>16), byte(word>>8), byte(word))
		}
		return readable(b) && distinct(b) >= 6
	})
}

// base32Run finds base32, 24 characters or more, that decodes to text.
func base32Run(v *view) (int, int, bool) {
	return runs(v.text, 24, base32Bytes, func(start, end int) bool {
		run := v.text[start:end]
		b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run[:len(run)/8*8])
		return err == nil && readable(b)
	})
}

func hexValue(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// hexRun finds pairs of hexadecimal digits, together or parted by single blanks, six bytes or more, that are text.
func hexRun(v *view) (int, int, bool) {
	start, end, found := 0, 0, false
	runs(v.text, 12, hexBytes, func(from, to int) bool {
		var b []byte
		at := from
		flush := func(next int) bool {
			if len(b) >= 6 && readable(b) && distinct(b) >= 3 {
				start, end, found = at, next, true
				return true
			}
			b, at = b[:0], next
			return false
		}
		i := from
		for i < to {
			if v.text[i] == ' ' {
				if i+1 < to && v.text[i+1] == ' ' && flush(i) {
					return true
				}
				i++
				if len(b) == 0 {
					at = i
				}
				continue
			}
			if i+1 >= to || v.text[i+1] == ' ' {
				if flush(i) {
					return true
				}
				i++
				at = i
				continue
			}
			hi, _ := hexValue(v.text[i])
			lo, _ := hexValue(v.text[i+1])
			b = append(b, hi<<4|lo)
			i += 2
		}
		return flush(to)
	})
	return start, end, found
}

// binary finds bits, four characters of seven or eight or more, together or parted by blanks, that are text.
func binary(v *view) (int, int, bool) {
	return runs(v.text, 28, bitBytes, func(start, end int) bool {
		run := v.text[start:end]
		bits := strings.ReplaceAll(run, " ", "")
		for _, width := range []int{8, 7} {
			if len(bits) < 4*width || len(bits)%width != 0 {
				continue
			}
			b := make([]byte, 0, len(bits)/width)
			for i := 0; i < len(bits); i += width {
				var c byte
				for _, bit := range []byte(bits[i : i+width]) {
					c = c<<1 | (bit - '0')
				}
				b = append(b, c)
			}
			if readable(b) {
				return true
			}
		}
		return false
	})
}
