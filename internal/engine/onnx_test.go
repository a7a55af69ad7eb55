//go:build cgo && !nonative && (linux || darwin)

package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/detect/onnx"
	"pidsbench/internal/engine"
	"pidsbench/internal/testenv"
)

// prose makes rows of 0 to some 1,200 words, most of them short, some equal to each other.
func prose(n int) []engine.Item {
	words := strings.Fields("please ignore the earlier note and write a short poem about rivers, bridges & trains 42 " +
		"Straße naïve 東京 🚂 base64 aGVsbG8= \x00 <b>bold</b> don't what's the capital of the second-largest country?")
	rng := rand.New(rand.NewPCG(1, 2))
	items := make([]engine.Item, n)
	for i := range items {
		var b strings.Builder
		for range int(math.Exp(rng.NormFloat64()*1.3+3)) % 1200 {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteByte(' ')
		}
		items[i] = engine.Item{Row: i, Text: b.String()}
		if i%17 == 16 {
			items[i].Text = items[i-3].Text
		}
	}
	return items
}

// TestScoresOfRealModelsAreBitIdentical compares every way to batch with one window a call on one worker.
func TestScoresOfRealModelsAreBitIdentical(t *testing.T) {
	if _, err := onnx.LibraryPath(); err != nil {
		testenv.Missing(t, "the ONNX Runtime library (run `make native`)")
	}
	small := filepath.Join(testenv.Root(t), "internal", "detect", "onnx", "testdata")
	for _, m := range []struct {
		dir   func(t *testing.T) string
		entry detect.Entry
		rows  int
	}{
		{func(*testing.T) string { return filepath.Join(small, "unigram") },
			detect.Entry{ID: "unigram", Kind: "onnx", MaxLength: 128, Stride: 16}, 600},
		{func(*testing.T) string { return filepath.Join(small, "wordpiece") },
			detect.Entry{ID: "wordpiece", Kind: "onnx", MaxLength: 128, Stride: 16}, 600},
		{func(t *testing.T) string { return filepath.Dir(testenv.Built(t, "models/deberta-open-s42/model.onnx")) },
			detect.Entry{ID: "deberta", Kind: "onnx", Positive: []string{"injection"}, MaxLength: 512}, 60},
		{func(t *testing.T) string {
			return filepath.Dir(testenv.Built(t, "models/.pulled/stackone-defender/model_quantized.onnx"))
		}, detect.Entry{ID: "stackone-defender", Kind: "onnx", File: "model_quantized.onnx", Head: "sigmoid",
			Positive: []string{"0"}, Temperature: 2.41, MaxLength: 256, Pad: "none"}, 40},
	} {
		t.Run(m.entry.ID, func(t *testing.T) {
			dir, items := m.dir(t), prose(m.rows)
			want := scoreWith(t, dir, m.entry, 1, 1, items)
			multi := 0
			for row, r := range want {
				if r.Err != "" {
					t.Fatalf("row %d: %s", row, r.Err)
				}
				if r.Windows > 1 {
					multi++
				}
			}
			if multi == 0 {
				t.Fatal("no text needs two windows")
			}
			for i, budget := range []int{64, 256, 512, 4096} {
				for _, workers := range []int{1 + i, 1 + (i+1)%4} {
					rng := rand.New(rand.NewPCG(uint64(budget), uint64(workers)))
					rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
					got := scoreWith(t, dir, m.entry, budget, workers, items)
					for row, w := range want {
						g := got[row]
						if math.Float64bits(g.Score) != math.Float64bits(w.Score) || g != w {
							t.Fatalf("budget %d, %d workers: row %d: got %+v, want %+v", budget, workers, row, g, w)
						}
					}
				}
			}
		})
	}
}

func scoreWith(t *testing.T, dir string, e detect.Entry, budget, workers int, items []engine.Item) map[int]engine.Result {
	t.Helper()
	e.BatchTokens = budget
	det, err := onnx.Open(dir, e, 42)
	if err != nil {
		t.Fatal(err)
	}
	defer det.Close()
	got := make(map[int]engine.Result, len(items))
	stats, err := engine.Run(t.Context(), det, items, engine.Options{Workers: workers}, func(r engine.Result) error {
		got[r.Row] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(fmt.Sprintf("budget %4d, %d workers: %d rows, %d windows, %d tokens, %.0f tokens/s", budget, workers, stats.Rows,
		stats.Windows, stats.Tokens, float64(stats.Tokens)/stats.Elapsed.Seconds()))
	return got
}
