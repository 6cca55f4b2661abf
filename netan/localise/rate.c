/*
 * Who loses packets, or pauses: episodes of tail records against what
 * everybody has (1.5).  One pause of a host is one episode, however many
 * records it holds up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/localise/localise_impl.h"
#include "netan/stats/robust.h"
#include "netan/stats/tests.h"

#define EPISODE_GAP_US 2e4
#define TIMER_SHARE    0.5
#define SPARED_SHARE   0.15
#define LESSER_SHARE   0.2
#define RACK_HOST_MOST 0.6
#define RACK_IN_MOST   0.1
#define SHORT_OF_TIMER 0.8

enum {
	MIN_EPISODES = 3,
	MIN_SPARED = 4,
	RACK_HOSTS = 3,
	MAX_ROUNDS = 40,
	MAX_TRIES = 64
};

/* Candidates are numbered: transmit sides, receive sides and hosts by
 * host, uplinks and downlinks by rack, paths by pair. */
struct tally {
	double last_us, expected, gain, weight, records, in_rack_records;
	size_t moment, in_moment; /* the fleet's episode, its tails here */
	uint32_t alone;           /* episodes of the fleet that are its own */
	uint32_t path_episodes;   /* summed over its paths */
	uint32_t episodes, tails, pairs_hit, in_rack, hosts_hit, most_of_host;
};

struct rate {
	struct lz *z;
	struct tally *t;
	double *rise;       /* by pair: what chosen candidates explain */
	double *room;       /* [4 hosts] */
	uint32_t *out, *in; /* by host: cross-rack tails sent, received */
	bool *gone;         /* by tail */
	bool timers_only;
	bool *rejected; /* by candidate */
	uint32_t most;  /* episodes of the largest chosen */
	size_t n;
};

/* Waits of a retransmission timer in ms, with doublings, and their sums. */
static const double timers_ms[] = {200,  400,  600,  800,  1000, 1400,
				   1600, 2000, 3000, 3200, 4000, 8000};

/* A timeout adds to what a transfer takes, which may be less than others
 * of its size wait for a shared link: then the excess falls short. */
static bool is_timer(const struct lz_tail *t)
{
	double ms = t->excess_ms, nearest = timers_ms[0], least = 0.95;

	for (size_t i = 1; i < sizeof(timers_ms) / sizeof(*timers_ms); i++) {
		if (fabs(log(ms / timers_ms[i])) < fabs(log(ms / nearest)))
			nearest = timers_ms[i];
	}
	if (t->latency_ms >= least * nearest)
		least = SHORT_OF_TIMER;
	return ms >= least * nearest && ms <= 1.25 * nearest;
}

/* Timeouts are looked at alone first: who only waited for one of them
 * waited for a part of it. */
static bool hidden(const struct rate *k, size_t i)
{
	return k->gone[i] || (k->timers_only && !is_timer(&k->z->tails[i]));
}

static size_t place(const struct rate *k, struct na_lz_who w)
{
	size_t H = k->z->in->n_hosts, R = k->z->out->n_racks;

	switch (w.kind) {
	case NA_LZ_SRC:
		return w.a;
	case NA_LZ_DST:
		return H + w.a;
	case NA_LZ_HOST:
		return 2 * H + w.a;
	case NA_LZ_RACK_UPLINK:
		return 3 * H + w.a;
	case NA_LZ_RACK_DOWNLINK:
		return 3 * H + R + w.a;
	default:
		return 3 * H + 2 * R + lz_find_pair(k->z, w.a, w.b);
	}
}

static struct na_lz_who who_at(const struct rate *k, size_t i)
{
	size_t H = k->z->in->n_hosts, R = k->z->out->n_racks;
	const struct na_lz_pair *p;

	if (i < 3 * H)
		return (struct na_lz_who){(enum na_lz_kind)(i / H),
					  (uint32_t)(i % H), 0};
	i -= 3 * H;
	if (i < R)
		return (struct na_lz_who){NA_LZ_RACK_UPLINK, (uint32_t)i, 0};
	if (i < 2 * R)
		return (struct na_lz_who){NA_LZ_RACK_DOWNLINK,
					  (uint32_t)(i - R), 0};
	p = &k->z->in->pairs[i - 2 * R];
	return (struct na_lz_who){NA_LZ_PAIR, p->src, p->dst};
}

