/*
 * hang: how far each rank came in the groups of the hangs, as a picture shows
 * it: the group of each hang, then one of each kind of group in which others
 * wait for it.  Ranks that came equally far are one row.
 *
 * What a rank does not hold and had enqueued has ended, as the judges take
 * it.  In groups with point-to-point operations the last numbers mix both
 * kinds: there the entries tell.
 */
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/methods/put.h"

enum { LISTED_MAX = 12, HANGS_MAX = 6, LIKE_MAX = 4 };

/* In the order of rows: who is to blame comes first. */
enum role { CULPRIT, LATE, WAITS, OTHER, UNHEARD, ROLES };
enum state { NEVER, QUEUED, STARTED, COMPLETED, UNKNOWN, STATES };

struct came {
	int64_t completed, started, enqueued;   /* -1: none, or not told */
	const struct na_fr_entry *calls;        /* of a mismatch; else NULL */
	uint8_t role, state;
	uint32_t wait;     /* row of the chain, of p2p; NA_NO_NAME */
	uint32_t messages; /* that it holds, of p2p */
	int32_t rank;
};

/* A group, by its row of the chain or as the one of a hang. */
struct shown {
	const struct na_stall *stall;
	const struct na_stall_wait *wait; /* NULL: nobody else waits there */
	size_t hang;                      /* from 1 */
	uint32_t group;
	int64_t sequence;
	uint64_t like; /* more groups of its kind in which ranks wait */
	const struct na_stall_wait *alike[LIKE_MAX]; /* the first of these */
	bool own;      /* the operation of the hang */
};

struct listing {
	const struct na_stalls *x;
	const struct na_fr_dump **dumps; /* by rank; NULL: none */
	size_t n_ranks;
	struct shown v[LISTED_MAX];
	size_t n;
	NA_VEC(struct came) rows; /* of one group */
};

/* ---- which groups */

static bool alike(const struct na_stalls *x, const struct shown *s,
		  const struct na_stall_wait *w)
{
	const struct na_fr_group *g = x->ranks->groups.v;

	return g[s->group].name == g[w->group].name &&
	       (s->sequence < 0) == (w->sequence < 0);
}

static void add_like(struct shown *to, const struct na_stall_wait *w)
{
	if (to->like < LIKE_MAX)
		to->alike[to->like] = w;
	to->like++;
}

/* Each group is listed once; of those of one kind the first. */
static void list_wait(struct listing *l, const struct na_stall *s, size_t hang,
		      const struct na_stall_wait *w)
{
	for (size_t i = 0; i < l->n; i++) {
		struct shown *o = &l->v[i];

		if (o->group != w->group ||
		    (o->sequence < 0) != (w->sequence < 0))
			continue;
		if (!o->wait && o->sequence == w->sequence)
			o->wait = w;
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		struct shown *o = &l->v[i];

		if (alike(l->x, o, w)) {
			if (o->group != w->group && o->hang == hang)
				add_like(o, w);
			return;
		}
	}
	if (l->n < LISTED_MAX)
		l->v[l->n++] = (struct shown){.stall = s,
					      .wait = w,
					      .hang = hang,
					      .group = w->group,
					      .sequence = w->sequence};
}

static void list_groups(struct listing *l)
{
	const struct na_stalls *x = l->x;

	for (size_t i = 0; i < x->v.n && i < HANGS_MAX; i++) {
		const struct na_stall *s = &x->v.v[i];

		if (s->group != NA_NO_NAME)
			l->v[l->n++] = (struct shown){.stall = s,
						      .hang = i + 1,
						      .group = s->group,
						      .sequence = s->sequence,
						      .own = true};
	}
	for (size_t i = 0; i < x->v.n && i < HANGS_MAX; i++) {
		const struct na_stall *s = &x->v.v[i];

		for (size_t k = 0; k < s->chain.n; k++)
			list_wait(l, s, i + 1, &s->chain.v[k]);
	}
}

/* ---- how far a rank came */

static bool is_mixed(const struct listing *l, uint32_t group)
{
	for (size_t r = 0; r < l->n_ranks; r++) {
		const struct na_fr_place *p =
			l->dumps[r] ? na_fr_place_of(l->dumps[r], group) : NULL;

		if (p && p->p2p)
			return true;
	}
	return false;
}

/* The collectives of one group that its dump lists. */
static void add_entries(const struct na_fr_dump *d, uint32_t group,
			struct came *to)
{
	int64_t held = INT64_MAX;

