#!/usr/bin/python3
# What `netan steps` must find in steps drawn at random, counted nanosecond
# by nanosecond:
#
#	/usr/bin/python3 tests/oracle/steps.py >tests/oracle/steps.tsv
#
# Lines: "case NAME HOSTS"; "step HOST NUMBER START END"; "busy HOST START
# END"; "op HOST NETWORK OPCODE PHASE NAME OTHER START END" (OTHER: the
# rendezvous, or the start that a done is of); "want HOST FIELD VALUE": sums
# over the steps of a host, times in ns.
import random

rng = random.Random(8112026)
LENGTH = 6000
FIELDS = ("duration", "compute", "overlap", "flight", "dcn", "ici", "idle",
          "gap", "waiting")


def draw_steps():
    out, at, number = [], rng.randrange(300), rng.randrange(5)
    while at < LENGTH - 700:
        end = at + rng.randrange(100, 600)
        out.append((number, at, end))
        hole = rng.random() < 0.2
        at = end + rng.choice([0, 0, rng.randrange(1, 80)])
        number += 2 if hole else 1
    return out


def draw_busy(dense):
    out, at = [], 0
    while at < LENGTH:
        at += rng.randrange(1, 60)
        end = at + rng.randrange(1, 120 if dense else 20)
        out.append((at, end))
        at = end if rng.random() < 0.3 else end + rng.randrange(1, 40)
        if rng.random() < 0.1:  # another stream, at the same time
            out.append((max(0, at - 50), at + 10))
    return out


def draw_ops():
    """Ops, and the times in which something is in flight."""
    ops, flights = [], []
    for k in range(rng.randrange(3, 12)):
        name, at = f"ar.{k}_0", rng.randrange(LENGTH - 900)
        while at < LENGTH - 900:
            s = (at, at + rng.randrange(1, 9))
            d = s[1] + rng.randrange(0, 300)
            d = (d, d + rng.randrange(1, 60))
            ops.append(("dcn", "send", "start", f"send.{k}", name, *s))
            ops.append(("dcn", "recv", "start", f"recv.{k}", name, s[1],
                        s[1] + 2))
            ops.append(("dcn", "send", "done", f"send-done.{k}", name,
                        d[0] - 1, d[0]))
            ops.append(("dcn", "recv", "done", f"recv-done.{k}", name, *d))
            flights.append((s[0], d[1]))
            at = d[1] + rng.randrange(5, 2000)
    for k in range(rng.randrange(9)):
        at = rng.randrange(LENGTH - 500)
        end = at + rng.randrange(1, 90)
        if k % 2:
            ops.append(("ici", "all-reduce", "whole", f"all-reduce.{k}", "-",
                        at, end))
            continue
        done = end + rng.randrange(200)
        ops.append(("ici", "all-reduce", "start", f"ars.{k}", "-", at, end))
        ops.append(("ici", "all-reduce", "done", f"ard.{k}", f"ars.{k}", done,
                    done + 7))
        flights.append((at, done + 7))
    return ops, flights


def marked(intervals, n):
    out = [False] * n
    for start, end in intervals:
        for i in range(max(start, 0), min(end, n)):
            out[i] = True
    return out


def executions(ops):
    """Of each collective inside the slice: from its start to its end."""
    out = {}
    for network, _, phase, name, other, start, end in ops:
        if network != "ici":
            continue
        if phase == "done":
            out[other] = (out[other][0], end)
        else:
            out[name] = (start, end)
    return out


def waits(all_ops):
    """Of each host, when it waits for others: whoever takes longer than the
    shortest does so first."""
    runs = [executions(ops) for ops in all_ops]
    out = [[] for _ in runs]
    matched = False
    for name in sorted(set().union(*runs)):
        there = [h for h, r in enumerate(runs) if name in r]
        least = min(runs[h][name][1] - runs[h][name][0] for h in there)
        if len(there) < 2:
            continue
        matched = True
        for h in there:
            out[h].append((runs[h][name][0], runs[h][name][1] - least))
    return out if matched else None


def numbers(steps, busy, ops, flights, waiting):
    n = LENGTH + 1000
    b, f = marked(busy, n), marked(flights, n)
    dcn = marked([o[5:] for o in ops if o[0] == "dcn"], n)
    ici = marked([o[5:] for o in ops if o[0] == "ici"], n)
    late = marked(waiting, n)
    sums = dict.fromkeys(FIELDS, 0)
    last = None
    for number, start, end in steps:
        for i in range(start, end):
            sums["duration"] += 1
            sums["compute"] += b[i]
            flying = f[i] or dcn[i] or ici[i]
            sums["flight"] += flying
            sums["overlap"] += flying and b[i]
            sums["dcn"] += dcn[i] and not b[i]
            sums["ici"] += ici[i] and not dcn[i] and not b[i]
            sums["waiting"] += ici[i] and late[i] and not dcn[i] and not b[i]
            sums["idle"] += not (b[i] or dcn[i] or ici[i])
        if last and last[0] + 1 == number:
            sums["gap"] += start - last[2]
        last = (number, start, end)
    return sums


def case(name, hosts, dense):
    print("case", name, hosts, sep="\t")
    drawn = []
    for h in range(hosts):
        steps, busy = draw_steps(), draw_busy(dense)
        ops, flights = draw_ops()
        drawn.append((steps, busy, ops, flights))
    waiting = waits([x[2] for x in drawn])
    for h, (steps, busy, ops, flights) in enumerate(drawn):
        for row in steps:
            print("step", h, *row, sep="\t")
        for row in busy:
            print("busy", h, *row, sep="\t")
        for row in ops:
            print("op", h, *row, sep="\t")
        sums = numbers(steps, busy, ops, flights,
                       waiting[h] if waiting else [])
        print("want", h, "steps", len(steps), sep="\t")
        for field in FIELDS:
            if field != "waiting" or waiting:
                print("want", h, field, sums[field], sep="\t")


print("# made by /usr/bin/python3 tests/oracle/steps.py")
case("one", 1, True)
case("sparse", 2, False)
case("three", 3, True)
case("more", 4, rng.random() < 0.5)