/* The candidates that a pair belongs to; returns how many. */
static size_t places_of(const struct rate *k, uint32_t p, size_t out[7])
{
	const struct na_lz_pair *pair = &k->z->in->pairs[p];
	size_t H = k->z->in->n_hosts, R = k->z->out->n_racks, n = 0;

	out[n++] = 3 * H + 2 * R + p;
	out[n++] = pair->src;
	out[n++] = H + pair->dst;
	out[n++] = 2 * H + pair->src;
	if (pair->dst != pair->src)
		out[n++] = 2 * H + pair->dst;
	if (k->z->cross[p]) {
		out[n++] = 3 * H + k->z->out->rack_of[pair->src];
		out[n++] = 3 * H + R + k->z->out->rack_of[pair->dst];
	}
	return n;
}

static void count_records(struct rate *k)
{
	for (uint32_t p = 0; p < k->z->in->n_pairs; p++) {
		double records = (double)k->z->in->pairs[p].n;
		bool in_rack = k->z->out->n_racks && !k->z->cross[p];
		size_t at[7], n = places_of(k, p, at);

		for (size_t i = 0; records > 0 && i < n; i++) {
			k->t[at[i]].records += records;
			k->t[at[i]].weight += records * k->rise[p];
			if (in_rack)
				k->t[at[i]].in_rack_records += records;
		}
	}
}

/* The tail's place in the fleet's own episodes: number and size. */
struct moment {
	size_t number, size;
};

static void count_tail(struct rate *k, const struct lz_tail *tail,
		       struct moment m)
{
	const struct na_lz_pair *pair = &k->z->in->pairs[tail->pair];
	bool in_rack = k->z->out->n_racks && !k->z->cross[tail->pair];
	size_t at[7], n = places_of(k, tail->pair, at);
	bool first = k->t[at[0]].tails == 0, path_begins = false;

	for (size_t i = 0; i < n; i++) {
		struct tally *t = &k->t[at[i]];

		bool begins = !t->tails ||
			      tail->end_us - t->last_us > EPISODE_GAP_US;

		if (i == 0)
			path_begins = begins;
		t->episodes += begins;
		t->path_episodes += path_begins;
		t->last_us = tail->end_us;
		t->tails++;
		t->pairs_hit += first;
		if (t->moment != m.number)
			t->in_moment = 0;
		t->moment = m.number;
		t->alone += ++t->in_moment == m.size;
		t->in_rack += in_rack;
	}
	if (k->z->cross[tail->pair]) {
		k->out[pair->src]++;
		k->in[pair->dst]++;
	}
}

/* How a rack's cross-rack tails spread over its hosts. */
static void count_racks(struct rate *k)
{
	const uint32_t *rack_of = k->z->out->rack_of;

	for (uint32_t h = 0; h < k->z->in->n_hosts; h++) {
		for (int up = 0; k->z->out->n_racks && up < 2; up++) {
			uint32_t tails = up ? k->out[h] : k->in[h];
			struct na_lz_who w = {up ? NA_LZ_RACK_UPLINK
						 : NA_LZ_RACK_DOWNLINK,
					      rack_of[h], 0};
			struct tally *t;

			if (rack_of[h] == NA_LZ_NONE)
				continue;
			t = &k->t[place(k, w)];
			t->hosts_hit += tails > 0;
			if (tails > t->most_of_host)
				t->most_of_host = tails;
			w.kind = up ? NA_LZ_SRC : NA_LZ_DST;
			t->in_rack += k->t[place(k, w)].in_rack;
		}
	}
}

/* Remaining tails within an episode's gap from tail i on. */
static size_t moment_size(const struct rate *k, size_t i)
{
	const struct lz_tail *t = k->z->tails;
	size_t n = 0, first = i;

	for (; i < k->z->n_tails; i++) {
		if (t[i].end_us - t[first].end_us > EPISODE_GAP_US)
			break;
		n += !hidden(k, i);
	}
	return n;
}

static size_t count_tails(struct rate *k)
{
	struct moment m = {0, 0};
	size_t left = 0;

	for (size_t i = 0; i < k->z->n_tails; i++) {
		if (hidden(k, i))
			continue;
		if (!left) {
			m.size = left = moment_size(k, i);
			m.number++;
		}
		left--;
		count_tail(k, &k->z->tails[i], m);
	}
	return m.number;
}

static double llr(double n, double expected)
{
	return n > expected ? n * log(n / expected) - (n - expected) : 0;
}

/* What a candidate should have by the rate of everybody else, and how much
 * it explains: what is tested counts a pause once, what is chosen by counts
 * it on each path, or one path would stand for the host that paused. */
