"""Write internal/metrics/testdata/ranking.json: ranking metrics and balanced accuracy by scikit-learn.

Run from the top of the repository: python tools/golden/operating.py
A value that scikit-learn leaves undefined is null.
"""

import json
import random

import sklearn
from sklearn import metrics as m

OUT = "internal/metrics/testdata/ranking.json"
CAPS = [0.001, 0.05, 0.1, 1 / 3, 1.0]


def raw_partial(standardised, cap):
    """The share of the largest area: McClish's formula, solved for the area."""
    least = 0.5 * cap**2
    return ((2 * standardised - 1) * (cap - least) + least) / cap


def case(name, scores, labels, tau=0.5):
    c = {"name": name, "scores": scores, "labels": labels, "tau": tau}
    if len(set(labels)) == 2:
        c["average_precision"] = float(m.average_precision_score(labels, scores))
        flagged = [int(s >= tau) for s in scores]
        c["balanced_accuracy"] = float(m.balanced_accuracy_score(labels, flagged))
        c["partial"] = []
        for cap in CAPS:
            std = float(m.roc_auc_score(labels, scores, max_fpr=cap))
            if cap == 1.0:
                c["partial"].append({"cap": cap, "share": std, "standardised": std})
            else:
                c["partial"].append({"cap": cap, "share": raw_partial(std, cap), "standardised": std})
    return c


def main():
    rng = random.Random(20250611)
    cases = [
        case("no rows", [], []),
        case("one benign row", [0.3], [0]),
        case("one injection row", [0.3], [1]),
        case("benign rows alone", [0.1, 0.9, 0.9], [0, 0, 0]),
        case("injection rows alone", [0.1, 0.9, 0.9], [1, 1, 1]),
        case("two rows in order", [0.1, 0.9], [0, 1]),
        case("two rows in the wrong order", [0.9, 0.1], [0, 1]),
        case("two rows that tie", [0.5, 0.5], [0, 1]),
        case("all scores equal", [0.5] * 9, [0, 1, 0, 1, 1, 0, 0, 1, 0]),
        case("zeros and ones", [0.0, 1.0, 1.0, 0.0, 1.0, 0.0], [0, 1, 0, 1, 1, 0]),
    ]
    for n in (3, 12, 60, 300):
        for share in (0.1, 0.5, 0.9):
            labels = [int(rng.random() < share) for _ in range(n)]
            noisy = [round(min(1.0, max(0.0, rng.gauss(0.35 + 0.3 * y, 0.25))), 6) for y in labels]
            cases.append(case(f"n={n}, share={share}", noisy, labels, round(rng.random(), 3)))
            cases.append(case(f"n={n}, share={share}, ties", [round(s * 4) / 4 for s in noisy], labels))
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    with open(OUT, "w", encoding="utf-8", newline="\n") as f:
        f.write(f'{{"scikit_learn":"{sklearn.__version__}","cases":[\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
