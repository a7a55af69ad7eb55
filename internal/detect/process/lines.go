package process

import (
	"bytes"
	"strings"
	"sync"

	"pidsbench/internal/fault"
)

// lines cuts what is written to it into lines and hands each to take, without its end and never an empty one. Once take
// returns false, or a line is longer than maxLine, the rest is swallowed.
type lines struct {
	take func(line []byte) bool
	long func() // the line is too long

	rest []byte // the beginning of a line
	done bool
}

// Write takes in some bytes. It never fails, so that a program is not stopped by its own output.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for !l.done {
		line, after, whole := bytes.Cut(p, []byte("\n"))
		l.rest = append(l.rest, line...)
		if len(l.rest) > maxLine {
			l.done = true
			l.long()
			break
		}
		if !whole {
			break
		}
		l.end()
		p = after
	}
	return n, nil
}

// end takes what has no line end yet as a line.
func (l *lines) end() {
	if line := bytes.TrimSpace(l.rest); len(line) > 0 && !l.done {
		l.done = !l.take(line)
	}
	l.rest = l.rest[:0]
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const (
	tailBytes = 8 << 10
	tailLines = 10
)

// Write takes in some bytes.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(len(p)-tailBytes, 0):]...)
	t.kept = t.kept[max(len(t.kept)-tailBytes, 0):]
	return len(p), nil
}

// last returns the last lines that say something, fit for a terminal.
func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for line := range strings.Lines(string(t.kept)) {
		if line = fault.Line(line); line != "" {
			out = append(out, line)
		}
	}
	return out[max(len(out)-tailLines, 0):]
}

// summary is one line of at most 200 characters that says most: the end without the indented lines, which are the
// frames of a stack in many languages.
func (t *tail) summary() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for line := range strings.Lines(string(t.kept)) {
		if flush := strings.TrimLeft(line, " \t") == line; flush && fault.Line(line) != "" {
			out = append(out, line)
		}
	}
	return fault.Line(strings.Join(out[max(len(out)-2, 0):], " / "))
}
