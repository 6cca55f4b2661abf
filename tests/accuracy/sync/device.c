/* Device planes: steps, runs of the program, operations. */
#include <stdio.h>

#include "tests/accuracy/sync/session.h"

enum { TEXT = 1024, OP_NS = 1000, PROGRAM_ID = 731, RUN_ID = 4001 };

struct ops {
	const struct sy_run *r;
	struct sy_plane *out;
	uint32_t host;
	/* numbers of the types of events */
	uint64_t compute[SY_COLLECTIVES + 1], infeed;
	uint64_t of[SY_COLLECTIVES][4]; /* recv, send, send-done, recv-done */
};

/* The groups that take part, as plugin/xprof's dcn_collective_info.proto
 * has them: 1 type, 2 groups of 1 endpoints (1 slice, 2 device); of a
 * one-to-one collective 3 pairs (1 source, 2 destination). */
static void describe_groups(const struct sy_plan *p, uint32_t k,
			    struct sy_pb *b)
{
	static const uint8_t types[SY_PATTERNS] = {4, 3, 5, 4, 5,
						   4, 5, 1, 2, 2};
	const struct sy_collective *c = &p->collectives[k];
	uint32_t ranks = c->program.n_ranks;
	bool pairs = c->pattern == SY_NEXT || c->pattern == SY_ACROSS;
	uint32_t lanes = p->hosts_per_slice * p->n_devices;

	sy_pb_int(b, 1, types[c->pattern]);
	for (uint32_t l = 0; l < lanes && !pairs; l++) {
		size_t group = sy_pb_begin(b, 2);

		for (uint32_t s = 0; s < ranks; s++) {
			size_t end = sy_pb_begin(b, 1);

			sy_pb_int(b, 1, s);
			sy_pb_int(b, 2, l);
			sy_pb_end(b, end);
		}
		sy_pb_end(b, group);
	}
	for (uint32_t i = 0; i < c->program.n_moves * lanes && pairs; i++) {
		const struct sy_move *m = &c->program.moves[i / lanes];
		size_t pair = sy_pb_begin(b, 3);

		for (uint32_t side = 1; side <= 2; side++) {
			size_t end = sy_pb_begin(b, side);

			sy_pb_int(b, 1, side == 1 ? m->src : m->dst);
			sy_pb_int(b, 2, i % lanes);
			sy_pb_end(b, end);
		}
		sy_pb_end(b, pair);
	}
}

static uint64_t describe(struct ops *o, const char *name, const char *text,
			 const char *category, const struct sy_pb *groups)
{
	bool fresh;
	uint64_t number = sy_plane_name(o->out, text, &fresh);
	size_t mark = sy_plane_type_begin(o->out, number, text, name);

	sy_plane_type_text(o->out, "hlo_category", category);
	sy_plane_type_text(o->out, "hlo_op", name);
	if (groups)
		sy_plane_type_bytes(o->out, "dcn_collective_info", groups);
	sy_plane_type_end(o->out, mark);
	return number;
}

static void describe_collective(struct ops *o, uint32_t k)
{
	static const char *const kinds[] = {"recv", "send", "send-done",
					    "recv-done"};
	const struct sy_plan *p = o->r->plan;
	const struct sy_collective *c = &p->collectives[k];
	struct sy_pb groups = {0};
	char collective[SY_NAME], text[TEXT], name[SY_NAME], shape[SY_NAME];

	sy_collective_name(p, k, collective);
	describe_groups(p, k, &groups);
	for (int i = 0; i < 4; i++) {
		bool done = i >= 2;

		snprintf(name, sizeof(name), "%s.%u", kinds[i], c->number);
		snprintf(shape, sizeof(shape), "u8[%lld]{0}",
			 (long long)sy_result_bytes(c));
		snprintf(
			text, sizeof(text),
			"%%%s = (%s, %stoken[]) %s(%s %%arg.%u), channel_id=%u, "
			"is_host_transfer=true, frontend_attributes={"
			"_xla_host_transfer_handler_name=\"xla_megascale_runtime\","
			"_xla_host_transfer_rendezvous=\"%s\","
			"_xla_megascale_transfer_type=\"%s\"}",
			name, shape, done ? "" : "u32[], ", kinds[i], shape,
			c->number, k + 1, collective, sy_type_name(c->pattern));
		o->of[k][i] = describe(o, name, text,
				       i == 0 || i == 3 ? "host recv"
							: "host send",
				       &groups);
	}
	o->out->failed = o->out->failed || groups.failed;
	sy_pb_fini(&groups);
}

