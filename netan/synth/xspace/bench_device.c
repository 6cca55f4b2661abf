/* Files for measurements: device planes. */
#include <inttypes.h>
#include <stdio.h>

#include "netan/synth/hlo/module.h"
#include "netan/synth/xspace/bench_state.h"

enum {
	OPS_PER_STEP = 2000,
	RECV_AT = 10, /* of OPS_PER_COLL */
	SEND_DONE_AT = 30,
	RECV_DONE_AT = 31,
	FUSIONS = 150,
	ICIS = 60
};

struct ops {
	int64_t fusion[FUSIONS], dcn[COLLS][4], ici[ICIS];
	uint64_t n_ici; /* so far */
};

static void define_dcn(struct na_bench *b, struct ops *o, int coll, int kind)
{
	static const char *const ops[] = {"recv", "send", "send-done",
					  "recv-done"};
	static const char *const of[] = {"after-all", "after-all", "send",
					 "recv"};
	static const char *const shapes[] = {
		"(bf16[4096,128]{1,0:T(8,128)(2,1)}, u32[]{:S(2)}, token[])",
		"(bf16[4096,128]{1,0:T(8,128)(2,1)}, u32[]{:S(2)}, token[])",
		"token[]", "(bf16[4096,128]{1,0:T(8,128)(2,1)}, token[])"};
	struct na_plane *p = &b->plane;
	char name[32], text[512];
	struct na_wire info = {0};
	size_t at;

	snprintf(name, sizeof(name), "%s.%d", ops[kind], 12 + coll);
	snprintf(text, sizeof(text),
		 "%%%s = %s %s(token[] %%%s.%d), "
		 "channel_id=%d, is_host_transfer=true, frontend_attributes={"
		 "_xla_host_transfer_handler_name=\"xla_megascale_runtime\","
		 "_xla_host_transfer_rendezvous=\"all-reduce.%d_0\","
		 "_xla_megascale_transfer_type=\"ALL_REDUCE\"}",
		 name, shapes[kind], ops[kind], of[kind], 12 + coll,
		 1 + 2 * coll + (kind == 0 || kind == 3), 12 + coll);
	o->dcn[coll][kind] = na_plane_define(p, text, name, &at);
	na_stat_ref(p, na_plane_stat(p, "hlo_category"),
		    kind == 0 || kind == 3 ? "host recv" : "host send");
	na_hlo_info(NA_COLL_ALL_REDUCE, PEERS, DEVICES, &info);
	na_stat_bytes(p, na_plane_stat(p, "dcn_collective_info"), info.p,
		      info.n);
	na_plane_define_end(p, at);
	if (info.failed)
		p->names.failed = true;
	na_wire_fini(&info);
}

/* Inside the slice, of all devices. */
static void define_ici(struct na_bench *b, struct ops *o, int i)
{
	static const char *const opcodes[] = {"all-reduce", "all-gather"};
	struct na_plane *p = &b->plane;
	char name[32], text[200];
	size_t at;

	snprintf(name, sizeof(name), "%s.%d", opcodes[i % 2], 500 + i);
	snprintf(text, sizeof(text),
		 "%%%s = bf16[1024,%d]{1,0:T(8,128)(2,1)} %s(bf16[1024,%d]"
		 "{1,0:T(8,128)(2,1)} %%fusion.%d), channel_id=%d, "
		 "replica_groups={{0,1,2}}",
		 name, 128 * (1 + i % 8), opcodes[i % 2], 128 * (1 + i % 8), i,
		 100 + i);
	o->ici[i] = na_plane_define(p, text, name, &at);
	na_stat_ref(p, na_plane_stat(p, "hlo_category"), opcodes[i % 2]);
	na_plane_define_end(p, at);
}

static void define_ops(struct na_bench *b, struct ops *o)
{
	struct na_plane *p = &b->plane;
	char name[32], text[200];
	size_t at;

	for (int i = 0; i < FUSIONS; i++) {
		snprintf(name, sizeof(name), "fusion.%d", i);
		snprintf(text, sizeof(text),
			 "%%%s = bf16[4096,128]{1,0:"
			 "T(8,128)(2,1)} fusion(bf16[4096,128]{1,0:T(8,128)"
			 "(2,1)} %%param.%d), kind=kOutput",
			 name, i);
		o->fusion[i] = na_plane_define(p, text, name, &at);
		na_stat_ref(p, na_plane_stat(p, "hlo_category"),
			    "convolution fusion");
		na_plane_define_end(p, at);
	}
	for (int c = 0; c < COLLS; c++)
		for (int k = 0; k < 4; k++)
			define_dcn(b, o, c, k);
	for (int i = 0; i < ICIS && b->cfg->collective_ops > 0; i++)
		define_ici(b, o, i);
}

