#include "netan/engine/mpi/send_records.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/engine/hashing.h"
#include "netan/engine/mpi/local_records.h"

/* Of so many records that a sum over all inputs has room. */
#define COUNT_MAX (UINT64_C(1) << 40)

/* ---- names and devices */

void na_records_put_names(struct na_xf_bytes *to, const struct na_names *t)
{
	na_xf_put_varint(to, t->strings.n);
	for (size_t i = 0; i < t->strings.n; i++)
		na_tell_run(to, t->strings.names[i].s, t->strings.names[i].len);
	na_xf_put_varint(to, t->n_endpoints);
	for (size_t i = 0; i < t->n_endpoints; i++) {
		na_tell_number(to, t->endpoints[i].slice);
		na_tell_number(to, t->endpoints[i].device);
	}
}

static void put_devices(struct na_xf_bytes *to, const struct na_devices *d)
{
	na_xf_put_varint(to, d->n_cores);
	for (size_t i = 0; i < d->n_cores; i++) {
		na_xf_put_varint(to, d->cores[i].kind);
		na_xf_put_varint(to, d->cores[i].input);
		na_tell_number(to, d->cores[i].number);
		na_xf_put_varint(to, d->cores[i].tangled);
	}
	na_tell_run(to, d->types.items, d->types.n * sizeof(*d->types.items));
	na_xf_put_varint(to, d->n_ordinals);
	for (size_t i = 0; i < d->n_ordinals; i++)
		na_xf_put_varint(to, d->ordinals[i]);
}

void na_records_put_local(struct na_xf_bytes *to, const struct na_store *s,
			  struct na_range r)
{
	for (size_t i = r.from; i < r.to; i++) {
		na_xf_put_varint(to, s->n_local[i]);
		for (size_t k = 0; k < s->n_local[i]; k++)
			na_xf_put_varint(to, s->local[i][k]);
	}
}

static enum na_status send_names(struct na_session *s, struct na_range r,
				 struct na_err *err)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_NAMES);

	na_records_put_names(&m, &s->store.names);
	put_devices(&m, &s->store.devices);
	na_records_put_local(&m, &s->store, r);
	na_xf_put_varint(&m, s->store.n_unknown);
	for (size_t i = 0; i < s->store.n_unknown; i++) {
		na_xf_put_varint(&m, s->store.unknown[i].name);
		na_xf_put_varint(&m, s->store.unknown[i].n);
	}
	s->store.n_unknown = 0;
	return na_message_send(s->request->mpi, 0, &m, err);
}

