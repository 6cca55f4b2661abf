#include "netan/engine/mpi/local_records.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

bool na_keeps_local_records(const struct na_session *s)
{
	const struct na_mpi *t = s->request->mpi;

	return t && t->shared && t->stays;
}

/* What packets and ranks of GPU jobs tell goes through an analysis with
 * records of other kinds, which rank 0 has. */
static bool traces_alone(const struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->inputs[i].capture || s->sources[i].capture ||
		    s->sources[i].ranks || s->sources[i].of_rank)
			return false;
	}
	return true;
}

enum na_status na_local_records_init(struct na_session *s, struct na_err *err)
{
	struct na_mpi *t = s->request->mpi;

	/* Nobody asks a shard after it has written. */
	t->stays = s->stay == NA_STAY_FED && !t->world->files &&
		   !(s->wants & NA_WANT_PROGRAMS) && traces_alone(s);
	na_chunks_init(&t->transfers, &s->store.pool,
		       sizeof(struct na_packed_transfer));
	na_chunks_init(&t->spans, &s->store.pool, sizeof(struct na_span));
	free(t->kept);
	t->kept = na_calloc(s->n_inputs, sizeof(*t->kept));
	return t->kept ? NA_OK : na_fail_nomem(err);
}

/* ---- what is not sent */

/* Of its spans a rank finds the steps of its transfers. */
static bool copy_spans(struct na_mpi *t, const struct na_store *store)
{
	na_each_record (const struct na_span, x, &store->spans) {
		struct na_span *to = na_chunks_push(&t->spans);

		if (!to)
			return false;
		*to = *x;
	}
	return true;
}

static enum na_status say_kept(struct na_mpi *t, size_t n, struct na_err *err)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_KEPT);

	na_xf_put_varint(&m, n);
	return na_message_send(t, 0, &m, err);
}

enum na_status na_local_records_keep(struct na_session *s, struct na_range r,
				     struct na_err *err)
{
	struct na_mpi *t = s->request->mpi;
	struct na_chunk_list *chunks = &s->store.transfers;
	size_t n = chunks->n;

	if (s->stay == NA_STAY_SENT || (s->stay == NA_STAY_FED && !t->stays))
		return NA_OK;
	for (size_t i = r.from; i < r.to; i++) {
		if (na_store_has_messages(&s->store, i))
			return NA_OK;
	}
	if (!t->stays) {
		while (chunks->first)
			na_chunks_drop_first(chunks);
		return NA_OK;
	}
	for (size_t i = r.from; i < r.to; i++)
		t->kept[i] = true;
	na_chunks_splice(&t->transfers, chunks);
	return copy_spans(t, &s->store) ? say_kept(t, n, err)
					: na_fail_nomem(err);
}

bool na_local_records_heard(struct na_session *s, struct na_range r,
			    struct na_cursor *c)
{
	struct na_mpi *t = s->request->mpi;
	size_t n;

	if (!t->stays || t->kept[r.from] ||
	    !na_hear_index(c, UINT64_C(1) << 40, &n))
		return false;
	for (size_t i = r.from; i < r.to; i++)
		t->kept[i] = true;
	t->n_kept += n;
	return true;
}

/* ---- what rank 0 has resolved */

static void put_store(struct na_xf_bytes *to, const struct na_store *s)
{
	na_records_put_names(to, &s->names);
	na_records_put_local(to, s, (struct na_range){0, s->n_sources});
	for (size_t i = 0; i < s->n_sources; i++)
		na_tell_run(to, &s->tallies[i].seen,
			    sizeof(s->tallies[i].seen));
	na_tell_run(to, s->steps, s->n_steps * sizeof(*s->steps));
	na_tell_run(to, s->type_of, s->n_type_of * sizeof(*s->type_of));
	na_tell_run(to, s->runs_on,
		    s->runs_on ? s->names.n_endpoints * s->n_runs *
					 sizeof(*s->runs_on)
			       : 0);
	na_tell_run(to, s->home_of,
		    s->home_of ? s->n_sources * sizeof(*s->home_of) : 0);
	na_xf_put_varint(to, s->anchor);
	na_xf_put_varint(to, s->graphs.n);
	na_xf_put_varint(to, s->actions.n);
}

/* All that follows, as elements of `size` bytes. */
static bool get_run(struct na_cursor *c, size_t size, void *to, size_t *n)
{
	struct na_text run;
	void *p;

	if (!na_hear_run(c, &run) || run.n % size)
		return false;
	p = na_calloc(run.n / size, size);
	if (!p)
		return false;
	memcpy(p, run.s, run.n);
	memcpy(to, &p, sizeof(p));
	*n = run.n / size;
	return true;
}

static bool get_seen(struct na_cursor *c, struct na_store *s)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		struct na_extent *x = &s->tallies[i].seen;
		struct na_text run;

		if (!na_hear_run(c, &run) || run.n != sizeof(*x))
			return false;
		memcpy(x, run.s, sizeof(*x));
	}
	return true;
}

static bool get_steps(struct na_cursor *c, struct na_store *s)
{
	bool ok = get_run(c, sizeof(*s->steps), &s->steps, &s->n_steps);

	for (size_t i = 0; ok && i < s->n_steps; i++)
		ok = s->steps[i].run < s->n_runs;
	return ok;
}

