#include "ingest/nsight/nsight.h"

#include <stdlib.h>

#include "ingest/gpu/rank_op.h"
#include "netan/base/order.h"
#include "netan/base/sqlite.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

static enum na_sniff sniff(const uint8_t *head, size_t n, uint64_t size,
			   const char **why)
{
	/* Of fewer bytes than "SQLite " nobody knows. */
	if (n < 7 || !na_sqlite_begins(head, n))
		return NA_SNIFF_NO;
	if (n >= NA_SQLITE_MAGIC_BYTES)
		return NA_SNIFF_YES;
	if (n != size)
		return NA_SNIFF_NO;
	*why = "a SQLite database, cut off in its first bytes";
	return NA_SNIFF_DAMAGED;
}

enum {
	TALKS = NA_WANT_COMMS | NA_WANT_OPS | NA_WANT_KERNELS |
		NA_WANT_TRANSFERS
};

/* ---- open */

static enum na_status check_tables(const struct na_ns *x, struct na_err *err)
{
	static const int needed[] = {K_START, K_END, K_DEVICE, K_SHORT};

	if (x->db.exported)
		return na_fail(err, NA_EFORMAT,
			       "a database that netan export made: netan sql "
			       "asks it, as its only input, not packed, a file "
			       "or '-'; other commands read the traces or "
			       "captures that it was made of");
	if (!na_ns_has(&x->db, NS_KERNELS))
		return na_fail(err, NA_EFORMAT,
			       "a SQLite database without the table %s: "
			       "expected is an export of a profile with CUDA "
			       "kernels (nsys profile -t cuda,nvtx, then "
			       "nsys export -t sqlite)%s",
			       na_ns_name(NS_KERNELS),
			       na_ns_has(&x->db, NS_EXPORT)
				       ? ""
				       : "; it is none of Nsight Systems'");
	for (size_t i = 0; i < NA_LEN(needed); i++) {
		if (!na_ns_has_column(&x->db, NS_KERNELS, needed[i]))
			return na_fail(err, NA_EFORMAT,
				       "the table %s has no column %s, which "
				       "exports of Nsight Systems have",
				       na_ns_name(NS_KERNELS),
				       na_ns_column_name(NS_KERNELS,
							 needed[i]));
	}
	return NA_OK;
}

/* Calls of NCCL, what they launched, steps: whatever somebody wants. */
static enum na_status read_calls(struct na_input *in, size_t *calls,
				 struct na_err *err)
{
	struct na_ns *x = in->state;
	enum na_status st = NA_OK;

	if (x->talks.n || in->wants & NA_WANT_STEPS)
		st = na_ns_read_layouts(in, err);
	if (st == NA_OK && (x->talks.n || in->wants & NA_WANT_STEPS))
		st = na_ns_read_ranges(in, err);
	*calls = x->ranges.n;
	if (st == NA_OK && x->talks.n)
		st = na_ns_read_launches(in, err);
	return st == NA_OK ? na_ns_match(x, err) : st;
}

static enum na_status survey(struct na_input *in, struct na_err *err)
{
	struct na_ns *x = in->state;
	enum na_status st = na_ns_open(&x->db, in->data, in->size, err);
	size_t calls = 0;

	if (st == NA_OK)
		st = check_tables(x, err);
	if (st == NA_OK)
		st = na_ns_read_strings(in, err);
	if (st == NA_OK)
		st = na_ns_read_kernels(in, err);
	if (st == NA_OK)
		st = read_calls(in, &calls, err);
	if (st == NA_OK)
		st = na_ns_rank(in, err);
	if (st == NA_OK)
		st = na_ns_about(in, calls, err);
	na_ns_close(&x->db);
	return st;
}

static enum na_status open_nsight(struct na_input *in, struct na_err *err)
{
	in->state = calloc(1, sizeof(struct na_ns));
	return in->state ? survey(in, err) : na_fail_nomem(err);
}

