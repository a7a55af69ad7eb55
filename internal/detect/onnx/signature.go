package onnx

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// value is an input or output that a graph declares.
type value struct {
	name  string
	elem  uint64  // element type, 0 when it is no tensor
	shape []int64 // -1 for a dynamic axis; nil when the graph does not say
}

// Element types of tensors.
const (
	elemFloat32 = 1
	elemUint8   = 2
	elemInt8    = 3
	elemInt32   = 6
	elemInt64   = 7
	elemFloat16 = 10
)

var elementNames = map[uint64]string{
	0: "no tensor", 1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
	10: "float16", 11: "float64", 16: "bfloat16",
}

func (v value) typeName() string {
	if name, ok := elementNames[v.elem]; ok {
		return name
	}
	return fmt.Sprintf("element type %d", v.elem)
}

// parseValue reads a ValueInfoProto.
func parseValue(data []byte) (value, error) {
	var v value
	err := fields(data, func(num protowire.Number, _ uint64, field []byte) error {
		switch num {
		case 1:
			v.name = string(field)
		case 2: // TypeProto; field 1 of it is the tensor type
			return fields(field, func(num protowire.Number, _ uint64, field []byte) error {
				if num != 1 {
					return nil
				}
				return v.tensorType(field)
			})
		}
		return nil
	})
	return v, err
}

func (v *value) tensorType(data []byte) error {
	return fields(data, func(num protowire.Number, n uint64, field []byte) error {
		switch num {
		case 1:
			v.elem = n
		case 2:
			v.shape = []int64{}
			return fields(field, func(num protowire.Number, _ uint64, field []byte) error {
				if num != 1 {
					return nil
				}
				size := int64(-1)
				err := fields(field, func(num protowire.Number, n uint64, _ []byte) error {
					if num == 1 {
						size = int64(n)
					}
					return nil
				})
				v.shape = append(v.shape, size)
				return err
			})
		}
		return nil
	})
}

// signature is what a graph takes and gives, checked to be something this package can serve.
type signature struct {
	inputs []input
	masked bool   // an attention mask is among them
	single bool   // one row a call
	length int    // the only length it takes; 0 for any
	output string // [batch, classes]
	half   bool   // the output holds float16, not float32
	width  int    // classes; 0 when the graph does not say
}

// input is one of input_ids, attention_mask, token_type_ids and position_ids, in the graph's order.
type input struct {
	name  string
	int32 bool // not int64
}

const exportInputs = "export the model with inputs input_ids and attention_mask of shape [batch, sequence]"

func newSignature(g *graph, where string, e detect.Entry) (*signature, error) {
	s := &signature{}
	for _, in := range g.inputs {
		if g.initial[in.name] { // old exports list the weights too
			continue
		}
		if err := s.take(in); err != nil {
			return nil, fault.New(fault.Integrity, "%s: %w", where, err).WithCure(exportInputs)
		}
	}
	if !s.has("input_ids") {
		return nil, fault.New(fault.Integrity, "%s: the graph has no input input_ids", where).WithCure(exportInputs)
	}
	if l := e.PadLengths(); s.length > 0 && (len(l) != 1 || l[0] != s.length) {
		return nil, fault.New(fault.Usage, "detector %q: the graph takes rows of exactly %d tokens, and pad is %q", e.ID,
			s.length, cmp.Or(e.Pad, "batch")).WithCure("set `pad: to:%d` in configs/detectors.yaml", s.length)
	}
	return s, s.chooseOutput(g.outputs, where, e)
}

func (s *signature) has(name string) bool {
	return slices.ContainsFunc(s.inputs, func(in input) bool { return in.name == name })
}

func (s *signature) take(in value) error {
	switch in.name {
	case "input_ids", "token_type_ids", "position_ids":
	case "attention_mask":
		s.masked = true
	default:
		return fmt.Errorf("input %s is unknown, expected input_ids, attention_mask, token_type_ids or position_ids",
			short(in.name))
	}
	if in.elem != elemInt32 && in.elem != elemInt64 {
		return fmt.Errorf("input %s holds %s, expected int64 or int32", in.name, in.typeName())
	}
	if len(in.shape) != 2 {
		return fmt.Errorf("input %s has shape %v, expected [batch, sequence]", in.name, in.shape)
	}
	if s.has(in.name) {
		return fmt.Errorf("input %s is declared twice", in.name)
	}
	switch batch := in.shape[0]; {
	case batch == 1:
		s.single = true
	case batch >= 0:
		return fmt.Errorf("input %s has a fixed batch of %d, expected a dynamic axis", in.name, batch)
	}
	if length := in.shape[1]; length == 0 || length > math.MaxInt32 || length > 0 && s.length > 0 && length != int64(s.length) {
		return fmt.Errorf("input %s has a fixed length of %d, expected a dynamic axis, or one length for all inputs", in.name,
			length)
	} else if length > 0 {
		s.length = int(length)
	}
	s.inputs = append(s.inputs, input{in.name, in.elem == elemInt32})
	return nil
}

func (s *signature) chooseOutput(outputs []value, where string, e detect.Entry) error {
	names := make([]string, len(outputs))
	for i, o := range outputs {
		names[i] = short(o.name)
	}
	at := slices.IndexFunc(outputs, func(o value) bool { return o.name == e.Output })
	switch {
	case e.Output == "" && len(outputs) == 1:
		at = 0
	case e.Output == "":
		return fault.New(fault.Usage, "detector %q: the graph has %d outputs (%s)",
			e.ID, len(outputs), strings.Join(names, ", ")).
			WithCure("name the one with the logits in `output:` in configs/detectors.yaml")
	case at < 0:
		return fault.New(fault.Usage, "detector %q: output is %s, the graph has %s",
			e.ID, short(e.Output), strings.Join(names, ", ")).
			WithCure("correct `output:` in configs/detectors.yaml")
	}
	out := outputs[at]
	if out.elem != elemFloat32 && out.elem != elemFloat16 {
		return fault.New(fault.Integrity, "%s: output %s holds %s, expected float32 or float16", where, short(out.name),
			out.typeName()).WithCure("export the model with float32 logits")
	}
	if out.shape != nil && len(out.shape) != 2 {
		return fault.New(fault.Integrity, "%s: output %s has %s", where, short(out.name), wrongShape(out.shape)).
			WithCure("name the output with one row of logits a text in `output:`")
	}
	s.output, s.half = out.name, out.elem == elemFloat16
	if len(out.shape) == 2 && out.shape[1] > 0 {
		if out.shape[1] > maxClasses {
			return fault.New(fault.Integrity, "%s: output %s has %d classes, expected at most %d", where, short(out.name),
				out.shape[1], maxClasses).WithCure("name the output with the logits in `output:`")
		}
		s.width = int(out.shape[1])
	}
	if s.half && s.width == 0 { // the wrapper of the runtime cannot take these
		return fault.New(fault.Integrity, "%s: output %s holds float16 and does not say how many classes it has", where,
			short(out.name)).WithCure("export the model with float32 logits")
	}
	return nil
}

// wrongShape describes an output that has not one row of logits a text.
func wrongShape(shape []int64) string {
	what := ""
	switch len(shape) {
	case 1:
		what = ", a single axis"
	case 3:
		what = ", a row of numbers for each token"
	}
	return fmt.Sprintf("shape %v%s, expected [batch, classes]", shape, what)
}

const maxClasses = 10_000
