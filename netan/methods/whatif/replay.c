/*
 * How much earlier each event would have been without the excess of transfers,
 * in topological order: a host goes on until it would receive what was not sent
 * yet.  What comes after several events is earlier by the least of what each of
 * them is, and of how long before the last of them it was.
 */
#include "netan/methods/whatif/state.h"

/* Above this a transfer is in a spell. */
#define SLOW_FROM 1.3

struct replay {
	struct na_whatif *w;
	const struct na_whatif_ask *ask;
	size_t n_queue;
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What comes at at_ps behind both: what was before, and what is there now. */
static void meet(int64_t *at_ps, int64_t *saved_ps, int64_t now_ps,
		 int64_t saved_now_ps)
{
	int64_t later = now_ps > *at_ps ? now_ps : *at_ps;

	*saved_ps =
		least(wf_plus(*saved_ps, na_time_between(*at_ps, later)),
		      wf_plus(saved_now_ps, na_time_between(now_ps, later)));
	*at_ps = later;
}

/* ---- a transfer without its excess */

int64_t wf_excess_ps(const struct na_whatif *w, const struct na_whatif_ask *ask,
		     const struct wf_move *m)
{
	if (!ask || !wf_is_its(w, ask, m))
		return 0;
	if (!ask->in_spells)
		return na_time_between(m->bare_ps, m->took_ps);
	return (double)m->took_ps > SLOW_FROM * (double)m->usual_ps
		       ? na_time_between(m->usual_ps, m->took_ps)
		       : 0;
}

/* ---- events */

/* What a program saves, by one of its places. */
static struct wf_program *program_of(const struct na_whatif *w, uint32_t place)
{
	return &w->programs[w->place_keys.keys[place].a];
}

static int64_t *program_at(const struct na_whatif *w, uint32_t place)
{
	return &program_of(w, place)->saved_ps;
}

/* An execution that was launched begins. */
static void open_exec(struct na_whatif *w, uint32_t exec, int64_t at_ps)
{
	struct wf_exec *x = &w->execs.v[exec];
	struct wf_program *p = program_of(w, x->place);
	int64_t saved = x->launched ? x->launch_saved_ps : p->saved_ps;

	if (x->begun)
		return;
	x->begun = true;
	p->overlaps |= p->open > 0;
	p->open += x->got < x->n;
	if (x->launched && !p->overlaps && p->any_done) {
		int64_t launch_ps = w->ops.v[x->launch].start_ps;

		meet(&launch_ps, &saved, p->done_ps, p->done_saved_ps);
	}
	x->begin_saved_ps = saved;
	if (!x->any) {
		x->any = true;
		x->at_ps = at_ps;
		x->saved_ps = saved;
	} else {
		meet(&x->at_ps, &x->saved_ps, at_ps, saved);
	}
}

/* By its first send, or when it posts its first receive. */
static void begin(struct na_whatif *w, struct wf_line *l, int64_t at_ps)
{
	if (l->begun)
		return;
	open_exec(w, l->exec, at_ps);
	l->begun = true;
	l->begin_ps = at_ps;
	l->begin_saved_ps = w->execs.v[l->exec].begin_saved_ps;
	if (!l->any) {
		l->any = true;
		l->at_ps = at_ps;
		l->saved_ps = l->begin_saved_ps;
	} else {
		meet(&l->at_ps, &l->saved_ps, at_ps, l->begin_saved_ps);
	}
}

/* Who waits for an execution waits for its sends, unless one was not gone. */
static void leave(struct na_whatif *w, struct wf_exec *x,
		  const struct wf_move *m)
{
	if (x->awaited)
		w->places.v[x->place].apart = true;
	if (m->gone_ps == NA_UNKNOWN_PS)
		return;
	if (!x->gone) {
		x->gone = true;
		x->gone_at_ps = m->gone_ps;
		x->gone_saved_ps = m->gone_saved;
	}
	meet(&x->gone_at_ps, &x->gone_saved_ps, m->gone_ps, m->gone_saved);
}

/* Whether what a send was held for is over, and how much earlier it was. */
static bool is_free(const struct na_whatif *w, const struct wf_move *m)
{
	const struct wf_move *other;

	if (m->behind == WF_NONE)
		return true;
	other = &w->moves.v[m->behind];
	return other == m ? m->posted : other->sent;
}

static int64_t freed(const struct na_whatif *w, const struct wf_move *m)
{
	const struct wf_move *other = &w->moves.v[m->behind];

	return other == m ? m->posted_saved : other->gone_saved;
}

/* When a send has what it waits for on its device. */
static int64_t ready_saved(const struct na_whatif *w, const struct wf_line *l,
			   const struct wf_move *m)
{
	int64_t at = l->begin_ps, saved = l->begin_saved_ps;

	for (uint32_t i = l->cells; i != WF_NONE; i = w->cells.v[i].next) {
		uint32_t k = wf_needed(w, m, i);

		if (k != WF_NONE)
			meet(&at, &saved, w->after_at_ps[k], w->after[k]);
	}
	return saved;
}

static void send(const struct replay *r, struct wf_move *m)
{
	struct na_whatif *w = r->w;
	struct wf_line *l = &w->lines.v[m->from];

	begin(w, l, m->sent_ps);
	m->sent_saved = r->ask ? ready_saved(w, l, m) : 0;
	if (m->behind != WF_NONE && is_free(w, m))
		m->sent_saved = least(wf_plus(m->sent_saved, m->held_ps),
				      freed(w, m));
	m->gone_saved = wf_plus(m->sent_saved, wf_excess_ps(r->w, r->ask, m));
	m->sent = true;
	leave(w, &w->execs.v[l->exec], m);
}

/* A receive that ends this soon after it was posted, or after another one was
 * taken, found its bytes there. */
static int64_t soon_ps(const struct wf_move *m)
{
	int64_t soon = m->took_ps / 8;

	return soon > WF_WAITS_PS ? soon : WF_WAITS_PS;
}

/* It ends after it arrived and was posted, and after those that were taken
 * since.  unsent: nothing is known of its send. */
static int64_t taken_saved(const struct replay *r, const struct wf_move *m,
			   bool unsent)
{
	const struct wf_line *l = &r->w->lines.v[m->to];
	bool posted = m->posted_ps != NA_UNKNOWN_PS;
	int64_t at = m->taken_ps, saved = m->gone_saved;

	if ((posted && na_time_between(m->posted_ps, at) <= soon_ps(m)) ||
	    (l->taken && na_time_between(l->taken_ps, at) <= soon_ps(m)))
		at = wf_minus(at, m->waited_ps);
	if (unsent)
		saved = *program_at(r->w, r->w->execs.v[l->exec].place);
	if (l->taken && l->taken_ps > at)
		meet(&at, &saved, l->taken_ps, l->taken_saved_ps);
	if (posted)
		meet(&at, &saved, m->posted_ps, m->posted_saved);
	return saved;
}

static void end_exec(struct na_whatif *w, const struct wf_exec *x)
{
	struct wf_program *p = program_of(w, x->place);

	p->open -= x->begun;
	p->any_done = true;
	p->done_ps = x->at_ps;
	p->done_saved_ps = x->saved_ps;
}

static void take(struct replay *r, struct wf_move *m, bool unsent)
{
	struct na_whatif *w = r->w;
	struct wf_line *l = &w->lines.v[m->to];
	struct wf_cell *c = &w->cells.v[m->cell];
	struct wf_exec *x = &w->execs.v[l->exec];
	int64_t saved = taken_saved(r, m, unsent);

	if (!x->begun && x->launched)
		open_exec(w, l->exec, m->taken_ps);
	if (!l->any) {
		l->any = true;
		l->at_ps = m->taken_ps;
		l->saved_ps = saved;
	}
	if (!x->any) {
		x->any = true;
		x->at_ps = m->taken_ps;
		x->saved_ps = saved;
	}
	meet(&l->at_ps, &l->saved_ps, m->taken_ps, saved);
	l->taken = true;
	l->taken_ps = m->taken_ps;
	l->taken_saved_ps = saved;
	if (c->got == 0) {
		c->at_ps = m->taken_ps;
		c->saved_ps = saved;
	}
	meet(&c->at_ps, &c->saved_ps, m->taken_ps, saved);
	w->after[c->first + c->got++] = c->saved_ps;
	meet(&x->at_ps, &x->saved_ps, m->taken_ps, saved);
	if (++x->got == x->n)
		end_exec(w, x);
}

static void await(struct na_whatif *w, struct wf_op *op)
{
	struct wf_place *p = &w->places.v[op->place];
	int64_t took = na_time_between(op->start_ps, op->end_ps), at, saved;
	int64_t *saved_ps = program_at(w, op->place);
	struct wf_exec *x;

	if (op->of == WF_NONE)
		return;
	x = &w->execs.v[op->of];
	x->awaited = true;
	p->apart |= x->gone && x->gone_at_ps > op->end_ps;
	at = x->at_ps;
	saved = x->saved_ps;
	if (x->gone && !p->apart)
		meet(&at, &saved, x->gone_at_ps, x->gone_saved_ps);
	if (took <= WF_WAITS_PS)
		saved = wf_plus(saved, na_time_between(at, op->start_ps));
	*saved_ps = least(wf_plus(*saved_ps, took), saved);
}

static void launch(struct na_whatif *w, const struct wf_op *op)
{
	struct wf_exec *x = &w->execs.v[op->of];

	if (op->of == WF_NONE || x->launched)
		return;
	x->launched = true;
	x->launch_saved_ps = *program_at(w, op->place);
}

static void wake(struct replay *r, uint32_t host)
{
	struct wf_host *h = &r->w->hosts[host];

	if (!h->queued && h->next < h->end) {
		h->queued = true;
		r->w->queue[r->n_queue++] = host;
	}
}

static void wake_followers(struct replay *r, const struct wf_move *m)
{
	const struct na_whatif *w = r->w;

	for (uint32_t i = m->followers; i != WF_NONE;
	     i = w->moves.v[i].next_follower)
		wake(r, wf_host_of(w, w->moves.v[i].from));
}

static void come(struct replay *r, const struct wf_guest *g)
{
	const struct na_whatif *w = r->w;
	struct wf_meeting *x = &w->meetings.v[g->meeting];
	int64_t saved = wf_plus(w->programs[g->core].saved_ps, g->early_ps);

	x->saved_ps = x->came ? least(x->saved_ps, saved) : saved;
	if (++x->came < x->n)
		return;
	for (uint32_t i = x->first; i < x->first + x->n; i++)
		wake(r, w->store->devices.cores[w->guests.v[i].core].input);
}

static void end_meeting(struct na_whatif *w, const struct wf_guest *g)
{
	const struct wf_meeting *x = &w->meetings.v[g->meeting];
	int64_t *saved = &w->programs[g->core].saved_ps;

	*saved = least(wf_plus(*saved, g->took_ps),
		       x->came ? x->saved_ps : *saved);
}

static void happen(struct replay *r, const struct wf_event *e, bool unsent)
{
	struct na_whatif *w = r->w;
	struct wf_move *m = &w->moves.v[e->of];

	switch (e->kind) {
	case WF_CAME:
		come(r, &w->guests.v[e->of]);
		break;
	case WF_MET:
		end_meeting(w, &w->guests.v[e->of]);
		break;
	case WF_TAKEN:
		take(r, m, unsent);
		break;
	case WF_POSTED:
		begin(w, &w->lines.v[m->to], m->posted_ps);
		m->posted_saved = w->lines.v[m->to].saved_ps;
		m->posted = true;
		if (m->behind == e->of)
			wake(r, wf_host_of(w, m->from));
		break;
	case WF_SENT:
		send(r, m);
		wake(r, wf_host_of(w, m->to));
		wake_followers(r, m);
		break;
	case WF_LAUNCHED:
		launch(w, &w->ops.v[e->of]);
		break;
	case WF_WAITED:
		await(w, &w->ops.v[e->of]);
		break;
	default:
		w->ends.v[e->of].saved_ps =
			w->programs[w->ends.v[e->of].core].saved_ps;
		break;
	}
}

/* What it comes after did not happen yet. */
static bool unsent(const struct na_whatif *w, const struct wf_event *e)
{
	if (e->kind == WF_MET) {
		const struct wf_meeting *x =
			&w->meetings.v[w->guests.v[e->of].meeting];

		return x->came < x->n;
	}
	if (e->kind == WF_SENT)
		return !is_free(w, &w->moves.v[e->of]);
	return e->kind == WF_TAKEN && !w->moves.v[e->of].sent;
}

/* Until it would have to wait. */
static void go_on(struct replay *r, struct wf_host *h)
{
	for (; h->next < h->end; h->next++) {
		const struct wf_event *e = &r->w->events.v[h->next];

		if (unsent(r->w, e))
			return;
		happen(r, e, false);
	}
}

/* Where all wait, the records contradict each other: the first event of those
 * that are left is taken as it is.  False: nothing is left. */
static bool force(struct replay *r)
{
	struct na_whatif *w = r->w;
	int64_t least_ps = NA_TIME_MAX;
	uint32_t first = WF_NONE;

	for (uint32_t i = 0; i < w->n_hosts; i++) {
		const struct wf_host *h = &w->hosts[i];
		int64_t at;

		if (h->next == h->end)
			continue;
		at = na_host_clocks_time(w->clocks, i,
					 w->events.v[h->next].at_ps);
		if (first == WF_NONE || at < least_ps) {
			first = i;
			least_ps = at;
		}
	}
	if (first == WF_NONE)
		return false;
	happen(r, &w->events.v[w->hosts[first].next++], true);
	wake(r, first);
	return true;
}

static void reset(struct na_whatif *w)
{
	for (size_t i = 0; i < w->moves.n; i++)
		w->moves.v[i].sent = w->moves.v[i].posted = false;
	for (size_t i = 0; i < w->lines.n; i++)
		w->lines.v[i].any = w->lines.v[i].begun = w->lines.v[i].taken =
			false;
	for (size_t i = 0; i < w->cells.n; i++)
		w->cells.v[i].got = 0;
	for (size_t i = 0; i < w->execs.n; i++)
		w->execs.v[i].got = 0;
	for (size_t i = 0; i < w->execs.n; i++)
		w->execs.v[i].any = w->execs.v[i].begun =
			w->execs.v[i].launched = w->execs.v[i].gone =
				w->execs.v[i].awaited = false;
	for (size_t i = 0; i < w->meetings.n; i++)
		w->meetings.v[i].came = 0;
	for (size_t i = 0; i < w->store->devices.n_cores + w->n_hosts; i++)
		w->programs[i] = (struct wf_program){
			.overlaps = w->programs[i].overlaps};
	for (size_t i = 0; i < w->n_hosts; i++) {
		w->hosts[i].next = w->hosts[i].first;
		w->hosts[i].queued = false;
	}
}

void wf_replay(struct na_whatif *w, const struct na_whatif_ask *ask)
{
	struct replay r = {.w = w, .ask = ask};

	reset(w);
	for (uint32_t i = 0; i < w->n_hosts; i++)
		wake(&r, i);
	do {
		while (r.n_queue) {
			struct wf_host *h = &w->hosts[w->queue[--r.n_queue]];

			h->queued = false;
			go_on(&r, h);
		}
	} while (force(&r));
}
