/*
 * The program of one step: gradients and activations of an invented
 * transformer, exchanged between the slices while it computes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/synth/job/job.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define US  NA_PS_PER_US

#define LARGEST (32 * MIB)

/* clang-format off */
static const struct recipe {
	const char *name;
	enum na_coll_kind kind;
	uint64_t bytes;
	bool looped;
} recipes[] = {
	{ "all-gather", NA_COLL_ALL_GATHER, 512 * KIB, false },
	{ "all-reduce", NA_COLL_ALL_REDUCE, 2 * MIB, true },
	{ "all-reduce", NA_COLL_ALL_REDUCE, 8 * MIB, false },
	{ "ppermute", NA_COLL_ONE_TO_ONE, 64 * KIB, false },
	{ "all-reduce", NA_COLL_ALL_REDUCE, LARGEST, false },
	{ "reduce-scatter", NA_COLL_REDUCE_SCATTER, 2 * MIB, false },
	{ "psum", NA_COLL_ALL_REDUCE, 4 * KIB, false },
	{ "all-to-all", NA_COLL_ALL_TO_ALL, 1 * MIB, false },
};
/* clang-format on */

enum { N_RECIPES = NA_LEN(recipes), HALVED_MOST = 4, USUAL_SLOTS = 9 };

/* Past the recipes: all-reduces of 16 KiB to 32 MiB, small ones oftener. */
static uint64_t draw_bytes(struct na_rng *rng)
{
	uint64_t a = na_rng_below(rng, 12), b = na_rng_below(rng, 12);

	return 16 * KIB << (a < b ? a : b);
}

static bool is_ring(const struct na_job *job, enum na_coll_kind kind)
{
	return job->cfg->pattern == NA_PATTERN_RING && job->n_slices > 2 &&
	       (kind == NA_COLL_ALL_REDUCE || kind == NA_COLL_ALL_GATHER ||
		kind == NA_COLL_REDUCE_SCATTER);
}

/* What the devices of a host send in a step, at most: about what the default
 * link carries in the default step. */
#define MOST_BYTES (480 * MIB)

static uint64_t sent_bytes(const struct recipe *r, uint64_t slices)
{
	uint64_t bytes = r->bytes * (r->looped ? 2 : 1);

	if (r->kind == NA_COLL_ONE_TO_ONE)
		return bytes;
	if (r->kind == NA_COLL_ALL_GATHER)
		return bytes * (slices - 1);
	return bytes / slices * (slices - 1) *
	       (r->kind == NA_COLL_ALL_REDUCE ? 2 : 1);
}

/* Where more devices on more hosts share the work, each has a smaller part of
 * the gradients: how often the largest is halved until a link carries it. */
static uint32_t halvings(const struct na_job *job)
{
	uint64_t devices = job->n_devs / job->n_hosts, rest = 0, most = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < job->n_colls && i < N_RECIPES; i++) {
		uint64_t bytes = devices *
				 sent_bytes(&recipes[i], job->n_slices);

		*(recipes[i].bytes == LARGEST ? &most : &rest) += bytes;
	}
	while (n < HALVED_MOST && rest + (most >> n) > MOST_BYTES)
		n++;
	return n;
}

/* What is planted on the collective of that name. */
static void plant(const struct na_job *job, struct na_coll *c)
{
	bool shared = c->kind != NA_COLL_ONE_TO_ONE &&
		      c->kind != NA_COLL_ALL_GATHER;

	for (size_t k = 0; k < job->n_faults; k++) {
		const struct na_fault *f = &job->faults[k];

		if (!na_fault_names(f, c->name))
			continue;
		if (f->kind == NA_FAULT_SMALL_SLACK)
			c->small_slack = true;
		if (f->kind == NA_FAULT_STALL)
			c->stall_ps += f->value;
		if (f->kind != NA_FAULT_LARGE_SHARD)
			continue;
		c->whole = true;
		c->bytes = (uint64_t)f->value * (shared ? job->n_slices : 1);
	}
}

