/*
 * What a kernel does, from the calls of NCCL that launched it: its launch
 * lies in the range of the call, or, of calls in a group, in the range of
 * ncclGroupEnd; and both in PyTorch's range of the whole operation.
 */
#include "ingest/nsight/nsight.h"
#include "netan/base/order.h"
#include "netan/model/device.h"

enum { LOOK_BACK = 64 }; /* ranges that are open around a launch */

struct launch {
	uint64_t thread;
	int64_t at_ns;
	size_t talk;
};

NA_ORDER(by_time, struct launch, NA_UP(thread), NA_UP(at_ns), NA_UP(talk))
/* Outer ones first. */
NA_ORDER(by_start, struct na_ns_range, NA_UP(thread), NA_UP(start_ns),
	 NA_DOWN(end_ns))

/* One thread's ranges and launches, in the order of time. */
struct sweep {
	struct na_ns *x;
	NA_VEC(const struct na_ns_range *) open;  /* outer ones first */
	NA_VEC(const struct na_ns_range *) calls; /* of the group */
	NA_VEC(size_t) launched;                  /* talks, by the group */
	unsigned depth;                           /* of groups */
};

/* ---- several calls in one kernel */

struct sums {
	uint64_t sent, received, moved, communicator;
	size_t n_calls, n_sends, n_receives, n_unknown;
	int32_t peer;
	uint8_t opcode;
	bool mixed, peers, communicators;
};

static void add_call(struct sums *s, const struct na_ns_range *c)
{
	uint64_t *to = c->opcode == NA_OPCODE_SEND   ? &s->sent
		       : c->opcode == NA_OPCODE_RECV ? &s->received
						     : &s->moved;

	if (c->size_bytes == NA_UNKNOWN_U64 ||
	    __builtin_add_overflow(*to, c->size_bytes, to))
		s->n_unknown++;
	s->n_sends += c->opcode == NA_OPCODE_SEND;
	s->n_receives += c->opcode == NA_OPCODE_RECV;
	s->mixed |= s->n_calls && s->opcode != c->opcode;
	s->peers |= s->n_calls && s->peer != c->peer;
	s->communicators |= s->n_calls && s->communicator != c->communicator;
	s->opcode = c->opcode;
	s->peer = c->peer;
	s->communicator = c->communicator;
	s->n_calls++;
}

static void settle_call(const struct sums *s, struct na_ns_talk *t)
{
	size_t between_two = s->n_sends + s->n_receives;

	if (!s->n_calls)
		return;
	t->called = true;
	t->between_two = between_two > 0;
	if (!s->mixed)
		t->opcode = s->opcode;
	else if (between_two == s->n_calls)
		t->opcode = NA_OPCODE_SEND_RECV;
	if (!s->n_unknown && between_two == s->n_calls)
		t->size_bytes = s->sent > s->received ? s->sent : s->received;
	else if (!s->n_unknown && !between_two)
		t->size_bytes = s->moved;
	if (!s->peers && between_two == s->n_calls)
		t->peer = s->peer;
	if (!s->communicators)
		t->communicator = s->communicator;
}

/* ---- groups */

static size_t communicators_of(const struct sweep *w, uint64_t *k_th, size_t k)
{
	size_t n = 0;

	for (size_t i = 0; i < w->calls.n && n < LOOK_BACK; i++) {
		size_t before = 0;

		while (before < i && w->calls.v[before]->communicator !=
					     w->calls.v[i]->communicator)
			before++;
		if (before < i)
			continue;
		if (n++ == k)
			*k_th = w->calls.v[i]->communicator;
	}
	return n;
}

/* A group launches one kernel for all its calls, or for those of each
 * communicator, or for each call; else only what they have in common. */
static void settle_launch(const struct sweep *w, size_t k)
{
	struct na_ns_talk *t = &w->x->talks.v[w->launched.v[k]];
	size_t kernels = w->launched.n;
	struct sums s = {.peer = -1};
	uint64_t mine = 0;
	bool all = kernels == 1;
	bool one = !all && kernels == w->calls.n;
	bool own = !all && !one && w->calls.n <= 4 * LOOK_BACK &&
		   communicators_of(w, &mine, k) == kernels;

	for (size_t i = 0; i < w->calls.n; i++) {
		const struct na_ns_range *c = w->calls.v[i];

		if (one ? i == k : !own || c->communicator == mine)
			add_call(&s, c);
	}
	s.n_unknown += !all && !one && !own;
	settle_call(&s, t);
}

