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

#include "netan/analyses/diff/state.h"
#include "netan/base/order.h"
#include "netan/stats/samples/sample.h"
#include "netan/stats/tests/tests.h"
#include "netan/stats/time/batches.h"

#define PARTS_Q 0.01

enum { BINS = 256 }; /* of sizes */

struct part {
	struct na_batch batch[DIFF_RUNS][DIFF_STRETCHES];
	uint64_t n[DIFF_RUNS];
	double sum[DIFF_RUNS]; /* of log latency */
};

/* Transfers of a part that are of one size bin. */
struct in_bin {
	uint64_t n[DIFF_RUNS];
};

struct parts {
	struct na_triples keys; /* kind, a, b */
	struct part *items;
	uint32_t (*of)[DIFF_PART_KINDS]; /* what each stratum belongs to */
	struct na_triples bins;          /* part, size bin */
	NA_VEC(struct in_bin) in_bin;
	double expected[BINS]; /* ps; NaN: no such size in A */
	uint64_t over;
};

static void parts_end(struct parts *x)
{
	na_triples_fini(&x->keys);
	na_triples_fini(&x->bins);
	free(x->items);
	free(x->of);
	na_vec_free(&x->in_bin);
}

/* Medians of A by size; it is in ascending order. */
static void expect(const struct diff_state *s, struct parts *x)
{
	const struct diff_sample *a = &s->metrics[DIFF_LATENCY].s[DIFF_A];
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
}

static bool add_key(struct parts *x, size_t stratum, enum diff_part kind,
		    uint32_t a, uint32_t b)
{
	struct na_triple key = {kind, a, b};
	uint32_t at = na_triples_find(&x->keys, key);

	if (at == NA_NO_TRIPLE && x->keys.n == DIFF_PARTS) {
		x->over++;
		x->of[stratum][kind] = NA_UNKNOWN_U32;
		return true;
	}
	if (at == NA_NO_TRIPLE)
		at = na_triples_add(&x->keys, key);
	x->of[stratum][kind] = at;
	return at != NA_NO_TRIPLE;
}

static bool list_parts(const struct diff_state *s, struct parts *x)
{
	bool ok;

	x->of = na_calloc(s->got.strata.n + 1, sizeof(*x->of));
	ok = x->of;
	for (size_t i = 0; ok && i < s->got.strata.n; i++) {
		const struct na_triple *k = &s->got.strata.keys[i];
		const struct na_triple *path = &s->got.paths.keys[k->a];

		ok = add_key(x, i, DIFF_SENDS, path->a, 0) &&
		     add_key(x, i, DIFF_RECEIVES, path->b, 0) &&
		     add_key(x, i, DIFF_PATH, path->a, path->b) &&
		     add_key(x, i, DIFF_COLLECTIVE, k->b, 0);
	}
	if (ok)
		x->items = na_calloc(x->keys.n + 1, sizeof(*x->items));
	return ok && x->items;
}

static bool count_bin(struct parts *x, uint32_t part, uint32_t bin,
		      const uint64_t n[DIFF_RUNS])
{
	uint32_t at = na_triples_add(&x->bins,
				     (struct na_triple){part, bin, 0});

	if (at == NA_NO_TRIPLE || (at == x->in_bin.n && !na_push(&x->in_bin)))
		return false;
	for (int r = 0; r < DIFF_RUNS; r++)
		x->in_bin.v[at].n[r] += n[r];
	return true;
}

static bool count_bins(const struct diff_state *s, struct parts *x)
{
	for (size_t i = 0; i < s->got.strata.n; i++) {
		for (int k = 0; k < DIFF_PART_KINDS; k++) {
			if (x->of[i][k] != NA_UNKNOWN_U32 &&
			    !count_bin(x, x->of[i][k], s->got.strata.keys[i].c,
				       s->in_stratum[i]))
				return false;
		}
	}
	return true;
}

/* A stretch is a batch; without units, transfers are taken as independent and
 * land anywhere. */
static size_t batch_of(const struct diff_sample *m, size_t i)
{
	return m->n_units < 4 ? na_mix_u64(DIFF_SEED, i) % DIFF_STRETCHES
			      : m->x[i].unit;
}

static bool in_both(const struct parts *x, uint32_t part, uint32_t bin)
{
	const uint64_t *n;

	if (part == NA_UNKNOWN_U32)
		return false;
	n = x->in_bin
		    .v[na_triples_find(&x->bins,
				       (struct na_triple){part, bin, 0})]
		    .n;
	return n[DIFF_A] && n[DIFF_B];
}

