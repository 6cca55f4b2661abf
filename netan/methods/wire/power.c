/*
 * What would have been named: a slower side is planted into the transfers at
 * hand, and judged as any.  All that its transfers took beyond the base takes
 * the factor longer: the factor is what a finding's excess is, whatever made
 * them slow.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"

/* Of what a slower side adds, so much is counted on: what its transfers meet on
 * their way changes with them, and so do the hosts that they are compared
 * with. */
#define SHOWS 0.7

/* Of so few hosts one moves what all are measured by: what ports take, and what
 * is usual of a collective.  They are judged from the start, in so many rows for
 * each side. */
enum { FEW = 8, FEW_ROWS = 1 << 14 };

static const double factors[] = {1.1, 1.2, 1.3, 1.4, 1.5, 1.75,
				 2,   2.5, 3,   4,   6,   8};

struct planting {
	struct wi *w;
	enum wi_side side;
	uint32_t host;
	const uint32_t *rows; /* of the side */
	size_t n;
	float *raw, *fluid;       /* as they were */
	struct na_wire_row *copy; /* of few hosts; else NULL */
	struct wi_trial trial;    /* of these, once there are some */
	bool tries;
	bool tried;               /* by NA_LZ_MATTERS: */
	const char *against;      /* what spoke against it, if anything */
	/* Of other hosts' other sides, what its transfers may make slow. */
	NA_VEC(struct wi_stratum *) met;
};

/* Of the rows of a stratum: from here on its quartile and median may move. */
#define MOVES 0.4

static double slowed_us(const struct planting *p, uint32_t row, double factor)
{
	double took = p->w->in->rows[row].took_us;

	return took + (factor - 1) * (took - fmin(p->w->base_us, took));
}

static void plant(const struct planting *p, double factor)
{
	struct wi *w = p->w;

	for (size_t i = 0; i < p->n; i++) {
		uint32_t r = p->rows[i];
		double slow = slowed_us(p, r, 1 + SHOWS * (factor - 1));
		float more = (float)log(slow / w->in->rows[r].took_us);

		w->raw[r] = p->raw[i] + more;
		w->fluid[r] = p->fluid[i] + more;
	}
}

static void uproot(const struct planting *p)
{
	struct wi *w = p->w;

	for (size_t i = 0; i < p->n; i++) {
		uint32_t r = p->rows[i];

		w->raw[r] = p->raw[i];
		w->fluid[r] = p->fluid[i];
	}
}

/* What a lane is part of at its other end. */
static struct wi_stratum *other_end(const struct planting *p,
				    const struct wi_lane *l)
{
	const struct na_wire_connection *e =
		&p->w->in->connections[l->connection];
	size_t n = 0;
	struct wi_stratum *s = wi_strata_of(p->w, !p->side,
					    p->side == WI_TX ? e->dst : e->src,
					    &n);
	size_t i = NA_BOUND(k, 0, n, s[k].stratum >= l->stratum);

	return &s[i];
}

static void meet(struct planting *p)
{
	struct wi *w = p->w;
	size_t n = 0, all = 0;
	const uint32_t *lanes = wi_lanes_of(w, p->side, p->host, &n);

	p->met.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *l = &w->lanes.v[lanes[i]];

		other_end(p, l)->met += l->n;
	}
	for (size_t i = 0; i < n; i++) {
		struct wi_stratum *s = other_end(p, &w->lanes.v[lanes[i]]);

		wi_rows_of(w, !p->side, s, &all);
		if (s->judged && (double)s->met >= MOVES * (double)all)
			w->failed |= !na_add(&p->met, s);
		s->met = 0;
	}
}

/* The side, its connections and whom it meets, as the transfers are now. */
static void judge_again(const struct planting *p)
{
	struct wi *w = p->w;
	size_t n = 0, n_lanes = 0;
	struct wi_stratum *s = wi_strata_of(w, p->side, p->host, &n);
	const uint32_t *lanes = wi_lanes_of(w, p->side, p->host, &n_lanes);

	for (size_t i = 0; i < n; i++) {
		if (s[i].judged)
			wi_stratum_again(w, p->side, &s[i]);
	}
	for (size_t i = 0; i < p->met.n; i++)
		wi_stratum_again(w, !p->side, p->met.v[i]);
	for (size_t i = 0; i < n_lanes; i++) {
		struct wi_lane *l = &w->lanes.v[lanes[i]];

		if (!l->judged)
			continue;
		wi_lane_sum(w, l);
		wi_lane_judge(l);
	}
}

static bool has_rival(const struct planting *p, const struct wi_candidate *c)
{
	for (size_t i = 0; i < p->met.n; i++) {
		if (wi_rivals(p->w, c, p->met.v[i]->host))
			return true;
	}
	return false;
}

/* The side by itself, as slow as that; a rival speaks against it. */
static struct wi_candidate planted(const struct planting *p, double factor)
{
	struct wi_candidate c;

	plant(p, factor);
	judge_again(p);
	c = wi_candidate(p->w, p->side, p->host);
	if (c.score >= 1 && !c.against && !c.proven && has_rival(p, &c))
		c.against = "the side that it talks to looks as slow";
	return c;
}

