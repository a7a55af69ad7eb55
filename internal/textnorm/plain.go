package textnorm

import "strings"

// leet reads digits and signs that stand for letters as those letters; l goes with i, since 1 and ! may stand for both.
var leet = strings.NewReplacer("4", "a", "@", "a", "3", "e", "1", "i", "!", "i", "|", "i", "l", "i", "0", "o", "5", "s",
	"$", "s", "7", "t", "8", "b")

// Plain returns the form in which the spellings of one attack that sources ship are equal: its skeleton, with leet digits
// and signs read as letters. It is a key for comparing texts and mangles ordinary numbers.
func Plain(text string) string { return leet.Replace(Skeleton(text)) }
