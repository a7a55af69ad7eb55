//go:build !cgo || nonative || !(linux || darwin)

package onnx

import (
	"context"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// Detector is what Open returns in builds with native parts; in this build there is none.
type Detector struct{}

var _ detect.TokenScorer = (*Detector)(nil)

func errNoNative() error {
	return fault.New(fault.Incomplete, "this build of pidsbench has no native parts, which eval, score and detectors check "+
		"need for detectors of kind onnx").
		WithCure("run `make native`, then `go build ./cmd/pidsbench` with CGO_ENABLED=1 and without the tag nonative")
}

// Open returns the error that this build has no native parts.
func Open(string, detect.Entry, int) (*Detector, error) { return nil, errNoNative() }

// RuntimeVersion returns the error that this build has no native parts.
func RuntimeVersion() (string, error) { return "", errNoNative() }

// TokenizersVersion returns the error that this build has no native parts.
func TokenizersVersion() (string, error) { return "", errNoNative() }

// Info returns nothing.
func (*Detector) Info() detect.Info { return detect.Info{} }

// Close does nothing.
func (*Detector) Close() error { return nil }

// Shape returns nothing.
func (*Detector) Shape() detect.Shape { return detect.Shape{} }

// Tokenize returns the error that this build has no native parts.
func (*Detector) Tokenize(string) ([]uint32, error) { return nil, errNoNative() }

// ScoreWindows returns the error that this build has no native parts.
func (*Detector) ScoreWindows(context.Context, [][]uint32) ([]float64, error) {
	return nil, errNoNative()
}
