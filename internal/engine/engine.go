// Package engine gives every text a score: it cuts texts into windows, groups windows into batches under a token
// budget, runs the batches on workers, and pools the windows of a text into the score of its rows.
//
// A row's score depends on its text and the detector alone: not on the other rows, their order, the batches or the
// number of workers. Equal texts are scored once.
package engine

import (
	"context"
	"errors"
	"runtime"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// Mode says which windows of a long text count.
type Mode string

// The window modes.
const (
	Max      Mode = "max"      // a row's score is the largest over all its windows
	Truncate Mode = "truncate" // the first window alone
)

// Item is one row to be scored.
type Item struct {
	Row   int // comes back in the Result
	Text  string
	Alone bool // run with nothing else in flight, before the rest: the process died on this row once
}

// Options say how to run. The zero value with a window mode is a good choice.
type Options struct {
	Windows Mode // Max when empty
	Workers int  // concurrent calls of the detector; 0 means one a core, or what a detect.Concurrent asks for
	// Begin is called, when not nil, with the rows of equal texts that are about to go to the detector for the first
	// time, in ascending order. Its error stops the run.
	Begin func(rows []int) error
	// Progress is called, when not nil, each time a text is done.
	Progress func(Progress)
	// Window is called, when not nil, with each window of a TokenScorer that has a score, before the result of its rows.
	Window func(WindowScore)
}

// WindowScore is the score of one window of a text.
type WindowScore struct {
	Rows     []int // that hold the text, in ascending order
	From, To int   // tokens of the text, special ones not counted, from 0; To is the first one behind the window
	Score    float64
}

// Progress says how far a run has come.
type Progress struct {
	Rows    int   // rows that have a result
	Total   int   // rows of the run
	Tokens  int64 // tokens that went through the model, special tokens counted
	Elapsed time.Duration
}

// Result is what became of one row: a score, or the reason why there is none.
//
// Tokens and TokensScored count the special tokens once, as a tokenizer does for one text: Tokens is what the whole
// text would take without a limit, TokensScored what the windows that count have seen of it. A row was truncated when
// they differ. For detectors without tokens Windows, Tokens and TokensScored are 0.
type Result struct {
	Row          int
	Score        float64 // P(injection) in [0,1]; meaningless when Err is set
	Windows      int     // windows that were scored
	Tokens       int
	TokensScored int
	NULs         int    // NUL bytes removed from the text before it was scored
	Err          string // why the row has no score; empty for a scored row
}

// Stats sums up a run.
type Stats struct {
	Rows        int   // rows with a score
	Errors      int   // rows with an error
	Truncated   int   // scored rows of which the mode Truncate left tokens unseen
	MultiWindow int   // scored rows with more than one window
	Distinct    int   // distinct texts
	Windows     int   // windows that went through the model
	Tokens      int64 // tokens in them, special tokens counted, padding not
	Elapsed     time.Duration
	// Abandoned counts detector calls that ignored the cancellation for longer than the grace period and still run.
	// The detector must not be closed while it is not 0; a process that is about to exit need not care.
	Abandoned int
}

// Run scores the items with a detector that is a detect.TokenScorer or a detect.TextScorer, and hands each row's result
// to emit as soon as it is known, in any order. Calls of emit, Begin, Progress and Window never overlap.
//
// What goes wrong with one row (a tokenizer or model error, a panic, a score that is no probability) becomes that row's
// Err. Run itself fails when the detector's shape is impossible, when emit or Begin fails or the detector returns a
// detect.StopError (their error comes back as it is), or when the context ends: then it returns within a second,
// everything emitted so far stands, and the error wraps the context's.
func Run(ctx context.Context, det detect.Detector, items []Item, opt Options, emit func(Result) error) (Stats, error) {
	score, err := scorerOf(det, opt.Windows)
	if err != nil {
		return Stats{}, err
	}
	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
		if c, ok := det.(detect.Concurrent); ok {
			workers = c.Concurrency()
		}
	}
	texts := distinct(items)
	r := &run{opt: opt, emit: emit, start: time.Now(), total: len(items), stats: Stats{Distinct: len(texts)}}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)

	var rest []*text
	for _, t := range texts {
		if t.alone {
			score(r, []*text{t}, 1)
		} else {
			rest = append(rest, t)
		}
	}
	score(r, rest, workers)
	return r.end(ctx)
}

// scorer scores texts on some workers; how it went is in the run.
type scorer func(r *run, texts []*text, workers int)

func scorerOf(det detect.Detector, mode Mode) (scorer, error) {
	if mode != "" && mode != Max && mode != Truncate {
		return nil, fault.New(fault.Usage, "the window mode is %q, expected %s or %s", string(mode), Max, Truncate)
	}
	switch d := det.(type) {
	case detect.TokenScorer:
		s := &tokenScorer{det: d, shape: d.Shape(), mode: mode}
		if err := s.check(); err != nil {
			return nil, err
		}
		return s.score, nil
	case detect.TextScorer:
		return textScorer{d}.score, nil
	default:
		return nil, fault.New(fault.Failed, "detector %s scores neither texts nor tokens", det.Info().ID)
	}
}

// end sums up: an error when rows are left.
func (r *run) end(ctx context.Context) (Stats, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.stats.Elapsed = time.Since(r.start)
	r.stats.Abandoned = int(r.running.Load())
	if r.failed != nil {
		return r.stats, r.failed
	}
	done := r.stats.Rows + r.stats.Errors
	if err := ctx.Err(); err != nil && done < r.total {
		kind := fault.Failed
		if errors.Is(err, context.Canceled) {
			kind = fault.Interrupted
		}
		return r.stats, fault.New(kind, "scoring stopped after %d of %d rows: %w", done, r.total, err)
	}
	return r.stats, nil
}
