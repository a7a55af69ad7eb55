"""Benign rows that an arm adds to its train and val rows, and the check that none of them stands in a test file."""

import csv
import glob
import os

import numpy as np

from rows import BadInput, read_split

SWEEP = 42  # random state of the draw of a smaller pool


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


def refuse_leaks(named, folder, trained):
    """Returns how many files were compared. Raises BadInput when a text of named (path → texts) stands, lower-cased and
    stripped, in another CSV of the edition's folder, apart from the files that are trained on and other arms' files."""
    skip, files = {os.path.realpath(p) for p in trained}, 0
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "**", "*.csv"), recursive=True)):
        arm = os.path.dirname(path) == folder and os.path.basename(path).startswith("hard_negative_")
        if os.path.realpath(path) in skip or arm:
            continue
        files += 1
        with open(path, encoding="utf-8", newline="") as f:
            held = {_key(r["text"]) for r in csv.DictReader(f) if r.get("text")}
        for source, texts in named.items():
            shared = sum(_key(t) in held for t in texts)
            if shared:
                raise BadInput(f"{source}: {shared} texts stand in {path} too, expected none; take other hard negatives")
    return files


def _key(text):
    return text.replace("\0", "").strip().lower()
