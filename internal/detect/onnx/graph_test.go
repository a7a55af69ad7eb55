package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"pidsbench/internal/detect"
)

// The builders below write ONNX messages field by field, so that tests can make files that no exporter would.

func msg(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func bytesField(num protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), value)
}

func stringField(num protowire.Number, value string) []byte { return bytesField(num, []byte(value)) }

func intField(num protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), n)
}

func modelOf(parts ...[]byte) []byte {
	opset := bytesField(8, intField(2, 17))
	return msg(intField(1, 8), opset, bytesField(7, msg(append([][]byte{stringField(2, "made")}, parts...)...)))
}

func nodeOf(op string, inputs []string, output string, attributes ...[]byte) []byte {
	var body []byte
	for _, in := range inputs {
		body = append(body, stringField(1, in)...)
	}
	body = msg(body, stringField(2, output), stringField(4, op), msg(attributes...))
	return bytesField(1, body)
}

func intAttribute(name string, n uint64) []byte {
	return bytesField(5, msg(stringField(1, name), intField(3, n), intField(20, 2)))
}

func tensorOf(name string, kind uint64, raw []byte, dims ...uint64) []byte {
	var body []byte
	for _, d := range dims {
		body = append(body, intField(1, d)...)
	}
	return bytesField(5, msg(body, intField(2, kind), stringField(8, name), bytesField(9, raw)))
}

func externalTensor(entries ...string) []byte {
	var body []byte
	for i := 0; i < len(entries); i += 2 {
		body = append(body, bytesField(13, msg(stringField(1, entries[i]), stringField(2, entries[i+1])))...)
	}
	return bytesField(5, msg(intField(1, 4), intField(2, 1), stringField(8, "far"), body, intField(14, 1)))
}

// valueOf writes an input (field 11) or output (field 12); a dimension below 0 is dynamic.
func valueOf(field protowire.Number, name string, elem uint64, dims ...int64) []byte {
	var shape []byte
	for _, d := range dims {
		dim := stringField(2, "axis")
		if d >= 0 {
			dim = intField(1, uint64(d))
		}
		shape = append(shape, bytesField(1, dim)...)
	}
	tensor := msg(intField(1, elem), bytesField(2, shape))
	return bytesField(field, msg(stringField(1, name), bytesField(2, bytesField(1, tensor))))
}

func TestGraphReadsWhatTheExporterWrote(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "wordpiece", "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := parseGraph(data)
	if err != nil {
		t.Fatal(err)
	}
	if g.nodes != 8 || g.int8 || g.fp16 || len(g.external) != 0 || !g.initial["table"] || !g.initial["bias"] {
		t.Errorf("graph %+v", g)
	}
	if len(g.inputs) != 2 || g.inputs[0].name != "input_ids" || g.inputs[0].elem != 7 || len(g.inputs[1].shape) != 2 ||
		g.inputs[1].shape[1] != -1 {
		t.Errorf("inputs %+v", g.inputs)
	}
	if len(g.outputs) != 1 || g.outputs[0].name != "logits" || g.outputs[0].shape[1] != 2 {
		t.Errorf("outputs %+v", g.outputs)
	}
	for n := 0; n < len(data); n++ {
		if _, err := parseGraph(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes pass as a model", n, len(data))
		}
	}
}

func TestGraphFindsTensorsWhereverTheyHide(t *testing.T) {
	far := externalTensor("location", "../weights")
	tensor, _ := innerMessage(far)
	attribute := func(field protowire.Number, body []byte) []byte {
		return nodeOf("If", nil, "x", bytesField(5, bytesField(field, body)))
	}
	sub := msg(nodeOf("Relu", []string{"x"}, "y"), far)
	for name, graph := range map[string][]byte{
		"initializer":            far,
		"sparse initializer":     bytesField(15, bytesField(1, tensor)),
		"attribute tensor":       attribute(5, tensor),
		"attribute tensor list":  attribute(10, tensor),
		"attribute graph":        attribute(6, sub),
		"attribute graph list":   attribute(11, sub),
		"attribute sparse":       attribute(22, bytesField(2, tensor)),
		"graph in graph in node": attribute(6, attribute(6, sub)),
	} {
		g, err := parseGraph(modelOf(nodeOf("Relu", []string{"x"}, "y"), graph))
		if err != nil || len(g.external) != 1 || g.external[0].location != "../weights" {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
	node := nodeOf("Relu", []string{"x"}, "y")
	for name, tail := range map[string][]byte{
		"function":      bytesField(25, bytesField(7, first(innerMessage(attribute(5, tensor))))),
		"training info": bytesField(20, bytesField(2, far)),
		"second graph":  bytesField(7, far),
	} {
		g, err := parseGraph(msg(modelOf(node), tail))
		if err != nil || len(g.external) != 1 {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
}

func first(b []byte, _ error) []byte { return b }

// innerMessage returns the value of a message's only field.
func innerMessage(field []byte) (inner []byte, err error) {
	err = fields(field, func(_ protowire.Number, _ uint64, value []byte) error { inner = value; return nil })
	return inner, err
}

func TestGraphTellsPrecision(t *testing.T) {
	half := make([]byte, 8)
	for want, graph := range map[string][]byte{
		"fp32": modelOf(nodeOf("MatMul", nil, "y"), tensorOf("w", 1, make([]byte, 16), 2, 2)),
		"fp16": modelOf(nodeOf("Cast", nil, "y"), tensorOf("w", 10, half, 2, 2)),
		"int8": modelOf(nodeOf("DynamicQuantizeLinear", nil, "y"), nodeOf("MatMulInteger", nil, "z"),
			tensorOf("w", 3, make([]byte, 4), 2, 2)),
		"int8-weights": modelOf(nodeOf("DequantizeLinear", nil, "y"), nodeOf("MatMul", nil, "z"),
			tensorOf("w", 3, make([]byte, 4), 2, 2), tensorOf("embedding", 10, half, 2, 2)),
	} {
		g, err := parseGraph(graph)
		if err != nil || g.precision() != want {
			t.Errorf("%s: got %v, %v", want, g, err)
		}
		if detect.PrecisionInWords(want) == "" {
			t.Errorf("%s has no words", want)
		}
	}
}

func TestGraphNestedTooDeepIsRefused(t *testing.T) {
	g := nodeOf("Relu", nil, "y")
	for range 100 {
		g = nodeOf("If", nil, "y", bytesField(5, bytesField(6, g)))
	}
	if _, err := parseGraph(modelOf(g)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("error %v", err)
	}
}

func FuzzGraph(f *testing.F) {
	for _, name := range []string{"wordpiece", "unigram", "bytebpe"} {
		data, err := os.ReadFile(filepath.Join("testdata", name, "model.onnx"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(modelOf(nodeOf("Relu", nil, "y"), externalTensor("location", "x", "offset", "1")))
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := parseGraph(data)
		if (g == nil) == (err == nil) {
			t.Fatalf("graph %v with error %v", g, err)
		}
		if g != nil && g.nodes == 0 {
			t.Fatal("a graph without nodes passes")
		}
	})
}
