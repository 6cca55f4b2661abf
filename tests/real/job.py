"""A small training job: PyTorch on CPUs, gloo between hosts.

Each rank is a fork of the process that has torch loaded, moved to its host.
It leaves what a user would have of such a job: the profiler's trace (named as
its TensorBoard handler names it), and the flight recorder's dump, as pickle
and as JSON.  What a rank may do besides its work:

	late:MS         is busy with something else before each backward pass
	stop:STEP       is stopped (SIGSTOP) before this step's all_reduce
	sleep:STEP      sleeps there
	operation:STEP  calls all_gather where the others call all_reduce
	size:STEP       calls all_reduce with twice the elements
	skip:STEP       leaves an all_reduce out

A rank that got no further for HUNG seconds dumps its recorder and ends, as
torch's watchdog does with NCCL.
"""

import os
import signal
import socket
import sys
import threading
import time

WIDTH = 256
PAUSE = 0.01  # s: a rank's own work besides the model's
HUNG = 5  # s


def work(seconds):
    """A rank's own work.  It sleeps: this machine has fewer cores than the
    job has ranks."""
    with torch.profiler.record_function("work"):
        time.sleep(seconds)


class Rank:
    def __init__(self, rank, world, out, steps, fault):
        self.rank, self.world = rank, world
        self.out, self.steps = out, steps
        self.fault, _, at = (fault or "").partition(":")
        self.at = float(at or -1)
        self.heard = None

    def is_now(self, fault, step):
        return self.fault == fault and self.at == step

    def keep(self, folder, name, dump):
        where = os.path.join(self.out, folder)
        os.makedirs(where, exist_ok=True)
        with open(os.path.join(where, name), "wb") as f:
            f.write(dump if isinstance(dump, bytes) else dump.encode())

    def dump(self):
        recorder = torch._C._distributed_c10d
        self.keep("recorder", f"nccl_trace_rank_{self.rank}",
                  recorder._dump_fr_trace(True, True, False))
        self.keep("recorder-json", f"rank_{self.rank}.json",
                  recorder._dump_fr_trace_json(True, False))

    def watch(self):
        self.heard = time.monotonic()
        while time.monotonic() - self.heard < HUNG:
            time.sleep(0.2)
        self.dump()
        os._exit(3)

    def step(self, step, model, optimizer, batch):
        self.heard = time.monotonic()
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        work(PAUSE)
        if self.fault == "late":
            work(self.at / 1000)
        loss.backward()  # all_reduce of each bucket of gradients
        optimizer.step()
        self.talk(step, loss.detach().clone())

    def talk(self, step, loss):
        if self.is_now("stop", step):
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.is_now("sleep", step):
            work(3600)
        if self.is_now("operation", step):
            dist.all_gather([torch.zeros_like(loss)
                             for _ in range(self.world)], loss)
        elif self.is_now("size", step):
            dist.all_reduce(torch.zeros(2))
        elif not self.is_now("skip", step):
            dist.all_reduce(loss)
        every = [torch.zeros(WIDTH) for _ in range(self.world)]
        dist.all_gather(every, torch.full((WIDTH,), float(self.rank)))
        dist.broadcast(loss, src=0)
        self.pass_on(step)

    def pass_on(self, step):
        """To the next rank, as stages of a pipeline do."""
        there = torch.full((16 * WIDTH,), float(step))
        here = torch.zeros_like(there)
        for one in [dist.isend(there, (self.rank + 1) % self.world),
                    dist.irecv(here, (self.rank - 1) % self.world)]:
            one.wait()

    def run(self):
        from torch.profiler import (ProfilerActivity, profile, schedule,
                                    tensorboard_trace_handler)

        torch.manual_seed(self.rank)
        torch.set_num_threads(1)
        dist.init_process_group("gloo", rank=self.rank,
                                world_size=self.world)
        model = torch.nn.parallel.DistributedDataParallel(
            torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH),
                                torch.nn.ReLU(),
                                torch.nn.Linear(WIDTH, WIDTH)),
            bucket_cap_mb=0.3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        batch = torch.randn(16, WIDTH)
        threading.Thread(target=self.watch, daemon=True).start()
        handler = tensorboard_trace_handler(os.path.join(self.out, "kineto"))
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                     schedule=schedule(wait=0, warmup=1, active=self.steps),
                     on_trace_ready=handler) as prof:
            for step in range(self.steps + 1):
                self.step(step, model, optimizer, batch)
                prof.step()
        self.heard = time.monotonic()
        self.dump()
        dist.barrier()


def child(hosts, host, out, rank):
    """One rank, in a fork; never returns."""
    code = 1
    try:
        log = os.open(os.path.join(out, f"log.{rank.rank}"),
                      os.O_WRONLY | os.O_CREAT, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        hosts.enter(host)
        os.environ.update(MASTER_ADDR=hosts.address(1), MASTER_PORT="29500",
                          GLOO_SOCKET_IFNAME="e0",
                          TORCH_FR_BUFFER_SIZE="2000")
        print(socket.gethostname(), flush=True)
        rank.run()
        code = 0
    except BaseException as e:
        print(type(e).__name__, e, file=sys.stderr)
        try:
            rank.dump()
        except BaseException as again:
            print(again, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(hosts, out, each=1, steps=10, faults=None, limit=90):
    """A job of `each` ranks on each host, rank 0 the first of host 1; the
    faults are by rank.  Returns the ranks that did not end well."""
    os.makedirs(out, exist_ok=True)
    world = hosts.n * each
    left = {}
    for r in range(world):
        rank = Rank(r, world, out, steps, (faults or {}).get(r))
        pid = os.fork()
        if pid == 0:
            child(hosts, 1 + r // each, out, rank)
        left[pid] = r
    try:
        return wait(left, limit)
    except BaseException:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        raise


def wait(left, limit):
    bad, end = set(), time.monotonic() + limit
    while left and time.monotonic() < end:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid not in left:
            time.sleep(0.05)
            continue
        r = left.pop(pid)
        if status:
            bad.add(r)
            # Who stopped does not end: the others will in a moment.
            end = min(end, time.monotonic() + HUNG + 3)
    for pid, r in left.items():
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        bad.add(r)
    return bad


import torch  # noqa: E402  (slow: once, before the ranks part)
import torch.distributed as dist  # noqa: E402
import torch._dynamo  # noqa: E402,F401
