// Package cli holds the commands, one file each. All contact with the process goes through State.
package cli

import (
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"
)

// State is what a command may know of the process it runs in.
type State struct {
	Args       []string
	Getenv     func(string) string
	Dir        string // the working folder
	Executable string // the program's own path, links resolved
	Stdout     io.Writer
	Stderr     io.Writer
	StderrTTY  bool // progress is drawn only then
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
	return &State{
		Args: os.Args[1:], Getenv: os.Getenv, Dir: dir, Executable: exe, Stdout: os.Stdout, Stderr: os.Stderr,
		StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}, nil
}
