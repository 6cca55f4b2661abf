/*
 * How much longer a transfer between racks takes than one within, of the same
 * collective and about the same size.  All else here compares what crosses
 * racks with what does: where all of it is slow, nobody stands out.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

enum { LEAST_ROWS = 10 }; /* of either kind */

struct took {
	uint32_t collective, across;
	int octave;
	double log_us;
};

NA_ORDER(by_kind, struct took, NA_UP(collective), NA_UP(octave), NA_UP(across))

static struct took *collect(const struct wi *w)
{
	struct took *v = na_calloc(w->n, sizeof(*v));

	for (size_t i = 0; v && i < w->n; i++) {
		const struct na_wire_row *r = &w->in->rows[i];

		v[i] = (struct took){
			.collective = w->stratum[i] / 2,
			.across = wi_crosses(w->stratum[i]),
			.octave = r->size_bytes > 1 ? ilogbf(r->size_bytes) : 0,
			.log_us = log(r->took_us),
		};
	}
	if (v)
		na_sort(v, w->n, by_kind);
	return v;
}

static double middle(const struct took *v, size_t n, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = v[i].log_us;
	return na_median(room, n);
}

/* The medians of both kinds, of each collective and size that has both. */
static size_t compare(const struct wi *w, const struct took *v, double *ratios)
{
	size_t n = 0;

	for (size_t i = 0, mid, to; i < w->n; i = to) {
		for (to = i; to < w->n && v[to].collective == v[i].collective &&
			     v[to].octave == v[i].octave;
		     to++)
			;
		mid = NA_BOUND(k, i, to, v[k].across);
		if (mid - i >= LEAST_ROWS && to - mid >= LEAST_ROWS)
			ratios[n++] = middle(v + mid, to - mid, w->room) -
				      middle(v + i, mid - i, w->room);
	}
	return n;
}

double wi_across(struct wi *w)
{
	struct took *v;
	double *ratios, across = NAN;

	if (w->in->n_racks < 2)
		return NAN;
	v = collect(w);
	ratios = na_calloc(w->n, sizeof(*ratios));
	w->failed |= !v || !ratios;
	if (v && ratios) {
		size_t n = compare(w, v, ratios);

		across = n ? na_median(ratios, n) : (double)NAN;
	}
	free(v);
	free(ratios);
	return across;
}
