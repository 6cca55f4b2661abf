#!/usr/bin/env python3
"""XSpace files of a GPU job as the profiler leaves them, before XProf groups
their events: kernels without a group_id, the host's step markers, and its
launches.  Written by the published field numbers of xplane.proto, with what
was planted beside it.

	spaces.py FILE      the file of tests/data

A step's launches are in its marker; its kernels run later, and reach over the
next marker's start.  Between two steps an evaluation is launched.
"""

import random
import sys

US = 1_000_000  # ps


def varint(x):
    x &= (1 << 64) - 1
    out = b""
    while x > 127:
        out += bytes([x & 127 | 128])
        x >>= 7
    return out + bytes([x])


def number(field, x):
    return varint(field << 3) + varint(x)


def text(field, x):
    x = x.encode() if isinstance(x, str) else x
    return varint(field << 3 | 2) + varint(len(x)) + x


class Plane:
    def __init__(self, name, stats=None):
        self.name, self.lines, self.types, self.names = name, b"", {}, {}
        self.stats = b"".join(text(6, self.stat(*s))
                              for s in (stats or {}).items())

    def stat(self, name, value):
        at = number(1, self.names.setdefault(name, len(self.names) + 1))
        return at + (text(5, value) if isinstance(value, str)
                     else number(4, value))

    def line(self, name, id_, events):
        """events: (start_ps, duration_ps, name, stats)"""
        out = number(1, id_) + text(2, name)
        for start, length, what, stats in sorted(
                events, key=lambda e: (e[0], -e[1])):
            event = number(1, self.types.setdefault(what,
                                                    len(self.types) + 1))
            event += number(2, start) + number(3, length)
            for s in stats.items():
                event += text(4, self.stat(*s))
            out += text(4, event)
        self.lines += text(3, out)

    def bytes(self):
        out = text(2, self.name) + self.lines + self.stats
        for field, names in ((4, self.types), (5, self.names)):
            for name, k in names.items():
                out += text(field, number(1, k) +
                            text(2, number(1, k) + text(2, name)))
        return text(1, out)


def job(seed, gpus=2, steps=8, other_thread=False):
    """Bytes of a file, and by (GPU, step) when its first kernel starts and its
    last one ends, in ps."""
    draw = random.Random(seed)
    thread, driver, truth = [], [], {}
    kernels = [[] for _ in range(gpus)]
    free = [0] * gpus  # since when a GPU has nothing to do
    launches = driver if other_thread else thread
    now, launched = 5000 * US, 0

    def launch(gpu, name, length):
        nonlocal launched, now
        launched += 1
        stats = {"correlation_id": launched}
        launches.append((now, 6 * US, "cuLaunchKernel", stats))
        start = max(free[gpu], now + draw.randint(10, 300) * US)
        free[gpu] = start + length
        kernels[gpu].append((start, length, name, stats))
        now += draw.randint(8, 12) * US
        return start, free[gpu]

    for step in range(100, 100 + steps):
        began = now
        now += draw.randint(20, 90) * US
        for gpu in range(gpus):
            for k, name in enumerate(("gemm", "fusion",
                                      "ncclDevKernel_AllReduce_Sum_bf16_RING",
                                      "update")):
                a, b = launch(gpu, name, draw.randint(100, 900) * US)
                truth[gpu, step] = (truth.get((gpu, step), (a,))[0], b)
        now += 9 * US
        thread.append((began, now - began, "train",
                       {"step_num": step, "_r": 1}))
        now += draw.randint(40, 90) * US
        if not other_thread:
            launch(step % gpus, "evaluation", 50 * US)
        now = max(now, min(free) - 500 * US)
    host = Plane("/host:CPU")
    host.line("python", 11, thread)
    if driver:
        host.line("Host Threads/12", 12, driver)
    out = host.bytes()
    for gpu in range(gpus):
        plane = Plane(f"/device:GPU:{gpu}", {"device_vendor": "Nvidia"})
        plane.line("Stream #14(Compute)", 14, kernels[gpu])
        out += plane.bytes()
    return out, truth


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as f:
        f.write(job(3, steps=4)[0])
