/*
 * Bayes factors of late counts: rates 3 to 1000 times as high against the
 * others' rate.  A block's count must not come of one pair, host or collective
 * (jackknife).
 */
#include <math.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
#include "netan/judge/evidence/late.h"

/* Ratios of rates. */
enum { RATIOS = 17, EVEN = 12 };

struct count {
	double late, transfers;
};

struct counting {
	const struct na_j_late *v;
	double log_ratio[RATIOS];
	struct count *all;  /* by distance */
	struct count *coll; /* by distance, of collective of_coll */
	uint32_t of_coll;   /* NA_JUDGE_NONE: none yet */
	/* Zero between uses. */
	struct count *block;  /* by distance */
	struct count *by_coll;
	double *by_host;
};

/* Pairs of a block, but for those of one host or one pair. */
struct but {
	struct na_j_block block[2];
	int side;	/* 0: sender, 1: receiver, 2: pair; -1: none */
	uint32_t index; /* that is left out */
	uint32_t coll;	/* collective that is left out, or NA_JUDGE_NONE */
};

static uint32_t index_of(const struct counting *c, uint32_t pair, int side)
{
	const struct na_j_pair *p = &c->v->s->pairs[pair];

	return side == 2 ? pair : side ? p->dst : p->src;
}

/* Does the i-th pair of a list count? */
static bool counts(const struct counting *c, const struct but *b, int list,
		   size_t i)
{
	uint32_t pair = b->block[list].pair[i];
	const struct na_j_pair *p = &c->v->s->pairs[pair];

	return !(list && p->src == p->dst) &&
	       (b->side < 0 || index_of(c, pair, b->side) != b->index);
}

#define EACH_PAIR(p, c, b) \
	for (int list_ = 0; list_ < 2; list_++) \
		for (uint32_t i_ = 0, p; i_ < (b)->block[list_].n; i_++) \
			if (p = (b)->block[list_].pair[i_], \
			    counts(c, b, list_, i_))

static struct count of_coll(const struct counting *c, uint32_t pair,
			    uint32_t coll)
{
	const struct na_j_late_pair *p = &c->v->pairs[pair];

	for (uint32_t i = p->from; i < p->to; i++)
		if (c->v->colls[i].coll == coll)
			return (struct count){
				p->late > 0 ? c->v->colls[i].late : 0,
				c->v->colls[i].transfers};
	return (struct count){0, 0};
}

/* All counts of a collective, by distance. */
static void count_coll(struct counting *c, uint32_t coll)
{
	const struct na_groups *g = &c->v->by_coll;
	size_t at = NA_BOUND(i, 0, g->n,
			     c->v->colls[na_j_first(g, i)].coll >= coll);

	if (c->of_coll == coll)
		return;
	c->of_coll = coll;
	for (size_t d = 0; d < c->v->n_near; d++)
		c->coll[d] = (struct count){0, 0};
	for (uint32_t i = g->from[at]; i < g->from[at + 1]; i++) {
		const struct na_j_late_coll *k = &c->v->colls[g->row[i]];
		const struct na_j_late_pair *p = &c->v->pairs[k->pair];

		c->coll[p->near].late += p->late > 0 ? k->late : 0;
		c->coll[p->near].transfers += k->transfers;
	}
}

/* What the others' rate has a block expect; its own count, and the others'. */
static double expect(struct counting *c, const struct but *b, double *late,
		     double *others)
{
	double e = 0;

	*late = *others = 0;
	if (b->coll != NA_JUDGE_NONE)
		count_coll(c, b->coll);
	EACH_PAIR(p, c, b) {
		const struct na_j_late_pair *pair = &c->v->pairs[p];
		struct count less = {0, 0};

		if (b->coll != NA_JUDGE_NONE)
			less = of_coll(c, p, b->coll);
		c->block[pair->near].late += pair->late - less.late;
		c->block[pair->near].transfers +=
			pair->transfers - less.transfers;
		*late += pair->late - less.late;
	}
	EACH_PAIR(p, c, b) {
		uint32_t d = c->v->pairs[p].near;
		struct count rest = c->all[d];

		if (b->coll != NA_JUDGE_NONE) {
			rest.late -= c->coll[d].late;
			rest.transfers -= c->coll[d].transfers;
		}
		e += c->block[d].transfers *
		     (rest.late - c->block[d].late + .5) /
		     (rest.transfers - c->block[d].transfers + 1);
		*others = fmax(*others, rest.late - c->block[d].late);
		c->block[d] = (struct count){0, 0};
	}
	return e;
}

/* Negative binomial, without what does not depend on the mean (P. McCullagh
 * and J. A. Nelder, "Generalized Linear Models", 1989). */
static double log_count(double k, double mean, double a)
{
	return k * log(mean / (mean + a)) + a * log(a / (mean + a));
}

