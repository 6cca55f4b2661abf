/* Clocks of the hosts of ranks, from when they leave operations together. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/ranks/impl.h"
#include "netan/stats/tests/robust.h"

/* A slope is taken for one from so many operations, and when it is so many
 * standard errors from none. */
enum { LEAST_FOR_DRIFT = 16 };
#define SURE_ERRORS 5.0
/* What is so many robust deviations off the median is another matter. */
#define ODD_ERRORS 10.0
/* Of a median of normal data, to that of its mean. */
#define MEDIAN_ERROR 1.2533

/* By how much the end at one host is behind that at another, in one
 * operation. */
struct lag {
	int64_t at_ps, lag_ps;
	uint32_t from, to; /* clocks */
};

struct lags {
	NA_VEC(struct lag) of;
};

struct link { /* from the lags of two clocks */
	int64_t at_ps, lag_ps;
	double error_ps, drift, drift_error;
	uint64_t n;
	uint32_t from, to;
};

struct end {
	na_i128 sum_ps;
	uint32_t clock, n;
};

/* Clocks of hostile inputs may lie further apart than 64 bits reach. */
static int64_t in_reach(na_i128 ps)
{
	return ps > NA_TIME_MAX    ? NA_TIME_MAX
	       : ps < -NA_TIME_MAX ? -NA_TIME_MAX
				   : (int64_t)ps;
}

/* What a drift adds; 0 where that is no time any more. */
static int64_t drifted(double ps)
{
	return fabs(ps) < (double)(NA_TIME_MAX / 8) ? (int64_t)ps : 0;
}

/* From a to b, exactly. */
static double between(int64_t a_ps, int64_t b_ps)
{
	return (double)((na_i128)b_ps - a_ps);
}

NA_ORDER(by_clock, struct end, NA_UP(clock))
NA_ORDER(by_clocks, struct lag, NA_UP(from), NA_UP(to), NA_UP(at_ps),
	 NA_UP(lag_ps))

/* The mean end of an instance on each clock. */
static size_t ends_of(const struct na_ranks *r,
		      const struct na_rank_instance *x, struct end *ends)
{
	size_t n = 0, all = x->to - x->from;

	for (size_t i = 0; i < all; i++) {
		const struct na_rank_part *p = &r->parts.v[x->from + i];

		ends[i] = (struct end){p->end_ps, r->ranks.v[p->rank].clock, 1};
	}
	na_sort(ends, all, by_clock);
	for (size_t i = 0; i < all; i++) {
		if (n && ends[n - 1].clock == ends[i].clock) {
			ends[n - 1].sum_ps += ends[i].sum_ps;
			ends[n - 1].n++;
		} else {
			ends[n++] = ends[i];
		}
	}
	return n;
}

static int64_t mean(const struct end *x)
{
	return (int64_t)(x->sum_ps / (na_i128)x->n);
}

static bool gather(const struct na_ranks *r, struct lags *lags)
{
	struct end *ends = na_calloc(r->ranks.n + 1, sizeof(*ends));
	bool ok = ends;

	for (size_t i = 0; ok && i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];
		size_t n = x->synchronous ? ends_of(r, x, ends) : 0;

		for (size_t k = 1; ok && k < n; k++)
			ok = na_add(
				&lags->of,
				((struct lag){mean(&ends[0]),
					      in_reach((na_i128)mean(&ends[k]) -
						       mean(&ends[0])),
					      ends[0].clock, ends[k].clock}));
	}
	free(ends);
	na_sort(lags->of.v, lags->of.n, by_clocks);
	return ok;
}

/* A line through the lags that are not odd, by least squares; ps. */
static void find_drift(const struct lag *x, size_t n, const double *centre,
		       double sigma, struct link *to)
{
	double tt = 0, ty = 0, yy = 0, t0 = 0, y0 = 0, m = 0;
	double first_ps = (double)x[0].at_ps;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			double t = (double)x[i].at_ps - first_ps - t0;
			double y = between(x[0].lag_ps, x[i].lag_ps) - y0;

			if (fabs(y + y0 - *centre) > ODD_ERRORS * sigma)
				continue;
			tt += pass > 0 ? t * t : t;
			ty += pass > 0 ? t * y : y;
			yy += y * y;
			m++;
		}
		if (pass)
			break;
		t0 = m > 0 ? tt / m : 0;
		y0 = m > 0 ? ty / m : 0;
		tt = ty = yy = m = 0;
	}
	to->at_ps = x[0].at_ps + (int64_t)t0;
	if (m < LEAST_FOR_DRIFT || tt <= 0)
		return;
	to->drift = ty / tt;
	to->drift_error = sqrt(fmax(yy - ty * ty / tt, 0) / (m - 2) / tt);
	/* Sums of squares of numbers that large end somewhere. */
	if (!isfinite(to->drift) || !isfinite(to->drift_error) ||
	    fabs(to->drift) <= SURE_ERRORS * to->drift_error ||
	    fabs(to->drift) * sqrt(tt / m) < (double)NA_RANK_CLOCK_PS / 10)
		to->drift = 0;
}

