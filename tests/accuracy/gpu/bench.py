#!/usr/bin/env python3
"""The fourth simulated world of the accuracy bench: PyTorch jobs over NCCL.

	bench.py NETAN [-n SETS] [-s SEED] [-j JOBS] [-d DIR] [-k late|hang] [-l]

Each set is written by `netan synth --profile pytorch` and judged by what
`check`, `steps`, `collectives` and `hang` answer in JSON; the truth is
the set's truth.json.  Nothing else of netan is used.

Late: jobs of 8 to 64 ranks and 20 steps, from each set one in which a rank
is late by 3 to 10 % of the step, one that is healthy, and one in which only
a clock is off; of the first, every execution of a collective, too.  Hangs: jobs of 8 to 512 ranks in nested groups, in which one
or two ranks are stuck, differ or are gone; one in ten is healthy.

-l lists the sets with something missed or wrong.  The exit status is 0 also
when bars fall short: they are for reading.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile

DEVICES = 8
STEPS = 20
LATE_SIZES = [1, 2, 4, 8]
HANG_SIZES = [1, 2, 4, 8, 16, 32, 64]
HANGS = ["stuck-device", "stuck-host", "mismatch", "missing-rank"]


def synth(netan, out, *options):
    subprocess.run(
        [netan, "synth", "-q", "--profile", "pytorch", "-o", out,
         "--devices", str(DEVICES), *map(str, options)],
        check=True)
    with open(os.path.join(out, "truth.json")) as f:
        return json.load(f)


def ask(netan, command, directory, *options):
    """The `result` of a command, or None where it gives none."""
    done = subprocess.run(
        [netan, command, "-q", "--format", "json", *options, directory],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return json.loads(done.stdout)["result"]
    except (ValueError, KeyError):
        return None


def ranks_of(rows):
    return {r["rank"] for r in rows or [] if r.get("rank") is not None}


def executions(truth, result):
    """Pairs of planted and told executions of collectives: in the truth a
    group has a name, here its ranks."""
    ranks = {g["name"]: ",".join(map(str, g["ranks"]))
             for g in truth["groups"]}
    told = {(e["group"], e["sequence"]): e
            for e in (result or {}).get("executions", [])}
    return [(x, told.get((ranks[x["group"]], x["sequence"])))
            for x in truth["executions"]]


def compare(pairs):
    """How well they agree; who is last is asked where it was not a tie."""
    both = [(x, e) for x, e in pairs if e]
    apart = [(x, e) for x, e in both if x["skew_ps"] > 50e6]
    return {"all": len(pairs), "joined": len(both), "apart": len(apart),
            "last": sum(x["last_rank"] == e["last_rank"] for x, e in apart),
            "skew_us": max((abs(x["skew_ps"] / 1e6 - e["skew_us"])
                            for x, e in both), default=0),
            "transfer_us": max((abs(x["transfer_ps"] / 1e6 - e["transfer_us"])
                                for x, e in both), default=0)}


def step_ps(truth):
    return statistics.median(s["to_ps"] - s["from_ps"]
                             for s in truth["steps"])


class Bench:
    def __init__(self, args):
        self.netan = os.path.abspath(args.netan)
        self.dir = tempfile.mkdtemp(prefix="gpu-", dir=args.dir)
        self.seed = args.seed

    def judged(self, kind, number, options):
        """Writes a set, and asks who is late in it."""
        out = os.path.join(self.dir, f"late-{number}-{kind}")
        truth = synth(self.netan, out, *options)
        said = {}
        traces = os.path.join(out, "kineto")
        check = ask(self.netan, "check", traces)
        steps = ask(self.netan, "steps", traces)
        if check is not None:
            said["check"] = ranks_of(check.get("accused"))
        if steps is not None:
            said["steps"] = ranks_of(steps.get("stragglers"))
        if kind == "late":
            said["collectives"] = compare(executions(
                truth, ask(self.netan, "collectives", traces,
                           "--top", "1000000")))
        shutil.rmtree(out)
        return truth, said

    def late(self, number):
        draw = random.Random(f"late {self.seed} {number}")
        hosts = LATE_SIZES[number % len(LATE_SIZES)]
        rank = draw.randrange(hosts * DEVICES)
        options = ["--hosts", hosts, "--steps", STEPS, "--ops", 1,
                   "--seed", self.seed * 1000 + number]
        if draw.random() < 0.5:
            options += ["--without", "seq"]
        truth, healthy = self.judged("healthy", number, options)
        share = draw.uniform(0.03, 0.10)
        late_ns = int(step_ps(truth) * share / 1000) + 1
        _, late = self.judged(
            "late", number,
            options + ["--fault", f"late-rank:{rank}:{late_ns}ns"])
        _, clock = self.judged(
            "clock", number,
            options + ["--fault", f"clock:{draw.randrange(hosts)}:"
                                  f"{draw.choice([-20, 20])}ms"])
        return {"ranks": hosts * DEVICES, "rank": rank, "share": share,
                "late": late, "healthy": healthy, "clock": clock,
                "set": f"late {number}: r{rank} of {hosts * DEVICES}, "
                       f"{share:.1%}"}

    def hang(self, number):
        draw = random.Random(f"hang {self.seed} {number}")
        hosts = draw.choice(HANG_SIZES)
        world = hosts * DEVICES
        kind = draw.choice(HANGS) if draw.random() < 0.9 else None
        ranks = [draw.randrange(world)] if kind else []
        if kind and kind != "mismatch" and draw.random() < 0.25:
            ranks = draw.sample(range(world), 2)
        dump = draw.choice(["recorder", "recorder-json"])
        options = ["--hosts", hosts, "--steps", 2, "--evidence", dump,
                   "--seed", self.seed * 1000 + number]
        for r in ranks:
            options += ["--fault", f"{kind}:{r}"]
        out = os.path.join(self.dir, f"hang-{number}")
        truth = synth(self.netan, out, *options)
        result = ask(self.netan, "hang", os.path.join(out, dump))
        shutil.rmtree(out)
        planted = {f["rank"]: f["cause"] for f in truth["faults"]
                   if f["took_hold"]}
        # Gone, while it would have waited for another: may be named.
        fair = {f["rank"]: f["cause"] for f in truth["faults"]
                if f["cause"] == "missing_rank"}
        named = None
        if result is not None:
            named = {c["rank"]: c.get("kind")
                     for e in result["events"] for c in e["culprits"]
                     if c.get("rank") is not None}
            named = {r: k for r, k in named.items()
                     if r in planted or fair.get(r) != k}
        return {"kind": kind or "healthy", "planted": planted,
                "named": named, "set": f"hang {number}: {kind} of {world} "
                f"({dump}): planted {planted}, named {named}"}


def share(n, of):
    return f"{n}/{of}" + (f" = {100 * n / of:.1f} %" if of else "")


def print_late(rows, listed):
    for judge in ["check", "steps"]:
        asked = [r for r in rows if judge in r["late"]]
        named = [r for r in asked if r["rank"] in r["late"][judge]]
        others = [r for r in asked if r["late"][judge] - {r["rank"]}]
        print(f"late ranks, {judge}: named {share(len(named), len(rows))} "
              f"(bar 95 %), others named in {share(len(others), len(rows))}")
        for low, high in [(0.03, 0.04), (0.04, 0.06), (0.06, 0.10)]:
            part = [r for r in rows if low <= r["share"] < high]
            hit = [r for r in part if r in named]
            print(f"  {low:.0%} to {high:.0%} of the step: "
                  f"{share(len(hit), len(part))}")
        for quiet in ["healthy", "clock"]:
            false = [r for r in rows if r[quiet].get(judge)]
            silent = sum(judge in r[quiet] for r in rows)
            print(f"  {quiet} sets: somebody named in "
                  f"{share(len(false), silent)} (bar 0)")
        for r in rows if listed else []:
            if r not in named or r in others:
                print(f"  {r['set']}: {r['late'].get(judge)}")


def print_collectives(rows):
    all_, joined, apart, last = (sum(r["late"]["collectives"][k]
                                     for r in rows)
                                 for k in ["all", "joined", "apart", "last"])
    skew, transfer = (max(r["late"]["collectives"][k] for r in rows)
                      for k in ["skew_us", "transfer_us"])
    print(f"collectives: joined {share(joined, all_)}; the last rank right "
          f"where ranks come 50 us apart {share(last, apart)}; largest "
          f"error of a skew {skew:.2f} us, of a transfer {transfer:.2f} us")


def print_hangs(rows, listed):
    kinds = collections.defaultdict(list)
    for r in rows:
        kinds[r["kind"]].append(r)
    exact = [r for r in rows if r["named"] == r["planted"]]
    print(f"hangs: exactly the planted ranks and kinds "
          f"{share(len(exact), len(rows))} (bar all)")
    for kind, part in sorted(kinds.items()):
        ranks = sum(set(r["named"] or {}) == set(r["planted"]) for r in part)
        hit = sum(r in exact for r in part)
        other = sum(bool(set(r["named"] or {}) - set(r["planted"]))
                    for r in part)
        print(f"  {kind}: exact {share(hit, len(part))}, the ranks "
              f"{share(ranks, len(part))}, others named in {other}")
    for r in rows if listed else []:
        if r not in exact:
            print("  " + r["set"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("netan")
    parser.add_argument("-n", "--sets", type=int, default=200)
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-d", "--dir")
    parser.add_argument("-k", "--kind", choices=["late", "hang"])
    parser.add_argument("-l", "--list", action="store_true")
    args = parser.parse_args()
    bench = Bench(args)
    print(f"PyTorch jobs over NCCL: {args.sets} sets of each, "
          f"seed {args.seed}")
    try:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            if args.kind != "hang":
                late = list(pool.map(bench.late, range(args.sets)))
                print_late(late, args.list)
                print_collectives(late)
            if args.kind != "late":
                print_hangs(list(pool.map(bench.hang, range(args.sets))),
                            args.list)
    finally:
        shutil.rmtree(bench.dir, ignore_errors=True)


if __name__ == "__main__":
    main()
