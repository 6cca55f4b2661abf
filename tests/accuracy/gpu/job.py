"""A job in three dimensions (tensor, data, pipeline) as PyTorch's flight
recorder sees it when one of its ranks stops: what each rank calls, in which
order, and how far devices come until nobody can go on.

Nothing of it is from netan.  A rank's host queues what its program says and
runs ahead of its device, but for operations that it waits for.  On the
device the operations of one group run in the order in which they were
queued, and an operation that others wait for stands in the way of what
follows.  A collective ends when all members have come to it, a send when its
other end has.
"""

import json
import os
import pickle

T0 = 1_767_607_200_000_000_000
FILE = "/opt/torch/distributed/distributed_c10d.py"


class Op:
    """A row of a rank's program.  blocks: what follows on the device waits
    for it; sync: the host does, too; batch: calls that are one."""

    def __init__(self, group, name, peer=None, blocks=True, sync=False,
                 batch=None, n=1024):
        self.group, self.name, self.peer = group, name, peer
        self.blocks, self.sync, self.batch, self.n = blocks, sync, batch, n
        self.sequence = None
        self.queued = self.ns = None
        self.started = self.done = self.frozen = False


class Shape:
    def __init__(self, draw):
        while True:
            self.tp, self.dp, self.pp = (draw.choice([1, 2, 4])
                                         for _ in range(3))
            if 4 <= self.tp * self.dp * self.pp <= 32:
                break
        self.world = self.tp * self.dp * self.pp
        self.micro = draw.randint(1, 6)
        self.layers = draw.randint(1, 3)
        self.buckets = draw.randint(1, 3)
        self.sync_p2p = draw.random() < 0.3
        self.overlap = draw.random() < 0.5
        self.sharded = self.dp > 1 and draw.random() < 0.3
        self.norm = draw.choice([None, "MODEL_PARALLEL_GROUP", "default_pg"])
        self.embedding = draw.random() < 0.5
        self.before = draw.randint(0, 300)


