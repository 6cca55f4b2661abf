/*
 * Would a side so much slower look like this?  In each stratum its port,
 * slower by the factor that the clearest one shows, would have slowed what
 * the port had to carry; where transfers wait for something slower still, it
 * would not show.  What is seen is compared with that.
 */
#include <math.h>

#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define TELLING 0.1 /* log: a stratum that would show it */

/* The median over a stratum's transfers, log. */
static double predicted(struct wi *w, enum wi_side side,
			const struct wi_stratum *s, double factor)
{
	size_t n = 0;
	const uint32_t *rows = wi_rows_of(w, side, s, &n);
	double less = exp(-fmax(0, s->effect));

	for (size_t i = 0; i < n; i++) {
		double port = (double)w->expected_us[rows[i]] - w->base_us;
		double healthy = w->in->rows[rows[i]].took_us *
				 exp((double)w->planted[rows[i]]) * less;

		w->room[i] =
			log(fmax(1, (w->base_us + factor * port) / healthy));
	}
	return na_median(w->room, n);
}

static double share(double part, double all)
{
	return all > 0 ? part / all : 0;
}

struct wi_agreement wi_agreement(struct wi *w, enum wi_side side, uint32_t host)
{
	struct wi_agreement out = {0};
	size_t n = 0, best = 0;
	const struct wi_stratum *s = wi_strata_of(w, side, host, &n);
	double seen[2] = {0, 0}, all[2] = {0, 0}; /* in the rack, across */

	for (size_t i = 0; i < n; i++) {
		if (s[i].judged &&
		    (!s[best].judged || s[i].score > s[best].score))
			best = i;
	}
	if (!n || !s[best].judged)
		return out;
	for (size_t i = 0; i < n; i++) {
		double p;

		if (!s[i].judged)
			continue;
		p = predicted(w, side, &s[i], exp(s[best].effect));
		all[s[i].stratum & 1] += p;
		out.strata += p > TELLING;
		seen[s[i].stratum & 1] += fmin(p, fmax(0, s[i].effect));
	}
	out.share = share(seen[0] + seen[1], all[0] + all[1]);
	out.inside = all[0] > TELLING ? share(seen[0], all[0]) : 1;
	return out;
}