static struct na_j_gain factor(struct counting *c, const struct but *b,
			       double spread)
{
	struct na_j_gain g = {0};
	double late, others, e = expect(c, b, &late, &others), ll[RATIOS], all;
	/* That their rate is known from few of them is a spread, too: a gamma
	 * posterior of shape n + 1/2 has a squared variation of its inverse. */
	double a = 1 / (spread + 1 / (others + .5)), sum = 0;

	if (late < NA_J_LATE_MIN)
		return g;
	for (size_t i = 0; i < RATIOS; i++)
		ll[i] = log_count(late, e * exp(c->log_ratio[i]), a);
	all = na_j_lse(ll, RATIOS);
	g.there = true;
	g.late = late;
	g.expected = e;
	g.dispersion = spread;
	g.gain = all - log(RATIOS) - log_count(late, e, a);
	g.effect = log(fmax(late / e, 1));
	g.low = NAN;
	g.high = c->log_ratio[RATIOS - 1];
	for (size_t i = 0; i < RATIOS; i++) {
		sum += exp(ll[i] - all);
		if (isnan(g.low) && sum >= .025)
			g.low = c->log_ratio[i];
		if (sum >= .975) {
			g.high = c->log_ratio[i];
			break;
		}
	}
	return g;
}

/* Does one collective have most of a block's late, and not most of all?  Then
 * *coll is it. */
static bool one_collective(struct counting *c, const struct but *b,
			   uint32_t *coll)
{
	double late = 0, transfers = 0;
	uint32_t best = NA_JUDGE_NONE;
	struct count most = {0, 0};

	EACH_PAIR(p, c, b) {
		const struct na_j_late_pair *pair = &c->v->pairs[p];

		late += pair->late;
		transfers += pair->transfers;
		for (uint32_t i = pair->from; i < pair->to; i++) {
			const struct na_j_late_coll *k = &c->v->colls[i];

			c->by_coll[k->coll].late +=
				pair->late > 0 ? k->late : 0;
			c->by_coll[k->coll].transfers += k->transfers;
		}
	}
	EACH_PAIR(p, c, b) {
		const struct na_j_late_pair *pair = &c->v->pairs[p];

		for (uint32_t i = pair->from; i < pair->to; i++) {
			uint32_t k = c->v->colls[i].coll;
			struct count n = c->by_coll[k];

			c->by_coll[k] = (struct count){0, 0};
			if (n.late > most.late ||
			    (n.late > 0 && n.late >= most.late && k < best)) {
				most = n;
				best = k;
			}
		}
	}
	*coll = best;
	return best != NA_JUDGE_NONE && most.late > NA_J_LATE_MOST * late &&
	       most.transfers < NA_J_LATE_ALL * transfers;
}

/* The host or pair with most of a block's late. */
static uint32_t most_late(struct counting *c, const struct but *b, int side)
{
	uint32_t best = NA_JUDGE_NONE;
	double most = -1;

	EACH_PAIR(p, c, b)
		c->by_host[index_of(c, p, side)] += c->v->pairs[p].late;
	EACH_PAIR(p, c, b) {
		uint32_t k = index_of(c, p, side);

		if (c->by_host[k] > most ||
		    (c->by_host[k] >= most && k < best)) {
			most = c->by_host[k];
			best = k;
		}
	}
	EACH_PAIR(p, c, b)
		c->by_host[index_of(c, p, side)] = 0;
	return best;
}

/* A block's factor; at most 1 where it hangs on one of the indices of the
 * sides from..to, or on one collective. */
static struct na_j_gain block_gain(struct counting *c,
				   const struct na_j_block block[2],
				   double spread, int from, int to)
{
	struct but all = {{block[0], block[1]}, -1, 0, NA_JUDGE_NONE},
		   some = all;
	struct na_j_gain g = factor(c, &all, spread);
	bool ok = true;

	if (!g.there)
		return g;
	if (one_collective(c, &all, &some.coll))
		ok = factor(c, &some, spread).gain > 0;
	some.coll = NA_JUDGE_NONE;
	for (some.side = from; ok && some.side < to; some.side++) {
		some.index = most_late(c, &all, some.side);
		ok = factor(c, &some, spread).gain > 1;
	}
	g.whole = g.gain;
	if (!ok)
		g.gain = fmin(g.gain, 1);
	return g;
}

/* Of SRC, DST and HOST. */
static void host_gains(struct counting *c, struct na_j_gain *out)
{
	for (int cause = NA_JUDGE_SRC; cause <= NA_JUDGE_HOST; cause++)
		for (uint32_t h = 0; h < c->v->s->n_hosts; h++) {
			const struct na_place p = {(enum na_judge_cause)cause,
						   h, NA_JUDGE_NONE};
			struct na_j_block b[2];

			na_j_place_blocks(c->v->blocks, &p, b);
			*out++ = block_gain(c, b, c->v->spread, 2,
					    b[0].n + b[1].n > 1 ? 3 : 2);
		}
}