	for (size_t i = 0; i < d->entries.n; i++) {
		const struct na_fr_entry *e = &d->entries.v[i];

		if (e->group != group || e->p2p || e->sequence < 0)
			continue;
		if (e->sequence > to->enqueued)
			to->enqueued = e->sequence;
		if (e->state == NA_FR_STARTED && e->sequence > to->started)
			to->started = e->sequence;
		if (na_stall_held(e))
			held = e->sequence < held ? e->sequence : held;
	}
	to->completed = held == INT64_MAX ? to->enqueued : held - 1;
}

static uint8_t state_of(const struct came *c, int64_t sequence)
{
	return sequence > c->enqueued     ? NEVER
	       : sequence <= c->completed ? COMPLETED
	       : sequence <= c->started   ? STARTED
					  : QUEUED;
}

/* For its hang; where others wait, for any. */
static bool blames(const struct listing *l, const struct shown *s, int32_t rank)
{
	if (s->own)
		return na_stall_blames(s->stall, rank);
	for (size_t i = 0; i < l->x->v.n && i < HANGS_MAX; i++) {
		if (na_stall_blames(&l->x->v.v[i], rank))
			return true;
	}
	return false;
}

static const struct na_fr_entry *calls_of(const struct shown *s, int32_t rank)
{
	const struct na_stall *x = s->stall;

	for (size_t i = 0; s->own && i < x->differs.n; i++) {
		if (x->differs.v[i].rank == rank)
			return x->differs.v[i].entry;
	}
	return NULL;
}

static struct came place_rank(const struct listing *l, const struct shown *s,
			      bool mixed, int32_t rank)
{
	const struct na_fr_dump *d = l->dumps[rank];
	struct came to = {.completed = -1,
			  .started = -1,
			  .enqueued = -1,
			  .wait = NA_NO_NAME,
			  .role = blames(l, s, rank) ? CULPRIT : OTHER,
			  .rank = rank};
	const struct na_fr_place *p;

	if (!na_stall_counts(d)) {
		to.role = to.role == CULPRIT ? CULPRIT : UNHEARD;
		to.state = UNKNOWN;
		return to;
	}
	p = na_fr_place_of(d, s->group);
	if (p && !mixed)
		to.enqueued = p->enqueued;
	if (p && !mixed && p->started > to.started)
		to.started = p->started;
	add_entries(d, s->group, &to);
	to.calls = calls_of(s, rank);
	to.state = state_of(&to, s->sequence);
	/* Its counters alone tell. */
	if (d->cut && (mixed || to.state != NEVER || !p || !p->told ||
		       na_stall_may_wait(d)))
		to.state = UNKNOWN;
	if (to.state == NEVER && to.enqueued < 0 && (!p || !p->told) &&
	    to.role != CULPRIT)
		to.state = UNKNOWN;
	if (to.role == OTHER && (to.state == QUEUED || to.state == STARTED))
		to.role = WAITS;
	if (to.role == OTHER && s->wait &&
	    na_stall_has(&s->wait->waits_for, rank))
		to.role = LATE;
	return to;
}

static bool place_group(struct listing *l, const struct shown *s)
{
	const struct na_fr_group *g = &l->x->ranks->groups.v[s->group];
	bool mixed = is_mixed(l, s->group);

	for (size_t i = 0; i < g->n; i++) {
		int32_t r = l->x->ranks->members.v[g->first + i];

		if (!na_add(&l->rows, place_rank(l, s, mixed, r)))
			return false;
	}
	return true;
}

/* ---- of messages: who holds one, and who never called the other end */

/* The messages of the group that the rank holds, and whether any has begun. */
static void count_messages(const struct listing *l, uint32_t group,
			   struct came *to)
{
	const struct na_fr_dump *d = (size_t)to->rank < l->n_ranks
					     ? l->dumps[to->rank]
					     : NULL;

	for (size_t i = 0; d && i < d->entries.n; i++) {
		const struct na_fr_entry *e = &d->entries.v[i];

		if (e->group != group || !e->p2p || !na_stall_held(e))
			continue;
		to->messages++;
		if (e->state == NA_FR_STARTED)
			to->state = STARTED;
	}
}

