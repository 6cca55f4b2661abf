#!/usr/bin/python3
# What `netan slack` must find on device planes drawn at random:
#
#	/usr/bin/python3 tests/oracle/slack.py >tests/oracle/slack.tsv
#
# Lines: "case NAME"; "m CORE START END" for each run of a program; "op CORE
# NAME COLLECTIVE START END"; "want COLLECTIVE FIELD VALUE", times in ps, sums
# over all executions but for min, max and p50.  Here it is known which ops
# are one execution because they are drawn together; overlap is the plain sum
# over all ops that begin from the send on and before the recv-done.
import random
from fractions import Fraction

rng = random.Random(20261121)
US = 1000000


def draw_core(core, runs, collectives, style):
    """Executions as lists of (part, start, end), one line, no overlap."""
    modules, ops, execs = [], [], []
    at = rng.randrange(0, 50 * US)
    for _ in range(runs):
        start = at
        at += rng.randrange(1, 5 * US)
        # What is to come: events in an order that a compiler could choose.
        todo = []
        for name, times in collectives:
            for k in range(times):
                base = rng.randrange(0, 400) if style != "loop" else 100 * k
                recv_first = style == "mixed" and hash_of(name) % 2
                late_done = style == "mixed" and hash_of(name) % 3 == 0
                span = rng.randrange(20, 90) if style != "pipe" else 150
                todo.append((name, k, base, span, recv_first, late_done))
        events = []
        for name, k, base, span, recv_first, late_done in todo:
            if style in ("loop", "pipe", "mixed") and \
                    any(n == name and t > 1 for n, t in collectives):
                base = 100 * k  # iterations in order
            order = ["send", "recv"]
            if recv_first:
                order.reverse()
            done = ["send-done", "recv-done"]
            if late_done:
                done.reverse()
            for i, part in enumerate(order):
                events.append((base + 0.1 * i, name, k, part))
            for i, part in enumerate(done):
                events.append((base + span + 0.1 * i, name, k, part))
        events.sort()
        made = {}
        for _, name, k, part in events:
            at += rng.randrange(0, 30 * US)
            length = rng.choice([0, 1, rng.randrange(1, 3 * US)])
            ops.append((core, part, name, at, at + length))
            made.setdefault((name, k), {})[part] = (at, at + length)
            at += length + 1  # so that no two begin at once
        execs += [(name, parts) for (name, _), parts in made.items()]
        at += rng.randrange(1, 9 * US)
        modules.append((core, start, at))
        at += rng.randrange(0, 9 * US)
    return modules, ops, execs


def hash_of(name):
    return sum(map(ord, name))


def numbers(ops, execs):
    out = {}
    for core, name, parts in execs:
        s, d = parts["send"], parts["recv-done"]
        overlap = sum(e - b for c, _, _, b, e in ops
                      if c == core and s[0] <= b < d[0])
        stall = sum(e - b for b, e in parts.values())
        x = out.setdefault(name, [])
        x.append((d[0] - s[0] - overlap, d[1] - s[0], stall,
                  *(parts[p][1] - parts[p][0]
                    for p in ("send", "send-done", "recv", "recv-done"))))
    return out


def p50(xs):
    xs = sorted(xs)
    n = len(xs)
    return Fraction(xs[(n - 1) // 2] + xs[n // 2], 2)


def case(name, cores, runs, collectives, style):
    print(f"case\t{name}")
    ops, execs = [], []
    for core in range(cores):
        m, o, e = draw_core(core, runs, collectives, style)
        ops += o
        execs += [(core, *x) for x in e]
        for row in m:
            print("m", *row, sep="\t")
        for row in o:
            print("op", *row, sep="\t")
    fields = ("slack", "observed", "stall", "send", "send_done", "recv",
              "recv_done")
    for name, rows in numbers(ops, execs).items():
        print("want", name, "n", len(rows), sep="\t")
        for i, f in enumerate(fields):
            xs = [r[i] for r in rows]
            print("want", name, f, sum(xs), sep="\t")
            if i < 3:
                print("want", name, f + "_min", min(xs), sep="\t")
                print("want", name, f + "_max", max(xs), sep="\t")
                print("want", name, f + "_p50", float(p50(xs)), sep="\t")


print("# made by /usr/bin/python3 tests/oracle/slack.py")
case("one", 1, 1, [("a_0", 1)], "free")
case("many", 2, 3, [(f"c{i}_0", 1) for i in range(9)], "mixed")
case("loop", 2, 2, [("a_0", 6), ("b_0", 1)], "loop")
case("pipelined", 1, 3, [("a_0", 8), ("b_0", 3), ("c_0", 1)], "pipe")
case("all", 3, 4, [("a_0", 3), ("b_0", 2), ("x_0", 1), ("y_0", 1)], "mixed")
