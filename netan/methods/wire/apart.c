/*
 * Hosts that are slow alike on one side may share a link, and what they send to
 * each other does not cross that.  A side is slow by itself where, between its
 * host and each other one that is as slow, both ways are as slow as the rest.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define AS_SLOW 0.5    /* of a side's effect */
#define LEAST   0.1133 /* log 1.12: a side that is slow at all */

/* One side of all hosts. */
struct sides {
	const struct na_wire_alike *alike; /* by src and dst */
	size_t n, hosts;
	enum wi_side side;
	double *effect; /* by host: the median of its pairs; NaN */
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

/* Of more than half of the hosts nobody knows what is usual. */
static bool is_own(const struct sides *x, const struct na_lz_finding *f)
{
	double least = fmax(LEAST, AS_SLOW * x->effect[f->who.a]);
	size_t others = 0;

	for (uint32_t h = 0; h < x->hosts; h++) {
		if (h == f->who.a || !(x->effect[h] > least))
			continue;
		others++;
		if (!shows_to(x, f->who.a, h) || !shows_to(x, h, f->who.a))
			return false;
	}
	return x->effect[f->who.a] > LEAST && 2 * (others + 1) < x->hosts &&
	       (others || !f->has_equals);
}

bool wi_apart(struct wi *w)
{
	static const enum na_lz_kind kinds[] = {NA_LZ_SRC, NA_LZ_DST};
	struct sides x = {.alike = w->out->alike,
			  .n = w->out->n_alike,
			  .hosts = w->in->n_hosts,
			  .effect = na_calloc(w->in->n_hosts,
					      sizeof(*x.effect))};
	bool ok = x.effect != NULL;

	for (int side = 0; ok && x.n && side < WI_SIDES; side++) {
		x.side = (enum wi_side)side;
		ok = find_effects(&x);
		for (size_t i = 0; ok && i < w->found.n; i++) {
			struct na_lz_finding *f = &w->found.v[i];

			if (f->who.kind == kinds[side])
				f->is_own = is_own(&x, f);
		}
	}
	free(x.effect);
	return ok;
}
