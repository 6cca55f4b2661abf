#!/usr/bin/env python3
"""What is in a trace for Perfetto, and whether Perfetto could draw it.

	pftraces.py FILE...

Decoded without any package (fields()); real.py decodes it once more by the
published descriptors.  Prints what there is of each kind of track, and a line
"WRONG ..." for what breaks a rule of the format: slices of one track nest (they
do not overlap here at all), uuids and pids are told once, parents before
children, words before they are meant, counters have units, a flow goes from
one that is not its end to its end, no earlier.
"""

import collections
import glob
import gzip
import os
import resource
import shutil
import struct
import subprocess
import sys

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
UNITS = {2: "count", 3: "bytes"}


def fields(b):
    """Of a protobuf message: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        x = shift = 0
        while True:
            x |= (b[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if b[at - 1] < 128:
                return x

    while at < len(b):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        n = varint() if tag & 7 == 2 else 8 if tag & 7 == 1 else 4
        yield tag >> 3, b[at:at + n]
        at += n


def text(d, field):
    return d.get(field, b"").decode()


class Trace:
    """Its packets, as they stand in the file."""

    def __init__(self, path):
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
            self.data = f.read()
        self.wrong, self.tracks, self.pids, self.clocks = [], {}, set(), []
        self.words = collections.defaultdict(dict)
        self.events = []
        for k, (_, packet) in enumerate(fields(self.data)):
            self.take(k, packet)
        # As Perfetto sorts them: by time, then as in the file.
        self.events.sort(key=lambda e: e[:2])

    def check(self, holds, *what):
        if not holds:
            self.wrong.append(" ".join(map(str, what)))

    def take(self, k, packet):
        p = dict(fields(packet))
        self.check(p.get(10) == 1, "packet", k, "is of no sequence")
        self.check((p.get(13) == 1) == (k == 0), "packet", k, "clears")
        for table, entry in fields(p.get(12, b"")):
            e = dict(fields(entry))
            self.check(e[1] and e[1] not in self.words[table], "word", e)
            self.words[table][e[1]] = text(e, 2)
        if 6 in p:
            self.clocks.append({c[1]: c[2] for c in (
                dict(fields(v)) for n, v in fields(p[6]) if n == 1)})
        if 60 in p:
            self.track(dict(fields(p[60])))
        if 11 in p:
            self.event(p.get(8, 0), k, list(fields(p[11])))

    def track(self, d):
        uuid, parent = d.get(1), d.get(5)
        self.check(uuid and uuid not in self.tracks, "uuid", uuid)
        self.check(parent is None or parent in self.tracks, "parent", parent)
        process = dict(fields(d.get(3, b"")))
        if process:
            self.check(process[1] > 0 and process[1] not in self.pids,
                       "pid", process)
            self.pids.add(process[1])
        unit = None
        if 8 in d:
            counter = dict(fields(d[8]))
            unit = UNITS.get(counter.get(3)) or text(counter, 6)
            self.check(unit, "no unit", text(d, 2))
        self.tracks[uuid] = (text(d, 2), parent, unit,
                             text(process, 6) or None, text(d, 14))

    def event(self, at, k, all_of):
        e = dict(all_of)
        self.check(e.get(11) in self.tracks, "track", e.get(11))
        if e[9] in (BEGIN, INSTANT):
            self.check(23 in e or e.get(10) in self.words[2], "name", e)
            self.check(e.get(3) in self.words[1], "category", e)
        notes = {}
        for number, note in all_of:
            if number == 4:
                n = dict(fields(note))
                name = text(n, 10) or self.words[3].get(n.get(1))
                self.check(name, "a note without its name", n)
                self.check(17 not in n or n[17] in self.words[29], n)
                notes[name] = (n[4] if 4 in n else self.words[29].get(n[17])
                               if 17 in n else text(n, 6) if 6 in n
                               else struct.unpack("<d", n[5])[0])
        self.events.append((at, k, e[9], e[11], text(e, 23) or
                            self.words[2].get(e.get(10)),
                            self.words[1].get(e.get(3)), e.get(47),
                            e.get(48), e.get(52), notes,
                            struct.unpack("<d", e[44])[0] if 44 in e
                            else None))

    def path(self, track):
        """Its name behind those that it is in."""
        name, parent, unit, _, _ = self.tracks[track]
        name = name + (f" [{unit}]" if unit else "")
        return (self.path(parent) + " > " if parent else "") + name

    def lines(self):
        """What there is, one line for each kind of track."""
        count, flows = collections.Counter(), collections.defaultdict(list)
        open_at, together = {}, collections.defaultdict(set)
        for at, _, kind, track, name, category, out, end, same, _, value \
                in self.events:
            where = self.path(track)
            if kind == BEGIN:
                self.check(track not in open_at, "overlap on", where, at)
                open_at[track] = category
            elif kind == END:
                self.check(track in open_at, "end on", where, at)
                count[where, open_at.pop(track, None)] += 1
            elif kind == INSTANT:
                count[where, "instants: " + category] += 1
            else:
                self.check(self.tracks[track][2], "no counter", where)
                self.check(value >= 0, where, "is", value)
                count[where, "values"] += 1
            for flow, last in (out, False), (end, True):
                if flow is not None:
                    flows[flow].append((last, track))
            if same:
                together[same].add(self.top(track))
        self.check(not open_at, "no end:", len(open_at))
        for f in flows.values():
            self.check(len(f) == 1 or (f[-1][0] and
                                       not any(x[0] for x in f[:-1])), f)
        for (where, kind), n in sorted(count.items()):
            yield f"{n} {kind}: {where}"
        lengths = collections.Counter(map(len, flows.values()))
        yield "flows by their events: " + str(dict(sorted(lengths.items())))
        spread = collections.Counter(map(len, together.values()))
        yield ("executions by the processes that they are on: " +
               str(dict(sorted(spread.items()))))
        for w in self.wrong[:10]:
            yield "WRONG " + w

    def top(self, track):
        while self.tracks[track][1]:
            track = self.tracks[track][1]
        return track


# ---- by the published descriptors; and in less time than XProf


class Published:
    """What breaks a rule, as Perfetto's own descriptors decode it."""

    def __init__(self, trace):
        self.wrong, self.tracks, self.pids = collections.Counter(), {}, set()
        self.flows, events = collections.defaultdict(list), []
        for k, p in enumerate(trace.packet):
            if p.HasField("track_descriptor"):
                self.track(p.track_descriptor)
            if p.HasField("clock_snapshot"):
                self.check({c.clock_id for c in p.clock_snapshot.clocks} ==
                           {1, 6}, "clocks")
            self.check(not p.HasField("timestamp_clock_id"), "one clock")
            self.check(p.trusted_packet_sequence_id == 1, "one sequence")
            if p.HasField("track_event"):
                events.append((p.timestamp, k, p.track_event))
        self.follow(sorted(events, key=lambda e: e[:2]))

    def check(self, holds, what):
        self.wrong[what] += not holds

    def track(self, d):
        self.check(d.uuid and d.uuid not in self.tracks, "uuid told once")
        self.check(not d.parent_uuid or d.parent_uuid in self.tracks,
                   "parent told before")
        if d.HasField("process"):
            self.check(d.process.pid not in self.pids, "pid told once")
            self.pids.add(d.process.pid)
        c = d.counter
        self.check(not d.HasField("counter") or c.unit or c.unit_name,
                   "unit of a counter")
        self.tracks[d.uuid] = d.HasField("counter")

    def follow(self, events):
        depth = collections.Counter()
        for at, _, e in events:
            counter = self.tracks.get(e.track_uuid)
            self.check(counter is not None, "track told")
            self.check(counter == (e.type == COUNTER), "counter on its own")
            depth[e.track_uuid] += {BEGIN: 1, END: -1}.get(e.type, 0)
            self.check(depth[e.track_uuid] >= 0, "end of a slice")
            for of, last in (e.flow_ids, 0), (e.terminating_flow_ids, 1):
                for flow in of:
                    self.flows[flow].append((at, last))
        self.check(not any(depth.values()), "every slice ends")
        for f in self.flows.values():
            self.check([x[1] for x in f] == [0] * (len(f) - 1) + [1] or
                       len(f) == 1, "a flow ends last")


