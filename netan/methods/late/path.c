/*
 * The critical path, walked back from the end: of each action its
 * predecessor, the last to end of those that it waited for; from a receive
 * to the peer's send, where that is there.
 *
 * Which actions one waited for its action_inputs tell, where each action of
 * the device has an index of its own; else it is inferred: the last of those kinds
 * that it can wait for to end before it began.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/methods/late/state.h"

#define BIT(kind) (1u << (kind))

enum { INDICES_MAX = 1 << 16 }; /* of the actions of a device */

/* clang-format off */
const unsigned na_late_waits_for[NA_N_ACTIONS] = {
	[NA_ACT_D2H] = BIT(NA_ACT_D2H),
	[NA_ACT_SEND] = BIT(NA_ACT_D2H) | BIT(NA_ACT_RECEIVE) |
			BIT(NA_ACT_COMPUTE),
	[NA_ACT_RECEIVE] = BIT(NA_ACT_D2H) | BIT(NA_ACT_RECEIVE) |
			   BIT(NA_ACT_COMPUTE) | BIT(NA_ACT_SEND),
	[NA_ACT_COMPUTE] = BIT(NA_ACT_D2H) | BIT(NA_ACT_RECEIVE) |
			   BIT(NA_ACT_COMPUTE),
	[NA_ACT_H2D] = BIT(NA_ACT_D2H) | BIT(NA_ACT_RECEIVE) |
		       BIT(NA_ACT_COMPUTE) | BIT(NA_ACT_H2D),
};

static const enum la_kind kind_of[NA_N_ACTIONS] = {
	[NA_ACT_D2H] = LA_D2H, [NA_ACT_SEND] = LA_SEND,
	[NA_ACT_RECEIVE] = LA_RECEIVE, [NA_ACT_COMPUTE] = LA_COMPUTE,
	[NA_ACT_H2D] = LA_H2D,
};
/* clang-format on */

/* The last action of a device, by what it is: what comes first here. */
static const enum na_action_kind ends_with[] = {NA_ACT_H2D, NA_ACT_COMPUTE,
						NA_ACT_RECEIVE, NA_ACT_D2H,
						NA_ACT_SEND};

/* The nodes of one device by the index of their action. */
struct la_numbers {
	uint32_t host, device;
	bool done; /* for that device */
	bool one;  /* no index is of two */
	uint32_t at[INDICES_MAX];
};

struct walk {
	const struct la_all *all;
	struct la_path *p;
	int64_t at_ps; /* what is later is told */
	bool short_of_memory;
};

static const struct la_action *action_at(const struct walk *w, uint32_t node)
{
	return &w->all->actions.v[w->p->nodes.v[node].action];
}

/* An old message's copy tells its host only. */
static bool belongs(const struct la_action *a, uint32_t device, uint32_t host)
{
	return a->host == host && (a->device == device || a->device == LA_NONE);
}

/* From `from` to where the walk stands; nothing before what is asked. */
static void pass(struct walk *w, enum la_kind kind, int64_t from_ps,
		 uint32_t host, uint32_t device, uint32_t action, uint32_t move)
{
	struct la_path *p = w->p;
	struct la_segment *last = p->steps.n ? &p->steps.v[p->steps.n - 1]
					     : NULL;

	from_ps = from_ps < 0 ? 0 : from_ps;
	if (from_ps >= w->at_ps)
		return;
	if (last && last->kind == kind && last->action == action &&
	    last->host == host) {
		w->at_ps = last->from_ps = from_ps;
		return;
	}
	if (!na_add(&p->steps,
		    ((struct la_segment){kind, from_ps, w->at_ps, host, device,
					 action, move})))
		w->short_of_memory = true;
	else
		w->at_ps = from_ps;
}

static void pass_action(struct walk *w, enum la_kind kind, int64_t from_ps,
			uint32_t node, uint32_t move)
{
	const struct la_action *a = action_at(w, node);

	w->p->nodes.v[node].critical = true;
	pass(w, kind, from_ps, a->host,
	     a->device == LA_NONE && a->host == w->p->host ? w->p->device
							   : a->device,
	     w->p->nodes.v[node].action, move);
}

