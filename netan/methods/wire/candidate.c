/*
 * What speaks for one side of one host, and what against it.  Hosts differ
 * for good without any fault: by their paths, their neighbours, the turn they
 * take.  But the host that is the slowest of all in nearly every collective,
 * inside the rack and across racks, differs by its NIC, however small the
 * difference is in each.
 */
#include <math.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define ENOUGH      6.0  /* spreads of the other hosts, pooled */
#define ALONE       10.0 /* the same, where nothing stays in the rack */
#define LEAST_FLUID 0.11 /* log 1.12: explained by nothing that it shared */
#define LEAST_RAW   0.06
#define LEADS       0.7    /* of its strata: it is the slowest host there */
#define ALIKE       0.85   /* of the effect of the slowest one */
#define EQUAL       0.7    /* of its own: another host is as slow */
#define PART        2.0    /* spreads, inside the rack and across */
#define PROVEN      4.0    /* inside the rack: no link of it can do that */
#define INSIDE      0.3    /* of what it is slow by across racks: less waits
			      for that */
#define CLOCK_LEAST 0.6931 /* log 2, where times stand on two clocks */
#define CLOCK_SHARE 0.4
#define UNPROVEN    0.26   /* log 1.3, where no transfer is known to stay
			      in the rack */
#define UNPLACED    0.4055 /* log 1.5, where racks are not known */
#define CLEAR       12.0   /* spreads, of less than that, and alone: */
#define HALF        0.5    /* of its effect: no other host has it */

#define BROAD        0.7 /* of its connections */
#define BROAD_EFFECT 0.3 /* of its own */

#define ONE_PEER    3.0    /* times as slow as with most others, and those */
#define OTHERS      0.55   /* so little of its effect: a path, and what waits
			      behind it */

enum { STRATA = 2, BROAD_LEAST = 3, SLOW_PEERS = 2 };

static bool is_slow(const struct wi_stratum *s)
{
	return s->effect > LEAST_FLUID && s->raw_effect > LEAST_RAW &&
	       s->raw_effect > WI_RAW_SHARE * s->effect;
}

/* Strata in a rack, or across racks. */
struct tally {
	size_t judged, led, slow, equals;
	double sum, best; /* of scores; the best of those that are slow */
};

static double pooled(double sum, size_t n)
{
	return n ? sum / sqrt((double)n) : 0;
}

/* In a stratum: of one that talks to a single peer, that one may be slow. */
static bool has_peers(struct wi *w, enum wi_side side, uint32_t host,
		      uint32_t stratum)
{
	size_t n = 0, n_rows = 0;
	const struct wi_stratum *s = wi_strata_of(w, side, host, &n);
	const uint32_t *rows, *peers = w->host[!side];
	size_t at = NA_BOUND(i, 0, n, s[i].stratum >= stratum);

	if (at == n || s[at].stratum != stratum)
		return false;
	rows = wi_rows_of(w, side, &s[at], &n_rows);
	for (size_t i = 1; i < n_rows; i++) {
		if (peers[rows[i]] != peers[rows[0]])
			return true;
	}
	return false;
}

/* Another host is as slow: what they share is, or both are. */
static bool has_equal(struct wi *w, enum wi_side side,
		      const struct wi_stratum *s)
{
	const struct wi_usual *u = &s->usual;
	bool first = s->host == u->first;

	return (first ? u->effect_2 : u->effect) >
		       fmax(LEAST_FLUID, EQUAL * s->effect) &&
	       has_peers(w, side, first ? u->second : u->first, s->stratum);
}

static enum wi_company company_of(const struct wi *w, enum wi_side side,
				  uint32_t host)
{
	return w->company[side] ? w->company[side][host] : WI_UNKNOWN;
}

/* Where racks are not known, hosts that are slow alike may share a link: that
 * is for the caller to tell, by `equals`. */
static bool leads(const struct wi *w, enum wi_side side,
		  const struct wi_stratum *s)
{
	bool alike = w->in->n_racks < 2 ||
		     company_of(w, side, s->host) == WI_APART;

	return s->leads || (alike && s->effect > ALIKE * s->usual.effect);
}

static void count(struct wi *w, struct tally *t, enum wi_side side,
		  const struct wi_stratum *s)
{
	t->judged++;
	t->led += leads(w, side, s);
	t->sum += wi_clip(s->score);
	if (!is_slow(s))
		return;
	t->slow++;
	t->equals += has_equal(w, side, s);
	t->best = fmax(t->best, s->score);
}