def published(path):
    import real
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError as e:
        raise real.Skipped(e) from None
    ours = Trace(path)
    for line in ours.lines():
        real.same("wrong", line.startswith("WRONG") and line, False)
    theirs = perfetto_trace_pb2.Trace()
    theirs.ParseFromString(ours.data)
    real.same("packets", len(theirs.packet),
              sum(1 for _ in fields(ours.data)))
    real.same("events", sum(p.HasField("track_event")
                            for p in theirs.packet), len(ours.events))
    real.same("tracks", {p.track_descriptor.uuid for p in theirs.packet
                         if p.HasField("track_descriptor")},
              set(ours.tracks))
    of = Published(theirs)
    real.same("wrong by descriptors", +of.wrong, collections.Counter())
    size = theirs.ByteSize()
    theirs.DiscardUnknownFields()
    real.same("bytes of known fields", theirs.ByteSize(), size)
    return ours


JOBS = {"pftrace-tpu": ["--ici", "1", "--fault", "clock:1:5ms", "--fault",
                        "slow-sender:2:3"],
        "pftrace-gpu": ["--profile", "pytorch", "--devices", "4"]}
# XProf makes a Perfetto trace of the actions on the network, and an empty one
# where there is nothing else: there its trace viewer's JSON is the peer, which
# has all events.  Half of what netan takes there is netan check, for the track
# of findings; XProf judges nothing.
SPEED = {"pftrace-speed": (12, "megascale_stats", "--profile", "typical",
                           "--events", "400000"),
         "pftrace-speed-dense": (12, "trace_viewer", "--profile", "typical",
                                 "--events", "400000", "--collective-ops",
                                 "0.17"),
         "pftrace-speed-network": (8, "trace_viewer", "--profile", "network",
                                   "--events", "200000")}
