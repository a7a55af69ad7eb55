//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"fmt"
	"math"
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
	inputs, outputs := make([]string, len(sig.inputs)), []string{sig.output}
	for i, in := range sig.inputs {
		inputs[i] = in.name
	}
	if len(f.graph.external) > 0 {
		s.ort, err = ort.NewDynamicAdvancedSession(f.modelPath, inputs, outputs, options)
	} else {
		s.ort, err = ort.NewDynamicAdvancedSessionWithONNXData(f.model, inputs, outputs, options)
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
		// Without it, int8 sums overflow on x64 processors without VNNI: scores there would be others, not only rounded.
		func() error { return options.AddSessionConfigEntry("session.x64quantprecision", "1") },
	} {
		if err := set(); err != nil {
			options.Destroy()
			return nil, err
		}
	}
	return options, nil
}

// run computes the logits of a batch of equally long rows. Tensors are those of the signature's inputs, in its order,
// each row-major [rows, length]. It comes back within milliseconds after ctx is cancelled, with ctx.Err().
func (s *session) run(ctx context.Context, rows, length int, tensors [][]int64) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	shape := ort.NewShape(int64(rows), int64(length))
	inputs := make([]ort.Value, len(s.inputs))
	for i, in := range s.inputs {
		t, err := in.tensor(shape, tensors[i])
		if err != nil {
			return nil, err
		}
		defer t.Destroy()
		inputs[i] = t
	}
	out, err := s.room(rows)
	if err != nil {
		return nil, err
	}
	outputs := []ort.Value{out}
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
	if got := outputs[0].GetShape(); len(got) != 2 {
		return nil, fmt.Errorf("output %s has %s", short(s.output), wrongShape(got))
	} else if got[0] != int64(rows) || got[1] > maxClasses {
		return nil, fmt.Errorf("output %s has shape %v for %d rows, expected [%d, classes]", short(s.output), got, rows, rows)
	}
	switch out := outputs[0].(type) {
	case *ort.Tensor[float32]:
		return out.GetData(), nil
	case *ort.CustomDataTensor:
		return halves(out.GetData()), nil
	}
	return nil, fmt.Errorf("output %s holds another type than the graph declares", short(s.output))
}

// tensor wraps the values for the runtime.
func (in input) tensor(shape ort.Shape, values []int64) (ort.Value, error) {
	if !in.int32 {
		return ort.NewTensor(shape, values)
	}
	narrow := make([]int32, len(values))
	for i, v := range values {
		if v < math.MinInt32 || v > math.MaxInt32 {
			return nil, fmt.Errorf("token %d does not fit the graph's int32", v)
		}
		narrow[i] = int32(v)
	}
	return ort.NewTensor(shape, narrow)
}

// room returns what the runtime is to write logits of so many rows to: nil, so that it allocates what it needs, while
// the width is unknown.
func (s *session) room(rows int) (ort.Value, error) {
	shape := ort.NewShape(int64(rows), int64(s.width))
	switch {
	case s.width == 0:
		return nil, nil
	case s.half:
		return ort.NewCustomDataTensor(shape, make([]byte, 2*rows*s.width), ort.TensorElementDataTypeFloat16)
	}
	return ort.NewEmptyTensor[float32](shape)
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
