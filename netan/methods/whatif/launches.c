/*
 * Which execution an op launches, and for which one it waits.  A device
 * executes a collective as often as its program launches it, and in that order:
 * an execution that begins before the next launch has none here, and a launch
 * that another one follows before the next execution begins has none either.
 * Waits follow their launches in order, too.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/state.h"

/* By so much an execution may seem to begin before its launch: the clocks of
 * host and device. */
#define BEFORE_PS WF_WAITS_PS

struct begun { /* an execution */
	uint32_t place, exec;
	int64_t at_ps; /* its first send or posting; else its first receive */
	bool own;      /* the first of these */
};

NA_ORDER(by_begin, struct begun, NA_UP(place), NA_UP(at_ps), NA_UP(exec))

struct step {
	uint32_t place, op;
	int64_t at_ps;
};

NA_ORDER(by_place, struct step, NA_UP(place), NA_UP(at_ps), NA_UP(op))

struct launches {
	struct na_whatif *w;
	struct begun *execs;
	size_t n_execs;
	NA_VEC(struct step) launches, waits;
};

static void begin_by(struct launches *l, uint32_t line, int64_t at_ps, bool own)
{
	struct begun *x = &l->execs[l->w->lines.v[line].exec];

	if (at_ps == NA_UNKNOWN_PS || (x->own && !own))
		return;
	if (own != x->own || at_ps < x->at_ps)
		x->at_ps = at_ps;
	x->own = own;
}

static bool gather(struct launches *l)
{
	struct na_whatif *w = l->w;
	bool ok = true;

	for (uint32_t i = 0; i < w->execs.n; i++)
		l->execs[i] = (struct begun){w->execs.v[i].place, i,
					     NA_TIME_MAX, false};
	for (size_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		begin_by(l, m->from, m->sent_ps, m->gone_ps != NA_UNKNOWN_PS);
		begin_by(l, m->to, m->posted_ps, true);
		begin_by(l, m->to, m->taken_ps, false);
	}
	na_sort(l->execs, w->execs.n, by_begin);
	for (size_t i = 0; ok && i < w->events.n; i++) {
		const struct wf_event *e = &w->events.v[i];
		struct step x = {0, e->of, e->at_ps};

		if (e->kind != WF_LAUNCHED && e->kind != WF_WAITED)
			continue;
		x.place = w->ops.v[e->of].place;
		ok = e->kind == WF_LAUNCHED ? na_add(&l->launches, x)
					    : na_add(&l->waits, x);
	}
	if (ok) {
		na_sort(l->launches.v, l->launches.n, by_place);
		na_sort(l->waits.v, l->waits.n, by_place);
	}
	return ok;
}

/* The launch after that at `at`: `send` and `recv` launch together. */
static size_t launch_end(const struct launches *l, size_t at)
{
	const struct step *v = l->launches.v;
	const struct wf_op *ops = l->w->ops.v;

	return at + 1 < l->launches.n && v[at + 1].place == v[at].place &&
			       ops[v[at].op].receives !=
				       ops[v[at + 1].op].receives
		       ? at + 2
		       : at + 1;
}

/* Of the execution at *exec: whether it is what the launch at `from` launches,
 * or comes before it and has none. */
static bool is_launched(const struct launches *l, size_t from, size_t to,
			size_t *exec)
{
	const struct step *v = l->launches.v;
	uint32_t place = v[from].place;

	while (*exec < l->n_execs &&
	       (l->execs[*exec].place < place ||
		(l->execs[*exec].place == place && l->execs[*exec].own &&
		 wf_plus(l->execs[*exec].at_ps, BEFORE_PS) < v[from].at_ps)))
		++*exec;
	return *exec < l->n_execs && l->execs[*exec].place == place &&
	       (to == l->launches.n || v[to].place != place ||
		l->execs[*exec].at_ps < v[to].at_ps);
}

static void match_launches(struct launches *l)
{
	size_t exec = 0, to;

	for (size_t from = 0; from < l->launches.n; from = to) {
		to = launch_end(l, from);
		if (!is_launched(l, from, to, &exec))
			continue;
		for (size_t i = from; i < to; i++)
			l->w->ops.v[l->launches.v[i].op].of =
				l->execs[exec].exec;
		l->w->execs.v[l->execs[exec].exec].launch =
			l->launches.v[from].op;
		exec++;
	}
}

/* Without a launch: what began last. */
static uint32_t last_begun(const struct launches *l, const struct step *wait)
{
	size_t k = NA_BOUND(i, 0, l->n_execs,
			    l->execs[i].place > wait->place ||
				    (l->execs[i].place == wait->place &&
				     l->execs[i].at_ps > wait->at_ps));

	return k && l->execs[k - 1].place == wait->place ? l->execs[k - 1].exec
							 : WF_NONE;
}

static void match_waits(struct launches *l)
{
	size_t at = 0;

	for (size_t i = 0; i < l->waits.n; i++) {
		const struct step *wait = &l->waits.v[i], *launch;

		while (at < l->launches.n &&
		       l->launches.v[at].place < wait->place)
			at++;
		launch = &l->launches.v[at];
		if (at < l->launches.n && launch->place == wait->place &&
		    launch->at_ps < wait->at_ps) {
			l->w->ops.v[wait->op].of = l->w->ops.v[launch->op].of;
			at = launch_end(l, at);
			continue;
		}
		l->w->ops.v[wait->op].of = last_begun(l, wait);
	}
}

bool wf_find_launches(struct na_whatif *w)
{
	struct launches l = {.w = w, .n_execs = w->execs.n};
	bool ok;

	l.execs = na_calloc(w->execs.n, sizeof(*l.execs));
	for (size_t i = 0; i < w->execs.n; i++)
		w->execs.v[i].launch = WF_NONE;
	ok = l.execs && gather(&l);
	if (ok) {
		match_launches(&l);
		match_waits(&l);
	}
	free(l.execs);
	na_vec_free(&l.launches);
	na_vec_free(&l.waits);
	return ok;
}
