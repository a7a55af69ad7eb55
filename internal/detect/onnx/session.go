//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"fmt"
	"strings"

	ort "github.com/yalue/onnxruntime_go"

	"pidsbench/internal/fault"
)

// session is a loaded graph. Its run is safe for concurrent use.
type session struct {
	signature
	ort *ort.DynamicAdvancedSession
}

// openSession loads a graph. The runtime is given the bytes that were hashed, unless weights lie in files beside them.
func openSession(f *folder, sig signature) (*session, error) {
	options, err := sessionOptions()
	if err != nil {
		return nil, fault.New(fault.Failed, "ONNX Runtime: %w", err)
	}
	defer options.Destroy()
	s := &session{signature: sig}
	outputs := []string{sig.output}
	if len(f.graph.external) > 0 {
		s.ort, err = ort.NewDynamicAdvancedSession(f.modelPath, sig.inputs, outputs, options)
	} else {
		s.ort, err = ort.NewDynamicAdvancedSessionWithONNXData(f.model, sig.inputs, outputs, options)
	}
	if err != nil {
		return nil, fault.New(fault.Integrity, "%s cannot be loaded: %s", f.modelPath, firstLine(err)).WithCure("%s", f.cure)
	}
	return s, nil
}

// sessionOptions are for many callers at once, one core each: no thread pool inside the runtime, so callers do not get
// in each other's way. The memory arena stays on.
func sessionOptions() (*ort.SessionOptions, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	for _, set := range []func() error{
		func() error { return options.SetIntraOpNumThreads(1) },
		func() error { return options.SetInterOpNumThreads(1) },
		func() error { return options.SetExecutionMode(ort.ExecutionModeSequential) },
		func() error { return options.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableExtended) },
		func() error { return options.SetLogSeverityLevel(ort.LoggingLevelFatal) },
	} {
		if err := set(); err != nil {
			options.Destroy()
			return nil, err
		}
	}
	return options, nil
}

// run computes the logits of a batch of equally long rows, each tensor row-major [rows, length]. It comes back within
// milliseconds after ctx is cancelled, with ctx.Err().
func (s *session) run(ctx context.Context, rows, length int, tensors map[string][]int64) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	shape := ort.NewShape(int64(rows), int64(length))
	inputs := make([]ort.Value, len(s.inputs))
	for i, name := range s.inputs {
		t, err := ort.NewTensor(shape, tensors[name])
		if err != nil {
			return nil, err
		}
		defer t.Destroy()
		inputs[i] = t
	}
	outputs := []ort.Value{nil} // the runtime allocates what it needs while the width is unknown
	if s.width > 0 {
		t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(rows), int64(s.width)))
		if err != nil {
			return nil, err
		}
		outputs[0] = t
	}
	defer func() {
		if outputs[0] != nil {
			outputs[0].Destroy()
		}
	}()
	if err := s.runInterruptibly(ctx, inputs, outputs); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	logits, ok := outputs[0].(*ort.Tensor[float32])
	if got := outputs[0].GetShape(); !ok || len(got) != 2 || got[0] != int64(rows) || got[1] > maxClasses {
		return nil, fmt.Errorf("output %s has shape %v, expected [%d, classes]", short(s.output), got, rows)
	}
	return logits.GetData(), nil
}

func (s *session) runInterruptibly(ctx context.Context, inputs, outputs []ort.Value) error {
	options, err := ort.NewRunOptions()
	if err != nil {
		return err
	}
	defer options.Destroy()
	terminated := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(terminated)
		options.Terminate()
	})
	err = s.ort.RunWithOptions(inputs, outputs, options)
	if !stop() {
		<-terminated // the options must outlive the call that sets their flag
	}
	return err
}

func (s *session) close() error { return s.ort.Destroy() }

// firstLine cuts a message of a native library to something that fits a sentence.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if r := []rune(line); len(r) > 300 {
		line = string(r[:300]) + "…"
	}
	return line
}
