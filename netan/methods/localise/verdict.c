/*
 * What the channels found, as one verdict: their union, what the
 * pattern cannot tell apart, and the list of pairs as evidence.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define NEEDS_TRAFFIC  "traffic between these hosts and others"
#define NEEDS_TOPOLOGY "could be a shared uplink: give the topology"

enum na_status na_lz_found(struct lz *z, const struct na_lz_finding *f,
			   struct na_err *err)
{
	if (!na_add(&z->found, *f)) {
		free(f->windows);
		return na_fail_nomem(err);
	}
	return NA_OK;
}

enum na_status na_lz_undecided(struct lz *z, const char *what,
			       const char *needs, const uint32_t *pairs,
			       size_t n, struct na_err *err)
{
	struct na_lz_undecided *u = na_lz_undecided_add(z->out, what, needs, n);

	if (!u)
		return na_fail_nomem(err);
	if (n)
		memcpy(u->pairs, pairs, n * sizeof(*pairs));
	u->n_pairs = n;
	return NA_OK;
}

static bool same(struct na_lz_who a, struct na_lz_who b)
{
	bool two = a.kind == NA_LZ_PAIR || a.kind == NA_LZ_RACK_PAIR;

	return a.kind == b.kind && a.a == b.a && (!two || a.b == b.b);
}

/* Is b a part of a? */
static bool covers(struct na_lz_who a, struct na_lz_who b)
{
	bool src = a.kind == NA_LZ_SRC || a.kind == NA_LZ_HOST;
	bool dst = a.kind == NA_LZ_DST || a.kind == NA_LZ_HOST;

	if (b.kind == NA_LZ_SRC || b.kind == NA_LZ_DST)
		return a.kind == NA_LZ_HOST && a.a == b.a;
	if (b.kind == NA_LZ_PAIR)
		return (src && a.a == b.a) || (dst && a.a == b.b);
	return false;
}

void na_lz_drop_found(struct lz *z, size_t i)
{
	struct na_lz_finding *f = &z->found.v[i];

	free(f->windows);
	free(f->alternatives);
	z->found.n--;
	memmove(f, f + 1, (z->found.n - i) * sizeof(*f));
}

/* Transmit and receive side of one host: the surer one speaks for both. */
static void join_sides(struct na_lz_finding *a, struct na_lz_finding *b)
{
	size_t pairs = a->pairs + b->pairs;
	uint64_t transfers = a->transfers + b->transfers;

	if (b->p_value < a->p_value) {
		struct na_lz_finding t = *a;

		*a = *b;
		*b = t;
	}
	a->who.kind = NA_LZ_HOST;
	a->pairs = pairs;
	a->transfers = transfers;
}

/* The only path of a side, or NA_LZ_NONE. */
static uint32_t only_path(const struct lz *z, struct na_lz_who who)
{
	const uint32_t *first;

	if (who.kind == NA_LZ_PAIR)
		return na_lz_find_pair(z, who.a, who.b);
	if (who.kind != NA_LZ_SRC && who.kind != NA_LZ_DST)
		return NA_LZ_NONE;
	first = lz_side(z, who.kind, who.a);
	return lz_side(z, who.kind, who.a + 1) - first == 1 ? *first
							    : NA_LZ_NONE;
}

/* In a ring a transmit side is also the receive side of the next host;
 * where that one's transmit side is found too, the host explains both. */
static void read_rings(struct lz *z)
{
	for (size_t i = 0; i < z->found.n; i++) {
		struct na_lz_who *w = &z->found.v[i].who;
		uint32_t p = w->kind == NA_LZ_SRC ? only_path(z, *w)
						  : NA_LZ_NONE;
		uint32_t next;

		if (p == NA_LZ_NONE)
			continue;
		next = z->in->pairs[p].dst;
		for (size_t k = 0; k < z->found.n; k++) {
			if (z->found.v[k].who.kind == NA_LZ_SRC &&
			    z->found.v[k].who.a == next &&
			    lz_degree(&z->col, next) == 1)
				*w = (struct na_lz_who){NA_LZ_DST, next, 0};
		}
	}
}

/* Earlier channels come first and win. */
static void unite(struct lz *z)
{
	struct na_lz_finding *f = z->found.v;

	for (size_t i = 0; i < z->found.n; i++) {
		for (size_t k = i + 1; k < z->found.n;) {
			bool sides = f[i].who.kind + f[k].who.kind ==
					     NA_LZ_SRC + NA_LZ_DST &&
				     f[i].who.kind != f[k].who.kind &&
				     f[i].who.a == f[k].who.a;

			if (sides)
				join_sides(&f[i], &f[k]);
			if (sides || same(f[i].who, f[k].who))
				na_lz_drop_found(z, k);
			else
				k++;
		}
	}
	for (size_t i = z->found.n; i-- > 0;) {
		bool covered = false;

		for (size_t k = 0; k < z->found.n; k++)
			covered |= k != i && covers(f[k].who, f[i].who);
		if (covered)
			na_lz_drop_found(z, i);
	}
}

/* More than half of the hosts cannot be the exception. */
static bool too_many(const struct lz *z)
{
	size_t n = 0;

	for (size_t i = 0; i < z->found.n; i++)
		n += lz_is_host_kind(z->found.v[i].who.kind);
	return 2 * n > z->hosts;
}

