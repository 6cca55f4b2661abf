#include "netan/stats/tests/boot.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/sample.h"

enum { LEAST_BUCKET = 16 }; /* items */

int na_boot_order(const void *first, const void *second)
{
	const struct na_boot_item *x = first, *y = second;

	return NA_THEN(NA_UP(value), NA_UP(unit), NA_UP(kind));
}

static inline double weight_of(const struct na_boot *b, size_t i)
{
	return b->weight ? b->weight[b->x[i].kind] : 1;
}

/* Weighted sums of all and of each unit. */
static void add_up(struct na_boot *b)
{
	double centre = b->n ? b->x[b->n / 2].value : 0, sum = 0, squares = 0;

	for (size_t i = 0; i < b->n; i++) {
		double w = weight_of(b, i), x = b->x[i].value;

		b->total += w;
		sum += w * (x - centre);
		squares += w * (x - centre) * (x - centre);
		if (b->n_units) {
			b->all[b->x[i].unit] += w;
			b->sums[b->x[i].unit] += w * x;
		}
	}
	b->mean = centre + sum / b->total;
	b->variance = squares / b->total - pow(sum / b->total, 2);
	for (size_t u = 0; u < b->n_units; u++)
		b->used_units += b->all[u] > 0;
	b->by_events = b->used_units < NA_BOOT_LEAST;
}

static bool count_below(struct na_boot *b)
{
	size_t most = NA_BOOT_CELLS / b->n_units, want = b->n / LEAST_BUCKET;
	double *row;

	want = want > most ? most : want;
	want = want < 1 ? 1 : want;
	b->size = (b->n + want - 1) / want;
	b->buckets = (b->n + b->size - 1) / b->size;
	b->below = na_calloc((b->buckets + 1) * b->n_units, sizeof(double));
	if (!b->below)
		return false;
	row = b->below;
	for (size_t i = 0; i < b->n; i++) {
		if (i % b->size == 0 && i) {
			memcpy(row + b->n_units, row,
			       b->n_units * sizeof(*row));
			row += b->n_units;
		}
		/* Row k holds what lies below bucket k + 1. */
		row[b->x[i].unit] += weight_of(b, i);
	}
	return true;
}

bool na_boot_begin(struct na_boot *b)
{
	b->total = b->mean = b->variance = 0;
	b->used_units = b->size = b->buckets = 0;
	b->below = NULL;
	b->all = na_calloc(b->n_units + 1, sizeof(double));
	b->sums = na_calloc(b->n_units + 1, sizeof(double));
	if (!b->all || !b->sums)
		return false;
	add_up(b);
	return !b->n || b->by_events || count_below(b);
}

void na_boot_end(struct na_boot *b)
{
	free(b->below);
	free(b->all);
	free(b->sums);
	b->below = b->all = b->sums = NULL;
}

/* Where in cumulated weights the quantile lies. */
static double height(double p, double total, double share)
{
	double h = p * (total - share);

	return h > 0 ? h : 0;
}

/* What one value weighs on average: 1 for plain samples. */
static double share_of(const struct na_boot *b)
{
	return b->total / (double)b->n;
}

/* First index behind `from` at which the cumulated weight passes h. */
static size_t pass_bucket(const struct na_boot *b, size_t from, double *at,
			  double h, const double *drawn)
{
	size_t i = from;

	for (; i + 1 < b->n; i++) {
		double w = weight_of(b, i);

		if (drawn)
			w *= drawn[b->x[i].unit];
		if (*at + w > h)
			break;
		*at += w;
	}
	return i;
}

static double between(const struct na_boot *b, size_t i, double at, double h,
		      double share, const double *drawn)
{
	double steps = h / share, whole = floor(steps), part = steps - whole;
	size_t lo, hi;

	lo = pass_bucket(b, i, &at, whole * share, drawn);
	if (part <= 0)
		return b->x[lo].value;
	hi = pass_bucket(b, lo, &at, (whole + 1) * share, drawn);
	return b->x[lo].value + part * (b->x[hi].value - b->x[lo].value);
}

