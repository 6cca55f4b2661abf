/* The graph once, in topological order: a host goes on until it would receive
 * what was not sent yet. */
#include "netan/methods/whatif/state.h"

/* Above this a transfer is in a spell. */
#define SLOW_FROM 1.3
#define UNBOUNDED NA_TIME_MAX

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

	*saved_ps = least(wf_plus(*saved_ps, na_time_between(*at_ps, later)),
			  wf_plus(saved_now_ps,
				  na_time_between(now_ps, later)));
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
static int64_t *program_at(const struct na_whatif *w, uint32_t place)
{
	return &w->saved_ps[w->place_keys.keys[place].a];
}

/* The first launch that nothing is known to have followed; WF_NONE. */
static uint32_t idle_launch(const struct na_whatif *w, struct wf_place *p)
{
	while (p->idle != WF_NONE && w->ops.v[p->idle].exec != WF_NONE)
		p->idle = w->ops.v[p->idle].next;
	return p->idle;
}

/* An execution that was launched begins. */
static void open_exec(struct na_whatif *w, uint32_t exec, int64_t at_ps)
{
	struct wf_exec *x = &w->execs.v[exec];
	struct wf_place *p = &w->places.v[x->place];
	uint32_t launch = x->launch == WF_NONE ? idle_launch(w, p) : x->launch;
	int64_t saved = *program_at(w, x->place);

	if (x->begun)
		return;
	if (launch != WF_NONE) {
		saved = w->ops.v[launch].saved_ps;
		w->ops.v[launch].exec = w->ops.v[launch].of = exec;
	}
	x->begun = true;
	x->begin_saved_ps = saved;
	if (!x->any) {
		x->any = true;
		x->at_ps = at_ps;
		x->saved_ps = saved;
	} else {
		meet(&x->at_ps, &x->saved_ps, at_ps, saved);
	}
	p->exec = exec;
	p->early = WF_NONE;
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

/* unsent: nothing is known of its send. */
static int64_t taken_saved(const struct replay *r, const struct wf_move *m,
			   bool unsent)
{
	const struct wf_line *l = &r->w->lines.v[m->to];
	int64_t saved = unsent ? UNBOUNDED
			       : wf_plus(m->gone_saved, m->waited_ps);

	if (m->posted_ps != NA_UNKNOWN_PS)
		saved = least(saved,
			      wf_plus(m->posted_saved,
				   na_time_between(m->posted_ps, m->taken_ps)));
	if (saved != UNBOUNDED)
		return saved;
	return l->any ? l->saved_ps : 0;
}

static void take(struct replay *r, struct wf_move *m, bool unsent)
{
	struct na_whatif *w = r->w;
	struct wf_line *l = &w->lines.v[m->to];
	struct wf_cell *c = &w->cells.v[m->cell];
	struct wf_exec *x = &w->execs.v[l->exec];
	struct wf_place *p = &w->places.v[x->place];
	int64_t saved = taken_saved(r, m, unsent);

	if (!x->begun && idle_launch(w, p) != WF_NONE)
		open_exec(w, l->exec, m->taken_ps);
	else if (!x->begun)
		p->early = l->exec;
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
	if (c->got == 0) {
		c->at_ps = m->taken_ps;
		c->saved_ps = saved;
	}
	meet(&c->at_ps, &c->saved_ps, m->taken_ps, saved);
	w->after[c->first + c->got++] = c->saved_ps;
	meet(&x->at_ps, &x->saved_ps, m->taken_ps, saved);
}

/* What an op waits for: of the first launch that nobody has waited for, where
 * launches are told. */
static uint32_t awaited(const struct na_whatif *w, struct wf_place *p)
{
	uint32_t launch = p->first;

	if (launch == WF_NONE)
		return p->exec;
	p->first = w->ops.v[launch].next;
	if (p->first == WF_NONE)
		p->last = WF_NONE;
	if (p->idle == launch)
		p->idle = p->first;
	return w->ops.v[launch].exec;
}

static void await(struct na_whatif *w, struct wf_op *op)
{
	struct wf_place *p = &w->places.v[op->place];
	int64_t took = na_time_between(op->start_ps, op->end_ps), at, saved;
	int64_t *saved_ps = program_at(w, op->place);
	uint32_t exec = awaited(w, p);
	struct wf_exec *x;

	if (exec == WF_NONE)
		return;
	op->of = exec;
	x = &w->execs.v[exec];
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

/* `recv` and `send` launch an execution together. */
static void launch(struct na_whatif *w, uint32_t id)
{
	struct wf_op *op = &w->ops.v[id];
	struct wf_place *p = &w->places.v[op->place];
	struct wf_op *last = p->last == WF_NONE ? NULL : &w->ops.v[p->last];

	op->saved_ps = *program_at(w, op->place);
	if (last && !last->both && last->receives != op->receives) {
		last->both = true;
		last->saved_ps = op->saved_ps;
		return;
	}
	if (last)
		last->next = id;
	else
		p->first = id;
	p->last = id;
	if (p->idle == WF_NONE)
		p->idle = id;
	op->exec = p->early;
	if (p->early != WF_NONE)
		op->of = p->early;
	if (p->early != WF_NONE) {
		w->execs.v[p->early].launch = id;
		p->exec = p->early;
	}
	p->early = WF_NONE;
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

static void happen(struct replay *r, const struct wf_event *e, bool unsent)
{
	struct na_whatif *w = r->w;
	struct wf_move *m = &w->moves.v[e->of];

	switch (e->kind) {
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
		launch(w, e->of);
		break;
	case WF_WAITED:
		await(w, &w->ops.v[e->of]);
		break;
	default:
		w->ends.v[e->of].saved_ps =
			w->saved_ps[w->ends.v[e->of].core];
		break;
	}
}

/* What it comes after did not happen yet. */
static bool unsent(const struct na_whatif *w, const struct wf_event *e)
{
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

/* Where all wait, the records contradict each other: the first host with
 * something left takes it as it is.  False: none has. */
static bool force(struct replay *r, size_t *first)
{
	struct na_whatif *w = r->w;

	while (*first < w->n_hosts &&
	       w->hosts[*first].next == w->hosts[*first].end)
		++*first;
	if (*first == w->n_hosts)
		return false;
	happen(r, &w->events.v[w->hosts[*first].next], true);
	w->hosts[*first].next++;
	wake(r, (uint32_t)*first);
	return true;
}

static void reset(struct na_whatif *w)
{
	for (size_t i = 0; i < w->moves.n; i++)
		w->moves.v[i].sent = w->moves.v[i].posted = false;
	for (size_t i = 0; i < w->lines.n; i++)
		w->lines.v[i].any = w->lines.v[i].begun = false;
	for (size_t i = 0; i < w->cells.n; i++)
		w->cells.v[i].got = 0;
	for (size_t i = 0; i < w->execs.n; i++)
		w->execs.v[i].any = w->execs.v[i].begun =
			w->execs.v[i].gone = w->execs.v[i].awaited = false;
	for (size_t i = 0; i < w->execs.n; i++)
		w->execs.v[i].launch = WF_NONE;
	for (size_t i = 0; i < w->ops.n; i++) {
		w->ops.v[i].exec = w->ops.v[i].next = WF_NONE;
		w->ops.v[i].both = false;
	}
	for (size_t i = 0; i < w->places.n; i++)
		w->places.v[i] =
			(struct wf_place){.exec = WF_NONE,
					  .early = WF_NONE,
					  .first = WF_NONE,
					  .last = WF_NONE,
					  .idle = WF_NONE,
					  .apart = w->places.v[i].apart};
	for (size_t i = 0; i < w->store->devices.n_cores + w->n_hosts; i++)
		w->saved_ps[i] = 0;
	for (size_t i = 0; i < w->n_hosts; i++) {
		w->hosts[i].next = w->hosts[i].first;
		w->hosts[i].queued = false;
	}
}

void wf_replay(struct na_whatif *w, const struct na_whatif_ask *ask)
{
	struct replay r = {.w = w, .ask = ask};
	size_t first = 0;

	reset(w);
	for (uint32_t i = 0; i < w->n_hosts; i++)
		wake(&r, i);
	do {
		while (r.n_queue) {
			struct wf_host *h = &w->hosts[w->queue[--r.n_queue]];

			h->queued = false;
			go_on(&r, h);
		}
	} while (force(&r, &first));
}
