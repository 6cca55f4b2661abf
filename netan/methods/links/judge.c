/*
 * From units to whose link is slow.
 *
 * The slowest link of a group makes the transfer, so that a slow one shows in
 * all units that use it: a block.  Blocks are the sides of hosts and of their
 * ranks, and paths from host to host.  In units x = log ratio,
 *
 *	BF = int p1(a) prod t((x - a) / s) / t(x / s) da
 *
 * over the units of a block, p1 log-uniform from 1.15x to 20x; s holds a unit's
 * error and how far healthy units are apart.
 * An even unit speaks against all blocks that it is in.  The block of most
 * odds is taken out with its units, and the rest judged again.  Other blocks
 * that are as likely, and are nothing without these units, explain the same:
 * where one is not of the same host, nobody is named.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
#include "netan/judge/grid.h"
#include "netan/methods/links/impl.h"
#include "netan/stats/tests/robust.h"

enum {
	SENDS = 1,
	RECEIVES = 2,
	BOTH = SENDS | RECEIVES,
	/* Whether a host would show is tried for so many units in all. */
	MOST_TRIED = 4000000
};

/* Prior odds of a side, both sides and a path somewhere (judge/causes.def). */
static const double prior_side = 0.15, prior_both = 0.10, prior_path = 0.10;
/* Faults are of a few: of the hosts that were compared, or of one. */
static const double most_share = 0.25;

struct block {
	enum na_links_kind kind;
	uint32_t host, other; /* other: where a path goes to */
	uint32_t rank;        /* NA_UNKNOWN_U32: all of the host */
	double prior, log_odds;
};

struct judge {
	struct na_links *l;
	struct na_links_unit *units;
	size_t n;
	bool *gone;           /* by unit: explained */
	double *tmp;          /* [units] */
	uint32_t *shared;     /* by host */
	bool *touched;        /* by host: some unit holds it */
	NA_VEC(struct block) blocks;
	double tau, *before; /* by block: log odds of the round before */
	struct na_j_grid grid;
};

static const struct na_rank_instance *instance(const struct judge *j,
					       const struct na_links_unit *u)
{
	return &j->l->ranks->instances.v[u->instance];
}

static uint32_t host_of(const struct judge *j, size_t part)
{
	return j->l->host_of[j->l->ranks->parts.v[part].rank];
}

/* Which sides of part i take part. */
static unsigned sides_of(const struct judge *j, const struct na_links_unit *u,
			 size_t i)
{
	const struct na_ranks *r = j->l->ranks;
	const struct na_rank_group *g = &r->groups.v[u->group];

	if (g->src < 0)
		return BOTH;
	return r->ranks.v[r->parts.v[i].rank].number == g->src ? SENDS
							       : RECEIVES;
}

static unsigned sides_of_kind(enum na_links_kind kind)
{
	return kind == NA_LINKS_SRC ? SENDS
	       : kind == NA_LINKS_DST ? RECEIVES
				      : BOTH;
}

/* Whether part i of a unit is of a side, or of an end of a path. */
static bool is_part(const struct judge *j, const struct na_links_unit *u,
		    const struct block *b, size_t i)
{
	unsigned sides = sides_of(j, u, i);
	uint32_t rank = j->l->ranks->parts.v[i].rank;

	if (b->kind == NA_LINKS_PAIR)
		return (sides == SENDS && host_of(j, i) == b->host) ||
		       (sides == RECEIVES && host_of(j, i) == b->other);
	return host_of(j, i) == b->host && (sides & sides_of_kind(b->kind)) &&
	       (b->rank == NA_UNKNOWN_U32 || b->rank == rank);
}

static bool covers(const struct judge *j, const struct na_links_unit *u,
		   const struct block *b)
{
	const struct na_rank_instance *x = instance(j, u);
	size_t n = 0;

	for (size_t i = x->from; i < x->to; i++)
		n += is_part(j, u, b, i);
	return b->kind == NA_LINKS_PAIR ? n == 2 : n > 0;
}

