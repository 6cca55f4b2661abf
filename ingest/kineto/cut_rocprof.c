/*
 * A window of rocprofv3's document: what was recorded outside of it goes.
 *
 *   kernels that communicate     all: they are counted from the beginning
 *   other kernels                in the wide window
 *   the first of all kernels (the origin), the first one of each device
 *   other records with times     in the window
 */
#include <string.h>

#include "ingest/json/json.h"
#include "ingest/kineto/cut.h"
#include "netan/base/text.h"
#include "netan/model/gpu/kernels.h"

/* The document, and up to where it is written; without names only dispatches
 * are. */
struct walk {
	struct kt_cut *c;
	struct na_json j;
	const char *done;
	bool broken; /* in an array of records */
};

/* ---- which records */

static bool is_first(struct kt_cut *c, const struct kt_dispatch *x)
{
	const struct kineto *k = c->in->state;
	uint32_t at = x->agent < KT_DEVICES ? x->agent : KT_DEVICES - 1;
	bool first = !(c->devices >> at & 1);
	int64_t ns;

	c->devices |= UINT64_C(1) << at;
	if (!c->has_first && na_json_decimal(x->start, 0, &ns) &&
	    ns == k->first_ns)
		first = c->has_first = true;
	return first;
}

/* One that tells no time stays as it is, where names may. */
static bool stays(struct kt_cut *c, const struct kt_dispatch *x, bool kernel)
{
	int64_t start_ps, end_ps;
	bool told = x->start.n && x->end.n &&
		    kt_from_ns(c->in, x->start, &start_ps) &&
		    kt_from_ns(c->in, x->end, &end_ps) && start_ps <= end_ps;
	bool inside = told && kt_cut_meets(c, start_ps, end_ps, false);
	bool first, in;

	if (!kernel)
		return !told || inside;
	first = told && is_first(c, x);
	in = told ? first || na_kernel_talks(x->name) ||
			    kt_cut_meets(c, start_ps, end_ps, true)
		  : !c->of->names;
	c->counts->of_events++;
	c->counts->events += in;
	c->counts->inside += in && inside;
	return in;
}

/* ---- what is written */

static enum na_status put_up_to(struct walk *w, const char *end)
{
	enum na_status st = NA_OK;

	if (!w->c->of->names && end > w->done)
		st = kt_cut_put(w->c, w->done, (size_t)(end - w->done));
	w->done = end;
	return st;
}

static enum na_status put_record(struct kt_cut *c, const struct kt_dispatch *x,
				 struct na_text is)
{
	const char *between = c->any ? ",\n" : "\n";

	c->any = true;
	if (kt_cut_put(c, between, strlen(between)) != NA_OK)
		return c->err->status;
	if (!c->of->names)
		return kt_cut_put(c, is.s, is.n);
	kt_bare_dispatch(&c->bare, c->in->state, x);
	return kt_cut_put_bare(c);
}

/* ---- the document */

/* The walker is at the first item of a record, and goes past it. */
static enum na_status cut_record(struct walk *w, bool kernel)
{
	struct na_json *j = &w->j;
	struct kt_dispatch x = {.stream = -1};
	const char *from = j->from;
	struct na_text is;

	kernel &= j->kind == NA_JSON_OBJECT;
	na_json_skip(j);
	if (j->damage)
		return NA_OK;
	is = na_between(from, j->p);
	if (*from == '{')
		x = kt_dispatch_of(w->c->in->state, is);
	if ((w->c->of->names && !kernel) || !stays(w->c, &x, kernel))
		return NA_OK;
	return put_record(w->c, &x, is);
}

static enum na_status cut_records(struct walk *w, bool kernels)
{
	enum na_status st = put_up_to(w, w->j.p);

	w->c->any &= w->c->of->names != NULL;
	while (st == NA_OK && na_json_next(&w->j) != NA_JSON_ARRAY_END &&
	       w->j.kind != NA_JSON_END)
		st = cut_record(w, kernels);
	w->broken = w->j.kind != NA_JSON_ARRAY_END || w->j.damage;
	w->done = w->j.from;
	return st;
}

/* Kinds of records: each an array of them. */
static enum na_status cut_kinds(struct walk *w)
{
	struct na_json *j = &w->j;
	enum na_status st = NA_OK;

	if (!na_json_enters(j, NA_JSON_OBJECT))
		return NA_OK;
	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		bool kernels = na_json_is(j, "kernel_dispatch");

		if (na_json_enters(j, NA_JSON_ARRAY))
			st = cut_records(w, kernels);
	}
	return st;
}

static enum na_status cut_process(struct walk *w)
{
	struct na_json *j = &w->j;
	enum na_status st = NA_OK;

	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		bool metadata = na_json_is(j, "metadata");

		if (na_json_is(j, "buffer_records")) {
			st = cut_kinds(w);
			continue;
		}
		if (metadata && w->c->of->learns)
			kt_bare_learn(&w->c->bare, na_json_value(j), true);
		else
			na_json_skip(j);
	}
	return st;
}

static enum na_status cut_document(struct walk *w)
{
	struct na_json *j = &w->j;
	enum na_status st = NA_OK;

	if (na_json_next(j) != NA_JSON_OBJECT)
		return NA_OK;
	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		if (!kt_is_rocprof(j)) {
			na_json_skip(j);
			continue;
		}
		if (!na_json_enters(j, NA_JSON_ARRAY))
			continue;
		while (st == NA_OK && na_json_next(j) != NA_JSON_ARRAY_END &&
		       j->kind != NA_JSON_END) {
			if (j->kind == NA_JSON_OBJECT)
				st = cut_process(w);
			else
				na_json_skip(j);
		}
	}
	return st;
}

enum na_status kt_cut_rocprof(struct kt_cut *c)
{
	static const char closing[] = "\n]}}]}\n";
	const char *data = (const char *)c->in->data, *end = data + c->in->size;
	struct walk w = {.c = c,
			 .j = na_json_of(na_between(data, end), 0),
			 .done = data};
	enum na_status st;

	if (c->of->names) {
		kt_bare_rocprof(&c->bare, c->in, c->of);
		st = kt_cut_put_bare(c);
	} else {
		st = kt_cut_put_mark(c, &w.done, end);
	}
	if (st == NA_OK)
		st = cut_document(&w);
	if (st != NA_OK)
		return st;
	return c->of->names || w.broken
		       ? kt_cut_put(c, closing, sizeof(closing) - 1)
		       : put_up_to(&w, end);
}
