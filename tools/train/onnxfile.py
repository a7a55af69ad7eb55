"""From a PyTorch sequence classifier to one ONNX file: small storage, float32 arithmetic, the same bytes again."""

import io
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
LARGE = 1024  # elements from which a weight tensor is stored as float16


class _Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


STORAGES = ("fp32", "fp16", "int8")


def round_weights(model, storage="fp16"):
    """Rounds the large weights of model in place to what storage can hold; they stay float32 tensors."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.numel() < LARGE or storage == "fp32":
                continue
            rounded = _channels(p) if storage == "int8" and p.ndim == 2 else p.half().float()
            if not torch.isfinite(rounded).all():
                raise ValueError(f"weight {name} holds values beyond the range of float16")
            p.copy_(rounded)


def _channels(w):
    """Returns w [out, in] with each row rounded to a scale times whole numbers from -127 to 127."""
    values = w.detach().numpy()
    scale = _scales(np.abs(values).max(axis=1, keepdims=True))
    return torch.from_numpy(np.clip(np.rint(values / scale), -127, 127).astype(np.float32) * scale)


def _scales(largest):
    """Returns largest/127 rounded up to 12 binary digits, so that its whole multiples up to 127 are exact."""
    mantissa, exponent = np.frexp(np.maximum(largest, np.finfo(np.float32).tiny * 2**20).astype(np.float64) / 127)
    return np.ldexp(np.ceil(mantissa * 2**12) / 2**12, exponent).astype(np.float32)


def _whole(values):
    """Returns scales and whole numbers, both as stored, whose product values is exactly, or None. The largest of
    rounded weights is 127 times their scale, so the scale is found again; an exporter may have transposed them."""
    for axis in (1, 0):
        scale = _scales(np.abs(values).max(axis=axis, keepdims=True))
        q = np.rint(values / scale)
        if np.abs(q).max() <= 127 and np.array_equal(q.astype(np.float32) * scale, values):
            return scale, q.astype(np.int8)
    return None


def export(model, path, vocab_size, storage="fp16"):
    """Writes model (weights already rounded) to path. Inputs input_ids and attention_mask, int64 [batch, length];
    output logits, float32 [batch, labels]."""
    wrapped = _Logits(model).eval()  # the exporter puts the mode it finds back afterwards
    low = min(5, vocab_size - 1)
    ids = torch.randint(low, vocab_size, (2, 7), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    buffer = io.BytesIO()
    axes = {0: "batch", 1: "length"}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            wrapped,
            (ids, mask),
            buffer,
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "logits": {0: "batch"}},
            opset_version=OPSET,
            do_constant_folding=True,
            dynamo=False,
        )
    graph_model = onnx.load_from_string(buffer.getvalue())
    _clean(graph_model)
    _share_and_shrink(graph_model.graph, storage)
    onnx.checker.check_model(graph_model)
    with open(path, "wb") as f:
        f.write(graph_model.SerializeToString(deterministic=True))


def _clean(m):
    """Drops everything that says where and when the file was made."""
    m.doc_string = ""
    m.domain = ""
    m.graph.doc_string = ""
    m.graph.name = "classifier"
    del m.metadata_props[:]
    for node in m.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]


def _share_and_shrink(graph, storage):
    """Keeps one copy of equal initialisers and stores large float32 ones as float16 behind a Cast to float32, or as
    int8 behind a Cast and a product with the scales. The runtime folds both when it loads the file.

    A tensor is changed only when its stored form gives exactly its float32 values, so the graph computes what it did.
    """
    first, same = {}, {}
    for t in graph.initializer:
        key = (t.data_type, tuple(t.dims), numpy_helper.to_array(t).tobytes())
        same[t.name] = first.setdefault(key, t.name)
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = same.get(name, name)

    kept, unpack = [], []
    for t in graph.initializer:
        if same[t.name] != t.name:
            continue
        values = numpy_helper.to_array(t)
        stored, nodes = [t], []
        if t.data_type == TensorProto.FLOAT and values.size >= LARGE and storage != "fp32":
            whole = _whole(values) if storage == "int8" and values.ndim == 2 else None
            half = values.astype(np.float16)
            if whole:
                stored, nodes = _scaled(t.name, *whole)
            elif np.array_equal(half.astype(np.float32), values):
                stored = [numpy_helper.from_array(half, f"{t.name}.float16")]
                nodes = [_cast(stored[0].name, t.name)]
        kept += stored
        unpack += nodes
    nodes = unpack + list(graph.node)
    del graph.initializer[:], graph.node[:], graph.value_info[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)


def _scaled(name, scale, q):
    stored = [numpy_helper.from_array(q, f"{name}.int8"), numpy_helper.from_array(scale, f"{name}.scale")]
    whole = f"{name}.whole"
    product = helper.make_node("Mul", [whole, stored[1].name], [name], name=f"{name}.unpack")
    return stored, [_cast(stored[0].name, whole), product]


def _cast(stored, name):
    return helper.make_node("Cast", [stored], [name], name=f"{name}.cast", to=TensorProto.FLOAT)
