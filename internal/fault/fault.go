// Package fault classifies errors by what the user has to do about them. Each kind has one exit status; the whole
// program maps errors to statuses here and nowhere else.
package fault

import (
	"context"
	"errors"
	"fmt"
)

// Kind says why a command did not end well.
type Kind int

// The kinds, with the exit status each one ends the process with.
const (
	Failed      Kind = 1   // it failed while running
	Usage       Kind = 2   // wrong usage or configuration
	Integrity   Kind = 3   // a manifest mismatch, malformed or unsafe data, a wrong model file
	Incomplete  Kind = 4   // results lack rows, files or detectors that were asked for
	Broken      Kind = 5   // a gate is broken or a reproduction is off
	Interrupted Kind = 130 // the user stopped it; finished work is kept
)

// Error is one sentence for the user: what was found where, and how to mend it.
type Error struct {
	Kind Kind
	Msg  string // names the file, line, field, what was found and what was expected
	Cure string // an imperative clause, or empty
	Err  error  // the underlying error, or nil
}

// New returns an error of the given kind. A %w verb keeps the wrapped error reachable.
func New(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// WithCure returns the error with the clause that tells how to mend it.
func (e *Error) WithCure(format string, args ...any) *Error {
	e.Cure = fmt.Sprintf(format, args...)
	return e
}

// Error returns the sentence, the cure after a semicolon.
func (e *Error) Error() string {
	if e.Cure == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Cure
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// ExitCode maps an error to the exit status of the process: 0 for nil, 130 for a cancelled context, the kind of the
// outermost Error in the chain, otherwise 1.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	var e *Error
	if errors.As(err, &e) {
		return int(e.Kind)
	}
	if errors.Is(err, context.Canceled) {
		return int(Interrupted)
	}
	return int(Failed)
}
