#!/usr/bin/env python3
"""Real jobs with planted faults, and what netan says of them.

	real.py NETAN WIRE OUT [-o PATTERN] [-v]

Each job runs on hosts of its own (net.py); what is expected is what was
planted, or what the job's own files say, read here by other means.  Prints a
line for each failure, and "N passed, N failed, N skipped" at the end.
"""

import argparse
import collections
import fnmatch
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import traceback

LAN = ["tx:*>* delay ms=0.1", "rx:*>* delay ms=0.1"]
RANKS, STEPS, AT = 4, 10, 5  # of a job; the step in which it hangs
LATE_MS = 60     # noise of a loaded machine: a few ms a step
CULPRIT = 2      # a rank; alone on host 3
PORTS = "10.9.0."  # as of net.py: host k is PORTS + k, and called hk
HOST = PORTS + "3"


class Failed(Exception):
    pass


def same(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: {found}, wanted {wanted}")


def within(what, found, least, most):
    if found is None or not least <= found <= most:
        raise Failed(f"{what}: {found}, wanted {least} to {most}")


class Asked:
    def __init__(self, netan):
        self.netan = netan

    def ask(self, command, *words):
        """The result of a command, as JSON."""
        done = subprocess.run(
            [self.netan, command, "-q", "--format", "json",
             *map(str, words)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        try:
            return json.loads(done.stdout)["result"]
        except (ValueError, KeyError):
            raise Failed(f"{command}: {done.stderr.strip()[:300]}") from None


def ranks_of(rows):
    return sorted(r["rank"] for r in rows)


# ---- what the files say, by other means


def events(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        return json.load(f)


def ranges(out):
    """By rank: gloo's ranges, in order of time: (name, from, to) in us."""
    by_rank = {}
    for path in glob.glob(os.path.join(out, "kineto", "*.json")):
        d = events(path)
        base = d["baseTimeNanoseconds"] / 1000
        by_rank[d["distributedInfo"]["rank"]] = sorted(
            (base + e["ts"], base + e["ts"] + e["dur"], e["name"][5:])
            for e in d["traceEvents"]
            if e.get("ph") == "X" and e["name"].startswith("gloo:"))
    return [by_rank[r] for r in range(len(by_rank))]


def recorded(out, rank=0):
    """(operation, bytes) of a rank's recorder, in order."""
    with open(os.path.join(out, "recorder-json",
                           f"rank_{rank}.json")) as f:
        entries = json.load(f)["entries"]
    width = {"Float": 4, "Int": 4, "Long": 8}

    def size(sides, types):
        total = 0
        for dims, kind in zip(sides, types):
            n = width[kind]
            for d in dims:
                n *= d
            total += n
        return total

    return [(e["profiling_name"][5:],
             max(size(e["input_sizes"], e["input_dtypes"]),
                 size(e["output_sizes"], e["output_dtypes"])))
            for e in entries]


# ---- jobs of PyTorch


class Torch:
    """A job that ran, and what every one of its kind must say."""

    def __init__(self, asked, out, ranks, bad):
        self.asked, self.out, self.ranks, self.bad = asked, out, ranks, bad
        self.kineto = os.path.join(out, "kineto")
        self.captures = os.path.join(out, "capture")

    def dumps(self):
        return [os.path.join(self.out, d)
                for d in ("recorder", "recorder-json")]

    def is_read(self):
        """info: all ranks, groups, steps, every operation joined."""
        info = self.asked.ask("info", self.kineto)
        rows = info["files"]
        same("ranks", ranks_of(rows), list(range(self.ranks)))
        same("world sizes", {r["world_size"] for r in rows}, {self.ranks})
        same("steps", {r["steps"] for r in rows}, {STEPS})
        same("hosts", len({r["host"] for r in rows}), 4)
        # 2 broadcasts of DDP; 2 all_reduces, all_gather, broadcast a step.
        same("collectives", {r["collectives"] for r in rows},
             {4 * STEPS + 2})
        same("point to point", {r["p2p"] for r in rows}, {2 * STEPS})
        same("unjoined", info["joins"]["unjoined"], 0)
        # One machine: one clock.
        same("clocks", info["joins"]["clock_from_ends"], 0)

    def executions(self):
        return [x for x in self.asked.ask("collectives", "--top", "1000000",
                                          self.kineto)["executions"]
                if x["collective"] != "SEND_RECV"]

    def is_measured(self):
        """collectives: arrivals, transfers and sizes, as the files have
        them."""
        found = self.executions()
        talk = [[x for x in r if x[2] not in ("send", "recv")]
                for r in ranges(self.out)]
        same("executions", len(found), len(talk[0]))
        # The profiler began a step later than the recorder.
        sizes = recorded(self.out)[-len(found):]
        for k, x in enumerate(found):
            parts = [r[k] for r in talk]
            starts = [p[0] for p in parts]
            what = f"execution {k} ({parts[0][2]})"
            same(what, x["collective"].lower(), parts[0][2])
            within(f"{what}: skew", x["skew_us"] -
                   (max(starts) - min(starts)), -1, 1)
            within(f"{what}: transfer", x["transfer_us"] -
                   min(p[1] - p[0] for p in parts), -1, 1)
            if max(starts) - sorted(starts)[-2] > 1:
                same(f"{what}: last", x["last_rank"],
                     starts.index(max(starts)))
            same(f"{what}: bytes", (parts[0][2], x["bytes"]), sizes[k])

    def is_passed_on(self):
        """pairs: each rank to the next one, 16 KiB a step."""
        rows = self.asked.ask("pairs", self.kineto)["pairs"]
        same("pairs", sorted((r["src"], r["dst"], r["count"], r["bytes"])
                             for r in rows),
             sorted((f"r{r}", f"r{(r + 1) % self.ranks}", STEPS,
                     STEPS * 16384) for r in range(self.ranks)))

    def accused(self, *files):
        return self.asked.ask("check", *files)["accused"]

    def accuses(self, wanted):
        """check and steps: these ranks."""
        same("check", ranks_of(self.accused(self.kineto)), wanted)
        same("steps", ranks_of(self.asked.ask("steps",
                                              self.kineto)["stragglers"]),
             wanted)

    def network(self, outcome, hosts):
        """check of the captures, alone and beside the traces: what is said
        of the network.  Addresses say nothing of the traces' hosts: packets
        acquit those only where a table tells whose they are."""
        names = {f"{PORTS}{k}": f"h{k}" for k in range(1, 5)}
        table = os.path.join(self.out, "hosts.csv")
        with open(table, "w") as f:
            f.writelines(f"{ip},{host}\n" for ip, host in names.items())
        for files, of in (([self.captures], hosts),
                          (["--hosts", table, self.kineto, self.captures],
                           [names[h] for h in hosts])):
            result = self.asked.ask("check", *files)
            same("network", result["outcome"], outcome)
            same("its hosts", sorted({a.get("src_host") or a.get("host")
                                      for a in result["accused"]
                                      if a["cause"] == "network"}), of)
            if outcome == "not_guilty":
                same("accused", result["accused"], [])
        if outcome == "not_guilty":
            same("of unknown hosts", self.asked.ask(
                "check", self.kineto, self.captures)["outcome"],
                "cannot_tell")

    def hangs(self, wanted):
        """hang, from pickles and from JSON: (rank, kind)."""
        for dumps in self.dumps():
            found = self.asked.ask("hang", dumps)["events"]
            same(os.path.basename(dumps),
                 sorted((c["rank"], c["kind"]) for e in found
                        for c in e["culprits"]), wanted)
            if wanted:
                same("how many hangs", len(found), 1)
            else:
                same("hangs", found, [])


def healthy(job):
    same("ended badly", job.bad, set())
    job.is_read()
    job.is_measured()
    job.is_passed_on()
    job.accuses([])
    job.network("not_guilty", [])
    job.hangs([])


def several(job):
    """Two ranks on each host."""
    same("ended badly", job.bad, set())
    job.is_read()
    job.is_measured()
    job.accuses([])
    job.hangs([])


def late(job):
    job.is_read()
    job.accuses([CULPRIT])
    cost = job.accused(job.kineto)[0]["cost_ms_per_step"]
    within("cost", cost, LATE_MS * 0.8, LATE_MS * 1.3)
    # The first all_reduce after its work is the one it is late for.
    first = [x for x in job.executions() if x["bytes"] > 1000 and
             x["collective"] == "ALL_REDUCE"]
    same("last", collections.Counter(x["last_rank"] for x in first),
         {CULPRIT: STEPS})
    within("skew", min(x["skew_us"] for x in first), LATE_MS * 800,
           LATE_MS * 2000)
    job.hangs([])


def slow_link(job):
    job.is_read()
    job.is_measured()
    job.accuses([])  # no rank is late: the network is
    job.network("guilty", [HOST])


def lossy_link(job):
    job.accuses([])
    job.network("guilty", [HOST])


def culprit(kind):
    def judge(job):
        if not job.bad:
            raise Failed("the job did not hang")
        job.hangs([(CULPRIT, kind)])

    return judge


def fault(what):
    return {"faults": {CULPRIT: what}}


# name: how it is run, what is expected of it.
TORCH = {
    "torch-healthy": ({}, healthy),
    "torch-two-on-a-host": ({"each": 2}, several),
    "torch-late": (fault(f"late:{LATE_MS}"), late),
    # 0.8 MB a step and rank go over it: 0.3 s instead of a few ms.
    "torch-slow-link": ({"rules": ["tx:3>* rate mbit=20 queue_ms=200"]},
                        slow_link),
    "torch-lossy-link": ({"rules": ["tx:3>* loss p=0.02 only=data"]},
                         lossy_link),
    "torch-stopped": (fault(f"stop:{AT}"), culprit("missing_rank")),
    "torch-sleeps": (fault(f"sleep:{AT}"), culprit("host_stuck")),
    "torch-operation": (fault(f"operation:{AT}"), culprit("mismatch")),
    "torch-size": (fault(f"size:{AT}"), culprit("mismatch")),
    "torch-skips": (fault(f"skip:{AT}"), culprit("mismatch")),
}


def run_torch(args, name):
    import job
    import net

    how, judge = TORCH[name]
    out = os.path.join(args.out, name)
    rules = how.get("rules", [])
    hang = "faults" in how and "late" not in how["faults"][CULPRIT]
    shutil.rmtree(out, ignore_errors=True)
    with net.Net(args.wire, RANKS, rules + LAN,
                 None if hang else os.path.join(out, "capture")) as hosts:
        bad = job.run(hosts, out, how.get("each", 1), STEPS,
                      how.get("faults"))
    judge(Torch(Asked(args.netan), out, RANKS * how.get("each", 1), bad))


# ---- all of them


def cases():
    import peers
    import jaxes
    import pftraces
    import xprofs

    yield from ((name, run_torch) for name in TORCH)
    yield from ((name, jaxes.run) for name in jaxes.CASES)
    yield from ((name, peers.run) for name in peers.CASES)
    yield from ((name, xprofs.run) for name in xprofs.CASES)
    yield from ((name, pftraces.run) for name in pftraces.CASES)


class Skipped(Exception):
    pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("netan", type=os.path.abspath)
    parser.add_argument("wire", type=os.path.abspath)
    parser.add_argument("out", type=os.path.abspath)
    parser.add_argument("-o", "--only", default="*")
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    count = collections.Counter()
    for name, run in cases():
        if not fnmatch.fnmatch(name, args.only):
            continue
        try:
            run(args, name)
            end = "passed"
        except Skipped as e:
            end = "skipped"
            print(f"skip: {name}: {e}", flush=True)
        except Exception as e:
            end = "failed"
            print(f"FAIL {name}: {e}", flush=True)
            if not isinstance(e, Failed):
                traceback.print_exc(file=sys.stdout)
        if args.verbose:
            print(f"{end} {name}", flush=True)
        count[end] += 1
    print(f"{count['passed']} passed, {count['failed']} failed, "
          f"{count['skipped']} skipped")
    return count["failed"] > 0


if __name__ == "__main__":
    sys.modules["real"] = sys.modules["__main__"]
    sys.exit(main())
