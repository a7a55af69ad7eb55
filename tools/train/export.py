"""Turns a fine-tuned sequence-classification checkpoint into a model folder, with the checks of train.py.

python tools/train/export.py --checkpoint DIR --out models/deberta-v3-ft-s42 --display-name DeBERTa-v3-FT \
    --train data/open/train.csv --val data/open/val.csv --seed 42
"""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"

import argparse
import json
import sys
import tempfile

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils import logging

import checks
import folder
import onnxfile
import unigram
from fit import scores
from rows import BadInput, read_split

SCRATCH_ONLY = "DeBERTa-arch"


def parse(argv):
    p = argparse.ArgumentParser(description="Export a fine-tuned Hugging Face checkpoint as a model folder.")
    p.add_argument("--checkpoint", required=True, metavar="DIR", help="written by save_pretrained")
    p.add_argument("--out", required=True, metavar="DIR")
    p.add_argument("--display-name", help="default: the name of --out")
    p.add_argument("--source", default="a checkpoint of the user", help="where the weights come from, for the lock")
    p.add_argument("--licence", default="not stated")
    p.add_argument("--train", metavar="CSV", help="split it was trained on; tables warn without it")
    p.add_argument("--val", metavar="CSV", help="adds val figures and checks on its texts")
    p.add_argument("--edition", default="open")
    p.add_argument("--seed", type=int, help="seed of the fine-tuning, for the lock")
    p.add_argument("--positive", default="injection", help="label of the injection class (default: injection)")
    p.add_argument("--max-length", type=int, default=512)
    return p.parse_args(argv)


def plain_tokenizer(checkpoint):
    """Returns the checkpoint's tokenizer without truncation and padding, NUL bytes removed before anything else."""
    path = os.path.join(checkpoint, "tokenizer.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            spec = json.load(f)
    else:
        spec = json.loads(AutoTokenizer.from_pretrained(checkpoint).backend_tokenizer.to_str())
    spec["truncation"] = spec["padding"] = None
    no_nul = {"type": "Replace", "pattern": {"String": "\0"}, "content": ""}
    old = spec.get("normalizer")
    steps = old["normalizers"] if old and old["type"] == "Sequence" else [old] if old else []
    if no_nul not in steps[:1]:
        spec["normalizer"] = {"type": "Sequence", "normalizers": [no_nul] + steps}
    return Tokenizer.from_str(json.dumps(spec))


def positive_index(config, label):
    for index, name in config.id2label.items():
        if name == label:
            return int(index)
    names = ", ".join(config.id2label[i] for i in sorted(config.id2label))
    raise BadInput(f"config.json: id2label holds {names}, expected {label!r}; name the class with --positive")


def encode(tok, texts, max_length):
    """Returns ids with the checkpoint's own special tokens, content cut so that they all stay."""
    tok = unigram.literal(tok)
    special = tok.num_special_tokens_to_add(False)
    frame = tok.encode("a").ids
    around = tok.encode("a", add_special_tokens=False).ids
    at = next(i for i in range(len(frame)) if frame[i : i + len(around)] == around)
    head, tail = frame[:at], frame[at + len(around) :]
    cut = max_length - special
    return [head + tok.encode(t, add_special_tokens=False).ids[:cut] + tail for t in texts], head, tail


def random_rows(vocab_size, max_length, head, tail):
    rng = np.random.default_rng(0)
    special = len(head + tail)
    lengths = [n for n in checks.LENGTHS if special <= n <= max_length]
    lengths += rng.integers(special, max_length + 1, 9).tolist()
    return [head + rng.integers(5, vocab_size, n - special).tolist() + tail for n in lengths]


def run(args, say=print):
    logging.disable_progress_bar()
    name, installed = folder.name_of(args.out), folder.requirements()
    display_name = args.display_name or name
    if display_name.startswith(SCRATCH_ONLY):
        raise BadInput(f"--display-name {display_name!r} is kept for models that train.py trains from random weights")
    if not os.path.exists(os.path.join(args.checkpoint, "config.json")):
        raise BadInput(f"{args.checkpoint} holds no config.json, expected a folder written by save_pretrained")
    train = read_split(args.train) if args.train else None
    val = read_split(args.val) if args.val else None

    model = AutoModelForSequenceClassification.from_pretrained(
        args.checkpoint, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    positive = positive_index(model.config, args.positive)
    limit = min(args.max_length, getattr(model.config, "max_position_embeddings", args.max_length))
    tok = plain_tokenizer(args.checkpoint)
    ids, head, tail = encode(tok, val.texts if val else [], limit)
    pad_id = model.config.pad_token_id or 0
    before = scores(model, ids, positive=positive, pad_id=pad_id) if val else None

    os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(args.out)), prefix=".export-") as work:
        path = os.path.join(work, "model.onnx")
        onnxfile.round_weights(model)
        onnxfile.export(model, path, model.config.vocab_size)
        session = checks.open_session(path)
        rows = random_rows(tok.get_vocab_size(), limit, head, tail)
        if val:
            rows += checks.probes(ids, limit, head, tail)
        delta = checks.agreement(model, session, rows, pad_id)
        say(f"model.onnx: {os.path.getsize(path)} bytes")
        say(f"against PyTorch: logits within {delta:.1g}; the same bits in every batch")
        val_f1 = None
        if val:
            r = checks.rounding(before, session, ids, val.labels, pad_id, positive)
            val_f1 = round(r.f1, 4)
            say(r.sentence())
            say(f"{r.tokens_per_second:.0f} tokens/s on one thread")
        tok.save(os.path.join(work, "tokenizer.json"))
        folder.write_config(os.path.join(work, "config.json"), model.config)
        folder.write_lock(
            work,
            name,
            display_name,
            {"kind": "checkpoint", "from": args.source, "architecture": model.config.model_type},
            args.licence,
            {
                "tool": "tools/train",
                "edition": args.edition if train else "unknown",
                "train_sha256": train.sha256 if train else "",
                "val_sha256": val.sha256 if val else "",
                "seed": args.seed,
                "parameters": sum(p.numel() for p in model.parameters()),
                "epochs": None,
                "best_epoch": None,
                "val_f1": val_f1,
                "stalled": False,
                "log": [],
                "requirements": installed,
            },
        )
        folder.move_into(work, args.out)
    say(f"wrote {args.out}")
    return 0


def main(argv=None):
    try:
        return run(parse(argv))
    except (BadInput, checks.CheckFailed, ValueError) as e:
        print(f"error: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
