#!/usr/bin/env python3
"""Which operation did the rank that stopped not call?

	stops.py NETAN [-n SETS] [-s SEED] [-d DIR] [-k KIND] [-l]

Jobs of job.py in which one rank stops before an operation that is drawn.
Judged are the rank and the operation that `netan hang` names: right is the
first operation of the rank's program that a peer waits in when nobody moves
any more.  Undecided: netan lists it among several and says that it does not
know.  Kinds: stop (its dump is there), full (all dumps hold what completed,
too), blind (and no status), dead (no dump of the rank), differs (it calls
another operation there).

-l lists what is not right.
"""

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import job  # noqa: E402

KINDS = ["stop", "full", "blind", "dead", "differs"]


def ask(netan, folder):
    done = subprocess.run(
        [netan, "hang", "-q", "--format", "json", folder],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return json.loads(done.stdout)["result"]["events"]
    except (ValueError, KeyError):
        return None


def planted(kind, draw):
    """A job that stands, the rank, and the row before which it stopped."""
    while True:
        shape = job.Shape(draw)
        j = job.Job(shape, draw)
        rank = draw.randrange(shape.world)
        ops = j.programs[rank]
        row = draw.randrange(1, len(ops))
        while ops[row].batch and ops[row - 1].batch == ops[row].batch:
            row -= 1
        if kind == "differs":
            if ops[row].peer is not None or \
                    len(j.groups[ops[row].group][1]) < 3:
                continue
            ops[row].name = "broadcast"
            for op in j.programs:
                for x in op:
                    x.frozen = x.group == ops[row].group and \
                        x.peer is None and x.sequence == ops[row].sequence
            j.run()
            return j, rank, row
        if not j.run({rank: row}):
            return j, rank, row


def waited(j, rank, row):
    """The rows of the rank from there on in which a peer waits."""
    ops = j.programs[rank]
    if ops[row].name == "broadcast":
        return [ops[row]]
    return [op for op in ops[row:]
            if any(x is not op and x and x.queued and not x.done
                   for x in op.ends)]


def batch_of(ops, op):
    return [x for x in ops if x is op or op.batch and x.batch == op.batch]


def told(j, rank, op):
    """The operation as netan would name it: its group, its number, and of
    point-to-point the peers who wait."""
    members = ",".join(map(str, j.groups[op.group][1]))
    if op.peer is None:
        return (members, op.sequence, None)
    return (members, None, op.peer)


def named(event):
    """The same of an event, and of those that it lists beside it."""
    def one(x, waiting):
        return [(x["group"], x["sequence"], None)] if x["sequence"] is not \
            None else [(x["group"], None, p) for p in waiting]

    near = [p for c in event["chain"][:1] for p in c["waiting_ranks"]]
    first = one(event, near)[:1]
    others = [x for o in event.get("undecided") or []
              for x in one(o, o["waiting_ranks"])]
    return first, others


class Judge:
    def __init__(self, args):
        self.netan = os.path.abspath(args.netan)
        self.dir = tempfile.mkdtemp(prefix="netan-gpu-", dir=args.dir)
        self.seed = args.seed

    def one(self, kind, number):
        draw = random.Random(f"{kind} {self.seed} {number}")
        j, rank, row = planted(kind, draw)
        out = os.path.join(self.dir, f"{kind}-{number}")
        j.write(out, without=[rank] if kind == "dead" else [],
                only_active=kind not in ("full", "blind"),
                status=kind != "blind", text=draw.random() < 0.3)
        events = ask(self.netan, out)
        where = f"{kind} {number}: tp {j.shape.tp} dp {j.shape.dp} " \
            f"pp {j.shape.pp}, r{rank} before row {row}"
        rows = waited(j, rank, row)
        if not rows:
            shutil.rmtree(out)
            return "nobody waits", where
        right = {told(j, rank, op)
                 for op in batch_of(j.programs[rank], rows[0])}
        verdict, said = self.judge(events, rank, right)
        if not self.keep or verdict == "right":
            shutil.rmtree(out)
        return verdict, f"{where}, wanted {sorted(map(str, right))}, {said}"

    def judge(self, events, rank, right):
        if events is None:
            return "no answer", ""
        blamed = {c["rank"] for e in events for c in e["culprits"]}
        if rank not in blamed:
            return "rank not named", f"named {sorted(blamed)}"
        if blamed != {rank}:
            return "others named, too", f"named {sorted(blamed)}"
        event = [e for e in events if e["culprits"]][0]
        first, others = named(event)
        if others:
            return ("undecided, right first" if right & set(first) else
                    "undecided" if right & set(others) else
                    "undecided and wrong"), f"said {first} or {others}"
        return ("right" if right & set(first) else "wrong"), f"said {first}"


def run(of, kinds):
    """Of each kind its verdicts, counted; a verdict that begins with "right"
    is not listed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("netan")
    parser.add_argument("-n", "--sets", type=int, default=200)
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("-d", "--dir")
    parser.add_argument("-k", "--kind", choices=kinds)
    parser.add_argument("-l", "--list", action="store_true")
    args = parser.parse_args()
    judge = of(args)
    judge.keep = args.list and args.dir
    try:
        for kind in [args.kind] if args.kind else kinds:
            count, lines = collections.Counter(), []
            for number in range(args.sets):
                verdict, line = judge.one(kind, number)
                count[verdict] += 1
                if not verdict.startswith("right"):
                    lines.append(f"  {verdict}: {line}")
            print(f"{kind}: " + ", ".join(
                f"{v} {n}" for v, n in sorted(count.items())))
            for line in lines if args.list else []:
                print(line)
    finally:
        if not judge.keep:
            shutil.rmtree(judge.dir, ignore_errors=True)


if __name__ == "__main__":
    run(Judge, KINDS)
