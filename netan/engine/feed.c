/* Records of a store through an analysis. */
#include "netan/engine/feed.h"

#include "netan/base/vec.h"

struct feed {
	const struct na_analysis *a;
	const struct na_scope *scope;
	void *block;
	struct na_fed *fed;
	bool counts; /* records of this kind */
};

static inline enum na_status took(const struct feed *f, enum na_status st,
				  int64_t from_ps, int64_t to_ps)
{
	if (st == NA_OK && f->counts)
		na_extent_add(&f->fed->used, from_ps, to_ps);
	return st == NA_ASIDE ? NA_OK : st;
}

/* ---- records that are kept packed */

/* A send that an analysis of receives looks at, too. */
static bool ignores_sends(const struct feed *f, const struct na_transfer *t)
{
	return f->a->ignores_sends && f->scope->filter->side < 0 &&
	       t->side == NA_TX;
}

/* Another analysis that shares the reading may ask for classes that this
 * one does not. */
static bool seen(const struct feed *f, const struct na_transfer *t)
{
	if (ignores_sends(f, t))
		return t->klass == NA_VALID;
	if (t->klass == NA_CLOCK_SKEW && !f->a->instants)
		f->fed->dropped[NA_LEFT_CLOCK_SKEW]++;
	else if (t->klass == NA_NO_LATENCY && !f->a->instants)
		f->fed->dropped[NA_LEFT_NO_LATENCY]++;
	else
		return true;
	return t->klass == NA_CLOCK_SKEW && f->a->censored;
}

/* Left out already, as what it is: no second reason; or its packets count in
 * its place; or it was read for another analysis, which looks at both sides; or
 * it is a capture's, and traces are there, which is said. */
static bool counted(const struct feed *f, const struct na_transfer *t)
{
	int side = f->scope->filter->side;

	if ((side >= 0 && t->side != side) || ignores_sends(f, t))
		return true;
	if (na_filter_aside(f->scope->bound, t->input))
		return true;
	if (t->style >= NA_STYLE_CAPTURE && f->a->add_packet &&
	    f->scope->store->packets.n)
		return true;
	return t->klass == NA_CLOCK_SKEW && !f->a->instants;
}

static enum na_status feed_transfers(const struct feed *f, const void *records,
				     size_t n)
{
	const struct na_packed_transfer *x = records;
	int side = f->scope->filter->side;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < n; i++) {
		struct na_transfer t;

		if (side >= 0 && na_packed_aside(&x[i], side))
			continue;
		t = na_unpack_transfer(&x[i]);
		if (!seen(f, &t))
			continue;
		switch (na_filter_transfer(f->scope->bound, &t)) {
		case NA_KEEP:
			st = took(f, f->a->add_transfer(f->block, &t),
				  t.start_ps, t.end_ps);
			break;
		case NA_DROP_FILTERED:
			f->fed->dropped[NA_LEFT_FILTERED] += !counted(f, &t);
			break;
		case NA_DROP_TOO_FAST:
			f->fed->dropped[NA_LEFT_TOO_FAST] += !counted(f, &t);
			break;
		}
	}
	return st;
}

static enum na_status
feed_execs(const struct feed *f, const struct na_packed_exec *x, size_t n,
	   enum na_status (*add)(void *block, const struct na_exec *e))
{
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < n; i++) {
		const struct na_exec e = na_unpack_exec(&x[i]);

		if (na_filter_exec(f->scope->bound, &e))
			st = took(f, add(f->block, &e), e.start_ps, e.end_ps);
	}
	return st;
}

static enum na_status feed_graphs(const struct feed *f, const void *records,
				  size_t n)
{
	return feed_execs(f, records, n, f->a->add_graph);
}

static enum na_status feed_actions(const struct feed *f, const void *records,
				   size_t n)
{
	return feed_execs(f, records, n, f->a->add_action);
}

/* ---- records as they are */

#define UNCOUNTED
#define COUNTED else f->fed->dropped[NA_LEFT_FILTERED]++;
#define NA_RECORD_PACKED(...)
#define NA_RECORD(KIND, chunks, one, type, told, filter, aside, from, to, ...) \
	static enum na_status feed_##chunks(const struct feed *f, \
					    const void *records, size_t n) \
	{ \
		const struct type *x = records; \
		enum na_status st = NA_OK; \
\
		for (size_t i = 0; st == NA_OK && i < n; i++) { \
			if (filter(f->scope->bound, &x[i])) \
				st = took(f, f->a->add_##one(f->block, &x[i]), \
					  x[i].from, x[i].to); \
			aside \
		} \
		return st; \
	}
#include "netan/model/records.def"

enum na_status na_feed(const struct na_analysis *a,
		       const struct na_scope *scope, void *block,
		       const struct na_record_span *in, struct na_fed *fed)
{
	const struct feed f = {a, scope, block, fed, a->counts >> in->kind & 1};

	switch (in->kind) {
#define NA_RECORD(KIND, chunks, ...) \
	case NA_RECORDS_##KIND: \
		return feed_##chunks(&f, in->records, in->n);
#include "netan/model/records.def"
	default:
		return NA_OK;
	}
}

/* ---- what there is to add */

static size_t list(const struct na_chunk_list *chunks, enum na_record_kind kind,
		   struct na_record_span *to)
{
	size_t n = 0;

	for (const struct na_chunk *c = chunks->first; c; c = c->next, n++) {
		if (to)
			to[n] = (struct na_record_span){c->data, c->n,
							chunks->size, kind};
	}
	return n;
}

static size_t list_all(const struct na_analysis *a, const struct na_store *s,
		       struct na_record_span *to)
{
	size_t n = 0;

#define NA_RECORD(KIND, chunks, one, ...) \
	if (a->add_##one) \
		n += list(&s->chunks, NA_RECORDS_##KIND, to ? to + n : NULL);
#include "netan/model/records.def"
	return n;
}

struct na_record_span *na_feed_list(const struct na_analysis *a,
				    const struct na_store *s, size_t *n)
{
	struct na_record_span *all = na_calloc(list_all(a, s, NULL),
					       sizeof(*all));

	*n = all ? list_all(a, s, all) : 0;
	return all;
}