/* A clock that is ahead makes one side slow and the other quick. */
static bool is_clock(struct wi *w, const struct wi_candidate *c)
{
	size_t n = 0, judged = 0;
	const struct wi_stratum *s =
		wi_strata_of(w, c->side == WI_TX ? WI_RX : WI_TX, c->host, &n);

	for (size_t i = 0; i < n; i++) {
		if (s[i].judged)
			w->room[judged++] = s[i].effect;
	}
	return judged && na_median(w->room, judged) < -CLOCK_SHARE * c->effect;
}

bool wi_is_broad(struct wi *w, const struct wi_candidate *c, uint32_t without)
{
	size_t n = 0, all = 0, slow = 0;
	const uint32_t *lanes = wi_lanes_of(w, c->side, c->host, &n);

	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *l = &w->lanes.v[lanes[i]];
		const struct na_wire_connection *e =
			&w->in->connections[l->connection];

		if (!l->judged ||
		    (c->side == WI_TX ? e->dst : e->src) == without)
			continue;
		all++;
		slow += l->effect > BROAD_EFFECT * c->effect;
	}
	return slow >= BROAD_LEAST && (double)slow >= BROAD * (double)all;
}

/* Far away it would be slow both ways, and with a link that is shared others
 * would be with it: it is slow on this side, and nobody nearly as much. */
static bool is_alone(struct wi *w, const struct wi_candidate *c)
{
	size_t n = 0, judged = 0, alone = 0, back = 0;
	const struct wi_stratum *s = wi_strata_of(w, c->side, c->host, &n);

	for (size_t i = 0; i < n; i++) {
		judged += s[i].judged;
		alone += s[i].judged && s[i].leads &&
			 s[i].usual.effect_2 < HALF * s[i].effect;
	}
	s = wi_strata_of(w, !c->side, c->host, &n);
	for (size_t i = 0; i < n; i++) {
		if (s[i].judged)
			w->room[back++] = s[i].effect;
	}
	return w->in->n_hosts >= NA_WIRE_MIN_HOSTS && !w->in->two_clocks &&
	       c->pooled >= CLEAR && back &&
	       na_median(w->room, back) < BROAD_EFFECT * c->effect &&
	       (double)alone >= LEADS * (double)judged;
}

static uint32_t peer_of(const struct wi *w, enum wi_side side,
			const struct wi_lane *l)
{
	const struct na_wire_connection *e =
		&w->in->connections[l->connection];

	return side == WI_TX ? e->dst : e->src;
}

/* Some of those that it talks to are slow with it, in whatever they do, and
 * more are not: a path is slow, and what waits behind it. */
static bool spares_peers(struct wi *w, const struct wi_candidate *c)
{
	size_t n = 0, all = 0, slow = 0;
	const uint32_t *lanes = wi_lanes_of(w, c->side, c->host, &n);
	double *most = w->room; /* by peer */

	for (uint32_t h = 0; h < w->in->n_hosts; h++)
		most[h] = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *l = &w->lanes.v[lanes[i]];
		uint32_t peer = peer_of(w, c->side, l);

		if (l->judged)
			most[peer] = fmax(most[peer], l->effect);
	}
	for (uint32_t h = 0; h < w->in->n_hosts; h++) {
		all += most[h] > -INFINITY;
		slow += most[h] > BROAD_EFFECT * c->effect;
	}
	return all >= BROAD_LEAST && 2 * slow < all;
}

/* The same of one, or two, slow by far more than most of the others are. */
static bool has_slow_peer(struct wi *w, const struct wi_candidate *c)
{
	size_t n = 0, all = 0, slow = 0, hosts = w->in->n_hosts;
	const uint32_t *lanes = wi_lanes_of(w, c->side, c->host, &n);
	double *sum = w->room, *of = w->room + hosts; /* by peer */
	double middle, most = 0;

	memset(sum, 0, 2 * hosts * sizeof(*sum));
	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *l = &w->lanes.v[lanes[i]];
		uint32_t peer = peer_of(w, c->side, l);

		sum[peer] += l->judged ? l->effect : 0;
		of[peer] += l->judged;
	}
	for (size_t h = 0; h < hosts; h++) {
		if (!(of[h] > 0))
			continue;
		sum[all] = sum[h] / of[h];
		most = fmax(most, sum[all++]);
	}
	if (all < BROAD_LEAST)
		return false;
	middle = na_median(sum, all);
	for (size_t i = 0; i < all; i++)
		slow += 2 * sum[i] > most;
	return slow <= SLOW_PEERS && most > ONE_PEER * middle &&
	       middle < OTHERS * c->effect;
}

