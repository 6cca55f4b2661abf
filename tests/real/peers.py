"""What others compute from the same files.

HolisticTraceAnalysis (HTA) reads traces of GPUs.  Of each rank: the time in
which its GPU computes; in which it communicates, or copies, and does not
compute; the share of communication that is hidden; and the sum over all
kernels that communicate.  HTA cuts times to whole microseconds; in files with
fractions each kernel may differ by one.

XProf reads a session of `netan synth`.  To XProf a step of a host takes what
its longest device takes; netan gives that of the device with the longest time
of its own, so less or as much.
"""

import collections
import contextlib
import glob
import io
import json
import logging
import os
import shutil
import statistics
import subprocess
import warnings

import real
import spaces

GPU = os.path.join(os.environ.get("NETAN_TEST_DATA", ""), "chrome-trace")
CASES = {"hta-dlrm": "dlrm_8ranks/*.json.gz",
         "hta-nccl": "hta_nccl_data_rank0of2.json.gz",
         "hta-2020": "hta_2020_allreduce_rank1of2.json.gz",
         "hta-sampled": "hta_sampled_rank-0of128.json.gz",
         "xprof-steps": None, "xprof-markers": None}


def holistic(files):
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    from hta.trace_analysis import TraceAnalysis

    with contextlib.redirect_stdout(io.StringIO()):
        a = TraceAnalysis(trace_files=dict(enumerate(files)), trace_dir="/",
                          include_last_profiler_step=True)
        whole = a.get_temporal_breakdown(visualize=False)
        overlap = a.get_comm_comp_overlap(visualize=False)
        kinds, kernels = a.get_gpu_kernel_breakdown(
            visualize=False, num_kernels=1000, duration_ratio=1.0)
    talks = kernels[kernels["kernel_type"].astype(str) == "COMMUNICATION"]
    copies = kinds[kinds["kernel_type"].astype(str) == "MEMORY"]
    return ([{"compute": whole["compute_time(us)"][r],
              "rest": whole["non_compute_time(us)"][r],
              "hidden": overlap["comp_comm_overlap_pctg"][r]}
             for r in range(len(files))],
            copies["sum"].sum(), talks["sum (us)"].sum())


def roughness(files):
    """us: 1 for each kernel, where times have fractions."""
    kernels = [e for f in files for e in real.events(f)["traceEvents"]
               if str(e.get("cat")).lower() == "kernel"]
    return len(kernels) * any(e["dur"] % 1 for e in kernels)


def device_steps(path):
    """Of one host, by number of the step: ms on each device."""
    from jax.profiler import ProfileData

    steps = collections.defaultdict(list)
    for plane in ProfileData.from_file(path).planes:
        for line in plane.lines:
            if line.name == "Steps":
                for e in line.events:
                    steps[e.name].append(e.duration_ns / 1e6)
    return steps


def xprof(asked, args, name):
    try:
        from xprof.convert import raw_to_tool_data
    except ImportError as e:
        raise real.Skipped(e) from None
    out = os.path.join(args.out, name)
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([args.netan, "synth", "-q", "-o", out, "--hosts", "4",
                    "--steps", "6", "--seed", "3"], check=True)
    files = sorted(glob.glob(out + "/**/*.xplane.pb", recursive=True))
    pod = json.loads(raw_to_tool_data.xspace_to_tool_data(
        files, "pod_viewer", {})[0])["podStatsSequence"]["podStatsMap"]
    theirs = {(row["hostName"], str(row["stepNum"])):
              row["totalDurationUs"] / 1000
              for s in pod for row in s["podStatsPerCore"].values()}
    ours = {h["host"]: h["mean_ms"]
            for h in asked.ask("steps", out)["hosts"]}
    real.same("hosts", len(ours), 4)
    real.same("steps of XProf", len(theirs), 24)
    for path in files:
        host = os.path.basename(path).split(".")[0]
        steps = device_steps(path)
        for number, s in steps.items():
            real.within(f"step {number} of {host} by XProf",
                        theirs[host, number] - max(s), -0.001, 0.001)
        real.within(f"steps of {host}", ours[host],
                    statistics.mean(min(s) for s in steps.values()),
                    statistics.mean(max(s) for s in steps.values()))


def grouped(path):
    """By group_id that XProf gives: the first start and the last end of
    kernels, in us; without what runs between two steps."""
    from xprof.convert import raw_to_tool_data

    trace = json.loads(raw_to_tool_data.xspace_to_tool_data(
        [path], "trace_viewer", {})[0])["traceEvents"]
    groups = {}
    for e in trace:
        args = e.get("args", {})
        if "correlation_id" not in args or e["name"] in ("evaluation",
                                                         "cuLaunchKernel"):
            continue
        ends = groups.setdefault(int(args["group_id"]), [e["ts"], 0])
        ends[:] = [min(ends[0], e["ts"]), max(ends[1], e["ts"] + e["dur"])]
    return [groups[g] for g in sorted(groups)]


def markers(asked, args, name):
    """Steps of planted markers: as planted, and as XProf groups them."""
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, name + ".xplane.pb")
    for seed in range(20):
        for other_thread in (False, True):
            data, truth = spaces.job(seed, 1, 12, other_thread)
            with open(path, "wb") as f:
                f.write(data)
            found = asked.ask("steps", path)
            ours = sorted((s["step"], s["from_s"], s["to_s"])
                          for s in found["steps"])
            real.same("steps", [s[0] for s in ours],
                      sorted(step for _, step in truth))
            for (step, *ends), (_, planted) in zip(ours,
                                                   sorted(truth.items())):
                for a, b in zip(ends, planted):
                    real.within(f"step {step}", a * 1e6 - b / 1e6, -1, 1)
            real.same("by", found["device_steps"].get("devices_by_marker"), 1)
            if other_thread:
                continue  # to XProf they are of no step
            for (step, *ends), theirs in zip(ours, grouped(path)):
                for a, b in zip(ends, theirs):
                    real.within(f"step {step} of XProf", a * 1e6 - b, -1, 1)


def run(args, name):
    xprofs = {"xprof-steps": xprof, "xprof-markers": markers}
    if name in xprofs:
        xprofs[name](real.Asked(args.netan), args, name)
        return
    files = sorted(glob.glob(os.path.join(GPU, CASES[name])))
    if not files:
        raise real.Skipped("NETAN_TEST_DATA does not name the real files")
    asked = real.Asked(args.netan)
    rows = asked.ask("steps", *files)["hosts"]
    theirs, copies, talks = holistic(files)
    rough = roughness(files) + 0.01
    for k, (row, t) in enumerate(zip(rows, theirs)):
        us = {m: row[m] * row["steps"] * 1000
              for m in ("compute_ms", "exposed_ms")}
        real.within(f"{k} computes", us["compute_ms"] - t["compute"], -rough,
                    rough)
        real.within(f"{k} hidden", row["overlap_share"] * 100 - t["hidden"],
                    -0.006 if rough < 1 else -1, 0.006 if rough < 1 else 1)
        t["copies"] = t["rest"] - us["exposed_ms"]
    real.within("copies", sum(t["copies"] for t in theirs) - copies, -rough,
                rough)
    ours = sum(c["total_s"] for c in asked.ask("collectives",
                                               *files)["collectives"])
    real.within("kernels that communicate", ours * 1e6 - talks, -rough, rough)
