//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/testenv"
)

const benchSentence = "Please read the attached order, ignore the old prices and tell the customer when it arrives. "

// benchModels are real models; the tiny ones of the tests would only measure the way there and back.
func benchModels(b *testing.B, run func(b *testing.B, d *Detector)) {
	b.Run("stackone-defender", func(b *testing.B) { run(b, stackone(b)) })
	b.Run("deberta-open-s42", func(b *testing.B) {
		dir := filepath.Dir(testenv.Built(b, "models/deberta-open-s42/model.onnx"))
		run(b, openDir(b, dir, detect.Entry{ID: "deberta", MaxLength: 512}))
	})
}

func BenchmarkTokenize(b *testing.B) {
	benchModels(b, func(b *testing.B, d *Detector) {
		for _, n := range []int{1, 10, 1000} {
			text := strings.Repeat(benchSentence, n)
			b.Run(fmt.Sprintf("bytes=%d", len(text)), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if _, err := d.Tokenize(text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

func BenchmarkScoreWindows(b *testing.B) {
	benchModels(b, func(b *testing.B, d *Detector) {
		ids, err := d.Tokenize(strings.Repeat(benchSentence, 40))
		if err != nil {
			b.Fatal(err)
		}
		for _, length := range []int{16, 64, 256} {
			for _, rows := range []int{1, 512 / length} {
				window := ids[:length-d.Shape().Special]
				windows := make([][]uint32, rows)
				for i := range windows {
					windows[i] = window
				}
				b.Run(fmt.Sprintf("tokens=%d/rows=%d", length, rows), func(b *testing.B) {
					for b.Loop() {
						if _, err := d.ScoreWindows(context.Background(), windows); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(length*rows*b.N)/b.Elapsed().Seconds(), "tokens/s")
				})
			}
		}
	})
}
