package tfidf

import "runtime"

// Scores returns P(injection) in [0,1] of each text, the same numbers as a Detector of the model gives. Workers are
// goroutines, 0 = GOMAXPROCS; the scores do not depend on them.
func (m *Model) Scores(texts []string, workers int) []float64 {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	scores := make([]float64, len(texts))
	parallel(workers, (len(texts)+chunkRows-1)/chunkRows, func(k int) {
		var v vector
		for i := k * chunkRows; i < min(len(texts), (k+1)*chunkRows); i++ {
			m.vectorize(texts[i], &v)
			scores[i] = m.probability(&v)
		}
	})
	return scores
}
