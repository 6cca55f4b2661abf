#!/usr/bin/python3
# What `netan sizes` must find, from NumPy's sorting and quantiles:
#
#	/usr/bin/python3 tests/oracle/sizes.py >tests/oracle/sizes.tsv
#
# Lines: "case NAME SMALL_BYTES"; "x BYTES LATENCY_US SRC DST" for each
# transfer; "want NAME VALUE" ("-": null); "distinct BYTES COUNT";
# "bin FROM TO COUNT BYTES".  Nothing here shares code or method with the
# analysis: values are expanded and sorted, the Gini coefficient is the mean
# absolute difference over all pairs.
import sys
from collections import Counter
from fractions import Fraction

import numpy as np

rng = np.random.default_rng(20261121)


def draw_lognormal(n):
    return np.maximum(rng.lognormal(11, 2, n).astype(np.int64), 0)


def transfers(sizes):
    n = len(sizes)
    lat = 40 + (np.asarray(sizes, dtype=float) / 12500).astype(np.int64)
    lat = lat + rng.integers(0, 20, n)
    src = np.minimum(rng.geometric(0.5, n), 6)
    dst = rng.integers(7, 10, n)
    return list(zip((int(s) for s in sizes), (int(v) for v in lat),
                    (int(v) for v in src), (int(v) for v in dst)))


def fixed_us(xs):
    """Section 1.1 with one class: weighted median of small records."""
    pairs = Counter((s, d) for _, _, s, d in xs)
    small = sorted((l, min(1.0, 50 / pairs[s, d]))
                   for b, l, s, d in xs if b <= 8192)
    if len(small) < 20:
        return None
    half, seen = sum(w for _, w in small) / 2, 0.0
    for l, w in small:
        seen += w
        if seen >= half:
            return l


def show(v):
    if v is None:
        return "-"
    return repr(float(v)) if isinstance(v, (Fraction, float)) else str(v)


def wants(xs, limit):
    b = np.array([x[0] for x in xs], dtype=np.int64)
    total = sum(x[0] for x in xs)
    time = sum(x[1] for x in xs)
    small = [x for x in xs if x[0] <= limit]
    n = len(xs)
    yield "count", n
    yield "bytes", total
    yield "min_bytes", int(b.min())
    for p, name in ((0.5, "p50"), (0.9, "p90"), (0.99, "p99")):
        yield name + "_bytes", float(np.quantile(b, p, method="linear"))
    yield "max_bytes", int(b.max())
    count_share = Fraction(len(small), n)
    time_share = Fraction(sum(x[1] for x in small), time)
    yield "small_count_share", count_share
    yield "small_bytes_share", (
        Fraction(sum(x[0] for x in small), total) if total else None)
    yield "small_time_share", time_share
    run, half = 0, None
    for v in sorted(x[0] for x in xs):
        run += v
        if total and 2 * run >= total:
            half = v
            break
    yield "half_bytes_size", half
    values = Counter(x[0] for x in xs)
    spread = sum(abs(u - v) * c * d for u, c in values.items()
                 for v, d in values.items())
    yield "gini", Fraction(spread, 2 * n * total) if total else None
    fixed = fixed_us(xs)
    yield "fixed_us", fixed
    yield "fixed_cost_share", (
        None if fixed is None else Fraction(n * fixed, time))
    yield "verdict", ("many_small" if count_share > Fraction(1, 2) and
                      time_share > Fraction(1, 4) else "few_large")


def put(name, xs, limit=65536):
    print("case", name, limit, sep="\t")
    for x in xs:
        print("x", *x, sep="\t")
    for key, v in wants(xs, limit):
        print("want", key, v if isinstance(v, str) else show(v), sep="\t")
    values = Counter(x[0] for x in xs)
    for v in sorted(values):
        print("distinct", v, values[v], sep="\t")
    k = [v.bit_length() for v in values]
    for i in range(min(k), max(k) + 1):
        lo, hi = (1 << i) >> 1, 1 << i
        inside = [x[0] for x in xs if lo <= x[0] < hi]
        print("bin", lo, hi, len(inside), sum(inside), sep="\t")


print("# made by /usr/bin/python3 tests/oracle/sizes.py; NumPy", np.__version__)
put("one", [(4096, 50, 1, 2)])
put("two", [(100, 50, 1, 2), (1 << 20, 200, 2, 1)])
put("equal", [(65536, 100 + i, 1, 2) for i in range(9)])
put("no_bytes", [(0, 50, 1, 2)] * 4)
put("some_zero", [(0, 50, 1, 2)] * 3 + [(1, 60, 1, 2), (3, 1, 1, 2)])
put("boundary", [(65536, 60, 1, 2), (65537, 60, 1, 2), (65535, 60, 2, 1)])
put("small_given", [(1000, 60, 1, 2), (1001, 60, 1, 2), (999, 60, 2, 1)], 1000)
put("huge", [(2**62 - 1, 7, 1, 2), (2**62, 9, 1, 2), (2**62 + 1, 3, 1, 2),
             (5, 11, 1, 2)])
put("few_sizes", transfers(rng.choice(
    [512, 8192, 65536, 1 << 20, 8 << 20], 400, p=[.5, .2, .1, .1, .1])))
put("lognormal", transfers(draw_lognormal(300)))
put("many_small", transfers(rng.choice([1024, 2048, 4 << 20], 300,
                                       p=[.6, .35, .05])))