bool na_records_get_names(struct na_cursor *c, struct na_names *t)
{
	struct na_text x;
	int64_t slice, device;
	size_t n;

	if (!na_hear_count(c, 1, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		/* In another order they would be told twice. */
		if (!na_hear_run(c, &x) ||
		    na_strtab_add(&t->strings, x.s, x.n) != i)
			return false;
	}
	if (!na_hear_count(c, 2, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!na_hear_number(c, &slice) || slice != (int32_t)slice ||
		    !na_hear_number(c, &device) || device != (int32_t)device ||
		    (slice == NA_ADDRESS &&
		     (device < 0 || (uint64_t)device >= t->strings.n)) ||
		    na_names_endpoint(t, (int32_t)slice, (int32_t)device) != i)
			return false;
	}
	return true;
}

static bool get_cores(struct na_cursor *c, struct na_devices *d,
		      struct na_range r, struct na_translation *to)
{
	if (!na_hear_count(c, 4, &to->n_cores))
		return false;
	to->m.cores = na_calloc(to->n_cores, sizeof(*to->m.cores));
	for (size_t i = 0; to->m.cores && i < to->n_cores; i++) {
		size_t kind, input, tangled;
		int64_t number;

		if (!na_hear_index(c, NA_DEVICE_RANK + 1, &kind) ||
		    !na_hear_index(c, r.to, &input) ||
		    !na_hear_number(c, &number) || number != (int32_t)number ||
		    !na_hear_index(c, 2, &tangled))
			return false;
		to->m.cores[i] = na_devices_core(d, (enum na_device_kind)kind,
						 (uint32_t)input,
						 (int32_t)number);
		if (to->m.cores[i] == UINT32_MAX)
			return false;
		d->cores[to->m.cores[i]].tangled |= tangled;
	}
	return to->m.cores;
}

static bool sane_type(const struct na_op_type *t, size_t inputs)
{
	uint8_t uneven;

	memcpy(&uneven, &t->uneven, 1);
	return t->opcode < NA_N_OPCODES && t->phase <= NA_OP_DONE &&
	       t->network < NA_N_NETWORKS && t->joined < NA_N_OPJOINS &&
	       uneven < 2 && t->input < inputs;
}

static bool get_types(struct na_cursor *c, struct na_devices *d,
		      struct na_range r, struct na_translation *to)
{
	const struct na_maps *m = &to->m;
	struct na_text run;

	if (!na_hear_run(c, &run) || run.n % sizeof(struct na_op_type))
		return false;
	to->n_types = run.n / sizeof(struct na_op_type);
	to->m.types = na_calloc(to->n_types, sizeof(*to->m.types));
	for (size_t i = 0; to->m.types && i < to->n_types; i++) {
		struct na_op_type t;

		memcpy(&t, run.s + i * sizeof(t), sizeof(t));
		if (!sane_type(&t, r.to))
			return false;
		na_op_type_rename(&t, m);
		to->m.types[i] = na_devices_type(d, &t);
		if (to->m.types[i] == UINT32_MAX)
			return false;
	}
	return to->m.types;
}

static bool get_ordinals(struct na_cursor *c, struct na_devices *d,
			 const struct na_maps *m)
{
	size_t n, ordinal;

	if (!na_hear_count(c, 1, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!na_hear_index(c, UINT64_C(1) << 32, &ordinal))
			return false;
		if (ordinal != NA_UNKNOWN_U32 && i < m->n_endpoints &&
		    !na_devices_ordinal(d, m->endpoints[i], (uint32_t)ordinal))
			return false;
	}
	return true;
}

bool na_records_get_local(struct na_cursor *c, struct na_store *s,
			  struct na_range r, const struct na_maps *m)
{
	for (size_t i = r.from; i < r.to; i++) {
		size_t n, at;
		uint32_t *local;

		if (!na_hear_count(c, 1, &n) || s->local[i])
			return false;
		local = n ? na_calloc(n, sizeof(*local)) : NULL;
		if (n && !local)
			return false;
		s->local[i] = local;
		for (size_t k = 0; k < n; k++) {
			if (!na_hear_index(c, m->n_endpoints, &at))
				return false;
			local[k] = m->endpoints[at];
		}
		s->n_local[i] = n;
		if (n)
			na_sort(local, n, na_order_u32);
	}
	return true;
}

static bool get_unknown(struct na_cursor *c, struct na_store *s,
			const struct na_maps *m)
{
	size_t n, name;
	uint64_t times;

	if (!na_hear_count(c, 2, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!na_hear_index(c, m->n_names, &name) ||
		    !na_varint(c, &times) || times > COUNT_MAX ||
		    !na_store_unknown(s, m->names[name], times))
			return false;
	}
	return true;
}

static void translation_fini(struct na_translation *t)
{
	free(t->m.names);
	free(t->m.endpoints);
	free(t->m.cores);
	free(t->m.types);
	*t = (struct na_translation){.n_cores = 0};
}

static bool take_names(struct na_session *s, struct na_range r,
		       struct na_cursor *c, struct na_translation *to)
{
	struct na_store *store = &s->store;
	struct na_names names = {.n_endpoints = 0};
	uint32_t *maps[2] = {NULL, NULL};
	bool ok = na_records_get_names(c, &names) &&
		  na_names_merge(&store->names, &names, maps);

	to->m.names = maps[0];
	to->m.endpoints = maps[1];
	to->m.n_names = names.strings.n;
	to->m.n_endpoints = names.n_endpoints;
	na_names_fini(&names);
	return ok && get_cores(c, &store->devices, r, to) &&
	       get_types(c, &store->devices, r, to) &&
	       get_ordinals(c, &store->devices, &to->m) &&
	       na_records_get_local(c, store, r, &to->m) &&
	       get_unknown(c, store, &to->m) &&
	       store->devices.n_cores <= NA_CORES_MAX;
}

void na_translations_free(struct na_mpi *t)
{
	for (size_t r = 0; t->of && r < t->world->size; r++)
		translation_fini(&t->of[r]);
	free(t->of);
	t->of = NULL;
}

/* ---- programs */

struct telling {
	const struct na_mpi *t;
	size_t input;
};

static enum na_status send_program(void *ctx, const struct na_program_bytes *x,
				   struct na_err *err)
{
	const struct telling *to = ctx;
	struct na_xf_bytes m = na_message_of(NA_MSG_PROGRAM);

	na_xf_put_varint(&m, to->input);
	na_tell_run(&m, x->name.s, x->name.n);
	na_xf_put_varint(&m, x->id);
	na_xf_put_varint(&m, x->at);
	na_tell_run(&m, x->p, x->n);
	return na_message_send(to->t, 0, &m, err);
}

static enum na_status send_programs(struct na_session *s, struct na_range r,
				    struct na_err *err)
{
	struct telling to = {.t = s->request->mpi};
	enum na_status st = NA_OK;

	for (to.input = r.from; st == NA_OK && to.input < r.to; to.input++) {
		struct na_input *in = &s->inputs[to.input];

		if (s->wants & NA_WANT_PROGRAMS && in->reader->program_bytes)
			st = in->reader->program_bytes(in, send_program, &to,
						       err);
	}
	return st;
}

static bool take_program(struct na_session *s, struct na_range r,
			 struct na_cursor *c)
{
	struct na_program_bytes x = {.id = 0};
	struct na_text run;
	struct na_input *in;
	size_t i, n;
	void *p;

	if (!na_hear_index(c, r.to, &i) || i < r.from ||
	    !na_hear_run(c, &x.name) || !na_varint(c, &x.id) ||
	    !na_varint(c, &x.at) || !na_hear_run(c, &run))
		return false;
	in = &s->inputs[i];
	n = in->n_programs;
	/* Room doubles at powers of two. */
	if ((n & (n - 1)) == 0) {
		p = na_arena_alloc(&in->arena,
				   (n ? 2 * n : 1) * sizeof(*in->programs));
		if (!p)
			return false;
		if (n)
			memcpy(p, in->programs, n * sizeof(*in->programs));
		in->programs = p;
	}
	x.name.s = na_arena_strn(&in->arena, x.name.s, x.name.n);
	x.p = na_arena_strn(&in->arena, run.s, run.n);
	x.n = run.n;
	in->programs[in->n_programs++] = x;
	return x.name.s && x.p;
}

/* ---- counts */

static enum na_status send_tallies(struct na_session *s, struct na_range r,
				   struct na_err *err)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_TALLIES);
	const struct na_store *store = &s->store;

	if (s->request->hashes)
		na_hash_range(s, r.from, r.to);
	for (size_t i = r.from; i < r.to; i++) {
		size_t n = store->n_remarks[i];

		na_tell_run(&m, &store->tallies[i], sizeof(store->tallies[i]));
		na_facts_put(&m, &s->inputs[i]);
		na_xf_put_varint(&m, n);
		for (size_t k = 0; k < n && k < NA_REMARKS_MAX; k++) {
			const struct na_remark *x =
				&store->remarks[i * NA_REMARKS_MAX + k];

			na_xf_put_varint(&m, x->at);
			na_tell_words(&m, x->text);
		}
	}
	na_xf_put_varint(&m, s->interrupted);
	return na_message_send(s->request->mpi, 0, &m, err);
}

