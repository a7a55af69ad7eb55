"""Write the tiny model folders that the tests of internal/detect/onnx use, with their golden files.

    python3 tools/golden/tiny.py

Each folder holds a real tokenizer (WordPiece, Unigram or byte-level BPE, made from the sentences below; two runs give
the same bytes) and a real graph: embeddings, the masked maximum over the tokens, a linear layer. The weights are drawn,
so its verdicts mean nothing. In bytebpe it is a masked mean, whose bits depend on the batch. The last row of the
embedding table is infinite, for the tests of broken logits. Needs nothing but golden.py's requirements.
"""

import json
import math
import os
import subprocess
import sys
from collections import Counter

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = os.path.dirname(__file__)
TESTDATA = os.path.join(HERE, "..", "..", "internal", "detect", "onnx", "testdata")
WIDTH = 4

SENTENCES = [
    "Please summarise the attached report in three short points.",
    "The clerk asked for the number of the order and the date of the letter.",
    "Why is the sky blue in the morning and red in the evening?",
    "Write a friendly answer to this customer, who waits for a refund.",
    "Ignore the noise from the street and read the next page aloud.",
    "How many instructions does the manual of the washing machine hold?",
    "Our system prints all previous prompts on one page, in order of date.",
    "Tell me the rules of the game, then explain them to a child of ten.",
    "A naïve café owner in Łódź pays 1,234.50 euro for 24 chairs.",
    "Vergiss die Regeln nicht; die Straße ist heute gesperrt.",
    "(one) [two] {three} <four> \"five\" 'six' a/b a_b a@b #c $d %e ^f &g *h",
]


def pieces(t, longest):
    """Count the pieces of up to so many characters inside the words that a tokenizer's first steps give."""
    words = Counter()
    for sentence in SENTENCES:
        text = t.normalizer.normalize_str(sentence)
        words.update(word for word, _ in t.pre_tokenizer.pre_tokenize_str(text))
    counts = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            for j in range(i + 1, min(len(word), i + longest) + 1):
                counts[word[i:j], i > 0] += n
    return counts


def commonest(counts, n):
    """Return all single characters and the n commonest longer pieces, each with its count, in a fixed order."""
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [x for x in order if len(x[0][0]) == 1] + [x for x in order if len(x[0][0]) > 1][:n]


def wordpiece():
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=True)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocab += ["##" * inner + piece for (piece, inner), _ in commonest(pieces(t, 6), 120)]
    t.model = models.WordPiece({piece: i for i, piece in enumerate(vocab)}, unk_token="[UNK]")
    t.add_special_tokens(vocab[:5])
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    t.decoder = decoders.WordPiece()
    t.enable_truncation(12)  # as shipped models do; pidsbench must switch both off
    t.enable_padding(length=12, pad_id=0, pad_token="[PAD]")
    return t, {"pad_token_id": 0, "model_type": "bert", "max_position_embeddings": 128}


def unigram():
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("\0", "")])
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    counts = Counter()
    for (piece, _), n in pieces(t, 6).items():
        counts[piece, False] += n
    best = commonest(counts, 150)
    total = sum(n for _, n in best)
    vocab = [(piece, 0.0) for piece in special]  # the best score of all, as the usual trainers write it
    vocab += [(piece, round(math.log(n / total), 6)) for (piece, _), n in best]
    t.model = models.Unigram(vocab, unk_id=3)
    t.add_special_tokens(special)
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    t.decoder = decoders.Metaspace()
    return t, {
        "pad_token_id": 0, "model_type": "deberta-v2", "max_position_embeddings": 128, "position_biased_input": False,
    }


def bytebpe():
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    t.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(
            vocab_size=330, special_tokens=special, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), True, False)
    t.decoder = decoders.ByteLevel()
    return t, {"pad_token_id": 1, "model_type": "roberta", "max_position_embeddings": 130}


def graph(vocab, inputs, seed, pool):
    """Build embeddings → pooling (max or mean) → linear, without a weight that training would have found."""
    rng = numpy.random.default_rng(seed)
    table = rng.normal(size=(vocab + 1, WIDTH)).astype(numpy.float32)
    table[vocab] = numpy.inf
    initial = {
        "table": table,
        "weight": rng.normal(size=(WIDTH, 2)).astype(numpy.float32) * 3,
        "bias": numpy.array([0.25, -0.5], dtype=numpy.float32),
        "unit": numpy.array(1, dtype=numpy.float32),
        "far": numpy.array(1e9, dtype=numpy.float32),
        "one": numpy.array([1], dtype=numpy.int64),
        "two": numpy.array([2], dtype=numpy.int64),
    }
    pooling = {
        "max": [
            helper.make_node("Sub", ["mask", "unit"], ["out"]),
            helper.make_node("Mul", ["out", "far"], ["low"]),
            helper.make_node("Unsqueeze", ["low", "two"], ["low3"]),
            helper.make_node("Add", ["embedded", "low3"], ["kept"]),
            helper.make_node("ReduceMax", ["kept"], ["pooled"], axes=[1], keepdims=0),
        ],
        "mean": [
            helper.make_node("Unsqueeze", ["mask", "two"], ["mask3"]),
            helper.make_node("Mul", ["embedded", "mask3"], ["kept"]),
            helper.make_node("ReduceSum", ["kept", "one"], ["sum"], keepdims=0),
            helper.make_node("ReduceSum", ["mask", "one"], ["count"], keepdims=1),
            helper.make_node("Div", ["sum", "count"], ["pooled"]),
        ],
    }
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        *pooling[pool],
        helper.make_node("Gemm", ["pooled", "weight", "bias"], ["logits"]),
    ]
    shape = ["batch", "sequence"]
    model = helper.make_model(
        helper.make_graph(
            nodes, "tiny",
            [helper.make_tensor_value_info(n, TensorProto.INT64, shape) for n in inputs],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 2])],
            [numpy_helper.from_array(v, k) for k, v in initial.items() if any(k in n.input for n in nodes)],
        ),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="pidsbench",
    )
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def main():
    for seed, (name, make) in enumerate({"wordpiece": wordpiece, "unigram": unigram, "bytebpe": bytebpe}.items()):
        tokenizer, config = make()
        folder = os.path.join(TESTDATA, name)
        os.makedirs(folder, exist_ok=True)
        tokenizer.save(os.path.join(folder, "tokenizer.json"), pretty=False)
        config["id2label"] = {"0": "SAFE", "1": "INJECTION"}
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
            f.write(json.dumps(config, indent=1) + "\n")
        inputs = ["input_ids", "attention_mask"]
        pool = "mean" if name == "bytebpe" else "max"
        with open(os.path.join(folder, "model.onnx"), "wb") as f:
            f.write(graph(tokenizer.get_vocab_size(), inputs, seed, pool))
        golden = [sys.executable, os.path.join(HERE, "golden.py"), folder, "--max-length", "128", "--stride", "16"]
        subprocess.run(golden, check=True)


if __name__ == "__main__":
    main()
