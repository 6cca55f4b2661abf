# What `netan timeline` must find, microsecond by microsecond:
#	python3 tests/oracle/timeline.py >tests/oracle/timeline.tsv
# Lines: "case BIN_US"; "t SIDE START_US END_US BYTES SRC DST" for each
# transfer; "want NAME VALUE ...", one value per bin; "end".  Bytes move evenly
# between start and end; every microsecond is looked at by itself.
import random
from fractions import Fraction

rng = random.Random(6)
GBPS = Fraction(8, 1000)  # of a byte per microsecond


def show(values):
    return "\t".join(repr(float(v)) for v in values)


def transfers(n, span):
    yield "rx", 0, rng.randint(1, span), rng.randint(1, 10**7)
    for _ in range(n - 1):
        start = rng.randint(0, span)
        yield (rng.choice(["rx", "rx", "tx"]), start,
               start + rng.randint(1, span // 2), rng.randint(0, 10**7))


def bins(xs, end, width, value):
    out = []
    for b in range(-(-end // width)):
        out.append(sum(value(s, e, n) for t in range(b * width, (b + 1) * width)
                       for _, s, e, n in xs if s <= t < e) / Fraction(width))
    return out


for n, span, width in [(1, 40, 7), (5, 40, 10), (30, 300, 11), (80, 500, 100),
                       (200, 90, 1), (12, 900, 1000)]:
    xs = list(transfers(n, span))
    if max(x[2] for x in xs) % width == 0:
        xs[0] = xs[0][:2] + (max(x[2] for x in xs) + 1,) + xs[0][3:]
    end = max(x[2] for x in xs)
    print(f"case\t{width}")
    for side, s, e, size in xs:
        print("t", side, s, e, size, rng.choice([101, 102]),
              rng.choice([1, 2]), sep="\t")
    for side in ["rx", "tx"]:
        mine = [x for x in xs if x[0] == side]
        rate = bins(mine, end, width, lambda s, e, n: Fraction(n, e - s) * GBPS)
        print("want", side + "_gbps", show(rate), sep="\t")
        print("want", side + "_outstanding_bytes",
              show(bins(mine, end, width, lambda s, e, n: n)), sep="\t")
        print("want", side + "_bytes", show([sum(x[3] for x in mine)]),
              sep="\t")
        print("want", side + "_peak_gbps", show([max(rate)]), sep="\t")
        print("want", side + "_mean_gbps",
              show([sum(x[3] for x in mine) * GBPS / Fraction(end)]), sep="\t")
    mine = [x for x in xs if x[0] == "rx"]
    print("want", "pending", show(bins(mine, end, width, lambda s, e, n: 1)),
          sep="\t")
    print("want", "pending_max", show(
        max(sum(s <= t < e for _, s, e, _ in mine)
            for t in range(b * width, (b + 1) * width))
        for b in range(-(-end // width))), sep="\t")
    print("end")
