/*
 * Host clocks that are ahead ("Clocks"): what a host receives looks
 * slower by the same time that what it sends looks faster, whatever the
 * size.  Where senders have timed the same transfers on one clock, what they
 * say is expected: so nothing that is slow on one side looks like a clock.
 * Else a slow side moves what is expected of the other one, a little: such
 * sides differ, those of a clock do not.  Where the stamps of both ends bound
 * the clocks (netan/methods/clocks), none is further off than they allow.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"
#include "netan/stats/tests/robust.h"

#define MIN_AHEAD_US   12.0
#define MIN_CLAMPED_US 15.0
#define MIN_SPREAD_US  4.0
#define CLAMPED_SHARE  0.2
#define SMALL_SHARE    0.05 /* where small records are rarer, the smallest */
#define SMALLEST       0.3
#define ALIKE          0.3 /* of its side that differs more, the other one */
#define TIMELESS_US    2.0 /* stamps are cut to 1 us */
#define WIDE           3.0 /* bounds, over the usual width: somebody waits */

enum { MAX_FIXES = 512 };

struct clocks {
	struct lz_memory memory;
	struct lz *z;
	float *d;           /* by pair, us; NaN: no small records */
	uint32_t *n, *none; /* by pair: small records, those clamped */
	double *tx, *rx;    /* by host: medians of d; NaN */
	double *x;          /* room for a side, or thrice for all hosts */
	double usual;       /* bounds on two clocks leave open; NaN: not asked */
	double small_bytes; /* records up to this size are asked */
};

static double sent_us(const struct lz *z, size_t p)
{
	return z->in->sent_us ? z->in->sent_us[p] : (double)NAN;
}

/* Excess of the small records over their expectation, in the middle, or of all
 * over what they took to send.  A clamped one was faster by an unknown
 * amount. */
static void measure_pair(void *arg, size_t p, struct lz_room *room)
{
	struct clocks *k = arg;
	const struct lz *z = k->z;
	const struct na_lz_pair *pair = &z->in->pairs[p];
	const struct na_lz_transfer *t = z->in->transfers + pair->first;
	double sent = sent_us(z, p), d;
	uint32_t n = 0, none = 0;

	for (size_t i = 0; i < pair->n; i++) {
		double expect = sent;

		if ((isnan(sent) &&
		     !((double)t[i].size_bytes <= k->small_bytes)) ||
		    lz_waited(z, &t[i]))
			continue;
		if (isnan(sent))
			expect = exp(na_lz_expect_log(z, lz_class_of(z, p),
						      t[i].size_bytes));
		expect = lz_smaller(expect, LZ_MOST_US);
		none += !(t[i].latency_us > 0);
		room->x[n++] = (float)(lz_latency(z, p, &t[i]) - expect);
	}
	k->n[p] = n;
	k->none[p] = none;
	k->d[p] = NAN;
	if (!n)
		return;
	na_sort_f32(room->x, room->tmp, n);
	d = na_quantile_f32(room->x, n, 0.5);
	if (2 * none > n)
		d = lz_smaller(d, 0);
	k->d[p] = (float)d;
}

static double side_median(struct clocks *k, enum na_lz_kind kind, uint32_t h)
{
	size_t m = 0;

	lz_for_side (p, k->z, kind, h) {
		if (!isnan(k->d[*p]))
			k->x[m++] = (double)k->d[*p];
	}
	return m ? na_median(k->x, m) : (double)NAN;
}

static bool clamped(const struct clocks *k, enum na_lz_kind kind, uint32_t h)
{
	uint64_t all = 0, none = 0;

	lz_for_side (p, k->z, kind, h) {
		all += k->n[*p];
		none += k->none[*p];
	}
	return (double)none > CLAMPED_SHARE * (double)all;
}