static bool get_types(struct na_cursor *c, struct na_store *s)
{
	bool ok = get_run(c, sizeof(*s->type_of), &s->type_of, &s->n_type_of);

	for (size_t i = 0; ok && i < s->n_type_of; i++)
		ok = s->type_of[i] == NA_UNKNOWN_U32 ||
		     s->type_of[i] < s->names.strings.n;
	return ok && s->n_type_of == s->names.strings.n;
}

/* Where ranks run, if there are any. */
static bool get_machines(struct na_cursor *c, struct na_store *s)
{
	size_t n;
	bool ok = get_run(c, sizeof(*s->runs_on), &s->runs_on, &n);

	for (size_t i = 0; ok && i < n; i++)
		ok = s->runs_on[i] == NA_UNKNOWN_U32 ||
		     s->runs_on[i] < s->n_sources;
	if (ok && !n) {
		free(s->runs_on);
		s->runs_on = NULL;
	}
	return ok && (!n || n == s->names.n_endpoints * s->n_runs);
}

static bool get_homes(struct na_cursor *c, struct na_store *s)
{
	size_t n;
	bool ok = get_run(c, sizeof(*s->home_of), &s->home_of, &n);

	for (size_t i = 0; ok && i < n; i++)
		ok = s->home_of[i] < s->n_sources;
	if (ok && !n) {
		free(s->home_of);
		s->home_of = NULL;
	}
	return ok && (!n || n == s->n_sources);
}

/* How many records of a kind there are; they are with rank 0. */
static bool get_number_of(struct na_cursor *c, struct na_chunk_list *chunks)
{
	na_chunks_init(chunks, chunks->pool, chunks->size);
	return na_hear_index(c, UINT64_C(1) << 40, &chunks->n);
}

/* Who records what, in place of what this rank has read itself. */
static bool get_ends(struct na_cursor *c, struct na_store *s)
{
	size_t n = s->names.n_endpoints;
	uint32_t *same = na_calloc(n, sizeof(*same));
	const struct na_maps m = {.endpoints = same, .n_endpoints = n};
	bool ok;

	for (size_t i = 0; i < s->n_sources; i++) {
		free(s->local[i]);
		s->local[i] = NULL;
		s->n_local[i] = 0;
	}
	for (size_t i = 0; same && i < n; i++)
		same[i] = (uint32_t)i;
	ok = same &&
	     na_records_get_local(c, s, (struct na_range){0, s->n_sources}, &m);
	free(same);
	return ok;
}

/* By the names of all. */
static bool rename_all(struct na_store *s, const struct na_maps *m)
{
	na_each_record (struct na_packed_transfer, x, &s->transfers) {
		struct na_transfer t = na_unpack_transfer(x);

		na_maps_transfer(m, &t);
		if (!na_pack_transfer(x, &t, &s->wide))
			return false;
	}
	return true;
}

/* Everybody's names hold those of this rank. */
static bool get_names(struct na_cursor *c, struct na_store *s)
{
	struct na_names all = {.n_endpoints = 0}, own = s->names;
	uint32_t *maps[2] = {NULL, NULL};
	bool ok = na_records_get_names(c, &all);
	size_t strings = all.strings.n, ends = all.n_endpoints;

	ok = ok && na_names_merge(&all, &own, maps) &&
	     all.strings.n == strings && all.n_endpoints == ends &&
	     rename_all(s, &(struct na_maps){.names = maps[0],
					     .n_names = own.strings.n,
					     .endpoints = maps[1],
					     .n_endpoints = own.n_endpoints});
	free(maps[0]);
	free(maps[1]);
	if (ok)
		s->names = all;
	na_names_fini(ok ? &own : &all);
	return ok;
}

static bool get_store(struct na_cursor *c, struct na_store *s)
{
	size_t anchor;
	bool ok = get_names(c, s) && get_ends(c, s) && get_seen(c, s) &&
		  get_steps(c, s) && get_types(c, s) && get_machines(c, s) &&
		  get_homes(c, s) &&
		  na_hear_index(c, NA_ANCHOR_END + 1, &anchor);

	if (ok)
		s->anchor = (enum na_anchor)anchor;
	return ok && get_number_of(c, &s->graphs) &&
	       get_number_of(c, &s->actions);
}

enum na_status na_local_records_told(struct na_session *s, struct na_cursor c,
				     struct na_err *err)
{
	struct na_mpi *t = s->request->mpi;

	s->store.transfers = t->transfers;
	s->store.spans = t->spans;
	return get_store(&c, &s->store) ? NA_OK : na_message_broken(0, err);
}

static enum na_status tell_store(struct na_session *s, struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL};

	put_store(&m, &s->store);
	return na_mpi_tell(s->request->mpi, NA_MSG_STORE, &m, err);
}

enum na_status na_mpi_resolve(struct na_session *s, bool by_step,
			      struct na_err *err)
{
	struct na_mpi *t = s->request->mpi;
	enum na_status st;

	if (na_keeps_local_records(s) && t->world->rank)
		return na_store_resolve_as_told(&s->store, by_step, err);
	st = na_store_resolve(&s->store, (enum na_anchor)s->request->anchor,
			      by_step, err);
	return st == NA_OK && na_keeps_local_records(s) ? tell_store(s, err)
							: st;
}
