/*
 * Which operations of devices are one execution, by the same match as in netan
 * collectives and steps.  Where an operation is split, both its start and its
 * done are of it.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/exports/pftrace/state.h"
#include "netan/methods/matches/op_match.h"

struct where {
	uintptr_t op;
	uint32_t slice;
};

NA_ORDER(by_op, struct where, NA_UP(op))

struct begun { /* of a type that begins what another one ends */
	uint64_t link;
	uint32_t core;
};

struct matching {
	struct na_pft_gather *g;
	struct na_op_match match;
	NA_VEC(const struct na_op *) ops; /* of the match */
	NA_VEC(struct na_span) runs;
	struct na_strtab modules;
	uint32_t *slice_of;   /* by op, plus 1; 0: outside of the window */
	uint32_t *start_type; /* by type that ends, plus 1 */
	struct begun *begun;  /* by type that begins */
	uint64_t n;           /* executions */
};

static struct na_pft_slice *slice_of(const struct matching *m, size_t op)
{
	uint32_t at = m->slice_of[op];

	return at ? &m->g->slices.v[at - 1] : NULL;
}

static bool add_execution(void *arg, const struct na_op_piece *x, size_t n)
{
	struct matching *m = arg;
	uint64_t link = na_pft_mix(NA_PFT_DEVICES, ++m->n);

	for (size_t i = 0; i < n; i++) {
		uint32_t type = m->ops.v[x[i].op]->type;
		struct na_pft_slice *s = slice_of(m, x[i].op);

		if (s)
			s->link = link;
		if (type != x[i].type)
			m->start_type[x[i].type] = type + 1;
	}
	return true;
}

static bool any_type(void *arg, const struct na_op_type *t, uint32_t name)
{
	(void)arg;
	(void)t;
	(void)name;
	return true;
}

static bool gather(struct matching *m)
{
	const struct na_scope *scope = m->g->scope;
	const struct na_store *s = scope->store;
	bool ok = true;

	na_each_record (const struct na_op, x, &s->ops) {
		if (ok && s->devices.cores[x->core].kind != NA_DEVICE_RANK &&
		    na_filter_op(scope->bound, x))
			ok = na_add(&m->ops, x);
	}
	na_each_record (const struct na_span, x, &s->modules)
		ok = ok && na_add(&m->runs, *x);
	return ok;
}

/* Both in the order of where they lie. */
static bool find_slices(struct matching *m)
{
	const struct na_pft_gather *g = m->g;
	NA_VEC(struct where) v = {NULL, 0, 0};
	bool ok = true;

	for (size_t i = 0; ok && i < g->slices.n && i < UINT32_MAX; i++) {
		const struct na_pft_slice *s = &g->slices.v[i];

		if (s->what == NA_PFT_OF_OP)
			ok = na_add(&v, ((struct where){(uintptr_t)s->of,
							(uint32_t)i}));
	}
	na_sort(v.v, v.n, by_op);
	m->slice_of = na_calloc(m->ops.n, sizeof(*m->slice_of));
	ok = ok && m->slice_of;
	for (size_t i = 0; ok && i < m->ops.n; i++) {
		uintptr_t op = (uintptr_t)m->ops.v[i];
		size_t at = NA_BOUND(k, 0, v.n, v.v[k].op >= op);

		if (at < v.n && v.v[at].op == op)
			m->slice_of[i] = v.v[at].slice + 1;
	}
	na_vec_free(&v);
	return ok;
}

/* What ends an execution is of the last one of its core that began. */
static void link_ends(struct matching *m)
{
	for (size_t i = 0; i < m->ops.n; i++) {
		const struct na_op *op = m->ops.v[i];
		struct na_pft_slice *s = slice_of(m, i);
		uint32_t start = m->start_type[op->type];
		struct begun *b = &m->begun[start ? start - 1 : op->type];

		if (!start) {
			*b = (struct begun){s ? s->link : 0, op->core};
		} else if (b->core == op->core) {
			if (s)
				s->link = b->link;
			b->link = 0;
		}
	}
}

static bool match(struct matching *m)
{
	const struct na_store *s = m->g->scope->store;
	size_t types = s->devices.types.n;

	m->start_type = na_calloc(types, sizeof(*m->start_type));
	m->begun = na_calloc(types, sizeof(*m->begun));
	if (!m->start_type || !m->begun || !gather(m))
		return false;
	m->match = (struct na_op_match){.scope = m->g->scope,
					.ops = m->ops.v,
					.n_ops = m->ops.n,
					.runs = m->runs.v,
					.n_runs = m->runs.n,
					.modules = &m->modules,
					.instance = add_execution,
					.arg = m};
	/* Units sort the ops. */
	return na_op_units(&m->match, any_type) && find_slices(m) &&
	       na_op_match(&m->match);
}

bool na_pft_link_devices(struct na_pft_gather *g)
{
	struct matching m = {.g = g};
	bool ok = match(&m);

	if (ok)
		link_ends(&m);
	na_op_match_fini(&m.match);
	na_vec_free(&m.ops);
	na_vec_free(&m.runs);
	na_strtab_fini(&m.modules);
	free(m.slice_of);
	free(m.start_type);
	free(m.begun);
	return ok;
}
