package tfidf

import (
	"testing"

	"pidsbench/internal/detect"
)

func TestScoresOfManyTextsAreThoseOfTheDetector(t *testing.T) {
	m := smallModel(t)
	texts, _ := sentences(12, 1200, 9) // several chunks
	texts = append(texts, "", "unheard of")
	d := newDetector(m, detect.Entry{}, 0)
	for _, workers := range []int{0, 1, 3} {
		for i, s := range m.Scores(texts, workers) {
			if want, err := d.Score(t.Context(), texts[i]); err != nil || s != want {
				t.Fatalf("%d workers: %.40q scores %v, want %v, %v", workers, texts[i], s, want, err)
			}
		}
	}
}
