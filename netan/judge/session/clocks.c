/*
 * Offsets of hosts' clocks from latencies between two clocks.
 *
 * A pair's smallest latencies, less what is usual for their strata, are the
 * difference of two offsets (S. B. Moon, P. Skelly and D. Towsley, INFOCOM
 * 1999); least absolute deviations by reweighting fit the offsets.  Each
 * weighted fit solves the normal equations, a Laplacian of the graph of pairs,
 * by conjugate gradients, in memory of O(pairs + hosts).  These are scaled by
 * the diagonal or, where pairs are few (rings), by a spanning tree, which is
 * solved exactly (P. Vaidya's preconditioner).
 */
#include <math.h>
#include <string.h>

#include "netan/judge/constants.h"
#include "netan/judge/session/blocks.h"
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
	double *offset, *residual, *z, *way, *image; /* by host */
	/* The scale, factored: a tree of hosts, by host and in order from its
	 * roots, or no tree, when each is a root. */
	bool sparse;
	uint32_t *parent, *order, (*link)[2]; /* pairs to the parent */
	double *pivot, *up;		      /* up: weight of the link */
};

enum { NONE = UINT32_MAX, SPARSE = 4 }; /* pairs a host */

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

/* Eliminates each host, from the leaves on. */
static void factor(struct fit *f)
{
	for (size_t h = 0; h < f->n_hosts; h++) {
		f->pivot[h] = ridge * f->anchor[h];
		f->up[h] = 0;
		for (int k = 0; k < 2; k++)
			if (f->link[h][k] != NONE)
				f->up[h] += f->weight[f->link[h][k]];
	}
	for (size_t p = 0; !f->sparse && p < f->n_pairs; p++) {
		f->pivot[f->pairs[p].src] += f->weight[p];
		f->pivot[f->pairs[p].dst] += f->weight[p];
	}
	for (size_t h = 0; h < f->n_hosts; h++)
		if (f->parent[h] != NONE) {
			f->pivot[h] += f->up[h];
			f->pivot[f->parent[h]] += f->up[h];
		}
	for (size_t i = f->n_hosts; i-- > 0;) {
		uint32_t h = f->order[i];

		if (f->parent[h] != NONE)
			f->pivot[f->parent[h]] -=
				f->up[h] * f->up[h] / f->pivot[h];
	}
}

/* z: the residual, scaled. */
static void scale(struct fit *f)
{
	memcpy(f->z, f->residual, f->n_hosts * sizeof(*f->z));
	for (size_t i = f->n_hosts; i-- > 0;) {
		uint32_t h = f->order[i];

		if (f->parent[h] != NONE)
			f->z[f->parent[h]] += f->up[h] / f->pivot[h] * f->z[h];
	}
	for (size_t i = 0; i < f->n_hosts; i++) {
		uint32_t h = f->order[i];

		if (f->parent[h] != NONE)
			f->z[h] += f->up[h] * f->z[f->parent[h]];
		f->z[h] /= f->pivot[h];
	}
}

/* Residual for the offsets there are. */
static void start(struct fit *f)
{
	times(f, f->offset, f->image);
	for (size_t h = 0; h < f->n_hosts; h++)
		f->residual[h] = -f->image[h];
	for (size_t p = 0; p < f->n_pairs; p++) {
		f->residual[f->pairs[p].dst] += f->weight[p] * f->differ[p];
		f->residual[f->pairs[p].src] -= f->weight[p] * f->differ[p];
	}
	factor(f);
}

