"""Write the graphs of internal/detect/onnx/testdata/graphs and what ONNX Runtime computes with them in Python.

    python3 tools/golden/graphs.py

One small real graph for each form that an exported classifier may have: inputs of int32, without a mask, with token
types or positions, of a fixed length; one logit, several outputs, float16 outputs; dynamic and static int8, int8 weights
alone; weights in files beside it; and the shapes that are none of a classifier of texts. All read the tokens of
testdata/wordpiece. The weights are drawn, so their verdicts mean nothing. Two runs give the same bytes. Needs golden.py's
requirements.
"""

import json
import os
import shutil

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(__file__)
TESTDATA = os.path.join(HERE, "..", "..", "internal", "detect", "onnx", "testdata")
OUT = os.path.join(TESTDATA, "graphs")
WIDTH = 4
CLASSES = 3
POSITIONS = 40
CLS, SEP, PAD = 2, 3, 0
ROWS = [[], [7], [30, 31, 32, 33], [9, 8, 120, 44, 45, 61, 7, 7, 100, 12, 13, 14]]


class Graph:
    """Collects nodes, weights, inputs and outputs; names are those of the tensors."""

    def __init__(self, seed):
        self.rng = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], {}, [], []

    def weight(self, name, value, kind=numpy.float32):
        self.weights[name] = numpy.asarray(value, dtype=kind)
        return name

    def draw(self, name, *shape):
        return self.weight(name, self.rng.normal(size=shape))

    def node(self, op, inputs, output, **attributes):
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return outputs[0]

    def input(self, name, kind=TensorProto.INT64, shape=("batch", "sequence")):
        self.inputs.append(helper.make_tensor_value_info(name, kind, list(shape)))
        return name

    def output(self, name, shape, kind=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, list(shape)))

    def model(self):
        model = helper.make_model(
            helper.make_graph(
                self.nodes, "small", self.inputs, self.outputs,
                [numpy_helper.from_array(v, k) for k, v in self.weights.items()],
            ),
            opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="pidsbench",
        )
        onnx.checker.check_model(model)
        return model


def embed(g, vocab, kind=TensorProto.INT64, shape=("batch", "sequence")):
    """Look up the tokens of input_ids."""
    return g.node("Gather", [g.draw("table", vocab, WIDTH), g.input("input_ids", kind, shape)], "embedded")


def masked_max(g, x, kind=TensorProto.INT64, shape=("batch", "sequence")):
    """Take the maximum over the tokens that the mask keeps."""
    mask = g.node("Cast", [g.input("attention_mask", kind, shape)], "mask", to=TensorProto.FLOAT)
    out = g.node("Sub", [mask, g.weight("unit", 1)], "out")
    low = g.node("Mul", [out, g.weight("far", 1e9)], "low")
    low3 = g.node("Unsqueeze", [low, g.weight("two", [2], numpy.int64)], "low3")
    return g.node("ReduceMax", [g.node("Add", [x, low3], "kept")], "pooled", axes=[1], keepdims=0)


def linear(g, x, name="logits", classes=CLASSES):
    """Give logits; the weights are large, so that scores differ."""
    g.weight("weight", g.rng.normal(size=(WIDTH, classes)) * 3)
    return g.node("Gemm", [x, "weight", g.draw("bias", classes)], name)


def int32(g, vocab):
    linear(g, masked_max(g, embed(g, vocab, TensorProto.INT32), TensorProto.INT32))
    g.output("logits", ["batch", CLASSES])


def no_mask(g, vocab):
    """The maximum over all tokens, padding too, times the length: scores depend on the length rows are padded to."""
    highest = g.node("ReduceMax", [embed(g, vocab)], "highest", axes=[1], keepdims=0)
    shape = g.node("Shape", ["input_ids"], "shape")
    length = g.node("Gather", [shape, g.weight("second", 1, numpy.int64)], "length")
    share = g.node("Div", [g.node("Cast", [length], "long", to=TensorProto.FLOAT), g.weight("sixteen", 16)], "share")
    linear(g, g.node("Mul", [highest, share], "pooled"))
    g.output("logits", ["batch", CLASSES])


def types_positions(g, vocab):
    x = embed(g, vocab)
    for name, rows in ("token_type_ids", 2), ("position_ids", POSITIONS):
        more = g.node("Gather", [g.draw(name + "_table", rows, WIDTH), g.input(name)], name + "_embedded")
        x = g.node("Add", [x, more], name + "_added")
    linear(g, masked_max(g, x))
    g.output("logits", ["batch", CLASSES])


