#!/usr/bin/python3
# Little old-style traces, and what the public notebook computes from them
# (the five sections in notebooks-equiv/README.md), from the list of events and
# not from the files:
#
#	/usr/bin/python3 tests/oracle/notebook.py tests/data >tests/oracle/notebook.tsv
#
# Traces: `a` keeps to what the notebook does right, `b` is a second profile,
# `c` holds what it does wrong.  Lines, for each trace:
#	latency TRACE BYTES COUNT MIN_US MEAN_US P50_US MAX_US
#	size TRACE BYTES COUNT PERCENT
#	inflight TRACE BYTES WINDOW MAX        (windows of 100 ms)
#	throughput TRACE WINDOW GBPS           (windows of 1 ms, 100 points)
#	slow TRACE SRC DST COUNT               (above 1000 us)
import random
import sys

GRID_US = 10
MS_US = 1000


def varint(n):
    out = b""
    n &= (1 << 64) - 1
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def num(field, n):
    return varint(field << 3) + varint(n)


def blob(field, b):
    b = b.encode() if isinstance(b, str) else b
    return varint(field << 3 | 2) + varint(len(b)) + b


STATS = ["dcn_label", "dcn_source_slice_id", "dcn_source_per_slice_device_id",
         "dcn_destination_slice_id", "dcn_destination_per_slice_device_id",
         "payload_size_bytes", "duration_us"]


def event(e):
    """An instant: event time is all that the notebook reads of it."""
    values = [e["src"][0], e["src"][1], e["dst"][0], e["dst"][1], e["bytes"],
              e["us"]]
    body = num(1, 1) + num(2, e["at_us"] * 10**6) + num(3, 0)
    body += blob(4, num(1, 1) + blob(5, e["label"]))
    for k, v in enumerate(values):
        body += blob(4, num(1, k + 2) + num(4, v))
    return blob(4, body)


def write(path, lines):
    plane = blob(2, "/host:CPU")
    for k, (name, events) in enumerate(lines):
        plane += blob(3, num(1, k + 1) + blob(2, name) + num(3, 0) +
                      b"".join(event(e) for e in events))
    entry = num(1, 1) + blob(2, "MegaScale: Communication Transport Receive")
    plane += blob(4, num(1, 1) + blob(2, entry))
    for k, name in enumerate(STATS):
        plane += blob(5, num(1, k + 1) +
                      blob(2, num(1, k + 1) + blob(2, name)))
    with open(path, "wb") as f:
        f.write(blob(1, plane))


def transfer(at_us, us, size, src, dst, label="all-reduce.1_1"):
    return {"at_us": at_us, "us": us, "bytes": size, "src": src, "dst": dst,
            "label": label}


def clean(seed, n):
    """On the grid, inside windows of 100 ms, no two borders at one time."""
    rng = random.Random(seed)
    taken, out = set(), []
    while len(out) < n:
        size = rng.choice([1024, 1024, 65536, 1 << 20, 8 << 20])
        us = 50 + size // 12500 // GRID_US * GRID_US + 10 * rng.randrange(40)
        us = us * rng.choice([1, 1, 1, 3])
        if len(out) % 20 == 7:
            us = 1000
        at = rng.randrange(0, 5 * 100 * MS_US, GRID_US)
        end = at + us
        if (at in taken or end in taken or at // 10**5 != end // 10**5 or
                end % 10**5 == 0):
            continue
        taken |= {at, end}
        a, b = rng.sample(range(3), 2)
        out.append(transfer(at, us, size, (a, rng.randrange(2)),
                            (b, rng.randrange(2))))
    return out


