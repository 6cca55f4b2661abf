/*
 * What would have been named: a slower side is planted into the transfers at
 * hand, and judged as any.  The port carries the bytes that it carried, at a
 * factor less rate; what took longer than that anyhow stays as it is.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"

/* Of what a slower port adds, so much is counted on: transfers wait for other
 * things, too, while their own port is slow. */
#define SHOWS 0.7

static const double factors[] = {1.1, 1.2, 1.3, 1.4, 1.5, 1.75,
				 2,   2.5, 3,   4,   6,   8};

struct planting {
	struct wi *w;
	enum wi_side side;
	uint32_t host;
	const uint32_t *rows; /* of the side */
	size_t n;
	float *raw, *fluid; /* as they were */
};

static void plant(const struct planting *p, double factor)
{
	struct wi *w = p->w;

	for (size_t i = 0; i < p->n; i++) {
		uint32_t r = p->rows[i];
		double took = w->in->rows[r].took_us;
		/* No more of either than it took. */
		double base = fmin(w->base_us, took);
		double port =
			fmin((double)w->port_bytes[p->side][r] * w->us_per_byte,
			     took - base);
		double slow = base + (1 + SHOWS * (factor - 1)) * port;
		float more = (float)log(fmax(1, slow / took));

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

/* The side and its connections, as its transfers are now. */
static void judge_again(const struct planting *p)
{
	struct wi *w = p->w;
	size_t n = 0, n_lanes = 0;
	struct wi_stratum *s = wi_strata_of(w, p->side, p->host, &n);
	const uint32_t *lanes = wi_lanes_of(w, p->side, p->host, &n_lanes);

	for (size_t i = 0; i < n; i++) {
		if (!s[i].judged)
			continue;
		wi_stratum_sum(w, p->side, &s[i]);
		wi_stratum_judge(&s[i]);
	}
	for (size_t i = 0; i < n_lanes; i++) {
		struct wi_lane *l = &w->lanes.v[lanes[i]];

		if (!l->judged)
			continue;
		wi_lane_sum(w, l);
		wi_lane_judge(l);
	}
}

static struct wi_candidate planted(const struct planting *p, double factor)
{
	plant(p, factor);
	judge_again(p);
	return wi_candidate(p->w, p->side, p->host);
}

static bool would_be_named(const struct planting *p, double factor)
{
	struct wi_candidate c = planted(p, factor);

	return c.score >= 1 && !c.against;
}

/* The smallest of the factors; NaN: none of them. */
static double least_factor(const struct planting *p)
{
	size_t lo = 0, hi = NA_LEN(factors);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (would_be_named(p, factors[mid]))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo < NA_LEN(factors) ? factors[lo] : NAN;
}

/* What keeps a slowness that matters from being named; "": nothing. */
static const char *why_not(const struct planting *p, double factor)
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
	if (!p.raw || !p.fluid || !out->power) {
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
	free(p.raw);
	free(p.fluid);
}
