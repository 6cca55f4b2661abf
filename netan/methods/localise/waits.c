/*
 * Waiting apart from moving ("Waits"): a latency that begins when the sender
 * is ready may hold the wait for a receiver that is late.  When a receiver
 * enters a collective its own sends tell, by its own clock, on which the
 * transfer's end is told, too.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"

#define SLOP_US    3.0 /* stamps are whole microseconds, three of them */
#define LONG_SHARE 0.5
#define BROKEN     0.02

enum { ASKED = 1 << 20, MIN_LONG = 30, COLLECTIVES_MAX = 1 << 22 };

/* A send, or, of those that are kept, a receiver's entrance. */
struct send {
	double start_us, end_us;
	uint32_t moment;
};

/* Long waits that transfers held, and those that would be longer than they. */
struct evidence {
	uint64_t held, broken;
};

struct waits {
	struct lz *z;
	size_t n; /* collectives, with one for no collective */
	struct evidence *of;
	bool failed[LZ_SHARES];
};

NA_ORDER(by_start, struct send, NA_UP(moment), NA_UP(start_us), NA_UP(end_us))

static double end_us(const struct lz *z, const struct na_lz_transfer *t)
{
	return (double)t->tick * z->tick_us;
}

/* The host's sends, of each moment the first and those that begin when all
 * before them have ended: it enters the collective, or its next phase. */
static size_t find_entrances(const struct lz *z, uint32_t host,
			     struct send *out)
{
	const struct na_lz_input *in = z->in;
	double busy_us = 0;
	size_t n = 0, m = 0;

	lz_for_side (p, z, NA_LZ_SRC, host) {
		const struct na_lz_pair *pair = &in->pairs[*p];
		const struct na_lz_transfer *t = in->transfers + pair->first;
		double ahead_us = lz_ahead(z, host, pair->dst);

		for (size_t i = 0; i < pair->n; i++) {
			double end = end_us(z, &t[i]);

			if (t[i].latency_us > 0)
				out[n++] = (struct send){end - t[i].latency_us,
							 end + ahead_us,
							 t[i].moment};
		}
	}
	na_sort(out, n, by_start);
	for (size_t i = 0; i < n; i++) {
		struct send s = out[i];
		bool first = i == 0 || out[m - 1].moment != s.moment;

		if (first || s.start_us + SLOP_US >= busy_us)
			out[m++] = s;
		busy_us = first ? s.end_us : lz_larger(busy_us, s.end_us);
	}
	return m;
}

/* The last entrance of a moment up to `until_us`, or its first. */
static const struct send *entrance(const struct send *in, size_t n,
				   uint32_t moment, double until_us)
{
	size_t first = NA_BOUND(i, 0, n, in[i].moment >= moment);
	size_t end = NA_BOUND(i, first, n,
			      in[i].moment > moment ||
				      in[i].start_us > until_us);

	if (end > first)
		return &in[end - 1];
	return first < n && in[first].moment == moment ? &in[first] : NULL;
}

static size_t sends_of(const struct lz *z, uint32_t host)
{
	size_t n = 0;

	lz_for_side (p, z, NA_LZ_SRC, host)
		n += z->in->pairs[*p].n;
	return n;
}

static size_t collective_of(const struct waits *k,
			    const struct na_lz_transfer *t)
{
	uint32_t c = t->moment < k->z->in->n_moments
			     ? k->z->in->moments[t->moment].collective
			     : NA_LZ_NONE;

	return c < k->n - 1 ? c : k->n - 1;
}

/* A transfer that waits long ends after its receiver has come.  Where
 * receivers need not be there, or send what they received, it may end
 * before. */
static void ask(struct waits *k, const struct send *in, size_t n, size_t at,
		const struct na_lz_pair *pair)
{
	const struct na_lz_transfer *t = &k->z->in->transfers[at];
	const struct send *first = entrance(in, n, t->moment, -HUGE_VAL);
	struct evidence *e = &k->of[collective_of(k, t)];
	double end = end_us(k->z, t);

	(void)pair;
	if (!first || !(t->latency_us > 0))
		return;
	if (end + SLOP_US < first->start_us)
		e->broken++;
	else
		e->held += first->start_us - end + t->latency_us >
			   LONG_SHARE * t->latency_us + SLOP_US;
}