static void close_nsight(struct na_input *in)
{
	struct na_ns *x = in->state;

	na_strtab_fini(&x->names);
	na_idmap_fini(&x->word_of);
	na_triples_fini(&x->slot_keys);
	na_triples_fini(&x->stream_keys);
	na_vec_free(&x->words);
	na_vec_free(&x->slots);
	na_vec_free(&x->streams);
	na_vec_free(&x->talks);
	na_vec_free(&x->ranges);
	na_vec_free(&x->steps);
	na_vec_free(&x->inits);
	na_vec_free(&x->members);
	na_vec_free(&x->groups);
	na_vec_free(&x->layouts);
	na_vec_free(&x->blocks);
	free(x);
	in->state = NULL;
}

/* ---- blocks: the kernels, and with the first of them the steps */

static enum na_status cut(struct na_input *in, struct na_block *b,
			  struct na_err *err)
{
	struct na_ns *x = in->state;
	size_t n = x->blocks.n, i = x->next;

	(void)err;
	if (i == n)
		return NA_END;
	*b = (struct na_block){&x->blocks.v[i], in->data + in->size / n * i,
			       i + 1 < n ? in->data + in->size / n * (i + 1)
					 : in->data + in->size};
	x->next++;
	return NA_OK;
}

struct reading {
	const struct na_input *in;
	const struct na_ns *x;
	const struct na_sink *sink;
	struct na_err *err;
	size_t talk; /* the next of them */
};

static bool times_of(const struct reading *r, int64_t start_ns, int64_t end_ns,
		     int64_t *start_ps, int64_t *end_ps)
{
	return na_add_i64(start_ns, r->x->shift_ns, &start_ns) &&
	       na_add_i64(end_ns, r->x->shift_ns, &end_ns) &&
	       na_ps_since(start_ns, r->in->zero_ns, start_ps) &&
	       na_ps_since(end_ns, r->in->zero_ns, end_ps) &&
	       *start_ps <= *end_ps && *end_ps - *start_ps <= NA_OP_MAX_PS;
}

static void damaged(const struct reading *r)
{
	r->sink->left_out(r->sink->ctx, NA_LEFT_DAMAGED, 1);
}

static uint32_t name_of(const struct reading *r, uint32_t name)
{
	const struct na_interned *s = &r->x->names.names[name];

	return r->sink->name(r->sink->ctx, s->s, s->len);
}

static struct na_text text_of(const struct reading *r, uint32_t name)
{
	const struct na_interned *s = &r->x->names.names[name];

	return na_text_n(s->s, s->len);
}

static uint32_t stream_of(const struct na_ns *x, const struct na_ns_talk *t)
{
	const struct na_triple key = {t->slot, t->stream, 0};

	return x->streams.v[na_triples_find(&x->stream_keys, key)].ordinal;
}

static enum na_status talks(struct reading *r, const struct na_ns_talk *t,
			    uint32_t core, int64_t start_ps, int64_t end_ps)
{
	const struct na_ns_group *g = na_ns_group_of(r->x, t->communicator);
	uint32_t group = g ? name_of(r, g->name) : NA_UNKNOWN_U32;
	const struct na_rank_op op = {
		.comm = {.start_ps = start_ps,
			 .end_ps = end_ps,
			 .sequence = -1,
			 .size_bytes = t->size_bytes,
			 .group = group,
			 .group_size = g ? g->size : 0,
			 .type = NA_UNKNOWN_U32,
			 .stream = stream_of(r->x, t),
			 .peer = t->peer,
			 .operation = t->opcode,
			 .source = NA_COMM_KERNEL},
		.core = core,
		.rank = r->x->slots.v[t->slot].rank,
		.name = text_of(r, t->name),
		.kernel = text_of(r, t->kernel),
		.collective = group,
	};

	return na_rank_op_put(r->in, r->sink, &op);
}

/* The kernel of this row, where it communicates. */
static const struct na_ns_talk *talk_at(struct reading *r, int64_t row)
{
	const struct na_ns *x = r->x;

	while (r->talk < x->talks.n && x->talks.v[r->talk].row < row)
		r->talk++;
	return r->talk < x->talks.n && x->talks.v[r->talk].row == row
		       ? &x->talks.v[r->talk]
		       : NULL;
}

static enum na_status kernel(struct reading *r, const struct na_ns_rows *row)
{
	int64_t start, end, device, process = 0, start_ps, end_ps;
	const struct na_ns_talk *t = talk_at(r, row->row);
	struct na_triple key;
	uint32_t slot, core;

