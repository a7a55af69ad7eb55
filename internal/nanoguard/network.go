package nanoguard

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// network is what the graph's form depends on.
type network struct {
	positions, vocabulary, layers, heads, width, classes int64
}

const (
	weightsFile = "model.pt"
	// The model's norms without weights add the least step of a float32 at 1, its LayerNorm a hundred-thousandth.
	rmsEpsilon   = 0x1p-23
	rotaryBase   = 10000
	maxPositions = 1 << 16
	maxLayers    = 64
)

// readNetwork takes the sizes from a checkpoint and makes sure that they are of the one form that is written here, and
// that the tensors are those of such a network and no others.
func readNetwork(c *checkpoint) (*network, error) {
	n := &network{}
	for _, f := range []struct {
		name string
		into *int64
		most int64
	}{
		{"sequence_len", &n.positions, maxPositions}, {"vocab_size", &n.vocabulary, maxPositions},
		{"n_layer", &n.layers, maxLayers}, {"n_head", &n.heads, maxPositions}, {"n_embd", &n.width, maxPositions},
		{"num_classes", &n.classes, maxPositions},
	} {
		v := c.config[f.name]
		if v < 1 || v > f.most {
			return nil, fmt.Errorf("config: field %s is %d, expected 1 to %d", f.name, v, f.most)
		}
		*f.into = v
	}
	if kv := c.config["n_kv_head"]; kv != n.heads {
		return nil, fmt.Errorf("config: field n_kv_head is %d, expected the %d of n_head", kv, n.heads)
	}
	if n.width%(2*n.heads) != 0 {
		return nil, fmt.Errorf("config: %d values do not part into %d heads of an even size", n.width, n.heads)
	}
	want := n.tensors()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t, ok := c.tensors[name]
		if !ok {
			return nil, fmt.Errorf("the tensor %s is missing", name)
		}
		if !slices.Equal(t.shape, want[name]) {
			return nil, fmt.Errorf("the tensor %s has shape %v, expected %v", name, t.shape, want[name])
		}
		if t.elem != elemFloat32 && name != embedding {
			return nil, fmt.Errorf("the tensor %s does not hold float32", name)
		}
	}
	if len(c.tensors) != len(want) {
		return nil, fmt.Errorf("%d tensors, expected %d", len(c.tensors), len(want))
	}
	return n, nil
}

const embedding = "transformer.wte.weight"

// tensors returns the shape of each tensor by name. The matrix of a linear layer is stored as [outputs, inputs].
func (n *network) tensors() map[string][]int64 {
	shapes := map[string][]int64{
		embedding:       {n.vocabulary, n.width},
		"resid_lambdas": {n.layers}, "x0_lambdas": {n.layers},
		"cls_norm.weight": {n.width}, "cls_norm.bias": {n.width},
		"cls_head.weight": {n.classes, n.width}, "cls_head.bias": {n.classes},
	}
	for i := range n.layers {
		for _, m := range []string{"attn.c_q", "attn.c_k", "attn.c_v", "attn.c_proj"} {
			shapes[layerWeight(i, m)] = []int64{n.width, n.width}
		}
		shapes[layerWeight(i, "mlp.c_fc")] = []int64{4 * n.width, n.width}
		shapes[layerWeight(i, "mlp.c_proj")] = []int64{n.width, 4 * n.width}
	}
	return shapes
}

func layerWeight(layer int64, name string) string {
	return fmt.Sprintf("transformer.h.%d.%s.weight", layer, name)
}

// rotary returns cosine and sine, [positions, half a head] each, of the angles by which the model turns the pairs of a
// head's values. The model computes the angles in float32 and keeps the results as bfloat16.
func (n *network) rotary() (cos, sin []float32) {
	half := n.width / n.heads / 2
	frequencies := make([]float32, half)
	for i := range frequencies {
		frequencies[i] = 1 / float32(math.Pow(rotaryBase, float64(i)/float64(half)))
	}
	for position := range n.positions {
		for _, f := range frequencies {
			angle := float64(float32(position) * f)
			cos = append(cos, roundBFloat16(float32(math.Cos(angle))))
			sin = append(sin, roundBFloat16(float32(math.Sin(angle))))
		}
	}
	return cos, sin
}

// roundBFloat16 returns the nearest bfloat16, ties to even, as a float32. The number is finite.
func roundBFloat16(x float32) float32 {
	b := math.Float32bits(x)
	b += 0x7fff + b>>16&1
	return math.Float32frombits(b &^ 0xffff)
}
