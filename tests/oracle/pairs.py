# Sums and quantiles of pairs, by NumPy:
#	python3 tests/oracle/pairs.py >tests/oracle/pairs.tsv
# The transfers are those of tests/unit/test_pairs.c, next().
import numpy as np

state = 1


def draw(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % n


rows = []
for _ in range(3000):
    src, dst = draw(16), draw(16)
    size = 1 << (10 + draw(12))
    us = 20 + draw(5000)
    clamped = draw(40) == 0
    if not (clamped and src == dst):  # would be loopback
        rows.append((src, dst, size, us, clamped))

print("# level src dst count clamped bytes p50_us p99_us")
for level, name in (
    ("device", lambda d: f"s{d // 2}d{d % 2}"),
    ("host", lambda d: "abcdefgh"[d // 2]),
):
    pairs = {}
    for src, dst, size, us, clamped in rows:
        pairs.setdefault((name(src), name(dst)), []).append((size, us, clamped))
    for (src, dst), of in sorted(pairs.items()):
        us = [x[1] for x in of if not x[2]]
        size = sum(x[0] for x in of if not x[2])
        q = np.quantile(us, [0.5, 0.99]) if us else [-1, -1]
        print(level, src, dst, len(us), len(of) - len(us), size,
              *(repr(float(x)) for x in q), sep="\t")
