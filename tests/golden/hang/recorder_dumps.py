"""Dumps of ranks as PyTorch's recorder writes them, of planted hangs."""
import json
import os
import pickle
import sys

T0 = 1_700_000_000_000_000_000


class Rank:
    """One rank: its groups, and the operations it enqueued."""

    def __init__(self, rank, groups):
        self.rank = rank
        self.groups = {}
        self.entries = []
        self.record = 0
        for i, (name, ranks) in enumerate(groups):
            if rank in ranks:
                self.groups[name] = {"id": i, "ranks": ranks, "seq": 0,
                                     "p2p": 0, "op": 0, "done": 0}

    def add(self, group, name, done=False, at=0, n=1024, dtype="Float",
            p2p=False, frames=None):
        g = self.groups[group]
        g["p2p" if p2p else "seq"] += 1
        g["op"] += 1
        if done:
            g["done"] = g["op"]
        entry = {
            "record_id": self.record, "pg_id": g["id"],
            "process_group": (str(g["id"]), group),
            "collective_seq_id": g["seq"], "p2p_seq_id": g["p2p"],
            "op_id": g["op"], "profiling_name": "nccl:" + name,
            "time_created_ns": T0 + at * 1000 + self.rank,
            "input_sizes": [[n]], "input_dtypes": [dtype],
            "output_sizes": [[n]], "output_dtypes": [dtype],
            "state": "completed" if done else "scheduled",
            "time_discovered_started_ns": None,
            "time_discovered_completed_ns":
                T0 + at * 1000 + 500 if done else None,
            "retired": done, "timeout_ms": 600000, "is_p2p": p2p}
        if frames:
            entry["frames"] = frames
        self.entries.append(entry)
        self.record += 1

    def send(self, group, to, **kw):
        ranks = self.groups[group]["ranks"]
        self.add(group, f"send {ranks.index(self.rank)}->{ranks.index(to)}",
                 p2p=True, **kw)

    def recv(self, group, of, **kw):
        ranks = self.groups[group]["ranks"]
        self.add(group, f"recv {ranks.index(self.rank)}<-{ranks.index(of)}",
                 p2p=True, **kw)

    def dump(self, only_active=True, status=True):
        d = {"version": "2.10",
             "pg_config": {str(g["id"]): {"name": str(g["id"]), "desc": n,
                                          "ranks": str(g["ranks"])}
                           for n, g in self.groups.items()},
             "comm_lib_version": "2.27.3"}
        if status:
            d["pg_status"] = {
                str(g["id"]): {"last_enqueued_collective": g["op"] or -1,
                               "last_started_collective": -1,
                               "last_completed_collective": g["done"] or -1}
                for g in self.groups.values()}
        d["entries"] = [e for e in self.entries
                        if not only_active or e["state"] != "completed"]
        return d


def write(folder, ranks, leave_out=(), **kw):
    os.makedirs(folder)
    for r in ranks:
        if r.rank in leave_out:
            continue
        with open(f"{folder}/nccl_trace_rank_{r.rank}", "wb") as f:
            pickle.dump(r.dump(**kw), f, protocol=2)


def job(n=8, tp=2):
    """Tensor groups of neighbours, a pipeline over them, a world."""
    groups = [("world", list(range(n)))]
    groups += [("tp", list(range(i, i + tp))) for i in range(0, n, tp)]
    groups += [("pp", list(range(i, n, tp))) for i in range(tp)]
    ranks = [Rank(r, groups) for r in range(n)]
    for k in range(3):
        for r in ranks:
            r.add("world", "all_reduce", done=True, at=k)
            r.add("tp", "all_reduce", done=True, at=k)
    return ranks


FRAMES = [{"name": "all_reduce", "filename": "distributed_c10d.py",
           "line": 2501},
          {"name": "train_step", "filename": "train.py", "line": 17}]


def host_stuck():
    ranks = job()
    for r in ranks:
        if r.rank != 5:
            r.add("world", "all_reduce", at=100, frames=FRAMES)
    return ranks


def device_stuck():
    ranks = job()
    for r in ranks:
        r.add("world", "all_reduce", done=r.rank != 3, at=100, frames=FRAMES)
        r.add("world", "all_reduce", at=200)
    return ranks


def held_by_all():
    ranks = job()
    for r in ranks:
        r.add("world", "all_reduce", at=100)
        if r.rank != 2:  # it waits for the first of both
            r.add("world", "all_reduce", at=101)
    return ranks