static bool would_be_named(const struct planting *p, double factor)
{
	struct wi_candidate c = planted(p, factor);

	return c.score >= 1 && !c.against;
}

/* Of whole steps, evenly, as long as enough stay; those of the side slowed. */
static size_t copy_steps(const struct planting *p, double factor)
{
	const struct wi *w = p->w;
	const uint32_t *host = w->host[p->side];
	size_t every = (w->n + FEW_ROWS - 1) / FEW_ROWS, n = 0;
	size_t most = w->in->n_steps / w->every / NA_WIRE_MIN_STEPS;

	every = every > most ? most : every;
	for (size_t i = 0; i < w->n; i++) {
		struct na_wire_row x = w->in->rows[i];

		if (every > 1 && x.step % every)
			continue;
		if (host[i] == p->host)
			x.took_us = slowed_us(p, (uint32_t)i, factor);
		p->copy[n++] = x;
	}
	return n;
}

/* The same from the start: what is longer also shares its ports for longer. */
static bool is_named(struct planting *p, double factor)
{
	size_t n = copy_steps(p, factor);
	const char *against;
	bool named;

	if (!p->tries)
		wi_trial_open(&p->trial, p->w, p->copy, n);
	p->tries = true;
	named = wi_names(&p->trial, p->side, p->host, &against);
	p->w->failed |= p->trial.w.failed;
	if (factor == NA_LZ_MATTERS) {
		p->tried = true;
		p->against = against;
	}
	return named;
}

/* The smallest of the factors; NaN: none of them. */
static double least_factor(struct planting *p)
{
	size_t lo = 0, hi = NA_LEN(factors);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (would_be_named(p, factors[mid]))
			hi = mid;
		else
			lo = mid + 1;
	}
	while (p->copy && lo < NA_LEN(factors) && !is_named(p, factors[lo]))
		lo++;
	return lo < NA_LEN(factors) ? factors[lo] : NAN;
}

/* What keeps a slowness that matters from being named; "": nothing. */
static const char *why_not(struct planting *p, double factor)
{
	size_t n = 0, judged = 0;
	const struct wi_stratum *s = wi_strata_of(p->w, p->side, p->host, &n);
	struct wi_candidate c;

	if (factor <= NA_LZ_MATTERS)
		return "";
	for (size_t i = 0; i < n; i++)
		judged += s[i].judged;
	if (!n)
		return p->side == WI_TX ? "it sends nothing"
					: "it gets nothing";
	if (!judged)
		return "too few steps, or too few hosts, share one of its "
		       "collectives";
	if (p->copy && !p->tried)
		is_named(p, NA_LZ_MATTERS);
	if (p->against)
		return p->against;
	c = planted(p, NA_LZ_MATTERS);
	return c.score >= 1 && c.against
		       ? c.against
		       : "hosts differ too much without any fault";
}

/* Where the rows of each host begin. */
static size_t rows_of(const struct wi *w, enum wi_side side, uint32_t host,
		      const uint32_t **rows)
{
	const uint32_t *order = w->order[side], *h = w->host[side];
	size_t from = NA_BOUND(i, 0, w->n, h[order[i]] >= host);
	size_t to = NA_BOUND(i, from, w->n, h[order[i]] > host);

	*rows = order + from;
	return to - from;
}

static void power_of(struct planting *p, struct na_lz_power *out)
{
	struct wi *w = p->w;

	p->n = rows_of(w, p->side, p->host, &p->rows);
	p->tried = false;
	p->against = NULL;
	meet(p);
	for (size_t i = 0; i < p->n; i++) {
		p->raw[i] = w->raw[p->rows[i]];
		p->fluid[i] = w->fluid[p->rows[i]];
	}
	out->factor = least_factor(p);
	out->why = why_not(p, out->factor);
	uproot(p);
	judge_again(p);
}

void wi_power(struct wi *w)
{
	static const enum na_lz_kind kinds[] = {NA_LZ_SRC, NA_LZ_DST};
	struct planting p = {.w = w,
			     .raw = na_calloc(w->n, sizeof(float)),
			     .fluid = na_calloc(w->n, sizeof(float))};
	struct na_wire_result *out = w->out;

	out->power = na_calloc(2 * w->in->n_hosts, sizeof(*out->power));
	if (w->in->n_hosts <= FEW) {
		p.copy = na_calloc(w->n, sizeof(*p.copy));
		w->failed |= !p.copy;
	}
	if (w->failed || !p.raw || !p.fluid || !out->power) {
		w->failed = true;
		goto out;
	}
	for (uint32_t h = 0; h < w->in->n_hosts; h++) {
		for (int side = 0; side < WI_SIDES; side++) {
			struct na_lz_power *x = &out->power[out->n_power++];

			p.side = (enum wi_side)side;
			p.host = h;
			*x = (struct na_lz_power){.host = h,
						  .side = kinds[side]};
			power_of(&p, x);
		}
	}
out:
	if (p.tries)
		wi_trial_close(&p.trial);
	free(p.copy);
	free(p.raw);
	free(p.fluid);
	na_vec_free(&p.met);
}
