/*
 * The fewest sides and paths that explain the slow pairs: matching pursuit
 * with significance ("Explanation").  Choosing by gain and testing by t is what
 * keeps "seven bad paths" from replacing "one bad transmitter".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define HOST_SPREAD      0.03 /* of healthy hosts, at the least */
#define HOST_SPREAD_FEW  0.04 /* with too few hosts to see it */
#define PATH_LEVEL_SHARE 0.02
#define VICTIM           0.3
#define JOINED_SHARE     0.6
#define DOUBT            0.4054651081081644 /* log 1.5 */

enum {
	FEW_HOSTS = 6,
	BACKFITS = 6,
	MIN_PATH_RECORDS = 8,
	MIN_JOINED_RECORDS = 4
};

/* The pairs of a candidate that the channel has, into x->its; how many. */
static size_t find_its(struct lz_explain *x, struct na_lz_who who)
{
	size_t n = 0;

	if (who.kind == NA_LZ_PAIR) {
		x->its[0] = na_lz_find_pair(x->z, who.a, who.b);
		n = x->v->n[x->its[0]] > 0;
	}
	for (enum na_lz_kind k = NA_LZ_SRC; k <= NA_LZ_DST; k++) {
		if (who.kind != k && who.kind != NA_LZ_HOST)
			continue;
		lz_for_side (p, x->z, k, who.a) {
			if (x->v->n[*p])
				x->its[n++] = *p;
		}
	}
	return n;
}

/* Diagonal of the inverse covariance, of a pair that the channel has. */
static double weight(const struct lz_explain *x, size_t p)
{
	return x->d ? x->d[p] : 1 / (x->v->se2[p] + x->v->tau2);
}

/* One pair's share of Q: inverse covariance times residual. */
static double pull(const struct lz_explain *x, uint32_t p)
{
	uint32_t r = lz_reverse(x->z, p);
	double q = weight(x, p) * x->cur[p];

	return r == NA_LZ_NONE || !x->o ? q : q + x->o[p] * x->cur[r];
}

/* Inverse of [[v + L, L], [L, v' + L]] for a pair and its reverse, where they
 * share anything. */
static void invert(struct lz_explain *x)
{
	const struct lz_view *v = x->v;
	double L = v->shared;

	for (size_t p = 0; x->o && p < x->z->in->n_pairs; p++) {
		uint32_t r = lz_reverse(x->z, p);
		double a = v->se2[p] + v->tau2 - L, b, det;

		if (!v->n[p])
			continue;
		if (r == NA_LZ_NONE || !v->n[r]) {
			x->d[p] = 1 / (a + L);
			continue;
		}
		b = v->se2[r] + v->tau2 - L;
		det = a * b + L * (a + b);
		x->d[p] = (b + L) / det;
		x->o[p] = -L / det;
	}
}

/* What the whole host has beside its sides: the reverse of each pair is in it,
 * too. */
static void weigh_hosts(struct lz_explain *x)
{
	for (size_t p = 0; x->o && p < x->z->in->n_pairs; p++) {
		const struct na_lz_pair *pair = &x->z->in->pairs[p];

		if (!x->v->n[p])
			continue;
		x->both[pair->src] += x->o[p];
		x->both[pair->dst] += x->o[p];
	}
}

/* Of a host or one of its sides: the weights of its pairs, and these times
 * what is not explained.  Found where it is asked for: there may be a million
 * hosts. */
struct weighed {
	double info, pulled;
};

static struct weighed weigh(const struct lz_explain *x, enum na_lz_kind kind,
			    uint32_t host)
{
	struct weighed w = {0, 0}, in;

	if (kind == NA_LZ_HOST) {
		w = weigh(x, NA_LZ_SRC, host);
		in = weigh(x, NA_LZ_DST, host);
		return (struct weighed){(x->both ? x->both[host] : 0) +
						(w.info + in.info),
					w.pulled + in.pulled};
	}
	lz_for_side (p, x->z, kind, host) {
		if (!x->v->n[*p])
			continue;
		w.info += weight(x, *p);
		w.pulled += pull(x, *p);
	}
	return w;
}

static double effect_of(struct weighed w)
{
	return w.info > 0 ? w.pulled / w.info : w.pulled;
}

