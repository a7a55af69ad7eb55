package nanoguard

import (
	"fmt"
	"math"
)

// builder writes the network's graph.
type builder struct {
	graphWriter
	network
	table    map[string]tensor
	cos, sin string // [length, half a head]
}

// buildGraph returns the ONNX file of a network: input_ids [batch, length] of at most n.positions tokens a row gives
// logits [batch, classes]. All weights stay in weightsFile. The network attends to padding like to any token, and
// only the mean over the tokens at its end leaves padding out, so rows are to be padded as the package pads them.
func buildGraph(n *network, table map[string]tensor, pad int64) []byte {
	b := &builder{network: *n, table: table}
	b.constants(pad)
	b.weight(embedding, weightsFile, table[embedding])
	x := b.node("Gather", []string{embedding, "input_ids"})
	if table[embedding].elem != elemFloat32 {
		x = b.node("Cast", []string{x}, intAttr("to", int64(elemFloat32)))
	}
	x = b.norm(x)
	first := x
	for i := range n.layers {
		x = b.layer(i, x, first)
	}
	b.classify(b.pool(b.norm(x)))
	return b.model("nanoguard", value("input_ids", elemInt64, "batch", "length"),
		value("logits", elemFloat32, "batch", n.classes))
}

func (b *builder) constants(pad int64) {
	headSize := b.width / b.heads
	b.ints("pad", pad)
	b.ints("zero", 0)
	b.ints("last", -1)
	b.ints("tokens", 1)
	b.ints("by_head", 0, 0, b.heads, headSize)
	b.ints("joined", 0, 0, b.width)
	b.floats("epsilon", nil, rmsEpsilon)
	b.floats("one", nil, 1)
	b.floats("scale", nil, float32(1/math.Sqrt(float64(headSize))))
	cos, sin := b.rotary()
	shape := []int64{b.positions, headSize / 2}
	b.floats("cos", shape, cos...)
	b.floats("sin", shape, sin...)
	length := b.node("Shape", []string{"input_ids"}, intAttr("start", 1), intAttr("end", 2))
	b.cos = b.node("Slice", []string{"cos", "zero", length, "zero"})
	b.sin = b.node("Slice", []string{"sin", "zero", length, "zero"})
}

// norm divides by the root of the mean square over the last axis.
func (b *builder) norm(x string) string {
	square := b.node("Mul", []string{x, x})
	mean := b.node("ReduceMean", []string{square}, intsAttr("axes", -1))
	return b.node("Div", []string{x, b.node("Sqrt", []string{b.node("Add", []string{mean, "epsilon"})})})
}

// linear multiplies by a stored matrix [outputs, inputs].
func (b *builder) linear(x, name string) string {
	b.weight(name, weightsFile, b.table[name])
	return b.node("MatMul", []string{x, b.node("Transpose", []string{name}, intsAttr("perm", 1, 0))})
}

func (b *builder) layer(i int64, x, first string) string {
	x = b.node("Add", []string{b.node("Mul", []string{x, b.scalar("resid_lambdas", i)}),
		b.node("Mul", []string{first, b.scalar("x0_lambdas", i)})})
	x = b.node("Add", []string{x, b.attention(i, b.norm(x))})
	wide := b.node("Relu", []string{b.linear(b.norm(x), layerWeight(i, "mlp.c_fc"))})
	squared := b.node("Mul", []string{wide, wide})
	return b.node("Add", []string{x, b.linear(squared, layerWeight(i, "mlp.c_proj"))})
}

// scalar is one number of a stored list.
func (b *builder) scalar(list string, i int64) string {
	t := b.table[list]
	t.shape = nil
	t.offset += i * t.elem.size()
	return b.weight(fmt.Sprintf("%s.%d", list, i), weightsFile, t)
}

func (b *builder) attention(i int64, x string) string {
	q := b.norm(b.turn(b.byHead(b.linear(x, layerWeight(i, "attn.c_q")))))
	k := b.norm(b.turn(b.byHead(b.linear(x, layerWeight(i, "attn.c_k")))))
	v := b.byHead(b.linear(x, layerWeight(i, "attn.c_v")))
	k = b.node("Transpose", []string{k}, intsAttr("perm", 0, 1, 3, 2))
	weights := b.node("Softmax", []string{b.node("MatMul", []string{b.node("Mul", []string{q, "scale"}), k})})
	mixed := b.node("Transpose", []string{b.node("MatMul", []string{weights, v})}, intsAttr("perm", 0, 2, 1, 3))
	return b.linear(b.node("Reshape", []string{mixed, "joined"}), layerWeight(i, "attn.c_proj"))
}

// byHead turns [batch, length, width] into [batch, heads, length, head size].
func (b *builder) byHead(x string) string {
	return b.node("Transpose", []string{b.node("Reshape", []string{x, "by_head"})}, intsAttr("perm", 0, 2, 1, 3))
}

// turn applies the rotary position embedding, which pairs the first half of a head with the second.
func (b *builder) turn(x string) string {
	half := b.split("Split", 2, []string{x}, intAttr("axis", -1))
	left := b.node("Add", []string{b.node("Mul", []string{half[0], b.cos}), b.node("Mul", []string{half[1], b.sin})})
	right := b.node("Sub", []string{b.node("Mul", []string{half[1], b.cos}), b.node("Mul", []string{half[0], b.sin})})
	return b.node("Concat", []string{left, right}, intAttr("axis", -1))
}

// pool returns the mean over the tokens that are no padding, [batch, width].
func (b *builder) pool(x string) string {
	isPad := b.node("Equal", []string{"input_ids", "pad"})
	mask := b.node("Cast", []string{b.node("Not", []string{isPad})}, intAttr("to", int64(elemFloat32)))
	mask = b.node("Unsqueeze", []string{mask, "last"})
	sum := b.node("ReduceSum", []string{b.node("Mul", []string{x, mask}), "tokens"}, intAttr("keepdims", 0))
	count := b.node("ReduceSum", []string{mask, "tokens"}, intAttr("keepdims", 0))
	return b.node("Div", []string{sum, b.node("Max", []string{count, "one"})})
}

func (b *builder) classify(x string) {
	for _, name := range []string{"cls_norm.weight", "cls_norm.bias", "cls_head.weight", "cls_head.bias"} {
		b.weight(name, weightsFile, b.table[name])
	}
	// The epsilon of LayerNormalization is 1e-5 by default, as in the model.
	x = b.node("LayerNormalization", []string{x, "cls_norm.weight", "cls_norm.bias"})
	b.put("Gemm", "head", []string{x, "cls_head.weight", "cls_head.bias"}, []string{"logits"},
		[]attribute{intAttr("transB", 1)})
}