static bool is_slow(const struct na_links_unit *u)
{
	return u->state == NA_LINKS_IS_SLOW && !u->local;
}

/* ---- hypotheses */

NA_ORDER(by_place, struct block, NA_UP(kind), NA_UP(host), NA_UP(other),
	 NA_UP(rank))

static bool add_part(struct judge *j, const struct na_links_unit *u, size_t i)
{
	unsigned sides = sides_of(j, u, i);
	struct block b = {.kind = NA_LINKS_HOST,
			  .host = host_of(j, i),
			  .other = NA_UNKNOWN_U32,
			  .rank = NA_UNKNOWN_U32};

	for (int k = 0; k < 2; k++) {
		b.kind = NA_LINKS_HOST;
		if (!na_add(&j->blocks, b))
			return false;
		b.kind = sides == SENDS ? NA_LINKS_SRC : NA_LINKS_DST;
		if (sides != BOTH && !na_add(&j->blocks, b))
			return false;
		b.rank = j->l->ranks->parts.v[i].rank;
	}
	return true;
}

static bool add_path(struct judge *j, const struct na_links_unit *u)
{
	const struct na_rank_instance *x = instance(j, u);
	size_t src = x->from;

	if (j->l->ranks->groups.v[u->group].src < 0)
		return true;
	if (sides_of(j, u, src) != SENDS)
		src = x->to - 1;
	return na_add(&j->blocks,
		      ((struct block){
			      .kind = NA_LINKS_PAIR,
			      .host = host_of(j, src),
			      .other = host_of(j, x->from + x->to - 1 - src),
			      .rank = NA_UNKNOWN_U32}));
}

static size_t count_pairs(const struct judge *j)
{
	size_t n = 0;

	for (size_t k = 0; k < j->n; k++)
		n += !j->units[k].local &&
		     j->l->ranks->groups.v[j->units[k].group].src >= 0;
	return n;
}

/* All that some unit which is not even is of, once: of the others nothing
 * speaks for a fault.  Half of a host's prior is that of one rank. */
static bool list_blocks(struct judge *j, size_t hosts)
{
	size_t pairs = count_pairs(j), n = 0;
	bool ok = true;

	j->blocks.n = 0;
	for (size_t k = 0; ok && k < j->n; k++) {
		const struct na_rank_instance *x = instance(j, &j->units[k]);

		if (j->units[k].local || j->units[k].excess < NA_LINKS_EVEN)
			continue;
		ok = add_path(j, &j->units[k]);
		for (size_t i = x->from; ok && i < x->to; i++)
			ok = add_part(j, &j->units[k], i);
	}
	na_sort(j->blocks.v, j->blocks.n, by_place);
	for (size_t i = 0; i < j->blocks.n; i++)
		if (!n || by_place(&j->blocks.v[n - 1], &j->blocks.v[i]))
			j->blocks.v[n++] = j->blocks.v[i];
	j->blocks.n = n;
	for (size_t i = 0; i < n; i++) {
		struct block *b = &j->blocks.v[i];
		double prior = b->kind == NA_LINKS_PAIR	  ? prior_path
			       : b->kind == NA_LINKS_HOST ? prior_both
							  : prior_side;

		b->prior = log(prior / (double)(b->kind == NA_LINKS_PAIR
							? pairs
							: 2 * hosts));
	}
	return ok;
}

/* ---- odds */

static void judge_block(const struct judge *j, struct block *b)
{
	struct na_j_sum sum;
	const double *ll;
	size_t n = 0;

	na_j_sum_start(&sum, NA_J_NU_FEW);
	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];

		if (u->local || j->gone[k] || !covers(j, u, b))
			continue;
		na_j_sum_add(&sum, &j->grid, log(u->excess),
			     hypot(u->se, j->tau));
		n++;
	}
	ll = na_j_sum_end(&sum);
	b->log_odds = !n ? -INFINITY
			 : b->prior +
				   na_j_lse_sum(ll, j->grid.fault.log_p,
						NA_J_GRID) -
				   ll[NA_J_GRID_ZERO];
}

