# Resamples of clusters, tests of two samples, Holm, Welch:
#	python3 tests/oracle/diff.py >tests/oracle/diff.tsv
# Resamples by copying values, quantiles by NumPy ("linear" is type 7) with the
# generator that GSL calls mt19937, tests by SciPy.
import numpy as np
from scipy import stats

MASK = 2**64 - 1
P = [0.1, 0.5, 0.9, 0.99, 0.999]


def sample(n, first, kind, units):
    s, out = first, []
    for i in range(n):
        s = s * 16807 % 2147483647
        x = [s % 100003 / 7, s % 13, float(s % 97) ** 3][kind]
        s = s * 16807 % 2147483647
        out.append((x, s % units))
    return out


def mix(h, value):
    x = (h * 0x9E3779B97F4A7C15 + value) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def drawn(units, seed, stream, turn):
    raw = np.random.RandomState(mix(mix(seed, stream), turn) & 0xFFFFFFFF)
    scale = 0xFFFFFFFF // units
    n = [0] * units
    for _ in range(units):
        while True:
            k = int(raw.randint(0, 2**32, dtype=np.uint64)) // scale
            if k < units:
                break
        n[k] += 1
    return n


def row(*cells):
    print(*[repr(float(c)) if isinstance(c, float) else c for c in cells],
          sep="\t")


print("# boot n kind units turn q0.1 q0.5 q0.9 q0.99 q0.999 mean")
for n, kind, units in [(40, 0, 8), (1000, 0, 20), (1000, 1, 9),
                       (5000, 2, 30), (20000, 0, 300)]:
    x = sample(n, 12345, kind, units)
    for turn in [0, 1, 999]:
        w = drawn(units, 1, 4, turn)
        v = np.repeat([a for a, _ in x], [w[u] for _, u in x])
        row("boot", n, kind, units, turn,
            *[float(np.quantile(v, p)) for p in P], float(v.mean()))

print("# two na nb kind ks_d ks_p ad_t ad_p")
for na, nb, kind, shift in [(50, 80, 0, 0), (200, 150, 1, 0), (300, 300, 2, 0),
                            (60, 70, 0, 900), (500, 400, 1, 1),
                            (400, 300, 0, 700)]:
    a = np.array([v for v, _ in sample(na, 12345, kind, 5)])
    b = np.array([v + shift for v, _ in sample(nb, 777, kind, 5)])
    ks = stats.ks_2samp(a, b).statistic
    p = stats.kstwobign.sf(ks * np.sqrt(na * nb / (na + nb)))
    ad = stats.anderson_ksamp([a, b], midrank=True)
    row("two", na, nb, kind, shift, float(ks), float(p), float(ad.statistic),
        float(ad.pvalue))

print("# welch batches_a batches_b kind diff low high p")
for na, nb, kind in [(2, 2, 0), (16, 16, 0), (5, 16, 1), (16, 3, 2)]:
    a = np.array([v for v, _ in sample(na, 12345, kind, 5)])
    b = np.array([v for v, _ in sample(nb, 777, kind, 5)])
    t = stats.ttest_ind(b, a, equal_var=False)
    va, vb = a.var(ddof=1) / na, b.var(ddof=1) / nb
    df = (va + vb)**2 / (va**2 / (na - 1) + vb**2 / (nb - 1))
    half = stats.t.ppf(0.975, df) * np.sqrt(va + vb)
    d = b.mean() - a.mean()
    row("welch", na, nb, kind, float(d), float(d - half), float(d + half),
        float(t.pvalue))

print("# span units at p low high, of sample(1000, 12345, 0), alpha 0.01")
for units in [0, 8, 20, 512]:
    x = np.array([v for v, _ in sample(1000, 12345, 0, 5)])
    at = 6000.0
    wide = np.sqrt(units / (units - 1)) if units > 1 else 1
    down = (at - np.quantile(x, 0.025)) * wide
    up = (np.quantile(x, 0.975) - at) * wide
    t = stats.t(units - 1) if units > 1 else stats.norm
    z = stats.norm.ppf(0.975)
    row("span", units, at, float(2 * t.sf(at / down * z)),
        float(at - down * t.ppf(0.995) / z), float(at + up * t.ppf(0.995) / z))