static double spread(struct clocks *k, const double *side)
{
	size_t m = 0, hosts = k->z->in->n_hosts;
	double centre;

	for (size_t h = 0; h < hosts; h++) {
		if (!isnan(side[h]))
			k->x[m++] = side[h];
	}
	centre = na_median(k->x, m);
	return NA_MAD_SIGMA * na_mad(k->x, m, centre);
}

/* What was sent ends with its acknowledgement: a little later, everywhere. */
static void centre_sent(struct clocks *k)
{
	size_t m = 0, pairs = k->z->in->n_pairs;
	double centre;

	for (size_t p = 0; p < pairs; p++) {
		if (!isnan(k->d[p]) && !isnan(sent_us(k->z, p)) &&
		    !k->none[p])
			k->x[m++] = (double)k->d[p];
	}
	centre = m ? na_median(k->x, m) : 0;
	for (size_t p = 0; p < pairs; p++) {
		if (!isnan(sent_us(k->z, p)))
			k->d[p] -= (float)centre;
	}
}

static enum na_status measure(struct clocks *k, struct na_err *err)
{
	enum na_status s = na_lz_each_pair(k->z, measure_pair, k, err);

	if (s == NA_OK)
		centre_sent(k);
	return s;
}

/* A clock moves both sides by the same. */
static bool alike(double tx, double rx)
{
	return lz_smaller(fabs(tx), fabs(rx)) >=
	       ALIKE * lz_larger(fabs(tx), fabs(rx));
}

static double fixed_us(const struct lz *z, uint32_t h)
{
	return z->ahead_us ? z->ahead_us[h] : 0;
}

/* How far the stamps of both ends let h be ahead of those that it sends to: the
 * median of its pairs. */
struct clock_bounds {
	double least, most;
	bool sent_timeless, got_timeless; /* zeros: what is below is hidden */
};

static bool stamps_of(struct clocks *k, uint32_t h, struct clock_bounds *x)
{
	const struct lz *z = k->z;
	const struct na_lz_options *opt = z->opt;
	size_t n = 0, sent = 0, got = 0, hosts = z->in->n_hosts;
	double *low = k->x, *high = k->x + hosts, fixed, least, most;

	lz_for_side (p, z, NA_LZ_SRC, h) {
		uint32_t to = z->in->pairs[*p].dst;

		if (!opt->clock_bounds(opt->clock_ctx, h, to, &least, &most))
			continue;
		sent += least >= -TIMELESS_US;
		got += most <= TIMELESS_US;
		fixed = fixed_us(z, to) - fixed_us(z, h);
		low[n] = least + fixed;
		high[n++] = most + fixed;
	}
	if (!n)
		return false;
	x->least = na_median(low, n);
	x->most = na_median(high, n);
	x->sent_timeless = 2 * sent > n;
	x->got_timeless = 2 * got > n;
	return true;
}

/* What two clocks leave open where nobody waits: the hosts' median. */
static void learn_usual(struct clocks *k)
{
	double *width = k->x + 2 * k->z->in->n_hosts;
	struct clock_bounds x;
	size_t n = 0;

	for (uint32_t h = 0; h < k->z->in->n_hosts; h++) {
		if (stamps_of(k, h, &x))
			width[n++] = x.most - x.least;
	}
	k->usual = n ? lz_larger(na_median(width, n), 0)
			 : (double)INFINITY;
}

/* Nothing that takes time shows none: there the clock is as far off as the way
 * back lets it. */
static bool bounds_of(struct clocks *k, uint32_t h, struct clock_bounds *x)
{
	if (!k->z->opt->clock_bounds)
		return false;
	if (isnan(k->usual))
		learn_usual(k);
	if (!stamps_of(k, h, x))
		return false;
	if (x->sent_timeless && !x->got_timeless)
		x->least = lz_larger(x->least, x->most - k->usual);
	if (x->got_timeless && !x->sent_timeless)
		x->most = lz_smaller(x->most, x->least + k->usual);
	return true;
}

