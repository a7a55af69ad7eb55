// Package cli holds the commands, one file each. All contact with the process goes through State.
package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"pidsbench/internal/render"
)

// State is what a command may know of the process it runs in.
type State struct {
	Args       []string
	Getenv     func(string) string
	Environ    func() []string // nil for none
	Started    time.Time
	Dir        string // the working folder
	Executable string // the program's own path, links resolved
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	StdinTTY   bool // nothing is piped in
	StderrTTY  bool // progress is drawn only then
	Columns    int  // of the terminal that shows stdout; 0 for none
	Quiet      bool // no progress and no notes
	NoColour   bool // --no-color
}

// NewState returns the state of this process.
func NewState() (*State, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if resolved, err := filepath.EvalSymlinks(exe); err == nil {
		exe = resolved
	}
	columns := 0
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		if columns, _, err = term.GetSize(fd); err != nil {
			columns = 0
		}
	}
	return &State{
		Args: os.Args[1:], Columns: columns, Getenv: os.Getenv, Environ: os.Environ, Started: time.Now(), Dir: dir, Executable: exe,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, StdinTTY: term.IsTerminal(int(os.Stdin.Fd())), StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}, nil
}

// logf prints a line for people on stderr. What could steer a terminal is escaped.
func (st *State) logf(format string, args ...any) {
	fmt.Fprintln(st.Stderr, printableLines(fmt.Sprintf(format, args...)))
}

// note is logf, unless people asked for quiet.
func (st *State) note(format string, args ...any) {
	if !st.Quiet {
		st.logf(format, args...)
	}
}

func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = render.Printable(l)
	}
	return strings.Join(lines, "\n")
}

// stickyWriter remembers the first error, so that lost output never ends with exit status 0.
type stickyWriter struct {
	w       io.Writer
	columns int
	err     error
}

// Columns returns the columns of the terminal that is written to, 0 for none: tables are fitted to it.
func (s *stickyWriter) Columns() int { return s.columns }

func (s *stickyWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}
