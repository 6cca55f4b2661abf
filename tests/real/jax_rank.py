"""One process of a JAX job on CPUs, each with two devices.

	jax_rank.py OUT ADDRESS PROCESSES PROCESS STEPS LATE_MS

Every step: work, all_gather, all-reduce and a ring of sends, in one program;
the profiler leaves an XSpace and a trace.json.gz.
"""

import functools
import os
import sys
import time

out, address = sys.argv[1:3]
processes, process, steps, late_ms = map(int, sys.argv[3:7])
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

SIDE = 256

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(address, processes, process)
mesh = Mesh(np.array(jax.devices()), ("x",))
spec = PartitionSpec("x")


@jax.jit
@functools.partial(jax.shard_map, mesh=mesh, in_specs=spec, out_specs=spec)
def step(a):
    b = jnp.tanh(a @ a.T) @ a
    passed = jax.lax.ppermute(b, "x", [(k, (k + 1) % mesh.size)
                                       for k in range(mesh.size)])
    return (jax.lax.psum(b, "x") + passed +
            jax.lax.all_gather(b, "x").sum(0)) * 1e-9


x = jax.make_array_from_callback(
    (mesh.size * SIDE, SIDE), NamedSharding(mesh, spec),
    lambda at: np.ones((mesh.size * SIDE, SIDE), np.float32)[at])
step(x).block_until_ready()
with jax.profiler.trace(out):
    for number in range(steps):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            time.sleep(late_ms / 1000)
            x = step(x)
            x.block_until_ready()
