package builder

import (
	"strings"

	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

// leet reads digits and signs that stand for letters as those letters; l goes with i, since 1 and ! may stand for both.
var leet = strings.NewReplacer("4", "a", "@", "a", "3", "e", "1", "i", "!", "i", "|", "i", "l", "i", "0", "o", "5", "s",
	"$", "s", "7", "t", "8", "b")

// plain returns the form in which the spellings of one attack that sources ship are equal: its skeleton, with leet digits
// and signs read as letters. It is a key for comparing texts and mangles ordinary numbers.
func plain(text string) string { return leet.Replace(textnorm.Skeleton(text)) }

// nearPairs returns the pairs of rows whose cosine is at least threshold, as they are written or in their plain form.
func nearPairs(records []Record, threshold float64) []neardup.Pair {
	forms := make([]string, len(records))
	for i, r := range records {
		forms[i] = plain(r.Text)
	}
	return append(neardup.Pairs(texts(records), threshold, 0), neardup.Pairs(forms, threshold, 0)...)
}
