/* The graph of a run, and what its steps would save. */
#include "netan/methods/whatif/whatif.h"

#include <math.h>
#include <stdlib.h>

#include "netan/methods/whatif/state.h"
#include "netan/stats/tests/robust.h"

/* Of the sends, held for longer than their turn takes: with more of them a cost
 * is a lower bound, since such waits stay as long in it. */
#define HELD_SOME 0.05
/* Of the time of steps: a simulation that is wrong about more of it says
 * nothing. */
#define WRONG_MOST 0.15
/* Of the cost: where a simulation of what was lacks more than that of a step,
 * it leaves waits out, and says too little. */
#define LACKS_MOST 0.1

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
	w->some_held = (double)w->n_held > HELD_SOME * (double)w->moves.n;
	wf_replay(w, NULL);
	return NA_OK;
}

void na_whatif_free(struct na_whatif *w)
{
	if (!w)
		return;
	na_host_clocks_fini(&w->own);
	free(w->hosts);
	free(w->programs);
	free(w->speaks);
	free(w->core_of);
	na_vec_free(&w->moves);
	na_triples_fini(&w->line_keys);
	na_triples_fini(&w->exec_keys);
	na_triples_fini(&w->place_keys);
	na_vec_free(&w->lines);
	na_vec_free(&w->execs);
	na_vec_free(&w->places);
	na_vec_free(&w->ops);
	na_vec_free(&w->meetings);
	na_vec_free(&w->guests);
	na_vec_free(&w->ends);
	na_vec_free(&w->events);
	na_triples_fini(&w->strata);
	na_triples_fini(&w->rounds);
	na_triples_fini(&w->cell_keys);
	na_triples_fini(&w->turns);
	na_vec_free(&w->cells);
	na_vec_free(&w->needs);
	na_triples_fini(&w->instances);
	free(w->after);
	free(w->after_at_ps);
	free(w->least_ps);
	free(w->idle_ps);
	free(w->queue);
	free(w);
}

static size_t step_end(const struct wf_end *of, size_t from, size_t n)
{
	size_t to = from + 1;

	while (to < n && of[to].number == of[from].number)
		to++;
	return to;
}

/* Of the ends of one step, as long as `steps` says it is: in the mean. */
static double saved_ms(const struct wf_end *of, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += na_ms((double)of[i].saved_ps);
	return sum / (double)n;
}

static const struct na_whatif_cost not_known = {(double)NAN, (double)NAN,
						false};

/* Of the n ends of one group; ms: room for as many. */
static struct na_whatif_cost cost_of(const struct wf_end *of, size_t n,
				     double *ms)
{
	double before = 0, sum = 0;
	size_t steps = 0, to;

	for (size_t i = 0; i < n; i = to) {
		double now;

		to = step_end(of, i, n);
		now = saved_ms(of + i, to - i);
		ms[steps++] = now - before;
		sum += now - before;
		before = now;
	}
	if (steps < 2)
		return not_known;
	return (struct na_whatif_cost){fmax(0, na_median(ms, steps)),
				       fmax(0, sum) / (double)steps, false};
}

/* Of the ends of one step: by how much later a simulation has them. */
static double late_ms(const struct wf_end *of, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += na_ms((double)of[i].run_ps - (double)of[i].at_ps);
	return sum / (double)n;
}

/* Of the n ends of one group: by how much it is wrong about the steps between
 * two of them, and how long these are, ms. */
static void compare(const struct wf_end *of, size_t n, double *wrong,
		    double *all)
{
	double before = NAN;
	size_t to;

	for (size_t i = 0; i < n; i = to) {
		double late;

		to = step_end(of, i, n);
		late = late_ms(of + i, to - i);
		if (i)
			*wrong += fabs(late - before);
		before = late;
	}
	*all += na_ms((double)of[n - 1].at_ps - (double)of[0].at_ps);
}

/* Of the n ends of one group: by how much it has a step shorter than it was,
 * ms; the first of them has no step before it. */
static double lacks_ms(const struct wf_end *of, size_t n)
{
	size_t first = step_end(of, 0, n), last = 0, steps = 0, to;

	for (size_t i = 0; i < n; i = to) {
		to = step_end(of, i, n);
		last = i;
		steps++;
	}
	return (late_ms(of, first) - late_ms(of + last, n - last)) /
	       (double)(steps - 1);
}

