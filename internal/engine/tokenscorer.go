package engine

import (
	"fmt"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// The texts of a block are tokenised, sorted and scored together. Blocks bound the memory that tokens take; the scores
// do not depend on them.
const (
	blockTexts = 4096
	blockBytes = 16 << 20
)

// A text of this many bytes is announced before it is tokenised: that alone may exhaust the memory.
const bigText = 1 << 20

// tokenScorer runs texts through a detect.TokenScorer.
type tokenScorer struct {
	det   detect.TokenScorer
	shape detect.Shape
	mode  Mode
}

// check returns an error where windows of the detector's shape could not cover a text.
func (s *tokenScorer) check() error {
	size := s.shape.MaxLength - s.shape.Special
	if size <= 0 {
		return fault.New(fault.Usage, "detector %s: max_length is %d, expected more than the %d special tokens",
			s.det.Info().ID, s.shape.MaxLength, s.shape.Special).WithCure("raise max_length in configs/detectors.yaml")
	}
	if s.shape.Stride < 0 || s.shape.Stride >= size {
		return fault.New(fault.Usage, "detector %s: stride is %d, expected 0 to %d, less than the %d tokens of a window",
			s.det.Info().ID, s.shape.Stride, size-1, size).WithCure("lower stride in configs/detectors.yaml")
	}
	return nil
}

func (s *tokenScorer) score(r *run, texts []*text, workers int) {
	for len(texts) > 0 && r.ctx.Err() == nil {
		n, bytes := 0, 0
		for n < len(texts) && n < blockTexts && (n == 0 || bytes+len(texts[n].text) <= blockBytes) {
			bytes += len(texts[n].text)
			n++
		}
		s.block(r, texts[:n], workers)
		texts = texts[n:]
	}
}

func (s *tokenScorer) block(r *run, texts []*text, workers int) {
	r.each(len(texts), workers, func(i int) { s.tokenise(r, texts[i]) })
	if r.ctx.Err() != nil {
		return
	}
	todo := batches(texts, s.shape)
	r.each(len(todo), workers, func(i int) { s.batch(r, todo[i]) })
}

// tokenise cuts a text into its windows. A text that cannot be tokenised is done with that.
func (s *tokenScorer) tokenise(r *run, t *text) {
	if (t.alone || len(t.text) >= bigText) && !r.begin(t) {
		return
	}
	ids, err := s.ids(t.text)
	if r.ctx.Err() != nil {
		return
	}
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.closed {
			t.err = fmt.Errorf("tokenizer: %w", err)
			r.finish(t)
		}
		return
	}
	cut := spans(len(ids), s.shape.MaxLength-s.shape.Special, s.shape.Stride)
	t.tokens = len(ids) + s.shape.Special
	t.seen = t.tokens
	if s.mode == Truncate {
		t.seen = cut[0].to + s.shape.Special
		ids = append([]uint32(nil), ids[:cut[0].to]...) // lets go of the rest
		cut = cut[:1]
	}
	t.left = len(cut)
	t.windows = make([][]uint32, len(cut))
	for i, c := range cut {
		t.windows[i] = ids[c.from:c.to:c.to]
	}
}

func (s *tokenScorer) ids(text string) (ids []uint32, err error) {
	defer guard(&err)
	return s.det.Tokenize(text)
}

// batch scores a batch of windows. When that fails as a whole, they are scored one by one, so that only the rows that
// are to blame become errors.
func (s *tokenScorer) batch(r *run, b []window) {
	texts := make([]*text, len(b))
	for i, w := range b {
		texts[i] = w.text
	}
	if !r.begin(texts...) {
		return
	}
	errs := make([]error, len(b))
	scores, err := s.windows(r, b)
	if err != nil {
		scores = make([]float64, len(b))
		errs[0] = err
		for i := 0; len(b) > 1 && i < len(b) && r.ctx.Err() == nil; i++ {
			var one []float64
			if one, errs[i] = s.windows(r, b[i:i+1]); errs[i] == nil {
				scores[i] = one[0]
			}
		}
		if r.ctx.Err() != nil {
			return // stopped, not failed
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range b {
		if r.closed || r.failed != nil {
			return
		}
		if errs[i] == nil {
			errs[i] = check(scores[i])
		}
		if errs[i] != nil && len(w.text.windows) > 1 {
			errs[i] = fmt.Errorf("window %d of %d: %w", w.i+1, len(w.text.windows), errs[i])
		}
		if errs[i] == nil && r.opt.Window != nil {
			from, to := s.span(w)
			r.opt.Window(WindowScore{Rows: rowsOf([]*text{w.text}), From: from, To: to, Score: scores[i]})
		}
		r.stats.Windows++
		r.stats.Tokens += int64(len(w.ids) + s.shape.Special)
		w.text.pool(w.i, scores[i], errs[i])
		if w.text.left == 0 {
			r.finish(w.text)
		}
	}
}

// span returns which tokens of its text a window holds; see spans.
func (s *tokenScorer) span(w window) (from, to int) {
	step := s.shape.MaxLength - s.shape.Special - s.shape.Stride
	from = min(w.i*step, w.text.tokens-s.shape.Special-len(w.ids))
	return from, from + len(w.ids)
}

// windows calls the detector. On success there is a score for each window.
func (s *tokenScorer) windows(r *run, b []window) (scores []float64, err error) {
	defer guard(&err)
	ids := make([][]uint32, len(b))
	for i, w := range b {
		ids[i] = w.ids
	}
	scores, err = s.det.ScoreWindows(r.ctx, ids)
	if err == nil && len(scores) != len(b) {
		err = fmt.Errorf("the detector gave %d scores for %d windows", len(scores), len(b))
	}
	return scores, err
}
