package disguise

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AsFound is the value of the column obfuscation for a text that its source ships in disguise.
const AsFound = "as_found"

// Found counts the words and characters of a text that look disguised: invisible characters inside words, words of
// mixed scripts, words in leet spelling, letters set apart by spaces, and words of alternating case. A text counts as
// disguised from minFound on, which one word of mixed scripts reaches by itself.
func Found(text string) int {
	n := invisible(text)
	single := 0
	for _, w := range strings.Fields(text) {
		core := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if r, size := utf8.DecodeRuneInString(core); size == len(core) && unicode.IsLetter(r) {
			if single++; single == spelled {
				n += spelled
			}
			continue
		}
		single = 0
		switch {
		case mixedScripts(core):
			n += minFound // no honest word mixes letters that look alike
		case leetWord(core) || alternating(core):
			n++
		}
	}
	return n
}

// minFound is how many disguised words make a disguised text: one odd word stands in many a harmless text.
const minFound = 2

// Disguised reports whether a text looks disguised by itself.
func Disguised(text string) bool { return Found(text) >= minFound }

// spelled is how many single letters in a row are a word set apart.
const spelled = 4

// invisible counts format characters between letters, soft hyphens and joiners of emoji excepted.
func invisible(text string) int {
	n := 0
	var before rune
	runes := []rune(text)
	for i, r := range runes {
		if (r == 0x200B || r == 0x200C || r == 0x200D || r == 0x2060 || r == 0xFEFF) && unicode.IsLetter(before) &&
			i+1 < len(runes) && unicode.IsLetter(runes[i+1]) && latin(before) && latin(runes[i+1]) {
			n++
		}
		before = r
	}
	return n
}

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// mixedScripts reports whether a word of four letters or more, cut at all other signs, has Latin letters beside Cyrillic or
// Greek ones.
func mixedScripts(word string) bool {
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		var latins, others int
		for _, r := range part {
			switch {
			case latin(r):
				latins++
			case unicode.In(r, unicode.Cyrillic, unicode.Greek):
				others++
			}
		}
		if latins > 0 && others > 0 && latins+others >= 4 {
			return true
		}
	}
	return false
}

// leetWord reports whether a word has digits or signs that stand for letters between letters, and letters enough around
// them; version numbers, units and names such as B2B, H2O, mp3, web3 or 3rd are none.
func leetWord(word string) bool {
	letters, digits, inner := 0, 0, 0
	runes := []rune(word)
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r):
			letters++
		case r == '+' && (i == 0 || unicode.IsUpper(runes[i-1])):
			return false // keys, such as CTRL+K
		case strings.ContainsRune("01345780@$€+|", r):
			digits++
			if i > 0 && i+1 < len(runes) && unicode.IsLetter(runes[i-1]) {
				inner++
			}
		default:
			return false
		}
	}
	return inner > 0 && letters >= 2 && len(runes) >= 4 && digits*2 <= len(runes) && digits > 0
}

// alternating reports whether the case of a word changes at every letter, or nearly.
func alternating(word string) bool {
	switches, letters := 0, 0
	var before rune
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
		if letters > 0 && unicode.IsUpper(r) != unicode.IsUpper(before) {
			switches++
		}
		letters++
		before = r
	}
	return letters >= 5 && switches >= letters-2
}
