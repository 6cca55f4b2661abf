/*
 * The job once more, with the queues of its hosts: as many transfers of a host
 * go on at once, in and out, as ever did, and who comes first goes first.  All
 * else that happens comes as long after what it waits for as it did.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/queue.h"
#include "netan/methods/whatif/state.h"

enum what { BEGIN, READY, TRY, TAKE, GO };

enum { TURNS_MOST = 64 }; /* of a host, at once each way */

/* An op that takes longer waits. */
#define WAITS_PS (20 * NA_PS_PER_US)
/* By so much the clocks of two hosts may be apart here. */
#define APART_PS (60 * NA_PS_PER_US)
/* Of the sends: fewer that wait in a queue are no queue. */
#define QUEUED 0.05

struct item { /* of a program */
	int64_t seen_ps;
	uint32_t event;
	uint32_t lines; /* that begin after it; WF_NONE */
};

struct program {
	size_t next, end; /* items */
	int64_t seen_ps, at_ps; /* of the last one */
	uint32_t waits;         /* for this execution; WF_NONE */
};

struct group { /* sends of a line that wait for the same */
	uint32_t left, sends, next;
};

struct follower { /* a group that waits for a receive */
	uint32_t group, next;
};

struct line {
	int64_t begin_ps; /* NA_UNKNOWN_PS */
	int64_t lag_ps;   /* behind its item */
	uint32_t next;    /* of the item */
	uint32_t groups;
	uint32_t waiting; /* moves, for it to begin */
};

struct exec {
	uint32_t left; /* transfers until the op goes on */
	uint32_t op;
	int64_t seen_ps, done_ps;
};

struct move {
	uint32_t next;    /* of its group */
	uint32_t waiting; /* of the line that it waits for */
};

struct sim {
	struct na_whatif *w;
	const struct na_whatif_ask *ask;
	bool spared; /* its excess */
	int64_t *shift_ps; /* by host, of its clock */
	struct na_queue queue;
	struct item *items;
	struct program *programs;
	size_t n_programs;
	NA_VEC(struct group) groups;
	struct na_triples group_keys;
	NA_VEC(struct follower) followers;
	uint32_t *followed; /* by receive of a cell: its first follower */
	struct line *lines;
	struct exec *execs;
	struct move *moves;
	uint32_t *got; /* by cell */
	int64_t *out_ps, *in_ps; /* [host * TURNS_MOST + turn]: free from */
	unsigned turns_out, turns_in; /* 0: no queues */
	bool rendezvous;
	int64_t *ends_ps;
	int64_t now_ps;
	bool failed;
};

static void plan(struct sim *s, int64_t at_ps, enum what what, uint32_t id)
{
	s->failed |= !na_queue_put(&s->queue,
				   at_ps > s->now_ps ? at_ps : s->now_ps, what,
				   id);
}

static uint32_t host_of(const struct na_whatif *w, uint32_t line)
{
	return w->execs.v[w->lines.v[line].exec].host;
}

static int64_t common(const struct sim *s, uint32_t line, int64_t at_ps)
{
	uint32_t host = host_of(s->w, line);

	return wf_plus(na_host_clocks_time(s->w->clocks, host, at_ps),
		       s->shift_ps[host]);
}

/* ---- clocks */

enum { ROUNDS = 16 };

/* From a send to its receive without its excess; negative: clocks differ. */
static int64_t way_ps(const struct sim *s, const struct wf_move *m)
{
	int64_t way = wf_minus(common(s, m->to, m->taken_ps),
			       common(s, m->from, m->sent_ps));

	return wf_minus(way, wf_plus(m->waited_ps,
				     wf_excess_ps(s->w, s->ask, m)));
}

/* Who is slow one way makes clocks look apart.  They are moved until nothing
 * arrives before it was sent. */
static void move_clocks(struct sim *s)
{
	const struct na_whatif *w = s->w;
	bool moved = true;

	for (int i = 0; moved && i < ROUNDS; i++) {
		moved = false;
		for (size_t k = 0; k < w->moves.n; k++) {
			const struct wf_move *m = &w->moves.v[k];
			int64_t way = way_ps(s, m), *shift;

			if (way >= 0)
				continue;
			shift = &s->shift_ps[host_of(w, m->to)];
			*shift = wf_minus(*shift, way);
			moved = true;
		}
	}
}

/* ---- how many at once */

struct edge {
	uint32_t host;
	int64_t at_ps;
	int32_t by;
};

NA_ORDER(by_edge, struct edge, NA_UP(host), NA_UP(at_ps), NA_UP(by))

