/*
 * Sends that could have begun earlier: one that begins as another one of its
 * host is gone, or as its receiver has taken another one, has waited for that
 * one (a connection, a buffer, a turn on a link).
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/state.h"

/* More than how long its device may take to begin. */
#define HELD_PS (100 * NA_PS_PER_US)
/* Within this one follows the other: an acknowledgement, a thread's waking. */
#define SOON_PS (20 * NA_PS_PER_US)

struct stop { /* of a transfer, for one of its hosts */
	uint32_t host, move;
	int64_t at_ps;
};

NA_ORDER(by_host, struct stop, NA_UP(host), NA_UP(at_ps), NA_UP(move))

struct stops {
	struct stop *v;
	size_t n;
};

static bool find_stops(const struct na_whatif *w, bool sends, struct stops *s)
{
	s->v = na_calloc(w->moves.n, sizeof(*s->v));
	if (!s->v)
		return false;
	for (uint32_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		if (sends && m->gone_ps == NA_UNKNOWN_PS)
			continue;
		s->v[s->n++] = (struct stop){
			wf_host_of(w, sends ? m->from : m->to), i,
			sends ? m->gone_ps : m->taken_ps};
	}
	na_sort(s->v, s->n, by_host);
	return true;
}

struct nearest {
	uint32_t move;
	int64_t gap_ps;
};

/* The stop at a host that is nearest to at_ps: no later than that, or on either
 * side. */
static void look(const struct stops *s, uint32_t host, int64_t at_ps,
		 bool either, struct nearest *out)
{
	size_t k = NA_BOUND(i, 0, s->n,
			    s->v[i].host > host || (s->v[i].host == host &&
						    s->v[i].at_ps > at_ps));
	int64_t gap;

	if (k > 0 && s->v[k - 1].host == host) {
		gap = na_time_between(s->v[k - 1].at_ps, at_ps);
		if (gap < out->gap_ps)
			*out = (struct nearest){s->v[k - 1].move, gap};
	}
	if (either && k < s->n && s->v[k].host == host) {
		gap = na_time_between(at_ps, s->v[k].at_ps);
		if (gap < out->gap_ps)
			*out = (struct nearest){s->v[k].move, gap};
	}
}

/* ---- messages of several chunks */

struct message {
	uint32_t from, to, move;
	int64_t sent_ps, taken_ps;
};

NA_ORDER(by_message, struct message, NA_UP(from), NA_UP(to), NA_UP(sent_ps),
	 NA_UP(taken_ps), NA_UP(move))

static bool find_twins(struct na_whatif *w)
{
	struct message *v = na_calloc(w->moves.n, sizeof(*v));

	if (!v)
		return false;
	for (uint32_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		v[i] = (struct message){m->from, m->to, i, m->sent_ps,
					m->taken_ps};
	}
	na_sort(v, w->moves.n, by_message);
	for (size_t i = 1; i < w->moves.n; i++) {
		if (v[i].from != v[i - 1].from || v[i].to != v[i - 1].to ||
		    v[i].sent_ps != v[i - 1].sent_ps ||
		    v[i].taken_ps != v[i - 1].taken_ps)
			continue;
		w->moves.v[v[i].move].twin = true;
		w->moves.v[v[i - 1].move].next_twin = v[i].move;
	}
	free(v);
	return true;
}

/* ---- who waits behind whom */

static void follow(struct na_whatif *w, uint32_t move, uint32_t behind)
{
	w->moves.v[move].behind = behind;
	if (move == behind)
		return;
	w->moves.v[move].next_follower = w->moves.v[behind].followers;
	w->moves.v[behind].followers = move;
}

/* For what a send was held: another one of its host, its receiver, who posts
 * late, or another one to it; itself: its receiver.  Its start on the clock of
 * the receiver is known by what it took, for either end. */