/* The first of equals: paths come last, ranks behind hosts. */
static struct block *judge_blocks(struct judge *j)
{
	struct block *best = NULL;

	for (size_t i = 0; i < j->blocks.n; i++) {
		struct block *b = &j->blocks.v[i];

		judge_block(j, b);
		if (!best || b->log_odds > best->log_odds)
			best = b;
	}
	return best;
}

/* How far healthy units are apart: by those nearest to the usual. */
static bool open_run(struct judge *j, uint32_t run)
{
	size_t n = 0;

	memset(j->gone, 0, j->n * sizeof(*j->gone));
	for (size_t k = 0; k < j->n; k++)
		if (!j->units[k].local)
			j->tmp[n++] = fabs(log(j->units[k].excess));
	j->tau = fmax(n ? na_quantile(j->tmp, n, 0.25) / 0.3186 : 0,
		      NA_J_FLOOR_UNIT);
	return list_blocks(j, j->l->runs[run].hosts);
}

/* ---- what is told */

static bool sum_up(const struct judge *j, const struct block *b,
		   struct na_links_culprit *x)
{
	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];

		if (u->local || j->gone[k] || !covers(j, u, b))
			continue;
		j->tmp[x->units++] = u->excess;
		x->instances += u->n;
	}
	na_sort(j->tmp, x->units, na_order_f64);
	x->low = j->tmp[0];
	x->excess = j->tmp[x->units / 2];
	x->high = j->tmp[x->units - 1];
	return na_add(&j->l->culprits, *x);
}

/* Its ranks that the units hold; all those of the host that are in any? */
static bool mark_ranks(struct judge *j, const struct block *b)
{
	bool whole = true;

	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];
		const struct na_rank_instance *x = instance(j, u);

		for (size_t i = x->from; !u->local && i < x->to; i++) {
			uint32_t rank = j->l->ranks->parts.v[i].rank;

			if (is_part(j, u, b, i) && b->kind != NA_LINKS_PAIR)
				j->l->blamed[rank] =
					(uint32_t)j->l->culprits.n + 1;
			else if (b->rank != NA_UNKNOWN_U32 &&
				 host_of(j, i) == b->host && rank != b->rank)
				whole = false;
		}
	}
	return whole;
}

static bool tell(struct judge *j, const struct block *b, uint32_t run)
{
	struct na_links_culprit x = {.kind = b->kind,
				     .run = run,
				     .host = b->host,
				     .other = b->other};

	x.whole = mark_ranks(j, b);
	return sum_up(j, b, &x);
}

/* The ranks of a block in units that are slow. */
static void suspect(struct judge *j, const struct block *b)
{
	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];
		const struct na_rank_instance *x = instance(j, u);

		for (size_t i = x->from; is_slow(u) && i < x->to; i++)
			if (covers(j, u, b) && is_part(j, u, b, i))
				j->l->suspect[j->l->ranks->parts.v[i].rank] =
					true;
	}
}

/* What its transfers inside take, of what others take there: the slowest
 * unit; 0: nothing tells. */
static double inside(const struct judge *j, uint32_t host)
{
	double most = 0;

	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];

		if (u->local && host_of(j, instance(j, u)->from) == host)
			most = fmax(most, u->low);
	}
	return most;
}

static double excess_of(const struct judge *j, const struct block *b)
{
	double most = 1;

	for (size_t k = 0; k < j->n; k++)
		if (is_slow(&j->units[k]) && covers(j, &j->units[k], b))
			most = fmax(most, j->units[k].excess);
	return most;
}

/* A block of another host, or the path, as likely as the best one and nothing
 * without its units: `before` has the odds with them. */
static bool is_rival(const struct judge *j, size_t at, const struct block *best,
		     double best_odds)
{
	const struct block *b = &j->blocks.v[at];
	double fell = j->before[at] - b->log_odds;

	return (b->host != best->host || b->kind == NA_LINKS_PAIR ||
		best->kind == NA_LINKS_PAIR) &&
	       j->before[at] > best_odds - NA_J_NAME_LOG_ODDS -
					NA_J_RIVAL_WITHIN &&
	       b->log_odds < NA_J_NAME_LOG_ODDS && fell > NA_J_RIVAL_FALLS;
}