static size_t group_end(const struct na_whatif *w, size_t from)
{
	size_t to = from + 1;

	while (to < w->ends.n && w->ends.v[to].group == w->ends.v[from].group)
		to++;
	return to;
}

/* A simulation of what was ends its steps as they ended. */
static bool fits(const struct na_whatif *w)
{
	double wrong = 0, all = 0;
	size_t to;

	for (size_t i = 0; i < w->ends.n; i = to) {
		to = group_end(w, i);
		compare(&w->ends.v[i], to - i, &wrong, &all);
	}
	return wrong <= WRONG_MOST * all;
}

/* *told: a simulation tells what each end saves.  False: no memory. */
static bool simulate(struct na_whatif *w, const struct na_whatif_ask *ask,
		     bool *told)
{
	int64_t *ends_ps = na_calloc(w->ends.n, sizeof(*ends_ps));
	struct wf_sim *s = wf_sim_make(w, ask);
	bool ok = ends_ps && s && wf_sim_run(s, false, ends_ps);

	for (size_t i = 0; ok && i < w->ends.n; i++)
		w->ends.v[i].run_ps = ends_ps[i];
	*told = ok && fits(w);
	if (*told)
		ok = wf_sim_run(s, true, ends_ps);
	for (size_t i = 0; ok && *told && i < w->ends.n; i++)
		w->ends.v[i].saved_ps = wf_minus(w->ends.v[i].run_ps,
						 ends_ps[i]);
	wf_sim_free(s);
	free(ends_ps);
	return ok;
}

static bool has_program(const struct na_whatif *w, uint32_t line)
{
	return w->hosts[w->execs.v[w->lines.v[line].exec].host].core != WF_NONE;
}

/* Most of its transfers have both ends in hosts whose programs are here: else
 * what waits for what is not known. */
static bool is_seen(const struct na_whatif *w, const struct na_whatif_ask *ask)
{
	size_t its = 0, seen = 0;

	if (ask->own)
		return w->hosts[ask->host].core != WF_NONE;
	for (size_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		if (!wf_is_its(w, ask, m))
			continue;
		its++;
		seen += has_program(w, m->from) && has_program(w, m->to);
	}
	return its && 2 * seen > its;
}

/* By `saved_ps` of ends.  Hosts that no transfer joins have steps of their own:
 * the ones that it costs most. */
static struct na_whatif_cost costliest(const struct na_whatif *w, bool simulated,
				       double *ms)
{
	struct na_whatif_cost most = not_known;
	size_t to;

	for (size_t i = 0; i < w->ends.n; i = to) {
		struct na_whatif_cost x;

		to = group_end(w, i);
		x = cost_of(&w->ends.v[i], to - i, ms);
		x.least = w->some_held ||
			  (simulated && lacks_ms(&w->ends.v[i], to - i) >
						LACKS_MOST * x.mean_ms);
		if (isnan(most.mean_ms) || x.mean_ms > most.mean_ms)
			most = x;
	}
	return most;
}

/* Of transfers the replay leaves out what their queues saved, and the
 * simulation waits that it does not know: the larger says more.  False: no
 * memory. */
static bool find_cost(struct na_whatif *w, const struct na_whatif_ask *ask,
		      double *ms, struct na_whatif_cost *out)
{
	struct na_whatif_cost x;
	bool told;

	if (ask->own && (w->some_held || w->queued_all))
		return true;
	if (!wf_find_others(w, ask))
		return false;
	if (!ask->own) {
		wf_replay(w, ask);
		*out = costliest(w, false, ms);
	}
	if (!simulate(w, ask, &told))
		return false;
	if (!told)
		return true;
	x = costliest(w, true, ms);
	if (ask->own ? !x.least : x.mean_ms > out->mean_ms)
		*out = x;
	return true;
}

bool na_whatif_cost(struct na_whatif *w, const struct na_whatif_ask *ask,
		    struct na_whatif_cost *out)
{
	double *ms = na_calloc(w->ends.n, sizeof(*ms));
	bool ok = ms;

	*out = not_known;
	if (ok && w->n_waits && is_seen(w, ask))
		ok = find_cost(w, ask, ms, out);
	free(ms);
	return ok;
}