static uint32_t blocker(const struct na_whatif *w, uint32_t move,
			const struct stops *gone, const struct stops *taken)
{
	const struct wf_move *m = &w->moves.v[move];
	uint32_t src = wf_host_of(w, m->from), dst = wf_host_of(w, m->to);
	int64_t took[] = {m->took_ps, na_time_between(m->sent_ps, m->gone_ps)};
	struct nearest x = {WF_NONE, SOON_PS};

	look(gone, src, m->sent_ps, false, &x);
	for (size_t i = 0; x.move == WF_NONE && i < 2; i++) {
		int64_t began;

		if (!na_add_i64(m->taken_ps, -took[i], &began))
			continue;
		if (m->posted_ps != NA_UNKNOWN_PS &&
		    na_time_between(m->posted_ps, began) +
				    na_time_between(began, m->posted_ps) <
			    SOON_PS)
			return move;
		look(taken, dst, began, true, &x);
	}
	return x.move == WF_NONE || x.move == move ||
			       w->moves.v[x.move].sent_ps > m->sent_ps
		       ? WF_NONE
		       : x.move;
}

/* ---- what a turn takes by itself */

struct idle { /* the sends of a turn that were held about the least */
	size_t n, queued;
};

static bool is_least(const struct na_whatif *w, const struct wf_move *m)
{
	int64_t least = w->least_ps[m->turn], more = least / 4;

	return na_time_between(least, m->held_ps) <=
	       (more > HELD_PS ? more : HELD_PS);
}

static bool find_least(struct na_whatif *w)
{
	w->least_ps = na_calloc(w->turns.n, sizeof(*w->least_ps));
	if (!w->least_ps)
		return false;
	for (size_t i = 0; i < w->turns.n; i++)
		w->least_ps[i] = NA_TIME_MAX;
	for (size_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		if (m->held_ps < w->least_ps[m->turn])
			w->least_ps[m->turn] = m->held_ps;
	}
	return true;
}

/* The least that its sends were held, unless it is a queue that held them:
 * where hosts are busy all the time it holds each of them, and the least of
 * that is not what their device takes to begin. */
static bool find_idle(struct na_whatif *w)
{
	struct idle *v = na_calloc(w->turns.n, sizeof(*v));
	size_t doubtful = 0;

	w->idle_ps = na_calloc(w->turns.n, sizeof(*w->idle_ps));
	if (!v || !w->idle_ps) {
		free(v);
		return false;
	}
	for (size_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		if (!is_least(w, m))
			continue;
		v[m->turn].n++;
		v[m->turn].queued += m->behind != WF_NONE;
	}
	for (size_t i = 0; i < w->turns.n; i++)
		w->idle_ps[i] = w->least_ps[i] > HELD_PS &&
						2 * v[i].queued > v[i].n
					? 0
					: w->least_ps[i];
	for (size_t i = 0; i < w->moves.n; i++) {
		uint32_t turn = w->moves.v[i].turn;

		doubtful += w->idle_ps[turn] != w->least_ps[turn];
	}
	w->queued_all = 2 * doubtful > w->moves.n;
	free(v);
	return true;
}

/* Beyond what its turn takes. */
static void hold(struct na_whatif *w, uint32_t move)
{
	struct wf_move *m = &w->moves.v[move];
	uint32_t behind = m->behind;

	m->behind = WF_NONE;
	m->held_ps -= w->idle_ps[m->turn];
	if (m->held_ps <= HELD_PS)
		return;
	w->n_queued += behind != WF_NONE && behind != move;
	if (behind != WF_NONE)
		follow(w, move, behind);
	else
		w->n_held++;
}

bool wf_find_queues(struct na_whatif *w)
{
	struct stops gone = {.n = 0}, taken = {.n = 0};
	bool ok = find_twins(w) && find_stops(w, true, &gone) &&
		  find_stops(w, false, &taken);

	for (uint32_t i = 0; ok && i < w->moves.n; i++)
		if (w->moves.v[i].held_ps > HELD_PS)
			w->moves.v[i].behind = blocker(w, i, &gone, &taken);
	ok = ok && find_least(w) && find_idle(w);
	for (uint32_t i = 0; ok && i < w->moves.n; i++)
		hold(w, i);
	free(gone.v);
	free(taken.v);
	return ok;
}
