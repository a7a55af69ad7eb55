package onnx

import (
	"fmt"
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
	inputs []string // some of input_ids, attention_mask, token_type_ids, in the graph's order
	masked bool     // an attention mask is among them
	single bool     // one row a call
	output string   // float32 [batch, classes]
	width  int      // classes; 0 when the graph does not say
}

func newSignature(g *graph, where string, e detect.Entry) (*signature, error) {
	s := &signature{}
	for _, in := range g.inputs {
		if g.initial[in.name] { // old exports list the weights too
			continue
		}
		if err := s.take(in); err != nil {
			return nil, fault.New(fault.Integrity, "%s: %w", where, err).
				WithCure("export the model with int64 inputs input_ids and attention_mask of shape [batch, sequence]")
		}
	}
	if !slices.Contains(s.inputs, "input_ids") {
		return nil, fault.New(fault.Integrity, "%s: the graph has no input input_ids", where).
			WithCure("export the model with int64 inputs input_ids and attention_mask of shape [batch, sequence]")
	}
	return s, s.chooseOutput(g.outputs, where, e)
}

func (s *signature) take(in value) error {
	switch in.name {
	case "input_ids", "token_type_ids":
	case "attention_mask":
		s.masked = true
	default:
		return fmt.Errorf("input %s is unknown, expected input_ids, attention_mask or token_type_ids", short(in.name))
	}
	if in.elem != 7 {
		return fmt.Errorf("input %s holds %s, expected int64", in.name, in.typeName())
	}
	if len(in.shape) != 2 {
		return fmt.Errorf("input %s has shape %v, expected [batch, sequence]", in.name, in.shape)
	}
	if slices.Contains(s.inputs, in.name) {
		return fmt.Errorf("input %s is declared twice", in.name)
	}
	switch batch := in.shape[0]; {
	case batch == 1:
		s.single = true
	case batch >= 0:
		return fmt.Errorf("input %s has a fixed batch of %d, expected a dynamic axis", in.name, batch)
	}
	if length := in.shape[1]; length >= 0 {
		return fmt.Errorf("input %s has a fixed length of %d, expected a dynamic axis", in.name, length)
	}
	s.inputs = append(s.inputs, in.name)
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
	if out.elem != 1 {
		return fault.New(fault.Integrity, "%s: output %s holds %s, expected float32", where, short(out.name), out.typeName()).
			WithCure("export the model with float32 logits")
	}
	if out.shape != nil && len(out.shape) != 2 {
		return fault.New(fault.Integrity, "%s: output %s has shape %v, expected [batch, classes]",
			where, short(out.name), out.shape).
			WithCure("name the output with the logits in `output:`")
	}
	s.output = out.name
	if len(out.shape) == 2 && out.shape[1] > 0 {
		if out.shape[1] > maxClasses {
			return fault.New(fault.Integrity, "%s: output %s has %d classes, expected at most %d", where, short(out.name),
				out.shape[1], maxClasses).WithCure("name the output with the logits in `output:`")
		}
		s.width = int(out.shape[1])
	}
	return nil
}

const maxClasses = 10_000
