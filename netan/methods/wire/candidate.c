/* What speaks for one side of one host, and what against it. */
#include <math.h>

#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define ENOUGH      6.0  /* spreads of the other hosts */
#define LEAST_FLUID 0.11 /* log 1.12: explained by nothing that it shared */
#define LEAST_RAW   0.06
#define RAISED      0.04 /* log: enough for a stratum to agree */
#define RAISED_Z    1.5
#define AGREE       0.5    /* of what a slower port would show */
#define AGREE_ALONE 0.7    /* without a stratum inside the rack that is sure */
#define CLOCK_LEAST 0.6931 /* log 2, where times stand on two clocks */
#define CLOCK_SHARE 0.4
#define INSIDE      2.0 /* in-rack transfers must show it as well */
#define PROVEN      3.0
#define UNPROVEN    0.26   /* log 1.3, where no transfer stays in the rack */
#define UNPLACED    0.4055 /* log 1.5, where racks are not known */
#define BROAD       0.55   /* of a collective's connections */
#define BROAD_LEAST 0.05   /* log 1.05 */
#define STEADY      0.7    /* of a side's strata: it leads them */
#define STEADY_PART 2.5    /* in spreads, inside the rack and across */

enum { STEADY_STRATA = 3 };

static double clip(double z)
{
	return z < -3 ? -3 : z > 15 ? 15 : z;
}

static bool is_slow(const struct wi *w, const struct wi_stratum *s)
{
	return s->effect > (double)w->blamed[s->stratum / 2] &&
	       s->effect > LEAST_FLUID && s->raw_effect > LEAST_RAW &&
	       s->raw_effect > WI_RAW_SHARE * s->effect;
}

/* In some collective most of the side's connections are slow.  An uplink or
 * a few collisions of hashes slow a subset, a NIC slows all. */
static bool is_broad(struct wi *w, enum wi_side side, uint32_t host,
		     double effect)
{
	size_t n = 0, n_lanes = 0;
	const struct wi_stratum *s = wi_strata_of(w, side, host, &n);
	const uint32_t *lanes = wi_lanes_of(w, side, host, &n_lanes);
	double least = fmax(BROAD_LEAST, 0.1 * effect);
	bool asked = false;

	for (size_t i = 0; i < n; i++) {
		size_t all = 0, slow = 0;

		for (size_t k = 0; s[i].judged && k < n_lanes; k++) {
			const struct wi_lane *l = &w->lanes.v[lanes[k]];

			if (!l->judged || l->stratum != s[i].stratum)
				continue;
			all++;
			slow += l->effect > least;
		}
		if (all < 3)
			continue;
		asked = true;
		if ((double)slow >= BROAD * (double)all)
			return true;
	}
	return !asked;
}

/* Strata in a rack, or across racks. */
struct tally {
	size_t judged, raised, led;
	double best; /* score of those that are slow */
	double sum;  /* of all scores */
};

static double pooled(double sum, size_t n)
{
	return n ? sum / sqrt((double)n) : 0;
}

/* Hosts differ for good without any fault: by their paths, their neighbours.
 * But who is the slowest of all in nearly every collective, inside the rack
 * and across racks, differs by its NIC. */
static bool is_steady(const struct tally of[2])
{
	size_t judged = of[0].judged + of[1].judged;

	return judged >= STEADY_STRATA &&
	       (double)(of[0].led + of[1].led) >= STEADY * (double)judged &&
	       pooled(of[0].sum, of[0].judged) >= STEADY_PART &&
	       pooled(of[1].sum, of[1].judged) >= STEADY_PART &&
	       pooled(of[0].sum + of[1].sum, judged) >= ENOUGH;
}

static void count(const struct wi *w, struct tally *t,
		  const struct wi_stratum *s)
{
	t->judged++;
	t->led += s->leads;
	t->sum += clip(s->score);
	t->raised += wi_is_raised(s, RAISED, RAISED_Z);
	if (is_slow(w, s))
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

static const char *against(struct wi *w, const struct wi_candidate *c,
			   const struct tally *inside)
{
	struct wi_agreement a = wi_agreement(w, c->side, c->host);

	if (a.share < AGREE)
		return "a port so much slower would show in other collectives, "
		       "too";
	if (w->in->n_racks > 1 && inside->judged && inside->best < INSIDE &&
	    a.share < AGREE_ALONE)
		return "its transfers inside the rack are as quick as others'";
	if (w->in->n_racks > 1 && a.inside < AGREE)
		return "its transfers inside the rack are not slow enough";
	if (inside->best < INSIDE && a.strata < 2)
		return "one collective alone shows it, across racks";
	if (!inside->judged && c->effect < UNPROVEN)
		return "nothing stays inside the rack, and the path may be "
		       "slow";
	if (w->in->n_racks < 2 && c->effect < UNPLACED)
		return "without the topology a far pair looks as slow";
	if (w->in->two_clocks && (c->effect < CLOCK_LEAST || is_clock(w, c)))
		return "clocks may differ so much";
	if (!is_broad(w, c->side, c->host, c->effect))
		return "only some of its connections are slow";
	return NULL;
}

struct wi_candidate wi_candidate(struct wi *w, enum wi_side side, uint32_t host)
{
	struct wi_candidate c = {.side = side, .host = host};
	struct tally of[2] = {{0}, {0}}; /* inside, across */
	size_t n = 0, slow = 0;
	const struct wi_stratum *s = wi_strata_of(w, side, host, &n);

	for (size_t i = 0; i < n; i++) {
		if (!s[i].judged)
			continue;
		count(w, &of[s[i].stratum & 1], &s[i]);
		if (is_slow(w, &s[i]))
			w->room[slow++] = s[i].effect;
	}
	c.proven = w->in->n_racks > 1 && of[0].best >= PROVEN;
	c.raised = of[0].raised + of[1].raised;
	c.pooled = pooled(of[0].sum + of[1].sum, of[0].judged + of[1].judged);
	c.steady = is_steady(of);
	if (!slow)
		return c;
	c.effect = na_median(w->room, slow);
	slow = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i].judged && is_slow(w, &s[i]))
			w->room[slow++] = s[i].raw_effect;
	}
	c.measured = fmax(c.effect, na_median(w->room, slow));
	c.score = fmax(fmax(of[0].best, of[1].best), c.pooled) / ENOUGH;
	if (c.score >= 1 && !c.steady)
		c.against = against(w, &c, &of[0]);
	return c;
}
