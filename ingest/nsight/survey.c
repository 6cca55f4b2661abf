/* From tables to memory, while the file is opened: one pass over each. */
#include <inttypes.h>
#include <stdlib.h>

#include "ingest/nsight/nsight.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/model/device.h"

enum { MAX_SLOTS = 4096, MAX_STREAMS = 65536, BLOCK_ROWS = 65536 };

enum na_status na_ns_each(struct na_input *in, enum na_ns_table table,
			  na_ns_one one, void *ctx, struct na_err *err)
{
	struct na_err damage = {.status = NA_OK};
	struct na_ns *x = in->state;
	struct na_ns_rows rows;
	enum na_status st;

	if (!na_ns_has(&x->db, table))
		return NA_OK;
	st = na_ns_rows(&x->db, table, INT64_MIN, INT64_MAX, &rows, &damage);
	while (st == NA_OK) {
		st = na_ns_next(&rows, &damage);
		if (st == NA_OK && (st = one(ctx, in, &rows, err)) != NA_OK)
			break;
	}
	na_ns_end(&rows);
	if (damage.status == NA_ENOMEM)
		return na_fail_nomem(err);
	if (damage.status != NA_OK) {
		in->damaged = true;
		na_input_warn(in,
			      "%s; its rows before that are read, the rest is "
			      "lost (export it again with nsys export)",
			      damage.text);
		return NA_OK;
	}
	return st == NA_END ? NA_OK : st;
}

/* ---- StringIds */

static enum na_status add_string(void *ctx, struct na_input *in,
				 const struct na_ns_rows *row,
				 struct na_err *err)
{
	struct na_ns *x = in->state;
	struct na_ns_word word;
	int64_t id;

	(void)ctx;
	if (!na_ns_int(row, S_ID, &id) ||
	    !na_ns_word(x, na_ns_text(row, S_VALUE), &word))
		return NA_OK;
	return word.name != NA_NO_NAME &&
			       na_idmap_set(&x->word_of, id,
					    (uint32_t)x->words.n) &&
			       na_add(&x->words, word)
		       ? NA_OK
		       : na_fail_nomem(err);
}

enum na_status na_ns_read_strings(struct na_input *in, struct na_err *err)
{
	return na_ns_each(in, NS_STRINGS, add_string, NULL, err);
}

/* The word with the id in a column; NULL: none that matters. */
static const struct na_ns_word *
word_at(const struct na_ns *x, const struct na_ns_rows *row, int column)
{
	uint32_t at;
	int64_t id;

	if (!na_ns_int(row, column, &id))
		return NULL;
	at = na_idmap_at(&x->word_of, id);
	return at < x->words.n ? &x->words.v[at] : NULL;
}

/* ---- kernels */

static enum na_status slot_of(struct na_ns *x, uint64_t process,
			      uint32_t device, uint32_t *slot,
			      struct na_err *err)
{
	struct na_triple key = {(uint32_t)(process >> 32), (uint32_t)process,
				device};
	struct na_ns_slot *s = na_triples_at(&x->slot_keys, &x->slots, key);

	if (!s)
		return na_fail_nomem(err);
	if (x->slots.n > MAX_SLOTS)
		return na_fail(err, NA_ELIMIT,
			       "kernels of more than %d devices in one file",
			       MAX_SLOTS);
	*slot = (uint32_t)(s - x->slots.v);
	if (!s->kernels++)
		*s = (struct na_ns_slot){process, device, -1, 1, 0};
	return NA_OK;
}

static enum na_status count_stream(struct na_ns *x, uint32_t slot,
				   uint32_t number, bool talks,
				   struct na_err *err)
{
	struct na_triple key = {slot, number, 0};
	struct na_ns_stream *s = na_triples_at(&x->stream_keys, &x->streams,
					       key);

	if (!s)
		return na_fail_nomem(err);
	if (x->streams.n > MAX_STREAMS)
		return na_fail(err, NA_ELIMIT,
			       "kernels of more than %d streams in one file",
			       MAX_STREAMS);
	s->slot = slot;
	s->number = number;
	s->kernels++;
	s->talks += talks;
	return NA_OK;
}

static bool to_block(struct na_ns *x, int64_t row)
{
	struct na_ns_block *last = x->blocks.n ? &x->blocks.v[x->blocks.n - 1]
					       : NULL;

	if (last && last->rows < BLOCK_ROWS) {
		last->to = row;
		last->rows++;
		return true;
	}
	return na_add(&x->blocks,
		      ((struct na_ns_block){row, row, 1, x->talks.n}));
}

