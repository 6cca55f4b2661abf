/*
 * The job once more, with the queues of its hosts: as many transfers of a host
 * go on at once, in and out, as ever did, and who comes first goes first.  All
 * else that happens comes as long after what it waits for as it did.
 */
#include <assert.h>
#include <string.h>

#include "netan/methods/whatif/sim.h"

enum what { BEGIN, READY, TRY, TAKE, GO };

static void plan(struct wf_sim *s, int64_t at_ps, enum what what, uint32_t id)
{
	s->failed |= !na_queue_put(&s->queue,
				   at_ps > s->now_ps ? at_ps : s->now_ps, what,
				   id);
}

/* ---- programs */

static void begin_after(struct wf_sim *s, const struct item *x, int64_t at_ps)
{
	for (uint32_t i = x->lines; i != WF_NONE; i = s->lines[i].next)
		plan(s, wf_plus(at_ps, s->lines[i].lag_ps), BEGIN, i);
}

/* False: it waits. */
static bool pass_wait(struct wf_sim *s, struct program *p, uint32_t id,
		      int64_t *at_ps)
{
	const struct na_whatif *w = s->w;
	const struct wf_op *op = &w->ops.v[id];
	const struct exec *x;
	int64_t took = na_time_between(op->start_ps, op->end_ps), done, lag;
	int64_t started = wf_minus(*at_ps, took);

	if (op->of == WF_NONE || s->execs[op->of].op != id)
		return true;
	x = &s->execs[op->of];
	if (x->left) {
		p->waits = op->of;
		return false;
	}
	if (x->done_ps == NA_UNKNOWN_PS)
		return true;
	done = x->done_ps;
	lag = na_time_between(x->seen_ps, op->end_ps);
	if (took <= WF_WAITS_PS || x->seen_ps < op->start_ps) {
		*at_ps = wf_plus(started, took);
		lag = 0;
	} else {
		*at_ps = wf_plus(started, WF_WAITS_PS);
	}
	if (wf_plus(done, lag) > *at_ps)
		*at_ps = wf_plus(done, lag);
	return true;
}

static void run(struct wf_sim *s, uint32_t program)
{
	struct program *p = &s->programs[program];

	for (; p->next < p->end; p->next++) {
		const struct item *x = &s->items[p->next];
		const struct wf_event *e = &s->w->events.v[x->event];
		int64_t at = wf_plus(p->at_ps,
				     wf_minus(x->seen_ps, p->seen_ps));

		if (s->spared)
			at = wf_minus(at, x->own_ps);
		if (e->kind == WF_WAITED && !pass_wait(s, p, e->of, &at))
			return;
		if (e->kind == WF_ENDED)
			s->ends_ps[e->of] = at;
		p->at_ps = at;
		p->seen_ps = x->seen_ps;
		begin_after(s, x, at);
	}
}

/* One of what an execution waits for is there. */
static void arrive(struct wf_sim *s, uint32_t line, int64_t seen_ps, bool sends)
{
	uint32_t exec = s->w->lines.v[line].exec;
	struct exec *x = &s->execs[exec];
	uint32_t program =
		s->w->place_keys.keys[s->w->execs.v[exec].place].a;

	if (!wf_counts(s, line, seen_ps, sends) || !x->left)
		return;
	x->done_ps = s->now_ps;
	if (--x->left == 0 && s->programs[program].waits == exec) {
		s->programs[program].waits = WF_NONE;
		run(s, program);
	}
}

/* ---- transfers */

/* After what its turn waits for.  Where hosts have queues, the few sends that
 * follow nothing that is seen have waited in one, too.  Where nobody's
 * transfers are asked about, queues are nearly as long as they were, and what
 * they held each send of a turn stays. */
static int64_t lag_of(const struct wf_sim *s, const struct wf_move *m)
{
	const struct na_whatif *w = s->w;
	int64_t idle = w->idle_ps[m->turn];

	if (m->behind != WF_NONE)
		return s->ask->own ? w->least_ps[m->turn] : idle;
	return s->ask->own || w->some_held || !(s->turns_out || s->turns_in)
		       ? wf_plus(idle, m->held_ps)
		       : idle;
}