CASES = {**JOBS, **SPEED}


def run(args, name):
    if name in SPEED:
        return speed(args, name)
    out = os.path.join(args.out, name)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    subprocess.run([args.netan, "synth", "-q", "-o", out + "/in", "--hosts",
                    "3", "--steps", "4", *JOBS[name]], check=True)
    where = (glob.glob(out + "/in/kineto") or [out + "/in"])[0]
    for ending in "pftrace", "pftrace.gz":
        path = f"{out}/out.{ending}"
        subprocess.run([args.netan, "export", "-q", where, "-o", path],
                       check=True)
        published(path)


def speed(args, name):
    """The same session by XProf's converter, each host for itself as it has
    it: the time of both in one thread's, which what else runs here matters
    less to."""
    import real
    least, tool, *words = SPEED[name]
    out = os.path.join(args.out, name)
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([args.netan, "synth", "-q", "-o", out, *words], check=True)
    file, = glob.glob(out + "/**/*.xplane.pb", recursive=True)
    xprof = [sys.executable, os.path.abspath(__file__), "--xprof", tool]
    ours = min(took([args.netan, "export", "-q", file, "-o",
                     out + "/x.pftrace"]) for _ in range(3))
    theirs = took([*xprof, file])
    empty = took(xprof)
    real.within(f"times faster than XProf's {tool}",
                (theirs - empty) / ours, least, 1e9)
    published(out + "/x.pftrace")


def took(line):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime +
            after.ru_stime - before.ru_stime)


def by_xprof(tool, files):
    import xprofs
    for path in files:
        how = {"perfetto": True, "host": os.path.basename(path).split(".")[0]
               } if tool == "megascale_stats" else {}
        xprofs.tool([path], tool, **how)


def main():
    if sys.argv[1:2] == ["--xprof"]:
        from xprof.convert import raw_to_tool_data  # noqa: F401
        return by_xprof(sys.argv[2], sys.argv[3:])
    for path in sys.argv[1:]:
        trace = Trace(path)
        print(f"{len(trace.tracks)} tracks of {len(trace.pids)} processes, "
              f"clocks {trace.clocks}")
        for line in trace.lines():
            print(line)


if __name__ == "__main__":
    sys.exit(main())
