/*
 * Pairs of hosts beside the others of their collectives, before anything that
 * is found is taken away: what a culprit's excess is the excess of.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

struct beside {
	uint32_t src, dst;
	double effect, raw;
};

NA_ORDER(by_hosts, struct beside, NA_UP(src), NA_UP(dst))

static size_t collect(const struct wi *w, struct beside *v)
{
	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *l = &w->lanes.v[i];
		const struct na_wire_connection *c =
			&w->in->connections[l->connection];

		v[i] = (struct beside){c->src, c->dst, NAN, NAN};
		if (!l->judged)
			continue;
		v[i].effect = l->effect;
		v[i].raw = l->raw - l->usual.raw.at;
	}
	na_sort(v, w->lanes.n, by_hosts);
	return w->lanes.n;
}

static double median_of(const struct beside *v, size_t n, bool raw,
			double *room)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		double x = raw ? v[i].raw : v[i].effect;

		if (!isnan(x))
			room[known++] = x;
	}
	return known ? na_median(room, known) : (double)NAN;
}

/* As a side is measured: what the clock showed, or what its ports' crowds leave
 * of it, where that is more.  NaN: nothing was there to compare it with. */
static struct na_wire_alike sum_up(const struct beside *v, size_t n,
				   double *room)
{
	double effect = median_of(v, n, false, room);
	double raw = median_of(v, n, true, room);

	return (struct na_wire_alike){
		.src = v->src,
		.dst = v->dst,
		.effect = fmax(effect, raw),
		.least = fmin(effect, raw),
	};
}

void wi_alike(struct wi *w)
{
	struct beside *v = na_calloc(w->lanes.n, sizeof(*v));
	struct na_wire_alike *to = na_calloc(w->lanes.n, sizeof(*to));
	double *room = na_calloc(w->lanes.n, sizeof(*room));
	size_t n = v && to && room ? collect(w, v) : 0, k = 0;

	w->failed |= !v || !to || !room;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].src == v[i].src &&
			      v[end].dst == v[i].dst;
		     end++)
			;
		to[k++] = sum_up(v + i, end - i, room);
	}
	free(v);
	free(room);
	wi_alike_forget(w);
	w->out->alike = to;
	w->out->n_alike = k;
}

void wi_alike_forget(struct wi *w)
{
	free(w->out->alike);
	w->out->alike = NULL;
	w->out->n_alike = 0;
}

void wi_alike_is(struct wi *w, uint32_t src, uint32_t dst, double effect)
{
	for (size_t i = 0; i < w->out->n_alike; i++) {
		struct na_wire_alike *x = &w->out->alike[i];

		if (x->src == src && x->dst == dst)
			x->effect = effect;
	}
}
