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

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	return na_add_i64(a, b, &sum) ? sum : NA_TIME_MAX;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What comes at at_ps behind both: what was before, and what is there now. */
static void meet(int64_t *at_ps, int64_t *saved_ps, int64_t now_ps,
		 int64_t saved_now_ps)
{
	int64_t later = now_ps > *at_ps ? now_ps : *at_ps;

	*saved_ps = least(plus(*saved_ps, na_time_between(*at_ps, later)),
			  plus(saved_now_ps, na_time_between(now_ps, later)));
	*at_ps = later;
}

/* ---- a transfer without its excess */

static int64_t excess_ps(const struct replay *r, const struct wf_move *m)
{
	if (!wf_is_its(r->w, r->ask, m))
		return 0;
	if (!r->ask->in_spells)
		return na_time_between(r->w->others_ps[m->stratum], m->took_ps);
	return (double)m->took_ps > SLOW_FROM * (double)m->usual_ps
		       ? na_time_between(m->usual_ps, m->took_ps)
		       : 0;
}

/* ---- events */

/* An execution on a host that waits from now on for what it began. */
static void open_exec(struct na_whatif *w, uint32_t exec, int64_t at_ps)
{
	struct wf_exec *x = &w->execs.v[exec];
	struct wf_place *p = &w->places.v[x->place];
	int64_t saved = p->launched ? p->saved_ps : w->hosts[x->host].saved_ps;

	if (x->begun)
		return;
	x->begun = true;
	x->begin_saved_ps = saved;
	if (!x->any) {
		x->any = true;
		x->at_ps = at_ps;
		x->saved_ps = saved;
	} else {
		meet(&x->at_ps, &x->saved_ps, at_ps, saved);
	}
	p->launched = false;
	p->exec = exec;
	p->next = WF_NONE;
}

/* By its first send, or when it posts its first receive. */
static void begin(struct na_whatif *w, struct wf_line *l, int64_t at_ps)
{
	if (l->begun)
		return;
	open_exec(w, l->exec, at_ps);
	l->begun = true;
	l->begin_saved_ps = w->execs.v[l->exec].begin_saved_ps;
	if (!l->any) {
		l->any = true;
		l->at_ps = at_ps;
		l->saved_ps = l->begin_saved_ps;
	} else {
		meet(&l->at_ps, &l->saved_ps, at_ps, l->begin_saved_ps);
	}
}

static void send(struct na_whatif *w, struct wf_move *m)
{
	struct wf_line *l = &w->lines.v[m->from];
	uint32_t turn = l->early + m->turn;

	begin(w, l, m->sent_ps);
	m->sent_saved = m->turn && turn <= l->got
				? w->after[l->first + turn - 1]
				: l->begin_saved_ps;
	m->sent = true;
}

/* unsent: nothing is known of its send. */
static int64_t taken_saved(const struct replay *r, const struct wf_move *m,
			   bool unsent)
{
	const struct wf_line *l = &r->w->lines.v[m->to];
	int64_t saved = unsent ? UNBOUNDED
			       : plus(plus(m->sent_saved, excess_ps(r, m)),
				      m->waited_ps);

	if (m->posted_ps != NA_UNKNOWN_PS)
		saved = least(saved,
			      plus(m->posted_saved,
				   na_time_between(m->posted_ps, m->taken_ps)));
	if (saved != UNBOUNDED)
		return saved;
	return l->any ? l->saved_ps : 0;
}

static void take(struct replay *r, struct wf_move *m, bool unsent)
{
	struct na_whatif *w = r->w;
	struct wf_line *l = &w->lines.v[m->to];
	struct wf_exec *x = &w->execs.v[l->exec];
	struct wf_place *p = &w->places.v[x->place];
	int64_t saved = taken_saved(r, m, unsent);

	if (!x->begun && p->launched)
		open_exec(w, l->exec, m->taken_ps);
	else if (!x->begun)
		p->next = l->exec;
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
	w->after[l->first + l->got++] = l->saved_ps;
	meet(&x->at_ps, &x->saved_ps, m->taken_ps, saved);
}

static void await(struct na_whatif *w, struct wf_host *h,
		  const struct wf_op *op)
{
	const struct wf_place *p = &w->places.v[op->place];
	const struct wf_exec *x;

	if (p->exec == WF_NONE)
		return;
	x = &w->execs.v[p->exec];
	h->saved_ps = least(plus(h->saved_ps,
				 na_time_between(op->start_ps, op->end_ps)),
			    plus(x->saved_ps,
				 na_time_between(x->at_ps, op->start_ps)));
}

static void launch(struct na_whatif *w, const struct wf_host *h,
		   const struct wf_op *op)
{
	struct wf_place *p = &w->places.v[op->place];

	p->launched = true;
	p->saved_ps = h->saved_ps;
	if (p->next != WF_NONE)
		p->exec = p->next;
	p->next = WF_NONE;
}

static void wake(struct replay *r, uint32_t host)
{
	struct wf_host *h = &r->w->hosts[host];

	if (!h->queued && h->next < h->end) {
		h->queued = true;
		r->w->queue[r->n_queue++] = host;
	}
}

static void happen(struct replay *r, struct wf_host *h,
		   const struct wf_event *e, bool unsent)
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
		break;
	case WF_SENT:
		send(w, m);
		wake(r, w->execs.v[w->lines.v[m->to].exec].host);
		break;
	case WF_LAUNCHED:
		launch(w, h, &w->ops.v[e->of]);
		break;
	case WF_WAITED:
		await(w, h, &w->ops.v[e->of]);
		break;
	default:
		w->ends.v[e->of].saved_ps = h->saved_ps;
		break;
	}
}

static bool unsent(const struct na_whatif *w, const struct wf_event *e)
{
	return e->kind == WF_TAKEN && !w->moves.v[e->of].sent;
}

/* Until it would have to wait. */
static void go_on(struct replay *r, struct wf_host *h)
{
	for (; h->next < h->end; h->next++) {
		const struct wf_event *e = &r->w->events.v[h->next];

		if (unsent(r->w, e))
			return;
		happen(r, h, e, false);
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
	happen(r, &w->hosts[*first], &w->events.v[w->hosts[*first].next], true);
	w->hosts[*first].next++;
	wake(r, (uint32_t)*first);
	return true;
}

static void reset(struct na_whatif *w)
{
	for (size_t i = 0; i < w->moves.n; i++)
		w->moves.v[i].sent = false;
	for (size_t i = 0; i < w->lines.n; i++) {
		w->lines.v[i].got = 0;
		w->lines.v[i].any = w->lines.v[i].begun = false;
	}
	for (size_t i = 0; i < w->execs.n; i++)
		w->execs.v[i].any = w->execs.v[i].begun = false;
	for (size_t i = 0; i < w->places.n; i++)
		w->places.v[i] = (struct wf_place){.exec = WF_NONE,
						   .next = WF_NONE};
	for (size_t i = 0; i < w->n_hosts; i++) {
		w->hosts[i].next = w->hosts[i].first;
		w->hosts[i].saved_ps = 0;
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
