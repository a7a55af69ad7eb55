package engine

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/detect"
)

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name            string
		n, size, stride int
		want            []span
	}{
		{"no tokens make one empty window", 0, 10, 4, []span{{0, 0}}},
		{"a text that fits is one window", 10, 10, 4, []span{{0, 10}}},
		{"one token more makes two full windows", 11, 10, 4, []span{{0, 10}, {1, 11}}},
		{"an exact fit of two windows", 16, 10, 4, []span{{0, 10}, {6, 16}}},
		{"the last window moves back", 17, 10, 4, []span{{0, 10}, {6, 16}, {7, 17}}},
		{"without overlap", 25, 10, 0, []span{{0, 10}, {10, 20}, {15, 25}}},
		{"the largest stride", 12, 10, 9, []span{{0, 10}, {1, 11}, {2, 12}}},
		{"windows of one token", 3, 1, 0, []span{{0, 1}, {1, 2}, {2, 3}}},
	} {
		if got := spans(c.n, c.size, c.stride); !slices.Equal(got, c.want) {
			t.Errorf("%s: spans(%d, %d, %d) = %v, want %v", c.name, c.n, c.size, c.stride, got, c.want)
		}
	}
}

func TestEveryTokenIsInAWindowAndNeighboursOverlapByTheStride(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		size := 1 + rng.IntN(64)
		stride := rng.IntN(size)
		n := rng.IntN(600)
		got := spans(n, size, stride)
		if got[0].from != 0 || got[len(got)-1].to != n {
			t.Fatalf("spans(%d, %d, %d) = %v leaves out an end", n, size, stride, got)
		}
		for i, s := range got {
			if len(got) > 1 && s.to-s.from != size {
				t.Fatalf("spans(%d, %d, %d) = %v: window %d is not full", n, size, stride, got, i)
			}
			if i == 0 {
				continue
			}
			if overlap := got[i-1].to - s.from; overlap < stride || s.from <= got[i-1].from {
				t.Fatalf("spans(%d, %d, %d) = %v: windows %d and %d share %d", n, size, stride, got, i-1, i, overlap)
			}
			if i < len(got)-1 && got[i-1].to-s.from != stride {
				t.Fatalf("spans(%d, %d, %d) = %v: only the last window may overlap by more", n, size, stride, got)
			}
		}
	}
}

func TestBatchesKeepTheBudgetAndHoldEveryWindowOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		shape := detect.Shape{
			Special: rng.IntN(3), BatchTokens: rng.IntN(300), BatchRows: rng.IntN(6),
		}
		texts := make([]*text, 1+rng.IntN(40))
		want := 0
		for i := range texts {
			texts[i] = &text{}
			for range 1 + rng.IntN(4) {
				texts[i].windows = append(texts[i].windows, make([]uint32, rng.IntN(80)))
				want++
			}
		}
		type id struct {
			text *text
			i    int
		}
		seen := map[id]bool{}
		last := 1 << 30
		for _, b := range batches(texts, shape) {
			if padded := (len(b[0].ids) + shape.Special) * len(b); len(b) > 1 && padded > shape.BatchTokens {
				t.Fatalf("a batch of %d tokens exceeds the budget of %d", padded, shape.BatchTokens)
			}
			if shape.BatchRows > 0 && len(b) > shape.BatchRows {
				t.Fatalf("a batch of %d windows exceeds the limit of %d", len(b), shape.BatchRows)
			}
			for _, w := range b {
				if len(w.ids) > last {
					t.Fatal("a window is longer than one before it")
				}
				last = len(w.ids)
				seen[id{w.text, w.i}] = true
			}
		}
		if len(seen) != want {
			t.Fatalf("%d of %d windows are in a batch", len(seen), want)
		}
	}
}

func TestBatchesAreAsFullAsTheBudgetAllows(t *testing.T) {
	var texts []*text
	for range 10 {
		texts = append(texts, &text{windows: [][]uint32{make([]uint32, 30)}})
	}
	got := batches(texts, detect.Shape{Special: 2, BatchTokens: 128})
	var sizes []int
	for _, b := range got {
		sizes = append(sizes, len(b))
	}
	if want := []int{4, 4, 2}; !slices.Equal(sizes, want) {
		t.Errorf("batches of %v windows, want %v", sizes, want)
	}
}

func TestWindowsOfATextReachTheModelWithEveryTokenInOrder(t *testing.T) {
	text := strings.Repeat("abcdefghijklmnopqrstuvwxyz", 4) // 104 tokens
	h := &hashScorer{shape: detect.Shape{MaxLength: 22, Special: 2, Stride: 5, BatchTokens: 22}}
	collect(t, h, itemsOf(text), Options{Workers: 1})
	end := 0
	for i, w := range h.windows {
		ids := byteTokens(text)
		from := 15 * i
		if i == len(h.windows)-1 {
			from = len(ids) - 20
		}
		if !slices.Equal(w, ids[from:from+20]) {
			t.Errorf("window %d holds %v", i, w)
		}
		end = from + 20
	}
	if end != len(text) || len(h.windows) != 7 {
		t.Errorf("%d windows cover %d of %d tokens", len(h.windows), end, len(text))
	}
}
