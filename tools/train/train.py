"""Trains a small detector from random weights and writes its model folder.

python tools/train/train.py --arch deberta --train data/open/train.csv --val data/open/val.csv --seed 42 \
    --out models/deberta-open-s42
"""

import os

for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"

import argparse
import sys
import tempfile
from dataclasses import asdict

import card
import checks
import deberta
import folder
import onnxfile
import unigram
from fit import PLATEAU, Recipe, fit, scores, single_thread
from rows import BadInput, read_split

MAX_BYTES = 8 << 20
BUILDERS = {"deberta": deberta.build}


def parse(argv):
    recipe = Recipe()
    p = argparse.ArgumentParser(description="Train a small detector from random weights on the CPU.")
    p.add_argument("--arch", choices=sorted(BUILDERS), default="deberta")
    p.add_argument("--train", required=True, metavar="CSV")
    p.add_argument("--val", required=True, metavar="CSV")
    p.add_argument("--seed", type=int, default=42)
    p.add_argument("--out", required=True, metavar="DIR", help="model folder, e.g. models/deberta-open-s42")
    p.add_argument("--edition", default="open", help="edition that the two files belong to (default: open)")
    p.add_argument("--epochs", type=int, default=recipe.epochs)
    p.add_argument("--warmup", type=float, default=recipe.warmup, help="share of the steps (default: 0.1)")
    p.add_argument("--vocab", type=int, default=8192, help="pieces of the tokenizer, at most (default: 8192)")
    p.add_argument("--normaliser", choices=sorted(unigram.VARIANTS), default="fold-lower")
    p.add_argument("--precision", choices=("fp32", "bf16"), default=recipe.precision)
    p.add_argument("--threads", type=int, default=1, help="more than one: weights are no longer reproducible")
    p.add_argument("--allow-stalled", action="store_true", help="write the folder even if training stalled")
    return p.parse_args(argv)


def run(args, size=deberta.Size(), say=print):
    """Trains, exports, checks and writes the folder. Returns the exit status."""
    name, installed = folder.name_of(args.out), folder.requirements()
    single_thread(args.threads)
    train, val = read_split(args.train), read_split(args.val)
    say(f"train: {len(train.texts)} rows, SHA-256 {train.sha256}")
    say(f"val: {len(val.texts)} rows, SHA-256 {val.sha256}")
    if train.nul_bytes or val.nul_bytes:
        say(f"NUL bytes removed: {train.nul_bytes} in train, {val.nul_bytes} in val")

    tok = unigram.train_tokenizer(train.texts, args.vocab, args.normaliser)
    train_ids, train_cut = unigram.encode(tok, train.texts, deberta.MAX_LENGTH)
    val_ids, val_cut = unigram.encode(tok, val.texts, deberta.MAX_LENGTH)
    tokens = sum(map(len, train_ids))
    say(f"tokenizer: {tok.get_vocab_size()} pieces, {tokens} tokens in train")
    say(f"cut to {deberta.MAX_LENGTH} tokens: {train_cut} rows of train, {val_cut} of val")

    model = BUILDERS[args.arch](tok.get_vocab_size(), args.seed, size)
    parameters = deberta.parameter_count(model)
    say(f"model: {parameters} parameters")
    recipe = Recipe(epochs=args.epochs, warmup=args.warmup, precision=args.precision)
    fitted = fit(model, train_ids, train.labels, val_ids, val.labels, args.seed, recipe, say)
    if fitted.stalled:
        say(
            f"stalled: train loss {fitted.log[-1]['train_loss']} after the last epoch, expected at most {PLATEAU}; "
            "try --warmup 0.2 or another --seed, or keep it with --allow-stalled"
        )
        if not args.allow_stalled:
            return 1

    before = scores(model, val_ids)
    os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(args.out)), prefix=".training-") as work:
        onnxfile.round_weights(model)
        path = os.path.join(work, "model.onnx")
        onnxfile.export(model, path, tok.get_vocab_size())
        size_bytes = os.path.getsize(path)
        if size_bytes > MAX_BYTES:
            raise checks.CheckFailed(f"model.onnx has {size_bytes} bytes, expected at most {MAX_BYTES}")
        session = checks.open_session(path)
        rows = checks.probes(val_ids, deberta.MAX_LENGTH, [unigram.CLS], [unigram.SEP])
        delta = checks.agreement(model, session, rows, unigram.PAD)
        r = checks.rounding(before, session, val_ids, val.labels, unigram.PAD, positive=1)
        say(f"model.onnx: {size_bytes} bytes, {r.tokens_per_second:.0f} tokens/s on one thread")
        say(f"against PyTorch: logits within {delta:.1g}; the same bits in every batch")
        say(r.sentence())

        tok.save(os.path.join(work, "tokenizer.json"))
        folder.write_config(os.path.join(work, "config.json"), model.config)
        display_name = f"DeBERTa-arch {parameters / 1e6:.1f}M, scratch"
        with open(os.path.join(work, "README.md"), "w", encoding="utf-8", newline="\n") as f:
            f.write(card.write(args, name, display_name, parameters, size, train, val, fitted, r, recipe, tok))
        folder.write_lock(
            work,
            name,
            display_name,
            {"kind": "trained", "from": "random initial weights", "architecture": model.config.model_type},
            "Apache-2.0",
            {
                "tool": "tools/train",
                "edition": args.edition,
                "train_sha256": train.sha256,
                "val_sha256": val.sha256,
                "seed": args.seed,
                "parameters": parameters,
                "epochs": recipe.epochs,
                "best_epoch": fitted.best_epoch,
                "val_f1": round(r.f1, 4),
                "stalled": fitted.stalled,
                "log": fitted.log,
                "recipe": {**asdict(recipe), "vocabulary": args.vocab, "normaliser": args.normaliser, **asdict(size)},
                "requirements": installed,
            },
        )
        folder.move_into(work, args.out)
    say(f"wrote {args.out}")
    return 0


def main(argv=None, size=deberta.Size()):
    try:
        return run(parse(argv), size)
    except (BadInput, checks.CheckFailed, ValueError) as e:
        print(f"error: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