def fixed(g, vocab):
    shape = ["batch", 16]
    linear(g, masked_max(g, embed(g, vocab, shape=shape), shape=shape))
    g.output("logits", ["batch", CLASSES])


def one_logit(g, vocab):
    linear(g, masked_max(g, embed(g, vocab)), classes=1)
    g.output("logits", ["batch", 1])


def two_outputs(g, vocab):
    x = embed(g, vocab)
    linear(g, masked_max(g, x))
    g.node("Identity", [x], "hidden")
    g.output("hidden", ["batch", "sequence", WIDTH])
    g.output("logits", ["batch", CLASSES])


def float16(g, vocab):
    """Weights and logits in half precision."""
    linear(g, masked_max(g, embed(g, vocab)), "wide")
    g.weights["table"] = g.weights["table"].astype(numpy.float16)
    g.nodes[0].output[0] = "embedded16"
    g.nodes.insert(1, helper.make_node("Cast", ["embedded16"], ["embedded"], to=TensorProto.FLOAT))
    g.node("Cast", ["wide"], "logits", to=TensorProto.FLOAT16)
    g.output("logits", ["batch", CLASSES], TensorProto.FLOAT16)


def float16_unsaid(g, vocab):
    float16(g, vocab)
    g.outputs.clear()
    g.output("logits", ["batch", "classes"], TensorProto.FLOAT16)


def dynamic_int8(g, vocab):
    """Activations are quantised by the range of all that is in the batch, padding too."""
    x = embed(g, vocab)
    quantised = ["embedded_q", "embedded_scale", "embedded_zero"]
    g.node("DynamicQuantizeLinear", [x], quantised)
    x = g.node("DequantizeLinear", quantised, "embedded_again")
    pooled = masked_max(g, x)
    g.node("DynamicQuantizeLinear", [pooled], ["pooled_q", "pooled_scale", "pooled_zero"])
    weight = g.rng.integers(-127, 128, size=(WIDTH, CLASSES))
    product = g.node("MatMulInteger", ["pooled_q", g.weight("weight_q", weight, numpy.int8), "pooled_zero"], "product")
    product = g.node("Cast", [product], "product_float", to=TensorProto.FLOAT)
    scale = g.node("Mul", ["pooled_scale", g.weight("weight_scale", 0.03)], "scale")
    g.node("Mul", [product, scale], "logits")
    g.output("logits", ["batch", CLASSES])


def static_int8(g, vocab):
    """QuantizeLinear and DequantizeLinear with scales in the file, around activations and on weights."""
    pooled = masked_max(g, embed(g, vocab))
    scale = [g.weight("pooled_scale", 0.025), g.weight("pooled_zero", 128, numpy.uint8)]
    pooled = g.node("DequantizeLinear", [g.node("QuantizeLinear", [pooled, *scale], "pooled_q"), *scale], "pooled_again")
    weight = g.weight("weight_q", g.rng.integers(-127, 128, size=(WIDTH, CLASSES)), numpy.int8)
    scales = [g.weight("weight_scale", [0.02, 0.03, 0.025]), g.weight("weight_zero", [0, 0, 0], numpy.int8)]
    weight = g.node("DequantizeLinear", [weight, *scales], "weight", axis=1)
    g.node("MatMul", [pooled, weight], "logits")
    g.output("logits", ["batch", CLASSES])


def int8_weights(g, vocab):
    """Weights stored as int8 behind a DequantizeLinear; the arithmetic is float32."""
    pooled = masked_max(g, embed(g, vocab))
    weight = g.weight("weight_q", g.rng.integers(-127, 128, size=(WIDTH, CLASSES)), numpy.int8)
    scales = [g.weight("weight_scale", [0.02, 0.03, 0.025]), g.weight("weight_zero", [0, 0, 0], numpy.int8)]
    g.node("MatMul", [pooled, g.node("DequantizeLinear", [weight, *scales], "weight", axis=1)], "logits")
    g.output("logits", ["batch", CLASSES])


def int8_scaled(g, vocab):
    """The same behind a Cast and a product with the scales, as tools/train writes them."""
    pooled = masked_max(g, embed(g, vocab))
    weight = g.weight("weight_q", g.rng.integers(-127, 128, size=(WIDTH, CLASSES)), numpy.int8)
    whole = g.node("Cast", [weight], "whole", to=TensorProto.FLOAT)
    g.node("MatMul", [pooled, g.node("Mul", [whole, g.weight("scale", [[0.02, 0.03, 0.025]])], "weight")], "logits")
    g.output("logits", ["batch", CLASSES])


def external(g, vocab):
    linear(g, masked_max(g, embed(g, vocab)))
    g.output("logits", ["batch", CLASSES])


