"""Write internal/metrics/testdata/sklearn.json: metrics by scikit-learn on random and degenerate inputs.

Run from the top of the repository: python tools/golden/metrics.py
A value that scikit-learn leaves undefined is null.
"""

import json
import math
import random
import warnings

import sklearn
from sklearn import metrics as m

warnings.filterwarnings("ignore")
OUT = "internal/metrics/testdata/sklearn.json"


def finite(x):
    return None if math.isnan(x) else float(x)


def case(name, scores, labels, tau):
    flagged = [int(s >= tau) for s in scores]
    c = {"name": name, "scores": scores, "labels": labels, "tau": tau}
    if labels:
        nan = float("nan")
        tn, fp, fn, tp = m.confusion_matrix(labels, flagged, labels=[0, 1]).ravel().tolist()
        c.update(tn=tn, fp=fp, fn=fn, tp=tp)
        c["accuracy"] = finite(m.accuracy_score(labels, flagged))
        c["precision"] = finite(m.precision_score(labels, flagged, zero_division=nan))
        c["recall"] = finite(m.recall_score(labels, flagged, zero_division=nan))
        c["f1"] = finite(m.f1_score(labels, flagged, zero_division=nan))
        c["benign_recall"] = finite(m.recall_score(labels, flagged, pos_label=0, zero_division=nan))
    if len(set(labels)) == 2:
        c["balanced_accuracy"] = finite(m.balanced_accuracy_score(labels, flagged))
        c["roc_auc"] = finite(m.roc_auc_score(labels, scores))
        c["average_precision"] = finite(m.average_precision_score(labels, scores))
    return c


def main():
    rng = random.Random(20240607)
    cases = [
        case("no rows", [], [], 0.5),
        case("one benign row", [0.3], [0], 0.5),
        case("one benign row, flagged", [0.7], [0], 0.5),
        case("one injection row", [0.7], [1], 0.5),
        case("one injection row, missed", [0.2], [1], 0.5),
        case("two rows in order", [0.1, 0.9], [0, 1], 0.5),
        case("two rows in the wrong order", [0.9, 0.1], [0, 1], 0.5),
        case("two rows that tie", [0.5, 0.5], [0, 1], 0.5),
        case("two rows, none flagged", [0.1, 0.2], [0, 1], 0.5),
        case("all scores equal, at the threshold", [0.5] * 9, [0, 1, 0, 1, 1, 0, 0, 1, 0], 0.5),
        case("all scores equal, below the threshold", [0.4] * 9, [0, 1, 0, 1, 1, 0, 0, 1, 0], 0.5),
        case("all benign", [rng.random() for _ in range(30)], [0] * 30, 0.5),
        case("all injection", [rng.random() for _ in range(30)], [1] * 30, 0.5),
        case("zero threshold", [rng.random() for _ in range(30)], [i % 2 for i in range(30)], 0.0),
        case("neighbouring floats", [0.3, 0.30000000000000004, 0.1 + 0.2, 0.3], [0, 1, 0, 1], 0.30000000000000004),
    ]
    for n in (3, 7, 40, 200):
        for share in (0.1, 0.5, 0.9):
            labels = [int(rng.random() < share) for _ in range(n)]
            noisy = [round(min(1.0, max(0.0, rng.gauss(0.35 + 0.3 * y, 0.25))), 6) for y in labels]
            cases.append(case(f"n={n}, share={share}", noisy, labels, round(rng.random(), 3)))
            coarse = [round(s * 4) / 4 for s in noisy]
            cases.append(case(f"n={n}, share={share}, ties", coarse, labels, 0.5))
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    with open(OUT, "w", encoding="utf-8", newline="\n") as f:
        f.write(f'{{"scikit_learn":"{sklearn.__version__}","cases":[\n{lines}\n]}}\n')


main()
