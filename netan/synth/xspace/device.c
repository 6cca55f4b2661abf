/*
 * A TensorCore's plane: steps, module executions and ops.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/synth/xspace/write.h"

/* Ids of the plane's lines; 10000 and up belong to viewers. */
enum {
	LINE_STEPS = 1,
	LINE_MODULES = 2,
	LINE_OPS = 3,
	LINE_ASYNC = 4,
	LINE_TRACEME = 6
};

struct device {
	struct na_writer *w;
	const struct na_job *job;
	const struct na_dev *dev;
	struct na_plane plane;
	int64_t *names; /* by instruction: event name id */
};

static int64_t when(const struct device *d, int64_t ps)
{
	return na_host_time(d->job, d->w->host, ps);
}

static void plane_constants(struct na_plane *p, uint32_t local)
{
	char core[48];

	snprintf(core, sizeof(core), "chip %" PRIu32 " core 0", local);
	na_stat_str(p, na_plane_stat(p, "core_details"), core);
	na_stat_str(p, na_plane_stat(p, "device_type_string"), "TPU v6 Lite");
	na_stat_double(p, na_plane_stat(p, "peak_teraflops_per_second"), 918.0);
	na_stat_double(p, na_plane_stat(p, "peak_hbm_bw_gigabytes_per_second"),
		       1638.0);
	na_stat_int(p, na_plane_stat(p, "has_megacore"), 0);
	na_stat_int(p, na_plane_stat(p, "has_merged_vmem"), 1);
}

static const char *category(const struct device *d, const struct na_op *op)
{
	/* clang-format off */
	static const char *const names[] = {
		"convolution fusion", "host recv", "host send", "host send",
		"host recv"
	};
	/* clang-format on */

	if (op->kind >= NA_OP_ICI)
		return na_ici_opcode(&d->job->icis[op->slot], op->kind);
	return names[op->kind];
}

static void op_constants(struct device *d, const struct na_op *op,
			 const struct na_inst *inst, struct na_wire *info)
{
	struct na_plane *p = &d->plane;

	na_stat_ref(p, na_plane_stat(p, "hlo_category"), category(d, op));
	na_stat_str(p, na_plane_stat(p, "deduplicated_name"), inst->name);
	na_stat_uint(p, na_plane_stat(p, "program_id"),
		     d->w->module.program_id);
	na_stat_uint(p, na_plane_stat(p, "bytes_accessed"), inst->bytes);
	if (op->kind == NA_OP_COMPUTE) {
		na_stat_uint(p, na_plane_stat(p, "flops"),
			     UINT64_C(3000000) * (op->fusion + 1));
		na_stat_ref(p, na_plane_stat(p, "tf_op"),
			    "jit(train_step)/transformer/dot_general:");
	}
	if (!inst->coll || na_job_without(d->job, NA_WITHOUT_DCN_INFO))
		return;
	na_hlo_dcn_info(d->job, inst->coll, info);
	na_stat_bytes(p, na_plane_stat(p, "dcn_collective_info"), info->p,
		      info->n);
}

static void define_ops(struct device *d)
{
	const struct na_job *job = d->job;
	const struct na_module *m = &d->w->module;
	bool brief = na_job_without(job, NA_WITHOUT_LONG_NAMES);
	struct na_wire info = {0}, text = {0};

	for (uint32_t i = 0; i < job->n_ops; i++) {
		const struct na_inst *inst = &m->insts[m->of_op[i]];
		int64_t *name = &d->names[m->of_op[i]];
		size_t at;

		if (*name)
			continue; /* the loop runs it again */
		na_inst_text(m, m->of_op[i], &text);
		if (text.failed)
			break;
		*name = na_plane_define(&d->plane,
					brief ? inst->name
					      : (const char *)text.p,
					brief ? NULL : inst->name, &at);
		op_constants(d, &job->ops[i], inst, &info);
		na_plane_define_end(&d->plane, at);
	}
	if (info.failed || text.failed)
		d->plane.names.failed = true;
	na_wire_fini(&info);
	na_wire_fini(&text);
}

static void write_steps(struct device *d)
{
	struct na_plane *p = &d->plane;
	int64_t num = na_plane_stat(p, "step_num");
	int64_t group = na_plane_stat(p, "group_id");

	na_plane_line(p, LINE_STEPS, "Steps", 0);
	for (uint32_t s = 0; s < d->job->n_steps; s++) {
		const struct na_span *span = &d->dev->steps[s];
		char name[16];

		snprintf(name, sizeof(name), "%" PRIu32, s);
		na_plane_event(p, na_plane_name(p, name),
			       when(d, span->start_ps),
			       span->end_ps - span->start_ps);
		na_stat_int(p, num, s);
		na_stat_int(p, group, s);
		na_plane_event_end(p);
		d->w->trace.truth->steps++;
	}
	na_plane_line_end(p);
}