/* The kernel's name, where it is one that communicates. */
static const struct na_ns_word *talk_word(const struct na_ns *x,
					  const struct na_ns_rows *row)
{
	const struct na_ns_word *word = word_at(x, row, K_SHORT);

	if (!word || !word->talks)
		word = word_at(x, row, K_LONG);
	return word && word->talks ? word : NULL;
}

static enum na_status add_talk(struct na_ns *x, const struct na_ns_rows *row,
			       uint32_t slot, uint32_t stream,
			       const struct na_ns_word *word,
			       struct na_err *err)
{
	struct na_ns_talk t = {
		.row = row->row,
		.call = -1,
		.process = x->slots.v[slot].process,
		.size_bytes = NA_UNKNOWN_U64,
		.name = word->name,
		.kernel = word->name,
		.peer = -1,
		.slot = slot,
		.stream = stream,
		.opcode = word->opcode,
	};

	na_ns_int(row, K_CALL, &t.call);
	x->slots.v[slot].talks++;
	return na_add(&x->talks, t) ? NA_OK : na_fail_nomem(err);
}

static enum na_status add_kernel(void *ctx, struct na_input *in,
				 const struct na_ns_rows *row,
				 struct na_err *err)
{
	const struct na_ns_word *word;
	int64_t start, end, device, stream = 0, process = 0;
	struct na_ns *x = in->state;
	enum na_status st;
	uint32_t slot = 0;

	(void)ctx;
	if (!to_block(x, row->row))
		return na_fail_nomem(err);
	/* What is no kernel is counted where it is read again. */
	if (!na_ns_int(row, K_START, &start) || !na_ns_int(row, K_END, &end) ||
	    !na_ns_int(row, K_DEVICE, &device) || device < 0 ||
	    device > INT32_MAX || end < start)
		return NA_OK;
	na_ns_int(row, K_STREAM, &stream);
	na_ns_int(row, K_PID, &process);
	if (!x->n_kernels++ || start < x->first_ns)
		x->first_ns = start;
	word = talk_word(x, row);
	st = slot_of(x, NA_NS_PROCESS(process), (uint32_t)device, &slot, err);
	if (st == NA_OK)
		st = count_stream(x, slot, (uint32_t)stream, word != NULL, err);
	if (st == NA_OK && word)
		st = add_talk(x, row, slot, (uint32_t)stream, word, err);
	return st;
}

NA_ORDER(by_number, struct na_ns_stream *, NA_CMP((*x)->slot, (*y)->slot),
	 NA_CMP((*x)->number, (*y)->number))

static bool count_streams(struct na_ns *x)
{
	struct na_ns_stream **v = na_calloc(x->streams.n, sizeof(*v));
	uint32_t next = 0;

	for (size_t i = 0; v && i < x->streams.n; i++)
		v[i] = &x->streams.v[i];
	if (v)
		na_sort(v, x->streams.n, by_number);
	for (size_t i = 0; v && i < x->streams.n; i++) {
		if (i && v[i]->slot != v[i - 1]->slot)
			next = 0;
		v[i]->ordinal = next;
		next += v[i]->talks > 0;
	}
	free(v);
	return v != NULL;
}

enum na_status na_ns_read_kernels(struct na_input *in, struct na_err *err)
{
	struct na_ns *x = in->state;
	enum na_status st;

	x->has_processes = na_ns_has_column(&x->db, NS_KERNELS, K_PID);
	st = na_ns_each(in, NS_KERNELS, add_kernel, NULL, err);
	if (st == NA_OK && !count_streams(x))
		st = na_fail_nomem(err);
	return st;
}

/* ---- the calls that launched those which communicate */

struct want {
	uint64_t process;
	int64_t call;
	size_t talk;
};

NA_ORDER(by_call, struct want, NA_UP(process), NA_UP(call), NA_UP(talk))

struct launches {
	NA_VEC(struct want) wants;
};

static bool list_wants(const struct na_ns *x, struct launches *l)
{
	for (size_t i = 0; i < x->talks.n; i++) {
		const struct na_ns_talk *t = &x->talks.v[i];

		if (t->call >= 0 &&
		    !na_add(&l->wants, ((struct want){t->process, t->call, i})))
			return false;
	}
	na_sort(l->wants.v, l->wants.n, by_call);
	return true;
}