/* Where each kind of action is counted apart, an index is of several. */
static bool one_numbering(const struct la_all *all, const struct la_path *p,
			  const struct la_action *of)
{
	struct la_numbers *n = p->numbers;

	if (n->done && n->host == of->host && n->device == of->device)
		return n->one;
	n->host = of->host;
	n->device = of->device;
	n->done = true;
	n->one = false;
	memset(n->at, 0xff, sizeof(n->at));
	for (uint32_t i = 0; i < p->nodes.n; i++) {
		const struct la_action *a =
			&all->actions.v[p->nodes.v[i].action];
		uint32_t k = (uint32_t)a->index;

		if (a->kind == NA_ACT_GRAPH || a->host != of->host ||
		    a->device != of->device)
			continue;
		if (k >= INDICES_MAX || n->at[k] != LA_NONE)
			return false;
		n->at[k] = i;
	}
	n->one = true;
	return true;
}

uint32_t na_late_told_before(const struct la_all *all, const struct la_path *p,
			     uint32_t node)
{
	const struct la_action *a = &all->actions.v[p->nodes.v[node].action];
	const char *s = na_strtab_at(&all->texts, a->inputs);
	uint32_t best = LA_NONE;

	if (!*s || !one_numbering(all, p, a))
		return LA_NONE;
	while (*s) {
		char *end;
		uint64_t x;
		uint32_t i;

		if (*s < '0' || *s > '9') {
			s++;
			continue;
		}
		x = strtoull(s, &end, 10);
		s = end;
		i = x < INDICES_MAX ? p->numbers->at[x] : LA_NONE;
		if (i == LA_NONE || i == node ||
		    p->nodes.v[i].end_ps > p->nodes.v[node].end_ps)
			return LA_NONE;
		if (best == LA_NONE || i > best)
			best = i;
	}
	return best;
}

/* The last that ended by then and that it can have waited for. */
static uint32_t ended_by(const struct walk *w, uint32_t node, int64_t by_ps)
{
	const struct la_action *of = action_at(w, node);

	for (uint32_t i = node; i-- > 0;) {
		const struct la_action *a = action_at(w, i);

		if (w->p->nodes.v[i].end_ps <= by_ps &&
		    na_late_waits_for[of->kind] & BIT(a->kind) &&
		    belongs(a, of->device, of->host))
			return i;
	}
	return LA_NONE;
}

static uint32_t before(struct walk *w, uint32_t node)
{
	const struct la_node *n = &w->p->nodes.v[node];
	uint8_t kind = action_at(w, node)->kind;
	uint32_t i = na_late_told_before(w->all, w->p, node);

	if (i != LA_NONE) {
		w->p->told = true;
		return i;
	}
	i = ended_by(w, node, n->start_ps);
	/* It began before what it works on was there. */
	if (i == LA_NONE && (kind == NA_ACT_COMPUTE || kind == NA_ACT_H2D))
		i = ended_by(w, node, n->end_ps);
	return i;
}

/* What is waited for between two actions is the later one's host's. */
static uint32_t go_before(struct walk *w, uint32_t node)
{
	uint32_t i = before(w, node);

	if (i != LA_NONE)
		pass_action(w, LA_WAIT, w->p->nodes.v[i].end_ps, node, LA_NONE);
	return i;
}

/* Whether a host was sending something else for most of the time. */
static bool sends_else(const struct walk *w, uint32_t send, int64_t from_ps,
		       int64_t to_ps)
{
	const struct la_path *p = w->p;
	int64_t at = from_ps;
	na_i128 busy = 0;

	/* By their ends: what begins before the last end counts from there. */
	for (size_t i = 0; i < p->n_sends; i++) {
		const struct la_node *n = &p->sends[i];
		int64_t from = n->start_ps > at ? n->start_ps : at;
		int64_t to = n->end_ps < to_ps ? n->end_ps : to_ps;

		if (n->action == p->nodes.v[send].action || to <= from ||
		    w->all->actions.v[n->action].host !=
			    action_at(w, send)->host)
			continue;
		busy += (na_i128)to - from;
		at = to;
	}
	return 2 * busy > (na_i128)to_ps - from_ps;
}