static unsigned most_at_once(struct edge *v, size_t n)
{
	int32_t now = 0, most = 0;

	na_sort(v, n, by_edge);
	for (size_t i = 0; i < n; i++) {
		now = i && v[i].host != v[i - 1].host ? v[i].by : now + v[i].by;
		most = now > most ? now : most;
	}
	return (unsigned)most;
}

static bool count_turns(struct sim *s)
{
	const struct na_whatif *w = s->w;
	struct edge *out = na_calloc(2 * w->moves.n, sizeof(*out));
	struct edge *in = na_calloc(2 * w->moves.n, sizeof(*in));
	size_t n_out = 0, n_in = 0;

	for (size_t i = 0; out && in && i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];
		int64_t from = common(s, m->from, m->sent_ps);
		int64_t to = common(s, m->to, m->taken_ps);

		if (m->twin)
			continue;
		if (m->gone_ps > m->sent_ps) {
			uint32_t h = host_of(w, m->from);

			out[n_out++] = (struct edge){h, m->sent_ps, 1};
			out[n_out++] = (struct edge){h, m->gone_ps, -1};
		}
		if (na_time_between(from, to) > 2 * APART_PS) {
			uint32_t h = host_of(w, m->to);

			in[n_in++] = (struct edge){h, from + APART_PS, 1};
			in[n_in++] = (struct edge){h, to - APART_PS, -1};
		}
	}
	if (out && in && (double)w->n_queued > QUEUED * (double)w->moves.n) {
		s->turns_out = most_at_once(out, n_out);
		s->turns_in = most_at_once(in, n_in);
		if (s->turns_out > TURNS_MOST || !n_out)
			s->turns_out = 0;
		if (s->turns_in > TURNS_MOST || !n_in)
			s->turns_in = 0;
	}
	s->failed |= !out || !in;
	free(out);
	free(in);
	return !s->failed;
}

/* ---- the graph */

static uint32_t program_of(const struct na_whatif *w, const struct wf_event *e)
{
	return e->kind == WF_ENDED
		       ? w->ends.v[e->of].core
		       : w->place_keys.keys[w->ops.v[e->of].place].a;
}

static bool of_program(const struct wf_event *e)
{
	return e->kind == WF_LAUNCHED || e->kind == WF_WAITED ||
	       e->kind == WF_ENDED;
}

static bool lay_out_items(struct sim *s)
{
	const struct na_whatif *w = s->w;
	size_t n = 0;

	for (size_t i = 0; i < w->events.n; i++) {
		if (of_program(&w->events.v[i])) {
			s->programs[program_of(w, &w->events.v[i])].end++;
			n++;
		}
	}
	s->items = na_calloc(n, sizeof(*s->items));
	n = 0;
	for (size_t i = 0; i < s->n_programs; i++) {
		size_t own = s->programs[i].end;

		s->programs[i].next = s->programs[i].end = n;
		s->programs[i].waits = WF_NONE;
		n += own;
	}
	for (size_t i = 0; s->items && i < w->events.n; i++) {
		const struct wf_event *e = &w->events.v[i];

		if (of_program(e))
			s->items[s->programs[program_of(w, e)].end++] =
				(struct item){
					wf_plus(na_host_clocks_time(w->clocks,
								    e->host,
								    e->at_ps),
						s->shift_ps[e->host]),
					(uint32_t)i, WF_NONE};
	}
	return s->items;
}

/* The last item of its program before a line begins, or what launched it. */
static void anchor(struct sim *s, uint32_t line, const uint32_t *item_of)
{
	const struct na_whatif *w = s->w;
	const struct wf_line *l = &w->lines.v[line];
	const struct wf_exec *x = &w->execs.v[l->exec];
	const struct program *p =
		&s->programs[w->place_keys.keys[x->place].a];
	int64_t seen = common(s, line, l->begin_ps);
	uint32_t item = item_of[l->exec];

	if (!l->begun)
		return;
	if (item == WF_NONE) {
		size_t k = NA_BOUND(i, p->next, p->end,
				    s->items[i].seen_ps > seen);

		item = k > p->next ? (uint32_t)(k - 1) : WF_NONE;
	}
	if (item == WF_NONE) {
		plan(s, seen, BEGIN, line);
		return;
	}
	s->lines[line].lag_ps = wf_minus(seen, s->items[item].seen_ps);
	s->lines[line].next = s->items[item].lines;
	s->items[item].lines = line;
}

