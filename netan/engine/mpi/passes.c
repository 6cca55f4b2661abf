#include "netan/engine/mpi/passes.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/engine/mpi/local_records.h"

static struct na_mpi *of(const struct drive *d)
{
	return d->s->request->mpi;
}

bool na_passes_shared(const struct drive *d)
{
	return na_keeps_local_records(d->s);
}

bool na_passes_elsewhere(const struct drive *d)
{
	return na_passes_shared(d) && of(d)->world->rank;
}

/* ---- whose records are whose */

/* Another rank has all of its transfers here, and nothing else. */
static bool here(const struct drive *d, const struct na_record_span *x)
{
	return x->kind == NA_RECORDS_TRANSFERS || !na_passes_elsewhere(d);
}

/* Whether the transfers of a range are let through here. */
static bool mine(const struct drive *d, struct na_range r)
{
	const struct na_mpi *t = of(d);

	return t->world->rank ? d->s->owners[r.from] == t->world->rank &&
					t->kept[r.from]
			      : !t->kept[r.from];
}

/* Up to the first transfer of another range: they lie in order of these. */
static size_t run_at(const struct drive *d, const struct na_record_span *x)
{
	const struct na_packed_transfer *v = x->records;
	struct na_range r;

	if (x->kind != NA_RECORDS_TRANSFERS)
		return x->n;
	r = na_range_at(d->s, na_packed_input(v));
	return NA_BOUND(i, 0, x->n, na_packed_input(&v[i]) >= r.to);
}

enum na_status na_passes_cut(struct drive *d, struct na_err *err)
{
	NA_VEC(struct na_record_span) v = {.v = NULL};
	bool ok = true;

	for (size_t i = 0; ok && i < d->n_chunks; i++) {
		struct na_record_span x = d->chunks[i];

		while (ok && x.n && here(d, &x)) {
			struct na_record_span one = x;

			one.n = run_at(d, &x);
			ok = na_add(&v, one);
			x.records = (const char *)x.records + one.n * x.size;
			x.n -= one.n;
		}
	}
	free(d->chunks);
	d->chunks = v.v;
	d->n_chunks = v.n;
	return ok ? NA_OK : na_fail_nomem(err);
}

/* How many from `at` on are transfers of inputs before `to`. */
static size_t pieces_of(const struct drive *d, size_t at, size_t to)
{
	size_t n = 0;

	while (at + n < d->n_chunks) {
		const struct na_record_span *x = &d->chunks[at + n];

		if (x->kind != NA_RECORDS_TRANSFERS ||
		    na_packed_input(x->records) >= to)
			break;
		n++;
	}
	return n;
}

/* ---- blocks as messages */

static enum na_status send_packed(struct drive *d, struct na_xf_bytes *m,
				  enum na_packed_state what, void *state,
				  struct na_err *err)
{
	struct na_serializer p = {.p = NULL};

	d->a->pack(state, what, d->pass, &p);
	na_tell_run(m, p.p, p.n);
	m->failed |= p.failed;
	na_serializer_fini(&p);
	return na_message_send(of(d), 0, m, err);
}

static bool get_packed(struct drive *d, struct na_cursor *c,
		       enum na_packed_state what, void *state)
{
	struct na_deserializer p = {.failed = false};
	struct na_text run;

	if (!na_hear_run(c, &run))
		return false;
	p.p = (const uint8_t *)run.s;
	p.end = p.p + run.n;
	d->a->unpack(state, what, d->pass, &p);
	return !p.failed && p.p == p.end;
}

enum na_status na_passes_send(struct drive *d, size_t i, struct na_err *err)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_BLOCK);

	na_tell_run(&m, &d->fed[i], sizeof(d->fed[i]));
	return d->status[i] == NA_OK
		       ? send_packed(d, &m, NA_PACKED_BLOCK,
				     na_drive_block(d, i), err)
		       : (na_xf_bytes_fini(&m), na_fail_nomem(err));
}

/* Between rounds the place of the first block is free. */
static enum na_status take_block(struct drive *d, size_t rank,
				 struct na_cursor *c, struct na_err *err)
{
	void *block = na_drive_block(d, 0);
	struct na_text run;
	enum na_status st;

	if (!na_hear_run(c, &run) || run.n != sizeof(*d->fed))
		return na_message_broken(rank, err);
	memcpy(d->fed, run.s, sizeof(*d->fed));
	memset(block, 0, na_block_size(d->a));
	d->status[0] = d->a->fork(block, d->state, d->pass);
	st = d->status[0] == NA_OK ? NA_OK : na_fail_nomem(err);
	if (st == NA_OK && !get_packed(d, c, NA_PACKED_BLOCK, block))
		st = na_message_broken(rank, err);
	if (st == NA_OK && na_drive_merge(d, 0) != NA_OK)
		st = na_fail_nomem(err);
	na_block_fini(d->a, block);
	return st;
}

