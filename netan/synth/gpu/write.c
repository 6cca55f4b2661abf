/*
 * The planes of a host with GPUs: streams, and the steps and modules that a
 * viewer derives from them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/units.h"
#include "netan/synth/gpu/gpu.h"

#define US NA_PS_PER_US

enum {
	STREAM_COMPUTE = 7,
	STREAM_NCCL = 8,
	STREAM_H2D = 14,
	LINE_STEPS = 10001, /* derived lines come after all streams */
	LINE_MODULES = 10002,
	FIRST_THREAD = 3116817
};

struct gpu {
	struct na_writer *w;
	const struct na_job *job;
	const struct na_dev *dev;
	struct na_plane plane;
	int64_t correlation, context, details, hlo_op, hlo_module, program,
		tf_op;
	uint64_t launched;
};

static int64_t when(const struct gpu *g, int64_t ps)
{
	return na_host_time(g->job, g->w->host, ps);
}

static void constants(struct na_plane *p)
{
	na_stat_str(p, na_plane_stat(p, "device_vendor"), "Nvidia");
	na_stat_uint(p, na_plane_stat(p, "clock_rate"), 1980000);
	na_stat_uint(p, na_plane_stat(p, "core_count"), 132);
	na_stat_uint(p, na_plane_stat(p, "memory_bandwidth"),
		     UINT64_C(3352320000000));
	na_stat_uint(p, na_plane_stat(p, "memory_size"), UINT64_C(85017624576));
	na_stat_uint(p, na_plane_stat(p, "compute_cap_major"), 9);
	na_stat_uint(p, na_plane_stat(p, "compute_cap_minor"), 0);
}

static void name_stats(struct gpu *g)
{
	struct na_plane *p = &g->plane;

	g->correlation = na_plane_stat(p, "correlation_id");
	g->context = na_plane_stat(p, "context_id");
	g->details = na_plane_stat(p, "kernel_details");
	g->hlo_op = na_plane_stat(p, "hlo_op");
	g->hlo_module = na_plane_stat(p, "hlo_module");
	g->program = na_plane_stat(p, "program_id");
	g->tf_op = na_plane_stat(p, "tf_op");
}

static void write_kernel(struct gpu *g, const struct na_op_event *e)
{
	const struct na_module *m = &g->w->module;
	const struct na_inst *inst = &m->insts[m->of_op[e->op]];
	struct na_truth_host *t = g->w->trace.truth;
	bool nccl = e->op >= g->job->n_fusions;
	struct na_plane *p = &g->plane;
	char name[48];

	snprintf(name, sizeof(name), "loop_fusion_%" PRIu32, e->op);
	na_plane_event(
		p,
		na_plane_name(p,
			      nccl ? g->job->gpu
					      ->colls[e->op - g->job->n_fusions]
					      .kernel
				   : name),
		when(g, e->start_ps), e->dur_ps);
	na_stat_uint(p, g->correlation, ++g->launched);
	na_stat_ref(p, g->context, "$$1");
	na_stat_ref(p, g->details,
		    nccl ? "regs:96 static_shared:0 dynamic_shared:83032 "
			   "grid:16,1,1 block:544,1,1 occ_pct:25"
			 : "regs:32 static_shared:0 dynamic_shared:0 "
			   "grid:1024,1,1 block:256,1,1 occ_pct:100");
	if (!na_job_without(g->job, NA_WITHOUT_LONG_NAMES)) {
		na_stat_ref(p, g->tf_op, "jit(train_step)/dot_general:");
		na_stat_ref(p, g->hlo_op, inst->name);
		na_stat_ref(p, g->hlo_module, NA_MODULE_NAME);
		na_stat_uint(p, g->program, m->program_id);
	}
	na_plane_event_end(p);
	t->ops++;
	t->nccl += nccl;
}

static void write_stream(struct gpu *g, bool nccl)
{
	struct na_plane *p = &g->plane;

	na_plane_line(p, nccl ? STREAM_NCCL : STREAM_COMPUTE,
		      nccl ? "Stream #8(Compute,MemcpyD2D)"
			   : "Stream #7(Compute)",
		      0);
	for (size_t i = 0; i < g->dev->ops.n; i++)
		if ((g->dev->ops.v[i].op >= g->job->n_fusions) == nccl)
			write_kernel(g, &g->dev->ops.v[i]);
	for (uint32_t s = 0; nccl && s < g->job->n_steps; s++) {
		na_plane_event(p, na_plane_name(p, "MemcpyD2D"),
			       when(g, g->dev->steps[s].end_ps) - 2 * US, US);
		na_stat_uint(p, g->correlation, ++g->launched);
		na_stat_str(p, na_plane_stat(p, "memcpy_details"),
			    "kind_src:device kind_dst:device num_bytes:65536 "
			    "dest:0 async:1");
		na_plane_event_end(p);
	}
	na_plane_line_end(p);
}

