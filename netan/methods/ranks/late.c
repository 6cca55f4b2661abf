/*
 * Who makes an operation late, where groups are nested: who comes last to one
 * may have waited in others for somebody else.  Its peers left the operation
 * of this group before together with it; so what it is later now is its own
 * work, or what it waited more in between.  If that is the larger part, the
 * lateness is theirs for whom it waited longest.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/ranks/impl.h"
#include "netan/stats/tests/robust.h"

/* Between two operations of a group there are not more of others. */
enum { MOST_BETWEEN = 4096 };

struct place { /* of a part */
	int64_t start_ps;
	size_t part;
	uint32_t rank;
};

struct late {
	struct na_ranks *r;
	struct place *places; /* by rank and time */
	size_t n;
	size_t *at;     /* by part: its place */
	double *tmp;    /* [ranks] */
	int64_t *owed;  /* by rank: waited for it; 0 between uses */
	uint32_t *whom; /* those of which that is not 0 */
};

NA_ORDER(by_start, struct place, NA_UP(rank), NA_UP(start_ps), NA_UP(part))

struct arrival {
	int64_t last_ps;
	uint32_t instance;
};

NA_ORDER(by_last, struct arrival, NA_UP(last_ps), NA_UP(instance))

/* What the rank of a part waited in other groups since it left its own one
 * before; adds up for whom, if asked. */
static int64_t waited(struct late *l, size_t part, size_t *n_whom)
{
	const struct na_ranks *r = l->r;
	const struct na_rank_part *p = &r->parts.v[part];
	uint32_t group = r->instances.v[p->instance].group;
	int64_t sum_ps = 0;
	size_t i = l->at[part];

	for (size_t seen = 0; i-- > 0 && seen < MOST_BETWEEN; seen++) {
		size_t k = l->places[i].part;
		const struct na_rank_part *q = &r->parts.v[k];
		const struct na_rank_instance *x = &r->instances.v[q->instance];
		int64_t ps = na_rank_wait(r, k);

		if (q->rank != p->rank || x->group == group)
			break;
		if (q->end_ps > p->start_ps + NA_RANK_CLOCK_PS || ps <= 0 ||
		    x->times != NA_RANK_RAN)
			continue;
		if (!na_add_i64(sum_ps, ps, &sum_ps))
			break;
		if (!n_whom)
			continue;
		if (!l->owed[x->root])
			l->whom[(*n_whom)++] = x->root;
		l->owed[x->root] += ps;
	}
	return sum_ps;
}

static uint32_t most_owed(struct late *l, size_t n, uint32_t otherwise)
{
	int64_t most_ps = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t k = l->whom[i];

		if (l->owed[k] > most_ps ||
		    (l->owed[k] == most_ps && k < otherwise)) {
			most_ps = l->owed[k];
			otherwise = k;
		}
		l->owed[k] = 0;
	}
	return otherwise;
}

/* The median of the others, by start or by what they waited. */
static double others(struct late *l, const struct na_rank_instance *x,
		     bool waits)
{
	const struct na_ranks *r = l->r;
	size_t n = 0;

	for (size_t i = x->from; i < x->to; i++) {
		if (r->parts.v[i].rank == x->last)
			continue;
		l->tmp[n++] =
			waits ? (double)waited(l, i, NULL)
			      : (double)(r->parts.v[i].start_ps - x->first_ps);
	}
	return n ? na_median(l->tmp, n) : 0;
}

static void find_root(struct late *l, struct na_rank_instance *x)
{
	size_t last = x->from, n = 0;
	double late_ps, more_ps;
	uint32_t root;

	while (l->r->parts.v[last].rank != x->last)
		last++;
	late_ps = (double)x->skew_ps - others(l, x, false);
	if (late_ps <= 0)
		return;
	more_ps = (double)waited(l, last, &n);
	root = most_owed(l, n, x->last);
	if (n && 2 * more_ps >= late_ps &&
	    2 * (more_ps - others(l, x, true)) >= late_ps)
		x->root = root;
}

static bool place_parts(struct late *l)
{
	struct na_ranks *r = l->r;

	for (uint32_t i = 0; i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];

		for (size_t k = x->from; k < x->to; k++) {
			struct na_rank_part *p = &r->parts.v[k];

			p->instance = i;
			l->places[l->n++] = (struct place){p->start_ps, k,
							   p->rank};
		}
	}
	na_sort(l->places, l->n, by_start);
	for (size_t i = 0; i < l->n; i++)
		l->at[l->places[i].part] = i;
	return true;
}

bool na_ranks_roots(struct na_ranks *r)
{
	struct late l = {.r = r};
	struct arrival *order = na_calloc(r->instances.n + 1, sizeof(*order));
	bool ok;

	l.places = na_calloc(r->parts.n + 1, sizeof(*l.places));
	l.at = na_calloc(r->parts.n + 1, sizeof(*l.at));
	l.tmp = na_calloc(r->ranks.n + 1, sizeof(*l.tmp));
	l.owed = na_calloc(r->ranks.n + 1, sizeof(*l.owed));
	l.whom = na_calloc(r->ranks.n + 1, sizeof(*l.whom));
	ok = order && l.places && l.at && l.tmp && l.owed && l.whom &&
	     place_parts(&l);
	for (uint32_t i = 0; ok && i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];

		order[i] = (struct arrival){x->first_ps + x->skew_ps, i};
	}
	na_sort(order, ok ? r->instances.n : 0, by_last);
	for (size_t i = 0; ok && i < r->instances.n; i++)
		find_root(&l, &r->instances.v[order[i].instance]);
	free(order);
	free(l.places);
	free(l.at);
	free(l.tmp);
	free(l.owed);
	free(l.whom);
	return ok;
}