static enum na_status take_blocks(struct drive *d, size_t rank,
				  struct na_err *err)
{
	enum na_status st = NA_OK;
	bool over = false;

	while (st == NA_OK && !over) {
		struct na_message m;

		st = na_message_next(of(d), rank, &m, err);
		if (st != NA_OK)
			break;
		over = m.kind == NA_MSG_BLOCKS_END;
		if (m.kind == NA_MSG_BLOCK)
			st = take_block(d, rank, &m.c, err);
		else if (!over)
			st = na_message_broken(rank, err);
		free(m.p);
	}
	return st;
}

static enum na_status send_left(struct drive *d, struct na_err *err)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_LEFT);

	return send_packed(d, &m, NA_PACKED_LEFT, d->state, err);
}

static enum na_status take_left(struct drive *d, struct na_err *err)
{
	enum na_status st = NA_OK;

	for (size_t r = 1; st == NA_OK && r < of(d)->world->size; r++) {
		struct na_message m;

		st = na_message_want(of(d), r, NA_MSG_LEFT, &m, err);
		if (st != NA_OK)
			break;
		if (!get_packed(d, &m.c, NA_PACKED_LEFT, d->state))
			st = na_message_broken(r, err);
		free(m.p);
	}
	return st;
}

/* ---- passes */

static enum na_status run_range(struct drive *d, struct na_range r, size_t *at,
				struct na_err *err)
{
	struct na_xf_bytes end = na_message_of(NA_MSG_BLOCKS_END);
	size_t n = pieces_of(d, *at, r.to);
	enum na_status st = n ? na_drive_blocks(d, d->chunks + *at, n, err)
			      : NA_OK;

	*at += n;
	if (st == NA_OK && na_passes_elsewhere(d))
		return na_message_send(of(d), 0, &end, err);
	na_xf_bytes_fini(&end);
	return st;
}

enum na_status na_passes_run(struct drive *d, struct na_err *err)
{
	const struct na_session *s = d->s;
	enum na_status st = NA_OK;
	struct na_range r;
	size_t at = 0;

	for (size_t i = 0; st == NA_OK && i < s->n_inputs; i = r.to) {
		r = na_range_at(s, i);
		if (mine(d, r))
			st = run_range(d, r, &at, err);
		else if (!na_passes_elsewhere(d))
			st = take_blocks(d, s->owners[i], err);
	}
	if (st == NA_OK && na_passes_elsewhere(d))
		return send_left(d, err);
	if (st == NA_OK)
		st = na_drive_blocks(d, d->chunks + at, d->n_chunks - at, err);
	return st == NA_OK ? take_left(d, err) : st;
}

enum na_status na_passes_tell(struct drive *d, struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL};
	struct na_serializer p = {.p = NULL};

	d->a->pack(d->state, NA_PACKED_TURNED, d->pass, &p);
	na_tell_run(&m, p.p, p.n);
	m.failed |= p.failed;
	na_serializer_fini(&p);
	return na_mpi_tell(of(d), NA_MSG_TURNED, &m, err);
}

static enum na_status hear_turn(struct drive *d, struct na_err *err)
{
	struct na_cursor c;
	enum na_status st;
	void *p;
	size_t n;

	st = na_mpi_await(d->s,
			  d->pass + 1 < d->a->passes ? NA_MSG_TURNED
						     : NA_MSG_DONE,
			  &p, &n, err);
	c = na_cursor_of(p, n);
	if (st == NA_OK && !get_packed(d, &c, NA_PACKED_TURNED, d->state))
		st = na_message_broken(0, err);
	free(p);
	return st;
}

enum na_status na_passes_serve(struct drive *d, const void *params,
			       struct na_err *err)
{
	enum na_status st = d->a->open(d->state, &d->scope, params, err);
	void *p;
	size_t n;

	for (d->pass = 0; st == NA_OK; d->pass++) {
		st = na_passes_run(d, err);
		if (st == NA_OK)
			st = hear_turn(d, err);
	}
	if (st == NA_END && !of(d)->dismissed)
		st = na_mpi_await(d->s, NA_MSG_DONE, &p, &n, err);
	return st;
}

void na_passes_say(const struct drive *d)
{
	const struct na_mpi *t = of(d);
	char in[NA_UNIT_BUF], out[NA_UNIT_BUF], kept[NA_UNIT_BUF];

	na_say_detail(d->s->request,
		      "other ranks have sent %s, and were sent %s; %s "
		      "transfer%s stayed with them",
		      na_print_bytes(in, (double)t->heard_bytes, 3),
		      na_print_bytes(out, (double)t->told_bytes, 3),
		      na_print_count(kept, t->n_kept), na_plural(t->n_kept));
}