static void satisfy(struct wf_sim *s, struct group *g)
{
	const struct na_whatif *w = s->w;

	if (--g->left)
		return;
	for (uint32_t i = g->sends; i != WF_NONE; i = s->moves[i].next) {
		const struct wf_move *m = &w->moves.v[i];

		plan(s, wf_plus(s->now_ps, lag_of(s, m)), READY, i);
	}
}

static int64_t posted_at(const struct wf_sim *s, const struct wf_move *m)
{
	const struct wf_line *l = &s->w->lines.v[m->to];

	return wf_plus(s->lines[m->to].begin_ps,
		       wf_minus(m->posted_ps, l->begin_ps));
}

/* Its receiver has not begun: it waits there. */
static bool wait_for_line(struct wf_sim *s, uint32_t move)
{
	struct line *l = &s->lines[s->w->moves.v[move].to];

	if (s->w->moves.v[move].posted_ps == NA_UNKNOWN_PS ||
	    l->begin_ps != NA_UNKNOWN_PS)
		return false;
	s->moves[move].waiting = l->waiting;
	l->waiting = move;
	return true;
}

static void begin(struct wf_sim *s, uint32_t line)
{
	struct line *l = &s->lines[line];

	if (l->begin_ps != NA_UNKNOWN_PS)
		return;
	l->begin_ps = s->now_ps;
	for (uint32_t i = l->groups; i != WF_NONE; i = s->groups.v[i].next)
		satisfy(s, &s->groups.v[i]);
	for (uint32_t i = l->waiting, next; i != WF_NONE; i = next) {
		next = s->moves[i].waiting;
		/* Others of its message have sent a twin: it is there. */
		plan(s, posted_at(s, &s->w->moves.v[i]),
		     s->rendezvous && !s->w->moves.v[i].twin ? TRY : TAKE, i);
	}
}

static void ready(struct wf_sim *s, uint32_t move)
{
	const struct wf_move *m = &s->w->moves.v[move];

	if (!s->rendezvous || m->posted_ps == NA_UNKNOWN_PS) {
		plan(s, s->now_ps, TRY, move);
		return;
	}
	if (!wait_for_line(s, move))
		plan(s, posted_at(s, m), TRY, move);
}

static int64_t *earliest(int64_t *free_ps, uint32_t host, unsigned turns)
{
	int64_t *v = &free_ps[(size_t)host * (turns ? turns : 1)], *best = v;

	for (unsigned i = 1; i < turns; i++)
		best = v[i] < *best ? &v[i] : best;
	return best;
}

static void try_send(struct wf_sim *s, uint32_t move)
{
	const struct na_whatif *w = s->w;
	const struct wf_move *m = &w->moves.v[move];
	int64_t excess = wf_excess_ps(w, s->ask, m), start = s->now_ps;
	int64_t kept = s->spared ? 0 : excess, gone = s->spared ? excess : 0;
	int64_t way = wf_plus(wf_way_ps(s, m), kept);
	int64_t span = m->gone_ps == NA_UNKNOWN_PS
			       ? way
			       : na_time_between(wf_plus(m->sent_ps, gone),
						 m->gone_ps);
	int64_t *out = earliest(s->out_ps, wf_host_of(w, m->from),
				s->turns_out);
	int64_t *in = earliest(s->in_ps, wf_host_of(w, m->to), s->turns_in);

	if (s->turns_out && *out > start)
		start = *out;
	if (s->turns_in && *in > start)
		start = *in;
	*out = wf_plus(start, span > 0 ? span : 0);
	*in = wf_plus(start, way > 0 ? way : 0);
	for (uint32_t i = move; i != WF_NONE; i = w->moves.v[i].next_twin) {
		plan(s, *in, TAKE, i);
		if (wf_counts(s, w->moves.v[i].from, w->moves.v[i].gone_ps,
			      true))
			plan(s, *out, GO, i);
	}
}

