package detect

// Concurrent is a detector whose work is done elsewhere, by processes or a server, so that the number of cores does not
// say how many texts it takes at a time.
type Concurrent interface {
	Detector
	Concurrency() int // calls of Score that suit it, 1 or more
}

// StopError is the error of a detector that can score nothing more, such as one whose program does not start. It ends
// the run, where any other error is the row's.
type StopError struct{ Err error }

// Error returns the sentence of the error it holds.
func (e *StopError) Error() string { return e.Err.Error() }

// Unwrap returns the error it holds.
func (e *StopError) Unwrap() error { return e.Err }
