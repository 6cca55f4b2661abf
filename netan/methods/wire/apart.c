/*
 * Hosts that are slow alike on one side may share a link, and what they send to
 * each other does not cross that.  A side is slow by itself where, between its
 * host and each other one that is as slow, both ways are as slow as the rest.
 * Their switch is crossed by that, too: all of a rack are its, not theirs.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define AS_SLOW 0.5    /* of a side's effect */
#define LEAST   0.1133 /* log 1.12: a side that is slow at all */

enum { BY_CHANCE = 3 }; /* hosts; more than that are rather behind a switch */

/* One side of all hosts. */
struct sides {
	const struct na_wire_alike *alike; /* by src and dst */
	size_t n, hosts;
	enum wi_side side;
	double *effect; /* by host: the median of its pairs; NaN */
	const uint32_t *rack_of; /* by host; NULL: not known */
};

static uint32_t host_of(const struct sides *x, size_t i)
{
	return x->side == WI_TX ? x->alike[i].src : x->alike[i].dst;
}

/* All pairs' effects, host after host; where those of each end. */
static void list_effects(const struct sides *x, size_t *end, double *v)
{
	size_t at = 0;

	for (size_t i = 0; i < x->n; i++)
		end[host_of(x, i)] += isnan(x->alike[i].least) ? 0 : 1;
	for (size_t h = 0; h < x->hosts; h++) {
		size_t n = end[h];

		end[h] = at;
		at += n;
	}
	for (size_t i = 0; i < x->n; i++) {
		if (!isnan(x->alike[i].least))
			v[end[host_of(x, i)]++] = x->alike[i].least;
	}
}

static bool find_effects(struct sides *x)
{
	size_t *end = na_calloc(x->hosts, sizeof(*end)), from = 0;
	double *v = na_calloc(x->n, sizeof(*v));
	bool ok = end && v;

	if (ok)
		list_effects(x, end, v);
	for (size_t h = 0; ok && h < x->hosts; from = end[h++])
		x->effect[h] = end[h] > from ? na_median(v + from,
							 end[h] - from)
					     : (double)NAN;
	free(end);
	free(v);
	return ok;
}

/* What a host's side sends to (gets from) that one is slow, too. */
static bool shows_to(const struct sides *x, uint32_t host, uint32_t peer)
{
	uint32_t src = x->side == WI_TX ? host : peer;
	uint32_t dst = x->side == WI_TX ? peer : host;
	const struct na_wire_alike *v = x->alike;
	size_t at = NA_BOUND(i, 0, x->n,
			     v[i].src > src ||
				     (v[i].src == src && v[i].dst >= dst));

	return at < x->n && v[at].src == src && v[at].dst == dst &&
	       v[at].least > AS_SLOW * x->effect[host];
}

/* Of two hosts or more. */
static bool all_of_rack(const struct sides *x, uint32_t host, double least)
{
	size_t slow = 0;

	for (uint32_t h = 0; x->rack_of && h < x->hosts; h++) {
		if (x->rack_of[h] != x->rack_of[host])
			continue;
		if (h != host && !(x->effect[h] > least))
			return false;
		slow++;
	}
	return slow > 1;
}

static bool may_share_switch(const struct sides *x, uint32_t host, size_t n,
			     double least)
{
	return x->rack_of ? all_of_rack(x, host, least) : n > BY_CHANCE;
}

/* Of half of the hosts or more nobody knows what is usual. */
static enum wi_company company_of(const struct sides *x, uint32_t host)
{
	double least = fmax(LEAST, AS_SLOW * x->effect[host]);
	size_t others = 0;

	for (uint32_t h = 0; h < x->hosts; h++) {
		if (h == host || !(x->effect[h] > least))
			continue;
		others++;
		if (!shows_to(x, host, h) || !shows_to(x, h, host))
			return WI_MIXED;
	}
	if (!others)
		return WI_NO_COMPANY;
	return 2 * (others + 1) < x->hosts &&
			       !may_share_switch(x, host, others + 1, least)
		       ? WI_APART
		       : WI_MIXED;
}

void wi_apart(struct wi *w)
{
	struct sides x = {.alike = w->out->alike,
			  .rack_of = w->in->n_racks > 1 ? w->in->rack_of : NULL,
			  .n = w->out->n_alike,
			  .hosts = w->in->n_hosts,
			  .effect = na_calloc(w->in->n_hosts,
					      sizeof(*x.effect))};
	bool ok = x.effect && !w->failed;

	for (int side = 0; ok && side < WI_SIDES; side++) {
		enum wi_company *to = wi_take(w, x.hosts, sizeof(*to));

		x.side = (enum wi_side)side;
		ok = to && find_effects(&x);
		for (uint32_t h = 0; ok && h < x.hosts; h++) {
			if (x.effect[h] > LEAST)
				to[h] = company_of(&x, h);
		}
		w->company[side] = to;
	}
	w->failed |= !ok;
	free(x.effect);
}
