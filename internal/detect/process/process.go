// Package process runs detectors that are programs of their own. A program is started once and kept: it reads one JSON
// object a line from stdin and writes one a line to stdout, as docs/process.md says.
//
// A program that crashes, hangs or writes what it must not is ended and started again, and the texts it held are sent
// once more, each alone. A text that ends the program twice is the row's error, provided that the program answers a
// harmless text; when it does not, the run stops.
package process

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// harmless is the text by which a program proves that it works.
const harmless = "Hello."

// Detector is a program, kept running. Its methods are safe for concurrent use.
type Detector struct {
	info  detect.Info
	entry detect.Process
	root  string
	path  string // of the program
	args  []string
	say   func(format string, args ...any)

	workers []*worker
	free    chan *worker // one entry for each text that a worker may hold

	mu       sync.Mutex
	stopped  *detect.StopError // why nothing can be scored any more
	proven   bool              // it has answered once
	restarts int
	lastWord string // what the last death said
	hurry    bool   // the last text's context ended: do not wait for clean ends
}

// worker keeps one program running.
type worker struct {
	alone sync.RWMutex // held for reading by a text among others, for writing by a text that must be alone

	mu    sync.Mutex
	child *child // nil before the first start
}

// Describe returns what score files say about the detector, without starting the program. A program or declared file
// that is not here is an Incomplete error.
func Describe(root string, e detect.Entry, seed int) (detect.Info, error) {
	d, err := describe(root, e, seed)
	if err != nil {
		return detect.Info{}, err
	}
	return d.info, nil
}

func describe(root string, e detect.Entry, seed int) (*Detector, error) {
	d := &Detector{entry: *e.Process, root: root}
	command := make([]string, len(e.Process.Command))
	for i, arg := range e.Process.Command {
		command[i] = forSeed(arg, seed)
	}
	d.args = command[1:]
	var err error
	if d.path, err = lookup(root, command[0]); err != nil {
		return nil, err
	}
	d.info = detect.Info{ID: e.ID, DisplayName: e.Name, Kind: e.Kind, Seed: seed, ConfigHash: e.Hash()}
	d.info.Files, err = files(root, e, command, forSeed(e.Model, seed))
	return d, err
}

func forSeed(s string, seed int) string { return strings.ReplaceAll(s, "{seed}", strconv.Itoa(seed)) }

// Open returns the detector; programs start when there are texts for them. Root is the absolute path of their working
// folder; say is told, a line a time, what is worth knowing of a run that succeeds. Errors are those of Describe.
func Open(root string, e detect.Entry, seed int, say func(format string, args ...any)) (*Detector, error) {
	d, err := describe(root, e, seed)
	if err != nil {
		return nil, err
	}
	d.say = say
	inFlight := max(e.Process.InFlight, 1)
	d.workers = make([]*worker, max(e.Process.Processes, 1))
	d.free = make(chan *worker, len(d.workers)*inFlight)
	for i := range d.workers {
		d.workers[i] = &worker{}
	}
	for range inFlight {
		for _, w := range d.workers {
			d.free <- w
		}
	}
	return d, nil
}

// Info describes the detector.
func (d *Detector) Info() detect.Info { return d.info }

// Concurrency returns how many texts the programs hold at a time.
func (d *Detector) Concurrency() int { return cap(d.free) }

// Score returns the program's score of the text, or its label as 0 or 1. A detect.StopError says that the program can
// score nothing; any other error is the text's.
func (d *Detector) Score(ctx context.Context, text string) (float64, error) {
	defer func() {
		d.mu.Lock()
		d.hurry = ctx.Err() != nil
		d.mu.Unlock()
	}()
	var w *worker
	select {
	case w = <-d.free:
		defer func() { d.free <- w }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	score, err := d.try(ctx, w, text, false)
	var died *death
	if !errors.As(err, &died) {
		return score, err
	}
	d.count(died.child)
	if died.killed() || !d.works() {
		// After a kill too: then the program has started, and a text that is too slow gets no time for that.
		if err := d.prove(ctx, w); err != nil {
			return 0, err
		}
	}
	score, err = d.try(ctx, w, text, true)
	if !errors.As(err, &died) {
		return score, err
	}
	d.count(died.child)
	if err := d.prove(ctx, w); err != nil { // it is the program that fails, not the text
		return 0, err
	}
	return 0, fmt.Errorf("the program did not survive this text, twice: %w", died)
}

// try sends the text to the worker's program, starting it when it does not run. A death comes back as it is.
func (d *Detector) try(ctx context.Context, w *worker, text string, alone bool) (float64, error) {
	if alone {
		w.alone.Lock()
		defer w.alone.Unlock()
	} else {
		w.alone.RLock()
		defer w.alone.RUnlock()
	}
	c, err := d.running(ctx, w)
	if err != nil {
		return 0, err
	}
	m, err := c.ask(ctx, text, d.startTimeout(), seconds(d.entry.Timeout, detect.DefaultTimeout))
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	d.proven = true
	d.mu.Unlock()
	return m.score, m.err
}

// running returns the worker's program, started and ready if that is promised. When it cannot be started, nothing can
// be scored any more.
func (d *Detector) running(ctx context.Context, w *worker) (*child, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d.mu.Lock()
	stopped := d.stopped
	d.mu.Unlock()
	switch {
	case stopped != nil:
		return nil, stopped
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case w.child != nil && !w.child.ended():
		return w.child, nil
	case w.child != nil:
		d.count(w.child)
	}
	c, err := start(d.path, d.args, d.environment(), d.root, d.entry.Version)
	if err != nil {
		return nil, d.stop(fault.New(fault.Failed, "detector %s: its program cannot be started: %w", d.info.ID, err).
			WithCure("correct process.command"))
	}
	w.child = c
	if d.entry.Ready {
		err = c.waitReady(ctx, d.startTimeout())
	}
	if died := (*death)(nil); errors.As(err, &died) {
		return nil, d.give(died, "was not ready")
	}
	return c, err
}

func (d *Detector) startTimeout() time.Duration {
	return seconds(d.entry.StartTimeout, detect.DefaultStartTimeout)
}

// count notes, once, that a program has ended while it should have run.
func (d *Detector) count(c *child) {
	died := &death{c}
	word := died.Error()
	if died.finished() {
		word += "; " + stayCure
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !c.counted && c.cause() != cancelled {
		c.counted = true
		d.restarts++
		d.lastWord = word
	}
}

// works reports whether the program has answered once.
func (d *Detector) works() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.proven
}

// prove has the program answer a harmless text; when it does not, prove returns the error that stops the run.
func (d *Detector) prove(ctx context.Context, w *worker) error {
	_, err := d.try(ctx, w, harmless, true)
	var died *death
	var stop *detect.StopError
	switch {
	case errors.As(err, &died):
		return d.give(died, "does not answer")
	case errors.As(err, &stop), ctx.Err() != nil:
		return err
	}
	return nil // a bad answer is an answer
}

// give gives the program up.
func (d *Detector) give(died *death, how string) *detect.StopError {
	for _, line := range died.child.stderr.last() {
		d.say("%s: stderr: %s", d.info.ID, line)
	}
	return d.stop(fault.New(fault.Failed, "detector %s: its program %s: %v", d.info.ID, how, died).
		WithCure("%s", died.cure()))
}

// stop makes the error the reason why nothing is scored any more, unless there is one.
func (d *Detector) stop(err *fault.Error) *detect.StopError {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped == nil {
		d.stopped = &detect.StopError{Err: err}
	}
	return d.stopped
}
