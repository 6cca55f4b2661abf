/*
 * host_events: registrations and copies on host threads, and the transfers
 * that they touch.  First pass: the events; second, where there are any: the
 * transfers.
 */
#include "netan/analyses/host_events/state.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

static bool make_counts(struct host_events_state *s)
{
	size_t n = s->scope->store->n_sources;

	s->transfers = na_calloc(n, sizeof(uint64_t));
	for (int k = 0; k < NA_HE_KINDS; k++)
		s->touched[k] = na_calloc(n, sizeof(uint64_t));
	return s->transfers && s->touched[0] && s->touched[1];
}

static bool any_threads(const struct na_store *store)
{
	for (size_t i = 0; i < store->n_sources; i++) {
		if (store->sources[i].host_threads)
			return true;
	}
	return false;
}

static enum na_status host_events_open(void *state,
				       const struct na_scope *scope,
				       const void *params, struct na_err *err)
{
	struct host_events_state *s = state;

	(void)params;
	s->scope = scope;
	s->runs = na_calloc(scope->store->n_runs, sizeof(*s->runs));
	if (!s->runs || !make_counts(s))
		return na_fail_nomem(err);
	return any_threads(scope->store) ? NA_OK : NA_END;
}

static enum na_status host_events_fork(void *block, const void *state,
				       unsigned pass)
{
	struct host_events_state *s = block;
	const struct host_events_state *from = state;

	*s = (struct host_events_state){.scope = from->scope,
					.main = from,
					.pass = pass};
	return make_counts(s) ? NA_OK : NA_ENOMEM;
}

/* Of what lies apart, the first that ends behind the transfer's start. */
static bool touches(const struct host_events_state *m, unsigned kind,
		    const struct na_transfer *t)
{
	const struct host_events_span *x = m->busy[kind].spans;
	const size_t *first = &m->busy[kind].first[t->input];
	size_t at = NA_BOUND(i, first[0], first[1], x[i].to_ps > t->start_ps);

	return at < first[1] && x[at].from_ps < t->end_ps;
}

static enum na_status add_transfer(void *block, const struct na_transfer *t)
{
	struct host_events_state *s = block;

	if (t->style >= NA_STYLE_CAPTURE)
		return NA_ASIDE;
	if (s->pass == 0) {
		s->transfers[t->input]++;
		return NA_OK;
	}
	for (unsigned k = 0; k < NA_HE_KINDS; k++)
		s->touched[k][t->input] += touches(s->main, k, t);
	return NA_OK;
}

static enum na_status add_host_event(void *block, const struct na_host_event *e)
{
	struct host_events_state *s = block;

	return s->pass || na_add(&s->events, *e) ? NA_OK : NA_ENOMEM;
}

static enum na_status host_events_merge(void *state, void *block, unsigned pass)
{
	struct host_events_state *s = state, *b = block;

	(void)pass;
	for (size_t i = 0; i < s->scope->store->n_sources; i++) {
		s->transfers[i] += b->transfers[i];
		for (int k = 0; k < NA_HE_KINDS; k++)
			s->touched[k][i] += b->touched[k][i];
	}
	return na_append(&s->events, b->events.v, b->events.n) ? NA_OK
							       : NA_ENOMEM;
}

/* ---- between the passes */

static void widen(struct host_events_span *x, int64_t from_ps, int64_t to_ps)
{
	if (from_ps != NA_UNKNOWN_PS && from_ps < x->from_ps)
		x->from_ps = from_ps;
	if (to_ps != NA_UNKNOWN_PS && to_ps > x->to_ps)
		x->to_ps = to_ps;
}

/* When the profiler ran; where it does not say so, what it recorded. */
static struct host_events_span profiled(const struct host_events_state *s,
					uint32_t run)
{
	const struct na_store *store = s->scope->store;
	struct host_events_span told = {NA_TIME_MAX, NA_TIME_MIN}, seen = told;

	for (size_t i = 0; i < store->n_sources; i++) {
		const struct na_source *x = &store->sources[i];

		if (x->run != run || x->capture)
			continue;
		widen(&told, x->profile_start_ps, x->profile_stop_ps);
		if (store->tallies[i].seen.n)
			widen(&seen, store->tallies[i].seen.first_ps,
			      store->tallies[i].seen.last_ps);
	}
	for (size_t i = 0; i < s->events.n; i++) {
		if (store->sources[s->events.v[i].input].run == run)
			widen(&seen, s->events.v[i].start_ps,
			      s->events.v[i].end_ps);
	}
	if (told.from_ps < told.to_ps)
		return told;
	return seen.from_ps < seen.to_ps ? seen
					 : (struct host_events_span){0, 0};
}