/* How far the effects of healthy hosts lie apart: the empirical null. */
static double host_spread(struct lz_explain *x, enum na_lz_kind kind)
{
	size_t hosts = x->z->in->n_hosts, n = 0;
	double *e = x->scratch, mad;

	for (uint32_t h = 0; h < hosts; h++) {
		struct weighed w = weigh(x, kind, h);

		if (w.info > 0)
			e[n++] = effect_of(w);
	}
	if (n < FEW_HOSTS)
		return lz_square(HOST_SPREAD_FEW);
	mad = NA_MAD_SIGMA * na_mad(e, n, na_median(e, n));
	n = 0;
	for (uint32_t h = 0; h < hosts; h++) {
		double info = weigh(x, kind, h).info;

		if (info > 0)
			e[n++] = 1 / info;
	}
	return lz_larger(lz_square(HOST_SPREAD),
			 lz_square(mad) - na_median(e, n));
}

static void host_effects(struct lz_explain *x)
{
	for (enum na_lz_kind k = NA_LZ_SRC; k <= NA_LZ_HOST; k++)
		x->t2[k] = host_spread(x, k);
}

/* The level above which at most 2 % of the pairs lie. */
static double path_level(struct lz_explain *x)
{
	size_t k = (size_t)ceil(PATH_LEVEL_SHARE * (double)x->v->valid), n = 0;

	if (k < 2)
		k = 2;
	for (size_t p = 0; p < x->z->in->n_pairs; p++) {
		if (x->v->n[p])
			x->scratch[n++] = x->cur[p];
	}
	return n > k ? na_select(x->scratch, n, n - 1 - k) : -HUGE_VAL;
}

static bool taken(const struct lz_explain *x, struct na_lz_who who)
{
	for (size_t i = 0; i < x->n_chosen; i++) {
		struct na_lz_who c = x->chosen[i].who;

		if (c.a != who.a)
			continue;
		if (c.kind == who.kind &&
		    (c.kind != NA_LZ_PAIR || c.b == who.b))
			return true;
		/* A host and one of its sides explain the same pairs. */
		if ((c.kind == NA_LZ_HOST && who.kind < NA_LZ_HOST) ||
		    (who.kind == NA_LZ_HOST && c.kind < NA_LZ_HOST))
			return true;
	}
	return false;
}

static bool offer(struct lz_explain *x, struct lz_candidate c, double limit)
{
	double score = lz_square(c.effect) * c.info / 2 - limit;

	if (lz_square(c.effect) / (2 * (1 / c.info + c.t2)) <= limit ||
	    taken(x, c.who))
		return true;
	c.score = score;
	return na_add(&x->open, c);
}

static size_t valid_pairs(const struct lz_explain *x, enum na_lz_kind side,
			  uint32_t h)
{
	size_t n = 0;

	lz_for_side (p, x->z, side, h)
		n += x->v->n[*p] > 0;
	return n;
}

static bool offer_hosts(struct lz_explain *x)
{
	double limit = log(3 * (double)x->z->hosts / x->z->alpha);

	for (uint32_t h = 0; h < x->z->in->n_hosts; h++) {
		size_t out = valid_pairs(x, NA_LZ_SRC, h);
		size_t in = valid_pairs(x, NA_LZ_DST, h);
		size_t n[3] = {out, in, out && in ? out + in : 0};

		for (enum na_lz_kind k = NA_LZ_SRC; k <= NA_LZ_HOST; k++) {
			struct lz_candidate c = {.who = {k, h, 0},
						 .t2 = x->t2[k]};
			struct weighed w;

			if (n[k] < 2)
				continue;
			w = weigh(x, k, h);
			c.effect = effect_of(w);
			c.info = w.info;
			if (c.effect > LZ_MIN_EFFECT &&
			    !offer(x, c, limit))
				return false;
		}
	}
	return true;
}

static bool offer_paths(struct lz_explain *x)
{
	double limit = log((double)x->v->valid / x->z->alpha);

	for (uint32_t p = 0; p < x->z->in->n_pairs; p++) {
		const struct na_lz_pair *pair = &x->z->in->pairs[p];
		struct lz_candidate c = {{NA_LZ_PAIR, pair->src, pair->dst},
					 0,
					 0,
					 x->t2[NA_LZ_SRC] + x->t2[NA_LZ_DST],
					 0};

		if (x->v->n[p] < MIN_PATH_RECORDS)
			continue;
		c.info = weight(x, p);
		c.effect = pull(x, p) / c.info;
		if (c.effect > LZ_MIN_PATH && !offer(x, c, limit))
			return false;
	}
	return true;
}