static void make_coll(const struct na_job *job, struct na_coll *c, uint32_t i,
		      uint32_t halved, struct na_rng *rng)
{
	const struct recipe *r = &recipes[i % N_RECIPES];
	uint64_t unit = 256 * (uint64_t)job->n_slices, shares = job->n_slices;

	c->kind = i < N_RECIPES ? r->kind : NA_COLL_ALL_REDUCE;
	c->bytes = i < N_RECIPES ? r->bytes : draw_bytes(rng);
	if (i < N_RECIPES && r->bytes == LARGEST)
		c->bytes >>= halved;
	c->number = 12 + 7 * i;
	snprintf(c->name, sizeof(c->name), "%s.%" PRIu32 "_%" PRIu32,
		 i < N_RECIPES ? r->name : "all-reduce", c->number, i % 3);
	plant(job, c);
	/* Every share of it is then whole rows of 128 bf16. */
	c->bytes = (c->bytes + unit - 1) / unit * unit;
	c->looped = i < N_RECIPES && r->looped;
	c->ring = is_ring(job, c->kind);
	c->channel = 1 + 2 * (int64_t)i;
	c->out_bytes = c->kind == NA_COLL_ALL_GATHER       ? c->bytes * shares
		       : c->kind == NA_COLL_REDUCE_SCATTER ? c->bytes / shares
							   : c->bytes;
	c->phases = c->kind == NA_COLL_ALL_REDUCE ? 2 : 1;
	if (c->ring)
		c->phases *= (uint32_t)shares - 1;
}

uint64_t na_coll_share(const struct na_job *job, const struct na_coll *c)
{
	if (c->kind == NA_COLL_ONE_TO_ONE || c->kind == NA_COLL_ALL_GATHER)
		return c->bytes;
	return c->bytes / job->n_slices;
}

uint32_t na_coll_pieces(const struct na_job *job, const struct na_coll *c)
{
	uint64_t max = (uint64_t)job->cfg->chunk_bytes;

	if (c->whole)
		return 1;
	return (uint32_t)((na_coll_share(job, c) + max - 1) / max);
}

uint32_t na_coll_peers(const struct na_job *job, const struct na_coll *c)
{
	return c->ring || c->kind == NA_COLL_ONE_TO_ONE ? 1 : job->n_slices - 1;
}

/* ---- collectives inside a slice */

enum { FIRST_ICI = 501, FIRST_ICI_CHANNEL = 5001 };

/*
 * In turn a whole all-reduce, a whole all-gather, and an all-reduce in two
 * halves with computing between them; every other all-gather only among
 * every second device.
 */
static void make_ici(const struct na_job *job, struct na_ici *c, uint32_t i)
{
	uint32_t per_slice = job->n_devs / job->n_slices;

	c->gather = i % 3 == 1;
	c->split = i % 3 == 2;
	c->stride = c->gather && i % 2 && per_slice % 2 == 0 && per_slice > 2
			    ? 2
			    : 1;
	c->group_size = per_slice / c->stride;
	c->n_groups = job->n_devs / c->group_size;
	c->input_bytes = (256 * KIB) << i % 5;
	c->bytes = c->input_bytes * (c->gather ? c->group_size : 1);
	c->number = FIRST_ICI + i;
	c->channel = FIRST_ICI_CHANNEL + (int64_t)i;
	/* 100 GB/s, and what it takes to begin. */
	c->mean_ps = 8 * NA_PS_PER_US + (int64_t)c->bytes * 10;
}

const char *na_hlo_opcode(enum na_op_kind kind)
{
	static const char *const names[] = {"fusion", "recv", "send",
					    "send-done", "recv-done"};

	return names[kind];
}

const char *na_ici_opcode(const struct na_ici *c, enum na_op_kind kind)
{
	if (c->gather)
		return "all-gather";
	return kind == NA_OP_ICI_START  ? "all-reduce-start"
	       : kind == NA_OP_ICI_DONE ? "all-reduce-done"
					: "all-reduce";
}

void na_ici_name(const struct na_ici *c, enum na_op_kind kind, char *buf,
		 size_t size)
{
	snprintf(buf, size, "%s.%" PRIu32, na_ici_opcode(c, kind), c->number);
}

static void add_op(struct na_job *job, enum na_op_kind kind, uint32_t slot,
		   int64_t mean_ps)
{
	struct na_op *op = &job->ops[job->n_ops++];

	op->kind = kind;
	op->slot = slot;
	op->mean_ps = mean_ps;
	if (kind == NA_OP_COMPUTE)
		op->fusion = job->n_fusions++;
}

static void add_compute(struct na_job *job, int64_t total_ps)
{
	int64_t n = job->cfg->ops, weights = n * (n + 1) / 2;

	for (int64_t i = 1; i <= n; i++)
		add_op(job, NA_OP_COMPUTE, 0, total_ps / weights * i);
}

