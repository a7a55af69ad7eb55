package fault

import (
	"strconv"
	"strings"
	"unicode"
)

// Quote returns a hostile text for a message: in quotes, with escapes for all that cannot be printed, and cut to 40
// characters, a SHA-256 in lower-case hexadecimal digits to its first 12. Dots behind the quotes say that it was cut.
func Quote(s string) string {
	most := 40
	if len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" {
		most = 12
	}
	n := 0
	for i := range s {
		if n++; n > most {
			return strconv.Quote(s[:i]) + "…"
		}
	}
	return strconv.Quote(s)
}

// Name returns the name of a file or field for a message, whole: as it is when every rune of it can be printed and no
// space stands at its ends, otherwise in quotes with escapes.
func Name(s string) string {
	for _, r := range s {
		if r == unicode.ReplacementChar || r == '"' || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	if s == "" || strings.TrimSpace(s) != s {
		return strconv.Quote(s)
	}
	return s
}

// Line returns what another program said, for a message: one line of at most 200 characters, white space folded, all
// else that cannot be printed left out.
func Line(s string) string {
	const most = 200
	clean := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(s), " ")))
	if len(clean) > most {
		clean = append(clean[:most:most], '…')
	}
	return string(clean)
}