def wrong():
    """One event for each defect of the notebook."""
    out = [
        # 64 KiB: in flight from 150 ms to 450 ms, no event in between.
        transfer(150000, 300000, 65536, (0, 0), (1, 0)),
        # Two of 1 KiB, then two of 1 MiB, in one window: four never at once.
        transfer(500000, 2000, 1024, (0, 0), (1, 0)),
        transfer(500100, 2000, 1024, (0, 0), (1, 1)),
        transfer(510000, 2000, 1 << 20, (0, 0), (1, 0)),
        transfer(510100, 2000, 1 << 20, (0, 0), (1, 1)),
        # The receiver's clock is behind: no latency.
        transfer(600000, 0, 1 << 20, (0, 1), (1, 0)),
        # Within one slice: no network.
        transfer(610000, 1000, 1 << 20, (1, 1), (1, 0)),
    ]
    # The busiest pair has the most slow transfers and the smallest share.
    out += [transfer(700000 + 3000 * k, 1200 if k % 10 == 0 else 700, 8 << 20,
                     (2, 0), (1, 0)) for k in range(90)]
    out += [transfer(701000 + 9000 * k, 1200 if k % 2 else 700, 8 << 20,
                     (2, 1), (1, 1)) for k in range(8)]
    return out


def quantile(x, p):
    h = (len(x) - 1) * p
    i = int(h)
    return x[i] + (h - i) * (x[min(i + 1, len(x) - 1)] - x[i])


def latency(name, events):
    for size in sorted({e["bytes"] for e in events}):
        x = sorted(e["us"] for e in events if e["bytes"] == size)
        put("latency", name, size, len(x), x[0], sum(x) / len(x),
            float(quantile(x, 0.5)), x[-1])


def sizes(name, events):
    for size in sorted({e["bytes"] for e in events}):
        n = sum(e["bytes"] == size for e in events)
        put("size", name, size, n, 100 * n / len(events))


def inflight(name, events):
    last = max(e["at_us"] + e["us"] for e in events) // 10**5
    for size in sorted({e["bytes"] for e in events}):
        steps, level, most = [], 0, {}
        for e in events:
            if e["bytes"] == size:
                steps += [(e["at_us"], 1), (e["at_us"] + e["us"], -1)]
        for at, step in sorted(steps):
            level += step
            w = at // 10**5
            most[w] = max(most.get(w, 0), level)
        for w in range(last + 1):
            put("inflight", name, size, w, most.get(w, 0))


def throughput(name, events):
    steps = []
    for e in events:
        rate = (e["bytes"] * 8 / (e["us"] * 1000) if e["us"]
                else float("inf"))
        steps += [(e["at_us"], rate), (e["at_us"] + e["us"], -rate)]
    steps.sort()
    last = steps[-1][0] // MS_US
    level, k = 0.0, 0
    for w in range(last + 1):
        total = 0.0
        for p in range(100):
            while k < len(steps) and steps[k][0] <= w * MS_US + p * GRID_US:
                level += steps[k][1]
                k += 1
            total += level
        put("throughput", name, w, total / 100)


def slow(name, events):
    pairs = {}
    for e in events:
        if e["us"] > 1000:
            key = ["%d-%d" % e["src"], "%d-%d" % e["dst"]]
            pairs[tuple(key)] = pairs.get(tuple(key), 0) + 1
    for key in sorted(pairs, key=lambda k: (-pairs[k], k)):
        put("slow", name, *key, pairs[key])


def put(*fields):
    print(*(repr(f) if isinstance(f, float) else f for f in fields), sep="\t")


def main():
    print("# made by /usr/bin/python3 tests/oracle/notebook.py tests/data")
    for name, events in (("a", clean(1, 160)), ("b", clean(2, 60)),
                         ("c", wrong())):
        # Other threads than the workers' are not the notebook's.
        other = [transfer(5000, 900, 4096, (0, 0), (2, 0))]
        half = len(events) // 2
        write("%s/notebook-%s.xplane.pb" % (sys.argv[1], name),
              [("MegascaleEM2_Worker/1", events[:half]),
               ("grpc-default-executor/9", other),
               ("MegascaleEM2_Worker/2", events[half:])])
        for section in (latency, sizes, inflight, throughput, slow):
            section(name, events)


main()
