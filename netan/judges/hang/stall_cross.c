/*
 * Two ranks that call operations of two common groups in different orders: one
 * called the first before the second, if it called that at all, the other
 * called the second and never the first.  One of them left out an operation,
 * or called one too many or too early; which one, nothing of it tells.
 */
#include "netan/base/order.h"
#include "netan/judges/hang/court.h"

enum { STEPS_MAX = 1 << 22 }; /* of the search: what is left is not looked at */

struct held {
	int32_t rank;
	size_t op;
};

NA_ORDER(by_rank, struct held, NA_UP(rank), NA_UP(op))

struct search {
	struct na_stall_court *c;
	NA_VEC(struct held) held; /* collectives, by who holds them */
	size_t steps;
};

static bool list_held(struct search *x)
{
	const struct na_stall_work *w = x->c->w;

	for (size_t i = 0; i < w->ops.n; i++) {
		const struct na_stall_op *o = &w->ops.v[i];

		for (size_t k = 0; !o->p2p && k < o->holds.n; k++) {
			if (!na_add(&x->held,
				    ((struct held){o->holds.v[k], i})))
				return false;
		}
	}
	na_sort(x->held.v, x->held.n, by_rank);
	return true;
}

/* Does the rank call `first`, which it holds, before `second`? */
static bool before(const struct na_stall_op *first,
		   const struct na_stall_op *second, int32_t rank)
{
	return na_stall_has(&second->blame, rank) ||
	       (na_stall_has(&second->holds, rank) &&
		na_stall_record_of(second, rank) >
			na_stall_record_of(first, rank));
}

/* Rank b never called `first`, and holds `second`. */
static bool after(const struct na_stall_op *first,
		  const struct na_stall_op *second, int32_t b)
{
	return na_stall_has(&first->blame, b) &&
	       na_stall_has(&second->holds, b);
}

/* Those whose order most others share are cleared; the others stay accused of
 * what they never called, or nobody knows. */
static bool vote(struct search *x, size_t first, size_t second)
{
	const struct na_stall_op *one = &x->c->w->ops.v[first];
	const struct na_stall_op *two = &x->c->w->ops.v[second];
	struct na_stall_charge *charges = x->c->charges;
	size_t n_before = 0, n_after = 0;
	bool known = true;

	for (size_t i = 0; i < one->holds.n; i++)
		n_before += before(one, two, one->holds.v[i]);
	for (size_t i = 0; i < one->blame.n; i++)
		n_after += after(one, two, one->blame.v[i]);
	for (size_t i = 0; i < one->holds.n; i++) {
		struct na_stall_charge *a = &charges[one->holds.v[i]];

		if (!before(one, two, one->holds.v[i]))
			continue;
		if (n_before > n_after) {
			a->cleared = true;
		} else if (n_before == n_after ||
			   !na_stall_has(&two->blame, one->holds.v[i])) {
			known = known && a->undecided;
			a->undecided = true;
		}
	}
	for (size_t i = 0; i < one->blame.n; i++) {
		struct na_stall_charge *b = &charges[one->blame.v[i]];

		if (!after(one, two, one->blame.v[i]))
			continue;
		if (n_after > n_before) {
			b->cleared = true;
		} else if (n_before == n_after) {
			known = known && b->undecided;
			b->undecided = true;
		}
	}
	x->steps += one->holds.n + one->blame.n;
	return known ||
	       na_add(&x->c->crossed, ((struct na_stall_cross){first, second}));
}

static bool meet(struct search *x, size_t first, size_t second)
{
	const struct na_stall_op *one = &x->c->w->ops.v[first];
	const struct na_stall_op *two = &x->c->w->ops.v[second];

	for (size_t i = 0; i < one->holds.n && x->steps < STEPS_MAX; i++) {
		x->steps++;
		if (before(one, two, one->holds.v[i]))
			return vote(x, first, second);
	}
	return true;
}

static bool look_at(struct search *x, size_t op)
{
	const struct na_stall_op *o = &x->c->w->ops.v[op];

	for (size_t k = 0; k < o->blame.n; k++) {
		int32_t b = o->blame.v[k];
		size_t at = NA_BOUND(m, 0, x->held.n, x->held.v[m].rank >= b);

		for (; at < x->held.n && x->held.v[at].rank == b; at++) {
			size_t second = x->held.v[at].op;

			if (x->c->w->ops.v[second].group != o->group &&
			    !meet(x, op, second))
				return false;
		}
	}
	return true;
}

bool na_stall_crossed(struct na_stall_court *c)
{
	struct search x = {.c = c};
	bool ok = list_held(&x);

	for (size_t i = 0; ok && i < c->w->ops.n; i++) {
		const struct na_stall_op *o = &c->w->ops.v[i];

		if (o->cause == NA_HANG_HOST_STUCK && !o->p2p)
			ok = look_at(&x, i);
	}
	na_vec_free(&x.held);
	return ok;
}