/* Of its strata in the rack, or across. */
static double effect_in(struct wi *w, const struct wi_candidate *c, bool across)
{
	size_t n = 0, judged = 0;
	const struct wi_stratum *s = wi_strata_of(w, c->side, c->host, &n);

	for (size_t i = 0; i < n; i++) {
		if (s[i].judged && wi_crosses(s[i].stratum) == across)
			w->room[judged++] = s[i].effect;
	}
	return judged ? na_median(w->room, judged) : 0;
}

static bool is_quick_inside(struct wi *w, const struct wi_candidate *c)
{
	return c->inside < PART ||
	       effect_in(w, c, false) < INSIDE * effect_in(w, c, true);
}

static const char *against(struct wi *w, const struct wi_candidate *c,
			   const struct tally of[2])
{
	size_t judged = of[0].judged + of[1].judged;
	size_t led = of[0].led + of[1].led;

	if (c->pooled < ENOUGH)
		return "over all its collectives it hardly stands out";
	if ((double)led < LEADS * (double)judged)
		return "in other collectives other hosts are slower";
	if (w->in->n_racks > 1 && c->has_equals && c->company != WI_APART)
		return "in most collectives another host is as slow";
	if (spares_peers(w, c) || has_slow_peer(w, c))
		return "with most of its peers it is as quick as others";
	if (judged < STRATA && (w->in->two_clocks || c->pooled < ALONE ||
			       !wi_is_broad(w, c, WI_NONE)))
		return "one collective alone shows it";
	if (w->in->n_racks > 1 && of[0].judged && is_quick_inside(w, c))
		return "its transfers inside the rack are as quick as others'";
	if (of[1].judged && pooled(of[1].sum, of[1].judged) < PART)
		return "its transfers across racks are as quick as others'";
	if (w->in->n_racks > 1 && !of[0].judged &&
	    (c->effect < UNPROVEN || c->pooled < ALONE))
		return "nothing stays inside the rack, and the path may be "
		       "slow";
	if (!w->in->n_racks && c->effect < UNPLACED &&
	    (c->effect < UNPROVEN || !is_alone(w, c)))
		return "without the topology a far pair looks as slow";
	if (w->in->two_clocks && (c->effect < CLOCK_LEAST || is_clock(w, c)))
		return "clocks may differ so much";
	return NULL;
}

/* Medians over the strata that show it. */
static void measure(struct wi *w, struct wi_candidate *c,
		    const struct wi_stratum *s, size_t n)
{
	size_t slow = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i].judged && is_slow(&s[i]))
			w->room[slow++] = s[i].effect;
	}
	if (!slow)
		return;
	c->effect = na_median(w->room, slow);
	slow = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i].judged && is_slow(&s[i]))
			w->room[slow++] = s[i].raw_effect;
	}
	c->measured = fmax(c->effect, na_median(w->room, slow));
}

struct wi_candidate wi_candidate(struct wi *w, enum wi_side side, uint32_t host)
{
	struct wi_candidate c = {.side = side, .host = host};
	struct tally of[2] = {{0}, {0}}; /* inside, across */
	size_t n = 0;
	const struct wi_stratum *s = wi_strata_of(w, side, host, &n);

	for (size_t i = 0; i < n; i++) {
		if (s[i].judged)
			count(w, &of[wi_crosses(s[i].stratum)], side, &s[i]);
	}
	measure(w, &c, s, n);
	if (c.effect <= 0)
		return c;
	c.inside = pooled(of[0].sum, of[0].judged);
	c.has_equals = 2 * (of[0].equals + of[1].equals) >
		       of[0].slow + of[1].slow;
	c.company = company_of(w, side, host);
	c.on_racks = w->in->n_racks && c.effect < UNPLACED;
	c.proven = w->in->n_racks > 1 && c.inside >= PROVEN;
	c.pooled = pooled(of[0].sum + of[1].sum, of[0].judged + of[1].judged);
	c.score = fmax(fmax(of[0].best, of[1].best), c.pooled) / ENOUGH;
	if (c.score >= 1)
		c.against = against(w, &c, of);
	return c;
}
