"""Write internal/detect/tfidf/testdata/pool.json: the rows that --pool of tools/train takes of lists of categories.

Run from the top of the repository: python tools/golden/pool.py
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "train"))

from hardneg import draw  # noqa: E402
from rows import read_split  # noqa: E402

OUT = "internal/detect/tfidf/testdata/pool.json"
EDITION = "data/open/hard_negative_train.csv"


def cases():
    """Yields a name, categories and sizes."""
    yield "edition", read_split(EDITION, classes=(0,)).column("hardneg_category"), (1, 8, 100, 200, 300, 418, 419, 500)
    yield "no rows", [], (1,)
    yield "one row", ["a"], (1, 2)
    yield "one category", [""] * 30, (1, 15, 29)
    yield "more categories than rows are wanted", [chr(97 + i) for i in range(20)], (1, 7, 19)
    yield "halves are rounded to even", ["a"] * 5 + ["b"] * 3 + ["c"] * 2, (1, 5, 9)
    yield "in no order, beyond ASCII", ["ü", "z", "Z", "é", "𝛼", "\uffee", "z", "", "z"], (2, 4, 8)
    yield "many", [f"k{i * i % 37 % 11}" for i in range(900)], (10, 234, 899)


def main():
    out = []
    for name, categories, sizes in cases():
        rows = list(range(len(categories)))
        names = sorted(set(categories))
        out.append({
            "name": name, "names": names, "categories": [names.index(c) for c in categories],
            "pools": [{"size": n, "rows": draw(rows, categories, n)} for n in sizes],
        })  # fmt: skip
    with open(OUT, "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in out) + "\n]\n")


if __name__ == "__main__":
    main()