static void take(struct wf_sim *s, uint32_t move)
{
	const struct na_whatif *w = s->w;
	const struct wf_move *m = &w->moves.v[move];
	uint32_t i;

	if (wait_for_line(s, move))
		return;
	assert(s->got[m->cell] < w->cells.v[m->cell].n);
	i = s->followed[w->cells.v[m->cell].first + s->got[m->cell]++];
	for (; i != WF_NONE; i = s->followers.v[i].next)
		satisfy(s, &s->groups.v[s->followers.v[i].group]);
	arrive(s, m->to, m->taken_ps, false);
}

static void handle(struct wf_sim *s, enum what what, uint32_t id)
{
	switch (what) {
	case BEGIN:
		begin(s, id);
		break;
	case READY:
		ready(s, id);
		break;
	case TRY:
		try_send(s, id);
		break;
	case TAKE:
		take(s, id);
		break;
	case GO:
		arrive(s, s->w->moves.v[id].from, s->w->moves.v[id].gone_ps,
		       true);
		break;
	}
}

/* The records contradict each other: the first program that waits for what
 * never comes goes on as it did.  False: none does. */
static bool force(struct wf_sim *s, size_t *first)
{
	struct program *p;

	while (*first < s->n_programs && s->programs[*first].next >=
						 s->programs[*first].end)
		++*first;
	if (*first == s->n_programs)
		return false;
	p = &s->programs[*first];
	if (p->waits != WF_NONE) {
		s->execs[p->waits].left = 0;
		s->execs[p->waits].done_ps = NA_UNKNOWN_PS;
		p->waits = WF_NONE;
	}
	run(s, (uint32_t)*first);
	return true;
}

static void reset(struct wf_sim *s)
{
	const struct na_whatif *w = s->w;

	s->now_ps = NA_TIME_MIN;
	memset(s->got, 0, w->cells.n * sizeof(*s->got));
	for (size_t i = 0; i < s->groups.n; i++)
		s->groups.v[i].left = s->groups.v[i].needs;
	for (size_t i = 0; i < w->lines.n; i++) {
		s->lines[i].begin_ps = NA_UNKNOWN_PS;
		s->lines[i].waiting = WF_NONE;
	}
	for (size_t i = 0; i < w->execs.n; i++) {
		s->execs[i].left = s->execs[i].needs;
		s->execs[i].done_ps = NA_UNKNOWN_PS;
	}
	for (size_t i = 0; i < s->n_programs; i++) {
		s->programs[i].next = s->programs[i].first;
		s->programs[i].waits = WF_NONE;
	}
	for (size_t i = 0; i < s->n_out; i++)
		s->out_ps[i] = NA_TIME_MIN;
	for (size_t i = 0; i < s->n_in; i++)
		s->in_ps[i] = NA_TIME_MIN;
}

static void start(struct wf_sim *s)
{
	for (uint32_t i = 0; i < s->w->lines.n; i++)
		if (s->lines[i].alone)
			plan(s, s->lines[i].lag_ps, BEGIN, i);
	for (uint32_t i = 0; i < s->n_programs; i++) {
		struct program *p = &s->programs[i];

		if (p->next == p->end)
			continue;
		p->seen_ps = p->at_ps = s->items[p->next].seen_ps;
		run(s, i);
	}
}

bool wf_sim_run(struct wf_sim *s, bool spared, int64_t *ends_ps)
{
	unsigned what;
	uint32_t id;
	size_t first = 0;

	s->spared = spared;
	s->ends_ps = ends_ps;
	reset(s);
	start(s);
	do {
		while (!s->failed &&
		       na_queue_take(&s->queue, &s->now_ps, &what, &id))
			handle(s, (enum what)what, id);
	} while (!s->failed && force(s, &first));
	return !s->failed;
}
