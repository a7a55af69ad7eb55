package engine

import (
	"errors"

	"pidsbench/internal/detect"
)

// textScorer runs texts through a detect.TextScorer.
type textScorer struct{ det detect.TextScorer }

// Texts go to the workers in chunks, so that fast detectors are not held up by the lock and slow ones still spread
// evenly over the workers: at least 8 chunks a worker, at most 64 texts a chunk. A detector that waits for something
// else gets single texts, so that few are in flight when the process is killed.
func (s textScorer) score(r *run, texts []*text, workers int) {
	size := min(max(len(texts)/(8*workers), 1), 64)
	if _, ok := s.det.(detect.Concurrent); ok {
		size = 1
	}
	chunks := (len(texts) + size - 1) / size
	r.each(chunks, workers, func(i int) { s.chunk(r, texts[i*size:min((i+1)*size, len(texts))]) })
}

func (s textScorer) chunk(r *run, texts []*text) {
	if !r.begin(texts...) {
		return
	}
	for _, t := range texts {
		score, err := s.one(r, t.text)
		if r.ctx.Err() != nil && err != nil {
			return // stopped, not failed
		}
		if stop := (*detect.StopError)(nil); errors.As(err, &stop) {
			r.mu.Lock()
			r.fail(stop.Err)
			r.mu.Unlock()
			return
		}
		if err == nil {
			err = check(score)
		}
		r.mu.Lock()
		if r.closed || r.failed != nil {
			r.mu.Unlock()
			return
		}
		t.pool(0, score, err)
		r.finish(t)
		r.mu.Unlock()
		if r.ctx.Err() != nil {
			return
		}
	}
}

func (s textScorer) one(r *run, text string) (score float64, err error) {
	defer guard(&err)
	return s.det.Score(r.ctx, text)
}
