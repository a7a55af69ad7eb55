package tfidf

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"pidsbench/internal/detect"
)

func TestScoresAreTheSameInAnyOrderAndConcurrently(t *testing.T) {
	d := newDetector(smallModel(t), detect.Entry{ID: "tfidf"}, 0)
	texts, _ := sentences(9, 300, 10)
	want := make([]float64, len(texts))
	for i, text := range texts {
		s, err := d.Score(t.Context(), text)
		if err != nil || !(s >= 0 && s <= 1) {
			t.Fatalf("score of %.40q is %v, %v", text, s, err)
		}
		want[i] = s
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := len(texts) - 1; i >= 0; i-- {
				if s, err := d.Score(t.Context(), texts[i]); err != nil || s != want[i] {
					t.Errorf("%.40q scores %v, %v, then %v", texts[i], want[i], err, s)
				}
			}
		})
	}
	wg.Wait()
}

func TestTextsWithoutKnownTermsScoreTheIntercept(t *testing.T) {
	m := smallModel(t)
	d := newDetector(m, detect.Entry{ID: "tfidf"}, 0)
	want := 1 / (1 + math.Exp(-m.Intercept))
	for _, text := range []string{"", " ", "unheard of", "\xff\xfe", "\x00", strings.Repeat("\u0301", 100_000)} {
		if s, err := d.Score(t.Context(), text); err != nil || math.Abs(s-want) > 1e-15 {
			t.Errorf("%.40q scores %v, %v, want %v", text, s, err, want)
		}
	}
}

func TestScoreStopsWhenTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := newDetector(smallModel(t), detect.Entry{}, 0)
	if _, err := d.Score(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func FuzzAnalyze(f *testing.F) {
	f.Add("Hello ΑΣ' İ e\u0301 한국 \xff a_b")
	f.Fuzz(func(t *testing.T, text string) {
		words := analyze(text)
		for _, w := range words {
			if !termShape(w) || strings.Contains(w, " ") {
				t.Fatalf("%q has the word %q", text, w)
			}
		}
		if again := analyze("! " + text + " ?"); len(again) != len(words) {
			t.Fatalf("%q has %d words alone and %d among marks", text, len(words), len(again))
		}
	})
}

func BenchmarkScore(b *testing.B) {
	texts, labels := sentences(4, 20_000, 40)
	d := newDetector(fit(b, texts, labels, Options{}), detect.Entry{ID: "tfidf"}, 0)
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	b.SetBytes(int64(bytes / len(texts)))
	b.ResetTimer()
	i := 0
	for b.Loop() {
		if _, err := d.Score(context.Background(), texts[i%len(texts)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
}