static bool anchor_lines(struct sim *s)
{
	struct na_whatif *w = s->w;
	uint32_t *item_of = na_calloc(w->execs.n, sizeof(*item_of));

	if (!item_of)
		return false;
	for (size_t i = 0; i < w->execs.n; i++)
		item_of[i] = WF_NONE;
	for (size_t i = 0; i < s->n_programs; i++)
		for (size_t k = s->programs[i].next; k < s->programs[i].end;
		     k++) {
			const struct wf_event *e =
				&w->events.v[s->items[k].event];

			if (e->kind == WF_LAUNCHED &&
			    w->ops.v[e->of].of != WF_NONE)
				item_of[w->ops.v[e->of].of] = (uint32_t)k;
			if (e->kind == WF_WAITED &&
			    w->ops.v[e->of].of != WF_NONE)
				s->execs[w->ops.v[e->of].of].op = e->of;
		}
	for (uint32_t i = 0; i < w->lines.n; i++)
		anchor(s, i, item_of);
	free(item_of);
	return true;
}

static uint32_t need(const struct na_whatif *w, uint32_t turn, uint32_t cell)
{
	uint32_t k = na_triples_find(
		&w->need_keys,
		(struct na_triple){turn, w->cell_keys.keys[cell].b, 0});
	uint32_t n = k == NA_NO_TRIPLE ? 0 : w->needs.v[k];

	return n <= w->cells.v[cell].n ? n : 0;
}

/* What a new group waits for: its line, and receives. */
static bool open_group(struct sim *s, struct group *g, const struct wf_move *m)
{
	const struct na_whatif *w = s->w;
	uint32_t id = (uint32_t)(g - s->groups.v);
	uint32_t i = w->lines.v[m->from].cells;

	g->left = 1;
	g->sends = WF_NONE;
	g->next = s->lines[m->from].groups;
	s->lines[m->from].groups = id;
	for (; i != WF_NONE; i = w->cells.v[i].next) {
		uint32_t n = need(w, m->turn, i), *first;

		if (!n)
			continue;
		first = &s->followed[w->cells.v[i].first + n - 1];
		if (!na_add(&s->followers, ((struct follower){id, *first})))
			return false;
		*first = (uint32_t)s->followers.n - 1;
		g->left++;
	}
	return true;
}

static bool add_to_group(struct sim *s, uint32_t move)
{
	const struct na_whatif *w = s->w;
	const struct wf_move *m = &w->moves.v[move];
	size_t known = s->groups.n;
	struct group *g = na_triples_at(
		&s->group_keys, &s->groups,
		((struct na_triple){m->from, m->turn, 0}));

	if (!g || (s->groups.n > known && !open_group(s, g, m)))
		return false;
	s->moves[move].next = g->sends;
	g->sends = move;
	return true;
}

/* Does the op that waits for its execution wait for this end of it? */
static bool counts(const struct sim *s, uint32_t line, int64_t at_ps,
		   bool sends)
{
	const struct na_whatif *w = s->w;
	const struct wf_exec *x = &w->execs.v[w->lines.v[line].exec];
	const struct exec *e = &s->execs[w->lines.v[line].exec];

	return e->op != WF_NONE && at_ps != NA_UNKNOWN_PS &&
	       at_ps <= w->ops.v[e->op].end_ps &&
	       !(sends && w->places.v[x->place].apart);
}

static void count_end(struct sim *s, uint32_t line, int64_t at_ps, bool sends)
{
	struct exec *e = &s->execs[s->w->lines.v[line].exec];

	if (!counts(s, line, at_ps, sends))
		return;
	if (!e->left || at_ps > e->seen_ps)
		e->seen_ps = at_ps;
	e->left++;
}

static bool lay_out_moves(struct sim *s)
{
	struct na_whatif *w = s->w;
	size_t before = 0, posted = 0;
	bool ok = true;

	/* The last one first: a group has them as they were sent. */
	for (size_t i = w->events.n; ok && i-- > 0;)
		ok = w->events.v[i].kind != WF_SENT ||
		     w->moves.v[w->events.v[i].of].twin ||
		     add_to_group(s, w->events.v[i].of);
	for (uint32_t i = 0; ok && i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		count_end(s, m->to, m->taken_ps, false);
		count_end(s, m->from, m->gone_ps, true);
		if (m->posted_ps == NA_UNKNOWN_PS)
			continue;
		posted++;
		before += na_time_between(common(s, m->from, m->sent_ps),
					  common(s, m->to, m->posted_ps)) >
			  APART_PS;
	}
	s->rendezvous = posted && 100 * before < posted;
	return ok;
}

