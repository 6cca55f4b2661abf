/*
 * Offsets of hosts' clocks from latencies between two clocks.
 *
 * A pair's smallest latencies, less what is usual for their strata, are the
 * difference of two offsets (S. B. Moon, P. Skelly and D. Towsley, INFOCOM
 * 1999); least absolute deviations by reweighting fit the offsets.  Each
 * weighted fit solves the normal equations, a Laplacian of the graph of pairs,
 * by conjugate gradients, in memory of O(pairs + hosts).
 */
#include <math.h>
#include <string.h>

#include "netan/judge/constants.h"
#include "netan/judge/session.h"
#include "netan/stats/tests/robust.h"

enum { REWEIGHTINGS = 8 };

/* An offset without any pair is 0. */
static const double ridge = 1e-6;

struct fit {
	const struct na_j_pair *pairs;
	size_t n_pairs, n_hosts;
	double *differ;		 /* receiver's clock less sender's, us */
	bool *ok;		 /* by pair */
	double *weight, *anchor; /* by pair; by host, of offset 0 */
	double *offset, *residual, *z, *way, *image, *diagonal; /* by host */
};

static void times(const struct fit *f, const double *x, double *out)
{
	for (size_t h = 0; h < f->n_hosts; h++)
		out[h] = ridge * f->anchor[h] * x[h];
	for (size_t p = 0; p < f->n_pairs; p++) {
		uint32_t a = f->pairs[p].src, b = f->pairs[p].dst;
		double flow = f->weight[p] * (x[b] - x[a]);

		out[b] += flow;
		out[a] -= flow;
	}
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Residual and diagonal for the offsets there are. */
static void start(struct fit *f)
{
	times(f, f->offset, f->image);
	for (size_t h = 0; h < f->n_hosts; h++) {
		f->residual[h] = -f->image[h];
		f->diagonal[h] = ridge * f->anchor[h];
	}
	for (size_t p = 0; p < f->n_pairs; p++) {
		uint32_t a = f->pairs[p].src, b = f->pairs[p].dst;

		if (a == b)
			continue;
		f->residual[b] += f->weight[p] * f->differ[p];
		f->residual[a] -= f->weight[p] * f->differ[p];
		f->diagonal[a] += f->weight[p];
		f->diagonal[b] += f->weight[p];
	}
}

/* Conjugate gradients, scaled by the diagonal, from the offsets there are. */
static void solve(struct fit *f)
{
	size_t n = f->n_hosts, most = 4 * n + 100;
	double now = 0, first = 0;

	start(f);
	for (size_t round = 0; round < most; round++) {
		double next, step;

		for (size_t h = 0; h < n; h++)
			f->z[h] = f->residual[h] / f->diagonal[h];
		next = dot(f->residual, f->z, n);
		if (!round)
			first = next;
		if (next <= 1e-28 * first || next < 1e-24)
			return;
		for (size_t h = 0; h < n; h++)
			f->way[h] = f->z[h] +
				    (round ? next / now * f->way[h] : 0);
		now = next;
		times(f, f->way, f->image);
		step = now / dot(f->way, f->image, n);
		for (size_t h = 0; h < n; h++) {
			f->offset[h] += step * f->way[h];
			f->residual[h] -= step * f->image[h];
		}
	}
}

static double left(const struct fit *f, size_t p)
{
	const struct na_j_pair *pair = &f->pairs[p];

	return f->differ[p] - (f->offset[pair->dst] - f->offset[pair->src]);
}

static void reweight(struct fit *f)
{
	for (size_t p = 0; p < f->n_pairs; p++)
		f->weight[p] = f->ok[p] ? 1 / sqrt(fmax(fabs(left(f, p)), 1))
					: 0;
	for (size_t h = 0; h < f->n_hosts; h++)
		f->anchor[h] = 1 / sqrt(fmax(fabs(1e-3 * f->offset[h]), 1));
}

/* The pairs' smallest latencies less the median of their stratum's. */
static bool differences(const struct na_j_session *s, double *differ,
			struct na_arena *tmp)
{
	const uint32_t *const cols[] = {s->stratum, s->pair};
	struct na_groups g, outer;
	double *least, *usual;
	uint32_t *key[2];

	if (!na_j_group(&g, cols, 2, NULL, s->n, tmp) ||
	    !(least = NA_J_NEW(tmp, double, g.n)) ||
	    !na_j_quantiles(&g, s->took, .05, least, tmp))
		return false;
	for (size_t k = 0; k < 2; k++) {
		key[k] = NA_J_NEW(tmp, uint32_t, g.n);
		for (size_t i = 0; key[k] && i < g.n; i++)
			key[k][i] = cols[k][na_j_first(&g, i)];
		if (!key[k])
			return false;
	}
	if (!na_j_group(&outer, (const uint32_t *const *)key, 1, NULL, g.n,
			tmp) ||
	    !(usual = NA_J_NEW(tmp, double, outer.n)) ||
	    !na_j_quantiles(&outer, least, .5, usual, tmp))
		return false;
	for (size_t o = 0; o < outer.n; o++)
		for (uint32_t i = outer.from[o]; i < outer.from[o + 1]; i++)
			least[outer.row[i]] -= usual[o];
	return na_j_group(&outer, (const uint32_t *const *)(key + 1), 1, NULL,
			  g.n, tmp) &&
	       na_j_quantiles(&outer, least, .5, differ, tmp);
}

/* Pairs whose latencies are rarely clamped. */
static bool rarely_clamped(const struct na_j_session *s, bool *ok,
			   struct na_arena *tmp)
{
	uint32_t *all = NA_J_NEW(tmp, uint32_t, s->n_pairs),
		 *zero = NA_J_NEW(tmp, uint32_t, s->n_pairs);

	if (!all || !zero)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		all[s->pair[i]]++;
		zero[s->pair[i]] += s->took[i] <= 0;
	}
	for (size_t p = 0; p < s->n_pairs; p++)
		ok[p] = zero[p] < NA_J_CLAMPED * all[p];
	return true;
}

