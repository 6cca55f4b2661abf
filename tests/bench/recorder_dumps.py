"""Writes dumps of RANKS ranks with full rings of ENTRIES, or reads them back:

    recorder_dumps.py make DIR RANKS ENTRIES
    recorder_dumps.py load DIR      pickle.load() of each, and nothing else
"""
import glob
import os
import pickle
import struct
import sys

T0 = 1_700_000_000_000_000_000
FRAMES = [{"name": f"function_{i}", "filename": f"/job/module_{i}.py",
           "line": 100 + i} for i in range(8)]


class Writer:
    """Writes as TorchScript's pickler does: texts are remembered, and what
    several entries share (frames); other lists and dictionaries are not."""

    def __init__(self):
        self.out = [b"\x80\x02"]
        self.memo = {}

    def put(self, key):
        i = len(self.memo)
        self.memo[key] = i
        self.out.append(b"q" + bytes([i]) if i < 256 else
                        b"r" + struct.pack("<I", i))

    def get(self, key):
        i = self.memo[key]
        self.out.append(b"h" + bytes([i]) if i < 256 else
                        b"j" + struct.pack("<I", i))

    def integer(self, x):
        self.out.append(
            b"K" + bytes([x]) if 0 <= x < 256 else
            b"M" + struct.pack("<H", x) if 0 <= x < 65536 else
            b"J" + struct.pack("<i", x) if -2**31 <= x < 2**31 else
            b"\x8a\x08" + struct.pack("<q", x))

    def text(self, x):
        if x in self.memo:
            self.get(x)
            return
        raw = x.encode()
        self.out.append(b"X" + struct.pack("<I", len(raw)) + raw)
        self.put(x)

    def items(self, x, begin, end):
        self.out.append(begin)
        if any(x is f for f in FRAMES):
            self.put(id(x))
        self.out.append(b"(")
        for v in x if isinstance(x, list) else sum(x.items(), ()):
            self.value(v)
        self.out.append(end)

    def value(self, x):
        if x is None or isinstance(x, bool):
            self.out.append({None: b"N", True: b"\x88", False: b"\x89"}[x])
        elif isinstance(x, int):
            self.integer(x)
        elif isinstance(x, str):
            self.text(x)
        elif isinstance(x, tuple):
            self.value(x[0])
            self.value(x[1])
            self.out.append(b"\x86")
        elif id(x) in self.memo:
            self.get(id(x))
        elif isinstance(x, list):
            self.items(x, b"]", b"e")
        else:
            self.items(x, b"}", b"u")


def dump(rank, ranks, entries):
    """Alternating collectives of the world and of groups of eight; all
    ranks but rank 3 hold the last one."""
    tp = list(range(rank // 8 * 8, min(rank // 8 * 8 + 8, ranks)))
    groups = {"0": ("world", list(range(ranks))), "1": ("tp", tp)}
    rows = []
    for k in range(entries):
        last = k == entries - 1
        if last and rank == 3:
            break
        g = "0" if k % 2 else "1"
        at = T0 + k * 1000000 + rank
        rows.append({
            "record_id": k, "pg_id": int(g), "process_group":
                (g, groups[g][0]), "collective_seq_id": k // 2 + 1,
            "p2p_seq_id": 0, "op_id": k // 2 + 1,
            "profiling_name": "nccl:all_reduce" if k % 2 else
                "nccl:_all_gather_base", "time_created_ns": at,
            "input_sizes": [[4096, 1, 5120]], "input_dtypes": ["BFloat16"],
            "output_sizes": [[4096, 1, 5120]], "output_dtypes": ["BFloat16"],
            "state": "scheduled" if last else "completed",
            "time_discovered_started_ns": None if last else at + 1000,
            "time_discovered_completed_ns": None if last else at + 50000,
            "retired": not last, "timeout_ms": 600000, "is_p2p": False,
            "thread_name": "python3", "thread_id": "23456244340032",
            "frames": FRAMES})
    count = {g: sum(r["pg_id"] == int(g) for r in rows) for g in groups}
    held = {g: any(r["pg_id"] == int(g) and not r["retired"] for r in rows)
            for g in groups}
    return {
        "version": "2.10", "comm_lib_version": "2.27.3",
        "pg_config": {g: {"name": g, "desc": d, "ranks": str(m)}
                      for g, (d, m) in groups.items()},
        "pg_status": {g: {"last_enqueued_collective": count[g],
                          "last_started_collective": count[g],
                          "last_completed_collective": count[g] - held[g]}
                      for g in groups},
        "entries": rows}


def main():
    folder = sys.argv[2]
    if sys.argv[1] == "make":
        os.makedirs(folder, exist_ok=True)
        ranks, entries = int(sys.argv[3]), int(sys.argv[4])
        for rank in range(ranks):
            with open(f"{folder}/_dump_{rank}", "wb") as f:
                w = Writer()
                w.value(dump(rank, ranks, entries))
                f.write(b"".join(w.out) + b".")
        return
    for path in glob.glob(folder + "/_dump_*"):
        with open(path, "rb") as f:
            pickle.load(f)


main()