double na_boot_quantile(const struct na_boot *b, double p)
{
	double share;

	if (!b->n || !(b->total > 0))
		return NAN;
	share = share_of(b);
	return between(b, 0, 0, height(p, b->total, share), share, NULL);
}

static double dot(const double *a, const double *b, size_t n)
{
	double s[4] = {0, 0, 0, 0};
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		for (size_t k = 0; k < 4; k++)
			s[k] += a[i + k] * b[i + k];
	}
	for (; i < n; i++)
		s[0] += a[i] * b[i];
	return s[0] + s[1] + (s[2] + s[3]);
}

static double quantile_drawn(const struct na_boot *b, const double *drawn,
			     double total, double p)
{
	double share = share_of(b), h = height(p, total, share), at = 0;
	size_t lo = 0, hi = b->buckets - 1;
	double whole = floor(h / share) * share;

	/* The last bucket before which no more than that is cumulated. */
	while (lo < hi) {
		size_t mid = (lo + hi + 1) / 2;
		double below = dot(b->below + (mid - 1) * b->n_units, drawn,
				   b->n_units);

		if (below <= whole) {
			lo = mid;
			at = below;
		} else {
			hi = mid - 1;
		}
	}
	return between(b, lo * b->size, at, h, share, drawn);
}

static void draw_units(const struct na_boot *b, gsl_rng *rng, const double *p,
		       size_t m, double *out)
{
	double drawn[NA_BOOT_UNITS] = {0}, total;

	for (size_t i = 0; i < b->n_units; i++)
		drawn[gsl_rng_uniform_int(rng, b->n_units)] += 1;
	total = dot(b->all, drawn, b->n_units);
	for (size_t k = 0; k < m; k++)
		out[k] = total > 0 ? quantile_drawn(b, drawn, total, p[k])
				   : (double)NAN;
	out[m] = total > 0 ? dot(b->sums, drawn, b->n_units) / total
			   : (double)NAN;
}

static double value_at(const struct na_boot *b, double share)
{
	double at = share * (double)b->n;
	size_t i = at > 0 ? (size_t)at : 0;

	return b->x[i < b->n ? i : b->n - 1].value;
}

/* Order statistics k and k + 1 (from 0) of n uniforms, then what lies
 * there.  Weights: their share of the cumulated weight is looked up. */
static double quantile_of_events(const struct na_boot *b, gsl_rng *rng,
				 double p)
{
	double n = (double)b->n, h = p * (n - 1), k = floor(h);
	double lo = gsl_ran_beta(rng, k + 1, n - k);
	double part = h - k, hi;

	if (b->weight)
		return na_boot_quantile(b, lo);
	if (part <= 0 || k + 1 >= n)
		return value_at(b, lo);
	hi = lo +
	     (1 - lo) * (1 - pow(gsl_rng_uniform_pos(rng), 1 / (n - k - 1)));
	return value_at(b, lo) + part * (value_at(b, hi) - value_at(b, lo));
}

static void draw_events(const struct na_boot *b, gsl_rng *rng, const double *p,
			size_t m, double *out)
{
	double sigma = b->variance > 0 ? sqrt(b->variance / (double)b->n) : 0;

	for (size_t k = 0; k < m; k++)
		out[k] = quantile_of_events(b, rng, p[k]);
	out[m] = b->mean + gsl_ran_gaussian_ziggurat(rng, 1) * sigma;
}

void na_boot_draw(const struct na_boot *b, uint64_t seed, uint64_t stream,
		  uint64_t turn, const double *p, size_t m, double *out)
{
	gsl_rng *rng = NULL;

	for (size_t k = 0; k <= m; k++)
		out[k] = NAN;
	if (!b->n || !(b->total > 0))
		return;
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		return;
	gsl_rng_set(rng,
		    (unsigned long)(na_mix_u64(na_mix_u64(seed, stream), turn) &
				    UINT32_MAX));
	if (b->by_events)
		draw_events(b, rng, p, m, out);
	else
		draw_units(b, rng, p, m, out);
	gsl_rng_free(rng);
}