/* A side with one path looks like that path, and it like the side. */
static enum na_status alternatives(const struct lz *z, struct na_lz_finding *f,
				   struct na_err *err)
{
	uint32_t p = only_path(z, f->who);
	const struct na_lz_pair *pair;
	struct na_lz_who all[3];
	size_t n = 0;

	if (p == NA_LZ_NONE)
		return NA_OK;
	pair = &z->in->pairs[p];
	if (lz_degree(&z->row, pair->src) == 1)
		all[n++] = (struct na_lz_who){NA_LZ_SRC, pair->src, 0};
	if (lz_degree(&z->col, pair->dst) == 1)
		all[n++] = (struct na_lz_who){NA_LZ_DST, pair->dst, 0};
	if (!n)
		return NA_OK;
	all[n++] = (struct na_lz_who){NA_LZ_PAIR, pair->src, pair->dst};
	f->alternatives = na_calloc(n, sizeof(*f->alternatives));
	if (!f->alternatives)
		return na_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (!same(all[i], f->who))
			f->alternatives[f->n_alternatives++] = all[i];
	}
	f->needs = NEEDS_TRAFFIC;
	return NA_OK;
}

static size_t of_kind(const struct lz *z, enum na_lz_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < z->found.n; i++)
		n += z->found.v[i].who.kind == kind;
	return n;
}

/* More paths than a few are the pattern of something else. */
static enum na_status many_paths(struct lz *z, struct na_err *err)
{
	size_t n = of_kind(z, NA_LZ_PAIR), m = 0;
	uint32_t *paths;
	enum na_status s;

	if (n <= LZ_MAX_PATHS)
		return NA_OK;
	paths = na_calloc(n, sizeof(*paths));
	if (!paths)
		return na_fail_nomem(err);
	for (size_t i = z->found.n; i-- > 0;) {
		struct na_lz_who w = z->found.v[i].who;

		if (w.kind != NA_LZ_PAIR)
			continue;
		paths[m++] = na_lz_find_pair(z, w.a, w.b);
		na_lz_drop_found(z, i);
	}
	s = na_lz_undecided(z, "slow pairs without a common host", NULL, paths,
			    m, err);
	free(paths);
	return s;
}

static bool is_of(const struct na_lz_pair *p, struct na_lz_who who)
{
	if (who.kind == NA_LZ_PAIR)
		return p->src == who.a && p->dst == who.b;
	return (who.kind != NA_LZ_DST && p->src == who.a) ||
	       (who.kind != NA_LZ_SRC && p->dst == who.a);
}

/* Nobody is named, and yet pairs are slow together: no acquittal. */
static enum na_status leave_open(struct lz *z, struct na_err *err)
{
	size_t n = 0;
	uint32_t *pairs;
	enum na_status s;

	if (z->found.n || z->out->n_undecided || z->out->n_stalls ||
	    !(z->doubt.score > 0))
		return NA_OK;
	pairs = na_calloc(z->in->n_pairs, sizeof(*pairs));
	if (!pairs)
		return na_fail_nomem(err);
	for (uint32_t p = 0; p < z->in->n_pairs; p++) {
		if (z->in->pairs[p].n && is_of(&z->in->pairs[p], z->doubt.who))
			pairs[n++] = p;
	}
	s = na_lz_undecided(z,
			    "pairs of one host that are slow together, but "
			    "not as a bad link makes them",
			    NULL, pairs, n, err);
	free(pairs);
	return s;
}

enum na_status na_lz_verdict(struct lz *z, struct na_err *err)
{
	enum na_status s;

	read_rings(z);
	unite(z);
	na_lz_rack_sides(z);
	z->out->too_few = too_many(z);
	if (z->out->too_few)
		return NA_OK;
	s = many_paths(z, err);
	for (size_t i = 0; s == NA_OK && i < z->found.n; i++) {
		struct na_lz_finding *f = &z->found.v[i];
		bool side = f->who.kind == NA_LZ_SRC ||
			    f->who.kind == NA_LZ_DST;

		s = alternatives(z, f, err);
		if (side && !f->needs && !z->in->locality_given &&
		    of_kind(z, f->who.kind) >= 2)
			f->needs = NEEDS_TOPOLOGY;
	}
	if (s == NA_OK)
		s = leave_open(z, err);
	z->out->findings = z->found.v;
	z->out->n_findings = z->found.n;
	z->found.v = NULL;
	z->found.n = 0;
	return s;
}

enum na_status na_lz_pair_list(struct lz *z, const struct lz_view *v,
			       struct na_err *err)
{
	size_t n = z->in->n_pairs;
	struct na_lz_pair_result *r;
	double *p = na_calloc(n, sizeof(*p));
	bool ok = p != NULL;

	for (size_t i = 0; ok && i < n; i++)
		p[i] = lz_records(v, i)
			       ? na_normal_upper(v->m[i] /
						 sqrt(v->se2[i] + v->tau2))
			       : NAN;
	ok = ok && na_bh(p, p, n);
	r = z->out->pairs = ok ? na_calloc(n, sizeof(*r)) : NULL;
	for (size_t i = 0; r && i < n; i++) {
		bool is = lz_records(v, i) > 0;

		r[i].effect = is ? v->m[i] : 0;
		r[i].se = is ? sqrt(v->se2[i]) : NAN;
		r[i].q_value = is ? p[i] : 1;
	}
	free(p);
	return r ? NA_OK : na_fail_nomem(err);
}
