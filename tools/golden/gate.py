"""Write internal/gate/testdata/exact.json: exact intervals of shares, and the fewest rows without a hit, by SciPy.

Run from the top of the repository: python tools/golden/gate.py
"""

import json

import scipy
from scipy.stats import beta

OUT = "internal/gate/testdata/exact.json"


def interval(k, n):
    lo = 0.0 if k == 0 else float(beta.ppf(0.025, k, n - k + 1))
    hi = 1.0 if k == n else float(beta.ppf(0.975, k + 1, n - k))
    return {"k": k, "n": n, "lo": lo, "hi": hi}


def fewest(bound):
    """The fewest rows of which none counts that show a share of at most bound, by trying one after another."""
    n = 1
    while beta.ppf(0.95, 1, n) > bound:
        n += 1
    return {"bound": bound, "n": n}


def main():
    cases = [(1, 2), (1, 10), (3, 10), (9, 10), (1, 300), (5, 299), (9.5, 1000), (0.2, 46.9), (2.4, 217.5225), (739, 741.3), (1, 1e6)]
    golden = {
        "scipy": scipy.__version__,
        "intervals": [interval(k, n) for k, n in cases],
        "none": [{"n": n, "hi": float(beta.ppf(0.95, 1, n))} for n in (1, 2, 26, 217.5225, 298, 299, 1e6)],
        "fewest": [fewest(b) for b in (0.5, 0.1, 0.05, 0.02, 0.01, 0.001)],
    }
    with open(OUT, "w", encoding="utf-8") as f:
        json.dump(golden, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