/* Its data was there before it was sent: held behind other sends, or for
 * nothing that the trace tells. */
static uint32_t before_send(struct walk *w, uint32_t send, uint32_t move)
{
	uint32_t i = before(w, send);

	if (i == LA_NONE || w->p->nodes.v[i].end_ps >= w->at_ps)
		return i;
	pass_action(w,
		    sends_else(w, send, w->p->nodes.v[i].end_ps, w->at_ps)
			    ? LA_SEND
			    : LA_WAIT,
		    w->p->nodes.v[i].end_ps, send, move);
	return i;
}

/* When a transfer went on the wire; the latency that is told is the
 * difference of two clocks. */
static int64_t left_at(const struct walk *w, const struct la_move *m,
		       uint32_t receive)
{
	uint32_t host = action_at(w, receive)->host, from;
	int64_t known, ahead, latency, from_ps;

	from = na_store_host_of(w->all->store, w->p->run, m->src);
	ahead = na_host_clocks_ahead(w->all->clocks, host, from, &known);
	if (m->latency_ps == NA_UNKNOWN_PS ||
	    __builtin_sub_overflow(m->latency_ps, ahead, &latency) ||
	    latency < 0)
		latency = 0;
	return na_add_i64(w->p->nodes.v[receive].end_ps, -latency, &from_ps)
		       ? from_ps
		       : NA_TIME_MIN;
}

/* An action, from when what it waited for had ended. */
static uint32_t through_action(struct walk *w, uint32_t node)
{
	int64_t from = w->p->nodes.v[node].start_ps;
	uint32_t i = before(w, node);

	if (i != LA_NONE && w->p->nodes.v[i].end_ps > from)
		from = w->p->nodes.v[i].end_ps;
	pass_action(w, kind_of[action_at(w, node)->kind], from, node, LA_NONE);
	return go_before(w, node);
}

/* The sender's trace is not there: what was before is not known. */
static uint32_t without_sender(struct walk *w, uint32_t node, uint32_t move)
{
	const struct la_move *m = &w->all->moves.v[move];
	uint32_t host = na_store_host_of(w->all->store, w->p->run, m->src);

	if (m->latency_ps == NA_UNKNOWN_PS) {
		pass_action(w, LA_RECEIVE, w->p->nodes.v[node].start_ps, node,
			    move);
		return go_before(w, node);
	}
	pass_action(w, LA_NETWORK, left_at(w, m, node), node, move);
	pass(w, LA_LATE_PEER, w->p->nodes.v[node].start_ps, host, m->src,
	     w->p->nodes.v[node].action, move);
	return go_before(w, node);
}

/* Through the network to its sender, *at then, unless the receiver was not
 * ready for longer; what the clocks cannot tell is the sender's. */
static uint32_t through_receive(struct walk *w, uint32_t *at)
{
	uint32_t node = *at;
	const struct la_action *a = action_at(w, node);
	uint32_t move = a->n ? a->first : LA_NONE, sent = LA_NONE;
	const struct la_node *n = &w->p->nodes.v[node];
	int64_t left, known, ready = n->start_ps;

	if (move == LA_NONE) {
		pass_action(w, LA_RECEIVE, n->start_ps, node, LA_NONE);
		return go_before(w, node);
	}
	if (w->all->moves.v[move].peer != LA_NONE)
		sent = w->p->node_of[w->all->moves.v[w->all->moves.v[move].peer]
					     .action];
	if (sent == LA_NONE)
		return without_sender(w, node, move);
	left = w->p->nodes.v[sent].start_ps;
	na_host_clocks_ahead(w->all->clocks, action_at(w, sent)->host, a->host,
			     &known);
	if (w->all->moves.v[move].latency_ps != NA_UNKNOWN_PS &&
	    left_at(w, &w->all->moves.v[move], node) > left)
		left = left_at(w, &w->all->moves.v[move], node);
	pass_action(w, LA_NETWORK, left, node, move);
	if (ready <= left && known < NA_TIME_MAX &&
	    ready > w->p->nodes.v[sent].start_ps &&
	    na_time_between(w->p->nodes.v[sent].start_ps, ready) > known) {
		pass_action(w, LA_RECEIVE, ready, node, move);
		return go_before(w, node);
	}
	pass_action(w, LA_SEND, w->p->nodes.v[sent].start_ps, sent, move);
	*at = sent;
	return before_send(w, sent, move);
}