static bool fit_init(struct fit *f, const struct na_j_session *s,
		     struct na_arena *tmp)
{
	double **const by_host[] = {&f->anchor, &f->offset, &f->residual,
				    &f->z,	&f->way,    &f->image,
				    &f->diagonal};
	bool ok;

	*f = (struct fit){s->pairs, s->n_pairs, s->n_hosts};
	f->differ = NA_J_NEW(tmp, double, f->n_pairs);
	f->weight = NA_J_NEW(tmp, double, f->n_pairs);
	f->ok = NA_J_NEW(tmp, bool, f->n_pairs);
	ok = f->differ && f->weight && f->ok;
	for (size_t i = 0; i < sizeof(by_host) / sizeof(by_host[0]); i++)
		ok = (*by_host[i] = NA_J_NEW(tmp, double, f->n_hosts)) && ok;
	return ok && differences(s, f->differ, tmp) &&
	       rarely_clamped(s, f->ok, tmp);
}

static void fit_offsets(struct fit *f)
{
	for (size_t p = 0; p < f->n_pairs; p++)
		f->weight[p] = f->ok[p];
	for (size_t h = 0; h < f->n_hosts; h++)
		f->anchor[h] = 1;
	for (int i = 0; i < REWEIGHTINGS; i++) {
		solve(f);
		reweight(f);
	}
}

/* What the offsets leave: 1.4826 times the median of its size. */
static double uncertainty(struct fit *f)
{
	size_t n = 0;

	for (size_t p = 0; p < f->n_pairs; p++)
		if (f->ok[p])
			f->differ[n++] = fabs(left(f, p));
	return n ? NA_MAD_SIGMA * na_median(f->differ, n) : INFINITY;
}

bool na_j_clocks(struct na_j_session *s)
{
	struct na_arena tmp = {0};
	struct fit f;
	size_t rows = 0;
	bool ok = fit_init(&f, s, &tmp);

	s->ahead_us = NA_J_NEW(&s->columns, double, s->n_hosts);
	ok = ok && s->ahead_us;
	if (ok) {
		fit_offsets(&f);
		memcpy(s->ahead_us, f.offset, s->n_hosts * sizeof(double));
		s->clock_se = uncertainty(&f);
	}
	for (size_t i = 0; ok && i < s->n; i++) {
		double offset = f.offset[s->host[1][i]] -
				f.offset[s->host[0][i]];

		s->took[i] = fmax(s->took[i] - offset, 1);
		rows += f.ok[s->pair[i]];
	}
	if (ok && rows > 100)
		ok = na_j_session_filter(s, f.ok);
	na_arena_fini(&tmp);
	return ok;
}
