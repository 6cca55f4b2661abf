/*
 * Op types whose events name no program: that of the run which each op is
 * in, as XProf finds the module.  One name in several programs is several
 * types from then on.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/model/joins/join.h"

struct run {
	int64_t start_ps, end_ps;
	uint32_t core, name;
};

/* Where a type went last: ops of one run follow one another. */
struct last {
	uint32_t name, type; /* of the run; new index + 1, 0: nowhere yet */
};

struct runs {
	struct na_store *s;
	struct run *items;
	size_t n;
	struct na_op_types before; /* the types as they were */
	struct last *last;         /* by type */
};

static int by_core_start(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	if (x->end_ps != y->end_ps)
		return x->end_ps < y->end_ps ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static bool list(struct runs *r)
{
	r->items = na_calloc(r->s->modules.n, sizeof(*r->items));
	if (!r->items)
		return false;
	for (const struct na_chunk *c = r->s->modules.first; c; c = c->next) {
		const struct na_span *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++)
			r->items[r->n++] = (struct run){x[i].start_ps,
							x[i].end_ps, x[i].core,
							x[i].name};
	}
	if (r->n)
		qsort(r->items, r->n, sizeof(*r->items), by_core_start);
	return true;
}

/* The last run that began on that core, if the op began in it. */
static const struct run *run_of(const struct runs *r, const struct na_op *x)
{
	size_t low = 0, high = r->n;
	const struct run *at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		at = &r->items[middle];
		if (at->core < x->core ||
		    (at->core == x->core && at->start_ps <= x->start_ps))
			low = middle + 1;
		else
			high = middle;
	}
	at = low ? &r->items[low - 1] : NULL;
	return at && at->core == x->core && x->start_ps < at->end_ps ? at
								     : NULL;
}

static bool homeless(const struct na_op_type *t)
{
	return t->network != NA_NET_GPU && t->program_id == NA_UNKNOWN_U64 &&
	       t->module == NA_UNKNOWN_U32;
}

/* The type of an op among the new ones; UINT32_MAX: no memory. */
static uint32_t place(struct runs *r, const struct na_op *x)
{
	struct na_op_type t = r->before.items[x->type];
	struct last *last = &r->last[x->type];
	const struct run *run = homeless(&t) ? run_of(r, x) : NULL;
	uint32_t name = run ? run->name : NA_UNKNOWN_U32;
	size_t open;

	if (last->type && last->name == name)
		return last->type - 1;
	if (run && name < r->s->names.strings.n &&
	    !na_join_program_id(na_strtab_at(&r->s->names.strings, name),
				&t.program_id, &open)) {
		t.program_id = NA_UNKNOWN_U64;
		t.module = name;
	}
	last->name = name;
	last->type = na_devices_type(&r->s->devices, &t) + 1;
	return last->type - 1;
}

static bool place_all(struct runs *r)
{
	for (struct na_chunk *c = r->s->ops.first; c; c = c->next) {
		struct na_op *x = (void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			x[i].type = place(r, &x[i]);
			if (x[i].type == UINT32_MAX)
				return false;
		}
	}
	return true;
}

enum na_status na_join_runs(struct join *j)
{
	struct runs r = {.s = j->s, .before = j->s->devices.types};
	bool needed = false, ok;

	for (size_t i = 0; i < r.before.n; i++)
		needed |= homeless(&r.before.items[i]);
	if (!needed || !j->s->modules.n)
		return NA_OK;
	r.last = na_calloc(r.before.n, sizeof(*r.last));
	ok = r.last && list(&r);
	if (ok) {
		memset(&j->s->devices.types, 0, sizeof(j->s->devices.types));
		ok = place_all(&r);
		free(r.before.items);
		free(r.before.slots);
	}
	free(r.last);
	free(r.items);
	return ok ? NA_OK : na_fail_nomem(j->err);
}
