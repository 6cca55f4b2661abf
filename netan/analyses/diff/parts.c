/*
 * diff: which hosts, paths between hosts and collectives changed.
 *
 * A transfer's latency is taken over the median of its size bin in A, so that
 * other sizes are no change; bins that a part has in one run alone are passed
 * over.  The logarithm of that is compared by the means of the stretches of
 * neighbouring units (netan/stats/time/batches.h).  A part changed where the
 * false discovery rate over all parts of its kind is below 0.01 and the ratio
 * is beyond 1.1.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/diff/diff.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/sample.h"
#include "netan/stats/tests/tests.h"
#include "netan/stats/time/batches.h"

#define PARTS_Q 0.01

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

enum { BINS = 256 }; /* of sizes */

struct part {
	struct na_batch batch[DF_RUNS][DF_STRETCHES];
	uint64_t n[DF_RUNS];
	double sum[DF_RUNS]; /* of log latency */
};

struct parts {
	struct na_triples keys; /* kind, a, b */
	struct part *items;
	size_t cap;
	/* What each stratum belongs to, and has in each run. */
	uint32_t (*of)[DF_PART_KINDS];
	struct na_triples bins; /* part, size bin */
	uint64_t *in_bin[DF_RUNS];
	size_t cap_bin[DF_RUNS];
	double expected[BINS]; /* ps; NaN: no such size in A */
	uint64_t over;
};

static void parts_end(struct parts *x)
{
	na_triples_fini(&x->keys);
	na_triples_fini(&x->bins);
	free(x->items);
	free(x->of);
	free(x->in_bin[DF_A]);
	free(x->in_bin[DF_B]);
}

/* Medians of A by size; it is in ascending order. */
static bool expect(const struct df_state *s, struct parts *x)
{
	const struct df_sample *a = &s->metrics[DF_LATENCY].s[DF_A];
	size_t n[BINS] = {0}, at[BINS] = {0};

	for (size_t i = 0; i < a->n; i++)
		n[s->got.strata.keys[a->x[i].kind].c % BINS]++;
	for (size_t k = 0; k < BINS; k++)
		x->expected[k] = NAN;
	for (size_t i = 0; i < a->n; i++) {
		size_t k = s->got.strata.keys[a->x[i].kind].c % BINS;

		if (at[k]++ == (n[k] - 1) / 2)
			x->expected[k] = fmax(1, a->x[i].value);
	}
	return true;
}

static bool add_key(struct parts *x, size_t stratum, enum df_part kind,
		    uint32_t a, uint32_t b)
{
	struct na_triple key = {kind, a, b};
	uint32_t at = na_triples_find(&x->keys, key);

	if (at == NA_NO_TRIPLE && x->keys.n == DF_PARTS) {
		x->over++;
		x->of[stratum][kind] = NA_UNKNOWN_U32;
		return true;
	}
	if (at == NA_NO_TRIPLE)
		at = na_triples_add(&x->keys, key);
	x->of[stratum][kind] = at;
	return at != NA_NO_TRIPLE;
}

static bool list_parts(const struct df_state *s, struct parts *x)
{
	bool ok;

	x->of = na_calloc(s->got.strata.n + 1, sizeof(*x->of));
	ok = x->of;
	for (size_t i = 0; ok && i < s->got.strata.n; i++) {
		const struct na_triple *k = &s->got.strata.keys[i];
		const struct na_triple *path = &s->got.paths.keys[k->a];

		ok = add_key(x, i, DF_SENDS, path->a, 0) &&
		     add_key(x, i, DF_RECEIVES, path->b, 0) &&
		     add_key(x, i, DF_PATH, path->a, path->b) &&
		     add_key(x, i, DF_COLLECTIVE, k->b, 0);
	}
	if (ok)
		x->items = na_calloc(x->keys.n + 1, sizeof(*x->items));
	return ok && x->items;
}

static bool count_bin(struct parts *x, uint32_t run, uint32_t part,
		      uint32_t bin, uint64_t n)
{
	uint32_t at = na_triples_add(&x->bins,
				     (struct na_triple){part, bin, 0});

	if (at == NA_NO_TRIPLE)
		return false;
	for (int r = 0; r < DF_RUNS; r++) {
		size_t before = x->cap_bin[r];

		if (!na_grow(&x->in_bin[r], &x->cap_bin[r], (size_t)at + 1,
			     sizeof(**x->in_bin)))
			return false;
		if (x->cap_bin[r] > before)
			memset(x->in_bin[r] + before, 0,
			       (x->cap_bin[r] - before) * sizeof(**x->in_bin));
	}
	x->in_bin[run][at] += n;
	return true;
}

static bool count_bins(const struct df_state *s, struct parts *x)
{
	uint64_t *n = NULL;
	bool ok = true;

	for (uint32_t r = 0; ok && r < DF_RUNS; r++) {
		const struct df_sample *m = &s->metrics[DF_LATENCY].s[r];

		free(n);
		n = na_calloc(s->got.strata.n + 1, sizeof(*n));
		ok = n;
		for (size_t i = 0; ok && i < m->n; i++)
			n[m->x[i].kind]++;
		for (size_t i = 0; ok && i < s->got.strata.n; i++) {
			for (int k = 0; ok && k < DF_PART_KINDS; k++)
				ok = x->of[i][k] == NA_UNKNOWN_U32 || !n[i] ||
				     count_bin(x, r, x->of[i][k],
					       s->got.strata.keys[i].c, n[i]);
		}
	}
	free(n);
	return ok;
}

/* A stretch is a batch; without units, transfers are taken as independent and
 * land anywhere. */
