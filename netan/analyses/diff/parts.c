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

/* Of a stratum: one of its parts, and what that has of the size. */
struct place {
	uint32_t part, bin; /* NA_NO_TRIPLE: one part too many */
};

struct parts {
	struct na_triples keys; /* kind, a, b */
	struct part *items;
	struct place (*of)[DIFF_PART_KINDS]; /* by stratum */
	struct na_triples bins;              /* part, size bin */
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

static bool add_place(const struct diff_state *s, struct parts *x,
		      size_t stratum, struct na_triple part)
{
	struct place *to = &x->of[stratum][part.a];
	struct na_triple bin = {0, s->got.strata.keys[stratum].c, 0};
	struct in_bin *in;

	to->part = na_triples_find(&x->keys, part);
	if (to->part == NA_NO_TRIPLE && x->keys.n == DIFF_PARTS) {
		x->over++;
		return true;
	}
	to->part = na_triples_add(&x->keys, part);
	bin.a = to->part;
	in = na_triples_at(&x->bins, &x->in_bin, bin);
	if (to->part == NA_NO_TRIPLE || !in)
		return false;
	to->bin = (uint32_t)(in - x->in_bin.v);
	for (int r = 0; r < DIFF_RUNS; r++)
		in->n[r] += s->in_stratum[stratum][r];
	return true;
}

static bool list_parts(const struct diff_state *s, struct parts *x)
{
	bool ok;

	x->of = na_calloc(s->got.strata.n + 1, sizeof(*x->of));
	ok = x->of;
	for (size_t i = 0; ok && i < s->got.strata.n; i++) {
		const struct na_triple *k = &s->got.strata.keys[i];
		const struct na_triple *path = &s->got.paths.keys[k->a];
		const struct na_triple parts[DIFF_PART_KINDS] = {
			{DIFF_SENDS, path->a, 0},
			{DIFF_RECEIVES, path->b, 0},
			{DIFF_PATH, path->a, path->b},
			{DIFF_COLLECTIVE, k->b, 0},
		};

		for (size_t j = 0; ok && j < DIFF_PART_KINDS; j++)
			ok = add_place(s, x, i, parts[j]);
	}
	if (ok)
		x->items = na_calloc(x->keys.n + 1, sizeof(*x->items));
	return ok && x->items;
}

/* A stretch is a batch; without units, transfers are taken as independent and
 * land anywhere. */
static size_t batch_of(const struct diff_sample *m, size_t i)
{
	return m->n_units < 4 ? na_mix_u64(DIFF_SEED, i) % DIFF_STRETCHES
			      : m->x[i].unit;
}

static void add_up(const struct diff_state *s, struct parts *x, int r)
{
	const struct diff_sample *m = &s->metrics[DIFF_LATENCY].s[r];

	for (size_t i = 0; i < m->n; i++) {
		uint32_t stratum = m->x[i].kind;
		double y = log(fmax(1, m->x[i].value));
		double e = x->expected[s->got.strata.keys[stratum].c % BINS];
		size_t batch = batch_of(m, i);

		for (int k = 0; k < DIFF_PART_KINDS; k++) {
			const struct place *at = &x->of[stratum][k];
			const uint64_t *n;
			struct part *p;

			if (at->part == NA_NO_TRIPLE)
				continue;
			n = x->in_bin.v[at->bin].n;
			p = &x->items[at->part];
			p->n[r]++;
			p->sum[r] += y;
			if (!n[DIFF_A] || !n[DIFF_B] || isnan(e))
				continue;
			p->batch[r][batch].sum += y - log(e);
			p->batch[r][batch].n++;
		}
	}
}

/* What hosts send and receive is one list. */
static enum diff_part list_of(const struct diff_change *c)
{
	return c->kind == DIFF_RECEIVES ? DIFF_SENDS : c->kind;
}

/* Either way. */
static double change_of(const struct diff_change *c)
{
	return isnan(c->ratio) ? -1 : fabs(log(c->ratio));
}

/* What changed most comes first. */
NA_ORDER(by_list_then_change, struct diff_change,
	 NA_CMP(list_of(x), list_of(y)), NA_DOWN(changed),
	 NA_CMP(change_of(y), change_of(x)), NA_UP(kind), NA_UP(a), NA_UP(b))

static void compare_part(const struct parts *x, size_t i, struct diff_change *c)
{
	const struct part *p = &x->items[i];
	struct na_batch_diff d = {.diff = NAN, .ci = {NAN, NAN}, .p = NAN};

	*c = (struct diff_change){
		.kind = (enum diff_part)x->keys.keys[i].a,
		.a = x->keys.keys[i].b,
		.b = x->keys.keys[i].c,
		.q = NAN,
	};
	for (int r = 0; r < DIFF_RUNS; r++) {
		c->n[r] = p->n[r];
		c->typical_us[r] = exp(p->sum[r] / (double)p->n[r]) *
				   na_diff_kinds[DIFF_LATENCY].scale;
	}
	if (c->n[DIFF_A] >= DIFF_STRATUM && c->n[DIFF_B] >= DIFF_STRATUM)
		na_batches_compare(p->batch[DIFF_A], DIFF_STRETCHES,
				   p->batch[DIFF_B], DIFF_STRETCHES, &d);
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
		ok = list_parts(s, &x);
		for (int r = 0; ok && r < DIFF_RUNS; r++)
			add_up(s, &x, r);
		if (ok)
			s->changes = na_calloc(x.keys.n + 1,
					       sizeof(*s->changes));
		ok = ok && s->changes;
		s->n_changes = ok ? x.keys.n : 0;
		for (size_t i = 0; i < s->n_changes; i++)
			compare_part(&x, i, &s->changes[i]);
		s->parts_over = x.over;
		ok = ok && judge_parts(s);
		na_sort(s->changes, s->n_changes, by_list_then_change);
	}
	parts_end(&x);
	return ok;
}
