# Quantiles, means and intervals of samples that the test makes again:
#	python3 tests/oracle/latency.py >tests/oracle/latency.tsv
# Quantiles by NumPy ("linear" is type 7), intervals by brute force over
# binomial sums of SciPy.
import numpy as np
from scipy.stats import binom

PS = [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]


def sample(kind, n):
    """Latencies in ps: 0 alike, 1 mixed, 2 a heavy tail, 3 whole us."""
    out = []
    for i in range(n):
        h = (i * 2654435761 + 12345) % 2**32
        if kind == 0:
            v = 77000000
        elif kind == 1:
            v = 1000000 + h
        elif kind == 2:
            v = 10**16 // (h + 1)
        else:
            v = (1 + h % 5000) * 1000000
        out.append(v)
    return out


def interval(n, p):
    if n < 2:
        return 0, 0
    cdf = np.concatenate([[0], binom.cdf(np.arange(n + 1), n, p)])
    best = None
    for l in range(n + 1):
        u = int(np.searchsorted(cdf, cdf[l] + 0.95 - 1e-12))
        u = max(u, l + 1)
        if u <= n + 1 and (best is None or u - l < best[1] - best[0]):
            best = (l, u)
    l, u = best
    return l, (0 if u > n else u)


print("# kind n p quantile_us mean_us lower_us upper_us (-1: none)")
for kind in range(4):
    for n in [1, 2, 3, 10, 99, 100, 1000, 1001, 12345]:
        ps = sample(kind, n)
        us = np.sort(np.array(ps, dtype=float) / 1e6)
        mean = sum(ps) / n / 1e6
        for p in PS:
            l, u = interval(n, p)
            print(kind, n, p, repr(float(np.quantile(us, p))), repr(mean),
                  repr(float(us[l - 1])) if l else -1,
                  repr(float(us[u - 1])) if u else -1, sep="\t")
