"""Real JAX jobs on CPUs, three processes with two devices each.

A CPU has no device plane: its XSpace tells programs and threads, and no
collective.  What is expected: that its files are read to the last event, that
the programs agree, that their collectives are known with their sizes, that
nobody is accused, and that it is said what cannot be told.
"""

import glob
import os
import shutil
import subprocess
import sys

import net
import real
import spaces

PROCESSES, DEVICES, SIDE, STEPS = 3, 2, 256, 10
CASES = {"jax-healthy": {}, "jax-late": {1: 60}}


def is_read(asked, files):
    """info: events of each plane, as JAX's own reader counts them."""
    from jax.profiler import ProfileData

    for f in asked.ask("info", *files)["files"]:
        wanted = [(p.name, sum(len(list(line.events)) for line in p.lines))
                  for p in ProfileData.from_file(f["path"]).planes]
        real.same("planes", [(p["name"], p["events"]) for p in f["planes"]],
                  wanted)


def programs_agree(asked, files):
    """hlo: one program, its collectives, and their bytes."""
    hlo = asked.ask("hlo", *files)
    step = [m for m in hlo["modules"] if m["module"] == "jit_step"]
    real.same("programs", len(step), 1)
    real.same("differences", hlo["differences"], [])
    real.same("partitions", step[0]["partitions"], PROCESSES * DEVICES)
    part = SIDE * SIDE * 4
    real.same("collectives",
              sorted((c["opcode"], c["bytes"], c["participants"])
                     for c in step[0]["collectives"]),
              [("all-gather", part * PROCESSES * DEVICES, 6),
               ("all-reduce", part, 6), ("collective-permute", part, 6)])


def nobody_is_accused(asked, files):
    check = asked.ask("check", *files)
    real.same("outcome", check["outcome"], "cannot_tell")
    real.same("accused", check["accused"], [])


def markers_are_found(asked, files):
    """steps: a kernel that is launched in each of JAX's own step markers, on
    a GPU that is added to the file."""
    from jax.profiler import ProfileData

    for path in files:
        markers = sorted(
            (e.start_ns, e.duration_ns, dict(e.stats)["step_num"])
            for plane in ProfileData.from_file(path).planes
            for line in plane.lines for e in line.events
            if "step_num" in dict(e.stats))
        real.same("markers", [m[2] for m in markers], list(range(STEPS)))
        host, gpu = spaces.Plane("/host:CPU"), spaces.Plane("/device:GPU:0")
        launches, kernels, wanted = [], [], []
        for start, length, step in markers:
            id_ = {"correlation_id": step + 1}
            launches.append((int((start + length / 2) * 1000), 1000,
                             "cuLaunchKernel", id_))
            # After it, and in half of the steps after the next has begun.
            at = int((start + length * (1 + step % 2 / 5)) * 1000)
            kernels.append((at, (step + 1) * 1000_000, "gemm", id_))
            wanted.append((step, (step + 1) / 1000))
        host.line("Host Threads/1", 1, launches)
        gpu.line("Stream #1(Compute)", 1, kernels)
        both = path.replace(".xplane.pb", "-gpu.xplane")
        with open(path, "rb") as f, open(both, "wb") as to:
            to.write(f.read() + host.bytes() + gpu.bytes())
        found = asked.ask("steps", both)
        real.same("steps by markers", sorted(
            (s["step"], s["duration_ms"]) for s in found["steps"]), wanted)
        real.same("by", found["device_steps"].get("devices_by_marker"), 1)
        real.same("by time", found["device_steps"].get("devices_by_time"),
                  None)


def json_is_read(asked, out):
    """trace.json.gz: as many events as it has; others name its lines."""
    files = glob.glob(out + "/**/*.trace.json.gz", recursive=True)
    for f in asked.ask("info", *files)["files"]:
        real.same("events of " + os.path.basename(f["path"]), f["events"],
                  sum(e.get("ph") == "X"
                      for e in real.events(f["path"])["traceEvents"]))


def run(args, name):
    out = os.path.join(args.out, name)
    shutil.rmtree(out, ignore_errors=True)
    job = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "jax_rank.py")
    os.makedirs(out)
    with net.Net(args.wire, PROCESSES, real.LAN,
                 os.path.join(out, "capture")) as hosts, \
            open(os.path.join(out, "log"), "w") as log:
        running = [subprocess.Popen(
            [sys.executable, job, os.path.join(out, "trace"),
             hosts.address(1) + ":29700", str(PROCESSES), str(r), str(STEPS),
             str(CASES[name].get(r, 0))], stdout=log, stderr=log,
            preexec_fn=lambda r=r: hosts.enter(r + 1))
            for r in range(PROCESSES)]
        try:
            ends = [p.wait(90) for p in running]
        finally:
            for p in running:
                p.kill()
                p.wait()
    real.same("exit statuses", ends, [0] * PROCESSES)
    asked = real.Asked(args.netan)
    files = sorted(glob.glob(out + "/trace/**/*.xplane.pb", recursive=True))
    real.same("files", len(files), PROCESSES)
    is_read(asked, files)
    markers_are_found(asked, files)
    json_is_read(asked, out)
    programs_agree(asked, files)
    nobody_is_accused(asked, files)
    real.same("network", asked.ask("check", os.path.join(out, "capture"))
              ["outcome"], "not_guilty")
