package process

import (
	"context"
	"strconv"

	"pidsbench/internal/fault"
)

// Close ends the programs: their input ends, and what still runs two seconds later is killed; at once when the context of
// the last text had ended. It says how often a program was started again, and how one ended that did not end well.
func (d *Detector) Close() error {
	d.mu.Lock()
	wait, restarts, word := farewell, d.restarts, d.lastWord
	if d.hurry {
		wait = 0
	}
	if d.stopped != nil { // for a reason that the user is told
		restarts = 0
	}
	d.mu.Unlock()
	d.stop(fault.New(fault.Failed, "detector %s is closed", d.info.ID))
	if restarts > 0 {
		times := "once"
		if restarts > 1 {
			times = strconv.Itoa(restarts) + " times"
		}
		d.say("%s: its program was started again %s; the last time because %s", d.info.ID, times, word)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	for _, c := range d.dismiss() {
		select {
		case <-c.dead:
		case <-ctx.Done():
			c.kill(&misuse{"still ran when its input had ended, and was killed", ""})
			<-c.dead
		}
		if wait > 0 && (c.failed || c.cause() != nil) {
			d.say("%s: after its last answer its program %s", d.info.ID, (&death{c}).what())
		}
	}
	return nil
}

// dismiss ends the input of the programs that run, and returns them.
func (d *Detector) dismiss() []*child {
	var out []*child
	for _, w := range d.workers {
		w.mu.Lock()
		if w.child != nil && !w.child.ended() {
			out = append(out, w.child)
			_ = w.child.stdin.Close()
		}
		w.mu.Unlock()
	}
	return out
}