/* As many collectives as are due, in the same order on all devices. */
static int64_t between_name(struct na_bench *b, struct ops *o, uint64_t i)
{
	double due = b->cfg->collective_ops * (double)(i + 1);

	if ((double)(o->n_ici + 1) > due)
		return o->fusion[i % FUSIONS];
	return o->ici[o->n_ici++ % ICIS];
}

static int64_t op_name(struct na_bench *b, struct ops *o, uint64_t i)
{
	struct na_truth_host *t = b->trace->truth;
	uint64_t coll = i / OPS_PER_COLL % COLLS;

	t->ops++;
	t->dcn_ops++;
	switch (i % OPS_PER_COLL) {
	case RECV_AT:
		return o->dcn[coll][0];
	case SEND_AT:
		return o->dcn[coll][1];
	case SEND_DONE_AT:
		return o->dcn[coll][2];
	case RECV_DONE_AT:
		return o->dcn[coll][3];
	default:
		t->dcn_ops--;
		return between_name(b, o, i);
	}
}

/* Steps or modules: OPS_PER_STEP ops each, at the pace of the ops. */
static void write_spans(struct na_bench *b, int64_t id, const char *line,
			const char *event, uint64_t n, int64_t step_ps)
{
	struct na_plane *p = &b->plane;
	int64_t run = na_plane_stat(p, "run_id");
	int64_t step = na_plane_stat(p, "step_num");
	int64_t queue = na_plane_stat(p, "queue_id");
	int64_t core = na_plane_stat(p, "core_type");

	na_plane_line(p, id, line, 0);
	for (uint64_t i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%" PRIu64, i);
		na_plane_event(p, na_plane_name(p, event ? event : name),
			       (int64_t)i * step_ps + 10 * US, step_ps - US);
		na_stat_uint(p, run, i + 1);
		na_stat_int(p, step, (int64_t)i);
		na_stat_uint(p, queue, 0);
		na_stat_uint(p, core, 0);
		na_plane_event_end(p);
	}
	na_plane_line_end(p);
}

enum na_status na_bench_device(struct na_bench *b, int number, uint64_t events,
			       struct na_err *err)
{
	const int64_t pace = OP_PACE_US * US;
	uint64_t steps = events / (OPS_PER_STEP + 2);
	uint64_t n_ops = events - 2 * steps;
	struct na_plane *p = &b->plane;
	struct ops ops = {.n_ici = 0};
	int64_t dur, run, flow, id;
	char name[32];

	snprintf(name, sizeof(name), "/device:TPU:%d", number);
	na_plane_start(p, b->trace, 2 + 8 * number, name);
	dur = na_plane_stat(p, "device_duration_ps");
	run = na_plane_stat(p, "run_id");
	flow = na_plane_stat(p, "flow");
	id = na_plane_stat(p, "id");
	define_ops(b, &ops);
	write_spans(b, 1, "Steps", NULL, steps, OPS_PER_STEP * pace);
	write_spans(b, 2, "XLA Modules", "jit_train_step(77)", steps,
		    OPS_PER_STEP * pace);
	na_plane_line(p, 3, "XLA Ops", 0);
	for (uint64_t i = 0; i < n_ops; i++) {
		int64_t took = US + na_bench_below(b, 15 * US / 2);

		na_plane_event(p, op_name(b, &ops, i),
			       (int64_t)i * pace + FIRST_OP_US * US, took);
		na_stat_uint(p, dur, (uint64_t)took);
		na_stat_uint(p, run, i / OPS_PER_STEP + 1);
		na_stat_uint(p, flow, (i + 616168) << 2 | 3);
		na_stat_uint(p, id, i % OPS_PER_STEP);
		na_plane_event_end(p);
	}
	na_plane_line_end(p);
	b->trace->truth->steps += steps;
	b->trace->truth->modules += steps;
	b->last_ps = (int64_t)n_ops * pace;
	return na_plane_finish(p, err);
}
