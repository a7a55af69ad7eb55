package subtype

import (
	"strings"
	"sync"
	"unicode"

	"pidsbench/internal/textnorm"
)

// foldRanges are the code points whose folded form may differ from themselves: the lower blocks, compatibility forms,
// mathematical letters, enclosed letters and tags. Elsewhere (ideographs, syllables, pictures) a rune is its own form.
var foldRanges = [][2]rune{
	{0x80, 0x2FFF}, {0xA640, 0xABFF}, {0xF900, 0xFFFF}, {0x10400, 0x1044F}, {0x1D400, 0x1D7FF}, {0x1F100, 0x1F1FF},
	{0xE0000, 0xE01EF},
}

// folds holds, a range, the folded form of each of its runes; empty for runes that vanish.
var folds = sync.OnceValue(func() [][]string {
	all := make([][]string, len(foldRanges))
	for i, r := range foldRanges {
		all[i] = make([]string, r[1]-r[0]+1)
		for c := r[0]; c <= r[1]; c++ {
			all[i][c-r[0]] = strings.ReplaceAll(textnorm.Skeleton(string(c)), " ", "")
		}
	}
	return all
})

// appendFold appends the folded form of a rune.
func appendFold(b []byte, r rune) []byte {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(b, byte(r))
	}
	for i, rg := range foldRanges {
		if rg[0] <= r && r <= rg[1] {
			return append(b, folds()[i][r-rg[0]]...)
		}
	}
	return append(b, string(r)...)
}

// foldWord returns the folded form of a word of a rule.
func foldWord(s string) string {
	var b []byte
	for _, r := range s {
		b = appendFold(b, r)
	}
	return string(b)
}

// isWord reports whether a rune belongs to a word: letters, digits, marks.
func isWord(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || isEnclosed(r)
}

// isEnclosed reports whether a rune is a letter in a circle, a square or a flag, which counts as a symbol in Unicode.
func isEnclosed(r rune) bool {
	return 0x24B6 <= r && r <= 0x24E9 || 0x1F130 <= r && r <= 0x1F189 || 0x1F1E6 <= r && r <= 0x1F1FF
}

// isSmallCap reports whether a rune is a small capital or another letter of phonetic script.
func isSmallCap(r rune) bool {
	return 0x250 <= r && r <= 0x2AF || 0x1D00 <= r && r <= 0x1DBF || r == 0xA730 || r == 0xA731
}

// isInvisible reports whether a rune shows nothing and parts no words.
func isInvisible(r rune) bool {
	return r >= 0x80 && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}
