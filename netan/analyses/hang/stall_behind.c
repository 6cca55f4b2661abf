/*
 * Who waits behind a stuck operation: what a rank has called later runs after
 * it, so that an operation which all its members have called, and which has
 * not ended, stands there for one of them; and its other members with it.
 */
#include "netan/analyses/hang/stall_graph.h"
#include "netan/base/order.h"

struct later {
	int32_t rank;
	int64_t record;
	size_t op;
};

NA_ORDER(by_call, struct later, NA_UP(rank), NA_UP(record), NA_UP(op))

struct behind {
	const struct na_stall_work *w;
	NA_VEC(struct later) calls; /* of operations that accuse nobody */
	size_t *left;               /* by rank: calls from here on were met */
	size_t *first;              /* by rank */
	int64_t *from;     /* by rank: what it called later stands; INT64_MAX */
	bool *used;        /* by operation */
	NA_VEC(int32_t) queue;
};

static bool accuses_nobody(const struct na_stall_op *o)
{
	return o->cause == NA_HANG_UNKNOWN && !o->p2p && !o->blame.n &&
	       !o->late.n;
}

static bool list_calls(struct behind *x)
{
	for (size_t i = 0; i < x->w->ops.n; i++) {
		const struct na_stall_op *o = &x->w->ops.v[i];

		for (size_t k = 0; accuses_nobody(o) && k < o->holds.n; k++) {
			int32_t r = o->holds.v[k];

			if (!na_add(&x->calls,
				    ((struct later){
					    r, na_stall_record_of(o, r), i})))
				return false;
		}
	}
	na_sort(x->calls.v, x->calls.n, by_call);
	for (size_t r = 0, i = 0; r < x->w->n_ranks; r++) {
		x->first[r] = i;
		while (i < x->calls.n && x->calls.v[i].rank == (int32_t)r)
			i++;
		x->left[r] = i;
	}
	return true;
}

/* What the rank called after this stands. */
static bool stands_from(struct behind *x, int32_t rank, int64_t record)
{
	if (record >= x->from[rank])
		return true;
	x->from[rank] = record;
	return na_add(&x->queue, rank);
}

/* Where those who are blamed hold the operation, and those who wait theirs. */
static bool begin(struct behind *x, const struct na_stall *s,
		  const struct na_stall_graph *c)
{
	bool ok = true;

	for (size_t i = 0; ok && i < s->culprits.n; i++) {
		int32_t r = s->culprits.v[i].rank;
		const struct na_stall_op *o = &x->w->ops.v[c->statuses[r].op];

		if (na_stall_has(&o->holds, r))
			ok = stands_from(x, r, na_stall_record_of(o, r));
	}
	for (size_t i = 0; ok && i < x->w->ops.n; i++) {
		const struct na_stall_op *o = &x->w->ops.v[i];

		for (size_t k = 0; ok && o->blame.n && k < o->holds.n; k++) {
			int32_t r = o->holds.v[k];

			if (na_stall_has(&s->waiting, r))
				ok = stands_from(x, r,
						 na_stall_record_of(o, r));
		}
	}
	return ok;
}

static bool meet(struct behind *x, size_t op)
{
	const struct na_stall_op *o = &x->w->ops.v[op];
	bool ok = true;

	if (x->used[op])
		return true;
	x->used[op] = true;
	for (size_t k = 0; ok && k < o->holds.n; k++)
		ok = stands_from(x, o->holds.v[k],
				 na_stall_record_of(o, o->holds.v[k]));
	return ok;
}

static bool follow(struct behind *x)
{
	bool ok = true;

	for (size_t i = 0; ok && i < x->queue.n; i++) {
		int32_t r = x->queue.v[i];
		size_t *left = &x->left[r];

		while (ok && *left > x->first[r] &&
		       x->calls.v[*left - 1].record > x->from[r])
			ok = meet(x, x->calls.v[--*left].op);
	}
	return ok;
}

static bool take(const struct behind *x, struct na_stall *s)
{
	for (size_t r = 0; r < x->w->n_ranks; r++) {
		int32_t rank = (int32_t)r;

		if (x->from[r] != INT64_MAX && !na_stall_blames(s, rank) &&
		    !na_stall_has(&s->waiting, rank) &&
		    !na_add(&s->behind, rank))
			return false;
	}
	return true;
}

bool na_stall_find_behind(struct na_stall *s, const struct na_stall_graph *c)
{
	struct behind x = {
		.w = c->w,
		.left = na_calloc(c->w->n_ranks, sizeof(*x.left)),
		.first = na_calloc(c->w->n_ranks, sizeof(*x.first)),
		.from = na_calloc(c->w->n_ranks, sizeof(*x.from)),
		.used = na_calloc(c->w->ops.n, sizeof(*x.used)),
	};
	bool ok = x.left && x.first && x.from && x.used;

	for (size_t r = 0; ok && r < c->w->n_ranks; r++)
		x.from[r] = INT64_MAX;
	ok = ok && list_calls(&x) && begin(&x, s, c) && follow(&x) &&
	     take(&x, s);
	na_vec_free(&x.calls);
	na_vec_free(&x.queue);
	free(x.left);
	free(x.first);
	free(x.from);
	free(x.used);
	return ok;
}
