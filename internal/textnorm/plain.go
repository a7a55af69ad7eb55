package textnorm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// leet reads digits and signs that stand for letters as those letters; l goes with i, since 1 and ! may stand for both,
// and 6 and 9 both with g.
var leet = strings.NewReplacer("4", "a", "@", "a", "3", "e", "€", "e", "1", "i", "!", "i", "|", "i", "l", "i", "0", "o",
	"5", "s", "$", "s", "7", "t", "+", "t", "8", "b", "6", "g", "9", "g")

// Plain returns the form in which the spellings of one attack that sources ship are equal: its skeleton, with leet digits
// and signs read as letters. It is a key for comparing texts and mangles ordinary numbers.
func Plain(text string) string { return leet.Replace(Skeleton(text)) }

// minLetters is how many letters make a key of Letters: shorter ones are equal by chance.
const minLetters = 8

// Letters returns the letters of the plain form alone, so that a text is equal to itself with spaces, signs and
// punctuation put in or taken out; "" when there are fewer than eight.
func Letters(text string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, Plain(text))
	if utf8.RuneCountInString(letters) < minLetters {
		return ""
	}
	return letters
}
