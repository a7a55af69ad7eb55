package textnorm

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Skeleton returns the form in which two rows count as the same text in disguise: compatibility characters and case
// folded as in Exact, combining marks and invisible characters removed (so é equals e, and a zero-width space is
// nothing), look-alike letters of the confusables table replaced by Latin ones, white space collapsed and trimmed,
// quotation marks folded. It is a key for comparing texts, not a text to show: other scripts are mangled.
func Skeleton(s string) string {
	s = stripMarks(norm.NFKD.String(foldNFKC(valid(s))))
	s = norm.NFC.String(strings.Map(confusable, s))
	return collapse(s, quote)
}

// stripMarks drops what changes nothing, or only the dress, of the letters around it.
func stripMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && r >= 0x20 && r != 0x7F {
			return r
		}
		if invisible(r) || unicode.In(r, unicode.Mn, unicode.Me) {
			return -1
		}
		return r
	}, s)
}

// invisible reports whether r shows nothing and is no white space: format characters (zero-width, bidirectional
// controls, tags), control characters, and the blank fillers that Unicode counts as letters.
func invisible(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0:
		return true
	}
	if unicode.Is(unicode.Cc, r) {
		return !unicode.IsSpace(r) && (r < 0x1C || r > 0x1F)
	}
	return unicode.Is(unicode.Cf, r)
}

// confusable replaces a look-alike letter by the Latin letter it passes for.
func confusable(r rune) rune {
	if r < 0x80 {
		return r
	}
	if to, ok := confusables[r]; ok {
		return to
	}
	if r >= regionalA && r <= regionalZ {
		return 'a' + r - regionalA
	}
	return r
}
