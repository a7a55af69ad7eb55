"""Write internal/calibration/testdata/calibration.json: calibration by scikit-learn and SciPy.

Run from the top of the repository: python tools/golden/calibration.py
Scores are fitted and measured on the same rows; "probe" holds what the fitted maps make of further scores. A fit that
has no finite solution is null.
"""

import json
import random

import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize_scalar
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

OUT = "internal/calibration/testdata/calibration.json"
CLIP = 1e-6
BINS = 15
PROBE = [0.0, 1e-9, 0.02, 0.2, 0.33, 0.4999, 0.5, 0.61, 0.8, 0.97, 1.0]


def logit(p):
    p = np.clip(np.asarray(p, dtype=float), CLIP, 1 - CLIP)
    return np.log(p) - np.log1p(-p)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def temperature(scores, labels):
    z, y = logit(scores), np.asarray(labels)

    def nll(t):
        return float(np.mean(np.logaddexp(0, z / t) - y * z / t))

    return float(minimize_scalar(nll, bounds=(0.05, 20), method="bounded", options={"xatol": 1e-12, "maxiter": 1000}).x)


def parted(scores, labels):
    """No finite fit: no benign score is above an injection's, or the other way round."""
    a = [s for s, y in zip(scores, labels) if y == 0]
    b = [s for s, y in zip(scores, labels) if y == 1]
    return max(a) <= min(b) or max(b) <= min(a)


def case(name, scores, labels):
    c = {"name": name, "scores": scores, "labels": labels}
    s, y = np.asarray(scores), np.asarray(labels)
    if len(s) == 0:
        return c
    c["brier"] = float(brier_score_loss(y, s, pos_label=1))
    c["log_loss"] = float(log_loss(y, np.clip(s, CLIP, 1 - CLIP), labels=[0, 1]))
    share, mean = calibration_curve(y, s, n_bins=BINS, pos_label=1)
    edges = np.linspace(0, 1, BINS + 1)
    count = np.bincount(np.searchsorted(edges[1:-1], s), minlength=BINS)
    c["count"], c["share"], c["mean"] = count.tolist(), share.tolist(), mean.tolist()
    c["ece"] = float(np.sum(count[count > 0] / len(s) * np.abs(share - mean)))
    confidence, right = np.maximum(s, 1 - s), ((s >= 0.5) == (y == 1)).astype(int)
    share, mean = calibration_curve(right, confidence, n_bins=BINS, pos_label=1)
    count = np.bincount(np.searchsorted(edges[1:-1], confidence), minlength=BINS)
    c["confidence_ece"] = float(np.sum(count[count > 0] / len(s) * np.abs(share - mean)))
    if len(set(labels)) < 2:
        return c
    iso = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(s, y)
    c["isotonic"] = iso.predict(PROBE).tolist()
    if len(set(scores)) > 1:
        c["temperature"] = temperature(scores, labels)
    if not parted(scores, labels):
        fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=100000).fit(logit(s).reshape(-1, 1), y)
        c["slope"], c["intercept"] = float(fit.coef_[0, 0]), float(fit.intercept_[0])
        c["platt"] = fit.predict_proba(logit(PROBE).reshape(-1, 1))[:, 1].tolist()
    return c


def main():
    rng = random.Random(20250612)
    cases = [
        case("no rows", [], []),
        case("one benign row", [0.3], [0]),
        case("one injection row", [0.3], [1]),
        case("benign rows alone", [0.1, 0.9, 0.4], [0, 0, 0]),
        case("two rows in order", [0.1, 0.9], [0, 1]),
        case("two rows in the wrong order", [0.9, 0.1], [0, 1]),
        case("two rows that tie", [0.7, 0.7], [0, 1]),
        case("all scores equal", [0.7] * 9, [0, 1, 0, 1, 1, 0, 0, 1, 0]),
        case("zeros and ones", [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0], [0, 1, 0, 1, 1, 0, 1]),
        case("scores on the edges of bins", [i / 15 for i in range(16)], [i * 7 % 3 % 2 for i in range(16)]),
        case("injections score lower", [0.9, 0.8, 0.2, 0.7, 0.3, 0.1, 0.6], [0, 0, 1, 0, 1, 1, 1]),
        case("far too sure", [1e-7, 0.999999, 1e-5, 0.99999, 0.9999, 0.0001], [0, 1, 1, 0, 1, 0]),
    ]
    for n in (12, 60, 400):
        for power in (0.3, 1, 4):
            p = [rng.random() for _ in range(n)]
            labels = [int(rng.random() < q) for q in p]
            scores = [round(q**power / (q**power + (1 - q) ** power), 7) for q in p]
            cases.append(case(f"n={n}, power={power}", scores, labels))
            cases.append(case(f"n={n}, power={power}, ties", [round(s, 1) for s in scores], labels))
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    with open(OUT, "w", encoding="utf-8", newline="\n") as f:
        f.write(
            f'{{"scikit_learn":"{sklearn.__version__}","scipy":"{scipy.__version__}",'
            f'"clip":{CLIP},"bins":{BINS},"probe":{PROBE},"cases":[\n{lines}\n]}}\n'
        )


if __name__ == "__main__":
    main()
