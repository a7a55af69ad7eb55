"""Write internal/stats/testdata/scipy.json: paired tests by SciPy and Holm's correction by statsmodels.

Run from the top of the repository: python tools/golden/stats.py
"""

import json
import random

import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests

OUT = "internal/stats/testdata/scipy.json"


def mcnemar():
    pairs = [(0, 0), (1, 0), (0, 1), (2, 2), (5, 0), (0, 6), (10, 3), (40, 71), (300, 310), (2, 900)]
    p = lambda b, c: 1.0 if b + c == 0 else float(stats.binomtest(min(b, c), b + c, 0.5).pvalue)
    return [{"b": b, "c": c, "p": p(b, c)} for b, c in pairs]


def paired_t(rng):
    series = [[0.1, 0.2], [-0.01, 0.01], [0.02, 0.025, 0.018, 0.03, 0.021], [1e-9, -2e-9, 3e-9]]
    series += [[rng.gauss(mean, 1) for _ in range(n)] for n, mean in ((5, 0), (5, 1), (5, 8), (20, 0.3), (3, -2))]
    out = []
    for diffs in series:
        r = stats.ttest_1samp(diffs, 0)
        lo, hi = r.confidence_interval(0.95)
        out.append({"diffs": diffs, "t": float(r.statistic), "p": float(r.pvalue), "lo": float(lo), "hi": float(hi)})
    return out


def holm(rng):
    series = [[0.03], [0.01, 0.04, 0.03, 0.005], [0.5, 0.9, 1.0], [0.02, 0.02, 0.02], [0.0, 0.04, 0.04, 0.06, 0.2, 1.0]]
    series += [[rng.random() ** 3 for _ in range(6)] for _ in range(3)]
    return [{"p": p, "corrected": multipletests(p, method="holm")[1].tolist()} for p in series]


def main():
    rng = random.Random(20250301)
    golden = {
        "scipy": scipy.__version__,
        "statsmodels": statsmodels.__version__,
        "mcnemar": mcnemar(),
        "paired_t": paired_t(rng),
        "holm": holm(rng),
        "t_quantile": [{"df": df, "q": float(stats.t.ppf(0.975, df))} for df in (1, 2, 4, 9, 30, 1000)],
        "wilcoxon": [
            {"n": n, "p": float(stats.wilcoxon([i + 1 for i in range(n)], method="exact").pvalue)} for n in (2, 3, 5, 8)
        ],
    }
    with open(OUT, "w", encoding="utf-8") as f:
        json.dump(golden, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