/* Takes out the best block of a round; what may be said of it. */
static enum na_links_why take_out(struct judge *j, struct block *best)
{
	enum na_links_why why = NA_LINKS_NAMED;
	double odds = best->log_odds, in = inside(j, best->host);

	for (size_t i = 0; i < j->blocks.n; i++)
		j->before[i] = j->blocks.v[i].log_odds;
	for (size_t k = 0; k < j->n; k++)
		j->gone[k] |= covers(j, &j->units[k], best);
	judge_blocks(j);
	for (size_t i = 0; i < j->blocks.n; i++) {
		if (!is_rival(j, i, best, odds))
			continue;
		suspect(j, &j->blocks.v[i]);
		why = NA_LINKS_SEVERAL;
	}
	if (why == NA_LINKS_SEVERAL || odds < NA_J_NAME_LOG_ODDS) {
		suspect(j, best);
		return NA_LINKS_SEVERAL;
	}
	return best->kind != NA_LINKS_PAIR && in > NA_LINKS_EVEN &&
			       in * in > excess_of(j, best)
		       ? NA_LINKS_INSIDE
		       : NA_LINKS_NAMED;
}

static bool slow_left(const struct judge *j)
{
	for (size_t k = 0; k < j->n; k++)
		if (is_slow(&j->units[k]) && !j->gone[k])
			return true;
	return false;
}

static bool judge_units(struct judge *j, uint32_t run)
{
	struct na_links_run *out = &j->l->runs[run];
	size_t first = j->l->culprits.n;

	out->why = out->slow ? NA_LINKS_NAMED : NA_LINKS_ALL_EVEN;
	for (size_t round = 0; round < NA_J_ROUNDS; round++) {
		struct block *best = judge_blocks(j), b = *best;
		enum na_links_why why;

		if (b.log_odds < NA_J_NAME_LOG_ODDS && !slow_left(j))
			break;
		if (b.log_odds <= b.prior) {
			out->why = NA_LINKS_NO_HOST;
			break;
		}
		/* Told from the units that are left, so before these go. */
		if (b.log_odds >= NA_J_NAME_LOG_ODDS && !tell(j, &b, run))
			return false;
		why = take_out(j, best);
		if (why == NA_LINKS_NAMED) {
			out->why = out->why == NA_LINKS_ALL_EVEN ? why
								 : out->why;
			continue;
		}
		out->why = why;
		out->host = b.host;
		if (b.log_odds < NA_J_NAME_LOG_ODDS)
			continue;
		for (size_t i = 0; i < j->l->ranks->ranks.n; i++)
			if (j->l->blamed[i] == j->l->culprits.n)
				j->l->blamed[i] = 0;
		j->l->culprits.n--;
	}
	if (j->l->culprits.n - first > 1 &&
	    (double)(j->l->culprits.n - first) >
		    most_share * (double)out->hosts) {
		memset(j->l->blamed, 0,
		       j->l->ranks->ranks.n * sizeof(*j->l->blamed));
		j->l->culprits.n = first;
		out->why = NA_LINKS_MANY;
	}
	return true;
}

/* Whether no other host is in all of its units. */
static bool is_apart(struct judge *j, uint32_t host)
{
	const struct block b = {.kind = NA_LINKS_HOST,
				.host = host,
				.rank = NA_UNKNOWN_U32};
	uint32_t units = 0;

	memset(j->shared, 0, j->l->n_hosts * sizeof(*j->shared));
	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];
		const struct na_rank_instance *x = instance(j, u);

		if (u->local || !covers(j, u, &b))
			continue;
		for (size_t i = x->from; i < x->to; i++)
			if (j->shared[host_of(j, i)] == units)
				j->shared[host_of(j, i)]++;
		units++;
	}
	for (uint32_t h = 0; h < j->l->n_hosts; h++)
		if (h != host && j->shared[h] == units)
			return false;
	return units > 0;
}

