/* Episodes of tail records, for every candidate at once ("Channels"). */
#include <math.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/rate.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"
#include "netan/stats/time/timers.h"

#define SHORT_OF_TIMER 0.8

/* Waits of a retransmission timer in ms, with doublings, and their sums. */
static const double timers_ms[] = {200,  400,  600,  800,  1000, 1400,
				   1600, 2000, 3000, 3200, 4000, 8000};

/* A timeout adds to what a transfer takes, which may be less than others
 * of its size wait for a shared link: then the excess falls short. */
bool na_lz_rate_is_timer(const struct lz_tail *t)
{
	double ms = t->excess_ms, nearest = timers_ms[0], least = NA_TIMER_LEAST;

	for (size_t i = 1; i < NA_LEN(timers_ms); i++) {
		if (fabs(log(ms / timers_ms[i])) < fabs(log(ms / nearest)))
			nearest = timers_ms[i];
	}
	if (t->latency_ms >= least * nearest)
		least = SHORT_OF_TIMER;
	return ms >= least * nearest && ms <= NA_TIMER_MOST * nearest;
}

/* The tail does not count: explained, or no timeout in the first pass, since
 * who only waited for one of them waited for a part of it. */
static bool hidden(const struct lz_rates *k, size_t i)
{
	return k->gone[i] ||
	       (k->timers_only && !na_lz_rate_is_timer(&k->z->tails.v[i]));
}

/* Where a host side, a host, or a link of a rack stands. */
static size_t place(const struct lz_rates *k, enum na_lz_kind kind, uint32_t a)
{
	size_t H = k->z->in->n_hosts, R = k->z->out->n_racks;

	if (kind <= NA_LZ_HOST)
		return (size_t)kind * H + a;
	return 3 * H + (size_t)(kind - NA_LZ_RACK_UPLINK) * R + a;
}

struct na_lz_who na_lz_rate_who(const struct lz_rates *k, size_t i)
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

/* The candidates that a pair na_lz_rate_belongs to; returns how many. */
static size_t places_of(const struct lz_rates *k, uint32_t p, size_t out[7])
{
	const struct na_lz_pair *pair = &k->z->in->pairs[p];
	const uint32_t *rack_of = k->z->out->rack_of;
	size_t n = 0;

	out[n++] = k->n - k->z->in->n_pairs + p;
	out[n++] = place(k, NA_LZ_SRC, pair->src);
	out[n++] = place(k, NA_LZ_DST, pair->dst);
	out[n++] = place(k, NA_LZ_HOST, pair->src);
	if (pair->dst != pair->src)
		out[n++] = place(k, NA_LZ_HOST, pair->dst);
	if (lz_crosses(k->z, p)) {
		out[n++] = place(k, NA_LZ_RACK_UPLINK, rack_of[pair->src]);
		out[n++] = place(k, NA_LZ_RACK_DOWNLINK, rack_of[pair->dst]);
	}
	return n;
}

