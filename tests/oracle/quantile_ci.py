# Distribution-free intervals by brute force over all (l, u):
#	python3 tests/oracle/quantile_ci.py >tests/oracle/quantile_ci.tsv
from scipy.stats import binom

print("# n p lower upper (0: none), level 0.95")
for n in [1, 2, 3, 5, 8, 20, 37, 59, 100, 299, 1000]:
    for p in [0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]:
        F = [0] + [binom.cdf(k, n, p) for k in range(n + 1)]  # F[i] = P(X < i)
        best = None
        for l in range(n + 1):
            for u in range(l + 1, n + 2):
                if F[u] - F[l] >= 0.95:
                    if best is None or u - l < best[1] - best[0]:
                        best = (l, u)
                    break
        l, u = best
        print(n, p, l, 0 if u > n else u, sep="\t")
