#!/usr/bin/env python3
"""Who calls collectives otherwise than the others of its group?

	orders.py NETAN [-n SETS] [-s SEED] [-d DIR] [-k KIND] [-l]

Jobs of job.py in which one rank calls two collectives of a group in the other
order (swap), one with another size (size), one that nobody else calls
(extra), or leaves one out (skip); what members of a group call differently
never ends.  Judged are the ranks that `netan hang` names: right is that rank
alone; where a group has two members, nobody, as no majority tells.
Undecided: nobody is named.  Wrong: somebody else is.

-l lists what is not right.
"""

import collections
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True
import job  # noqa: E402
import stops  # noqa: E402

KINDS = ["swap", "size", "extra", "skip"]


def shape_of(op):
    return op.name, op.n


def change(kind, ops, draw):
    """Changes the program of a rank; the group, or None."""
    calls = [i for i, op in enumerate(ops) if op.peer is None]
    i = draw.choice(calls)
    group = ops[i].group
    later = [k for k in calls if k > i and ops[k].group == group]
    if kind == "swap":
        if not later or shape_of(ops[later[0]]) == shape_of(ops[i]):
            return None
        k = later[0]
        for field in ("name", "n", "blocks", "sync"):
            a, b = getattr(ops[i], field), getattr(ops[k], field)
            setattr(ops[i], field, b)
            setattr(ops[k], field, a)
    elif kind == "size":
        if ops[i].name not in ("all_reduce", "_all_gather_base",
                               "_reduce_scatter_base"):
            return None
        ops[i].n *= 5
    elif kind == "extra":
        ops.insert(i, job.Op(group, draw.choice([ops[i].name, "broadcast"]),
                             n=draw.choice([ops[i].n, 77])))
    else:
        del ops[i]
    return group


def planted(kind, draw):
    """A job that stands, the rank, and how many its group has."""
    while True:
        j = job.Job(job.Shape(draw), draw)
        rank = draw.randrange(j.shape.world)
        if draw.random() < 0.7:
            for ops in j.programs:
                for op in ops:
                    if op.peer is None:
                        op.n *= 1 + op.sequence % 3
        group = change(kind, j.programs[rank], draw)
        if group is None:
            continue
        j.number()
        meant = collections.defaultdict(set)
        for ops in j.programs:
            for op in ops:
                if op.peer is None:
                    meant[op.group, op.sequence].add(shape_of(op))
        for ops in j.programs:
            for op in ops:
                op.frozen = op.peer is None and \
                    len(meant[op.group, op.sequence]) > 1
        if not j.run():
            return j, rank, len(j.groups[group][1])


class Judge(stops.Judge):
    def one(self, kind, number):
        draw = random.Random(f"{kind} {self.seed} {number}")
        j, rank, members = planted(kind, draw)
        out = os.path.join(self.dir, f"{kind}-{number}")
        full, status = draw.random() < 0.3, draw.random() < 0.8
        j.write(out, only_active=not full, status=status,
                text=draw.random() < 0.3)
        events = stops.ask(self.netan, out)
        if not self.keep:
            shutil.rmtree(out)
        blamed = {c["rank"]: c["kind"] for e in events or []
                  for c in e["culprits"]}
        said = f"{kind} {number}: world {j.shape.world}, rank {rank} in a " \
            f"group of {members}, full {full}, status {status}: " \
            f"{blamed or [e['cause'] for e in events or []]}"
        if events is None:
            return "no answer", said
        if not blamed:
            return "undecided", said
        if set(blamed) == {rank}:
            return ("right" if members > 2 else "right of two"), said
        return ("others named, too" if rank in blamed else "wrong"), said


if __name__ == "__main__":
    stops.run(Judge, KINDS)