NA_ORDER(best_first, struct lz_candidate, NA_DOWN(score), NA_UP(who.kind),
	 NA_UP(who.a), NA_UP(who.b))

/* Fits every chosen effect anew to what the others leave. */
static void backfit(struct lz_explain *x)
{
	for (size_t i = 0; i < BACKFITS * x->n_chosen; i++) {
		struct lz_candidate *c = &x->chosen[i % x->n_chosen];
		size_t n = find_its(x, c->who);
		double q = 0;

		for (size_t k = 0; k < n; k++)
			x->cur[x->its[k]] += c->effect;
		for (size_t k = 0; k < n; k++)
			q += pull(x, x->its[k]);
		c->effect = q / c->info;
		for (size_t k = 0; k < n; k++)
			x->cur[x->its[k]] -= c->effect;
	}
}

static void choose_culprit(struct lz_explain *x, const struct lz_candidate *c)
{
	size_t n = find_its(x, c->who);
	double low, fluid;

	x->chosen[x->n_chosen++] = *c;
	for (size_t k = 0; k < n; k++) {
		x->cur[x->its[k]] -= c->effect;
		x->scratch[k] = x->low[x->its[k]];
	}
	low = na_median(x->scratch, n);
	for (size_t k = 0; k < n; k++)
		x->scratch[k] = x->fluid[x->its[k]];
	fluid = na_median(x->scratch, n);
	for (size_t k = 0; k < n; k++) {
		x->low[x->its[k]] -= low;
		x->fluid[x->its[k]] -= fluid;
	}
	backfit(x);
}

/* True when something was chosen; *ok: memory sufficed. */
static bool one_round(struct lz_explain *x, bool *ok)
{
	x->open.n = 0;
	x->left.score = 0;
	host_effects(x);
	x->path_level = path_level(x);
	*ok = offer_hosts(x) && offer_paths(x);
	if (!*ok || !x->open.n)
		return false;
	na_sort(x->open.v, x->open.n, best_first);
	x->left = x->open.v[0];
	for (size_t i = 0; i < x->open.n; i++) {
		if (na_lz_conditions_hold(x, &x->open.v[i])) {
			choose_culprit(x, &x->open.v[i]);
			return true;
		}
	}
	return false;
}

static void drop_chosen(struct lz_explain *x, size_t i)
{
	memmove(&x->chosen[i], &x->chosen[i + 1],
		(x->n_chosen - i - 1) * sizeof(*x->chosen));
	x->n_chosen--;
}

/* What is far below the worst side is its victim. */
static void drop_small(struct lz_explain *x)
{
	double most = 0, least;

	for (size_t i = 0; i < x->n_chosen; i++) {
		if (lz_is_host_kind(x->chosen[i].who.kind))
			most = lz_larger(most, x->chosen[i].effect);
	}
	for (size_t i = x->n_chosen; i-- > 0;) {
		least = LZ_MIN_EFFECT;
		if (lz_on(x->z, NA_LZ_PART_VICTIMS) &&
		    lz_is_host_kind(x->chosen[i].who.kind))
			least = lz_larger(least, VICTIM * most);
		if (!(x->chosen[i].effect >= least))
			drop_chosen(x, i);
	}
}

/* Chosen paths of this side; *sum: of what they explain. */
static size_t paths_of(const struct lz_explain *x, struct na_lz_who side,
		       struct lz_candidate *sum)
{
	size_t n = 0;

	*sum = (struct lz_candidate){.who = side, .t2 = x->t2[side.kind]};
	for (size_t i = 0; i < x->n_chosen; i++) {
		const struct lz_candidate *c = &x->chosen[i];

		if (c->who.kind != NA_LZ_PAIR ||
		    (side.kind == NA_LZ_SRC ? c->who.a : c->who.b) != side.a)
			continue;
		sum->effect += c->effect * c->info;
		sum->info += c->info;
		n++;
	}
	if (n)
		sum->effect /= sum->info;
	return n;
}