static bool take_remarks(struct na_store *s, size_t input, struct na_cursor *c)
{
	size_t n;

	if (!na_hear_index(c, SIZE_MAX, &n))
		return false;
	s->n_remarks[input] = n;
	for (size_t k = 0; k < n && k < NA_REMARKS_MAX; k++) {
		struct na_remark *x = &s->remarks[input * NA_REMARKS_MAX + k];
		struct na_text text;
		size_t there;

		free(x->text);
		x->text = NULL;
		if (!na_varint(c, &x->at) || !na_hear_index(c, 2, &there))
			return false;
		if (!there)
			continue;
		if (!na_hear_run(c, &text))
			return false;
		x->text = strndup(text.s, text.n);
		if (!x->text)
			return false;
	}
	return true;
}

static bool sane_tally(const struct na_tally *t)
{
	const uint64_t *counts = (const void *)t;
	size_t n = offsetof(struct na_tally, seen) / sizeof(*counts);

	for (size_t i = 0; i < n; i++) {
		if (counts[i] > COUNT_MAX)
			return false;
	}
	return true;
}

static bool take_tallies(struct na_session *s, struct na_range r,
			 struct na_cursor *c)
{
	struct na_store *store = &s->store;
	size_t interrupted;

	for (size_t i = r.from; i < r.to; i++) {
		struct na_text run;

		if (!na_hear_run(c, &run) || run.n != sizeof(store->tallies[i]))
			return false;
		memcpy(&store->tallies[i], run.s, run.n);
		if (!sane_tally(&store->tallies[i]) ||
		    !na_facts_reread(c, &s->inputs[i]) ||
		    !take_remarks(store, i, c))
			return false;
	}
	if (!na_hear_index(c, 2, &interrupted))
		return false;
	s->interrupted |= interrupted;
	return true;
}

/* ---- records */

enum { RECORD_BYTES = 1 << 20 }; /* of one message, about */

