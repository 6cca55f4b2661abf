/* The graph of a run, and what its steps would save. */
#include "netan/methods/whatif/whatif.h"

#include <math.h>
#include <stdlib.h>

#include "netan/methods/whatif/state.h"
#include "netan/stats/tests/robust.h"

/* Of the sends, held for longer than their turn takes: of so many a replay says
 * nothing, since waits behind other sends stay as long in it; of fewer it says
 * too little. */
#define HELD_MOST 0.2
#define HELD_SOME 0.05

enum na_status na_whatif_make(const struct na_scope *scope, uint32_t run,
			      bool by_sends, struct na_whatif **out,
			      struct na_err *err)
{
	struct na_whatif *w = *out = na_calloc(1, sizeof(*w));

	if (!w)
		return na_fail_nomem(err);
	w->scope = scope;
	w->store = scope->store;
	w->run = run;
	w->by_sends = by_sends;
	w->n_hosts = scope->store->n_hosts;
	w->own.store = scope->store;
	w->hosts = na_calloc(w->n_hosts, sizeof(*w->hosts));
	w->clocks = na_host_clocks_of(scope, NULL, &w->own);
	for (size_t i = 0; w->hosts && i < w->n_hosts; i++)
		w->hosts[i].core = WF_NONE;
	if (!w->hosts || !w->clocks || !wf_gather(w) || !wf_order(w))
		return na_fail_nomem(err);
	w->others_ps = na_calloc(w->strata.n, sizeof(*w->others_ps));
	if (!w->others_ps)
		return na_fail_nomem(err);
	return NA_OK;
}

void na_whatif_free(struct na_whatif *w)
{
	if (!w)
		return;
	na_host_clocks_fini(&w->own);
	free(w->hosts);
	na_vec_free(&w->moves);
	na_triples_fini(&w->line_keys);
	na_triples_fini(&w->exec_keys);
	na_triples_fini(&w->place_keys);
	na_vec_free(&w->lines);
	na_vec_free(&w->execs);
	na_vec_free(&w->places);
	na_vec_free(&w->ops);
	na_vec_free(&w->ends);
	na_vec_free(&w->events);
	na_triples_fini(&w->strata);
	free(w->others_ps);
	free(w->after);
	free(w->queue);
	free(w);
}

/* Of the ends of one step: how much earlier the last one would be. */
static double saved_ms(const struct wf_end *of, size_t n)
{
	int64_t last = of[0].at_ps;
	double saved = INFINITY;

	for (size_t i = 1; i < n; i++)
		last = of[i].at_ps > last ? of[i].at_ps : last;
	for (size_t i = 0; i < n; i++)
		saved = fmin(saved,
			     na_ms((double)of[i].saved_ps +
				   ((double)last - (double)of[i].at_ps)));
	return saved;
}

/* Of the n ends of one group; ms: room for as many. */
static struct na_whatif_cost cost_of(const struct wf_end *of, size_t n,
				     double *ms)
{
	double before = 0;
	size_t steps = 0, to;

	for (size_t i = 0; i < n; i = to) {
		double now;

		for (to = i; to < n && of[to].number == of[i].number;)
			to++;
		now = saved_ms(of + i, to - i);
		ms[steps++] = now - before;
		before = now;
	}
	if (steps < 2)
		return (struct na_whatif_cost){(double)NAN, (double)NAN, false};
	return (struct na_whatif_cost){fmax(0, na_median(ms, steps)),
				       fmax(0, before) / (double)steps, false};
}

bool na_whatif_cost(struct na_whatif *w, const struct na_whatif_ask *ask,
		    struct na_whatif_cost *out)
{
	double *ms = na_calloc(w->ends.n, sizeof(*ms));
	size_t to;

	*out = (struct na_whatif_cost){(double)NAN, (double)NAN, false};
	if (!ms || !wf_find_others(w, ask)) {
		free(ms);
		return false;
	}
	if (!w->n_waits || !w->moves.n ||
	    HELD_MOST * (double)w->moves.n < (double)w->n_held) {
		free(ms);
		return true;
	}
	wf_replay(w, ask);
	/* Hosts that no transfer joins have steps of their own: the ones that
	 * it costs most. */
	for (size_t i = 0; i < w->ends.n; i = to) {
		struct na_whatif_cost x;

		for (to = i; to < w->ends.n &&
			     w->ends.v[to].group == w->ends.v[i].group;)
			to++;
		x = cost_of(&w->ends.v[i], to - i, ms);
		if (isnan(out->mean_ms) || x.mean_ms > out->mean_ms)
			*out = x;
	}
	out->least = (double)w->n_held > HELD_SOME * (double)w->moves.n;
	free(ms);
	return true;
}
