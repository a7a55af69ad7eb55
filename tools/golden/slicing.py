"""Write internal/slicing/testdata/scipy.json by SciPy: Wilson's interval at several levels, Student's quantiles and correlations.

Run from the top of the repository: python tools/golden/slicing.py
"""

import json
import math
import random

import scipy
from scipy import stats

OUT = "internal/slicing/testdata/scipy.json"


def wilson():
    out = []
    for errors, n in ((0, 1), (1, 1), (0, 20), (20, 20), (1, 20), (7, 20), (300, 1000)):
        for k in (1, 2, 13):
            ci = stats.binomtest(errors, n).proportion_ci(1 - 0.05 / k, method="wilson")
            out.append({"p": errors / n, "n": n, "k": k, "lo": float(ci.low), "hi": float(ci.high)})
    return out


def reach():
    out = []
    for c in (0, 0.5, 1.96, 3.2):
        for m in (2, 20, 60, 2000):
            t = float(stats.t.isf(stats.norm.sf(c), m - 1)) * math.sqrt(m / (m - 1))
            out.append({"c": c, "m": m, "reach": t})
    return out


def correlation(rng):
    out = []
    for n, seeds in ((3, 1), (40, 1), (40, 5), (500, 5)):
        x = [rng.randrange(1001) for _ in range(n)]
        y = [min(seeds, rng.randrange(seeds + 1) + v // 700) for v in x]
        if len(set(y)) < 2:
            y[0] = seeds - y[0]
        out.append({"x": x, "y": y, "r": float(stats.pearsonr(x, y)[0])})
        if seeds == 1:
            assert math.isclose(out[-1]["r"], stats.pointbiserialr(y, x)[0])
    return out


def main():
    golden = {
        "scipy": scipy.__version__,
        "wilson": wilson(),
        "reach": reach(),
        "correlation": correlation(random.Random(20250302)),
    }
    with open(OUT, "w", encoding="utf-8") as f:
        json.dump(golden, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
