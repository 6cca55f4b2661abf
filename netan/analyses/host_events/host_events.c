/*
 * host_events: registrations and copies on host threads, and the transfers
 * that they touch.  First pass: the events; second, where there are any: the
 * transfers.
 */
#include "netan/analyses/host_events/host_events.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

static bool make_counts(struct he_state *s)
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

static enum na_status he_open(void *state, const struct na_scope *scope,
			      const void *params, struct na_err *err)
{
	struct he_state *s = state;

	(void)params;
	s->scope = scope;
	s->runs = na_calloc(scope->store->n_runs, sizeof(*s->runs));
	if (!s->runs || !make_counts(s))
		return na_fail_nomem(err);
	return any_threads(scope->store) ? NA_OK : NA_END;
}

static enum na_status he_fork(void *block, const void *state, unsigned pass)
{
	struct he_state *s = block;
	const struct he_state *from = state;

	*s = (struct he_state){.scope = from->scope,
			       .main = from,
			       .pass = pass};
	return make_counts(s) ? NA_OK : NA_ENOMEM;
}

/* Of what lies apart, the first that ends behind the transfer's start. */
static bool touches(const struct he_state *m, unsigned kind,
		    const struct na_transfer *t)
{
	const struct he_span *x = m->busy[kind].spans;
	size_t lo = m->busy[kind].first[t->input];
	size_t end = m->busy[kind].first[t->input + 1], hi = end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (x[mid].to_ps > t->start_ps)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo < end && x[lo].from_ps < t->end_ps;
}

static enum na_status he_add(void *block, const struct na_transfer *t)
{
	struct he_state *s = block;

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

static enum na_status he_add_event(void *block, const struct na_host_event *e)
{
	struct he_state *s = block;

	if (s->pass)
		return NA_OK;
	if (!na_grow(&s->events, &s->cap, s->n + 1, sizeof(*s->events)))
		return NA_ENOMEM;
	s->events[s->n++] = *e;
	return NA_OK;
}

static enum na_status he_merge(void *state, void *block, unsigned pass)
{
	struct he_state *s = state, *b = block;

	(void)pass;
	for (size_t i = 0; i < s->scope->store->n_sources; i++) {
		s->transfers[i] += b->transfers[i];
		for (int k = 0; k < NA_HE_KINDS; k++)
			s->touched[k][i] += b->touched[k][i];
	}
	if (!na_grow(&s->events, &s->cap, s->n + b->n, sizeof(*s->events)))
		return NA_ENOMEM;
	if (b->n)
		memcpy(s->events + s->n, b->events, b->n * sizeof(*b->events));
	s->n += b->n;
	return NA_OK;
}

/* ---- between the passes */

static void widen(struct he_span *x, int64_t from_ps, int64_t to_ps)
{
	if (from_ps != NA_UNKNOWN_PS && from_ps < x->from_ps)
		x->from_ps = from_ps;
	if (to_ps != NA_UNKNOWN_PS && to_ps > x->to_ps)
		x->to_ps = to_ps;
}

/* When the profiler ran; where it does not say so, what it recorded. */
static struct he_span profiled(const struct he_state *s, uint32_t run)
{
	const struct na_store *store = s->scope->store;
	struct he_span told = {NA_TIME_MAX, NA_TIME_MIN}, seen = told;

	for (size_t i = 0; i < store->n_sources; i++) {
		const struct na_source *x = &store->sources[i];

		if (x->run != run || x->capture)
			continue;
		widen(&told, x->profile_start_ps, x->profile_stop_ps);
		if (store->tallies[i].seen.n)
			widen(&seen, store->tallies[i].seen.first_ps,
			      store->tallies[i].seen.last_ps);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (store->sources[s->events[i].input].run == run)
			widen(&seen, s->events[i].start_ps,
			      s->events[i].end_ps);
	}
	if (told.from_ps < told.to_ps)
		return told;
	return seen.from_ps < seen.to_ps ? seen : (struct he_span){0, 0};
}

static void find_steady(struct he_state *s, uint32_t run)
{
	const struct na_store *store = s->scope->store;
	struct he_run *to = &s->runs[run];
	struct he_span all;
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

#define ORDER(a, b) \
	do { \
		if ((a) != (b)) \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int by_time(const void *pa, const void *pb)
{
	const struct na_host_event *a = pa, *b = pb;

	ORDER(a->input, b->input);
	ORDER(a->kind, b->kind);
	ORDER(a->start_ps, b->start_ps);
	ORDER(a->end_ps, b->end_ps);
	ORDER(a->thread, b->thread);
	ORDER(a->size_bytes, b->size_bytes);
	return 0;
}

/* Events of a kind that count, joined where they meet. */
static bool join(struct he_state *s, unsigned kind)
{
	size_t sources = s->scope->store->n_sources, n = 0, k = 0;
	struct he_span *to = na_calloc(s->n, sizeof(*to));
	size_t *first = na_calloc(sources + 1, sizeof(*first));

	s->busy[kind].spans = to;
	s->busy[kind].first = first;
	for (size_t i = 0; to && first && i < sources; i++) {
		first[i] = n;
		for (; k < s->n && s->events[k].input == i; k++) {
			const struct na_host_event *e = &s->events[k];
			int64_t end_ps = e->end_ps;

			if (he_kind(e) != kind || !he_counts(s, e))
				continue;
			if (end_ps == e->start_ps && end_ps < NA_TIME_MAX)
				end_ps++;
			if (n == first[i] || e->start_ps > to[n - 1].to_ps)
				to[n++] = (struct he_span){e->start_ps, end_ps};
			else if (end_ps > to[n - 1].to_ps)
				to[n - 1].to_ps = end_ps;
		}
	}
	if (to && first)
		first[sources] = n;
	return to && first;
}

static enum na_status he_turn(void *state, unsigned done, struct na_err *err)
{
	struct he_state *s = state;
	size_t counted = 0;

	if (done)
		return NA_END;
	for (uint32_t run = 0; run < s->scope->store->n_runs; run++)
		find_steady(s, run);
	if (!s->n)
		return NA_END;
	qsort(s->events, s->n, sizeof(*s->events), by_time);
	if (!join(s, 0) || !join(s, 1))
		return na_fail_nomem(err);
	for (int k = 0; k < NA_HE_KINDS; k++)
		counted += s->busy[k].first[s->scope->store->n_sources];
	return counted ? NA_OK : NA_END;
}

static void he_fini(void *state)
{
	struct he_state *s = state;

	free(s->events);
	free(s->runs);
	free(s->transfers);
	for (int k = 0; k < NA_HE_KINDS; k++) {
		free(s->touched[k]);
		free(s->busy[k].spans);
		free(s->busy[k].first);
	}
}

const struct na_analysis na_an_host_events = {
	.face.name = "host_events",
	.wants = NA_WANT_TRANSFERS | NA_WANT_STEPS | NA_WANT_HOST_EVENTS,
	.begins = 9,
	.state_size = sizeof(struct he_state),
	.passes = 2,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(HOST_EVENTS),
	.open = he_open,
	.fork = he_fork,
	.add_transfer = he_add,
	.add_host_event = he_add_event,
	.merge = he_merge,
	.turn = he_turn,
	.finish = he_finish,
	.fini = he_fini,
};
