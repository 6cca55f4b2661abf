/* diff: what was measured together. */
#include <stdlib.h>

#include "netan/analyses/diff/diff.h"
#include "netan/base/vec.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Steps of the store are by run and number: those of a run stand together,
 * and follow each other in time. */
uint32_t df_step_at(const struct na_store *store, uint32_t run, int64_t at_ps)
{
	size_t lo = 0, hi = store->n_steps, first;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (store->steps[mid].run < run)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == store->n_steps || store->steps[lo].run != run)
		return NA_UNKNOWN_U32;
	first = lo;
	hi = store->n_steps;
	/* The last one that began by then; before all of them, the first. */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (store->steps[mid].run == run &&
		    store->steps[mid].start_ps <= at_ps)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (uint32_t)(lo > first ? lo - 1 : first);
}

uint32_t df_unit_of(struct df_block *b, const struct na_transfer *t,
		    uint32_t run)
{
	const struct na_store *store = b->main->scope->store;
	struct df_gathered *g = &b->got;
	uint32_t at = t->step, launch;
	size_t want;

	if (at == NA_UNKNOWN_U32)
		at = df_step_at(store, run, t->end_ps);
	if (at == NA_UNKNOWN_U32) {
		launch = na_triples_add(&g->launches,
					(struct na_triple){t->launch, run, 0});
		if (launch == NA_NO_TRIPLE ||
		    store->n_steps + launch >= NA_UNKNOWN_U32)
			return NA_UNKNOWN_U32;
		at = (uint32_t)store->n_steps + launch;
	}
	want = store->n_steps + g->launches.n;
	if (!na_grow(&g->units, &g->cap_units, want, sizeof(*g->units)))
		return NA_UNKNOWN_U32;
	for (; g->n_units < want; g->n_units++)
		g->units[g->n_units] = (struct df_unit){.run = run};
	if (at >= store->n_steps)
		g->units[at].none = t->launch == NA_UNKNOWN_U32;
	return at;
}

struct timed {
	int64_t at_ps;
	uint32_t unit, run;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	int by = ORDER(x->run, y->run);

	by = by ? by : ORDER(x->at_ps, y->at_ps);
	return by ? by : ORDER(x->unit, y->unit);
}

bool df_number_units(struct df_state *s)
{
	const struct na_store *store = s->scope->store;
	size_t want = store->n_steps + s->got.launches.n;
	struct timed *x = na_calloc(want + 1, sizeof(*x));

	if (!x || !na_grow(&s->got.units, &s->got.cap_units, want + 1,
			   sizeof(*s->got.units))) {
		free(x);
		return false;
	}
	for (; s->got.n_units < want; s->got.n_units++)
		s->got.units[s->got.n_units] = (struct df_unit){.n = 0};
	for (size_t i = 0; i < want; i++) {
		struct df_unit *u = &s->got.units[i];

		if (i < store->n_steps)
			u->run = store->steps[i].run;
		x[i] = (struct timed){i < store->n_steps
					      ? store->steps[i].start_ps
					      : u->first_ps,
				      (uint32_t)i, u->run};
	}
	if (want)
		qsort(x, want, sizeof(*x), by_time);
	for (size_t i = 0; i < want; i++) {
		struct df_unit *u = &s->got.units[x[i].unit];

		u->at = (uint32_t)s->run_units[u->run]++;
	}
	free(x);
	return true;
}