static void expect(struct rate *k, size_t moments)
{
	size_t first = k->n - k->z->in->n_pairs;
	double all = (double)k->z->in->n_transfers, paths = 0;

	for (size_t i = first; i < k->n; i++)
		paths += k->t[i].episodes;
	for (size_t i = 0; i < k->n; i++) {
		struct tally *t = &k->t[i];
		double others = lz_larger(all - t->records, 1);
		double rate = (double)(moments - t->alone) / others;
		double path_rate = (paths - t->path_episodes) / others;

		t->expected = t->weight * lz_larger(rate, 0.5 / all);
		path_rate = t->weight * lz_larger(path_rate, 0.5 / all);
		t->gain = t->episodes ? llr(t->path_episodes, path_rate) : 0;
	}
}

static void count(struct rate *k)
{
	memset(k->t, 0, k->n * sizeof(*k->t));
	memset(k->out, 0, k->z->in->n_hosts * sizeof(*k->out));
	memset(k->in, 0, k->z->in->n_hosts * sizeof(*k->in));
	count_records(k);
	expect(k, count_tails(k));
	count_racks(k);
}

/* A host loses packets at both sides, about as often for each record. */
static bool both_sides(const struct tally *a, const struct tally *b)
{
	double x = a->episodes * b->records, y = b->episodes * a->records;

	return a->episodes >= 2 && b->episodes >= 2 &&
	       lz_smaller(x, y) >= LESSER_SHARE * lz_larger(x, y);
}