static void add_run(const struct diff_state *s, struct parts *x, int r,
		    bool (*both)[DIFF_PART_KINDS])
{
	const struct diff_sample *m = &s->metrics[DIFF_LATENCY].s[r];

	for (size_t i = 0; i < m->n; i++) {
		uint32_t at = m->x[i].kind;
		double y = log(fmax(1, m->x[i].value));
		double e = x->expected[s->got.strata.keys[at].c % BINS];
		size_t batch = batch_of(m, i);

		for (int k = 0; k < DIFF_PART_KINDS; k++) {
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

static bool add_up(const struct diff_state *s, struct parts *x)
{
	bool(*both)[DIFF_PART_KINDS] = na_calloc(s->got.strata.n + 1,
						 sizeof(*both));

	for (size_t i = 0; both && i < s->got.strata.n; i++) {
		for (int k = 0; k < DIFF_PART_KINDS; k++)
			both[i][k] = in_both(x, x->of[i][k],
					     s->got.strata.keys[i].c);
	}
	for (int r = 0; both && r < DIFF_RUNS; r++)
		add_run(s, x, r, both);
	free(both);
	return both;
}

static double known(double ratio)
{
	return isnan(ratio) ? -1 : ratio;
}

/* Slower first; what got faster comes last. */
NA_ORDER(by_kind_then_ratio, struct diff_change, NA_UP(kind), NA_DOWN(changed),
	 NA_CMP(known(y->ratio), known(x->ratio)), NA_UP(a), NA_UP(b))

static void compare_part(const struct parts *x, size_t i, struct diff_change *c)
{
	const struct part *p = &x->items[i];
	struct na_batch_diff d;

	*c = (struct diff_change){
		.kind = (enum diff_part)x->keys.keys[i].a,
		.a = x->keys.keys[i].b,
		.b = x->keys.keys[i].c,
		.ratio = NAN,
		.ratio_ci = {NAN, NAN},
		.p = NAN,
		.q = NAN,
	};
	for (int r = 0; r < DIFF_RUNS; r++) {
		c->n[r] = p->n[r];
		c->typical_us[r] = p->n[r] ? exp(p->sum[r] / (double)p->n[r]) *
						     1e-6
					   : (double)NAN;
	}
	if (c->n[DIFF_A] < DIFF_STRATUM || c->n[DIFF_B] < DIFF_STRATUM ||
	    !na_batches_compare(p->batch[DIFF_A], DIFF_STRETCHES,
				p->batch[DIFF_B], DIFF_STRETCHES, &d))
		return;
	c->ratio = exp(d.diff);
	c->ratio_ci[0] = exp(d.ci[0]);
	c->ratio_ci[1] = exp(d.ci[1]);
	c->p = d.p;
}

static bool judge_parts(struct diff_state *s)
{
	double *p = na_calloc(s->n_changes + 1, sizeof(*p));
	double *q = na_calloc(s->n_changes + 1, sizeof(*q));
	bool ok = p && q;

	for (int k = 0; ok && k < DIFF_PART_KINDS; k++) {
		for (size_t i = 0; i < s->n_changes; i++)
			p[i] = s->changes[i].kind == (enum diff_part)k
				       ? s->changes[i].p
				       : (double)NAN;
		ok = na_bh(p, q, s->n_changes);
		for (size_t i = 0; ok && i < s->n_changes; i++) {
			struct diff_change *c = &s->changes[i];

			if (c->kind != (enum diff_part)k)
				continue;
			c->q = q[i];
			c->changed = q[i] < PARTS_Q &&
				     fabs(log(c->ratio)) > log(DIFF_EFFECT_TOP);
			if (!isnan(c->p))
				s->parts_tested++;
			if (!c->n[DIFF_A] != !c->n[DIFF_B])
				s->parts_apart++;
			else if (isnan(c->p))
				s->parts_few++;
		}
	}
	free(p);
	free(q);
	return ok;
}

bool na_diff_parts(struct diff_state *s)
{
	struct parts x = {.items = NULL};
	bool ok = true;

	if (s->metrics[DIFF_LATENCY].compared) {
		expect(s, &x);
		ok = list_parts(s, &x) && count_bins(s, &x) && add_up(s, &x);
		if (ok)
			s->changes = na_calloc(x.keys.n + 1,
					       sizeof(*s->changes));
		ok = ok && s->changes;
		s->n_changes = ok ? x.keys.n : 0;
		for (size_t i = 0; i < s->n_changes; i++)
			compare_part(&x, i, &s->changes[i]);
		s->parts_over = x.over;
		ok = ok && judge_parts(s);
		na_sort(s->changes, s->n_changes, by_kind_then_ratio);
	}
	parts_end(&x);
	return ok;
}
