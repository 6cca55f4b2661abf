/* Which of the operations that a root is blamed in it would have called first;
 * see order.h. */
#include "netan/analyses/hang/order.h"
#include "netan/analyses/hang/stall_graph.h"
#include "netan/base/order.h"

enum { ROOTS_MAX = 256, GROUPS_MAX = 1 << 16 };

/* ---- who never came: by what others tell */

/* The first of each group, and of each who waits for a message. */
static bool stands(const struct na_stall_order *x,
		   const struct na_rank_status *c, const struct na_stall_op *o)
{
	const struct na_stall_candidate *last = x->n ? &x->v[x->n - 1] : NULL;

	return o->cause == c->kind && na_stall_has(&o->blame, x->rank) &&
	       (o->p2p || !last || last->op->p2p ||
		last->op->group != o->group) &&
	       x->n < NA_STALL_CANDIDATES;
}

static int64_t number_of(const struct na_stall_order *x,
			 const struct na_stall_op *o)
{
	if (!o->p2p)
		return o->sequence;
	/* Both ends of a pair count alike. */
	return x->w->ranks->groups.v[o->group].n == 2
		       ? o->entries[0].sequence
		       : na_stall_next_talk(x, o->group);
}

static bool own_groups(struct na_stall_order *x)
{
	const struct na_flight_record *t = x->w->ranks;

	x->own.n = 0;
	for (size_t g = 0; g < t->groups.n && g < GROUPS_MAX; g++) {
		struct na_stall_ranks in = {.n = t->groups.v[g].n};

		in.v = t->members.v + t->groups.v[g].first;
		if (na_stall_has(&in, x->rank) && !na_add(&x->own, (uint32_t)g))
			return false;
	}
	return true;
}

static bool convene(struct na_stall_order *x, const struct na_rank_status *c,
		    int32_t rank)
{
	const struct na_stall_work *w = x->w;

	x->rank = rank;
	x->n = x->twins = 0;
	x->next = -1;
	for (size_t i = 0; i < w->ops.n; i++) {
		const struct na_stall_op *o = &w->ops.v[i];

		if (stands(x, c, o)) {
			x->before[x->n] = x->maybe[x->n] = 0;
			x->v[x->n++] = (struct na_stall_candidate){
				i, o, number_of(x, o), -1, false};
		}
	}
	if (x->n > 1 && !own_groups(x))
		return false;
	if (x->n > 1)
		na_stall_hear(x);
	return true;
}

static bool is_next(const struct na_stall_order *x, size_t i)
{
	return x->next >= 0 && x->v[i].record == x->next && !x->v[i].apart;
}

/* Of `open` ones, those of which none is said to come later, even if it is
 * only that another record would have been the next one. */
static uint32_t likely_of(const struct na_stall_order *x, uint32_t open)
{
	uint32_t left = open;

	for (size_t i = 0; i < x->n; i++) {
		if (x->next >= 0 && x->v[i].record > x->next && !x->v[i].apart)
			left &= ~(1u << i);
	}
	open = left = left ? left : open;

	for (size_t i = 0; i < x->n; i++) {
		for (size_t k = 0; k < x->n; k++) {
			if (open >> i & 1 && open >> k & 1 &&
			    x->maybe[i] >> k & 1 && !(x->maybe[k] >> i & 1))
				left &= ~(1u << k);
		}
	}
	return left ? left : open;
}

static size_t earliest_of(const struct na_stall_order *x, uint32_t open)
{
	size_t first = x->n;

	for (size_t i = 0; i < x->n; i++) {
		if (open >> i & 1 &&
		    (first == x->n ||
		     x->v[i].op->since_ns < x->v[first].op->since_ns))
			first = i;
	}
	return first;
}

/* Those that may be the first: none is told to come before them. */
static uint32_t open_ones(const struct na_stall_order *x)
{
	uint32_t open = 0;

	for (size_t i = 0; i < x->n; i++) {
		bool later = false;

		for (size_t k = 0; k < x->n && !later; k++)
			later = na_stall_before(x, k, i);
		if (!later && is_next(x, i))
			return 1u << i;
		open |= later ? 0 : 1u << i;
	}
	return open ? open : (uint32_t)((UINT64_C(1) << x->n) - 1);
}

static bool decide(struct na_stall_graph *c, const struct na_stall_order *x)
{
	uint32_t open = open_ones(x);
	size_t first = earliest_of(x, likely_of(x, open));

	c->statuses[x->rank].op = x->v[first].at;
	for (size_t i = 0; i < x->n; i++) {
		if (i != first && open >> i & 1 &&
		    !na_add(&c->doubts,
			    ((struct na_stall_doubt){x->rank, x->v[i].at})))
			return false;
	}
	return true;
}

/* ---- who holds it: as it lists them itself */

int64_t na_stall_record_of(const struct na_stall_op *o, int32_t rank)
{
	size_t i = NA_BOUND(k, 0, o->n, o->entries[k].rank >= rank);

	return i < o->n && o->entries[i].rank == rank
		       ? o->entries[i].entry->record
		       : INT64_MAX;
}

static void take_own_first(struct na_stall_graph *c, int32_t rank)
{
	struct na_rank_status *mine = &c->statuses[rank];
	int64_t first = na_stall_record_of(&c->w->ops.v[mine->op], rank);

	for (size_t i = 0; i < c->w->ops.n; i++) {
		const struct na_stall_op *o = &c->w->ops.v[i];

		if (o->cause == mine->kind && na_stall_has(&o->blame, rank) &&
		    na_stall_record_of(o, rank) < first) {
			first = na_stall_record_of(o, rank);
			mine->op = i;
		}
	}
}

bool na_stall_first(struct na_stall_graph *c)
{
	struct na_stall_order x = {.w = c->w};
	bool ok = na_stall_talks(&x);

	for (size_t r = 0, n = 0; ok && r < c->w->n_ranks && n < ROOTS_MAX;
	     r++) {
		struct na_rank_status *mine = &c->statuses[r];

		if (!mine->root)
			continue;
		n++;
		if (mine->kind != NA_HANG_HOST_STUCK &&
		    mine->kind != NA_HANG_MISSING_RANK) {
			take_own_first(c, (int32_t)r);
			continue;
		}
		ok = convene(&x, mine, (int32_t)r) &&
		     (x.n < 2 || decide(c, &x));
	}
	na_vec_free(&x.talks);
	na_vec_free(&x.own);
	return ok;
}
