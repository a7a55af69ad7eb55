"""From a PyTorch sequence classifier to one ONNX file: float16 storage, float32 arithmetic, the same bytes again."""

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


def round_weights(model):
    """Rounds the large weights of model to float16 values, in place; they stay float32 tensors."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.numel() >= LARGE:
                rounded = p.half().float()
                if not torch.isfinite(rounded).all():
                    raise ValueError(f"weight {name} holds values beyond the range of float16")
                p.copy_(rounded)


def export(model, path, vocab_size):
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
    _share_and_halve(graph_model.graph)
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


def _share_and_halve(graph):
    """Keeps one copy of equal initialisers and stores large float32 ones as float16 behind a Cast to float32.

    A tensor is halved only when its float16 values are exactly its float32 values, so the graph computes what it did.
    """
    first, same = {}, {}
    for t in graph.initializer:
        key = (t.data_type, tuple(t.dims), numpy_helper.to_array(t).tobytes())
        same[t.name] = first.setdefault(key, t.name)
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = same.get(name, name)

    kept, casts = [], []
    for t in graph.initializer:
        if same[t.name] != t.name:
            continue
        values = numpy_helper.to_array(t)
        if t.data_type == TensorProto.FLOAT and values.size >= LARGE:
            half = values.astype(np.float16)
            if np.array_equal(half.astype(np.float32), values):
                stored = f"{t.name}.float16"
                cast = helper.make_node("Cast", [stored], [t.name], name=f"{t.name}.cast", to=TensorProto.FLOAT)
                casts.append(cast)
                t = numpy_helper.from_array(half, stored)
        kept.append(t)
    nodes = casts + list(graph.node)
    del graph.initializer[:], graph.node[:], graph.value_info[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)