def root_left():
    """The root of a broadcast leaves it whoever comes."""
    ranks = job()
    for r in ranks:
        r.add("world", "broadcast", done=r.rank == 0, at=100)
    return ranks


def sent_before():
    """Sends count in the last numbers of their group: 5 calls no all_reduce,
    but has sent more than the others have called."""
    ranks = job()
    for r in ranks:
        for k in range(4):
            r.send("world", (r.rank + 1) % 8, done=True, at=50 + k)
        if r.rank != 5:
            r.add("world", "all_reduce", at=100)
    return ranks


def mismatch(**other):
    ranks = job()
    for r in ranks:
        if r.rank == 6:
            r.add("world", other.get("name", "all_reduce"), at=100,
                  n=other.get("n", 1024), dtype=other.get("dtype", "Float"))
        else:
            r.add("world", "all_reduce", at=100)
    return ranks


def size_before(n=2048):
    """Rank 6 calls another size, and ends: its peers get what they want of
    it, and wait in the next one (gloo)."""
    ranks = job()
    for r in ranks:
        r.add("world", "all_reduce", done=True, at=100,
              n=n if r.rank == 6 else 1024)
        if r.rank != 6:
            r.add("world", "all_reduce", at=200)
    return ranks


def undecided():
    ranks = job(2)
    ranks[0].add("world", "all_reduce", at=100)
    ranks[1].add("world", "broadcast", at=100)
    return ranks


def pipeline():
    """Rank 0 stops: 1 waits in tp; 2, 4 and 6 for what 0 does not send, and
    their neighbours for them."""
    ranks = job()
    ranks[1].add("tp", "all_reduce", at=100)
    for i in (2, 4, 6):
        ranks[i].recv("pp", of=i - 2, at=50)
        ranks[i + 1].add("tp", "all_reduce", at=110)
    return ranks


def first_of_several():
    """Rank 5 stops before what 4 waits in; all others queued what comes at
    the end of the step before 4 came there."""
    ranks = job()
    for r in ranks:
        if r.rank == 4:
            r.add("tp", "all_reduce", at=300, frames=FRAMES)
        if r.rank != 5:
            r.add("world", "all_reduce", at=310 if r.rank == 4 else 100)
    return ranks


def which_first():
    """Nobody lists both of what 4 and 7 wait in, and 4, which runs the same
    program, called something between that it does not list any more."""
    ranks = job()
    ranks[4].recv("pp", of=2, done=True, at=200)
    ranks[4].add("tp", "all_reduce", at=300, frames=FRAMES)
    ranks[7].recv("pp", of=5, at=200)
    return ranks


def p2p_only():
    ranks = job(4, 1)
    for i in (1, 2, 3):
        ranks[i].recv("pp", of=i - 1, at=50)
    return ranks


def two_roots():
    """One process in each of two groups that have nothing in common."""
    ranks = job()
    ranks[0].add("tp", "all_reduce", at=100)
    ranks[7].add("tp", "all_reduce", at=120)
    return ranks


def ring():
    """A full ring that no longer holds what rank 4 did with it."""
    ranks = job()
    for r in ranks:
        r.add("world", "all_reduce", done=False, at=100)
    full = ranks[4]
    for k in range(3000):
        full.add("tp", "all_gather", done=True, at=200 + k)
    full.entries = full.entries[-2000:]
    return ranks


SETS = {
    "host_stuck": host_stuck(), "device_stuck": device_stuck(),
    "held_by_all": held_by_all(), "healthy": job(),
    "other_operation": mismatch(name="broadcast"),
    "other_size": mismatch(n=2048), "other_type": mismatch(dtype="Half"),
    "undecided": undecided(), "pipeline": pipeline(), "p2p_only": p2p_only(),
    "two_roots": two_roots(), "first_of_several": first_of_several(),
    "which_first": which_first()}

if __name__ == "__main__":
    for name, ranks in SETS.items():
        write(name, ranks)
    write("ring", ring(), only_active=False)
    write("no_status", host_stuck(), only_active=False, status=False)
    write("full", device_stuck(), only_active=False)
    write("missing", host_stuck(), leave_out=[5])
    write("root_left", root_left(), leave_out=[5])
    write("sent_before", sent_before(), only_active=False)
    write("size_before", size_before(), only_active=False)
    write("no_size_before", size_before(1024), only_active=False)
    write("partial", host_stuck(), leave_out=[0, 1, 2, 3, 4, 5])
    write("world_of_one", [Rank(0, [("world", [0])])])