static enum na_status flush(const struct na_mpi *t, enum na_record_kind kind,
			    struct na_xf_bytes *rows, struct na_xf_bytes *wide,
			    struct na_err *err)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_RECORDS);
	bool failed = rows->failed || wide->failed;

	na_xf_put_varint(&m, kind);
	na_tell_run(&m, rows->p, rows->n);
	na_tell_run(&m, wide->p, wide->n);
	rows->n = 0;
	wide->n = 0;
	m.failed |= failed;
	return na_message_send(t, 0, &m, err);
}

/* A record that is kept wide goes behind its message's others. */
static void put_wide_transfers(struct na_xf_bytes *wide,
			       const struct na_chunk *c)
{
	const struct na_packed_transfer *x = (const void *)c->data;

	for (size_t i = 0; i < c->n; i++) {
		if (x[i].klass == NA_N_CLASSES)
			na_xf_put(wide, x[i].wide, sizeof(*x[i].wide));
	}
}

static void put_wide_execs(struct na_xf_bytes *wide, const struct na_chunk *c)
{
	const struct na_packed_exec *x = (const void *)c->data;

	for (size_t i = 0; i < c->n; i++) {
		if (x[i].style == NA_N_STYLES)
			na_xf_put(wide, x[i].wide, sizeof(*x[i].wide));
	}
}

static enum na_status send_chunks(const struct na_mpi *t,
				  struct na_chunk_list *chunks,
				  enum na_record_kind kind, struct na_err *err)
{
	struct na_xf_bytes rows = {.p = NULL}, wide = {.p = NULL};
	enum na_status st = NA_OK;

	for (; st == NA_OK && chunks->first; na_chunks_drop_first(chunks)) {
		const struct na_chunk *c = chunks->first;

		na_xf_put(&rows, c->data, c->n * chunks->size);
		if (kind == NA_RECORDS_TRANSFERS)
			put_wide_transfers(&wide, c);
		else if (kind == NA_RECORDS_GRAPHS ||
			 kind == NA_RECORDS_ACTIONS)
			put_wide_execs(&wide, c);
		if (rows.n + wide.n >= RECORD_BYTES)
			st = flush(t, kind, &rows, &wide, err);
	}
	if (st == NA_OK && rows.n)
		st = flush(t, kind, &rows, &wide, err);
	na_xf_bytes_fini(&rows);
	na_xf_bytes_fini(&wide);
	return st;
}

enum na_status na_records_send(struct na_session *s, struct na_range r,
			       struct na_err *err)
{
	const struct na_mpi *t = s->request->mpi;
	enum na_status st = na_local_records_keep(s, r, err);

	if (st == NA_OK)
		st = send_names(s, r, err);
#define NA_RECORD(KIND, chunks, ...) \
	if (st == NA_OK) \
		st = send_chunks(t, &s->store.chunks, NA_RECORDS_##KIND, err);
#include "netan/model/records.def"
	if (st == NA_OK)
		st = send_programs(s, r, err);
	return st == NA_OK ? send_tallies(s, r, err) : st;
}

static enum na_status take_message(struct na_session *s, size_t rank,
				   struct na_range r, struct na_message *m,
				   struct na_err *err)
{
	struct na_translation *t = &s->request->mpi->of[rank];
	bool no_memory = false, ok = false;

	switch (m->kind) {
	case NA_MSG_NAMES:
		translation_fini(t);
		ok = take_names(s, r, &m->c, t);
		break;
	case NA_MSG_RECORDS:
		ok = na_records_take(&s->store, t, r, &m->c, &no_memory);
		break;
	case NA_MSG_PROGRAM:
		ok = take_program(s, r, &m->c);
		break;
	case NA_MSG_TALLIES:
		ok = take_tallies(s, r, &m->c);
		break;
	case NA_MSG_KEPT:
		ok = na_local_records_heard(s, r, &m->c);
		break;
	default:
		break;
	}
	if (no_memory)
		return na_fail_nomem(err);
	return ok ? NA_OK : na_message_broken(rank, err);
}

enum na_status na_records_receive(struct na_session *s, size_t rank,
				  struct na_range r, struct na_err *err)
{
	struct na_mpi *t = s->request->mpi;
	enum na_status st = NA_OK;
	bool over = false;

	if (!t->of)
		t->of = na_calloc(t->world->size, sizeof(*t->of));
	if (!t->of)
		return na_fail_nomem(err);
	while (st == NA_OK && !over) {
		struct na_message m;

		st = na_message_next(t, rank, &m, err);
		if (st != NA_OK)
			break;
		over = m.kind == NA_MSG_TALLIES;
		st = take_message(s, rank, r, &m, err);
		free(m.p);
	}
	return st;
}