static struct came in_message(uint8_t role, uint8_t state, int32_t rank)
{
	return (struct came){.completed = -1,
			     .started = -1,
			     .enqueued = -1,
			     .wait = NA_NO_NAME,
			     .role = role,
			     .state = state,
			     .rank = rank};
}

static bool add_waiting(struct listing *l, const struct na_stall_wait *w,
			uint32_t wait)
{
	for (size_t i = 0; i < w->waiting.n; i++) {
		struct came to = in_message(WAITS, QUEUED, w->waiting.v[i]);

		to.wait = wait;
		count_messages(l, w->group, &to);
		if (!na_add(&l->rows, to))
			return false;
	}
	return true;
}

static bool place_pairs(struct listing *l, const struct shown *s)
{
	const struct na_stall *x = s->stall;
	bool ok = true;

	for (size_t i = 0; ok && s->own && i < x->culprits.n; i++)
		ok = na_add(&l->rows,
			    in_message(CULPRIT,
				       x->cause == NA_HANG_DEVICE_STUCK ? QUEUED
									: NEVER,
				       x->culprits.v[i].rank));
	for (size_t i = 0; ok && i < x->chain.n; i++) {
		const struct na_stall_wait *w = &x->chain.v[i];

		if (w->sequence < 0 && w->group == s->group)
			ok = add_waiting(l, w, (uint32_t)i);
	}
	return ok;
}

/* ---- rows */

static int by_calls(const struct na_fr_entry *a, const struct na_fr_entry *b)
{
	int c;

	if (!a || !b)
		return (a != NULL) - (b != NULL);
	c = NA_CMP(a->operation, b->operation);
	c = c ? c : NA_CMP(a->type, b->type);
	return c ? c : NA_CMP(a->size_bytes, b->size_bytes);
}

/* What makes a row, in the order of rows. */
static int by_row(const struct came *x, const struct came *y)
{
	int c = NA_UP(role);

	c = c ? c : NA_UP(enqueued);
	c = c ? c : NA_UP(completed);
	c = c ? c : NA_UP(started);
	c = c ? c : NA_UP(state);
	c = c ? c : NA_UP(wait);
	return c ? c : by_calls(x->calls, y->calls);
}

NA_ORDER(by_place, struct came, by_row(x, y), NA_UP(rank))

static void put_list(struct na_result *r, struct na_value *in,
		     const char *member, const struct na_stall_ranks *ranks)
{
	struct na_value *list = na_put_list(r, in, member);

	for (size_t i = 0; ranks && i < ranks->n; i++)
		na_put_int(r, list, NULL, ranks->v[i]);
}

static void put_calls(const struct listing *l, struct na_result *r,
		      struct na_value *to, const struct na_fr_entry *e)
{
	na_put_text(r, to, M_calls,
		    e ? na_stall_calls_text(l->x, e) : NULL);
}

static void put_messages(const struct listing *l, struct na_result *r,
			 struct na_value *to, size_t from, size_t end)
{
	int64_t n = 0;

	for (size_t i = from; i < end; i++)
		n += l->rows.v[i].messages;
	na_put_int(r, to, M_messages, n);
}

/* Rows [from, to) are one position. */
static void put_position(const struct listing *l, const struct shown *s,
			 struct na_result *r, struct na_value *list,
			 size_t from, size_t to)
{
	static const char *const roles[ROLES] = {"culprit", "late", "waits",
						 "other", "no_dump"};
	static const char *const states[STATES] = {"never", "queued", "started",
						   "completed", "unknown"};
	const struct came *c = &l->rows.v[from];
	struct na_value *o = na_put_object(r, list, NULL), *ranks;
	const struct na_stall_wait *w = c->wait != NA_NO_NAME
						? &s->stall->chain.v[c->wait]
					: c->role == WAITS ? s->wait
							   : NULL;

	ranks = na_put_list(r, o, M_ranks);
	for (size_t i = from; i < to; i++)
		na_put_int(r, ranks, NULL, l->rows.v[i].rank);
	na_put_text(r, o, M_role, roles[c->role]);
	na_put_text(r, o, M_state, states[c->state]);
	na_put_whole(r, o, M_completed, c->completed);
	na_put_whole(r, o, M_started, c->started);
	na_put_whole(r, o, M_enqueued, c->enqueued);
	put_list(r, o, M_waits_for, w ? &w->waits_for : NULL);
	put_calls(l, r, o, c->calls);
	if (s->sequence < 0)
		put_messages(l, r, o, from, to);
}

