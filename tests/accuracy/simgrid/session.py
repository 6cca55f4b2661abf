#!/usr/bin/env python3
"""Writes sessions of jobs on a network that SimGrid simulates.

	session.py ENGINE DIR SEED... [--bare]

DIR/SEED holds run/HOST.xplane.pb, topology.csv and truth.json.  A session
is recorded by the clocks of its hosts.  Style new: the plane of action
graphs, with sends (start to acknowledgement) and receives; style old: the
host messages, receives only.  Both hold the planes of the devices.

truth.json: kind as in `culprits[]` of pairs (also compute, input, or none
of a healthy job), hosts, device, factor, steps in which the fault was
active, cost_ms_per_step, and visible: at least 20 transfers meet the fault,
and the network took 1.3 times as long for them (median of the ratios to the
same run without the fault), or twice (90th percentile).  A late host is
visible where it costs 2 % of the step.  alike: other kinds and hosts with
the very same pairs of hosts, such as in a ring the sender's transmit side,
the path to its neighbour, and the neighbour's receive side.
"""

import argparse
import json
import os
import random

import job

WALL_NS = 1_763_000_000_000_000_000
LEAD_NS = 2_300_000_000         # from the start of the captures to the job
ACK_NS = 20_000
TYPES = {"ring": "ALL_REDUCE", "a2a": "ALL_TO_ALL", "tree": "ALL_REDUCE"}
ATTRIBUTES = (', frontend_attributes={_xla_host_transfer_handler_name='
              '"xla_megascale_runtime",_xla_host_transfer_rendezvous="%s",'
              '_xla_megascale_transfer_type="%s"}')
OLD_STATS = ["dcn_label", "dcn_source_slice_id",
             "dcn_source_per_slice_device_id", "dcn_destination_slice_id",
             "dcn_destination_per_slice_device_id", "dcn_chunk",
             "dcn_loop_index", "payload_size_bytes", "duration_us"]


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(int(n))


def text(field, s):
    s = s.encode() if isinstance(s, str) else s
    return varint(field << 3 | 2) + varint(len(s)) + s


class Plane:
    """An XPlane: lines of events, and the names that they refer to."""

    def __init__(self, number_, name):
        self.head = number(1, number_) + text(2, name)
        self.lines, self.events, self.stats = [], {}, {}

    def stat(self, name, value):
        i = self.stats.setdefault(name, len(self.stats) + 1)
        return number(1, i) + (text(5, value) if isinstance(value, str)
                               else number(4, value))

    def event(self, name, at_ns, long_ns=0, stats=(), category=None):
        i = self.events.setdefault((name, category), len(self.events) + 1)
        return text(4, number(1, i) + number(2, at_ns * 1000) +
                    number(3, long_ns * 1000) + b"".join(
                        text(4, self.stat(k, v)) for k, v in stats))

    def line(self, number_, name, base_ns, events):
        self.lines.append(text(3, number(1, number_) + text(2, name) +
                               number(3, base_ns) + b"".join(events)))

    def name_of(self, name, category):
        if not category:
            return text(2, name)
        return text(2, name) + text(4, name[1:].split(" ")[0]) + \
            text(5, self.stat("hlo_category", category))

    def wire(self):
        names = [text(4, number(1, i) + text(2, number(1, i) +
                                             self.name_of(*key)))
                 for key, i in self.events.items()]
        stats = [text(5, number(1, i) + text(2, number(1, i) + text(2, n)))
                 for n, i in self.stats.items()]
        return text(1, self.head + b"".join(self.lines + names + stats))


def raw(h, d):
    return h * 100000 + d


def names_of(j):
    return ["%s.%d_%d" % ("all-to-all" if p == "a2a" else "all-reduce",
                          11 + 4 * k, 30 + k)
            for k, (p, _) in enumerate(j.collectives)]