/*
 * What of s both ends' stamps allow.  A host that is late to take what it
 * receives has that in its latencies, too, and what it sends is awaited: both
 * as if its clock were ahead.  But the quickest of its transfers leave more
 * open then than between others.  The clock is where one direction is as quick
 * as usual: what of s makes both slow is none of it.
 */
static double within_bounds(struct clocks *k, uint32_t h, double s)
{
	double sign = s < 0 ? -1 : 1, limit;
	struct clock_bounds x;

	if (!bounds_of(k, h, &x))
		return s;
	limit = sign > 0 ? x.most : -x.least;
	if (x.most - x.least > WIDE * k->usual)
		limit = (sign > 0 ? x.least : -x.most) + k->usual;
	return sign * lz_smaller(fabs(s), lz_larger(limit, 0));
}

/* How far this clock is ahead; 0: as far as can be seen, it is not. */
static double ahead(struct clocks *k, uint32_t h, double limit)
{
	double tx = k->tx[h], rx = k->rx[h], s = 0;
	bool any;

	if (isnan(tx) || isnan(rx))
		return 0;
	any = clamped(k, NA_LZ_SRC, h);
	if (any) {
		s = lz_larger(rx, 0);
	} else if (clamped(k, NA_LZ_DST, h)) {
		any = true;
		s = -lz_larger(tx, 0);
	} else if (tx * rx < 0 && alike(tx, rx)) {
		s = copysign(lz_smaller(fabs(tx), fabs(rx)), rx);
	}
	limit = any ? lz_smaller(limit, MIN_CLAMPED_US) : limit;
	if (fabs(s) > limit)
		s = within_bounds(k, h, s);
	return fabs(s) > limit ? s : 0;
}

static void take_medians(struct clocks *k)
{
	for (uint32_t h = 0; h < k->z->in->n_hosts; h++) {
		k->tx[h] = side_median(k, NA_LZ_SRC, h);
		k->rx[h] = side_median(k, NA_LZ_DST, h);
	}
}

static void shift_side(struct clocks *k, enum na_lz_kind kind, uint32_t h,
		       double by)
{
	lz_for_side (p, k->z, kind, h) {
		double d = (double)k->d[*p] + by;

		if (2 * k->none[*p] > k->n[*p] && d > 0)
			d = lz_larger((double)k->d[*p], 0);
		k->d[*p] = (float)d;
	}
}

/* Fixes the host that is furthest ahead or behind; false: none is, or no
 * memory. */
static bool fix_one(struct clocks *k)
{
	struct lz *z = k->z;
	double limit, best = 0;
	uint32_t host = 0;

	take_medians(k);
	limit = lz_larger(spread(k, k->tx), spread(k, k->rx));
	limit = lz_larger(3 * lz_larger(MIN_SPREAD_US, limit), MIN_AHEAD_US);
	for (uint32_t h = 0; h < k->z->in->n_hosts; h++) {
		double s = ahead(k, h, limit);

		if (fabs(s) > fabs(best)) {
			best = s;
			host = h;
		}
	}
	if (!(fabs(best) > 0))
		return false;
	if (!z->ahead_us)
		z->ahead_us = na_lz_take(&z->memory, z->in->n_hosts,
					 sizeof(*z->ahead_us));
	if (!z->ahead_us)
		return false;
	z->ahead_us[host] += best;
	shift_side(k, NA_LZ_SRC, host, best);
	shift_side(k, NA_LZ_DST, host, -best);
	return true;
}

/* Up to 64 KiB; where few are so small, the smallest that there are. */
static bool choose_small(struct clocks *k)
{
	const struct lz_baseline *b = &k->z->base;
	double *x = na_calloc(b->n_sample, sizeof(*x));
	size_t small = 0;

	for (size_t i = 0; x && i < b->n_sample; i++) {
		x[i] = (double)b->sample[i].bytes;
		small += x[i] < LZ_CELL_B;
	}
	k->small_bytes = LZ_CELL_B - 1;
	if (x && (double)small < SMALL_SHARE * (double)b->n_sample)
		k->small_bytes = na_quantile(x, b->n_sample, SMALLEST);
	free(x);
	return x != NULL;
}

