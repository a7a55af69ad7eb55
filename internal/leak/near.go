package leak

import (
	"cmp"
	"context"
	"slices"

	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

// link joins two groups of rows that are near each other, a < b.
type link struct {
	a, b   int32
	cosine float64
}

// near returns the pairs of distinct texts whose cosine reaches the threshold as they are written or in their plain
// form, in ascending order, each once with the greater of its cosines. Texts of one plain form, or with the
// same letters in it, have the cosine 1.
func (m *rows) near(ctx context.Context, threshold float64) ([]link, error) {
	var links []link
	var written, folded []neardup.Pair
	done := make(chan struct{})
	go func() { // the join knows no context: when that ends first nobody waits for it
		defer close(done)
		second := make(chan struct{})
		go func() {
			defer close(second)
			folded = neardup.Pairs(m.plains, threshold, 0)
		}()
		written = neardup.Pairs(m.distinct, threshold, 0)
		<-second
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for _, p := range written {
		links = append(links, link{int32(p.I), int32(p.J), p.Cosine})
	}
	members := make([][]int32, len(m.plains)) // texts of each plain form, ascending
	for t, f := range m.plain {
		members[f] = append(members[f], int32(t))
	}
	for _, texts := range members {
		for i, t := range texts {
			for _, u := range texts[i+1:] {
				links = append(links, link{t, u, 1})
			}
		}
	}
	byLetters := map[string][]int32{}
	for t, text := range m.distinct {
		if key := textnorm.Letters(text); key != "" {
			for _, u := range byLetters[key] {
				links = append(links, link{u, int32(t), 1})
			}
			byLetters[key] = append(byLetters[key], int32(t))
		}
	}
	for _, p := range folded {
		for _, t := range members[p.I] {
			for _, u := range members[p.J] {
				links = append(links, link{min(t, u), max(t, u), p.Cosine})
			}
		}
	}
	slices.SortFunc(links, func(x, y link) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(y.cosine, x.cosine))
	})
	return slices.CompactFunc(links, func(x, y link) bool { return x.a == y.a && x.b == y.b }), nil
}