class Recording:
    """What one host recorded of a run."""

    def __init__(self, j, plan, h, begin_ns):
        self.j, self.plan, self.h, self.begin_ns = j, plan, h, begin_ns
        self.base_ns = WALL_NS + begin_ns if j.wall_clock else 0
        self.names = names_of(j)

    def clock(self, t, host=None):
        h = self.h if host is None else host
        return int(t + self.j.clock_s[h] * 1e9 + self.j.drift[h] * t)

    def at(self, t):
        return max(0, self.clock(t) + LEAD_NS - self.begin_ns)

    def times(self, what, step, d, *k):
        return self.plan.times[(what, step, self.h, d, *k)]

    def latency_us(self, m):
        start = self.clock(m[self.j.start], m["src"])
        return max(0, self.clock(m[self.j.end], m["dst"]) - start) // 1000

    def transfer(self, p, m, receive):
        """The end of a NetworkReceive or NetworkSend action."""
        me = m["dst"] if receive else m["src"]
        end = m["taken"] if receive else m["arrival"] + ACK_NS
        begin = m["posted"] if receive else m["issue"]
        stats = [("graph_key", "device_%d_gid_%s$%d^i0" % (
                      raw(me, m["dev"]), self.names[m["coll"]],
                      m["step"] + 1)),
                 ("action_index", m["phase"]),
                 ("action_duration_ns", end - min(begin, end)),
                 ("buffer_sizes", "s%d->%dd|$c%d=%d" % (
                      raw(m["src"], m["dev"]), raw(m["dst"], m["dev"]),
                      m["phase"], m["size"]))]
        if receive and not m["untimed"]:
            stats.append(("network_transport_latency_us",
                          self.latency_us(m)))
        return p.event("NetworkReceive END" if receive else
                       "NetworkSend END", self.at(end), 0, stats)

    def execution(self, p, step, d, k):
        """The graph of a collective, and its copies from and to the device."""
        out, inn = self.times("d2h", step, d, k), self.times("h2d", step, d, k)
        gid = "device_%d_gid_%s" % (raw(self.h, d), self.names[k])
        key = ("graph_key", "%s$%d^i0" % (gid, step + 1))
        pattern, size = self.j.collectives[k]
        a, b = self.at(out[0]), self.at(inn[0])
        events = [p.event(gid, a, b - a, [
            key, ("launch_id", step + 1), ("input_size", 2 * size),
            ("rendezvous", self.names[k]),
            ("collective_type", TYPES[pattern])])]
        for name, (x, y) in (("DeviceToHost", out), ("HostToDevice", inn)):
            index = ("action_index", 0)
            events.append(p.event(name + " START", self.at(x), 0,
                                  [key, index]))
            events.append(p.event(name + " END", self.at(y), 0, [
                key, index, ("action_duration_ns", y - x)]))
        return events

    def new_plane(self):
        p, j = Plane(100, "/device:CUSTOM:Megascale Trace"), self.j
        for d in range(j.devices):
            mine = [m for m in self.plan.messages if m["dev"] == d]
            events = [self.transfer(p, m, True) for m in mine
                      if m["dst"] == self.h]
            events += [self.transfer(p, m, False) for m in mine
                       if m["src"] == self.h]
            for step in range(j.steps):
                for k in range(len(j.collectives)):
                    events += self.execution(p, step, d, k)
            p.line(d + 1, "", self.base_ns, events)
        return p

    def old_plane(self):
        p, events = Plane(1, "/host:CPU"), []
        for m in self.plan.messages:
            if m["dst"] != self.h:
                continue
            values = [self.names[m["coll"]], m["src"], m["dev"], m["dst"],
                      m["dev"], m["phase"], m["step"], m["size"],
                      self.latency_us(m)]
            stats = list(zip(OLD_STATS, values))[:-1 if m["untimed"] else 9]
            events.append(p.event("MegaScale: Communication Transport Receive",
                                  self.at(m[self.j.end]), 0, stats))
        p.line(77, "MegascaleEM2_Worker/77", self.base_ns, events)
        return p

    def transfer_op(self, k, word, done):
        """The HLO text of one of the four operations of a collective."""
        pattern, size = self.j.collectives[k]
        send = word == "send"
        i = 100 + 2 * k + (not send)
        shape = "f32[%d]{0}" % (size // 2)
        arg = "%%%s.%d" % (word, i) if done else \
            "%%fusion.%d, %%tok" % (2 + k) if send else "%tok"
        result = "(%s, u32[], token[])" % shape if not done else \
            "token[]" if send else "(%s, token[])" % shape
        word += "-done" if done else ""
        return "%%%s.%d = %s %s(%s), channel_id=%d, is_host_transfer=true" % (
            word, i, result, word, arg, i) + \
            ATTRIBUTES % (self.names[k], TYPES[pattern]), "host " + word

    def step_ops(self, step, d):
        """Operations of one step: (from, to, name, category)."""
        fusion = lambda i: "%%fusion.%d = f32[1024] fusion(...), " \
            "kind=kOutput" % i
        t = lambda what, *k: self.times(what, step, d, *k)
        ops = [(*t("input"), "%infeed.1 = f32[8] infeed(%tok)", "infeed"),
               (*t("fwd"), fusion(1), "convolution fusion")]
        keys = range(len(self.j.collectives))
        for k in keys:
            (a, b), (_, c) = t("bwd", k), t("ici", k)
            a += 12000 if k else 0
            ops += [(a, b, fusion(2 + k), "convolution fusion"),
                    (b, c, "%%all-reduce.%d = f32[1024] all-reduce("
                     "%%fusion.%d), replica_groups={}" % (60 + k, 2 + k),
                     "all-reduce"),
                    (c, c + 4000, *self.transfer_op(k, "send", False)),
                    (c + 5000, c + 9000, *self.transfer_op(k, "recv", False))]
        last = c + 10000
        for k in keys:
            for what, word in (("d2h", "send"), ("h2d", "recv")):
                end = max(last + 1000, t(what, k)[1])
                ops.append((last, end, *self.transfer_op(k, word, True)))
                last = end
        a, b = t("opt")
        ops.append((max(a, last), max(b, last + 1000), fusion(50),
                    "convolution fusion"))
        return ops

    def device_plane(self, d):
        p = Plane(2 + d, "/device:TPU:%d" % d)
        steps, modules, rows = [], [], []
        for step in range(self.j.steps):
            ops = self.step_ops(step, d)
            first = ops[0][0 if self.j.input_in_step else 1]
            a, b = self.at(first), self.at(ops[-1][1])
            steps.append(p.event(str(step), a, b - a, [("step_num", step)]))
            modules.append(p.event("jit_train_step(1234)", a + 1, b - a - 2,
                                   [("run_id", step + 1)]))
            for x, y, name, category in ops:
                x, y = self.at(x), self.at(y)
                rows.append(p.event(name, x, y - x, (), category))
        p.line(1, "Steps", self.base_ns, steps)
        p.line(2, "XLA Modules", self.base_ns, modules)
        p.line(3, "XLA Ops", self.base_ns, rows)
        return p

    def task_plane(self):
        """The wall clock of the capture, where the lines do not have it."""
        p = Plane(99, "Task Environment")
        stop = WALL_NS + self.plan.end_ns + 3_000_000_000
        stats = [text(6, p.stat(*x)) for x in (
            ("profile_start_time", WALL_NS + self.begin_ns),
            ("profile_stop_time", stop))]
        p.head += b"".join(stats)
        return p

    def write(self, path):
        planes = [self.new_plane() if self.j.style == "new" else
                  self.old_plane()]
        planes += [self.device_plane(d) for d in range(self.j.devices)]
        if not self.base_ns:
            planes.append(self.task_plane())
        with open(path, "wb") as f:
            f.write(b"".join(p.wire() for p in planes) +
                    text(4, "host-%03d" % self.h))


def truth_hosts(j, f):
    """Hosts at fault; of rack_pair the rack that sends, then the other."""
    if not f:
        return []
    if f["kind"] == "pair":
        return [f["src"], f["dst"]]
    racks = [f[x] for x in ("rack", "rack2") if x in f]
    return [h for x in racks for h in range(j.hosts) if j.rack[h] == x] \
        if racks else [f["host"]]


def quantile(values, q):
    return sorted(values)[int(q * (len(values) - 1))] if values else None


def truth_of(j, slow, base):
    f, steps = j.fault, j.steps
    step_ms = base.end_ns / steps / 1e6
    cost_ms = slow.end_ns / steps / 1e6 - step_ms
    net = lambda m: max(1, m["arrival"] - m["wire"])
    ratios = [net(m) / net(b) for m, b, hit in
              zip(slow.messages, base.messages, slow.touched()) if hit]
    p50, p90 = quantile(ratios, .5), quantile(ratios, .9)
    late = f.get("kind") in ("compute", "input")
    hosts = truth_hosts(j, f)
    name = lambda hosts: ["host-%03d" % h for h in hosts]
    alike = slow.alike(f["kind"], hosts) if f and not late else []
    visible = cost_ms >= .02 * step_ms if late else \
        len(ratios) >= 20 and (p50 >= 1.3 or p90 >= 2)
    return {
        "seed": j.seed, "session": j.kind, "kind": f.get("kind"),
        "hosts": name(hosts),
        "alike": [{"kind": k, "hosts": name(h)} for k, h in alike],
        "device": f.get("devices"), "factor": f.get("factor"),
        "steps": f.get("steps"), "visible": bool(f) and visible,
        "transfers_at_fault": len(ratios), "ratio_p50": p50,
        "ratio_p90": p90, "cost_ms_per_step": cost_ms,
        "step_ms_without": step_ms, "transfers": len(slow.messages),
        "job": {k: v for k, v in vars(j).items() if k != "fault"},
        "fault": f}


def write(engine, directory, seed, bare=False):
    """Simulates and writes one session, and returns its truth."""
    j = job.draw(seed, bare)
    slow = job.run(j, j.fault, engine)
    base = job.run(j, {}, engine) if j.fault else slow
    r = random.Random(seed + 3000000)
    for m in slow.messages:
        m["untimed"] = r.random() < j.untimed_share
        m["posted"] = slow.times["d2h", m["step"], m["dst"], m["dev"],
                                 m["coll"]][0]
    run = os.path.join(directory, "run")
    os.makedirs(run, exist_ok=True)
    for h in range(j.hosts):
        Recording(j, slow, h, r.randrange(50_000_000)).write(
            os.path.join(run, "host-%03d.xplane.pb" % h))
    with open(os.path.join(directory, "topology.csv"), "w") as f:
        f.write("host,rack\n" + "".join("host-%03d,r%02d\n" % x
                                        for x in enumerate(j.rack)))
    truth = truth_of(j, slow, base)
    with open(os.path.join(directory, "truth.json"), "w") as f:
        json.dump(truth, f, indent=1)
    return truth


def main():
    p = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("engine")
    p.add_argument("directory")
    p.add_argument("seeds", type=int, nargs="+")
    p.add_argument("--bare", action="store_true", help="no nuisances")
    a = p.parse_args()
    for seed in a.seeds:
        t = write(a.engine, os.path.join(a.directory, str(seed)), seed,
                  a.bare)
        print(seed, t["session"], t["kind"], ",".join(t["hosts"]),
              "visible" if t["visible"] else "not visible",
              "%.2f" % t["ratio_p50"] if t["ratio_p50"] else "", flush=True)


if __name__ == "__main__":
    main()
