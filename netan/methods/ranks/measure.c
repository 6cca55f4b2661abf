/* What an instance shows: who came last, how long it took, and whether it
 * is one at all. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/ranks/impl.h"
#include "netan/stats/tests/robust.h"

static void measure(const struct na_ranks *r, struct na_rank_instance *x)
{
	int64_t last_ps = NA_TIME_MIN, end_ps = NA_TIME_MIN;
	int64_t first_end_ps = NA_TIME_MAX;

	x->first_ps = x->transfer_ps = NA_TIME_MAX;
	for (size_t i = x->from; i < x->to; i++) {
		const struct na_rank_part *p = &r->parts.v[i];
		int64_t took_ps = p->end_ps - p->start_ps;

		x->first_ps = p->start_ps < x->first_ps ? p->start_ps
							: x->first_ps;
		x->transfer_ps = took_ps < x->transfer_ps ? took_ps
							  : x->transfer_ps;
		first_end_ps = p->end_ps < first_end_ps ? p->end_ps
							: first_end_ps;
		end_ps = p->end_ps > end_ps ? p->end_ps : end_ps;
		if (p->start_ps > last_ps) {
			last_ps = p->start_ps;
			x->last = p->rank;
		}
	}
	x->root = x->last;
	x->skew_ps = x->times == NA_RANK_LASTED ? 0 : last_ps - x->first_ps;
	x->end_spread_ps = end_ps - first_end_ps;
	if (x->times == NA_RANK_QUEUED)
		x->transfer_ps = x->end_spread_ps = 0;
}

/* The median spread of a run's ends. */
static bool residuals(const struct na_ranks *r, double *median_ps)
{
	double *x = na_calloc(r->instances.n + 1, sizeof(*x));

	for (uint32_t run = 0; x && run < r->store->n_runs; run++) {
		size_t n = 0;

		for (size_t i = 0; i < r->instances.n; i++) {
			const struct na_rank_instance *y = &r->instances.v[i];

			if (y->synchronous && r->groups.v[y->group].run == run)
				x[n++] = (double)y->end_spread_ps;
		}
		median_ps[run] = n ? na_median(x, n) : 0;
		if (median_ps[run] < (double)NA_RANK_RESIDUAL_PS)
			median_ps[run] = (double)NA_RANK_RESIDUAL_PS;
	}
	free(x);
	return x;
}

/* Nobody's end is noticed before the other has queued it, but for clocks of
 * hosts, which nothing corrects here. */
static bool meet(const struct na_ranks *r, const struct na_rank_instance *x)
{
	for (size_t i = x->from; i < x->to; i++) {
		if (r->parts.v[i].end_ps + NA_RANK_HOSTS_PS <
		    x->first_ps + x->skew_ps)
			return false;
	}
	return true;
}

/* Nobody leaves before the last has come, and all leave together; on CPUs,
 * when they wake. */
static bool agrees(const struct na_ranks *r, const struct na_rank_instance *x,
		   double median_ps)
{
	double most_ps = NA_RANK_RESIDUALS * median_ps;
	bool cpu = na_rank_on_cpu(r, x);
	double early_ps = cpu ? most_ps
			      : NA_RANK_RESIDUALS * (double)NA_RANK_RESIDUAL_PS;
	int64_t end_ps = NA_TIME_MAX;

	if (x->times == NA_RANK_QUEUED && x->by == NA_RANK_BY_ORDINAL)
		return meet(r, x);
	if (!x->synchronous)
		return true;
	for (size_t i = x->from; i < x->to; i++) {
		if (r->parts.v[i].end_ps < end_ps)
			end_ps = r->parts.v[i].end_ps;
	}
	return (cpu || (double)x->end_spread_ps <= most_ps) &&
	       (double)(x->first_ps + x->skew_ps - end_ps) <= early_ps;
}

/* For qsort, which takes no context. */
struct ordered {
	uint32_t run, group;
	int64_t first_ps, sequence;
	struct na_rank_instance x;
};

NA_ORDER(by_arrival, struct ordered, NA_UP(run), NA_UP(first_ps), NA_UP(group),
	 NA_UP(sequence), NA_UP(x.from))

static bool sort_instances(struct na_ranks *r)
{
	struct ordered *v = na_calloc(r->instances.n + 1, sizeof(*v));

	for (size_t i = 0; v && i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];

		v[i] = (struct ordered){r->groups.v[x->group].run, x->group,
					x->first_ps, x->sequence, *x};
	}
	na_sort(v, v ? r->instances.n : 0, by_arrival);
	for (size_t i = 0; v && i < r->instances.n; i++)
		r->instances.v[i] = v[i].x;
	free(v);
	return v;
}

bool na_ranks_measure(struct na_ranks *r)
{
	double *median_ps = na_calloc(r->store->n_runs + 1, sizeof(*median_ps));
	size_t n = 0;
	bool ok;

	for (size_t i = 0; i < r->instances.n; i++)
		measure(r, &r->instances.v[i]);
	ok = median_ps && residuals(r, median_ps);
	for (size_t i = 0; ok && i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];

		if (agrees(r, x, median_ps[r->groups.v[x->group].run])) {
			r->instances.v[n++] = *x;
			continue;
		}
		for (size_t k = x->from; k < x->to; k++)
			na_ranks_part(r, r->parts.v[k].comm, NA_RANK_ENDS);
	}
	if (ok)
		r->instances.n = n;
	free(median_ps);
	return ok && sort_instances(r);
}

/* A sender that has left before its peer is no measure: what it sent waits in
 * a buffer. */
enum { APART_SHARE = 4 };

bool na_rank_measures(const struct na_ranks *r,
		      const struct na_rank_instance *x)
{
	if (x->times == NA_RANK_QUEUED || x->transfer_ps <= 0 ||
	    na_rank_on_cpu(r, x))
		return false;
	if (r->groups.v[x->group].src < 0)
		return na_rank_synchronous(x->operation, false);
	return x->times == NA_RANK_RAN &&
	       x->end_spread_ps <= x->transfer_ps / APART_SHARE;
}
