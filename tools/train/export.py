"""Turns a fine-tuned sequence-classification checkpoint into a model folder, with the checks of train.py.

tools/export --checkpoint DIR --out models/deberta-v3-ft-s42 --display-name DeBERTa-v3-FT \
    --train data/open/train.csv --val data/open/val.csv --seed 42
"""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"

import folder

folder.require()

import argparse
import sys

import base
from architecture import ARCHITECTURES, parameter_count
from checks import CheckFailed
from finish import finish
from fit import NotFinite
from onnxfile import STORAGES
from rows import BadInput, read_split
from tokens import encode


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
    p.add_argument("--storage", choices=STORAGES, default="fp16", help="of the weights; arithmetic is float32 always")
    return p.parse_args(argv)


def positive_index(config, label):
    for index, name in config.id2label.items():
        if name == label:
            return int(index)
    names = ", ".join(config.id2label[i] for i in sorted(config.id2label))
    raise BadInput(f"config.json: id2label holds {names}, expected {label!r}; name the class with --positive")


def run(args, say=print):
    name, installed = folder.name_of(args.out), folder.requirements()
    display_name = args.display_name or name
    if any(display_name.startswith(a.name) for a in ARCHITECTURES.values()):
        raise BadInput(f"--display-name {display_name!r} is kept for models that train.py trains from random weights")
    if not os.path.exists(os.path.join(args.checkpoint, "config.json")):
        raise BadInput(f"{args.checkpoint} holds no config.json, expected a folder written by save_pretrained")
    train = read_split(args.train) if args.train else None
    val = read_split(args.val) if args.val else None

    model, missing = base.weights(args.checkpoint, args.checkpoint)
    if missing:
        raise BadInput(
            f"{args.checkpoint}: the weights lack {len(missing)} tensors, {sorted(missing)[0]} first, expected a classifier "
            "that was fine-tuned"
        )
    if model.config.num_labels < 2:
        raise BadInput(f"{args.checkpoint}: config.json has {model.config.num_labels} label, expected at least two classes")
    positive = positive_index(model.config, args.positive)
    limit = min(args.max_length, getattr(model.config, "max_position_embeddings", args.max_length))
    tok = base.tokenizer(args.checkpoint)
    ids = encode(tok, val.texts, limit)[0] if val else None

    def lock(val_f1):
        return {
            "name": name,
            "display_name": display_name,
            "source": {
                "kind": "checkpoint",
                "from": args.source,
                "architecture": model.config.model_type,
                "weights_sha256": base.weights_hash(args.checkpoint),
            },
            "licence": args.licence,
            "training": {
                "tool": "tools/train",
                "edition": args.edition if train else "unknown",
                "train_sha256": train.sha256 if train else "",
                "val_sha256": val.sha256 if val else "",
                "seed": args.seed,
                "parameters": parameter_count(model),
                "epochs": None,
                "best_epoch": None,
                "val_f1": val_f1,
                "stalled": False,
                "log": [],
                "requirements": installed,
            },
        }

    finish(model, tok, args.out, lock, limit, args.storage, positive, (ids, val.labels) if val else None, say=say)
    return 0


def main(argv=None):
    try:
        return run(parse(argv))
    except KeyboardInterrupt:
        print("stopped; nothing was written", file=sys.stderr)
        return 130
    except (BadInput, CheckFailed, NotFinite, ValueError, OSError) as e:
        print(f"error: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