static void add_done(struct na_job *job, uint32_t slot)
{
	add_op(job, NA_OP_SEND_DONE, slot, 0);
	add_op(job, NA_OP_RECV_DONE, slot, 0);
}

/* Whole ones before the exchanges between slices, or all others after. */
static void add_icis(struct na_job *job, bool after)
{
	for (uint32_t i = 0; i < job->n_icis; i++) {
		const struct na_ici *c = &job->icis[i];

		if (c->split && after)
			add_op(job, NA_OP_ICI_START, i, US);
		else if (!c->split && i % 2 == after)
			add_op(job, NA_OP_ICI, i, c->mean_ps);
	}
}

/* Pieces of computing between a collective's own and its end: of many short
 * pieces more, so that each has the time that few have. */
static uint32_t pieces_after(const struct na_job *job)
{
	uint32_t n = (2 * job->n_slots + USUAL_SLOTS - 1) / USUAL_SLOTS;

	return n > 2 ? n - 1 : 1;
}

static void finish(struct na_job *job, uint32_t slot)
{
	if (!job->colls[job->slots[slot].coll].small_slack)
		add_done(job, slot);
}

/*
 * A collective is started before a piece of computing and finished after
 * the next piece, so that two are usually in flight (of many, more); one with
 * small slack is finished at once.  A quarter of the computing comes before
 * the first and a fifth after the last, and before the ends of many.
 */
static void make_ops(struct na_job *job)
{
	uint32_t after = pieces_after(job), n = job->n_slots;
	int64_t all = job->cfg->step_ps;
	int64_t piece = n ? all / 100 * 55 / n : 0;

	add_compute(job, all / 4);
	add_icis(job, false);
	for (uint32_t s = 0; s < n; s++) {
		add_op(job, NA_OP_RECV, s, 0);
		add_op(job, NA_OP_SEND, s, 0);
		if (job->colls[job->slots[s].coll].small_slack)
			add_done(job, s);
		add_compute(job, piece);
		if (s >= after)
			finish(job, s - after);
	}
	if (n && after == 1)
		finish(job, n - 1);
	add_icis(job, true);
	add_compute(job, all / 5);
	for (uint32_t s = n - after; after > 1 && s < n; s++)
		finish(job, s);
	for (uint32_t i = 0; i < job->n_icis; i++)
		if (job->icis[i].split)
			add_op(job, NA_OP_ICI_DONE, i, 0);
}

enum na_status na_program_build(struct na_job *job, struct na_rng *rng,
				struct na_err *err)
{
	uint32_t n = (uint32_t)job->cfg->collectives, halved;
	size_t n_ops;

	if (job->cfg->collectives > 10000 || job->cfg->ops > 10000 ||
	    job->cfg->icis < 0 || job->cfg->icis > 1000)
		return na_fail(err, NA_EUSAGE,
			       "--collectives and --ops go up to 10000, "
			       "--ici to 1000");
	job->n_colls = job->n_slices > 1 ? n : 0;
	job->colls = na_calloc(job->n_colls, sizeof(*job->colls));
	job->slots = na_calloc(2 * (size_t)job->n_colls, sizeof(*job->slots));
	job->n_icis = (uint32_t)job->cfg->icis;
	job->icis = na_calloc(job->n_icis, sizeof(*job->icis));
	if (!job->colls || !job->slots || !job->icis)
		return na_fail_nomem(err);
	for (uint32_t i = 0; i < job->n_icis; i++)
		make_ici(job, &job->icis[i], i);
	halved = halvings(job);
	for (uint32_t i = 0; i < job->n_colls; i++) {
		make_coll(job, &job->colls[i], i, halved, rng);
		job->slots[job->n_slots++] = (struct na_slot){i, 0};
		if (job->colls[i].looped)
			job->slots[job->n_slots++] = (struct na_slot){i, 1};
	}
	n_ops = (2 + (size_t)job->n_slots) * (size_t)job->cfg->ops +
		4 * (size_t)job->n_slots + 2 * (size_t)job->n_icis;
	job->ops = na_calloc(n_ops, sizeof(*job->ops));
	if (!job->ops)
		return na_fail_nomem(err);
	make_ops(job);
	job->program_id = na_rng_next(rng) >> 1 | 1;
	return NA_OK;
}
