package paraphrase

import "strings"

// trigrams are the runs of three bytes of a text in small letters, hashed. Most of the many phrases of the rules stand in
// no given sentence, which they tell without a search.
type trigrams [64]uint64

// trigramsOf takes a text in small letters.
func trigramsOf(lower string) (t trigrams) {
	lower = strings.ReplaceAll(lower, "ſ", "s") // as regular expressions do that ignore case
	for i := range len(lower) - 2 {
		bit := trigram(lower[i:])
		t[bit/64] |= 1 << (bit % 64)
	}
	return t
}

// may reports whether the text may hold a phrase in small letters; false is sure.
func (t *trigrams) may(phrase string) bool {
	last := len(phrase) - 3
	return last < 0 || t.has(phrase) && t.has(phrase[last/2:]) && t.has(phrase[last:])
}

func (t *trigrams) has(s string) bool {
	bit := trigram(s)
	return t[bit/64]>>(bit%64)&1 == 1
}

// trigram hashes the first three bytes to a number below 4096.
func trigram(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16) * 2654435761 >> 20
}
