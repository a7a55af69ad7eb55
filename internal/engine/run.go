package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// grace is how long Run waits for detector calls that do not heed the cancelled context.
const grace = 700 * time.Millisecond

// run is the state of one Run that its workers share.
type run struct {
	opt     Options
	emit    func(Result) error
	start   time.Time
	total   int
	ctx     context.Context // ends with the caller's context or the first failure of a callback
	stop    context.CancelCauseFunc
	running atomic.Int64 // goroutines at work

	mu     sync.Mutex // orders the callbacks and guards what follows, and texts in work
	stats  Stats
	failed error // from a callback
	closed bool  // Run has returned: late results are dropped
}

// each calls work(0) … work(n-1) on some workers, lowest first, until all are done or the run's context ends. It leaves
// workers behind that do not come back within the grace period.
func (r *run) each(n, workers int, work func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		r.running.Add(1)
		wg.Go(func() {
			defer r.running.Add(-1)
			for r.ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	idle := make(chan struct{})
	go func() { wg.Wait(); close(idle) }()
	select {
	case <-idle:
		return
	case <-r.ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}

// begin announces the rows of texts that were not announced before. It reports whether the run goes on.
func (r *run) begin(texts ...*text) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.ctx.Err() != nil {
		return false
	}
	var fresh []*text
	for _, t := range texts {
		if !t.begun {
			t.begun = true
			fresh = append(fresh, t)
		}
	}
	if r.opt.Begin == nil || len(fresh) == 0 {
		return true
	}
	if err := r.opt.Begin(rowsOf(fresh)); err != nil {
		r.fail(err)
		return false
	}
	return true
}

// fail stops the run. The lock is held.
func (r *run) fail(err error) {
	if r.failed == nil {
		r.failed = err
		r.stop(err)
	}
}

// finish emits the result of each row of a text that has its score or its error. The lock is held.
func (r *run) finish(t *text) {
	res := Result{Score: t.score, Windows: len(t.windows), Tokens: t.tokens, TokensScored: t.seen}
	if t.err != nil {
		res.Score, res.Err = 0, reason(t.err)
	}
	t.windows = nil
	for _, o := range t.rows {
		res.Row, res.NULs = o.row, o.nuls
		if err := r.emit(res); err != nil {
			r.fail(err)
			return
		}
		switch {
		case res.Err != "":
			r.stats.Errors++
			continue
		case res.TokensScored < res.Tokens:
			r.stats.Truncated++
		case res.Windows > 1:
			r.stats.MultiWindow++
		}
		r.stats.Rows++
	}
	if r.opt.Progress != nil {
		r.opt.Progress(Progress{
			Rows: r.stats.Rows + r.stats.Errors, Total: r.total,
			Tokens: r.stats.Tokens, Elapsed: time.Since(r.start),
		})
	}
}

// check returns an error for a score that is no probability.
func check(score float64) error {
	if math.IsNaN(score) || score < 0 || score > 1 {
		return fmt.Errorf("the detector gave %v, expected a score from 0 to 1", score)
	}
	return nil
}

// guard turns a panic of the detector into an error.
func guard(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("the detector panicked: %v", v)
	}
}

// reason makes one printable line of at most 200 characters out of an error: it may quote a hostile text.
func reason(err error) string {
	const most = 200
	s := strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, strings.ToValidUTF8(err.Error(), "\uFFFD"))
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most-1]) + "…"
	}
	if strings.TrimSpace(s) == "" {
		return "the detector failed without saying why"
	}
	return s
}