/* A graph's kernels all have the call of its launch. */
static void launched(struct na_ns *x, const struct launches *l,
		     const struct na_ns_rows *row)
{
	int64_t start, call, thread;
	const struct want *v = l->wants.v;
	uint64_t process;
	size_t at;

	if (!na_ns_int(row, L_START, &start) ||
	    !na_ns_int(row, L_CALL, &call) || !na_ns_int(row, L_TID, &thread))
		return;
	process = x->has_processes ? NA_NS_PROCESS(thread) : 0;
	at = NA_BOUND(i, 0, l->wants.n,
		      v[i].process > process ||
			      (v[i].process == process && v[i].call >= call));
	for (;
	     at < l->wants.n && v[at].process == process && v[at].call == call;
	     at++) {
		struct na_ns_talk *t = &x->talks.v[v[at].talk];

		if (t->launched)
			return; /* several rows of one call */
		t->launched = true;
		t->launch_ns = start;
		t->thread = (uint64_t)thread;
	}
}

static enum na_status add_launch(void *ctx, struct na_input *in,
				 const struct na_ns_rows *row,
				 struct na_err *err)
{
	(void)err;
	launched(in->state, ctx, row);
	return NA_OK;
}

enum na_status na_ns_read_launches(struct na_input *in, struct na_err *err)
{
	struct launches l = {.wants = {.v = NULL}};
	struct na_ns *x = in->state;
	enum na_status st;

	st = list_wants(x, &l) ? NA_OK : na_fail_nomem(err);
	if (st == NA_OK && l.wants.n)
		st = na_ns_each(in, NS_LAUNCHES, add_launch, &l, err);
	na_vec_free(&l.wants);
	return st;
}

/* ---- ranges */

enum { PUSH_POP = 59, START_END = 60 };

static bool word_of_range(struct na_ns *x, const struct na_ns_rows *row,
			  struct na_ns_word *word)
{
	struct na_text text = na_ns_text(row, R_TEXT);
	const struct na_ns_word *known;

	if (text.n)
		return na_ns_word(x, text, word);
	known = word_at(x, row, R_TEXT_ID);
	if (known)
		*word = *known;
	return known != NULL;
}

static enum na_status keep_range(struct na_ns *x, const struct na_ns_range *r,
				 struct na_err *err)
{
	bool ok;

	if (r->kind == NS_STEP)
		ok = na_add(&x->steps, *r);
	else if (r->kind == NS_INIT)
		ok = na_add(&x->inits, *r);
	else
		ok = na_add(&x->ranges, *r);
	return ok ? NA_OK : na_fail_nomem(err);
}

static enum na_status add_range(void *ctx, struct na_input *in,
				const struct na_ns_rows *row,
				struct na_err *err)
{
	int64_t type = PUSH_POP, thread = 0, domain = 0;
	struct na_ns *x = in->state;
	struct na_ns_word word;
	struct na_ns_range r;
	struct na_text blob;

	(void)ctx;
	na_ns_int(row, R_TYPE, &type);
	if (type != PUSH_POP && type != START_END)
		return NA_OK;
	if (!word_of_range(x, row, &word) || word.kind == NS_OTHER)
		return NA_OK;
	if (word.name == NA_NO_NAME)
		return na_fail_nomem(err);
	r = (struct na_ns_range){.size_bytes = NA_UNKNOWN_U64,
				 .number = word.number,
				 .peer = -1,
				 .name = word.name,
				 .kind = word.kind,
				 .opcode = word.opcode};
	/* Without an end: cut off by the profile's. */
	if (!na_ns_int(row, R_START, &r.start_ns) ||
	    !na_ns_int(row, R_END, &r.end_ns) || r.end_ns < r.start_ns)
		return NA_OK;
	na_ns_int(row, R_TID, &thread);
	na_ns_int(row, R_DOMAIN, &domain);
	r.thread = (uint64_t)thread;
	blob = na_ns_blob(row, R_BLOB);
	x->n_blobs += blob.n > 0;
	x->n_payloads += na_ns_payload(x, blob, domain, &r) ||
			 na_ns_payload_text(na_ns_text(row, R_JSON), &r);
	return keep_range(x, &r, err);
}

enum na_status na_ns_read_ranges(struct na_input *in, struct na_err *err)
{
	return na_ns_each(in, NS_RANGES, add_range, NULL, err);
}
