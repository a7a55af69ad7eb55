package cli

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"pidsbench/internal/engine"
)

// progress shows how far a detector has come: a bar with rate and time left on a terminal, a line at the end elsewhere.
type progress struct {
	st    *State
	name  string
	rows  int
	start time.Time
	bar   *progressbar.ProgressBar // nil without a terminal

	before engine.Progress // of the splits that are done
	errors int
}

func newProgress(st *State, c *candidate, rows int) *progress {
	p := &progress{st: st, name: c.info.ID, rows: rows, start: time.Now()}
	if len(c.entry.Seeds) > 0 {
		p.name += fmt.Sprintf(" seed %d", c.seed)
	}
	if st.StderrTTY && !st.Quiet {
		p.bar = progressbar.NewOptions(rows, progressbar.OptionSetWriter(st.Stderr), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetDescription(p.name), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
	}
	return p
}

// update is called by the engine each time a text is done.
func (p *progress) update(now engine.Progress) {
	if p.bar != nil {
		p.bar.Set(p.before.Rows + now.Rows) //nolint:errcheck // a bar that cannot be drawn stops nothing
	}
}

// add closes the count of a split.
func (p *progress) add(s engine.Stats) {
	p.before.Rows += s.Rows + s.Errors
	p.before.Tokens += s.Tokens
	p.errors += s.Errors
}

// end removes the bar and leaves one line.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Clear() //nolint:errcheck // see update
	}
	took := time.Since(p.start)
	line := fmt.Sprintf("%s: %d of %d rows in %.1f s", p.name, p.before.Rows, p.rows, took.Seconds())
	if p.before.Tokens > 0 {
		line += fmt.Sprintf(", %.0f tokens/s", float64(p.before.Tokens)/took.Seconds())
	}
	if p.errors > 0 {
		line += fmt.Sprintf(", %d errors", p.errors)
	}
	p.st.note("%s", line)
}