/* What the step trains on. */
static void write_input(struct gpu *g)
{
	struct na_plane *p = &g->plane;

	na_plane_line(p, STREAM_H2D, "Stream #14(MemcpyH2D)", 0);
	for (uint32_t s = 0; s < g->job->n_steps; s++) {
		na_plane_event(p, na_plane_name(p, "MemcpyH2D"),
			       when(g, g->dev->steps[s].start_ps) - 30 * US,
			       20 * US);
		na_stat_uint(p, g->correlation, ++g->launched);
		na_stat_str(p, na_plane_stat(p, "memcpy_details"),
			    "kind_src:pinned kind_dst:device "
			    "num_bytes:1048576 dest:0 async:1");
		na_plane_event_end(p);
	}
	na_plane_line_end(p);
}

static void write_spans(struct gpu *g, bool modules)
{
	struct na_plane *p = &g->plane;
	struct na_truth_host *t = g->w->trace.truth;
	const int64_t *late = &g->job->late_ps[g->w->host * g->job->n_steps];
	char name[64];

	na_plane_line(p, modules ? LINE_MODULES : LINE_STEPS,
		      modules ? "XLA Modules" : "Steps", 0);
	for (uint32_t s = 0; s < g->job->n_steps; s++) {
		const struct na_span *span = &g->dev->steps[s];
		int64_t start = span->start_ps;

		if (modules) {
			start += late[s];
			snprintf(name, sizeof(name),
				 NA_MODULE_NAME "(%" PRIu64 ")",
				 g->w->module.program_id);
		} else {
			snprintf(name, sizeof(name), "%" PRIu32, s);
		}
		na_plane_event(p, na_plane_name(p, name), when(g, start),
			       span->end_ps - start);
		if (!modules)
			na_stat_int(p, na_plane_stat(p, "step_num"), s);
		else if (!na_job_without(g->job, NA_WITHOUT_RUN_IDS))
			na_stat_uint(p, na_plane_stat(p, "run_id"),
				     1000 + (uint64_t)s);
		na_plane_event_end(p);
		t->steps += !modules;
		t->modules += modules;
	}
	na_plane_line_end(p);
}

static enum na_status write_gpu(struct na_writer *w, uint32_t local,
				struct na_err *err)
{
	struct gpu g = {.w = w, .job = w->job};
	char name[32];

	g.dev = &w->job->devs[w->host * (uint32_t)w->job->cfg->devices + local];
	snprintf(name, sizeof(name), "/device:GPU:%" PRIu32, local);
	na_plane_start(&g.plane, &w->trace, 2 + (int64_t)local, name);
	constants(&g.plane);
	name_stats(&g);
	write_stream(&g, false);
	write_stream(&g, true);
	write_input(&g);
	if (!na_job_without(w->job, NA_WITHOUT_STEPS))
		write_spans(&g, false);
	if (!na_job_without(w->job, NA_WITHOUT_MODULES))
		write_spans(&g, true);
	return na_plane_finish(&g.plane, err);
}

static enum na_status write_host(struct na_writer *w, struct na_err *err)
{
	const struct na_job *job = w->job;
	const struct na_dev *d =
		&job->devs[w->host * (uint32_t)job->cfg->devices];
	struct na_plane p;
	char name[32];

	na_plane_start(&p, &w->trace, 0, "/host:CPU");
	snprintf(name, sizeof(name), "main/%d", FIRST_THREAD);
	na_plane_line(&p, FIRST_THREAD, name, 0);
	for (uint32_t s = 0; s < job->n_steps; s++) {
		int64_t start = d->steps[s].start_ps - 40 * US;

		na_plane_event(&p, na_plane_name(&p, "train"),
			       na_host_time(job, w->host, start),
			       d->steps[s].end_ps - start);
		na_stat_int(&p, na_plane_stat(&p, "step_num"), s);
		na_plane_event_end(&p);
		na_plane_event(&p, na_plane_name(&p, "ncclGroupEnd"),
			       na_host_time(job, w->host, start) + 5 * US,
			       12 * US);
		na_plane_event_end(&p);
	}
	na_plane_line_end(&p);
	return na_plane_finish(&p, err);
}

enum na_status na_write_gpus(struct na_writer *w, struct na_err *err)
{
	const struct na_synth_config *cfg = w->job->cfg;
	enum na_status st = NA_OK;

	for (uint32_t i = na_job_first_plane(w->job); !st && i < cfg->devices;
	     i++)
		st = write_gpu(w, i, err);
	return st ? st : write_host(w, err);
}
