/*
 * pairs: of two hosts alone.  Which side is slow takes a third host to tell;
 * that one direction is slower than the other does not: distance and load are
 * those of both.  A clock that is ahead adds to all that comes one way and
 * takes from all that goes the other, which no difference of two latencies of
 * one way shows: only what is slow in medians and tails, and whose tail lies as
 * much farther above its median, is named.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/vec.h"

#define CLAMPED 0.001 /* of the transfers: with more, clocks differ by more */

/* One way, and how many of its transfers show no time. */
struct way {
	double excess;
	struct pairs_quantiles us;
	uint64_t n, clamped;
};

static struct way way_of(const struct pairs_run *run, size_t pair)
{
	const struct pairs_state *s = run->of;
	const struct pairs_pair *p = &run->pairs[pair];
	const struct pairs_sum *sum = &s->sums.v[p->found];

	return (struct way){
		.excess = exp(run->effects[pair].effect),
		.us = s->quantiles[p - s->pairs],
		.n = sum->n,
		.clamped = sum->clamped,
	};
}

/* The least of what tells; 0: nothing does. */
static double slower(const struct way *slow, const struct way *fast)
{
	const double by[] = {
		slow->excess / fast->excess,
		slow->us.p50_us / fast->us.p50_us,
		slow->us.p99_us / fast->us.p99_us,
		(slow->us.p99_us - slow->us.p50_us) /
			(fast->us.p99_us - fast->us.p50_us),
	};
	double least = by[0];

	for (size_t i = 0; i < NA_LEN(by); i++) {
		if (!isfinite(by[i]))
			return 0;
		least = fmin(least, by[i]);
	}
	return least;
}

static bool clocks_agree(const struct pairs_run *run, const struct way way[2])
{
	uint64_t clamped = way[0].clamped + way[1].clamped;

	return !run->clocks.n &&
	       (double)clamped <=
		       CLAMPED * (double)(way[0].n + way[1].n + clamped);
}

/* Of hosts, whose clocks timed the two ends of each transfer. */
static bool asks(const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;
	const struct na_judge_result *f = &run->found;

	return s->of_hosts && !na_store_of_ranks(s->scope->store) &&
	       !na_pairs_one_file(s) && !run->captured &&
	       na_pairs_two_ways(run) && !na_pairs_uncompared(run) &&
	       !f->n_findings;
}

static bool name_way(struct pairs_run *run, size_t pair, uint64_t n,
		     double factor)
{
	uint32_t src = run->pairs[pair].src, dst = run->pairs[pair].dst;
	struct na_judge_finding *f = na_calloc(1, sizeof(*f));
	struct na_rival *side = na_calloc(2, sizeof(*side));

	if (!f || !side) {
		free(f);
		free(side);
		return false;
	}
	side[0].place = (struct na_place){NA_JUDGE_SRC, src, NA_JUDGE_NONE};
	side[1].place = (struct na_place){NA_JUDGE_DST, dst, NA_JUDGE_NONE};
	*f = (struct na_judge_finding){
		.place = {NA_JUDGE_PAIR, src, dst},
		.rival.place.cause = NA_JUDGE_CAUSES,
		.mechanism = NA_MECH_LEVEL,
		.effect = log(factor),
		.low = (double)NAN,
		.high = (double)NAN,
		.posterior = (double)NAN,
		.pairs = 1,
		.transfers = n,
		.alternatives = side,
		.n_alternatives = 2,
	};
	free(run->found.findings);
	run->found.findings = f;
	run->found.n_findings = 1;
	return true;
}

bool na_pairs_judge_two(struct pairs_run *run)
{
	struct way way[2];
	double there, back;

	if (!asks(run))
		return true;
	way[0] = way_of(run, 0);
	way[1] = way_of(run, 1);
	there = slower(&way[0], &way[1]);
	back = slower(&way[1], &way[0]);
	if (!clocks_agree(run, way) || !(fmax(there, back) >= PAIRS_WAY_SLOWER))
		return true;
	return there > back ? name_way(run, 0, way[0].n, there)
			    : name_way(run, 1, way[1].n, back);
}
