package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pidsbench/internal/detect"
)

// hashScorer is a TokenScorer for the scheduling tests: a token is a byte of the text and a window's score a hash of
// its ids, so that any token that goes missing, moves or strays into another window changes the score.
type hashScorer struct {
	shape detect.Shape

	tokenize func(text string) ([]uint32, error)                  // instead of the bytes, when not nil
	before   func(ctx context.Context, windows [][]uint32) error  // runs at the start of each call
	after    func(windows [][]uint32, scores []float64) []float64 // replaces the scores
	calls    atomic.Int64
	active   atomic.Int64
	most     atomic.Int64 // most calls at once

	mu      sync.Mutex
	windows [][]uint32 // all that were scored, in order of arrival
	wrong   []string   // broken promises about the shape
}

func (h *hashScorer) Info() detect.Info   { return detect.Info{ID: "hash"} }
func (h *hashScorer) Close() error        { return nil }
func (h *hashScorer) Shape() detect.Shape { return h.shape }

func (h *hashScorer) Tokenize(text string) ([]uint32, error) {
	if h.tokenize != nil {
		return h.tokenize(text)
	}
	return byteTokens(text), nil
}

func byteTokens(text string) []uint32 {
	ids := make([]uint32, len(text))
	for i := range len(text) {
		ids[i] = uint32(text[i])
	}
	return ids
}

func (h *hashScorer) ScoreWindows(ctx context.Context, windows [][]uint32) ([]float64, error) {
	h.calls.Add(1)
	now := h.active.Add(1)
	defer h.active.Add(-1)
	for most := h.most.Load(); now > most && !h.most.CompareAndSwap(most, now); most = h.most.Load() {
	}
	h.mu.Lock()
	h.windows = append(h.windows, windows...)
	longest := 0
	for _, w := range windows {
		longest = max(longest, len(w)+h.shape.Special)
	}
	if longest > h.shape.MaxLength {
		h.wrong = append(h.wrong, fmt.Sprintf("a window of %d tokens", longest))
	}
	if len(windows) > 1 && longest*len(windows) > h.shape.BatchTokens {
		h.wrong = append(h.wrong, fmt.Sprintf("a batch of %d × %d tokens", len(windows), longest))
	}
	if h.shape.BatchRows > 0 && len(windows) > h.shape.BatchRows {
		h.wrong = append(h.wrong, fmt.Sprintf("a batch of %d windows", len(windows)))
	}
	h.mu.Unlock()
	if h.before != nil {
		if err := h.before(ctx, windows); err != nil {
			return nil, err
		}
	}
	scores := make([]float64, len(windows))
	for i, w := range windows {
		scores[i] = hashScore(w)
	}
	if h.after != nil {
		scores = h.after(windows, scores)
	}
	return scores, nil
}

func hashScore(ids []uint32) float64 {
	b := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	sum := sha256.Sum256(b)
	return float64(binary.LittleEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// textFunc is a TextScorer.
type textFunc func(ctx context.Context, text string) (float64, error)

func (textFunc) Info() detect.Info { return detect.Info{ID: "func"} }
func (textFunc) Close() error      { return nil }
func (f textFunc) Score(ctx context.Context, text string) (float64, error) {
	return f(ctx, text)
}

// collect runs the engine and returns the results by row.
func collect(t testing.TB, det detect.Detector, items []Item, opt Options) (map[int]Result, Stats) {
	t.Helper()
	got := make(map[int]Result, len(items))
	stats, err := Run(t.Context(), det, items, opt, func(r Result) error {
		if _, twice := got[r.Row]; twice {
			t.Errorf("row %d was emitted twice", r.Row)
		}
		got[r.Row] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(items) {
		t.Fatalf("%d results for %d rows", len(got), len(items))
	}
	if h, ok := det.(*hashScorer); ok {
		for _, w := range h.wrong {
			t.Error(w)
		}
	}
	return got, stats
}

func itemsOf(texts ...string) []Item {
	items := make([]Item, len(texts))
	for i, s := range texts {
		items[i] = Item{Row: i, Text: s}
	}
	return items
}