static uint32_t operation_of(const struct listing *l, const struct shown *s)
{
	if (s->own)
		return s->stall->operation;
	for (size_t i = 0; s->sequence >= 0 && i < l->rows.n; i++) {
		const struct na_fr_dump *d = l->dumps[l->rows.v[i].rank];

		for (size_t k = 0; d && k < d->entries.n; k++) {
			const struct na_fr_entry *e = &d->entries.v[k];

			if (e->group == s->group && !e->p2p &&
			    e->sequence == s->sequence)
				return e->operation;
		}
	}
	return NA_NO_NAME;
}

static void put_members(const struct listing *l, struct na_result *r,
			struct na_value *to, uint32_t group)
{
	const struct na_fr_group *g = &l->x->ranks->groups.v[group];

	na_put_text(r, to, M_group,
		    g->members != NA_NO_NAME ? na_stall_name(l->x, g->members)
		    : g->name != NA_NO_NAME  ? na_stall_name(l->x, g->name)
					     : NULL);
}

static void put_alike(const struct listing *l, const struct shown *s,
		      struct na_result *r, struct na_value *to)
{
	struct na_value *list = na_put_list(r, to, M_like);

	for (size_t i = 0; i < s->like && i < LIKE_MAX; i++) {
		struct na_value *o = na_put_object(r, list, NULL);

		put_members(l, r, o, s->alike[i]->group);
		put_list(r, o, M_waiting_ranks, &s->alike[i]->waiting);
		put_list(r, o, M_waits_for, &s->alike[i]->waits_for);
	}
}

static bool put_group(struct listing *l, const struct shown *s,
		      struct na_result *r, struct na_value *list)
{
	const struct na_flight_record *t = l->x->ranks;
	const struct na_fr_group *g = &t->groups.v[s->group];
	struct na_value *o, *positions;
	uint32_t operation;

	l->rows.n = 0;
	if (!(s->sequence < 0 ? place_pairs(l, s) : place_group(l, s)))
		return false;
	na_sort(l->rows.v, l->rows.n, by_place);
	operation = operation_of(l, s);
	o = na_put_object(r, list, NULL);
	na_put_int(r, o, M_hang, (int64_t)s->hang);
	na_put_bool(r, o, M_own, s->own);
	put_members(l, r, o, s->group);
	na_put_text(r, o, M_group_name,
		    g->name == NA_NO_NAME ? NULL
					  : na_stall_name(l->x, g->name));
	na_put_text(r, o, M_collective,
		    operation == NA_NO_NAME ? NULL
					    : na_stall_name(l->x, operation));
	na_put_whole(r, o, M_sequence, s->sequence);
	na_put_int(r, o, M_groups_like, (int64_t)s->like);
	put_alike(l, s, r, o);
	positions = na_put_list(r, o, M_positions);
	for (size_t i = 0, to; i < l->rows.n; i = to) {
		for (to = i + 1; to < l->rows.n; to++) {
			if (by_row(&l->rows.v[i], &l->rows.v[to]) != 0)
				break;
		}
		put_position(l, s, r, positions, i, to);
	}
	return true;
}

static bool index_dumps(struct listing *l)
{
	const struct na_flight_record *t = l->x->ranks;
	int32_t most = -1;

	for (size_t i = 0; i < t->dumps.n; i++)
		most = t->dumps.v[i].rank > most ? t->dumps.v[i].rank : most;
	for (size_t i = 0; i < t->members.n; i++)
		most = t->members.v[i] > most ? t->members.v[i] : most;
	l->n_ranks = (size_t)most + 1;
	l->dumps = na_calloc(l->n_ranks + 1, sizeof(*l->dumps));
	for (size_t i = 0; l->dumps && i < t->dumps.n; i++) {
		const struct na_fr_dump *d = &t->dumps.v[i],
					**to = &l->dumps[d->rank];

		if (!*to || (*to)->newest_ns < d->newest_ns)
			*to = d;
	}
	return l->dumps;
}

bool na_stalls_progress(const struct na_stalls *x, struct na_result *r,
			struct na_value *list)
{
	struct listing l = {.x = x};
	bool ok = !x->v.n || index_dumps(&l);

	if (ok)
		list_groups(&l);
	for (size_t i = 0; ok && i < l.n; i++)
		ok = put_group(&l, &l.v[i], r, list);
	na_vec_free(&l.rows);
	free(l.dumps);
	return ok;
}
