/*
 * All links of a rack at once: its connections across racks are slower, in
 * their median, than those of every other rack, in nearly every collective,
 * and so are those of nearly each of its hosts.  A host of its own would be
 * slow alone.  Of two racks, one's uplinks are the other's downlinks: what is
 * named is the way from one to the other.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define LEADS        0.75 /* of its collectives: the slowest rack */
#define SLOW         0.1133 /* log 1.12 */
#define ALIKE        0.8  /* of its effect: another rack is as slow */
#define LEAST_SPREAD 0.03
#define ALL_HOSTS    0.8  /* at an end of a link: nearly all are slow */

enum { LEAST_LANES = 3, LEAST_OTHERS = 2, FEW = 4 };

/* What is compared of a rack's connections, and what naming takes. */
struct rule {
	double quantile;
	double score;  /* spreads of the other racks' connections, pooled */
	double few;    /* the same, of few hosts, or of one collective */
	double effect; /* log: the median over its collectives */
	double hosts;  /* share that is slower than the other racks are */
	double by;     /* by so much of the rack's effect */
	size_t strata;
	bool part; /* one of several links */
};

static const struct rule rules[] = {
	/* All its links: log 1.12; one of several: log 1.3. */
	{0.5, 4.5, 12.0, 0.1133, 0.9, 0.3, 1, false},
	{0.85, 12.0, 12.0, 0.2624, 0.5, 0, 3, true},
};

/* A connection in a collective, as one end's rack sees it. */
struct across {
	uint32_t stratum, rack, host, far;
	double low;
	double effect; /* against the other racks; NaN: not compared */
};

/* What an end of a rack's connections has of their effect. */
struct end {
	uint32_t host;
	double effect;
};

NA_ORDER(by_host, struct end, NA_UP(host))
NA_ORDER(by_place, struct across, NA_UP(stratum), NA_UP(rack), NA_UP(host),
	 NA_UP(far))

/* Of a rack's side, over its collectives. */
struct rack_sum {
	size_t strata, led, lanes, most_hosts;
	double sum, hosts;
	double *effects; /* [strata] */
};

/* Hosts by rack, or by block, and what goes from one to another. */
struct parts {
	size_t n;
	const uint32_t *of; /* by host */
};

struct racks {
	struct wi *w;
	struct parts parts;
	struct across *v;
	size_t n;
	const struct rule *rule;
	struct rack_sum *of; /* by rack */
	double *room;        /* [n] */
	struct end *ends;    /* [lanes]; NULL: no link was that far */
};

static void collect(struct racks *x, enum wi_side side)
{
	const struct na_wire_input *in = x->w->in;

	x->n = 0;
	for (size_t i = 0; i < x->w->lanes.n; i++) {
		const struct wi_lane *l = &x->w->lanes.v[i];
		const struct na_wire_connection *c =
			&in->connections[l->connection];
		uint32_t host = side == WI_TX ? c->src : c->dst;

		if (l->judged && wi_crosses(l->stratum) &&
		    x->parts.of[c->src] != x->parts.of[c->dst])
			x->v[x->n++] = (struct across){l->stratum,
						       x->parts.of[host], host,
						       side == WI_TX ? c->dst
								     : c->src,
						       l->low, (double)NAN};
	}
	na_sort(x->v, x->n, by_place);
}

static double quantile_of(struct racks *x, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		x->room[i - from] = x->v[i].low;
	return na_quantile(x->room, to - from, x->rule->quantile);
}

/* The other racks' connections of a collective [from, to), without [a, b). */
static struct wi_centre others(struct racks *x, size_t from, size_t a, size_t b,
			       size_t to)
{
	struct wi_centre c;
	double at;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		if (i < a || i >= b)
			x->room[n++] = x->v[i].low;
	}
	at = na_quantile(x->room, n, x->rule->quantile);
	c = wi_centre_of(x->room, n, LEAST_SPREAD);
	c.at = at;
	return c;
}

/* From here on another rack is as slow: what they share is, or both are. */
static double equals(double low, double usual)
{
	double alike = usual + fmax(SLOW, ALIKE * (low - usual));

	return fmin(low, alike);
}

