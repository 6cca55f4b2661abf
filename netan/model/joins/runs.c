/*
 * Op types whose events name no program: that of the run which each op is
 * in, as XProf finds the module.  One name in several programs is several
 * types from then on.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
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
	size_t at; /* where the last op was found; ops come in order */
	struct na_op_types before; /* the types as they were */
	struct last *last;         /* by type */
};

NA_ORDER(by_core_start, struct run, NA_UP(core), NA_UP(start_ps), NA_UP(end_ps),
	 NA_UP(name))

static bool list(struct runs *r)
{
	r->items = na_calloc(r->s->modules.n, sizeof(*r->items));
	if (!r->items)
		return false;
	na_each_record (const struct na_span, x, &r->s->modules)
		r->items[r->n++] = (struct run){x->start_ps, x->end_ps, x->core,
						x->name};
	na_sort(r->items, r->n, by_core_start);
	return true;
}

static bool is_behind(const struct run *run, const struct na_op *x)
{
	return NA_THEN(NA_CMP(run->core, x->core),
		       NA_CMP(run->start_ps, x->start_ps)) > 0;
}

/* The last run that began on that core, if the op began in it. */
static const struct run *run_of(struct runs *r, const struct na_op *x)
{
	const struct run *runs = r->items, *at;
	size_t behind = r->at;

	if (!behind || is_behind(&runs[behind - 1], x) ||
	    (behind < r->n && !is_behind(&runs[behind], x)))
		behind = NA_BOUND(i, 0, r->n, is_behind(&runs[i], x));
	r->at = behind;
	at = behind ? &runs[behind - 1] : NULL;
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
	na_each_record (struct na_op, x, &r->s->ops) {
		x->type = place(r, x);
		if (x->type == UINT32_MAX)
			return false;
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
		na_devices_settle_types(&j->s->devices);
		free(r.before.items);
		free(r.before.slots);
	}
	free(r.last);
	free(r.items);
	return ok ? NA_OK : na_fail_nomem(j->err);
}