/* Conjugate gradients, from the offsets there are. */
static void solve(struct fit *f)
{
	size_t n = f->n_hosts, most = 4 * n + 100;
	double now = 0, first = 0;

	start(f);
	for (size_t round = 0; round < most; round++) {
		double next, step;

		scale(f);
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
static double *differences(const struct na_j_session *s, struct na_arena *tmp)
{
	struct na_j_usual u;
	struct na_groups g;
	uint32_t *pair;

	if (!na_j_usual_by(s, s->stratum, s->took, .05, &u, tmp) ||
	    !(pair = na_j_of_groups(&u.pairs, s->pair, tmp)))
		return NULL;
	for (size_t o = 0; o < u.keys.n; o++)
		for (uint32_t i = u.keys.from[o]; i < u.keys.from[o + 1]; i++)
			u.of_pair[u.keys.row[i]] -= u.of_key[o];
	return na_j_group(&g, NA_J_BY(pair), NULL, u.pairs.n, tmp)
		       ? na_j_quantiles(&g, u.of_pair, .5, tmp)
		       : NULL;
}

/* Pairs whose latencies are rarely clamped. */
static bool rarely_clamped(const struct na_j_session *s, bool *ok,
			   struct na_arena *tmp)
{
	uint32_t *all = NA_NEW(tmp, uint32_t, s->n_pairs),
		 *zero = NA_NEW(tmp, uint32_t, s->n_pairs);

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

/* The other host of pair p, when its latencies count. */
static uint32_t other_host(const struct fit *f, uint32_t p, uint32_t host)
{
	const struct na_j_pair *pair = &f->pairs[p];

	return !f->ok[p] ? host : pair->src == host ? pair->dst : pair->src;
}

/* Hosts that a host has pairs with and that the tree does not hold yet become
 * its children. */
static void add_children(struct fit *f, uint32_t host, const uint32_t *pair,
			 size_t n, bool *seen, size_t *n_order)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t child = other_host(f, pair[i], host);

		if (!seen[child]) {
			seen[child] = true;
			f->order[(*n_order)++] = child;
			f->parent[child] = host;
		}
		if (child != host && f->parent[child] == host)
			f->link[child][f->link[child][0] != NONE] = pair[i];
	}
}

/* A spanning tree, breadth first. */
static bool grow_tree(struct fit *f, const struct na_j_session *s,
		      struct na_arena *tmp)
{
	bool *seen = NA_NEW(tmp, bool, f->n_hosts);
	struct na_j_blocks b;
	size_t n = 0;

	if (!seen || !na_j_blocks_init(&b, s, tmp))
		return false;
	for (uint32_t root = 0; root < f->n_hosts; root++) {
		size_t at = n;

		if (seen[root])
			continue;
		seen[root] = true;
		f->order[n++] = root;
		for (; at < n; at++)
			for (int side = 0; side < 2; side++) {
				uint32_t h = f->order[at];
				struct na_j_block of =
					na_j_side_block(&b, side, h);

				add_children(f, h, of.pair, of.n, seen, &n);
			}
	}
	return true;
}

static bool scale_init(struct fit *f, const struct na_j_session *s,
		       struct na_arena *tmp)
{
	f->parent = NA_NEW(tmp, uint32_t, f->n_hosts);
	f->order = NA_NEW(tmp, uint32_t, f->n_hosts);
	f->link = na_arena_array(tmp, f->n_hosts, sizeof(*f->link));
	f->pivot = NA_NEW(tmp, double, f->n_hosts);
	f->up = NA_NEW(tmp, double, f->n_hosts);
	if (!f->parent || !f->order || !f->link || !f->pivot || !f->up)
		return false;
	for (uint32_t h = 0; h < f->n_hosts; h++) {
		f->order[h] = h;
		f->parent[h] = f->link[h][0] = f->link[h][1] = NONE;
	}
	f->sparse = f->n_pairs <= SPARSE * f->n_hosts;
	return !f->sparse || grow_tree(f, s, tmp);
}

static bool fit_init(struct fit *f, const struct na_j_session *s,
		     struct na_arena *tmp)
{
	double **const by_host[] = {&f->anchor, &f->offset, &f->residual,
				    &f->z,	&f->way,    &f->image};
	bool ok;

	*f = (struct fit){s->pairs, s->n_pairs, s->n_hosts};
	f->differ = differences(s, tmp);
	f->weight = NA_NEW(tmp, double, f->n_pairs);
	f->ok = NA_NEW(tmp, bool, f->n_pairs);
	ok = f->differ && f->weight && f->ok;
	for (size_t i = 0; i < sizeof(by_host) / sizeof(by_host[0]); i++)
		ok = (*by_host[i] = NA_NEW(tmp, double, f->n_hosts)) && ok;
	return ok && rarely_clamped(s, f->ok, tmp) && scale_init(f, s, tmp);
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

	s->ahead_us = NA_NEW(&s->columns, double, s->n_hosts);
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