/* No other rack's are slower than that. */
static bool leads(struct racks *x, size_t from, size_t to, uint32_t rack,
		  double than)
{
	for (size_t i = from, end; i < to; i = end) {
		for (end = i; end < to && x->v[end].rack == x->v[i].rack; end++)
			;
		if (x->v[i].rack != rack && end - i >= LEAST_OTHERS &&
		    quantile_of(x, i, end) >= than)
			return false;
	}
	return true;
}

/* Of a rack's hosts, those whose connections are slower than so much. */
static double share_of_hosts(struct racks *x, size_t a, size_t b, double than,
			     size_t *hosts)
{
	size_t slow = 0;

	*hosts = 0;
	for (size_t i = a, end; i < b; i = end) {
		for (end = i; end < b && x->v[end].host == x->v[i].host; end++)
			;
		++*hosts;
		slow += quantile_of(x, i, end) > than;
	}
	return (double)slow / (double)*hosts;
}

static bool one_far_end(const struct racks *x, size_t a, size_t b)
{
	for (size_t i = a; i < b; i++) {
		if (x->v[i].far != x->v[a].far)
			return false;
	}
	return true;
}

/* A rack [a, b) in a collective [from, to). */
static void judge_rack(struct racks *x, size_t from, size_t a, size_t b,
		       size_t to)
{
	struct rack_sum *s = &x->of[x->v[a].rack];
	struct wi_centre usual;
	size_t hosts = 0;
	double low, share;

	if (b - a < LEAST_LANES || to - from - (b - a) < LEAST_LANES ||
	    one_far_end(x, a, b))
		return;
	usual = others(x, from, a, b, to);
	low = quantile_of(x, a, b);
	share = share_of_hosts(
		x, a, b, usual.at + x->rule->by * fmax(0, low - usual.at),
		&hosts);
	if (hosts < 2)
		return;
	/* One alone is a host. */
	share = share * (double)hosts < 2 ? 0 : share;
	for (size_t i = a; i < b; i++)
		x->v[i].effect = x->v[i].low - usual.at;
	s->effects[s->strata++] = low - usual.at;
	s->sum += wi_clip((low - usual.at) / usual.spread);
	s->led += leads(x, from, to, x->v[a].rack, equals(low, usual.at));
	s->hosts += share;
	s->lanes += b - a;
	s->most_hosts = hosts > s->most_hosts ? hosts : s->most_hosts;
}

static void judge_all(struct racks *x)
{
	for (size_t i = 0, to; i < x->n; i = to) {
		for (to = i; to < x->n && x->v[to].stratum == x->v[i].stratum;
		     to++)
			;
		for (size_t a = i, b; a < to; a = b) {
			for (b = a; b < to && x->v[b].rack == x->v[a].rack; b++)
				;
			judge_rack(x, i, a, b, to);
		}
	}
}

static struct na_lz_who name(const struct racks *x, enum wi_side side,
			     uint32_t rack)
{
	if (x->parts.n == 2)
		return (struct na_lz_who){NA_LZ_RACK_PAIR,
					  side == WI_TX ? rack : 1 - rack,
					  side == WI_TX ? 1 - rack : rack};
	return (struct na_lz_who){side == WI_TX ? NA_LZ_RACK_UPLINK
						: NA_LZ_RACK_DOWNLINK,
				  rack, 0};
}

/* What is left of what has been taken away is no second one. */
static bool is_named(const struct wi *w, struct na_lz_who who)
{
	for (size_t i = 0; i < w->found.n; i++) {
		const struct na_lz_who *f = &w->found.v[i].who;

		if (f->kind == who.kind && f->a == who.a && f->b == who.b)
			return true;
	}
	return false;
}

static size_t gather_ends(struct racks *x, uint32_t rack, bool far)
{
	size_t n = 0;

	if (!x->ends)
		x->ends = na_calloc(x->w->lanes.n, sizeof(*x->ends));
	x->w->failed |= !x->ends;
	for (size_t i = 0; x->ends && i < x->n; i++) {
		const struct across *v = &x->v[i];

		if (v->rack == rack && !isnan(v->effect))
			x->ends[n++] = (struct end){far ? v->far : v->host,
						    v->effect};
	}
	na_sort(x->ends, n, by_host);
	return n;
}

