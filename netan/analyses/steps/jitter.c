/* steps: whether the lateness of a rank stands out of the jitter of the others
 * (docs/methods.md, "Stragglers"). */
#include <math.h>

#include "netan/analyses/steps/court.h"
#include "netan/base/order.h"

/* How far a step's hosts but this one are apart, as a standard deviation of
 * what decided who was last; false: there are not two of whom it is known. */
static bool others_spread(const struct st_state *s, const struct st_step *t,
			  uint32_t host, int64_t *ps)
{
	double mean = 0, squares = 0;
	uint32_t group = NA_UNKNOWN_U32;
	size_t n = 0;

	for (size_t i = t->from; i < t->to; i++) {
		const struct st_host_step *x = &s->host_steps[i];
		double off;
		na_i128 v;

		if (!na_steps_measure(s, x, t->by, &group, &v) ||
		    x->host == host)
			continue;
		off = (double)v - mean;
		mean += off / (double)++n;
		squares += off * ((double)v - mean);
	}
	if (n < 2)
		return false;
	*ps = na_steps_cut((na_i128)sqrt(squares / (double)n));
	return true;
}

static bool has_host(const struct st_state *s, const struct st_step *t,
		     uint32_t host)
{
	size_t at = NA_BOUND(i, t->from, t->to, s->host_steps[i].host >= host);

	return at < t->to && s->host_steps[at].host == host;
}

bool na_steps_stands_out(const struct st_court *c, const struct st_host *h)
{
	const struct st_state *s = c->s;
	double spread_ps;
	size_t n = 0, n_spreads = 0;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct st_step *t = &s->steps[i];
		bool last;

		if (t->run != h->run || t->to - t->from < 2 ||
		    !has_host(s, t, h->host))
			continue;
		last = s->host_steps[t->slowest].host == h->host;
		c->leads[n] = last ? t->lost_ps : -1;
		c->behind[n++] = last ? t->late_ps : -1;
		n_spreads += others_spread(s, t, h->host,
					   &c->spreads[n_spreads]);
	}
	if (n_spreads)
		na_sort(c->spreads, n_spreads, na_order_i64);
	spread_ps = n_spreads ? (double)c->spreads[3 * (n_spreads - 1) / 4] : 0;
	return (double)na_steps_median_of(c->leads, n) >
		       ST_LEAD_SIGMAS * spread_ps &&
	       (double)na_steps_median_of(c->behind, n) >
		       ST_BEHIND_SIGMAS * spread_ps;
}
