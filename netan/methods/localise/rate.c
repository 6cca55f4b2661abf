/*
 * Who loses packets, or pauses: episodes of tail records against what
 * everybody has ("Channels").  One pause of a host is one episode, however many
 * records it holds up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/methods/localise/rate.h"
#include "netan/stats/tests/tests.h"

#define TIMER_SHARE    0.5
#define SPARED_SHARE   0.15
#define LESSER_SHARE   0.2
#define RACK_HOST_MOST 0.6
#define RACK_IN_MOST   0.1

enum {
	MIN_EPISODES = 3,
	MIN_SPARED = 4,
	RACK_HOSTS = 3,
	MAX_ROUNDS = 40,
	MAX_TRIES = 64
};

/* A host loses packets at both sides, about as often for each record. */
static bool both_sides(const struct lz_tally *a, const struct lz_tally *b)
{
	double x = a->episodes * b->records, y = b->episodes * a->records;

	return a->episodes >= 2 && b->episodes >= 2 &&
	       lz_smaller(x, y) >= LESSER_SHARE * lz_larger(x, y);
}

static bool host_may(const struct lz_rates *k, size_t i, struct na_lz_who w)
{
	const struct lz_tally *t = &k->t[i];
	size_t H = k->z->in->n_hosts;
	double x = 0;

	if (t->pairs_hit < 2)
		return false;
	if (t->records > 0)
		x = t->tails * (t->in_rack_records / t->records);
	if (lz_on(k->z, NA_LZ_PART_IN_RACK) && x >= MIN_SPARED &&
	    t->in_rack <= SPARED_SHARE * x)
		return false;
	if (w.kind == NA_LZ_HOST)
		return both_sides(&k->t[w.a], &k->t[H + w.a]);
	return true;
}

static bool rack_may(const struct lz_tally *t)
{
	return t->hosts_hit >= RACK_HOSTS &&
	       t->most_of_host <= RACK_HOST_MOST * t->tails &&
	       t->in_rack <= RACK_IN_MOST * t->tails;
}

/* What it explains beyond the threshold; <= 0: not a candidate. */
static double score(const struct lz_rates *k, size_t i)
{
	const struct lz_tally *t = &k->t[i];
	double n = t->episodes, limit;
	struct na_lz_who w;

	if (n < MIN_EPISODES || 4 * t->episodes < k->most ||
	    !(n > 3 * t->expected))
		return 0;
	w = na_lz_rate_who(k, i);
	limit = w.kind == NA_LZ_PAIR ? (double)k->z->pairs
				     : 3 * (double)k->z->hosts;
	if (lz_is_host_kind(w.kind) && !host_may(k, i, w))
		return 0;
	if (w.kind > NA_LZ_PAIR &&
	    (!lz_on(k->z, NA_LZ_PART_RACK_LINKS) || !rack_may(t)))
		return 0;
	limit = log(limit / k->z->alpha);
	return na_count_llr(n, t->expected) > limit ? t->gain - limit : 0;
}

/* The likeliest candidate that is also more than quiet sides are. */
static bool best(struct lz_rates *k, size_t *at)
{
	memset(k->rejected, 0, k->n * sizeof(*k->rejected));
	for (int tries = 0; tries < MAX_TRIES; tries++) {
		struct lz_tally *t;
		double most = 0;

		for (size_t i = 0; i < k->n; i++) {
			double s = k->rejected[i] ? 0 : score(k, i);

			if (s > most) {
				most = s;
				*at = i;
			}
		}
		if (!(most > 0))
			return false;
		t = &k->t[*at];
		t->expected =
			lz_larger(t->expected,
				  t->weight * na_lz_rate_usual_without(k, *at));
		if (score(k, *at) > 0)
			return true;
		k->rejected[*at] = true;
	}
	return false;
}

struct timing {
	size_t tails, match, episodes;
	double longest_ms;
};

static struct timing time_tails(const struct lz_rates *k, size_t at)
{
	struct timing t = {0};
	double last = 0;

	for (size_t i = 0; i < k->z->tails.n; i++) {
		const struct lz_tail *tail = &k->z->tails.v[i];

		if (k->gone[i] || !na_lz_rate_belongs(k, tail->pair, at))
			continue;
		t.tails++;
		t.longest_ms = lz_larger(t.longest_ms, tail->excess_ms);
		if (!na_lz_rate_is_timer(tail))
			continue;
		if (!t.match++ || tail->end_us - last > LZ_EPISODE_GAP_US)
			t.episodes++;
		last = tail->end_us;
	}
	return t;
}

/* Marks a candidate's tails, and those released together with them. */
static void remove_tails(struct lz_rates *k, size_t at, bool alone)
{
	const struct lz_tail *t = k->z->tails.v;
	size_t n = k->z->tails.n, from = 0, to = 0;

	for (size_t i = 0; i < n; i++) {
		if (!na_lz_rate_belongs(k, t[i].pair, at))
			continue;
		if (alone) {
			k->gone[i] = true;
			continue;
		}
		while (t[i].end_us - t[from].end_us > LZ_EPISODE_GAP_US)
			from++;
		to = to < from ? from : to;
		for (;
		     to < n && t[to].end_us - t[i].end_us <= LZ_EPISODE_GAP_US;
		     to++)
			k->gone[to] = true;
		for (size_t b = i; b-- > from && !k->gone[b];)
			k->gone[b] = true;
	}
}