static void write_modules(struct device *d)
{
	struct na_plane *p = &d->plane;
	int64_t run = na_plane_stat(p, "run_id");
	int64_t queue = na_plane_stat(p, "queue_id");
	int64_t replica = na_plane_stat(p, "replica_id");
	int64_t program = na_plane_stat(p, "program_id"), name_id;
	const int64_t *late = &d->job->late_ps[d->w->host * d->job->n_steps];
	bool runs = !na_job_without(d->job, NA_WITHOUT_RUN_IDS);
	char name[64];

	snprintf(name, sizeof(name), NA_MODULE_NAME "(%" PRIu64 ")",
		 d->w->module.program_id);
	name_id = na_plane_name(p, name);
	na_plane_line(p, LINE_MODULES, "XLA Modules", 0);
	for (uint32_t s = 0; s < d->job->n_steps; s++) {
		const struct na_span *span = &d->dev->steps[s];

		na_plane_event(p, name_id,
			       when(d, span->start_ps) + late[s] + 100000,
			       span->end_ps - span->start_ps - late[s] -
				       200000);
		if (runs)
			na_stat_uint(p, run, 1000 + (uint64_t)s);
		na_stat_uint(p, program, d->w->module.program_id);
		na_stat_int(p, replica, d->dev->in_slice);
		na_stat_uint(p, queue, 0);
		na_plane_event_end(p);
		d->w->trace.truth->modules++;
	}
	na_plane_line_end(p);
}

static void write_ops(struct device *d)
{
	struct na_plane *p = &d->plane;
	struct na_truth_host *t = d->w->trace.truth;
	const struct na_module *m = &d->w->module;
	int64_t offset = na_plane_stat(p, "device_offset_ps");
	int64_t duration = na_plane_stat(p, "device_duration_ps");

	na_plane_line(p, LINE_OPS, "XLA Ops", 0);
	for (size_t i = 0; i < d->dev->ops.n; i++) {
		const struct na_op_event *e = &d->dev->ops.v[i];

		na_plane_event(p, d->names[m->of_op[e->op]],
			       when(d, e->start_ps), e->dur_ps);
		na_stat_uint(p, offset, (uint64_t)e->start_ps);
		na_stat_uint(p, duration, (uint64_t)e->dur_ps);
		na_plane_event_end(p);
		t->ops++;
		t->dcn_ops += na_op_is_dcn(d->job->ops[e->op].kind);
	}
	na_plane_line_end(p);
}

/* Two copies into fast memory each step, and the wait that starts it. */
static void write_rest(struct device *d)
{
	struct na_plane *p = &d->plane;
	int64_t async = na_plane_stat(p, "_a"), id = na_plane_stat(p, "id");
	int64_t hlo_op = na_plane_stat(p, "hlo_op"), name;
	size_t at;

	name = na_plane_define(p,
			       "%copy-start.1 = (bf16[1024,128]{1,0:T(8,128)"
			       "(2,1)}, bf16[1024,128]{1,0:T(8,128)(2,1)S(1)},"
			       " u32[]{:S(2)}) copy-start(bf16[1024,128]{1,0:"
			       "T(8,128)(2,1)} %param.1)",
			       "async-copy", &at);
	na_plane_define_end(p, at);
	na_plane_line(p, LINE_ASYNC, "Async XLA Ops", 0);
	for (uint32_t s = 0; s < 2 * d->job->n_steps; s++) {
		int64_t start = d->dev->steps[s / 2].start_ps;

		na_plane_event(p, name,
			       when(d, start) + (1 + s % 2 * 40) * NA_PS_PER_US,
			       30 * NA_PS_PER_US +
				       (int64_t)na_rng_below(&d->w->rng,
							     1000000));
		na_stat_ref(p, hlo_op, "copy-done.1");
		na_stat_int(p, async, 1);
		na_stat_uint(p, id, s);
		na_plane_event_end(p);
	}
	na_plane_line_end(p);
	name = na_plane_name(p, "barrier-cores");
	na_plane_line(p, LINE_TRACEME, "XLA TraceMe", 0);
	for (uint32_t s = 0; s < d->job->n_steps; s++) {
		na_plane_event(p, name,
			       when(d, d->dev->steps[s].start_ps) + 120000,
			       500000 + (int64_t)na_rng_below(&d->w->rng,
							      100000));
		na_plane_event_end(p);
	}
	na_plane_line_end(p);
}

enum na_status na_write_device(struct na_writer *w, uint32_t local,
			       struct na_err *err)
{
	struct device d = {.w = w, .job = w->job};
	enum na_status st;
	char name[32];

	d.dev = &w->job->devs[w->host * (uint32_t)w->job->cfg->devices + local];
	d.names = na_calloc(w->module.n, sizeof(*d.names));
	if (!d.names)
		return na_fail_nomem(err);
	snprintf(name, sizeof(name), "/device:TPU:%" PRIu32, local);
	na_plane_start(&d.plane, &w->trace, 2 + 8 * (int64_t)local, name);
	plane_constants(&d.plane, local);
	define_ops(&d);
	if (!na_job_without(w->job, NA_WITHOUT_STEPS))
		write_steps(&d);
	if (!na_job_without(w->job, NA_WITHOUT_MODULES))
		write_modules(&d);
	write_ops(&d);
	write_rest(&d);
	st = na_plane_finish(&d.plane, err);
	free(d.names);
	return st;
}