class Job:
    """Ranks are tensor first, then data, then pipeline, as in Megatron."""

    def __init__(self, shape, draw):
        s = self.shape = shape
        self.draw = draw
        self.groups = []  # (description, ranks)
        ranks = range(s.world)

        def every(desc, key):
            found = {}
            for r in ranks:
                found.setdefault(key(r), []).append(r)
            self.groups += [(desc, m) for m in found.values()]

        every("default_pg", lambda r: 0)
        every("TENSOR_MODEL_PARALLEL_GROUP", lambda r: r // s.tp)
        every("PIPELINE_MODEL_PARALLEL_GROUP",
              lambda r: r % (s.tp * s.dp))
        every("DATA_PARALLEL_GROUP",
              lambda r: (r % s.tp, r // (s.tp * s.dp)))
        every("MODEL_PARALLEL_GROUP", lambda r: r // s.tp % s.dp)
        self.of = [{d: i for i, (d, m) in enumerate(self.groups) if r in m}
                   for r in ranks]
        ends = [(r, r + s.world - s.tp * s.dp) for r in range(s.tp * s.dp)]
        if s.pp > 1 and s.embedding:
            for pair in ends:
                for r in pair:
                    self.of[r]["EMBEDDING_GROUP"] = len(self.groups)
                self.groups.append(("EMBEDDING_GROUP", list(pair)))
        self.programs = [self.program(r) for r in ranks]
        self.number()
        self.offset = [draw.randint(-400_000, 400_000) if draw.random() < 0.5
                       else 0 for _ in ranks]

    # ---- what a rank calls

    def program(self, rank):
        s = self.shape
        stage = rank // (s.tp * s.dp)
        ops = []
        batches = [0]

        def call(desc, name, **kw):
            if desc in self.of[rank] and \
                    len(self.groups[self.of[rank][desc]][1]) > 1:
                ops.append(Op(self.of[rank][desc], name, **kw))

        def talk(*what):
            """(send or recv, how many stages on): one call of all."""
            batches[0] += 1
            for name, way in what:
                if 0 <= stage + way < s.pp:
                    call("PIPELINE_MODEL_PARALLEL_GROUP", name,
                         peer=rank + way * s.tp * s.dp, n=4096,
                         blocks=name == "recv", sync=s.sync_p2p,
                         batch=batches[0])

        def forward():
            for _ in range(s.layers):
                if s.sharded:
                    call("DATA_PARALLEL_GROUP", "_all_gather_base")
                for _ in range(2):
                    call("TENSOR_MODEL_PARALLEL_GROUP", "all_reduce")

        def backward(last):
            for _ in range(s.layers):
                if s.sharded:
                    call("DATA_PARALLEL_GROUP", "_all_gather_base")
                for _ in range(2):
                    call("TENSOR_MODEL_PARALLEL_GROUP", "all_reduce")
                if s.sharded or last and s.overlap:
                    call("DATA_PARALLEL_GROUP", "_reduce_scatter_base",
                         blocks=False)

        for _ in range(2):
            warm = min(s.pp - stage - 1, s.micro)
            for _ in range(warm):
                talk(("recv", -1))
                forward()
                talk(("send", 1))
            if s.micro > warm:
                talk(("recv", -1))
            for i in range(s.micro - warm):
                forward()
                talk(("send", 1), ("recv", 1))
                backward(i + 1 == s.micro)
                if i + 1 == s.micro - warm:
                    talk(("send", -1))
                else:
                    talk(("send", -1), ("recv", -1))
            for i in range(warm):
                talk(("recv", 1))
                backward(i + 1 == warm)
                talk(("send", -1))
            if not s.overlap and not s.sharded:
                for _ in range(s.buckets):
                    call("DATA_PARALLEL_GROUP", "_reduce_scatter_base")
            call("EMBEDDING_GROUP", "all_reduce")
            if s.norm:
                call(s.norm, "all_reduce", n=1)
            if not s.sharded:
                for _ in range(s.buckets):
                    call("DATA_PARALLEL_GROUP", "_all_gather_base")
            call("default_pg", "all_reduce", n=2, sync=True)
        return ops

    def number(self):
        for ops in self.programs:
            count = {}
            for op in ops:
                key = (op.group, op.peer is not None)
                count[key] = count.get(key, self.shape.before) + 1
                op.sequence = count[key]

    # ---- how far they come

    def other(self, rank, op):
        """The other end of a send or recv: the n-th of this pair and way."""
        back = "recv" if op.name == "send" else "send"
        mine = [x for x in self.programs[rank]
                if x.group == op.group and x.peer == op.peer
                and x.name == op.name]
        theirs = [x for x in self.programs[op.peer]
                  if x.group == op.group and x.peer == rank
                  and x.name == back]
        at = mine.index(op)
        return theirs[at] if at < len(theirs) else None

    def join(self):
        """Each operation's ends on all ranks, and what must end before."""
        at = {}
        for r, ops in enumerate(self.programs):
            streams, gate, record = {}, None, 0
            for op in ops:
                op.record = record
                record += 1
                before = streams.get(op.group, [])
                op.after = [x for x in before if x.batch is None
                            or x.batch != op.batch]
                if gate and not (gate.batch and gate.batch == op.batch):
                    op.after.append(gate)
                streams[op.group] = (before if op.batch and before and
                                     before[-1].batch == op.batch
                                     else []) + [op]
                if op.blocks:
                    gate = op
                if op.peer is None:
                    at.setdefault((op.group, op.sequence), []).append(op)
        for r, ops in enumerate(self.programs):
            for op in ops:
                op.ends = at[op.group, op.sequence] if op.peer is None \
                    else [op, self.other(r, op)]

    def run(self, stop=None):
        """Until nobody moves; stop: rank -> the first row it never calls."""
        self.join()
        ahead = [0] * len(self.programs)
        waits = [None] * len(self.programs)
        turn, moved = 0, True
        while moved:
            moved = False
            turn += 1
            for r, ops in enumerate(self.programs):
                for _ in range(40):
                    i = ahead[r]
                    if waits[r] and not waits[r].done:
                        break
                    if i == len(ops) or i == (stop or {}).get(r):
                        break
                    ops[i].queued = True
                    ops[i].ns = T0 + self.offset[r] + turn * 1_000_000 \
                        + i * 3000
                    last = i + 1 == len(ops) or not ops[i].batch or \
                        ops[i + 1].batch != ops[i].batch
                    waits[r] = ops[i] if ops[i].sync and last else None
                    ahead[r] += 1
                    moved = True
            for ops in self.programs:
                for op in ops:
                    if op.queued and not op.started and \
                            all(x.done for x in op.after):
                        op.started = moved = True
            for ops in self.programs:
                for op in ops:
                    if op.started and not op.done and not op.frozen and \
                            all(x and x.started for x in op.ends):
                        size = len(self.groups[op.group][1])
                        if op.peer is not None or len(op.ends) == size:
                            op.done = moved = True
        self.ahead = ahead
        return all(i == len(ops) for i, ops in zip(ahead, self.programs))

    # ---- what a recorder writes

    def entry(self, rank, op, pg_id):
        desc, members = self.groups[op.group]
        name = op.name
        if op.peer is not None:
            name += f" {members.index(rank)}" + \
                ("->" if op.name == "send" else "<-") + \
                f"{members.index(op.peer)}"
        p2p = op.peer is not None
        return {
            "record_id": op.record, "pg_id": pg_id,
            "process_group": (str(op.group), desc),
            "thread_name": "python3", "thread_id": "1",
            "collective_seq_id": 0 if p2p else op.sequence,
            "p2p_seq_id": op.sequence if p2p else 0,
            "op_id": op.sequence, "profiling_name": "nccl:" + name,
            "time_created_ns": op.ns,
            "input_sizes": [[op.n]], "input_dtypes": ["BFloat16"],
            "output_sizes": [[op.n]], "output_dtypes": ["BFloat16"],
            "state": "completed" if op.done else
            "started" if op.started else "scheduled",
            "time_discovered_started_ns": None,
            "time_discovered_completed_ns":
                op.ns + 900_000 if op.done else None,
            "retired": op.done, "timeout_ms": 600000, "is_p2p": p2p,
            "frames": [{"name": op.name, "filename": FILE, "line": 2800},
                       {"name": f"call_{op.record}", "line": op.record,
                        "filename": "/job/training.py"}]}

    def dump(self, rank, only_active, status):
        s = self.shape
        mine = sorted(set(self.of[rank].values()))
        ids = {g: i for i, g in enumerate(mine)}
        queued = [op for op in self.programs[rank] if op.queued]
        d = {"version": "2.10",
             "pg_config": {str(g): {"name": str(g),
                                    "desc": self.groups[g][0],
                                    "ranks": str(self.groups[g][1])}
                           for g in mine},
             "comm_lib_version": "2.27.3"}
        if status:
            d["pg_status"] = {}
            for g in mine:
                at = [op for op in queued if op.group == g]
                used = any(op.group == g for op in self.programs[rank])
                none = s.before if used else -1
                done = [op.sequence for op in at if op.done]
                d["pg_status"][str(ids[g])] = {
                    "last_enqueued_collective":
                        at[-1].sequence if at else none,
                    "last_started_collective": -1,
                    "last_completed_collective":
                        done[-1] if done else none}
        d["entries"] = [self.entry(rank, op, ids[op.group]) for op in queued
                        if not only_active or not op.done]
        return d

    def write(self, folder, without=(), only_active=True, status=True,
              text=False):
        os.makedirs(folder)
        for r in range(self.shape.world):
            if r in without:
                continue
            path = os.path.join(folder, f"nccl_trace_rank_{r}")
            d = self.dump(r, only_active, status)
            if text:
                with open(path + ".json", "w") as f:
                    json.dump(d, f)
            else:
                with open(path, "wb") as f:
                    pickle.dump(d, f, protocol=2)