static size_t batch_of(const struct df_sample *m, size_t i)
{
	return m->n_units < 4 ? na_mix_u64(DF_SEED, i) % DF_STRETCHES
			      : m->x[i].unit;
}

static bool in_both(const struct parts *x, uint32_t part, uint32_t bin)
{
	uint32_t at = na_triples_find(&x->bins,
				      (struct na_triple){part, bin, 0});

	return at != NA_NO_TRIPLE && x->in_bin[DF_A][at] && x->in_bin[DF_B][at];
}

static bool add_up(const struct df_state *s, struct parts *x)
{
	bool(*both)[DF_PART_KINDS] = na_calloc(s->got.strata.n + 1,
					       sizeof(*both));

	for (size_t i = 0; both && i < s->got.strata.n; i++) {
		for (int k = 0; k < DF_PART_KINDS; k++)
			both[i][k] = x->of[i][k] != NA_UNKNOWN_U32 &&
				     in_both(x, x->of[i][k],
					     s->got.strata.keys[i].c);
	}
	for (int r = 0; both && r < DF_RUNS; r++) {
		const struct df_sample *m = &s->metrics[DF_LATENCY].s[r];

		for (size_t i = 0; i < m->n; i++) {
			uint32_t at = m->x[i].kind;
			double y = log(fmax(1, m->x[i].value));
			double e = x->expected[s->got.strata.keys[at].c % BINS];
			size_t batch = batch_of(m, i);

			for (int k = 0; k < DF_PART_KINDS; k++) {
				struct part *p;

				if (x->of[at][k] == NA_UNKNOWN_U32)
					continue;
				p = &x->items[x->of[at][k]];
				p->n[r]++;
				p->sum[r] += y;
				if (!both[at][k] || isnan(e))
					continue;
				p->batch[r][batch].sum += y - log(e);
				p->batch[r][batch].n++;
			}
		}
	}
	free(both);
	return both;
}

static double known(double ratio)
{
	return isnan(ratio) ? -1 : ratio;
}

/* Slower first; what got faster comes last. */
static int by_kind_then_ratio(const void *a, const void *b)
{
	const struct df_change *x = a, *y = b;
	int by = ORDER(x->kind, y->kind);

	by = by ? by : ORDER(y->changed, x->changed);
	by = by ? by : ORDER(known(y->ratio), known(x->ratio));
	by = by ? by : ORDER(x->a, y->a);
	return by ? by : ORDER(x->b, y->b);
}

static void compare_part(const struct parts *x, size_t i, struct df_change *c)
{
	const struct part *p = &x->items[i];
	struct na_batch_diff d;

	*c = (struct df_change){
		.kind = (enum df_part)x->keys.keys[i].a,
		.a = x->keys.keys[i].b,
		.b = x->keys.keys[i].c,
		.ratio = NAN,
		.ratio_ci = {NAN, NAN},
		.p = NAN,
		.q = NAN,
	};
	for (int r = 0; r < DF_RUNS; r++) {
		c->n[r] = p->n[r];
		c->typical_us[r] = p->n[r] ? exp(p->sum[r] / (double)p->n[r]) *
						     1e-6
					   : (double)NAN;
	}
	if (c->n[DF_A] < DF_STRATUM || c->n[DF_B] < DF_STRATUM ||
	    !na_batches_compare(p->batch[DF_A], DF_STRETCHES, p->batch[DF_B],
				DF_STRETCHES, &d))
		return;
	c->ratio = exp(d.diff);
	c->ratio_ci[0] = exp(d.ci[0]);
	c->ratio_ci[1] = exp(d.ci[1]);
	c->p = d.p;
}

static bool judge_parts(struct df_state *s)
{
	double *p = na_calloc(s->n_changes + 1, sizeof(*p));
	double *q = na_calloc(s->n_changes + 1, sizeof(*q));
	bool ok = p && q;

	for (int k = 0; ok && k < DF_PART_KINDS; k++) {
		for (size_t i = 0; i < s->n_changes; i++)
			p[i] = s->changes[i].kind == (enum df_part)k
				       ? s->changes[i].p
				       : (double)NAN;
		ok = na_bh(p, q, s->n_changes);
		for (size_t i = 0; ok && i < s->n_changes; i++) {
			struct df_change *c = &s->changes[i];

			if (c->kind != (enum df_part)k)
				continue;
			c->q = q[i];
			c->changed = q[i] < PARTS_Q &&
				     fabs(log(c->ratio)) > log(DF_EFFECT_TOP);
			if (!isnan(c->p))
				s->parts_tested++;
			if (!c->n[DF_A] != !c->n[DF_B])
				s->parts_apart++;
			else if (isnan(c->p))
				s->parts_few++;
		}
	}
	free(p);
	free(q);
	return ok;
}

bool df_parts(struct df_state *s)
{
	struct parts x = {.items = NULL};
	bool ok = true;

	if (s->metrics[DF_LATENCY].compared) {
		ok = expect(s, &x) && list_parts(s, &x) && count_bins(s, &x) &&
		     add_up(s, &x);
		if (ok)
			s->changes = na_calloc(x.keys.n + 1,
					       sizeof(*s->changes));
		ok = ok && s->changes;
		s->n_changes = ok ? x.keys.n : 0;
		for (size_t i = 0; i < s->n_changes; i++)
			compare_part(&x, i, &s->changes[i]);
		s->parts_over = x.over;
		ok = ok && judge_parts(s);
		if (ok && s->n_changes)
			qsort(s->changes, s->n_changes, sizeof(*s->changes),
			      by_kind_then_ratio);
	}
	parts_end(&x);
	return ok;
}
