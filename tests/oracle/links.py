#!/usr/bin/env python3
"""Slow NICs in jobs that are none of netan's making.

	links.py NETAN [-n SETS] [-s SEED] [-d DIR]

Writes Kineto traces of jobs whose ranks execute rings (all-gathers over groups
that shard and groups that replicate) and sends around a ring of hosts, from
the format's description alone.  A ring is as fast as its slowest member's NIC;
kernels begin when a rank comes and end together.  Noise, tails, clocks of
hosts, a late rank or slow computing in most sets.  Counts what `netan check`
accuses: the slow host, nobody, or somebody else.
"""

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import tempfile

BASE_NS = 1_700_000_000_000_000_000


class Job:
    def __init__(self, rng, fault):
        self.rng = rng
        self.hosts = rng.choice([4, 6, 8, 12])
        self.devices = rng.choice([1, 2, 4])
        self.n = self.hosts * self.devices
        self.slow = rng.randrange(self.hosts)
        self.factor = rng.uniform(1.6, 6) if fault else 1
        self.side = rng.choice(["src", "dst", "host"])
        self.noise = rng.choice([0.01, 0.03, 0.08])
        self.ahead = [rng.uniform(-3e6, 3e6) for _ in range(self.hosts)]
        self.late = {rng.randrange(self.n): rng.uniform(0, 4e6)}
        self.compute = [1.0] * self.hosts
        self.compute[rng.randrange(self.hosts)] = rng.choice([1, 1, 1.4])
        self.now = [0.0] * self.n
        self.events = [[] for _ in range(self.n)]
        self.seq = collections.Counter()

    def host(self, rank):
        return rank // self.devices

    def slowness(self, src, dst):
        sends = self.host(src) == self.slow and self.side != "dst"
        gets = self.host(dst) == self.slow and self.side != "src"
        return self.factor if sends or gets else 1

    def execute(self, ranks, name, kernel, size, sends=None):
        """All of them, or one to another."""
        n = len(ranks)
        hops = [sends] if sends else [(ranks[i], ranks[(i + 1) % n])
                                      for i in range(n)]
        far = any(self.host(a) != self.host(b) for a, b in hops)
        rate = 12.5 if far else 150  # bytes/ns
        took = 2e4 + size * (1 if sends else (n - 1) / n) / rate * max(
            self.slowness(a, b) if self.host(a) != self.host(b) else 1
            for a, b in hops)
        took *= self.rng.lognormvariate(0, self.noise)
        if self.rng.random() < 0.02:
            took *= self.rng.uniform(1, 4)
        end = max(self.now[r] for r in ranks) + took
        key = (tuple(ranks), bool(sends))
        self.seq[key] += 1
        for r in ranks:
            args = {"Collective name": name, "Group size": n,
                    "In msg nelems": size, "Out msg nelems": size,
                    "dtype": "Byte", "Seq": self.seq[key], "stream": 20,
                    "device": r % self.devices,
                    "Process Group Name": "%x" % (hash(key) & 0xffff),
                    "Process Group Description": "undefined",
                    "Process Group Ranks": str(list(ranks))}
            if sends:
                args["Collective name"] = "send" if r == sends[0] else "recv"
                args["Dst Rank" if r == sends[0] else "Src Rank"] = (
                    sends[1] if r == sends[0] else sends[0])
            stop = end + self.rng.uniform(0, 1500)
            self.put(r, "kernel", kernel, self.now[r], stop, args)
            self.now[r] = stop + 2000

    def put(self, rank, cat, name, start, stop, args):
        ahead = self.ahead[self.host(rank)] + 1e7
        self.events[rank].append({
            "ph": "X", "cat": cat, "name": name, "pid": rank % self.devices,
            "tid": args.get("stream", 7), "ts": round(start + ahead) / 1000,
            "dur": round(stop - start) / 1000, "args": args})

    def step(self, number, size):
        begin = list(self.now)
        for r in range(self.n):
            work = 3e6 * self.compute[self.host(r)]
            work *= self.rng.lognormvariate(0, 0.02)
            self.put(r, "kernel", "gemm", self.now[r], self.now[r] + work,
                     {"stream": 7, "device": r % self.devices})
            self.now[r] += work + self.late.get(r, 0)
        d = self.devices
        half = self.hosts // 2
        ag = "ncclDevKernel_AllGather_RING_LL"
        for _ in range(2):
            for lane in range(d):
                # Neighbours shard, those of both halves replicate.
                for h in range(0, self.hosts, 2):
                    self.execute([h * d + lane, (h + 1) * d + lane],
                                 "_allgather_base", ag, size)
                for h in range(half):
                    self.execute([h * d + lane, (h + half) * d + lane],
                                 "_allgather_base", ag, size * 2)
        for even in (0, 1):
            for h in range(even, self.hosts, 2):
                a, b = h * d, (h + 1) % self.hosts * d
                for pair in ((a, b), (b, a)):
                    self.execute(sorted(pair), "send",
                                 "ncclDevKernel_SendRecv", size, pair)
        for r in range(self.n):
            self.put(r, "user_annotation", "ProfilerStep#%d" % number,
                     begin[r], self.now[r], {})

    def write(self, path):
        os.makedirs(path)
        for r in range(self.n):
            name = "node%d_%d.1767607200000.pt.trace.json" % (self.host(r), 900 + r)
            with open(os.path.join(path, name), "w") as f:
                json.dump({"schemaVersion": 1,
                           "host_name": "node%d" % self.host(r),
                           "baseTimeNanoseconds": BASE_NS,
                           "distributedInfo": {"backend": "nccl", "rank": r,
                                               "world_size": self.n},
                           "traceEvents": self.events[r]}, f)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("netan")
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("-d", default=None)
    asked = parser.parse_args()
    for fault in (True, False):
        counts = collections.Counter()
        for i in range(asked.n):
            job = Job(random.Random(asked.s * 1000003 + i * 2 + fault), fault)
            top = tempfile.mkdtemp(dir=asked.d)
            for k in range(job.rng.choice([5, 10])):
                job.step(k, job.rng.choice([8 << 20, 32 << 20])
                         if not k else size)
                size = 8 << 20
            job.write(os.path.join(top, "job"))
            done = subprocess.run(
                [asked.netan, "check", "-q", "--format", "json",
                 os.path.join(top, "job")], stdout=subprocess.PIPE)
            result = json.loads(done.stdout)["result"]
            who = {a["host"] or a.get("src_host") for a in result["accused"]
                   if a["cause"] == "network"}
            slow = {"node%d" % job.slow} if fault else set()
            what = ("false" if who - slow else "right" if who == slow
                    else "missed")
            counts[what] += 1
            if what != "right":
                print(what, i, "hosts", job.hosts, "x", job.devices, "slow",
                      job.slow, job.side, "%.1f" % job.factor, "noise",
                      job.noise, who, result["verdict"][:160])
            shutil.rmtree(top)
        print("slow NIC" if fault else "healthy", dict(counts))


if __name__ == "__main__":
    main()