/* Most paths of a side are the side. */
static void join_paths(struct lz_explain *x, enum na_lz_kind kind)
{
	for (uint32_t h = 0; h < x->z->in->n_hosts; h++) {
		struct lz_candidate sum;
		size_t n = paths_of(x, (struct na_lz_who){kind, h, 0}, &sum);
		size_t all = 0;

		lz_for_side (p, x->z, kind, h)
			all += x->v->n[*p] >= MIN_JOINED_RECORDS;
		if (n < 2 || (double)n < JOINED_SHARE * (double)all ||
		    taken(x, sum.who))
			continue;
		for (size_t i = x->n_chosen; i-- > 0;) {
			struct na_lz_who w = x->chosen[i].who;

			if (w.kind == NA_LZ_PAIR &&
			    (kind == NA_LZ_SRC ? w.a : w.b) == h)
				drop_chosen(x, i);
		}
		x->chosen[x->n_chosen++] = sum;
	}
}

static size_t most_of_one(const struct lz *z)
{
	size_t most = 1;

	for (uint32_t h = 0; h < z->in->n_hosts; h++) {
		size_t n = lz_degree(&z->row, h) + lz_degree(&z->col, h);

		most = n > most ? n : most;
	}
	return most;
}

/* What only the explaining itself needs is in `work`. */
static bool explain_room(struct lz_explain *x, struct lz_memory *work)
{
	size_t pairs = x->z->in->n_pairs, hosts = x->z->in->n_hosts;
	struct lz_memory *m = &x->memory;

	x->cur = na_lz_take(m, pairs, sizeof(*x->cur));
	x->low = x->v->low;
	x->fluid = na_lz_take(work, pairs, sizeof(*x->fluid));
	if (x->v->shared > 0) {
		x->d = na_lz_take(work, pairs, sizeof(*x->d));
		x->o = na_lz_take(work, pairs, sizeof(*x->o));
		x->both = na_lz_take(work, hosts, sizeof(*x->both));
	}
	x->its = na_lz_take(m, most_of_one(x->z), sizeof(*x->its));
	x->cells = na_lz_take(work, LZ_CELL_MOST, sizeof(*x->cells));
	x->scratch = na_lz_take(work, pairs > hosts ? pairs : hosts,
				sizeof(*x->scratch));
	return !m->failed && !work->failed;
}

static bool explain(struct lz_explain *x)
{
	size_t n = x->z->in->n_pairs;
	bool ok = true;

	memcpy(x->cur, x->v->m, n * sizeof(*x->cur));
	memcpy(x->fluid, x->v->fluid, n * sizeof(*x->fluid));
	invert(x);
	weigh_hosts(x);
	while (x->n_chosen < LZ_MAX_CHOSEN && one_round(x, &ok))
		;
	if (!ok)
		return false;
	host_effects(x);
	drop_small(x);
	join_paths(x, NA_LZ_SRC);
	join_paths(x, NA_LZ_DST);
	return true;
}

enum na_status na_lz_explain(struct lz_explain *x, const struct lz *z,
			     struct lz_view *v, struct na_err *err)
{
	struct lz_memory work = {.failed = false};
	bool ok;

	*x = (struct lz_explain){.z = z, .v = v};
	if (!v->valid)
		return NA_OK;
	ok = explain_room(x, &work) && explain(x);
	free(v->low);
	x->low = x->fluid = x->d = x->o = x->scratch = v->low = NULL;
	x->cells = NULL;
	x->both = NULL;
	na_arena_fini(&work.arena);
	return ok ? NA_OK : na_fail_nomem(err);
}

void na_lz_explain_fini(struct lz_explain *x)
{
	na_arena_fini(&x->memory.arena);
	na_vec_free(&x->open);
}

static struct na_lz_finding finding_of(struct lz_explain *x,
				       const struct lz_candidate *c)
{
	double se = sqrt(1 / c->info + c->t2);
	struct na_lz_finding f = {.who = c->who, .channel = x->v->channel};

	f.effect = c->effect;
	f.ci_low = c->effect - LZ_Z95 * se;
	f.ci_high = c->effect + LZ_Z95 * se;
	f.p_value = na_normal_upper(c->effect / se);
	f.pairs = find_its(x, c->who);
	for (size_t k = 0; k < f.pairs; k++)
		f.transfers += x->v->n[x->its[k]];
	return f;
}

enum na_status na_lz_explain_report(struct lz *z, struct lz_explain *x,
				    struct na_err *err)
{
	enum na_status s = NA_OK;

	if (x->left.effect > DOUBT && x->left.score > z->doubt.score)
		z->doubt = x->left;
	for (size_t i = 0; s == NA_OK && i < x->n_chosen; i++) {
		struct na_lz_finding f = finding_of(x, &x->chosen[i]);

		s = na_lz_found(z, &f, err);
	}
	return s;
}
