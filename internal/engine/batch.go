package engine

import (
	"cmp"
	"slices"

	"pidsbench/internal/detect"
)

// window is the i-th window of a text.
type window struct {
	text *text
	i    int
	ids  []uint32
}

// batches groups the windows of the texts: sorted by length, longest first, each batch is filled as long as padding all
// of it to its longest window stays within the token budget and the row limit. A window that alone exceeds the budget
// is a batch of its own. Sorted batches need next to no padding, and with the longest first no worker is left with a
// long batch at the end.
func batches(texts []*text, shape detect.Shape) [][]window {
	var all []window
	for _, t := range texts {
		for i, ids := range t.windows {
			all = append(all, window{t, i, ids})
		}
	}
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(len(b.ids), len(a.ids)) })

	var out [][]window
	for len(all) > 0 {
		padded := len(all[0].ids) + shape.Special
		n := 1
		for n < len(all) && padded*(n+1) <= shape.BatchTokens && (shape.BatchRows <= 0 || n < shape.BatchRows) {
			n++
		}
		out = append(out, all[:n:n])
		all = all[n:]
	}
	return out
}
