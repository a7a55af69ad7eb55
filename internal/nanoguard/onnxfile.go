package nanoguard

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// elementType is a number of ONNX's TensorProto.DataType.
type elementType uint64

const (
	elemFloat32  elementType = 1
	elemInt64    elementType = 7
	elemBFloat16 elementType = 16
)

// size returns the bytes of one number.
func (e elementType) size() int64 {
	switch e {
	case elemInt64:
		return 8
	case elemBFloat16:
		return 2
	}
	return 4
}

const (
	irVersion    = 8 // the one that came with the operator set
	operatorSet  = 17
	externalData = 1 // TensorProto.DataLocation
)

// graphWriter puts an ONNX graph together: nodes in the order they run in, each result named after its node.
type graphWriter struct {
	nodes, initial []byte // fields of a GraphProto
	named          int
}

// attribute is a number or a list of numbers that a node carries.
type attribute struct {
	name string
	ints []int64
	list bool
}

func intAttr(name string, n int64) attribute { return attribute{name, []int64{n}, false} }

func intsAttr(name string, n ...int64) attribute { return attribute{name, n, true} }

// node adds a node with one result and returns that result's name.
func (w *graphWriter) node(op string, inputs []string, attrs ...attribute) string {
	return w.split(op, 1, inputs, attrs...)[0]
}

// split adds a node with n results.
func (w *graphWriter) split(op string, n int, inputs []string, attrs ...attribute) []string {
	w.named++
	name := fmt.Sprintf("%s_%d", op, w.named)
	results := []string{name}
	for i := 1; i < n; i++ {
		results = append(results, fmt.Sprintf("%s_%d", name, i))
	}
	w.put(op, name, inputs, results, attrs)
	return results
}

// put adds a node whose results have names already.
func (w *graphWriter) put(op, name string, inputs, results []string, attrs []attribute) {
	var node []byte
	for _, in := range inputs {
		node = appendText(node, 1, in)
	}
	for _, out := range results {
		node = appendText(node, 2, out)
	}
	node = appendText(node, 3, name)
	node = appendText(node, 4, op)
	for _, a := range attrs {
		node = appendMessage(node, 5, a.encode())
	}
	w.nodes = appendMessage(w.nodes, 1, node)
}

func (a attribute) encode() []byte {
	const kindInt, kindInts = 2, 7
	b := appendText(nil, 1, a.name)
	if !a.list {
		b = appendNumber(b, 3, uint64(a.ints[0]))
		return appendNumber(b, 20, kindInt)
	}
	for _, n := range a.ints {
		b = appendNumber(b, 8, uint64(n))
	}
	return appendNumber(b, 20, kindInts)
}

// weight adds a tensor whose numbers stay in another file.
func (w *graphWriter) weight(name, file string, t tensor) string {
	b := appendTensor(name, t.elem, t.shape)
	for _, e := range [][2]string{
		{"location", file}, {"offset", strconv.FormatInt(t.offset, 10)}, {"length", strconv.FormatInt(t.length(), 10)},
	} {
		b = appendMessage(b, 13, appendText(appendText(nil, 1, e[0]), 2, e[1]))
	}
	b = appendNumber(b, 14, externalData)
	w.initial = appendMessage(w.initial, 5, b)
	return name
}

// floats adds a tensor of float32.
func (w *graphWriter) floats(name string, shape []int64, values ...float32) string {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	w.initial = appendMessage(w.initial, 5, appendMessage(appendTensor(name, elemFloat32, shape), 9, raw))
	return name
}

// ints adds a list of int64.
func (w *graphWriter) ints(name string, values ...int64) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	shape := []int64{int64(len(values))}
	w.initial = appendMessage(w.initial, 5, appendMessage(appendTensor(name, elemInt64, shape), 9, raw))
	return name
}

// value returns a ValueInfoProto. An axis is a number or a name.
func value(name string, elem elementType, axes ...any) []byte {
	var shape []byte
	for _, a := range axes {
		var dim []byte
		switch a := a.(type) {
		case int64:
			dim = appendNumber(nil, 1, uint64(a))
		case string:
			dim = appendText(nil, 2, a)
		}
		shape = appendMessage(shape, 1, dim)
	}
	tensorType := appendMessage(appendNumber(nil, 1, uint64(elem)), 2, shape)
	return appendMessage(appendText(nil, 1, name), 2, appendMessage(nil, 1, tensorType))
}

// model returns the file.
func (w *graphWriter) model(name string, input, output []byte) []byte {
	graph := append([]byte(nil), w.nodes...)
	graph = appendText(graph, 2, name)
	graph = append(graph, w.initial...)
	graph = appendMessage(graph, 11, input)
	graph = appendMessage(graph, 12, output)
	b := appendNumber(nil, 1, irVersion)
	b = appendText(b, 2, "pidsbench")
	b = appendMessage(b, 7, graph)
	return appendMessage(b, 8, appendNumber(nil, 2, operatorSet))
}

func appendTensor(name string, elem elementType, shape []int64) []byte {
	var b []byte
	for _, d := range shape {
		b = appendNumber(b, 1, uint64(d))
	}
	return appendText(appendNumber(b, 2, uint64(elem)), 8, name)
}

func appendNumber(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func appendText(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendMessage(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}
