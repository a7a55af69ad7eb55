"""Benign rows that an arm adds to its train and val rows, and the check that none of them stands in another file."""

import csv
import glob
import os
from dataclasses import dataclass

import numpy as np

from rows import BadInput, read_split

SWEEP = 42  # random state of the draw of a smaller pool

# What display names call the open edition's files of added rows.
ARM_NAMES = {
    "hard_negative_train.csv": "curated",
    "hard_negative_thirdparty.csv": "third-party",
    "hard_negative_ordinary.csv": "ordinary",
}


@dataclass
class Arm:
    """Benign rows that are added to train and val."""

    train: list
    val: list
    fields: dict  # for the lock

    def suffix(self):
        """Returns what a display name says of it."""
        return f" +HN {ARM_NAMES.get(self.fields['file'], self.fields['file'])}" if self.fields else ""

    def words(self):
        if not self.fields:
            return ""
        added = f"{self.fields['rows']} rows of {self.fields['file']}"
        return added + (f" (and {self.fields['val_rows']} of {self.fields['val_file']} to val)" if self.val else "")


def draw(rows, categories, size):
    """Returns size of the rows (all when there are no more): of each category in proportion, the rest at random."""
    if size >= len(rows):
        return list(rows)
    rng = np.random.default_rng(SWEEP)
    chosen = []
    for name in sorted(set(categories)):
        members = [i for i, c in enumerate(categories) if c == name]
        want = max(1, round(len(members) * size / len(rows)))
        chosen += rng.permutation(members)[:want].tolist()
    if len(chosen) > size:
        chosen = rng.permutation(chosen)[:size].tolist()
    left = [i for i in range(len(rows)) if i not in set(chosen)]
    chosen += rng.permutation(left)[: size - len(chosen)].tolist()
    return [rows[i] for i in sorted(chosen)]


def read(path, pool=None):
    """Returns the texts of a file of benign rows and its SHA-256. Raises BadInput when a row is an injection."""
    split = read_split(path, classes=(0,))
    texts = split.texts
    if pool is not None:
        texts = draw(texts, split.column("hardneg_category"), pool)
    return texts, split.sha256


def refuse_leaks(named, splits, folder):
    """Returns how many files of the edition's folder were compared. Raises BadInput when a text of named (path → texts)
    stands, lower-cased and stripped, in one of splits (path → texts, train and val) or in another CSV of the folder,
    apart from other arms' files."""
    for path, texts in splits.items():
        _refuse_shared(named, path, texts)
    skip, files = {os.path.realpath(p) for p in splits}, 0
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "**", "*.csv"), recursive=True)):
        arm = os.path.dirname(path) == folder and os.path.basename(path).startswith("hard_negative_")
        if os.path.realpath(path) in skip or arm:
            continue
        files += 1
        with open(path, encoding="utf-8", newline="") as f:
            _refuse_shared(named, path, [r["text"] for r in csv.DictReader(f) if r.get("text")])
    return files


def _refuse_shared(named, path, others):
    held = {key(t) for t in others}
    for source, texts in named.items():
        shared = sum(key(t) in held for t in texts)
        if shared:
            raise BadInput(f"{source}: {shared} texts stand in {path} too, expected none; take other hard negatives")


def key(text):
    """Returns what of a text is compared."""
    return text.replace("\0", "").strip().lower()


def arm_of(args, train, val, say):
    if not args.hard_negatives:
        if args.hard_negatives_val or args.pool:
            raise BadInput("--hard-negatives-val and --pool belong to --hard-negatives FILE")
        return Arm([], [], {})
    texts, sha256 = read(args.hard_negatives, args.pool)
    fields = {"file": os.path.basename(args.hard_negatives), "sha256": sha256, "rows": len(texts)}
    more = []
    if args.hard_negatives_val:
        more, sha256 = read(args.hard_negatives_val)
        fields.update(val_file=os.path.basename(args.hard_negatives_val), val_sha256=sha256, val_rows=len(more))
    named = {args.hard_negatives: texts}
    if more:
        named[args.hard_negatives_val] = more
        if set(map(key, texts)) & set(map(key, more)):
            raise BadInput(f"{args.hard_negatives} and {args.hard_negatives_val} share texts, expected none")
    edition = os.path.dirname(os.path.abspath(args.train))
    files = refuse_leaks(named, {args.train: train.texts, args.val: val.texts}, edition)
    say(f"hard negatives: none stands in train, val or the {files} other files of {os.path.basename(edition)}")
    return Arm(texts, more, fields)