static void raise_expected(struct lz_rates *k, size_t at)
{
	double by = k->t[at].episodes / k->t[at].expected;

	for (uint32_t p = 0; p < k->z->in->n_pairs; p++) {
		if (na_lz_rate_belongs(k, p, at))
			k->rise[p] *= by;
	}
}

static size_t pairs_of(const struct lz_rates *k, size_t at)
{
	size_t n = 0;

	for (uint32_t p = 0; p < k->z->in->n_pairs; p++)
		n += k->z->in->pairs[p].n && na_lz_rate_belongs(k, p, at);
	return n;
}

static enum na_status add_finding(struct lz_rates *k, size_t at,
				  const struct timing *timing,
				  struct na_err *err)
{
	const struct lz_tally *t = &k->t[at];
	double width = LZ_Z95 / sqrt(t->episodes);
	struct na_lz_finding f = {.who = na_lz_rate_who(k, at),
				  .channel = NA_LZ_RATE,
				  .effect = log(t->episodes / t->expected),
				  .intermittent = true,
				  .loses_packets = true};

	f.ci_low = f.effect - width;
	f.ci_high = f.effect + width;
	f.p_value = na_poisson_upper(t->episodes, t->expected);
	f.pairs = pairs_of(k, at);
	f.transfers = (uint64_t)t->records;
	f.tails = timing->tails;
	f.episodes = t->episodes;
	return na_lz_found(k->z, &f, err);
}

static enum na_status add_stall(struct lz_rates *k, size_t at,
				const struct timing *timing, struct na_err *err)
{
	struct na_lz_result *r = k->z->out;
	struct na_lz_who w = na_lz_rate_who(k, at);
	struct na_lz_stall *more;
	uint32_t p;

	if (w.kind == NA_LZ_PAIR) {
		p = na_lz_find_pair(k->z, w.a, w.b);
		return na_lz_undecided(k->z,
				       "tails of one path without the times of "
				       "a retransmission timer",
				       NULL, &p, 1, err);
	}
	if (!lz_is_host_kind(w.kind))
		return NA_OK;
	more = realloc(r->stalls, (r->n_stalls + 1) * sizeof(*more));
	if (!more)
		return na_fail_nomem(err);
	r->stalls = more;
	more[r->n_stalls++] =
		(struct na_lz_stall){w.a, w.kind, k->t[at].episodes,
				     timing->tails, timing->longest_ms};
	return NA_OK;
}

static enum na_status choose_side(struct lz_rates *k, size_t at,
				  struct na_err *err)
{
	struct timing t = time_tails(k, at);
	enum na_status s;

	if (t.episodes >= MIN_EPISODES &&
	    (double)t.match >= TIMER_SHARE * (double)t.tails)
		s = add_finding(k, at, &t, err);
	else
		s = add_stall(k, at, &t, err);
	if (k->t[at].episodes > k->most)
		k->most = k->t[at].episodes;
	raise_expected(k, at);
	remove_tails(k, at, na_lz_rate_who(k, at).kind > NA_LZ_PAIR);
	return s;
}

static enum na_status rounds(struct lz_rates *k, struct na_err *err)
{
	enum na_status s = NA_OK;
	size_t at = 0;

	for (int i = 0; s == NA_OK && i < MAX_ROUNDS; i++) {
		na_lz_rate_count(k);
		if (!best(k, &at))
			break;
		s = choose_side(k, at, err);
	}
	return s;
}

static bool room_for(struct lz_rates *k)
{
	const struct na_lz_input *in = k->z->in;
	struct lz_memory *m = &k->memory;

	k->n = 3 * in->n_hosts + 2 * k->z->out->n_racks + in->n_pairs;
	k->t = na_lz_take(m, k->n, sizeof(*k->t));
	k->rejected = na_lz_take(m, k->n, sizeof(*k->rejected));
	k->rise = na_lz_take(m, in->n_pairs, sizeof(*k->rise));
	k->room = na_lz_take(m, 4 * in->n_hosts, sizeof(*k->room));
	k->out = na_lz_take(m, in->n_hosts, sizeof(*k->out));
	k->in = na_lz_take(m, in->n_hosts, sizeof(*k->in));
	k->gone = na_lz_take(m, k->z->tails.n, sizeof(*k->gone));
	return !m->failed;
}

enum na_status na_lz_rate(struct lz *z, struct na_err *err)
{
	struct lz_rates k = {.z = z};
	enum na_status s = NA_OK;

	if (z->tails.n < MIN_EPISODES)
		return NA_OK;
	if (!room_for(&k))
		s = na_fail_nomem(err);
	for (size_t p = 0; s == NA_OK && p < z->in->n_pairs; p++)
		k.rise[p] = 1;
	for (int pass = 0; s == NA_OK && pass < 2; pass++) {
		k.timers_only = pass == 0;
		s = rounds(&k, err);
	}
	na_arena_fini(&k.memory.arena);
	return s;
}