static bool host_may(const struct rate *k, size_t i, struct na_lz_who w)
{
	const struct tally *t = &k->t[i];
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

static bool rack_may(const struct tally *t)
{
	return t->hosts_hit >= RACK_HOSTS &&
	       t->most_of_host <= RACK_HOST_MOST * t->tails &&
	       t->in_rack <= RACK_IN_MOST * t->tails;
}

/* What it explains beyond the threshold; <= 0: not a candidate. */
static double score(const struct rate *k, size_t i)
{
	const struct tally *t = &k->t[i];
	double n = t->episodes, limit;
	struct na_lz_who w;

	if (n < MIN_EPISODES || 4 * t->episodes < k->most ||
	    !(n > 3 * t->expected))
		return 0;
	w = who_at(k, i);
	limit = w.kind == NA_LZ_PAIR ? (double)k->z->pairs
				     : 3 * (double)k->z->hosts;
	if (lz_is_host_kind(w.kind) && !host_may(k, i, w))
		return 0;
	if (w.kind > NA_LZ_PAIR &&
	    (!lz_on(k->z, NA_LZ_PART_RACK_LINKS) || !rack_may(t)))
		return 0;
	limit = log(limit / k->z->alpha);
	return llr(n, t->expected) > limit ? t->gain - limit : 0;
}

static bool belongs(const struct rate *k, uint32_t p, size_t at)
{
	size_t all[7], n = places_of(k, p, all);

	for (size_t i = 0; i < n; i++) {
		if (all[i] == at)
			return true;
	}
	return false;
}

/* Episodes for each record of a side that is quiet when this candidate is
 * left out.  Where tails are everywhere, the fleet's episodes run together
 * and this one tells. */
static double usual_without(const struct rate *k, size_t at)
{
	size_t H = k->z->in->n_hosts, n = 0;
	double *last = k->room, *episodes = k->room + 2 * H;

	for (size_t i = 0; i < 2 * H; i++) {
		last[i] = -HUGE_VAL;
		episodes[i] = 0;
	}
	for (size_t i = 0; i < k->z->n_tails; i++) {
		const struct lz_tail *t = &k->z->tails[i];
		const struct na_lz_pair *p = &k->z->in->pairs[t->pair];
		size_t sides[2] = {p->src, H + p->dst};

		if (hidden(k, i) || belongs(k, t->pair, at))
			continue;
		for (int s = 0; s < 2; s++) {
			episodes[sides[s]] += t->end_us - last[sides[s]] >
					      EPISODE_GAP_US;
			last[sides[s]] = t->end_us;
		}
	}
	for (size_t i = 0; i < 2 * H; i++) {
		if (k->t[i].records > 0)
			last[n++] = episodes[i] / k->t[i].records;
	}
	return na_quantile(last, n, 0.25);
}

/* The likeliest candidate that is also more than quiet sides are. */
static bool best(struct rate *k, size_t *at)
{
	memset(k->rejected, 0, k->n * sizeof(*k->rejected));
	for (int tries = 0; tries < MAX_TRIES; tries++) {
		struct tally *t;
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
		t->expected = lz_larger(t->expected,
					t->weight * usual_without(k, *at));
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

static struct timing time_tails(const struct rate *k, size_t at)
{
	struct timing t = {0};
	double last = 0;

	for (size_t i = 0; i < k->z->n_tails; i++) {
		const struct lz_tail *tail = &k->z->tails[i];

		if (k->gone[i] || !belongs(k, tail->pair, at))
			continue;
		t.tails++;
		t.longest_ms = lz_larger(t.longest_ms, tail->excess_ms);
		if (!is_timer(tail))
			continue;
		if (!t.match++ || tail->end_us - last > EPISODE_GAP_US)
			t.episodes++;
		last = tail->end_us;
	}
	return t;
}

/* Marks a candidate's tails, and those released together with them. */
static void remove_tails(struct rate *k, size_t at, bool alone)
{
	const struct lz_tail *t = k->z->tails;
	size_t n = k->z->n_tails, from = 0, to = 0;

	for (size_t i = 0; i < n; i++) {
		if (!belongs(k, t[i].pair, at))
			continue;
		if (alone) {
			k->gone[i] = true;
			continue;
		}
		while (t[i].end_us - t[from].end_us > EPISODE_GAP_US)
			from++;
		to = to < from ? from : to;
		for (; to < n && t[to].end_us - t[i].end_us <= EPISODE_GAP_US;
		     to++)
			k->gone[to] = true;
		for (size_t b = i; b-- > from && !k->gone[b];)
			k->gone[b] = true;
	}
}

static void raise_expected(struct rate *k, size_t at)
{
	double by = k->t[at].episodes / k->t[at].expected;

	for (uint32_t p = 0; p < k->z->in->n_pairs; p++) {
		if (belongs(k, p, at))
			k->rise[p] *= by;
	}
}

static size_t pairs_of(const struct rate *k, size_t at)
{
	size_t n = 0;

	for (uint32_t p = 0; p < k->z->in->n_pairs; p++)
		n += k->z->in->pairs[p].n && belongs(k, p, at);
	return n;
}

static enum na_status add_finding(struct rate *k, size_t at,
				  const struct timing *timing,
				  struct na_err *err)
{
	const struct tally *t = &k->t[at];
	double width = LZ_Z95 / sqrt(t->episodes);
	struct na_lz_finding f = {.who = who_at(k, at),
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
	return lz_found(k->z, &f, err);
}

static enum na_status add_stall(struct rate *k, size_t at,
				const struct timing *timing, struct na_err *err)
{
	struct na_lz_result *r = k->z->out;
	struct na_lz_who w = who_at(k, at);
	struct na_lz_stall *more;
	uint32_t p;

	if (w.kind == NA_LZ_PAIR) {
		p = lz_find_pair(k->z, w.a, w.b);
		return lz_undecided(k->z,
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

static enum na_status choose(struct rate *k, size_t at, struct na_err *err)
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
	remove_tails(k, at, who_at(k, at).kind > NA_LZ_PAIR);
	return s;
}

static enum na_status rounds(struct rate *k, struct na_err *err)
{
	enum na_status s = NA_OK;
	size_t at = 0;

	for (int i = 0; s == NA_OK && i < MAX_ROUNDS; i++) {
		count(k);
		if (!best(k, &at))
			break;
		s = choose(k, at, err);
	}
	return s;
}

static bool room_for(struct rate *k)
{
	const struct na_lz_input *in = k->z->in;

	k->n = 3 * in->n_hosts + 2 * k->z->out->n_racks + in->n_pairs;
	k->t = na_calloc(k->n, sizeof(*k->t));
	k->rejected = na_calloc(k->n, sizeof(*k->rejected));
	k->rise = na_calloc(in->n_pairs, sizeof(*k->rise));
	k->room = na_calloc(4 * in->n_hosts, sizeof(*k->room));
	k->out = na_calloc(in->n_hosts, sizeof(*k->out));
	k->in = na_calloc(in->n_hosts, sizeof(*k->in));
	k->gone = na_calloc(k->z->n_tails, sizeof(*k->gone));
	return k->t && k->rejected && k->rise && k->room && k->out && k->in &&
	       k->gone;
}

enum na_status lz_rate(struct lz *z, struct na_err *err)
{
	struct rate k = {.z = z};
	enum na_status s = NA_OK;

	if (z->n_tails < MIN_EPISODES)
		return NA_OK;
	if (!room_for(&k)) {
		s = na_fail_nomem(err);
		goto out;
	}
	for (size_t p = 0; p < z->in->n_pairs; p++)
		k.rise[p] = 1;
	for (int pass = 0; s == NA_OK && pass < 2; pass++) {
		k.timers_only = pass == 0;
		s = rounds(&k, err);
	}
out:
	free(k.t);
	free(k.rejected);
	free(k.rise);
	free(k.room);
	free(k.out);
	free(k.in);
	free(k.gone);
	return s;
}
