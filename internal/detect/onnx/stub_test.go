//go:build !cgo || nonative || !(linux || darwin)

package onnx

import (
	"context"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

func TestBuildWithoutNativePartsSaysSo(t *testing.T) {
	const what = "no native parts, which eval, score and detectors check need for detectors of kind onnx; run `make native`"
	_, err := Open(t.TempDir(), detect.Entry{ID: "d"}, 0)
	checkFault(t, err, fault.Incomplete, what)
	_, err = RuntimeVersion()
	checkFault(t, err, fault.Incomplete, what)
	_, err = TokenizersVersion()
	checkFault(t, err, fault.Incomplete, what)
	_, err = (&Detector{}).Tokenize("a")
	checkFault(t, err, fault.Incomplete, what)
	_, err = (&Detector{}).ScoreWindows(context.Background(), nil)
	checkFault(t, err, fault.Incomplete, what)
}