static void settle_group(struct sweep *w)
{
	/* Hostile groups: each launch looks at each call. */
	if (w->launched.n <= LOOK_BACK || w->calls.n <= LOOK_BACK) {
		for (size_t k = 0; k < w->launched.n; k++)
			settle_launch(w, k);
	}
	w->launched.n = w->calls.n = 0;
}

/* ---- one thread */

static bool range(struct sweep *w, const struct na_ns_range *r)
{
	while (w->open.n && w->open.v[w->open.n - 1]->end_ns < r->start_ns)
		w->open.n--;
	if (r->kind == NS_GROUP_START && w->depth++ == 0)
		settle_group(w);
	if (r->kind == NS_GROUP_END && w->depth)
		w->depth--;
	if (r->kind == NS_CALL && w->depth && !na_add(&w->calls, r))
		return false;
	return na_add(&w->open, r);
}

static bool launch(struct sweep *w, const struct launch *l)
{
	struct na_ns_talk *t = &w->x->talks.v[l->talk];
	bool called = false;

	for (size_t i = w->open.n, n = 0; i-- > 0 && n < LOOK_BACK; n++) {
		const struct na_ns_range *r = w->open.v[i];

		if (r->end_ns < l->at_ns)
			continue;
		if (r->kind == NS_CALL && !called && !w->depth) {
			struct sums s = {.peer = -1};

			add_call(&s, r);
			settle_call(&s, t);
			called = true;
		} else if (r->kind == NS_GROUP_END && !called && !w->depth) {
			if (!na_add(&w->launched, l->talk))
				return false;
			called = true;
		} else if (r->kind == NS_RECORD) {
			t->name = r->name;
			t->record = r->opcode;
			break;
		}
	}
	return true;
}

/* PyTorch's word, where the calls are the sends and receives that make it. */
static void settle_record(struct na_ns_talk *t)
{
	bool between_two = t->opcode == NA_OPCODE_SEND_RECV ||
			   t->opcode == NA_OPCODE_SEND ||
			   t->opcode == NA_OPCODE_RECV;
	bool whole = t->record != NA_OPCODE_SEND && t->record != NA_OPCODE_RECV;

	if (t->record == NA_OPCODE_OTHER)
		return;
	if (t->opcode == NA_OPCODE_OTHER ||
	    (between_two && (whole || !t->called)))
		t->opcode = t->record;
}

static bool list_launches(struct na_ns *x, struct launch **v, size_t *n)
{
	NA_VEC(struct launch) all = {.v = NULL};
	bool ok = true;

	for (size_t i = 0; ok && i < x->talks.n; i++) {
		const struct na_ns_talk *t = &x->talks.v[i];

		if (t->launched)
			ok = na_add(&all, ((struct launch){t->thread,
							   t->launch_ns, i}));
	}
	na_sort(all.v, all.n, by_time);
	*v = all.v;
	*n = all.n;
	return ok;
}

static void begin_thread(struct sweep *w)
{
	settle_group(w);
	w->open.n = 0;
	w->depth = 0;
}

static bool sweep(struct sweep *w, const struct launch *l, size_t n)
{
	const struct na_ns_range *r = w->x->ranges.v;
	size_t i = 0, k = 0, n_ranges = w->x->ranges.n;
	uint64_t thread = 0;
	bool ok = true;

	while (ok && (i < n || k < n_ranges)) {
		bool of_range = k < n_ranges &&
				(i == n || r[k].thread < l[i].thread ||
				 (r[k].thread == l[i].thread &&
				  r[k].start_ns <= l[i].at_ns));
		uint64_t of = of_range ? r[k].thread : l[i].thread;

		if (of != thread)
			begin_thread(w);
		thread = of;
		ok = of_range ? range(w, &r[k++]) : launch(w, &l[i++]);
	}
	begin_thread(w);
	return ok;
}

enum na_status na_ns_match(struct na_ns *x, struct na_err *err)
{
	struct sweep w = {.x = x};
	struct launch *all;
	size_t n;
	bool ok;

	na_sort(x->ranges.v, x->ranges.n, by_start);
	ok = list_launches(x, &all, &n) && sweep(&w, all, n);
	for (size_t i = 0; i < x->talks.n; i++)
		settle_record(&x->talks.v[i]);
	na_vec_free(&w.open);
	na_vec_free(&w.calls);
	na_vec_free(&w.launched);
	free(all);
	na_vec_free(&x->ranges);
	return ok ? NA_OK : na_fail_nomem(err);
}