/* Those that were compared, and, where none is slow, of which it would show. */
static void count_hosts(struct judge *j, struct na_links_run *out)
{
	memset(j->touched, 0, j->l->n_hosts * sizeof(*j->touched));
	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];
		const struct na_rank_instance *x = instance(j, u);

		for (size_t i = x->from; !u->local && i < x->to; i++) {
			out->hosts += !j->touched[host_of(j, i)];
			j->touched[host_of(j, i)] = true;
		}
	}
	if (out->slow || out->unsure ||
	    (uint64_t)j->n * out->hosts > (uint64_t)MOST_TRIED)
		return;
	for (uint32_t h = 0; h < j->l->n_hosts; h++)
		out->apart += j->touched[h] && is_apart(j, h);
}

static void survey(struct judge *j, struct na_links_run *out)
{
	for (size_t k = 0; k < j->n; k++) {
		const struct na_links_unit *u = &j->units[k];

		if (u->local)
			continue;
		out->units++;
		out->slow += is_slow(u);
		out->unsure += u->state == NA_LINKS_UNSURE &&
			       u->excess > NA_LINKS_SLOW;
		if (is_slow(u))
			out->excess = fmax(out->excess, u->excess);
	}
	count_hosts(j, out);
}

static bool judge_run(struct judge *j, uint32_t run)
{
	struct na_links_run *out = &j->l->runs[run];

	survey(j, out);
	if (!open_run(j, run))
		return false;
	free(j->before);
	j->before = na_calloc(j->blocks.n + 1, sizeof(double));
	out->why = out->units ? NA_LINKS_ALL_EVEN : NA_LINKS_NOTHING;
	return j->before && (!j->blocks.n || judge_units(j, run));
}

static bool open_judge(struct judge *j)
{
	struct na_links *l = j->l;
	size_t ranks = l->ranks->ranks.n + 1;

	j->gone = na_calloc(l->units.n + 1, sizeof(*j->gone));
	j->tmp = na_calloc(l->units.n + 1, sizeof(*j->tmp));
	j->shared = na_calloc((size_t)l->n_hosts + 1, sizeof(*j->shared));
	j->touched = na_calloc((size_t)l->n_hosts + 1, sizeof(bool));
	l->blamed = na_calloc(ranks, sizeof(*l->blamed));
	l->suspect = na_calloc(ranks, sizeof(*l->suspect));
	l->runs = na_calloc(l->ranks->store->n_runs + 1, sizeof(*l->runs));
	na_j_grid_init(&j->grid);
	return j->gone && j->tmp && j->shared && j->touched && l->blamed && l->suspect &&
	       l->runs;
}

static bool judge_links(struct na_links *l)
{
	struct judge j = {.l = l};
	bool ok = open_judge(&j);
	size_t from = 0;

	for (uint32_t run = 0; ok && run < l->ranks->store->n_runs; run++) {
		j.units = l->units.v ? &l->units.v[from] : NULL;
		j.n = 0;
		while (from + j.n < l->units.n &&
		       l->units.v[from + j.n].run == run)
			j.n++;
		from += j.n;
		ok = judge_run(&j, run);
	}
	free(j.gone);
	free(j.tmp);
	free(j.shared);
	free(j.touched);
	free(j.before);
	na_vec_free(&j.blocks);
	return ok;
}

bool na_links_find(struct na_links *l)
{
	struct links_samples samples = {0};
	bool ok = na_links_gather(l, &samples) &&
		  na_links_beside(l, &samples) && na_links_compare(l, &samples);

	free(samples.v);
	return ok && judge_links(l);
}

void na_links_fini(struct na_links *l)
{
	free(l->host_of);
	free(l->rank_on);
	na_vec_free(&l->units);
	na_vec_free(&l->culprits);
	free(l->blamed);
	free(l->suspect);
	free(l->runs);
}