static void count_records(struct lz_rates *k)
{
	for (uint32_t p = 0; p < k->z->in->n_pairs; p++) {
		double records = (double)k->z->in->pairs[p].n;
		bool in_rack = k->z->out->n_racks && !lz_crosses(k->z, p);
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

static void count_tail(struct lz_rates *k, const struct lz_tail *tail,
		       struct moment m)
{
	const struct na_lz_pair *pair = &k->z->in->pairs[tail->pair];
	bool in_rack = k->z->out->n_racks && !lz_crosses(k->z, tail->pair);
	size_t at[7], n = places_of(k, tail->pair, at);
	bool first = k->t[at[0]].tails == 0, path_begins = false;

	for (size_t i = 0; i < n; i++) {
		struct lz_tally *t = &k->t[at[i]];

		bool begins = !t->tails ||
			      tail->end_us - t->last_us > LZ_EPISODE_GAP_US;

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
	if (lz_crosses(k->z, tail->pair)) {
		k->out[pair->src]++;
		k->in[pair->dst]++;
	}
}

/* How a rack's cross-rack tails spread over its hosts. */
static void count_racks(struct lz_rates *k)
{
	const uint32_t *rack_of = k->z->out->rack_of;

	for (uint32_t h = 0; h < k->z->in->n_hosts; h++) {
		for (int up = 0; k->z->out->n_racks && up < 2; up++) {
			uint32_t tails = up ? k->out[h] : k->in[h],
				 r = rack_of[h];
			enum na_lz_kind side = up ? NA_LZ_SRC : NA_LZ_DST;
			struct lz_tally *t;

			if (r == NA_LZ_NONE)
				continue;
			t = &k->t[place(
				k, up ? NA_LZ_RACK_UPLINK : NA_LZ_RACK_DOWNLINK,
				r)];
			t->hosts_hit += tails > 0;
			if (tails > t->most_of_host)
				t->most_of_host = tails;
			t->in_rack += k->t[place(k, side, h)].in_rack;
		}
	}
}

/* Remaining tails within an episode's gap from tail i on. */
static size_t moment_size(const struct lz_rates *k, size_t i)
{
	const struct lz_tail *t = k->z->tails.v;
	size_t n = 0, first = i;

	for (; i < k->z->tails.n; i++) {
		if (t[i].end_us - t[first].end_us > LZ_EPISODE_GAP_US)
			break;
		n += !hidden(k, i);
	}
	return n;
}

static size_t count_tails(struct lz_rates *k)
{
	struct moment m = {0, 0};
	size_t left = 0;

	for (size_t i = 0; i < k->z->tails.n; i++) {
		if (hidden(k, i))
			continue;
		if (!left) {
			m.size = left = moment_size(k, i);
			m.number++;
		}
		left--;
		count_tail(k, &k->z->tails.v[i], m);
	}
	return m.number;
}

/* What a candidate should have by the rate of everybody else, and how much
 * it explains: what is tested counts a pause once, what is chosen by counts
 * it on each path, or one path would stand for the host that paused. */
static void expect(struct lz_rates *k, size_t moments)
{
	size_t first = k->n - k->z->in->n_pairs;
	double all = (double)k->z->in->n_transfers, paths = 0;

	for (size_t i = first; i < k->n; i++)
		paths += k->t[i].episodes;
	for (size_t i = 0; i < k->n; i++) {
		struct lz_tally *t = &k->t[i];
		double others = lz_larger(all - t->records, 1);
		double rate = (double)(moments - t->alone) / others;
		double path_rate = (paths - t->path_episodes) / others;

		t->expected = t->weight * lz_larger(rate, 0.5 / all);
		path_rate = t->weight * lz_larger(path_rate, 0.5 / all);
		t->gain = t->episodes
				  ? na_count_llr(t->path_episodes, path_rate)
				  : 0;
	}
}

void na_lz_rate_count(struct lz_rates *k)
{
	memset(k->t, 0, k->n * sizeof(*k->t));
	memset(k->out, 0, k->z->in->n_hosts * sizeof(*k->out));
	memset(k->in, 0, k->z->in->n_hosts * sizeof(*k->in));
	count_records(k);
	expect(k, count_tails(k));
	count_racks(k);
}

bool na_lz_rate_belongs(const struct lz_rates *k, uint32_t p, size_t at)
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
double na_lz_rate_usual_without(const struct lz_rates *k, size_t at)
{
	size_t H = k->z->in->n_hosts, n = 0;
	double *last = k->room, *episodes = k->room + 2 * H;

	for (size_t i = 0; i < 2 * H; i++) {
		last[i] = -HUGE_VAL;
		episodes[i] = 0;
	}
	for (size_t i = 0; i < k->z->tails.n; i++) {
		const struct lz_tail *t = &k->z->tails.v[i];
		const struct na_lz_pair *p = &k->z->in->pairs[t->pair];
		size_t sides[2] = {p->src, H + p->dst};

		if (hidden(k, i) || na_lz_rate_belongs(k, t->pair, at))
			continue;
		for (int s = 0; s < 2; s++) {
			episodes[sides[s]] += t->end_us - last[sides[s]] >
					      LZ_EPISODE_GAP_US;
			last[sides[s]] = t->end_us;
		}
	}
	for (size_t i = 0; i < 2 * H; i++) {
		if (k->t[i].records > 0)
			last[n++] = episodes[i] / k->t[i].records;
	}
	return na_quantile(last, n, 0.25);
}