/* Whether it waited is asked on one clock; what is kept is by the stamps. */
static void note(struct waits *k, const struct send *in, size_t n, size_t at,
		 const struct na_lz_pair *pair)
{
	double ahead_us = lz_ahead(k->z, pair->src, pair->dst);
	const struct na_lz_transfer *t = &k->z->in->transfers[at];
	double end = end_us(k->z, t), us = 0;
	const struct send *last = NULL;

	if (k->of[collective_of(k, t)].held)
		last = entrance(in, n, t->moment, end);
	if (last && last->start_us <= end && t->latency_us > 0)
		us = last->start_us - end + t->latency_us;
	k->z->waited_us[at] = last && us + ahead_us > SLOP_US ? (float)us : 0;
}

static bool look(struct waits *k, uint32_t host,
		 void (*at_each)(struct waits *k, const struct send *in,
				 size_t n, size_t at,
				 const struct na_lz_pair *pair))
{
	struct lz *z = k->z;
	struct send *in = na_calloc(sends_of(z, host), sizeof(*in));
	size_t n = in ? find_entrances(z, host, in) : 0;

	lz_for_side (p, z, NA_LZ_DST, host) {
		const struct na_lz_pair *pair = &z->in->pairs[*p];

		for (size_t i = 0; in && i < pair->n; i++)
			at_each(k, in, n, pair->first + i, pair);
	}
	free(in);
	return in != NULL;
}

static void note_share(void *arg, size_t share)
{
	struct waits *k = arg;
	size_t from, to;

	na_lz_share(k->z->in->n_hosts, share, &from, &to);
	for (size_t h = from; h < to && !k->failed[share]; h++)
		k->failed[share] = !look(k, (uint32_t)h, note);
}

static bool holds(const struct evidence *e)
{
	return e->held >= MIN_LONG &&
	       (double)e->broken <= BROKEN * (double)e->held;
}

/* Which collectives hold waits; one that was hardly asked does what the
 * others do. */
static bool decide(struct waits *k)
{
	struct evidence all = {0, 0};
	bool others, any = false;

	for (size_t c = 0; c < k->n; c++) {
		all.held += k->of[c].held;
		all.broken += k->of[c].broken;
	}
	others = holds(&all);
	for (size_t c = 0; c < k->n; c++) {
		bool few = k->of[c].held + k->of[c].broken < MIN_LONG;

		k->of[c].held = few ? others : holds(&k->of[c]);
		any |= k->of[c].held > 0;
	}
	return any;
}

static enum na_status ask_some(struct waits *k, struct na_err *err)
{
	const struct na_lz_input *in = k->z->in;
	size_t every = in->n_transfers / ASKED + 1;
	size_t most = in->n_hosts / 4 + 1; /* four hosts at least */

	every = every < most ? every : most;
	for (uint32_t h = 0; h < in->n_hosts; h++) {
		if (h % every == 0 && !look(k, h, ask))
			return na_fail_nomem(err);
	}
	return NA_OK;
}

static enum na_status note_all(struct waits *k, struct na_err *err)
{
	struct lz *z = k->z;
	enum na_status s;

	if (!z->waited_us)
		z->waited_us = na_lz_take(&z->memory, z->in->n_transfers,
					  sizeof(*z->waited_us));
	if (!z->waited_us)
		return na_fail_nomem(err);
	s = na_lz_shares(z, note_share, k, err);
	for (size_t i = 0; s == NA_OK && i < LZ_SHARES; i++) {
		if (k->failed[i])
			s = na_fail_nomem(err);
	}
	return s;
}

enum na_status na_lz_waits(struct lz *z, struct na_err *err)
{
	struct waits k = {.z = z, .n = 1};
	enum na_status s = NA_OK;

	for (size_t i = 0; i < z->in->n_moments; i++) {
		uint32_t c = z->in->moments[i].collective;

		if (c < COLLECTIVES_MAX && c + 2 > k.n)
			k.n = c + 2;
	}
	k.of = na_calloc(k.n, sizeof(*k.of));
	if (!k.of)
		s = na_fail_nomem(err);
	if (s == NA_OK)
		s = ask_some(&k, err);
	if (s == NA_OK) {
		if (decide(&k))
			s = note_all(&k, err);
		else
			z->waited_us = NULL; /* of other clocks */
	}
	free(k.of);
	return s;
}
