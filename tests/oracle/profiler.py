#!/usr/bin/env python3
"""Writes one job as Google's CoMMA and NCCL's example profiler plugin tell it.

	profiler.py comma|old-comma|plugin|old-plugin DIR [ITERATIONS [QP1 QP3]]

Two hosts of two ranks.  Every iteration has an AllReduce of all ranks and a
Broadcast of the ranks with the same place on their host; from the fifth
iteration on rank 2 comes 3 ms late to the first.  Ranks leave together; the
transfer takes 400 us, the second 150 us.  Ranks 1 and 3 send what crosses the
hosts.  Each process counts time from its own begin, or, newer CoMMA, shows
the wall clock of its host, of which the second is 2.5 ms ahead.

Beside the files: truth.tsv (operation, group, sequence, who came last, skew,
transfer in us) and sent.tsv (source, destination, bytes, transfers).

Written from print_event.cc and plugin.cc of NVIDIA/nccl (plugins/profiler/
example; "old": ext-profiler/example of 2.24), and docs/json-format.md and
src/event.rs of google/CoMMA ("old": the object on that page); not from
netan's readers.
"""
import json
import os
import sys

WORLD = 0x58AECEBABB9E37AF
PAIRS = [0xC0FFEE0000000001, 0x0C0FFEE000000002]
EPOCH_US = 1789000000 * 10**6
AHEAD = [0, 2500]  # us, of hosts
BEGAN = [1000, 1700, 900, 2300]  # us after EPOCH_US, of processes
STEP = 1 << 20
QP = {1: 0x1A1, 3: 0x1B2}  # own numbers of the senders


def job(iterations):
    """(iteration, name, hash, ranks in the group, starts, end, steps)"""
    at = 10000
    for i in range(iterations):
        for name, members in (("AllReduce", [0, 1, 2, 3]), ("Broadcast", [0, 2]),
                              ("Broadcast", [1, 3])):
            come = {r: at + 7 * r + (i * 5 + r * 3) % 11 for r in members}
            if name == "AllReduce" and i >= 4:
                come[2] += 3000
            end = max(come.values()) + (400 if name == "AllReduce" else 150)
            yield i, name, members, come, end
        at = end + 800
        # the pairs of this iteration run beside each other


def comm_of(members):
    if len(members) == 4:
        return WORLD
    return PAIRS[members[0]]


def proxy_of(name, rank):
    """Who sends over the network in the AllReduce: to the next of the ring."""
    if name == "AllReduce" and rank in (1, 3):
        return True, (rank + 1) % 4
    if name == "AllReduce":
        return False, (rank - 1) % 4
    return None


