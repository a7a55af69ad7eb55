"""Turns a fine-tuned sequence-classification checkpoint into a model folder, with the checks of train.py.

tools/export --checkpoint DIR --out models/my-detector
tools/export --checkpoint DIR --out models/deberta-v3-ft-s42 --display-name DeBERTa-v3-FT \\
    --source "microsoft/deberta-v3-base, fine-tuned" --licence MIT \\
    --train data/open/train.csv --val data/open/val.csv --seed 42
"""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"

import folder

folder.require()

import sys

import base
import options
from architecture import ARCHITECTURES, parameter_count
from checks import CheckFailed
from finish import finish
from fit import NotFinite
from rows import BadInput, read_split
from tokens import encode


def parse(argv):
    p = options.parser("tools/export", __doc__)
    p.add_argument(
        "--checkpoint", required=True, metavar="DIR", help="sequence classifier and tokenizer, written by save_pretrained"
    )
    p.add_argument("--out", required=True, metavar="DIR", help="model folder to write, its name in lower case")
    p.add_argument("--force", action="store_true", help="replace a model that is in --out (default: refuse)")
    p.add_argument("--display-name", metavar="NAME", help="what tables show (default: the name of --out)")
    p.add_argument(
        "--source", default="a checkpoint of the user", metavar="TEXT",
        help="where the weights come from, for the lock (default: a checkpoint of the user)",
    )  # fmt: skip
    p.add_argument("--licence", default="not stated", metavar="ID", help="of the weights, for the lock (default: not stated)")
    p.add_argument(
        "--train", metavar="CSV",
        help="split it was fine-tuned on, hashed for the lock; tables warn when it is not the edition's (default: not known)",
    )  # fmt: skip
    p.add_argument(
        "--val", metavar="CSV",
        help="adds val F1 to the lock and val texts to the checks; storage is compared on them then (default: none, and "
        "random tokens stand in for texts)",
    )  # fmt: skip
    p.add_argument(
        "--edition", default="open", metavar="NAME", help="edition that --train belongs to, for the lock (default: open)"
    )
    p.add_argument("--seed", type=int, help="seed of the fine-tuning, for the lock (default: none)")
    p.add_argument(
        "--positive", default="injection", metavar="NAME",
        help="name of the injection class in id2label of config.json (default: injection)",
    )  # fmt: skip
    p.add_argument(
        "--max-length", type=options.at_least(3), default=512, metavar="TOKENS",
        help="tokens of the longest row in the checks, special tokens counted; val texts are cut there; at most "
        "max_position_embeddings of config.json (default: 512)",
    )  # fmt: skip
    options.add_storage(p)
    return p.parse_args(argv)


def positive_index(config, label):
    for index, name in config.id2label.items():
        if name == label:
            return int(index)
    names = ", ".join(config.id2label[i] for i in sorted(config.id2label))
    raise BadInput(f"config.json: id2label holds {names}, expected {label!r}; name the class with --positive")


def run(args, say=print):
    name, installed = folder.name_of(args.out), folder.requirements()
    folder.check_out(args.out, args.force)
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