static void describe_all(struct ops *o)
{
	const struct sy_plan *p = o->r->plan;
	char name[SY_NAME], text[TEXT];

	for (uint32_t k = 0; k < p->n_collectives; k++)
		describe_collective(o, k);
	for (uint32_t k = 0; k <= p->n_collectives; k++) {
		snprintf(name, sizeof(name), "fusion.%u", k + 1);
		snprintf(text, sizeof(text),
			 "%%%s = bf16[2048,2048]{1,0} fusion(bf16[2048,2048]"
			 "{1,0} %%p.%u), kind=kOutput, calls=%%fused.%u",
			 name, k, k);
		o->compute[k] = describe(o, name, text, "convolution fusion",
					 NULL);
	}
	o->infeed = describe(o, "infeed.1",
			     "%infeed.1 = (u8[1048576]{0}, token[]) "
			     "infeed(token[] %after-all.1)",
			     "infeed", NULL);
}

static void op(struct ops *o, uint64_t number, int64_t from, int64_t to)
{
	const struct sy_plan *p = o->r->plan;
	int64_t start = sy_stamp(p, o->host, from);

	sy_plane_event(o->out, number, start, sy_stamp(p, o->host, to) - start);
	sy_plane_event_end(o->out);
}

/* Receive and send are issued at the end of the compute before them. */
static void day(struct ops *o, const struct sy_day *d)
{
	const struct sy_plan *p = o->r->plan;

	if (p->infeed)
		op(o, o->infeed, d->start, d->input_end);
	for (uint32_t part = 0; part <= p->n_collectives; part++) {
		int64_t to = d->compute_to[part];

		if (part == p->n_collectives) {
			op(o, o->compute[part], d->compute_from[part], to);
		} else {
			op(o, o->compute[part], d->compute_from[part],
			   to - 2 * OP_NS);
			op(o, o->of[part][0], to - 2 * OP_NS, to - OP_NS);
			op(o, o->of[part][1], to - OP_NS, to);
		}
		for (uint32_t k = 0; k < p->n_collectives; k++) {
			int64_t cut = d->wait_from[k] + OP_NS / 4;

			if (p->collectives[k].wait_after != part)
				continue;
			op(o, o->of[k][2], d->wait_from[k], cut);
			op(o, o->of[k][3], cut, d->wait_to[k]);
		}
	}
}

static const struct sy_day *day_of(const struct ops *o, uint32_t step)
{
	return &o->r->days[(size_t)step * o->r->plan->n_hosts + o->host];
}

static int64_t begin_line(struct ops *o, uint64_t id, const char *name)
{
	int64_t first = sy_stamp(o->r->plan, o->host, day_of(o, 0)->start);

	sy_plane_line(o->out, id, name, first);
	return first;
}

void sy_write_device(const struct sy_run *r, uint32_t host, uint32_t device,
		     struct sy_plane *out)
{
	const struct sy_plan *p = r->plan;
	struct ops o = {.r = r, .out = out, .host = host};
	char name[SY_NAME];

	describe_all(&o);
	begin_line(&o, 1, "Steps");
	for (uint32_t s = 0; s < p->n_steps; s++) {
		snprintf(name, sizeof(name), "%u", s);
		op(&o, sy_plane_plain(out, name), day_of(&o, s)->start,
		   day_of(&o, s)->end);
	}
	sy_plane_line_end(out);
	begin_line(&o, 2, "XLA Modules");
	snprintf(name, sizeof(name), "jit_train_step(%d)", PROGRAM_ID);
	for (uint32_t s = 0; s < p->n_steps; s++) {
		int64_t start = sy_stamp(p, host, day_of(&o, s)->start);

		sy_plane_event(out, sy_plane_plain(out, name), start,
			       sy_stamp(p, host, day_of(&o, s)->end) - start);
		sy_plane_uint(out, "run_id", RUN_ID + s);
		sy_plane_uint(out, "program_id", PROGRAM_ID);
		sy_plane_int(out, "device_ordinal", device);
		sy_plane_event_end(out);
	}
	sy_plane_line_end(out);
	begin_line(&o, 3, "XLA Ops");
	for (uint32_t s = 0; s < p->n_steps; s++)
		day(&o, day_of(&o, s));
	sy_plane_line_end(out);
}