static void find_steady(struct host_events_state *s, uint32_t run)
{
	const struct na_store *store = s->scope->store;
	struct host_events_run *to = &s->runs[run];
	struct host_events_span all;
	uint64_t start_up;

	for (size_t i = 0; i < store->n_steps; i++) {
		const struct na_step *x = &store->steps[i];

		if (x->run != run ||
		    (to->by_step && x->end_ps >= to->steady_ps))
			continue;
		to->by_step = to->seen = true;
		to->steady_ps = x->end_ps;
	}
	if (to->by_step)
		return;
	all = profiled(s, run);
	start_up = ((uint64_t)all.to_ps - (uint64_t)all.from_ps) / 10;
	if (start_up < (uint64_t)NA_HE_STARTUP_PS)
		start_up = (uint64_t)NA_HE_STARTUP_PS;
	if (__builtin_add_overflow(all.from_ps, (int64_t)start_up,
				   &to->steady_ps))
		to->steady_ps = NA_TIME_MAX;
	to->seen = all.to_ps > to->steady_ps;
}

NA_ORDER(by_time, struct na_host_event, NA_UP(input), NA_UP(kind),
	 NA_UP(start_ps), NA_UP(end_ps), NA_UP(thread), NA_UP(size_bytes))

/* Events of a kind that count, joined where they meet. */
static bool join(struct host_events_state *s, unsigned kind)
{
	size_t sources = s->scope->store->n_sources, n = 0, k = 0;
	struct host_events_span *to = na_calloc(s->events.n, sizeof(*to));
	size_t *first = na_calloc(sources + 1, sizeof(*first));

	s->busy[kind].spans = to;
	s->busy[kind].first = first;
	for (size_t i = 0; to && first && i < sources; i++) {
		first[i] = n;
		for (; k < s->events.n && s->events.v[k].input == i; k++) {
			const struct na_host_event *e = &s->events.v[k];
			int64_t end_ps = e->end_ps;

			if (na_host_events_kind(e) != kind ||
			    !na_host_events_counts(s, e))
				continue;
			if (end_ps == e->start_ps && end_ps < NA_TIME_MAX)
				end_ps++;
			if (n == first[i] || e->start_ps > to[n - 1].to_ps)
				to[n++] = (struct host_events_span){e->start_ps,
								    end_ps};
			else if (end_ps > to[n - 1].to_ps)
				to[n - 1].to_ps = end_ps;
		}
	}
	if (to && first)
		first[sources] = n;
	return to && first;
}

static enum na_status host_events_turn(void *state, unsigned done,
				       struct na_err *err)
{
	struct host_events_state *s = state;
	size_t counted = 0;

	if (done)
		return NA_END;
	for (uint32_t run = 0; run < s->scope->store->n_runs; run++)
		find_steady(s, run);
	if (!s->events.n)
		return NA_END;
	na_sort(s->events.v, s->events.n, by_time);
	if (!join(s, 0) || !join(s, 1))
		return na_fail_nomem(err);
	for (int k = 0; k < NA_HE_KINDS; k++)
		counted += s->busy[k].first[s->scope->store->n_sources];
	return counted ? NA_OK : NA_END;
}

static void host_events_fini(void *state)
{
	struct host_events_state *s = state;

	na_vec_free(&s->events);
	free(s->runs);
	free(s->transfers);
	for (int k = 0; k < NA_HE_KINDS; k++) {
		free(s->touched[k]);
		free(s->busy[k].spans);
		free(s->busy[k].first);
	}
}

const struct na_analysis na_an_host_events = {
	.info.name = "host_events",
	.wants = NA_WANT_TRANSFERS | NA_WANT_STEPS | NA_WANT_HOST_EVENTS,
	.begins = 9,
	.state_size = sizeof(struct host_events_state),
	.passes = 2,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(HOST_EVENTS),
	.open = host_events_open,
	.fork = host_events_fork,
	.add_transfer = add_transfer,
	.add_host_event = add_host_event,
	.merge = host_events_merge,
	.turn = host_events_turn,
	.finish = na_host_events_finish,
	.fini = host_events_fini,
};
