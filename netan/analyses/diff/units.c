/* diff: what was measured together. */
#include <stdlib.h>

#include "netan/analyses/diff/state.h"
#include "netan/base/order.h"

/* Steps of the store are by run and number: those of a run stand together,
 * and follow each other in time. */
uint32_t na_diff_step_at(const struct na_store *store, uint32_t run,
			 int64_t at_ps)
{
	const struct na_step *x = store->steps;
	size_t n = store->n_steps, after;
	size_t first = NA_BOUND(i, 0, n, x[i].run >= run);

	if (first == n || x[first].run != run)
		return NA_UNKNOWN_U32;
	/* The last one that began by then; before all of them, the first. */
	after = NA_BOUND(i, first, n, x[i].run != run || x[i].start_ps > at_ps);
	return (uint32_t)(after > first ? after - 1 : first);
}

bool na_diff_grow_units(const struct diff_state *s, struct diff_gathered *g)
{
	while (g->units.n < s->scope->store->n_steps + g->launches.n) {
		if (!na_push(&g->units))
			return false;
	}
	return true;
}

uint32_t na_diff_piece_of(const struct diff_state *s, uint32_t run,
			  int64_t at_ps, int64_t piece_ps)
{
	int64_t at = na_time_between(s->bins_from_ps[run], at_ps) / piece_ps;

	return at < DIFF_BINS ? (uint32_t)at : DIFF_BINS - 1;
}

bool na_diff_has_units(const struct diff_state *s, uint32_t run)
{
	for (size_t i = 0; i < s->got.units.n; i++) {
		const struct diff_unit *u = &s->got.units.v[i];

		if (u->run == run && u->time.n && u->of_time)
			return false;
	}
	return true;
}

uint32_t na_diff_unit_of(struct diff_block *b, const struct na_transfer *t,
			 uint32_t run)
{
	const struct na_store *store = b->main->scope->store;
	struct diff_gathered *g = &b->got;
	uint32_t at = t->step, launch, piece;
	bool of_time = t->launch == NA_UNKNOWN_U32;

	if (at == NA_UNKNOWN_U32)
		at = na_diff_step_at(store, run, t->end_ps);
	if (at == NA_UNKNOWN_U32) {
		piece = of_time ? na_diff_piece_of(b->main, run, t->end_ps,
						   b->main->piece_ps[run])
				: 0;
		launch = na_triples_add(
			&g->launches,
			(struct na_triple){t->launch, run, piece});
		if (launch == NA_NO_TRIPLE ||
		    store->n_steps + launch >= NA_UNKNOWN_U32)
			return NA_UNKNOWN_U32;
		at = (uint32_t)store->n_steps + launch;
	}
	if (!na_diff_grow_units(b->main, g))
		return NA_UNKNOWN_U32;
	if (at >= store->n_steps)
		g->units.v[at].of_time = of_time;
	return at;
}

struct timed {
	int64_t at_ps;
	uint32_t unit, run;
};

NA_ORDER(by_time, struct timed, NA_UP(run), NA_UP(at_ps), NA_UP(unit))

bool na_diff_number_units(struct diff_state *s)
{
	const struct na_store *store = s->scope->store;
	struct diff_unit *units;
	struct timed *x;
	size_t n;

	if (!na_diff_grow_units(s, &s->got))
		return false;
	units = s->got.units.v;
	n = s->got.units.n;
	x = na_calloc(n + 1, sizeof(*x));
	if (!x)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool step = i < store->n_steps;

		if (step)
			units[i].run = store->steps[i].run;
		x[i] = (struct timed){step ? store->steps[i].start_ps
					   : units[i].time.first_ps,
				      (uint32_t)i, units[i].run};
	}
	na_sort(x, n, by_time);
	for (size_t i = 0; i < n; i++)
		units[x[i].unit].at = (uint32_t)s->run_units[x[i].run]++;
	free(x);
	return true;
}