struct most {
	double late;
	uint32_t pair;
};

NA_ORDER(most_first, struct most, NA_DOWN(late), NA_UP(pair))

static double expected(const struct counting *c, uint32_t pair)
{
	const struct na_j_late_pair *p = &c->v->pairs[pair];
	struct count near = c->all[p->near];

	return p->transfers * near.late / fmax(near.transfers, 1);
}

/* Squared deviation of a pair's count beyond that of a Poisson law. */
static double excess(const struct counting *c, uint32_t pair, double e)
{
	double late = c->v->pairs[pair].late;

	return (late - e) * (late - e) - late;
}

/* Healthy pairs' rates differ as those of the others do. */
static void pair_gains(struct counting *c, struct most *order,
		       struct na_j_pair_gain *out, size_t *n)
{
	const struct na_j_late *v = c->v;
	size_t all = v->s->n_pairs;
	double above = 0, below = 0;

	for (size_t p = 0; p < all; p++) {
		double e = expected(c, (uint32_t)p);

		order[p] = (struct most){v->pairs[p].late, (uint32_t)p};
		above += excess(c, (uint32_t)p, e);
		below += e * e;
	}
	na_sort(order, all, most_first);
	*n = 0;
	for (size_t i = 0; i < all && i < NA_J_PAIRS_LATE; i++) {
		uint32_t p = order[i].pair;
		double e = expected(c, p),
		       spread = fmax(fmax(v->spread, NA_J_LATE_SPREAD_LINK),
				     (above - excess(c, p, e)) /
					     fmax(below - e * e, 1e-9));
		const struct na_j_block b[2] = {{v->blocks->all + p, 1}};
		struct na_j_gain g = block_gain(c, b, spread, 0, 0);

		if (g.there)
			out[(*n)++] = (struct na_j_pair_gain){
				v->s->pairs[p].src, v->s->pairs[p].dst, g};
	}
}

static void link_gains(struct counting *c, struct na_j_gain *out)
{
	double spread = fmax(c->v->spread, NA_J_LATE_SPREAD_LINK);

	for (size_t i = 0; i < c->v->blocks->links.n; i++) {
		const struct na_j_block b[2] = {
			na_j_link_block(c->v->blocks, i)};

		if (b[0].n >= NA_J_MIN_CONNECTIONS)
			out[i] = block_gain(c, b, spread, 0, 2);
	}
}

static bool counting_init(struct counting *c, const struct na_j_late *v,
			  struct na_arena *tmp)
{
	static const double high[] = {60, 100, 200, 400, 1000};
	size_t most = v->s->n_pairs > v->s->n_hosts ? v->s->n_pairs
						     : v->s->n_hosts;

	*c = (struct counting){v, .of_coll = NA_JUDGE_NONE};
	for (size_t i = 0; i < RATIOS; i++)
		c->log_ratio[i] = log(i < EVEN ? 3 + (double)i * 37 / (EVEN - 1)
					       : high[i - EVEN]);
	c->all = NA_NEW(tmp, struct count, v->n_near);
	c->coll = NA_NEW(tmp, struct count, v->n_near);
	c->block = NA_NEW(tmp, struct count, v->n_near);
	c->by_coll = NA_NEW(tmp, struct count, v->s->n_coll);
	c->by_host = NA_NEW(tmp, double, most);
	if (!c->all || !c->coll || !c->block || !c->by_coll || !c->by_host)
		return false;
	for (size_t p = 0; p < v->s->n_pairs; p++) {
		c->all[v->pairs[p].near].late += v->pairs[p].late;
		c->all[v->pairs[p].near].transfers += v->pairs[p].transfers;
	}
	return true;
}

bool na_j_late_gains(const struct na_j_late *v, struct na_j_gain *hosts,
		     struct na_j_pair_gain *pairs, size_t *n_pairs,
		     struct na_j_gain *links)
{
	struct na_arena tmp = {0};
	struct most *order = NA_NEW(&tmp, struct most, v->s->n_pairs);
	struct counting c;
	double late = 0;
	bool ok = order && counting_init(&c, v, &tmp);

	*n_pairs = 0;
	for (size_t d = 0; ok && d < v->n_near; d++)
		late += c.all[d].late;
	if (ok && late >= NA_J_LATE_MIN) {
		host_gains(&c, hosts);
		pair_gains(&c, order, pairs, n_pairs);
		link_gains(&c, links);
	}
	na_arena_fini(&tmp);
	return ok;
}
