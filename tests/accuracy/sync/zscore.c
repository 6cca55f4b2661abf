#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/answer.h"
#include "tests/accuracy/sync/session.h"

static const double limit = 4;

struct logs {
	NA_VEC(double) list;
};

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

double sy_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Median of log latency of each pair; NAN of none.  Latencies of 0 have no
 * logarithm and are left out, as everywhere. */
static bool pair_medians(const struct sy_run *r,
			 double pairs[SY_HOSTS][SY_HOSTS])
{
	struct logs *of = na_calloc((size_t)SY_HOSTS * SY_HOSTS, sizeof(*of));
	bool ok = of != NULL;

	for (size_t i = 0; ok && i < r->n_transfers; i++) {
		const struct sy_transfer *t = &r->transfers[i];
		uint64_t us = sy_latency_us(r, t);

		if (us > 0)
			ok = na_add(&of[t->src * SY_HOSTS + t->dst].list,
				    log((double)us));
	}
	for (size_t i = 0; of && i < (size_t)SY_HOSTS * SY_HOSTS; i++) {
		pairs[i / SY_HOSTS][i % SY_HOSTS] =
			of[i].list.n ? sy_median(of[i].list.v, of[i].list.n)
				     : (double)NAN;
		na_vec_free(&of[i].list);
	}
	free(of);
	return ok;
}

/* The median over a host's pairs on one side; NAN of none. */
static double side_median(double pairs[SY_HOSTS][SY_HOSTS], uint32_t host,
			  bool source)
{
	double v[SY_HOSTS];
	size_t n = 0;

	for (uint32_t o = 0; o < SY_HOSTS; o++) {
		double one = source ? pairs[host][o] : pairs[o][host];

		if (!isnan(one))
			v[n++] = one;
	}
	return n ? sy_median(v, n) : (double)NAN;
}

/* The largest |z| of a side over the hosts; *who is the host. */
static double largest(double pairs[SY_HOSTS][SY_HOSTS], bool source,
		      uint32_t *who)
{
	double at[SY_HOSTS], sorted[SY_HOSTS], mid, mad, most = 0;
	size_t n = 0;

	for (uint32_t h = 0; h < SY_HOSTS; h++) {
		at[h] = side_median(pairs, h, source);
		if (!isnan(at[h]))
			sorted[n++] = at[h];
	}
	if (n < 3)
		return 0;
	mid = sy_median(sorted, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(sorted[i] - mid);
	mad = 1.4826 * sy_median(sorted, n);
	for (uint32_t h = 0; h < SY_HOSTS && mad > 0; h++)
		if (!isnan(at[h]) && fabs(at[h] - mid) / mad > most) {
			most = fabs(at[h] - mid) / mad;
			*who = h;
		}
	return most;
}

bool sy_zscore(const struct sy_run *r, struct sy_answer *out)
{
	double pairs[SY_HOSTS][SY_HOSTS], z[2];
	uint32_t who[2] = {0, 0};
	int side;

	*out = (struct sy_answer){.outcome = SY_CANNOT_TELL};
	if (!pair_medians(r, pairs))
		return false;
	for (side = 0; side < 2; side++)
		z[side] = largest(pairs, side == 0, &who[side]);
	side = z[1] > z[0];
	if (z[side] > limit) {
		out->network[0].who =
			(struct sy_suspect){.place = side == 0 ? SY_SRC
							       : SY_DST,
					    .host = who[side],
					    .src = SY_ANY,
					    .dst = SY_ANY};
		out->n_network = 1;
	}
	return true;
}
