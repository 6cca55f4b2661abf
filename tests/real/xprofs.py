"""What XProf computes from the same files: sessions of `netan synth`, and
planted markers (spaces.py).

steps     to XProf a step of a host takes what its longest device takes; netan
          gives that of the device with the longest time of its own, so less
          or as much
markers   steps of kernels without a group_id
slack     XProf's table of collectives over several slices, which is `netan
          slack --reference`
counters  XProf's counters in the Perfetto trace of one host: bandwidth and
          outstanding bytes both ways, collectives in flight; means over
          netan's bins
"""

import collections
import contextlib
import glob
import gzip
import json
import os
import shutil
import statistics
import struct
import subprocess
import tempfile

import real
import spaces
from pftraces import fields


@contextlib.contextmanager
def quiet():
    """Without what XProf writes about its work."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def tool(files, name, **how):
    try:
        with quiet():
            from xprof.convert import raw_to_tool_data as xprof
    except ImportError as e:
        raise real.Skipped(e) from None
    with quiet():
        if name == "megascale_stats":
            xprof.xspace_to_tool_names(files)  # makes its tables
        return xprof.xspace_to_tool_data(files, name, how)[0]


def session(args, name, *words):
    """Its files, one of each host."""
    out = os.path.join(args.out, name)
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([args.netan, "synth", "-q", "-o", out, "--hosts", "4",
                    "--generation", "both", *words], check=True)
    return sorted(glob.glob(out + "/**/*.xplane.pb", recursive=True))


def host_of(path):
    return os.path.basename(path).split(".")[0]


# ---- steps


def device_steps(path):
    """Of one host, by number of the step: ms on each device."""
    from jax.profiler import ProfileData

    steps = collections.defaultdict(list)
    for plane in ProfileData.from_file(path).planes:
        for line in plane.lines:
            if line.name == "Steps":
                for e in line.events:
                    steps[e.name].append(e.duration_ns / 1e6)
    return steps


def steps(asked, args, name):
    files = session(args, name, "--steps", "6", "--seed", "3")
    pod = json.loads(tool(files, "pod_viewer"))
    theirs = {(row["hostName"], str(row["stepNum"])):
              row["totalDurationUs"] / 1000
              for s in pod["podStatsSequence"]["podStatsMap"]
              for row in s["podStatsPerCore"].values()}
    ours = {h["host"]: h["mean_ms"]
            for h in asked.ask("steps", *files)["hosts"]}
    real.same("hosts", len(ours), 4)
    real.same("steps of XProf", len(theirs), 24)
    for path in files:
        host = host_of(path)
        found = device_steps(path)
        for number, s in found.items():
            real.within(f"step {number} of {host} by XProf",
                        theirs[host, number] - max(s), -0.001, 0.001)
        real.within(f"steps of {host}", ours[host],
                    statistics.mean(min(s) for s in found.values()),
                    statistics.mean(max(s) for s in found.values()))


def grouped(path):
    """By group_id that XProf gives: the first start and the last end of
    kernels, in us; without what runs between two steps."""
    trace = json.loads(tool([path], "trace_viewer"))["traceEvents"]
    groups = {}
    for e in trace:
        args = e.get("args", {})
        if "correlation_id" not in args or e["name"] in ("evaluation",
                                                         "cuLaunchKernel"):
            continue
        ends = groups.setdefault(int(args["group_id"]), [e["ts"], 0])
        ends[:] = [min(ends[0], e["ts"]), max(ends[1], e["ts"] + e["dur"])]
    return [groups[g] for g in sorted(groups)]


def markers(asked, args, name):
    """Steps of planted markers: as planted, and as XProf groups them."""
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, name + ".xplane.pb")
    for seed in range(20):
        for other_thread in (False, True):
            data, truth = spaces.job(seed, 1, 12, other_thread)
            with open(path, "wb") as f:
                f.write(data)
            found = asked.ask("steps", path)
            ours = sorted((s["step"], s["from_s"], s["to_s"])
                          for s in found["steps"])
            real.same("steps", [s[0] for s in ours],
                      sorted(step for _, step in truth))
            for (step, *ends), (_, planted) in zip(ours,
                                                   sorted(truth.items())):
                for a, b in zip(ends, planted):
                    real.within(f"step {step}", a * 1e6 - b / 1e6, -1, 1)
            real.same("by", found["device_steps"].get("devices_by_marker"), 1)
            if other_thread:
                continue  # to XProf they are of no step
            for (step, *ends), theirs in zip(ours, grouped(path)):
                for a, b in zip(ends, theirs):
                    real.within(f"step {step} of XProf", a * 1e6 - b, -1, 1)


# ---- slack


def slack_rows(files, host):
    table = json.loads(tool(files, "megascale_stats", host=host))[0]
    names = [c["id"] for c in table["cols"]]
    rows = ({n: c["v"] for n, c in zip(names, row["c"])}
            for row in table["rows"])
    return {row["rendezvous_name"]: row for row in rows}


def us(row, column):
    return round(row[column] * 1000)


def slack(asked, args, name):
    """To the last digit, but the time of recv: XProf divides it by a million
    twice, so it prints 0."""
    for seed in range(4):
        files = session(args, name, "--steps", "5", "--seed", str(seed),
                        "--devices", str(1 + seed % 2))
        ours = asked.ask("slack", "--reference", "--top", "1000",
                         *files)["collectives"]
        for path in files:
            host = host_of(path)
            theirs = slack_rows(files, host)
            mine = {c["collective"]: c for c in ours
                    if c["key"]["host"] == host}
            real.same("collectives", sorted(mine), sorted(theirs))
            for key, c in mine.items():
                t = theirs[key]
                real.same(
                    f"{key} of {host}",
                    (c["transfer_type"], c["send_op"], c["recv_op"],
                     c["occurrences"], c["slack_us"]["mean"],
                     c["observed_us"]["mean"], c["stall_us"]["mean"],
                     c["total_stall_us"], c["send_us"], c["send_done_us"],
                     c["recv_done_us"], c["bytes"]),
                    (t["transfer_type"], t["send_op_name"],
                     t["recv_op_name"], t["occurrences"],
                     us(t, "slack_time"), us(t, "observed_duration"),
                     us(t, "stall_duration"), us(t, "total_stall"),
                     us(t, "send_stall"), us(t, "send_done_stall"),
                     us(t, "recv_done_stall"), t["net_tx_bytes"]))
                real.within(f"{key} of {host}: required",
                            c["required_gbps"] - t["required_bandwidth"],
                            -1e-9, 1e-9)


# ---- counters


# TracePacket 8 timestamp, 11 track_event, 60 track_descriptor (1 uuid,
# 2 name); TrackEvent 9 type (4: a counter), 11 track_uuid, 30 counter_value,
# 44 double_counter_value.
def counters(trace):
    """By name: (ns, value) from then on."""
    names, found = {}, collections.defaultdict(list)
    for _, packet in fields(gzip.decompress(trace)):
        p = dict(fields(packet))
        if 60 in p:
            d = dict(fields(p[60]))
            names[d.get(1)] = d.get(2, b"").decode()
        e = dict(fields(p.get(11, b"")))
        if e.get(9) == 4:
            value = (e[30] if 30 in e else
                     struct.unpack("<d", e[44])[0])
            found[names[e[11]]].append((p[8], value))
    return found


def means(points, edges):
    """Of a value that changes at points, over the bins between edges."""
    out, at, value = [], 0, 0
    points = sorted(points)
    for start, end in zip(edges, edges[1:]):
        since, area = start, 0
        while at < len(points) and points[at][0] < end:
            if points[at][0] > start:
                area += value * (points[at][0] - since)
                since = points[at][0]
            value = points[at][1]
            at += 1
        out.append((area + value * (end - since)) / (end - start))
    return out


# Of netan, of XProf; and how far a time that is cut to nanoseconds may move
# it, in a bin of 0.5 ms: a few events, each of a part of the peak.
COUNTERS = (("rx_gbps", "Bandwidth RX (Gbps)", 0.001),
            ("tx_gbps", "Bandwidth TX (Gbps)", 0.001),
            ("rx_outstanding_bytes", "Outstanding Bytes RX", 500),
            ("tx_outstanding_bytes", "Outstanding Bytes TX", 500),
            ("pending", "Inflight Collectives", 1e-4))


def started(path):
    from jax.profiler import ProfileData

    return next(dict(plane.stats)["profile_start_time"]
                for plane in ProfileData.from_file(path).planes
                if plane.name == "Task Environment")


def count(args, path):
    theirs = counters(tool([path], "megascale_stats", host=host_of(path),
                           perfetto=True))
    done = subprocess.run([args.netan, "timeline", "-q", "--format", "json",
                           path], stdout=subprocess.PIPE, check=True)
    doc = json.loads(done.stdout)
    ours = doc["result"]
    shift = doc["origin_unix_ns"] - started(path)
    edges = [round(t * 1e9) + shift for t in ours["time_s"]]
    edges.append(edges[-1] + round(ours["bin_s"] * 1e9))
    for mine, name, off in COUNTERS:
        for k, (a, b) in enumerate(zip(ours[mine],
                                       means(theirs[name], edges))):
            real.within(f"{mine} of {host_of(path)}, bin {k}", a - b, -off,
                        off)


def counted(_asked, args, name):
    for path in session(args, name, "--steps", "4", "--devices", "2"):
        count(args, path)


# ---- slices


def durations(files):
    pod = json.loads(tool(files, "pod_viewer"))
    return {(row["hostName"], str(row["stepNum"])): row["totalDurationUs"]
            for s in pod["podStatsSequence"]["podStatsMap"]
            for row in s["podStatsPerCore"].values()}


def events(path):
    """Of device planes, by plane and line."""
    from jax.profiler import ProfileData

    return {(plane.name, line.name):
            [(e.name, e.start_ns, e.duration_ns) for e in line.events]
            for plane in ProfileData.from_file(path).planes
            if plane.name.startswith("/device:TPU")
            for line in plane.lines}


def sliced(_asked, args, name):
    """A slice opens in XProf, and holds of the steps what the trace does."""
    files = session(args, name, "--steps", "6", "--seed", "4")
    out = os.path.join(args.out, name + "-cut")
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([args.netan, "slice", "-q", *files, "--step", "2-3", "-o",
                    out + "/"], check=True)
    cut = sorted(glob.glob(out + "/*.xplane.pb"))
    real.same("files", [host_of(p) for p in cut], [host_of(p) for p in files])
    whole, part = durations(files), durations(cut)
    for key in whole:
        if key[1] in ("2", "3"):
            real.within(f"step {key[1]} of {key[0]} by XProf",
                        part[key] - whole[key], -0.001, 0.001)
    for a, b in zip(files, cut):
        before, after = events(a), events(b)
        real.same("lines", sorted(after), sorted(before))
        for line, kept in after.items():
            steps = [e for e in before[line[0], "Steps"] if e[0] in "23"]
            low = min(e[1] for e in steps)
            high = max(e[1] + e[2] for e in steps)
            wanted = [e for e in before[line]
                      if e[1] + e[2] >= low and e[1] < high]
            real.same(f"events of {line} in the steps",
                      [e for e in wanted if e not in kept], [])
            real.same(f"other events of {line}",
                      [e for e in kept if e not in before[line]], [])


CASES = {"xprof-steps": steps, "xprof-markers": markers,
         "xprof-slack": slack, "xprof-counters": counted,
         "xprof-slice": sliced}


def run(args, name):
    CASES[name](real.Asked(args.netan), args, name)