/* The median lag once the slope is gone. */
static bool level(const struct lag *x, size_t n, bool cpu, struct link *to)
{
	double *y = na_calloc(n + 1, sizeof(*y)), centre, sigma;

	if (!y)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++)
			y[i] = between(x[0].lag_ps, x[i].lag_ps) -
			       to->drift * between(to->at_ps, x[i].at_ps);
		centre = na_median(y, n);
		sigma = NA_MAD_SIGMA * na_mad(y, n, centre);
		if (!pass)
			find_drift(x, n, &centre,
				   fmax(sigma, (double)NA_RANK_RESIDUAL_PS),
				   to);
	}
	to->lag_ps = in_reach((na_i128)x[0].lag_ps + (na_i128)centre);
	/* Who leaves first on CPUs is more than chance: more of it tells no
	 * more. */
	to->error_ps = MEDIAN_ERROR * sigma / (cpu ? 1 : sqrt((double)n));
	to->n = n;
	free(y);
	return true;
}

/* From a clock that is known to one that is not. */
static bool follow(struct na_ranks *r, const struct link *l, bool *known)
{
	bool back = known[l->to];
	struct na_rank_clock *a = &r->clocks.v[back ? l->to : l->from];
	struct na_rank_clock *b = &r->clocks.v[back ? l->from : l->to];
	double sign = back ? -1 : 1;

	if (known[l->from] == known[l->to])
		return false;
	b->component = a->component;
	b->drift = a->drift + sign * l->drift;
	b->drift_uncertainty = hypot(a->drift_uncertainty, l->drift_error);
	b->at_ps = l->at_ps;
	b->ahead_ps = in_reach((na_i128)a->ahead_ps +
			       (back ? -l->lag_ps : l->lag_ps) +
			       drifted(a->drift * between(a->at_ps, l->at_ps)));
	b->uncertainty_ps = in_reach(
		(na_i128)hypot((double)a->uncertainty_ps, l->error_ps));
	b->n = l->n;
	known[l->from] = known[l->to] = true;
	return true;
}

static void settle(struct na_ranks *r, const struct link *links, size_t n,
		   bool *known)
{
	for (uint32_t k = 0; k < r->clocks.n; k++) {
		bool more = !known[k];

		if (!more)
			continue;
		known[k] = true;
		r->clocks.v[k].component = k;
		r->clocks.v[k].uncertainty_ps = 0;
		while (more) {
			more = false;
			for (size_t i = 0; i < n; i++)
				more = follow(r, &links[i], known) || more;
		}
	}
}

/* Only what is more than ends of one clock differ. */
static void decide(struct na_ranks *r)
{
	for (size_t i = 0; i < r->clocks.n; i++) {
		struct na_rank_clock *c = &r->clocks.v[i];

		c->corrected = c->own || c->ahead_ps > NA_RANK_CLOCK_PS ||
			       c->ahead_ps < -NA_RANK_CLOCK_PS || c->drift != 0;
	}
}

static bool all_cpu(const struct na_ranks *r)
{
	size_t i = 0;

	while (i < r->instances.n && na_rank_on_cpu(r, &r->instances.v[i]))
		i++;
	return i == r->instances.n;
}

/* As the clocks are, somebody leaves a synchronous operation before another
 * has come. */
static bool is_impossible(const struct na_ranks *r)
{
	for (size_t i = 0; i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];
		int64_t left_ps = NA_TIME_MAX, came_ps = NA_TIME_MIN;

		for (size_t k = x->from; x->synchronous && k < x->to; k++) {
			const struct na_rank_part *p = &r->parts.v[k];

			left_ps = p->end_ps < left_ps ? p->end_ps : left_ps;
			came_ps = p->start_ps > came_ps ? p->start_ps : came_ps;
		}
		if (left_ps < came_ps)
			return true;
	}
	return false;
}

static bool find_links(const struct lags *lags, bool cpu, struct link *links,
		       size_t *n)
{
	const struct lag *v = lags->of.v;

	for (size_t i = 0, to; i < lags->of.n; i = to) {
		for (to = i; to < lags->of.n && v[to].from == v[i].from &&
			     v[to].to == v[i].to;)
			to++;
		links[*n] = (struct link){.from = v[i].from, .to = v[i].to};
		if (!level(&v[i], to - i, cpu, &links[(*n)++]))
			return false;
	}
	return true;
}

int64_t na_rank_time(const struct na_ranks *r, uint32_t rank, int64_t at_ps)
{
	const struct na_rank_clock *c = &r->clocks.v[r->ranks.v[rank].clock];
	double more_ps = c->drift * ((double)at_ps - (double)c->at_ps);

	return c->corrected ? in_reach((na_i128)at_ps - c->ahead_ps -
				       drifted(more_ps))
			    : at_ps;
}

bool na_ranks_clocks(struct na_ranks *r)
{
	struct lags lags = {{0}};
	bool *known = na_calloc(r->clocks.n + 1, sizeof(*known));
	struct link *links = NULL;
	size_t n = 0;
	bool ok = known && gather(r, &lags), cpu = all_cpu(r);

	if (ok)
		links = na_calloc(lags.of.n + 1, sizeof(*links));
	ok = links && find_links(&lags, cpu, links, &n);
	if (ok) {
		settle(r, links, n, known);
		if (!cpu || is_impossible(r))
			decide(r);
	}
	for (size_t i = 0; ok && i < r->parts.n; i++) {
		struct na_rank_part *p = &r->parts.v[i];

		p->start_ps = na_rank_time(r, p->rank, p->start_ps);
		p->end_ps = na_rank_time(r, p->rank, p->end_ps);
	}
	na_vec_free(&lags.of);
	free(links);
	free(known);
	return ok;
}
