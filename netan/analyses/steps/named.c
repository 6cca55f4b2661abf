/* steps: from the tests to the stragglers, each with its cause. */
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

static enum st_cause most_frequent(const struct st_host *h)
{
	enum st_cause best = ST_NONE;

	for (enum st_cause k = ST_COMPUTATION; k < ST_CAUSES; k++) {
		if (h->causes[k] > (best ? h->causes[best] : 0))
			best = k;
	}
	return best;
}

/* A few steps that wait for input may cost more than what noise in computing
 * makes of many. */
static enum st_cause costliest(const struct st_host *h)
{
	enum st_cause best = ST_NONE;

	for (enum st_cause k = ST_COMPUTATION; k < ST_CAUSES; k++) {
		if (h->lost_ps[k] > h->lost_ps[best] || best == ST_NONE)
			best = h->lost_ps[k] > 0 ? k : best;
	}
	return best;
}

/* Where no device tells what that costs: beside the time from launch to
 * launch, in which hosts that wait for nobody drift apart. */
static bool late_enough(const struct st_state *s, const struct st_host *h,
			enum st_test test)
{
	na_i128 cycles_ps = 0;

	if (!s->by_launch[h->run] || !h->n)
		return true;
	for (size_t i = 0; i < s->n_host_steps; i++) {
		if (s->host_steps[i].host == h->host)
			cycles_ps += s->host_steps[i].period_ps;
	}
	return na_steps_late(h->tests[test].effect_ps,
			     (int64_t)(cycles_ps / (na_i128)h->n));
}

/*
 * Who starts late lets the others wait, and waits less itself; who only
 * comes late from the collective before does not.  Where devices show no
 * waiting at all nothing can tell; of launches the time between them does.
 */
static bool waits_less(const struct st_state *s, const struct st_host *h)
{
	int64_t least = h->tests[ST_OF_STARTS].effect_ps / 2;
	size_t less = 0, waiting = s->by_launch[h->run];

	for (size_t i = 0; i < s->n_host_steps; i++) {
		const struct st_host_step *x = &s->host_steps[i];

		waiting += x->run == h->run && na_steps_exposed(x->cell) > 0;
		less += x->host == h->host && x->waits_less_ps > least;
	}
	if (!late_enough(s, h, ST_OF_STARTS))
		return false;
	return !waiting || (h->n && 4 * less >= 3 * h->n);
}

/*
 * Who sends or receives last may only sit behind somebody else: that alone
 * names a host where nothing else explains it.
 */
static void name_host(const struct st_state *s, struct st_host *h,
		      bool explained, bool late)
{
	const struct st_verdict *v = h->tests;
	enum st_cause of_steps = most_frequent(h);

	/* A few slow steps are no habit. */
	h->cause = 10 * h->causes[of_steps] >= h->n ? of_steps : ST_NONE;
	if (v[ST_OF_STEPS].named && costliest(h) &&
	    (costliest(h) != ST_LATE_START || late_enough(s, h, ST_OF_STEPS))) {
		h->cause = costliest(h);
		h->evidence = ST_OF_STEPS;
	} else if (v[ST_OF_TRANSFERS].named) {
		h->cause = ST_NETWORK;
		h->evidence = ST_OF_TRANSFERS;
	} else if (v[ST_OF_STARTS].named && !explained && waits_less(s, h)) {
		h->cause = ST_LATE_START;
		h->evidence = ST_OF_STARTS;
	} else if (v[ST_OF_ENDS].named && !explained && !late) {
		h->cause = v[ST_OF_ENDS].start_ps > v[ST_OF_ENDS].effect_ps / 2
				   ? ST_LATE_START
				   : ST_NETWORK;
		h->evidence = ST_OF_ENDS;
		if (s->by_launch[h->run] && h->cause == ST_LATE_START &&
		    !waits_less(s, h)) {
			h->cause = ST_NONE;
			return;
		}
	} else {
		return;
	}
	h->straggler = true;
}

static na_i128 lost_of(const struct st_host *h)
{
	return h->tests[h->evidence].lost_ps;
}

NA_ORDER(most_lost_first, const struct st_host *, NA_CMP((*x)->run, (*y)->run),
	 NA_CMP(lost_of(*y), lost_of(*x)), NA_CMP((*x)->host, (*y)->host))

struct told { /* of a run */
	bool explained; /* by hosts that are slow themselves */
	bool late;
};

/* A host in place of its ranks. */
static void list_stragglers(struct st_state *s)
{
	for (size_t i = 0; i < s->n_units; i++)
		s->stragglers[s->n_stragglers++] = &s->units[i];
	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].straggler && !s->hosts[i].unit)
			s->stragglers[s->n_stragglers++] = &s->hosts[i];
	}
}

bool na_steps_name_stragglers(struct st_state *s)
{
	struct told *told = na_calloc(s->scope->store->n_runs, sizeof(*told));

	s->stragglers = na_calloc(s->n_hosts + 1, sizeof(struct st_host *));
	if (!s->stragglers || !told) {
		free(told);
		return false;
	}
	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *o = &s->hosts[i];

		told[o->run].explained |= o->tests[ST_OF_STEPS].named ||
					  o->tests[ST_OF_TRANSFERS].named;
		told[o->run].late |= o->tests[ST_OF_STARTS].named;
	}
	for (size_t i = 0; i < s->n_hosts; i++) {
		struct st_host *h = &s->hosts[i];

		name_host(s, h, told[h->run].explained, told[h->run].late);
	}
	free(told);
	if (!na_steps_find_sets(s))
		return false;
	list_stragglers(s);
	if (s->n_stragglers) {
		s->severity = NA_SEV_ERROR;
		na_sort(s->stragglers, s->n_stragglers, most_lost_first);
	}
	return true;
}
