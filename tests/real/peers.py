"""What HolisticTraceAnalysis computes from the same files.

HolisticTraceAnalysis (HTA) reads traces of GPUs.  Of each rank: the time in
which its GPU computes; in which it communicates, or copies, and does not
compute; the share of communication that is hidden; and the sum over all
kernels that communicate.  HTA cuts times to whole microseconds; in files with
fractions each kernel may differ by one.
"""

import contextlib
import glob
import io
import json
import logging
import os
import warnings

import real

GPU = os.path.join(os.environ.get("NETAN_TEST_DATA", ""), "chrome-trace")
CASES = {"hta-dlrm": "dlrm_8ranks/*.json.gz",
         "hta-nccl": "hta_nccl_data_rank0of2.json.gz",
         "hta-2020": "hta_2020_allreduce_rank1of2.json.gz",
         "hta-sampled": "hta_sampled_rank-0of128.json.gz"}


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


def run(args, name):
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
