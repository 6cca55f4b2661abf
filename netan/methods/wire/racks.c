/*
 * All links of a rack at once: most of its hosts are slow across racks, in
 * most of their collectives, and the hosts of other racks are not.  The
 * units are strata of hosts; a host of its own would be slow alone.
 */
#include <math.h>

#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define RAISED       0.1398 /* log 1.15 */
#define RAISED_Z     2.0
#define LEAST_EFFECT 0.2624 /* log 1.3: the median of what is raised */
#define HOSTS        0.6    /* of the rack's that are raised */
#define USUAL_LEAST  0.02
#define BY_CHANCE    500.0

enum { LEAST_CELLS = 4, LEAST_HOSTS = 2, LEAST_RACKS = 3 };

struct counts {
	double cells, raised, hosts, raised_hosts;
	double out_cells, out_raised;
	size_t n; /* effects in the room */
};

static void count_host(struct wi *w, enum wi_side side, uint32_t host,
		       uint32_t rack, struct counts *c)
{
	size_t n = 0, judged = 0, raised = 0;
	const struct wi_stratum *s = wi_strata_of(w, side, host, &n);
	bool inside = w->in->rack_of[host] == rack;

	for (size_t i = 0; i < n; i++) {
		if (!s[i].judged || !(s[i].stratum & 1))
			continue;
		judged++;
		if (!wi_is_raised(&s[i], RAISED, RAISED_Z))
			continue;
		raised++;
		if (inside)
			w->room[c->n++] = s[i].effect;
	}
	if (!inside) {
		c->out_cells += (double)judged;
		c->out_raised += (double)raised;
		return;
	}
	c->cells += (double)judged;
	c->raised += (double)raised;
	c->hosts += judged > 0;
	c->raised_hosts += 2 * raised >= judged && raised > 0;
}

static void judge(struct wi *w, enum wi_side side, uint32_t rack,
		  struct wi_link *best)
{
	struct counts c = {0};
	double f1, f0, llr, effect;

	for (uint32_t h = 0; h < w->in->n_hosts; h++)
		count_host(w, side, h, rack, &c);
	if (c.raised < LEAST_CELLS || c.raised_hosts < LEAST_HOSTS ||
	    c.raised_hosts < HOSTS * c.hosts || c.out_cells < 1)
		return;
	f1 = c.raised / c.cells;
	f0 = fmax((c.out_raised + 0.5) / c.out_cells, USUAL_LEAST);
	effect = na_median(w->room, c.n);
	if (f1 < 2 * f0 || effect < LEAST_EFFECT)
		return;
	llr = na_share_llr(c.raised, c.cells, f0) -
	      log(BY_CHANCE * 2 * (double)w->in->n_racks);
	if (llr <= best->score)
		return;
	*best = (struct wi_link){
		.who = {side == WI_TX ? NA_LZ_RACK_UPLINK : NA_LZ_RACK_DOWNLINK,
			rack, 0},
		.score = llr,
		.effect = effect,
		.p_value = exp(-llr) / BY_CHANCE,
		.lanes = c.n,
	};
}

bool wi_rack_best(struct wi *w, struct wi_link *best)
{
	*best = (struct wi_link){0};
	for (uint32_t r = 0;
	     w->in->n_racks >= LEAST_RACKS && r < w->in->n_racks; r++) {
		judge(w, WI_TX, r, best);
		judge(w, WI_RX, r, best);
	}
	return best->lanes > 0;
}