/* ---- programs */

static void run(struct sim *s, uint32_t program);

static void begin_after(struct sim *s, const struct item *x, int64_t at_ps)
{
	for (uint32_t i = x->lines; i != WF_NONE; i = s->lines[i].next)
		plan(s, wf_plus(at_ps, s->lines[i].lag_ps), BEGIN, i);
}

/* False: it waits. */
static bool pass_wait(struct sim *s, struct program *p, uint32_t id,
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
	if (took <= WAITS_PS || x->seen_ps < op->start_ps) {
		*at_ps = wf_plus(started, took);
		lag = 0;
	} else {
		*at_ps = wf_plus(started, WAITS_PS);
	}
	if (wf_plus(done, lag) > *at_ps)
		*at_ps = wf_plus(done, lag);
	return true;
}

static void run(struct sim *s, uint32_t program)
{
	struct program *p = &s->programs[program];

	for (; p->next < p->end; p->next++) {
		const struct item *x = &s->items[p->next];
		const struct wf_event *e = &s->w->events.v[x->event];
		int64_t at = wf_plus(p->at_ps,
				     wf_minus(x->seen_ps, p->seen_ps));

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
static void arrive(struct sim *s, uint32_t line, int64_t seen_ps, bool sends)
{
	uint32_t exec = s->w->lines.v[line].exec;
	struct exec *x = &s->execs[exec];
	uint32_t program =
		s->w->place_keys.keys[s->w->execs.v[exec].place].a;

	if (!counts(s, line, seen_ps, sends) || !x->left)
		return;
	x->done_ps = s->now_ps;
	if (--x->left == 0 && s->programs[program].waits == exec) {
		s->programs[program].waits = WF_NONE;
		run(s, program);
	}
}

/* ---- transfers */

static void satisfy(struct sim *s, struct group *g)
{
	const struct na_whatif *w = s->w;

	if (--g->left)
		return;
	for (uint32_t i = g->sends; i != WF_NONE; i = s->moves[i].next) {
		const struct wf_move *m = &w->moves.v[i];
		int64_t lag = wf_plus(w->idle_ps[m->turn],
				      m->behind == WF_NONE ? m->held_ps : 0);

		plan(s, wf_plus(s->now_ps, lag), READY, i);
	}
}

static int64_t posted_at(const struct sim *s, const struct wf_move *m)
{
	const struct wf_line *l = &s->w->lines.v[m->to];

	return wf_plus(s->lines[m->to].begin_ps,
		       wf_minus(m->posted_ps, l->begin_ps));
}

/* Its receiver has not begun: it waits there. */
static bool wait_for_line(struct sim *s, uint32_t move)
{
	struct line *l = &s->lines[s->w->moves.v[move].to];

	if (s->w->moves.v[move].posted_ps == NA_UNKNOWN_PS ||
	    l->begin_ps != NA_UNKNOWN_PS)
		return false;
	s->moves[move].waiting = l->waiting;
	l->waiting = move;
	return true;
}

static void begin(struct sim *s, uint32_t line)
{
	struct line *l = &s->lines[line];

	if (l->begin_ps != NA_UNKNOWN_PS)
		return;
	l->begin_ps = s->now_ps;
	for (uint32_t i = l->groups; i != WF_NONE; i = s->groups.v[i].next)
		satisfy(s, &s->groups.v[i]);
	for (uint32_t i = l->waiting, next; i != WF_NONE; i = next) {
		next = s->moves[i].waiting;
		plan(s, posted_at(s, &s->w->moves.v[i]),
		     s->rendezvous ? TRY : TAKE, i);
	}
}

static void ready(struct sim *s, uint32_t move)
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
	int64_t *v = &free_ps[host * TURNS_MOST], *best = v;

	for (unsigned i = 1; i < turns; i++)
		best = v[i] < *best ? &v[i] : best;
	return best;
}

static void try_send(struct sim *s, uint32_t move)
{
	const struct na_whatif *w = s->w;
	const struct wf_move *m = &w->moves.v[move];
	int64_t excess = wf_excess_ps(w, s->ask, m), start = s->now_ps;
	int64_t kept = s->spared ? 0 : excess, gone = s->spared ? excess : 0;
	int64_t way = wf_plus(way_ps(s, m), kept);
	int64_t span = m->gone_ps == NA_UNKNOWN_PS
			       ? way
			       : na_time_between(wf_plus(m->sent_ps, gone),
						 m->gone_ps);
	int64_t *out = earliest(s->out_ps, host_of(w, m->from), s->turns_out);
	int64_t *in = earliest(s->in_ps, host_of(w, m->to), s->turns_in);

	if (s->turns_out && *out > start)
		start = *out;
	if (s->turns_in && *in > start)
		start = *in;
	*out = wf_plus(start, span > 0 ? span : 0);
	*in = wf_plus(start, way > 0 ? way : 0);
	for (uint32_t i = move; i != WF_NONE; i = w->moves.v[i].next_twin) {
		plan(s, *in, TAKE, i);
		plan(s, *out, GO, i);
	}
}

static void take(struct sim *s, uint32_t move)
{
	const struct na_whatif *w = s->w;
	const struct wf_move *m = &w->moves.v[move];
	uint32_t i;

	if (wait_for_line(s, move))
		return;
	i = s->followed[w->cells.v[m->cell].first + s->got[m->cell]++];
	for (; i != WF_NONE; i = s->followers.v[i].next)
		satisfy(s, &s->groups.v[s->followers.v[i].group]);
	arrive(s, m->to, m->taken_ps, false);
}

static void handle(struct sim *s, enum what what, uint32_t id)
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
static bool force(struct sim *s, size_t *first)
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

static void start(struct sim *s)
{
	for (uint32_t i = 0; i < s->n_programs; i++) {
		struct program *p = &s->programs[i];

		if (p->next == p->end)
			continue;
		p->seen_ps = p->at_ps = s->items[p->next].seen_ps;
		run(s, i);
	}
}

static bool make(struct sim *s)
{
	struct na_whatif *w = s->w;

	s->n_programs = w->store->devices.n_cores + w->n_hosts;
	s->programs = na_calloc(s->n_programs, sizeof(*s->programs));
	s->lines = na_calloc(w->lines.n, sizeof(*s->lines));
	s->execs = na_calloc(w->execs.n, sizeof(*s->execs));
	s->moves = na_calloc(w->moves.n, sizeof(*s->moves));
	s->got = na_calloc(w->cells.n, sizeof(*s->got));
	s->followed = na_calloc(w->moves.n, sizeof(*s->followed));
	s->out_ps = na_calloc(w->n_hosts * TURNS_MOST, sizeof(*s->out_ps));
	s->in_ps = na_calloc(w->n_hosts * TURNS_MOST, sizeof(*s->in_ps));
	s->shift_ps = na_calloc(w->n_hosts, sizeof(*s->shift_ps));
	if (!s->programs || !s->lines || !s->execs || !s->moves || !s->got ||
	    !s->followed || !s->out_ps || !s->in_ps || !s->shift_ps)
		return false;
	move_clocks(s);
	s->now_ps = NA_TIME_MIN;
	for (size_t i = 0; i < w->moves.n; i++)
		s->followed[i] = WF_NONE;
	for (size_t i = 0; i < w->lines.n; i++)
		s->lines[i] = (struct line){.begin_ps = NA_UNKNOWN_PS,
					    .next = WF_NONE,
					    .groups = WF_NONE,
					    .waiting = WF_NONE};
	for (size_t i = 0; i < w->execs.n; i++)
		s->execs[i] = (struct exec){.op = WF_NONE,
					    .done_ps = NA_UNKNOWN_PS};
	for (size_t i = 0; i < w->n_hosts * TURNS_MOST; i++)
		s->out_ps[i] = s->in_ps[i] = NA_TIME_MIN;
	return lay_out_items(s) && anchor_lines(s) && lay_out_moves(s) &&
	       count_turns(s);
}

bool wf_simulate(struct na_whatif *w, const struct na_whatif_ask *ask,
		 bool spared, int64_t *ends_ps)
{
	struct sim s = {.w = w,
			.ask = ask,
			.spared = spared,
			.ends_ps = ends_ps};
	unsigned what;
	uint32_t id;
	size_t first = 0;

	s.failed = !make(&s);
	if (!s.failed)
		start(&s);
	do {
		while (!s.failed &&
		       na_queue_take(&s.queue, &s.now_ps, &what, &id))
			handle(&s, (enum what)what, id);
	} while (!s.failed && force(&s, &first));
	na_queue_fini(&s.queue);
	free(s.items);
	free(s.programs);
	na_vec_free(&s.groups);
	na_triples_fini(&s.group_keys);
	free(s.lines);
	free(s.execs);
	free(s.moves);
	free(s.got);
	free(s.followed);
	na_vec_free(&s.followers);
	free(s.out_ps);
	free(s.in_ps);
	free(s.shift_ps);
	return !s.failed;
}
