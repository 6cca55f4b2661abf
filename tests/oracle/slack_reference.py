#!/usr/bin/python3
# What the reference's rules (docs/methods.md, "XProf's numbers, and where netan
# differs") make of the traces of a log directory, read and computed without
# netan:
#
#	python3 tests/oracle/slack_reference.py LOGDIR
#
# One line for each collective and host: executions of device 0, then the
# means of slack, observed time, stall, send, send-done, recv and recv-done in
# whole microseconds.  A -done belongs to the start with its number.
import glob
import re
import sys


def varint(b, i):
    r = shift = 0
    while True:
        c = b[i]
        i += 1
        r |= (c & 127) << shift
        shift += 7
        if c < 128:
            return r, i


def message(b):
    i, out = 0, []
    while i < len(b):
        tag, i = varint(b, i)
        if tag & 7 == 0:
            v, i = varint(b, i)
        elif tag & 7 == 2:
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
        else:
            n = 8 if tag & 7 == 1 else 4
            v, i = b[i:i + n], i + n
        out.append((tag >> 3, v))
    return out


def get(m, field, default=None):
    return next((v for f, v in m if f == field), default)


def device_0(path):
    """Program runs and ops: (start ns, start ps, duration ps, names)."""
    modules, ops = [], []
    for f, plane in message(open(path, "rb").read()):
        plane = message(plane) if f == 1 else []
        if get(plane, 2) != b"/device:TPU:0":
            continue
        names = {}
        for entry in (message(v) for f, v in plane if f == 4):
            m = message(get(entry, 2))
            names[get(entry, 1)] = [get(m, k, b"").decode() for k in (2, 4)]
        for line in (message(v) for f, v in plane if f == 3):
            ns, kind = get(line, 3, 0), get(line, 2)
            for e in (message(v) for f, v in line if f == 4):
                ps = get(e, 2, 0)
                x = (ns + ps // 1000, ns * 1000 + ps, get(e, 3, 0),
                     names[get(e, 1)])
                if kind == b"XLA Modules":
                    modules.append(x)
                elif kind == b"XLA Ops" and \
                        re.fullmatch(r"(send|recv)(-done)?(\.\d+)?", x[3][1]):
                    ops.append(x)
    return modules, sorted(ops, key=lambda x: x[1])


def walk(modules, ops):
    number = {}
    for *_, (text, name) in ops:
        m = re.search(r'_xla_host_transfer_rendezvous="([^"]*)"', text)
        if m:
            number[name.split(".")[-1]] = m.group(1)
    state, out = {}, {}
    for ns, ps, took, (_, name) in ops:
        c = number.get(name.split(".")[-1])
        if not c or not any(m[1] <= ps and m[1] + m[2] >= ps + took
                            for m in modules):
            continue
        s = state.setdefault(c, {"overlap": 0, "stall": 0, "us": {}})
        kind, d = name.split(".")[0], took // 1000
        s["stall"] += d
        s["us"][kind] = took // 10 ** 6
        if kind == "send":
            s.update(start=ns, overlap=0, stall=d)
        elif kind == "recv-done" and "start" in s:
            out.setdefault(c, []).append(
                [(ns - s["start"] - s["overlap"]) // 1000,
                 (ns + d) // 1000 - s["start"] // 1000, s["stall"] // 1000] +
                [s["us"].get(k, 0)
                 for k in ("send", "send-done", "recv", "recv-done")])
        for other in state.values():
            other["overlap"] += d
    return out


for path in sorted(glob.glob(sys.argv[1] + "/plugins/profile/*/*.xplane.pb")):
    host = path.split("/")[-1].split(".")[0]
    for c, rows in sorted(walk(*device_0(path)).items()):
        print(c, host, len(rows), *(sum(x) // len(rows) for x in zip(*rows)))