static uint32_t last_of(const struct walk *w)
{
	const struct la_path *p = w->p;

	for (size_t k = 0; k < NA_LEN(ends_with); k++) {
		for (uint32_t i = (uint32_t)p->nodes.n; i-- > 0;) {
			const struct la_action *a = action_at(w, i);

			if (a->kind == ends_with[k] &&
			    p->nodes.v[i].start_ps < w->at_ps &&
			    belongs(a, p->device, p->host))
				return i;
		}
	}
	return LA_NONE;
}

static void turn_around(struct la_path *p)
{
	for (size_t i = 0; i < p->steps.n / 2; i++) {
		struct la_segment x = p->steps.v[i];

		p->steps.v[i] = p->steps.v[p->steps.n - 1 - i];
		p->steps.v[p->steps.n - 1 - i] = x;
	}
}

/* Before its first action a device had not begun: this one, or a peer. */
static void pass_rest(struct walk *w, uint32_t first)
{
	const struct la_action *a = action_at(w, first);
	bool own = belongs(a, w->p->device, w->p->host);

	pass_action(w, own ? LA_WAIT : LA_LATE_PEER, 0, first, LA_NONE);
}

static void walk_back(struct walk *w)
{
	struct la_path *p = w->p;
	uint32_t node = last_of(w), first = node;

	if (node == LA_NONE) {
		p->why = "the trace has the execution, but none of its actions";
		return;
	}
	pass(w, LA_RECV_DONE, p->nodes.v[node].end_ps, p->host, p->device,
	     LA_NONE, LA_NONE);
	/* Counted, since actions of no length may name each other. */
	for (int i = 0; i < LA_STEPS_MAX && node != LA_NONE && w->at_ps > 0;
	     i++) {
		first = node;
		if (action_at(w, node)->kind == NA_ACT_RECEIVE)
			node = through_receive(w, &first);
		else
			node = through_action(w, node);
	}
	pass_rest(w, first);
	turn_around(p);
}

/* What is told of the network compares its two ends' clocks. */
static void how_well(const struct la_all *all, struct la_path *p)
{
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct la_segment *s = &p->steps.v[i];
		int64_t known;

		na_host_clocks_ahead(all->clocks, s->host, p->host, &known);
		if (known > p->uncertainty_ps)
			p->uncertainty_ps = known;
		if (s->move == LA_NONE)
			continue;
		known = na_late_known(all, p, &all->moves.v[s->move]);
		if (known > p->uncertainty_ps)
			p->uncertainty_ps = known;
	}
}

bool na_late_find_path(const struct la_all *all, const struct na_late_ask *ask,
		       struct la_path *p)
{
	struct walk w = {.all = all, .p = p};
	const struct la_action *a;

	*p = (struct la_path){.ask = ask,
			      .host = na_late_host(all, ask),
			      .device = na_late_device(all, ask),
			      .launch = NA_UNKNOWN_U32,
			      .iteration = NA_UNKNOWN_U32};
	p->run = all->store->sources[p->host].run;
	w.at_ps = na_time_between(ask->from_ps, ask->to_ps);
	if (p->device == LA_NONE) {
		p->why = "the trace does not say which of its host's devices "
			 "this is";
		return true;
	}
	a = na_late_execution(all, p);
	if (!a) {
		p->why = all->full ? "too many actions are asked for at once"
				   : "the trace holds no action of it";
		return true;
	}
	p->launch = a->launch;
	p->iteration = a->iteration;
	p->numbers = na_late_find_nodes(all, p)
			     ? na_calloc(1, sizeof(*p->numbers))
			     : NULL;
	if (!p->numbers)
		return false;
	walk_back(&w);
	how_well(all, p);
	return !w.short_of_memory;
}
