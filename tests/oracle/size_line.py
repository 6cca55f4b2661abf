# The line through size classes, by plain loops over weights:
#	python3 tests/oracle/size_line.py >tests/oracle/size_line.tsv
import math

CASES = {
    "exact": [(1000, 50, 9), (4000, 56, 9), (64000, 176, 9)],
    "odd_class": [(1024, 41, 100), (8192, 55, 100), (65536, 170, 100),
                  (131072, 9000, 6), (262144, 570, 100), (1048576, 2100, 80)],
    "falling": [(1000, 90, 50), (8000, 80, 50), (64000, 70, 50)],
    "steep": [(1000, 5, 50), (8000, 100, 50), (64000, 1000, 50)],
}


def weighted_median(rows):
    rows = sorted(rows)
    all_ = sum(w for _, w in rows)
    total = 0
    for x, w in rows:
        total += w
        if total >= all_ / 2:
            return x


print("# case (bytes us n)... fixed_us us_per_byte")
for name, c in CASES.items():
    slopes = []
    for b0, u0, n0 in c:
        for b1, u1, n1 in c:
            if b0 < b1:
                error = math.sqrt(u0**2 / n0 + u1**2 / n1)
                slopes.append(((u1 - u0) / (b1 - b0), (b1 - b0) / error))
    slope = max(weighted_median(slopes), 0)
    fixed = weighted_median([(u - slope * b, n / u**2) for b, u, n in c])
    flat = " ".join(f"{b} {u} {n}" for b, u, n in c)
    print(name, len(c), flat, repr(max(fixed, 0.0)), repr(slope))