static bool room_for(struct clocks *k)
{
	size_t pairs = k->z->in->n_pairs, hosts = k->z->in->n_hosts;
	struct lz_memory *m = &k->memory;

	k->d = na_lz_take(m, pairs, sizeof(*k->d));
	k->n = na_lz_take(m, pairs, sizeof(*k->n));
	k->none = na_lz_take(m, pairs, sizeof(*k->none));
	k->tx = na_lz_take(m, hosts, sizeof(*k->tx));
	k->rx = na_lz_take(m, hosts, sizeof(*k->rx));
	k->x = na_lz_take(m, pairs + 3 * hosts, sizeof(*k->x));
	return !m->failed && choose_small(k);
}

enum na_status na_lz_clocks(struct lz *z, bool *fixed, struct na_err *err)
{
	struct clocks k = {.z = z, .usual = NAN};
	enum na_status s = NA_OK;

	*fixed = false;
	if (!room_for(&k))
		s = na_fail_nomem(err);
	if (s == NA_OK)
		s = measure(&k, err);
	for (size_t i = 0; s == NA_OK && i < MAX_FIXES && fix_one(&k); i++)
		*fixed = true;
	na_arena_fini(&k.memory.arena);
	return s == NA_OK && z->memory.failed ? na_fail_nomem(err) : s;
}

/* Half the 95 % interval of a median over the host's pairs, and at least what
 * its two sides still disagree by, and what the stamps of both ends leave
 * open: medians hold waits, which are no clocks. */
static double uncertainty(struct clocks *k, uint32_t h)
{
	size_t m = 0;
	struct clock_bounds x;
	double mad;

	lz_for_side (p, k->z, NA_LZ_SRC, h) {
		if (!isnan(k->d[*p]))
			k->x[m++] = -(double)k->d[*p];
	}
	lz_for_side (p, k->z, NA_LZ_DST, h) {
		if (!isnan(k->d[*p]))
			k->x[m++] = (double)k->d[*p];
	}
	if (!m)
		return MIN_AHEAD_US;
	mad = NA_MAD_SIGMA * na_mad(k->x, m, na_median(k->x, m));
	mad *= LZ_Z95 * sqrt(LZ_HALF_PI / (double)m);
	for (enum na_lz_kind side = NA_LZ_SRC; side <= NA_LZ_DST; side++) {
		double left = side_median(k, side, h);

		if (!isnan(left) && !clamped(k, side, h))
			mad = lz_larger(mad, fabs(left));
	}
	if (bounds_of(k, h, &x))
		mad = lz_larger(mad, lz_larger(x.most, -x.least));
	return lz_larger(mad, 1);
}

enum na_status na_lz_clocks_report(struct lz *z, struct na_err *err)
{
	struct clocks k = {.z = z, .usual = NAN};
	size_t cap = 0;
	enum na_status s = NA_OK;

	if (!room_for(&k))
		s = na_fail_nomem(err);
	if (s == NA_OK)
		s = measure(&k, err);
	for (uint32_t h = 0;
	     s == NA_OK && z->ahead_us && h < z->in->n_hosts; h++) {
		struct na_lz_result *r = z->out;
		double known_us;

		if (!(fabs(z->ahead_us[h]) > 0))
			continue;
		known_us = uncertainty(&k, h);
		if (fabs(z->ahead_us[h]) <= known_us)
			continue;
		if (!na_grow(&r->clocks, &cap, r->n_clocks + 1,
			     sizeof(*r->clocks)))
			s = na_fail_nomem(err);
		else
			r->clocks[r->n_clocks++] =
				(struct na_lz_clock){h, z->ahead_us[h],
						     known_us};
	}
	na_arena_fini(&k.memory.arena);
	return s;
}
