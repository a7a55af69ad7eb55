package onnx

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// graph is what has to be known about a model file before the runtime may see it.
type graph struct {
	inputs      []value
	outputs     []value
	initial     map[string]bool // names of the main graph's initial values
	external    []externalData  // in file order, repeats kept
	int8        bool            // activations are quantised while it runs: scores depend on padding and batch-mates
	int8Weights bool            // weights are stored in 8 bits, whatever is computed with
	fp16        bool            // weights are stored as float16
	nodes       int
	opsets      int
}

// externalData is one tensor's place in another file.
type externalData struct {
	tensor, location, offset, length string
}

// The parts of the ONNX protobuf schema that can hold a tensor or a node, by message and field number.
type message int

const (
	modelMessage message = iota
	graphMessage
	functionMessage
	trainingMessage
	nodeMessage
	attributeMessage
	tensorMessage
	sparseMessage
)

var children = map[message]map[protowire.Number]message{
	modelMessage:    {7: graphMessage, 20: trainingMessage, 25: functionMessage},
	graphMessage:    {1: nodeMessage, 5: tensorMessage, 15: sparseMessage},
	functionMessage: {7: nodeMessage, 11: attributeMessage},
	trainingMessage: {1: graphMessage, 2: graphMessage},
	nodeMessage:     {5: attributeMessage},
	attributeMessage: {
		5: tensorMessage, 6: graphMessage, 10: tensorMessage, 11: graphMessage, 22: sparseMessage, 23: sparseMessage,
	},
	sparseMessage: {1: tensorMessage, 2: tensorMessage},
}

const (
	maxGraphDepth    = 64 // graphs inside graphs; real exports stay under ten
	locationExternal = 1
)

// parseGraph walks the wire format of a model file. It is strict about the framing, so a file that was cut short or is
// no protobuf message is refused here and not inside the runtime.
func parseGraph(data []byte) (*graph, error) {
	g := &graph{initial: map[string]bool{}}
	if err := g.walk(modelMessage, data, 0); err != nil {
		return nil, err
	}
	if g.nodes == 0 {
		return nil, fmt.Errorf("no graph in it")
	}
	if g.opsets == 0 { // stands behind the graph, so a cut file lacks it
		return nil, fmt.Errorf("no operator set in it")
	}
	return g, nil
}

func (g *graph) walk(m message, data []byte, depth int) error {
	if depth > maxGraphDepth {
		return fmt.Errorf("graphs nested deeper than %d", maxGraphDepth)
	}
	if m == tensorMessage {
		return g.tensor(data)
	}
	return fields(data, func(num protowire.Number, _ uint64, value []byte) error {
		if m == modelMessage && num == 8 {
			g.opsets++
		}
		if m == nodeMessage && num == 4 {
			g.node(string(value))
		}
		if m == graphMessage && depth == 1 {
			if err := g.declare(num, value); err != nil {
				return err
			}
		}
		if child, ok := children[m][num]; ok && value != nil {
			return g.walk(child, value, depth+1)
		}
		return nil
	})
}

// declare takes the main graph's inputs, outputs and names of initial values.
func (g *graph) declare(num protowire.Number, data []byte) error {
	switch num {
	case 5:
		return fields(data, func(num protowire.Number, _ uint64, name []byte) error {
			if num == 8 {
				g.initial[string(name)] = true
			}
			return nil
		})
	case 11, 12:
		v, err := parseValue(data)
		if num == 11 {
			g.inputs = append(g.inputs, v)
		} else {
			g.outputs = append(g.outputs, v)
		}
		return err
	}
	return nil
}

func (g *graph) node(op string) {
	g.nodes++
	if strings.HasPrefix(op, "DynamicQuantize") || strings.HasSuffix(op, "Integer") ||
		strings.HasPrefix(op, "QLinear") || op == "QuantizeLinear" || op == "MatMulIntegerToFloat" {
		g.int8 = true
	}
}

func (g *graph) tensor(data []byte) error {
	var e externalData
	var isExternal bool
	var dims, kind uint64
	err := fields(data, func(num protowire.Number, n uint64, value []byte) error {
		switch num {
		case 1: // dims, packed or one by one
			dims += 1 + uint64(len(value))
		case 2:
			kind = n
		case 8:
			e.tensor = string(value)
		case 13:
			isExternal = true
			return e.entry(value)
		case 14:
			isExternal = isExternal || n == locationExternal
		}
		return nil
	})
	if dims > 1 {
		g.fp16 = g.fp16 || kind == elemFloat16
		g.int8Weights = g.int8Weights || kind == elemInt8 || kind == elemUint8
	}
	if isExternal {
		g.external = append(g.external, e)
	}
	return err
}

func (e *externalData) entry(data []byte) error {
	var key, text string
	err := fields(data, func(num protowire.Number, _ uint64, value []byte) error {
		switch num {
		case 1:
			key = string(value)
		case 2:
			text = string(value)
		}
		return nil
	})
	switch key {
	case "location":
		e.location = text
	case "offset":
		e.offset = text
	case "length":
		e.length = text
	}
	return err
}

// fields calls visit for every field of a message: with n for the numeric wire types, with value (never nil) for the
// length-delimited one.
func fields(data []byte, visit func(num protowire.Number, n uint64, value []byte) error) error {
	for len(data) > 0 {
		num, wire, size := protowire.ConsumeTag(data)
		if size < 0 {
			return fmt.Errorf("broken protobuf: %w", protowire.ParseError(size))
		}
		data = data[size:]
		var n uint64
		var value []byte
		switch wire {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(data)
			if value == nil {
				value = []byte{}
			}
		default:
			size = protowire.ConsumeFieldValue(num, wire, data)
		}
		if size < 0 {
			return fmt.Errorf("broken protobuf: %w", protowire.ParseError(size))
		}
		data = data[size:]
		if err := visit(num, n, value); err != nil {
			return err
		}
	}
	return nil
}