	if (!na_ns_int(row, K_START, &start) || !na_ns_int(row, K_END, &end) ||
	    !na_ns_int(row, K_DEVICE, &device) ||
	    !times_of(r, start, end, &start_ps, &end_ps)) {
		damaged(r);
		return NA_OK;
	}
	na_ns_int(row, K_PID, &process);
	process = (int64_t)NA_NS_PROCESS(process);
	key = (struct na_triple){(uint32_t)((uint64_t)process >> 32),
				 (uint32_t)process, (uint32_t)device};
	slot = na_triples_find(&r->x->slot_keys, key);
	if (slot == NA_NO_TRIPLE) {
		damaged(r);
		return NA_OK;
	}
	if (!t && !(r->in->wants & NA_WANT_BUSY))
		return NA_OK;
	core = r->sink->core(r->sink->ctx, NA_DEVICE_RANK,
			     r->x->slots.v[slot].rank);
	if (t)
		return talks(r, t, core, start_ps, end_ps);
	return r->sink->busy(r->sink->ctx, core, start_ps, end_ps);
}

/* A step of a process is one of each of its ranks. */
static enum na_status step(const struct reading *r, const struct na_ns_range *s)
{
	uint64_t process = r->x->has_processes ? NA_NS_PROCESS(s->thread) : 0;
	const struct na_ns *x = r->x;
	enum na_status st = NA_OK;
	int64_t start_ps, end_ps;

	if (!times_of(r, s->start_ns, s->end_ns, &start_ps, &end_ps)) {
		damaged(r);
		return NA_OK;
	}
	for (size_t i = 0; st == NA_OK && i < x->slots.n; i++) {
		struct na_span span = {.kind = NA_SPAN_STEP,
				       .start_ps = start_ps,
				       .end_ps = end_ps,
				       .number = s->number,
				       .plane = x->slots.v[i].rank,
				       .device = NA_DEVICE_RANK};

		if (x->slots.v[i].process != process)
			continue;
		span.name = name_of(r, s->name);
		st = r->sink->span(r->sink->ctx, &span);
	}
	return st;
}

static enum na_status steps(const struct reading *r,
			    const struct na_ns_block *b)
{
	enum na_status st = NA_OK;

	if (b != r->x->blocks.v || !(r->in->wants & NA_WANT_STEPS))
		return NA_OK;
	for (size_t i = 0; st == NA_OK && i < r->x->steps.n; i++)
		st = step(r, &r->x->steps.v[i]);
	return st;
}

static enum na_status read_rows(struct reading *r, struct na_ns_db *db,
				const struct na_ns_block *b)
{
	struct na_err lost = {.status = NA_OK};
	enum na_status st, took = NA_OK;
	struct na_ns_rows rows;

	st = na_ns_rows(db, NS_KERNELS, b->from, b->to, &rows, &lost);
	while (st == NA_OK && took == NA_OK && rows.n < b->rows) {
		st = na_ns_next(&rows, &lost);
		if (st == NA_OK)
			took = kernel(r, &rows);
	}
	na_ns_end(&rows);
	if (lost.status == NA_ENOMEM)
		return na_fail_nomem(r->err);
	if (lost.status != NA_OK)
		damaged(r);
	return took;
}

static enum na_status read_nsight(const struct na_input *in,
				  const struct na_block *b,
				  const struct na_sink *sink,
				  struct na_err *err)
{
	const struct na_ns_block *block = b->owner;
	struct reading r = {in, in->state, sink, err, block->talks};
	struct na_ns_db db;
	enum na_status st = steps(&r, block);

	if (st != NA_OK || !(in->wants & (TALKS | NA_WANT_BUSY)))
		return st;
	st = na_ns_open(&db, in->data, in->size, err);
	if (st == NA_OK)
		st = read_rows(&r, &db, block);
	na_ns_close(&db);
	return st;
}

const struct na_reader na_reader_nsight = {
	.name = "nsight",
	.ranks = true,
	.sniff = sniff,
	.open = open_nsight,
	.cut = cut,
	.read = read_nsight,
	.close = close_nsight,
};
