# Hill's estimator, Clopper-Pearson intervals and binomial tails:
#	python3 tests/oracle/tail.py >tests/oracle/tail.tsv
from math import log
from scipy.stats import beta, binom

print("# ci k n lower upper, level 0.95")
for n in [1, 2, 10, 100, 1000, 27520, 1000000, 10000000]:
    for k in sorted({0, 1, 2, 8, 65, n // 2, n - 1, n}):
        if 0 <= k <= n:
            lo = beta.ppf(0.025, k, n - k + 1) if k else 0.0
            hi = beta.ppf(0.975, k + 1, n - k) if k < n else 1.0
            print("ci", k, n, repr(float(lo)), repr(float(hi)), sep="\t")
print("# upper k n p P(X >= k)")
for k, n, p in [(0, 5, 0.3), (1, 5, 0.3), (5, 5, 0.3), (3, 10, 0.25),
                (65, 65, 0.25), (23, 65, 0.25), (400, 1000, 0.3),
                (1, 1000000, 1e-6), (30, 1000000, 1e-5), (2, 3, 0.5)]:
    print("upper", k, n, p, repr(float(binom.sf(k - 1, n, p))), sep="\t")
# x(i) = (i * 7919 mod n + 1) ** 1.7 / 3, i = 0 ... n - 1, sorted
print("# hill n share alpha")
for n in [50, 51, 100, 997, 5000]:
    x = sorted((i * 7919 % n + 1) ** 1.7 / 3 for i in range(n))
    for share in [0.05, 0.1]:
        k = int(share * n)
        a = k / sum(log(x[n - i] / x[n - k - 1]) for i in range(1, k + 1))
        print("hill", n, share, repr(a), sep="\t")