/* Medians of the hosts at one end of what a rack sends (gets), into x->room;
 * how many. */
static size_t sum_up_ends(struct racks *x, uint32_t rack, bool far)
{
	size_t n = gather_ends(x, rack, far), hosts = 0;

	for (size_t i = 0, to; i < n; i = to) {
		double *of = x->room + hosts;

		for (to = i; to < n && x->ends[to].host == x->ends[i].host;
		     to++)
			of[to - i] = x->ends[to].effect;
		x->room[hosts++] = na_median(of, to - i);
	}
	return hosts;
}

/* A link slows whoever sends across it, to whomever: were some of its hosts
 * slow and the others not, these would be. */
static bool ends_alike(struct racks *x, uint32_t rack, bool far)
{
	size_t hosts = sum_up_ends(x, rack, far), slow = 0;
	double upper = na_quantile(x->room, hosts, 0.75);

	for (size_t i = 0; i < hosts; i++)
		slow += x->room[i] > fmin(SLOW, upper / 2);
	return upper < SLOW || (double)slow >= ALL_HOSTS * (double)hosts;
}

static void choose(struct racks *x, enum wi_side side, struct wi_link *best)
{
	for (uint32_t r = 0; r < x->parts.n; r++) {
		struct rack_sum *s = &x->of[r];
		double n = (double)s->strata, score = s->sum / sqrt(n);
		struct wi_link link = {.who = name(x, side, r),
				       .score = score,
				       .p_value = na_normal_upper(score),
				       .lanes = s->lanes,
				       .part = x->rule->part};

		if (s->strata < x->rule->strata ||
		    (s->strata < 2 && s->most_hosts < FEW) ||
		    (double)s->led < LEADS * n ||
		    s->hosts < x->rule->hosts * n ||
		    score < (s->most_hosts < FEW || s->strata < 2
				     ? x->rule->few
				     : x->rule->score) ||
		    score <= best->score || is_named(x->w, link.who))
			continue;
		link.effect = na_median(s->effects, s->strata);
		if (link.effect < x->rule->effect ||
		    (link.part && wi_link_is_else(x->w, &link)) ||
		    (!link.part && (!ends_alike(x, r, false) ||
				    !ends_alike(x, r, true))))
			continue;
		*best = link;
	}
}

static void run(struct racks *x, double *effects, struct wi_link *best)
{
	size_t racks = x->parts.n, strata = x->w->n_strata;

	for (int side = 0; side < WI_SIDES; side++) {
		memset(x->of, 0, racks * sizeof(*x->of));
		for (size_t r = 0; r < racks; r++)
			x->of[r].effects = effects + r * strata;
		collect(x, (enum wi_side)side);
		judge_all(x);
		choose(x, (enum wi_side)side, best);
	}
}

static bool best_of(struct wi *w, struct parts parts, bool whole,
		    struct wi_link *best)
{
	size_t racks = parts.n;
	struct racks x = {.w = w,
			  .parts = parts,
			  .v = na_calloc(w->lanes.n, sizeof(*x.v)),
			  .of = na_calloc(racks, sizeof(*x.of)),
			  .room = na_calloc(w->lanes.n, sizeof(*x.room))};
	double *effects = na_calloc(racks, w->n_strata * sizeof(*effects));
	bool ok = x.v && x.of && x.room && effects;

	*best = (struct wi_link){0};
	w->failed |= !ok;
	x.rule = &rules[whole ? 0 : 1];
	if (ok && racks > 1)
		run(&x, effects, best);
	free(x.v);
	free(x.of);
	free(x.room);
	free(x.ends);
	free(effects);
	return best->lanes > 0;
}

bool wi_rack_best(struct wi *w, bool whole, struct wi_link *best)
{
	return best_of(w, (struct parts){w->in->n_racks, w->in->rack_of}, whole,
		       best);
}

bool wi_block_best(struct wi *w, struct wi_link *best)
{
	return best_of(w, (struct parts){w->in->n_blocks, w->in->block_of},
		       true, best);
}