def clock(rank, t, wall):
    """What process `rank` shows at t us of the job."""
    if wall:
        return EPOCH_US + AHEAD[rank // 2] + t
    return t - BEGAN[rank] + 1000000


def sends(come, end):
    """Two steps of the wire within an operation: (from, to)"""
    last = max(come.values())
    return [(last + 20 + 10 * k, last + 220 + 10 * k) for k in range(2)]


def comma(rank, records, old):
    """Lines."""
    wall = not old
    lines = []
    for i, name, members, come, end in records:
        if rank not in members:
            continue
        start = come[rank]
        queued = start - 40
        word = {"AllReduce": "all_reduce", "Broadcast": "broadcast"}[name]
        o = {"args": {"size": 2 * STEP}, "cat": "COLL",
             "comm_hash": "0x%016x" % comm_of(members),
             "dur": end - queued, "name": word, "ph": "X",
             "rank": members.index(rank), "seq_num": i,
             "child_dur": end - start, "ts": clock(rank, queued, wall)}
        if not old:
            o["child_start_ts"] = clock(rank, start, wall)
            o.update(algo="RING", proto="SIMPLE", n_max_channel=2)
        way = proxy_of(name, rank)
        if way:
            # Steps count from the process's begin in all releases.
            def own(t):
                return t - BEGAN[rank] + 1000000 if old else t - BEGAN[rank]
            steps = []
            for k, (a, b) in enumerate(sends(come, end)):
                s = {"step": k + 1, "size": STEP, "start_time": own(a),
                     "end_time": own(b)}
                if not old and way[0]:
                    s["start_time"] = own(start)
                    s["fifo_ready_time"] = own(a)
                steps.append(s)
            begin = start if not old and way[0] else sends(come, end)[0][0]
            o["proxyops"] = [{
                "cat": "PROXY", "name": "ProxyOp", "ph": "X", "pid": 100 + rank,
                "peer": way[1], "is_send": way[0], "n_steps": 2,
                "chunk_size": STEP, "ts": clock(rank, begin, wall),
                "dur": end - begin, "steps": steps}]
            if not old:
                o["proxyops"][0].update(channel_id=0, rank=rank,
                                        parent="<ncclop %d>" % i)
        lines.append(json.dumps(o, sort_keys=True, separators=(",", ":")))
    return "\n".join(lines) + "\n"


class Printed:
    """As print_event.cc prints."""

    def __init__(self, rank, old):
        self.rank, self.old, self.out, self.ids = rank, old, ["["], {}

    def event(self, name, cat, ph, t, args=None, n=None):
        self.ids.setdefault(cat, 0)
        text = ('{"name": "%s", "cat": "%s", "ph": "%s", "id": %d, "pid": %d, '
                '"tid": 1, "ts": %f' % (name, cat, ph, self.ids[cat],
                                        100 + self.rank,
                                        clock(self.rank, t, False) if t else 0))
        if args:
            text += ', "args": {' + args + "}"
        self.out.append(text + "},")
        if ph == "e" and n is None:
            self.ids[cat] += 1

    def operation(self, i, name, members, come, end):
        rank, start = self.rank, come[self.rank]
        queued = start - 40
        stream = '0x262ca50' if self.old else '"0x262ca50"'
        kind = 'ncclFloat32' if self.old else '"ncclFloat32"'
        self.event("Group API", "GROUP_API", "b", queued - 2,
                   '"groupApiId": %d, "groupDepth":1' % i)
        self.event("KernelLaunch", "KERNEL_LAUNCH", "b", 0,
                   '"groupId": %d, "Stream": %s' % (i, stream))
        self.event("KernelLaunch", "KERNEL_LAUNCH", "e", queued + 5)
        self.event(name, "COLL_API", "b", 0,
                   '"count": %d, "datatype": %s, "root": 0, '
                   '"GraphCaptured":0, "Stream": %s' % (STEP // 2, kind, stream))
        self.event(name, "COLL", "b", queued,
                   '"SeqNum": %d, "CommHash": %d, "Rank": %d, "Count": %d, '
                   '"Datatype": "ncclFloat32", "Algorithm": "RING", '
                   '"Protocol": "SIMPLE", "nChannels": 2'
                   % (i, comm_of(members), members.index(rank), STEP // 2))
        way = proxy_of(name, rank)
        if way:
            self.proxy(way, come, end)
        for channel in range(2):
            self.event("KernelCh", "GPU", "b", start + channel,
                       '"Channel": %d, "StartGpuClk": %d, "StopGpuClk": 0'
                       % (channel, 1765223116927674080 + 1000 * start), 0)
            self.event("KernelCh", "GPU", "e", end - channel, None, 0)
        self.event(name, "COLL", "e", queued + 3 if self.old else end)
        self.event(name, "COLL_API", "e", queued + 4)
        self.event("Group API", "GROUP_API", "e", end + 2)

    def proxy(self, way, come, end):
        word = "Send" if way[0] else "Recv"
        start = come[self.rank]
        args = ('"Channel": 0, "Peer": %d, "Steps": 2, "ChunkSize": %d, '
                '"transSize": %d' % (way[1], STEP, 2 * STEP))
        self.event("Schedule" + word, "PROXY", "b", start - 20, args, 0)
        self.event("Schedule" + word, "PROXY", "e", start + 1, None, 0)
        self.event("Progress" + word, "PROXY", "b", start + 1, args)
        for k, (a, b) in enumerate(sends(come, end)):
            step = '"Step": %d' % k
            if not way[0]:
                self.event("RecvWait", "NET", "b", start + 2, step, 0)
                self.event("RecvWait", "NET", "e", b, None, 0)
                self.event("RecvFlushWait", "NET", "b", b, step, 0)
                self.event("RecvFlushWait", "NET", "e", b + 1, None, 0)
                self.event("RecvGpuWait", "NET", "b", b + 1, step, 0)
                self.event("RecvGpuWait", "NET", "e", b + 3)
                continue
            self.event("SendGpuWait", "NET", "b", start + 2, step, 0)
            self.event("SendGpuWait", "NET", "e", start + 8, None, 0)
            self.event("SendPeerWait", "NET", "b", start + 8, step, 0)
            self.event("SendPeerWait", "NET", "e", a, None, 0)
            self.event("SendWait", "NET", "b", a, step, 0)
            if not self.old:
                self.event("Qp", "NET_IB", "b", a,
                           '"device": 0, "qp_num": %d, "opcode": 0, '
                           '"wr_id": %d, "size": %d' % (QP[self.rank], k, STEP))
                self.event("Qp", "NET_IB", "e", b)
            self.event("SendWait", "NET", "e", b)
        self.event("Progress" + word, "PROXY", "e", end - 5)


def plugin(rank, records, old):
    p = Printed(rank, old)
    p.event("Idle", "PROXY", "b", 1100 + rank)
    p.event("Idle", "PROXY", "e", 1200 + rank)
    for r in records:
        if rank in r[2]:
            p.operation(*r)
    return "\n".join(p.out) + ("\n" if old else "\n{}]\n")


def main():
    kind, to = sys.argv[1:3]
    records = list(job(int(sys.argv[3]) if len(sys.argv) > 3 else 12))
    old = kind.startswith("old-")
    if len(sys.argv) > 5:
        QP[1], QP[3] = map(int, sys.argv[4:6])
    for rank in range(4):
        if kind.endswith("comma"):
            path = os.path.join(to, "host%d" % (rank // 2),
                                "latency-%d.txt" % (100 + rank))
            text = comma(rank, records, old)
        else:
            path = os.path.join(to, "host%d" % (rank // 2), (
                "trace-host%d-%d.txt" % (rank // 2, 100 + rank) if old else
                "trace_%d_%d.json" % (WORLD, rank)))
            text = plugin(rank, records, old)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    with open(os.path.join(to, "truth.tsv"), "w") as f:
        for i, name, members, come, end in records:
            # The first channel's stamp is when a rank's kernel starts.
            f.write("%s\t%s\t0x%x\t%d\t%d\t%d\t%d\n" % (
                name, "".join(map(str, members)), comm_of(members), i,
                max(come, key=come.get),
                max(come.values()) - min(come.values()),
                end - max(come.values())))
    with open(os.path.join(to, "sent.tsv"), "w") as f:
        n = sum(r[1] == "AllReduce" for r in records)
        for rank in (1, 3):
            once = old and not kind.endswith("comma")
            f.write("r%d\tr%d\t%d\t%d\n" % (rank, (rank + 1) % 4, 2 * STEP * n,
                                            n if once else 2 * n))


main()
