# What `netan collectives` must find in the data-center network, from NumPy:
#	/usr/bin/python3 tests/oracle/collectives.py >tests/oracle/collectives.tsv
# Lines: "case"; "g NAME DEVICE START_US END_US BYTES" for each execution on a
# device (slice * 100 + number); "r NAME SRC DST START_US END_US BYTES" for each
# transfer received; "want NAME MEMBER VALUE"; "end".
import numpy as np

rng = np.random.RandomState(6)


def row(*cells):
    print(*cells, sep="\t")


for hosts, names, n in [(1, 1, 1), (2, 1, 9), (2, 3, 40), (4, 5, 90)]:
    row("case")
    graphs, received = [], []
    for i in range(n):
        device = 100 * rng.randint(hosts) + rng.randint(2)
        start = int(rng.randint(10**6))
        graphs.append((f"op.{rng.randint(names)}", device, start,
                       start + int(rng.randint(1, 20000)),
                       int(rng.randint(1, 10**8))))
    for i in range(n // 2):
        name, device, start, end, _ = graphs[rng.randint(n)]
        src = 100 * rng.randint(hosts + 1) + rng.randint(2)
        if src != device:
            received.append((name, src, device, start, end,
                             int(rng.randint(1, 10**7))))
    for g in graphs:
        row("g", *g)
    for r in received:
        row("r", *r)
    for name in sorted({g[0] for g in graphs}):
        mine = [g for g in graphs if g[0] == name]
        moved = [r for r in received if r[0] == name]
        took = np.array([g[3] - g[2] for g in mine], dtype=float)
        size = sum(g[4] for g in mine)
        for member, value in [
                ("executions", len(mine)), ("bytes", size),
                ("transfers", len(moved)),
                ("transfer_bytes",
                 sum(r[5] for r in moved) if moved else float("nan")),
                ("participants", len({g[1] for g in mine} |
                                     {d for r in moved for d in r[1:3]})),
                ("p50_us", float(np.quantile(took, 0.5))),
                ("p99_us", float(np.quantile(took, 0.99))),
                ("bandwidth_gbps", float(size * 8 / (took.sum() * 1000)))]:
            row("want", name, member, repr(value))
    row("end")