def tokens(g, vocab):
    """Classes of each token, not of the text."""
    g.node("MatMul", [embed(g, vocab), g.draw("weight", WIDTH, CLASSES)], "logits")
    g.output("logits", ["batch", "sequence", CLASSES])


def tokens_unsaid(g, vocab):
    tokens(g, vocab)


def flat(g, vocab):
    """Logits of the first row, without an axis for the batch."""
    logits = linear(g, masked_max(g, embed(g, vocab)), "rows")
    g.node("Gather", [logits, g.weight("zero", 0, numpy.int64)], "logits")
    g.output("logits", [CLASSES])


def flat_unsaid(g, vocab):
    flat(g, vocab)


def lying(g, vocab):
    """Declares fewer classes than it gives."""
    linear(g, masked_max(g, embed(g, vocab)))
    g.output("logits", ["batch", CLASSES - 1])


# The graphs with golden logits: how many tokens their rows are padded to (0: not at all).
PADDED = {"int32": 0, "no_mask": 16, "types_positions": 0, "fixed": 16, "one_logit": 0, "two_outputs": 0, "float16": 0,
          "dynamic_int8": 0, "static_int8": 0, "external": 0, "int8_weights": 0, "int8_scaled": 0}
# A graph's place is the seed of its weights, so further ones come last.
MAKERS = [int32, no_mask, types_positions, fixed, one_logit, two_outputs, float16, dynamic_int8, static_int8, external,
          float16_unsaid, tokens, tokens_unsaid, flat, flat_unsaid, lying, int8_weights, int8_scaled]


def move_out(model, files):
    """Put the named weights into files beside the model: three with offsets in one, one alone."""
    at = {}
    for t in model.graph.initializer:
        name = files.get(t.name)
        if name is None:
            continue
        data, offset = t.raw_data, at.get(name, 0)
        path = os.path.join(OUT, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "ab") as f:
            f.write(data)
        at[name] = offset + len(data)
        t.ClearField("raw_data")
        t.data_location = TensorProto.EXTERNAL
        for key, value in ("location", name), ("offset", str(offset)), ("length", str(len(data))):
            t.external_data.add(key=key, value=value)


def golden(name, padded):
    """Run the rows one by one and return their logits."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.add_session_config_entry("session.x64quantprecision", "1")  # as pidsbench does: int8 sums without overflow
    session = onnxruntime.InferenceSession(os.path.join(OUT, name + ".onnx"), options, ["CPUExecutionProvider"])
    out = []
    for row in ROWS:
        ids = [CLS, *row, SEP]
        n, length = len(ids), max(len(ids), padded)
        given = {
            "input_ids": ids + [PAD] * (length - n),
            "attention_mask": [1] * n + [0] * (length - n),
            "token_type_ids": [0] * length,
            "position_ids": list(range(length)),
        }
        kinds = {"tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32}
        feed = {i.name: numpy.array([given[i.name]], dtype=kinds[i.type]) for i in session.get_inputs()}
        logits = session.run(["logits"], feed)[0]
        out.append([float("%.9g" % x) for x in logits[0].astype(numpy.float64)])
    return out


def main():
    with open(os.path.join(TESTDATA, "wordpiece", "tokenizer.json"), encoding="utf-8") as f:
        vocab = len(json.load(f)["model"]["vocab"])
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    for seed, make in enumerate(MAKERS):
        g = Graph(seed)
        make(g, vocab)
        model = g.model()
        if make in (tokens_unsaid, flat_unsaid):
            model.graph.output[0].type.tensor_type.ClearField("shape")
        if make is external:
            move_out(model, {"table": "weights.bin", "weight": "weights.bin", "bias": "more/bias.bin"})
        with open(os.path.join(OUT, make.__name__ + ".onnx"), "wb") as f:
            f.write(model.SerializeToString(deterministic=True))
    entries = [
        json.dumps({"graph": name, "padded": padded, "logits": golden(name, padded)}, separators=(",", ":"))
        for name, padded in PADDED.items()
    ]
    with open(os.path.join(TESTDATA, "golden", "graphs.json"), "w", encoding="utf-8") as f:
        made = json.dumps("onnxruntime " + onnxruntime.__version__)
        f.write('{\n "made_with": %s,\n "rows": %s,\n "graphs": [\n  ' % (made, json.dumps(ROWS)))
        f.write(",\n  ".join(entries) + "\n ]\n}\n")
    print("%s: %d graphs" % (os.path.relpath(OUT), len(MAKERS)))


if __name__ == "__main__":
    main()
