/* Who waits for whom, and who waits for nobody; see stall.h. */
#include <string.h>

#include "netan/analyses/hang/stall_graph.h"
#include "netan/base/order.h"

enum { ACCUSED_MAX = 8192, BLAME_MAX = 64 };

NA_ORDER(by_from, struct na_stall_edge, NA_UP(from), NA_UP(to))

/* ---- statuses */

static int weight(enum na_hang_cause kind)
{
	return kind == NA_HANG_MISMATCH       ? 4
	       : kind == NA_HANG_DEVICE_STUCK ? 3
	       : kind == NA_HANG_HOST_STUCK   ? 2
	       : kind == NA_HANG_MISSING_RANK ? 1
					      : 0;
}

static void note_cause(struct na_stall_graph *c, int32_t rank, size_t op)
{
	const struct na_stall_op *o = &c->w->ops.v[op];
	struct na_rank_status *to = &c->statuses[rank];
	int more = weight(o->cause) - weight(to->kind);

	if (to->kind != NA_HANG_UNKNOWN && o->p2p && !to->weak)
		return;
	if (more < 0 && !(to->weak && !o->p2p))
		return;
	if (more == 0 && to->weak == o->p2p &&
	    o->since_ns >= c->w->ops.v[to->op].since_ns)
		return;
	to->kind = o->cause;
	to->op = op;
	to->weak = o->p2p;
}

static bool wait_for(struct na_stall_graph *c, const struct na_stall_op *o,
		     const struct na_stall_ranks *whom)
{
	for (size_t i = 0; i < o->holds.n; i++) {
		if (na_stall_has(&o->blame, o->holds.v[i]) ||
		    na_stall_has(&o->late, o->holds.v[i]))
			continue;
		for (size_t k = 0; k < whom->n && k < BLAME_MAX; k++) {
			if (!na_add(&c->edges,
				    ((struct na_stall_edge){o->holds.v[i],
							    whom->v[k]})))
				return false;
		}
	}
	return true;
}

/* Whom the holders wait for; those who are stuck in it do not wait. */
static bool connect(struct na_stall_graph *c, size_t op)
{
	const struct na_stall_op *o = &c->w->ops.v[op];

	for (size_t i = 0; i < o->blame.n; i++)
		note_cause(c, o->blame.v[i], op);
	for (size_t i = 0; o->differs && !o->blame.n && i < o->holds.n; i++)
		c->statuses[o->holds.v[i]].undecided = true;
	return o->cause == NA_HANG_DEVICE_STUCK ||
	       (wait_for(c, o, &o->blame) && wait_for(c, o, &o->late));
}

static void index_edges(struct na_stall_graph *c)
{
	size_t kept = 0;
	struct na_stall_edge *v = c->edges.v;

	na_sort(v, c->edges.n, by_from);
	for (size_t i = 0; i < c->edges.n; i++) {
		if (kept && v[kept - 1].from == v[i].from &&
		    v[kept - 1].to == v[i].to)
			continue;
		v[kept++] = v[i];
		c->first[v[i].from + 1]++;
		c->statuses[v[i].to].waiters++;
	}
	c->edges.n = kept;
	for (size_t r = 0; r < c->w->n_ranks; r++)
		c->first[r + 1] += c->first[r];
}

/* ---- who reaches whom */

static bool bit(const uint8_t *set, int32_t rank)
{
	return set[rank / 8] >> rank % 8 & 1;
}

static uint8_t *reached_by(const struct na_stall_graph *c, size_t accused)
{
	return c->reach + accused * (c->w->n_ranks / 8 + 1);
}

static void search(struct na_stall_graph *c, size_t accused)
{
	uint8_t *seen = reached_by(c, accused);
	size_t head = 0, tail = 0;

	c->queue[tail++] = c->accused.v[accused];
	while (head < tail) {
		int32_t r = c->queue[head++];

		for (size_t i = c->first[r]; i < c->first[r + 1]; i++) {
			int32_t to = c->edges.v[i].to;

			if (bit(seen, to))
				continue;
			seen[to / 8] |= (uint8_t)(1 << to % 8);
			/* It may come back to where it began. */
			if (to != c->accused.v[accused])
				c->queue[tail++] = to;
		}
	}
}

static bool waits(const struct na_stall_graph *c, int32_t rank)
{
	return c->first[rank + 1] > c->first[rank];
}

/* Does rank b, whom `a` waits for, explain that a never came? */
static bool explains(const struct na_stall_graph *c, size_t a, int32_t b)
{
	const struct na_rank_status *own = &c->statuses[c->accused.v[a]];
	const struct na_rank_status *other = &c->statuses[b];
	size_t at;

	if (b == c->accused.v[a] || other->kind == NA_HANG_UNKNOWN)
		return false;
	if (own->out_of_order)
		return false;
	if (other->out_of_order)
		return true;
	if (other->undecided || other->cleared)
		return other->undecided;
	if (other->weak)
		return !waits(c, b);
	if (other->kind != NA_HANG_HOST_STUCK)
		return true;
	at = NA_BOUND(i, 0, c->accused.n, c->accused.v[i] >= b);
	return !bit(reached_by(c, at), c->accused.v[a]) ||
	       other->waiters > own->waiters;
}

static void acquit(struct na_stall_graph *c, size_t a)
{
	const uint8_t *seen = reached_by(c, a);
	struct na_rank_status *own = &c->statuses[c->accused.v[a]];

	for (int32_t b = 0; (size_t)b < c->w->n_ranks; b++) {
		if (!bit(seen, b) || !explains(c, a, b))
			continue;
		own->innocent = true;
		if (c->statuses[b].weak && !c->statuses[b].undecided &&
		    c->statuses[b].kind == NA_HANG_HOST_STUCK)
			c->statuses[b].root = true;
	}
}

static bool acquit_all(struct na_stall_graph *c)
{
	for (size_t r = 0; r < c->w->n_ranks; r++) {
		if (c->statuses[r].kind == NA_HANG_HOST_STUCK &&
		    !c->statuses[r].weak && !na_add(&c->accused, (int32_t)r))
			return false;
	}
	if (c->accused.n > ACCUSED_MAX)
		return true;
	c->reach = na_calloc(c->accused.n, c->w->n_ranks / 8 + 1);
	if (!c->reach)
		return false;
	for (size_t a = 0; a < c->accused.n; a++)
		search(c, a);
	for (size_t a = 0; a < c->accused.n; a++)
		acquit(c, a);
	return true;
}

/* ---- orders that differ
 *
 * Two ranks that call operations of two common groups in different orders: one
 * called the first before the second, if it called that at all, the other
 * called the second and never the first.  One of them left out an operation,
 * or called one too many or too early; which one, only a majority tells.
 */

enum { STEPS_MAX = 1 << 22 }; /* of the search: what is left is not looked at */

struct held {
	int32_t rank;
	size_t op;
};

NA_ORDER(by_holder, struct held, NA_UP(rank), NA_UP(op))

struct crossing {
	struct na_stall_graph *c;
	NA_VEC(struct held) held; /* collectives, by who holds them */
	size_t steps;
};

static bool list_held(struct crossing *x)
{
	const struct na_stall_work *w = x->c->w;

	for (size_t i = 0; i < w->ops.n; i++) {
		const struct na_stall_op *o = &w->ops.v[i];

		for (size_t k = 0; !o->p2p && k < o->holds.n; k++) {
			if (!na_add(&x->held,
				    ((struct held){o->holds.v[k], i})))
				return false;
		}
	}
	na_sort(x->held.v, x->held.n, by_holder);
	return true;
}

/* Does the rank call `first`, which it holds, before `second`? */
static bool calls_before(const struct na_stall_op *first,
			 const struct na_stall_op *second, int32_t rank)
{
	return na_stall_has(&second->blame, rank) ||
	       (na_stall_has(&second->holds, rank) &&
		na_stall_record_of(second, rank) >
			na_stall_record_of(first, rank));
}

/* Rank b never called `first`, and holds `second`. */
static bool calls_after(const struct na_stall_op *first,
			const struct na_stall_op *second, int32_t b)
{
	return na_stall_has(&first->blame, b) &&
	       na_stall_has(&second->holds, b);
}

/* Those whose order most others share are cleared; the others stay accused of
 * what they never called, or nobody knows. */
static bool vote(struct crossing *x, size_t first, size_t second)
{
	const struct na_stall_op *one = &x->c->w->ops.v[first];
	const struct na_stall_op *two = &x->c->w->ops.v[second];
	struct na_rank_status *statuses = x->c->statuses;
	size_t n_before = 0, n_after = 0;
	bool known = true;

	for (size_t i = 0; i < one->holds.n; i++)
		n_before += calls_before(one, two, one->holds.v[i]);
	for (size_t i = 0; i < one->blame.n; i++)
		n_after += calls_after(one, two, one->blame.v[i]);
	for (size_t i = 0; i < one->holds.n; i++) {
		struct na_rank_status *a = &statuses[one->holds.v[i]];

		if (!calls_before(one, two, one->holds.v[i]))
			continue;
		if (n_before > n_after) {
			a->cleared = true;
		} else if (n_before == n_after ||
			   !na_stall_has(&two->blame, one->holds.v[i])) {
			known = known && a->undecided;
			a->undecided = true;
		} else {
			a->out_of_order = true;
		}
	}
	for (size_t i = 0; i < one->blame.n; i++) {
		struct na_rank_status *b = &statuses[one->blame.v[i]];

		if (!calls_after(one, two, one->blame.v[i]))
			continue;
		if (n_after > n_before) {
			b->cleared = true;
		} else if (n_before == n_after) {
			known = known && b->undecided;
			b->undecided = true;
		} else {
			b->out_of_order = true;
		}
	}
	x->steps += one->holds.n + one->blame.n;
	return known ||
	       na_add(&x->c->crossed, ((struct na_stall_cross){first, second}));
}

static bool meet(struct crossing *x, size_t first, size_t second)
{
	const struct na_stall_op *one = &x->c->w->ops.v[first];
	const struct na_stall_op *two = &x->c->w->ops.v[second];

	for (size_t i = 0; i < one->holds.n && x->steps < STEPS_MAX; i++) {
		x->steps++;
		if (calls_before(one, two, one->holds.v[i]))
			return vote(x, first, second);
	}
	return true;
}

static bool look_at(struct crossing *x, size_t op)
{
	const struct na_stall_op *o = &x->c->w->ops.v[op];

	for (size_t k = 0; k < o->blame.n; k++) {
		int32_t b = o->blame.v[k];
		size_t at = NA_BOUND(m, 0, x->held.n, x->held.v[m].rank >= b);

		for (; at < x->held.n && x->held.v[at].rank == b; at++) {
			size_t second = x->held.v[at].op;

			if (x->c->w->ops.v[second].group != o->group &&
			    !meet(x, op, second))
				return false;
		}
	}
	return true;
}

static bool find_crossed(struct na_stall_graph *c)
{
	struct crossing x = {.c = c};
	bool ok = list_held(&x);

	for (size_t i = 0; ok && i < c->w->ops.n; i++) {
		const struct na_stall_op *o = &c->w->ops.v[i];

		if (o->cause == NA_HANG_HOST_STUCK && !o->p2p)
			ok = look_at(&x, i);
	}
	na_vec_free(&x.held);
	return ok;
}

/* ---- roots: strong ones, else missing ranks, else weak ones */

static bool stuck_host(const struct na_rank_status *x)
{
	return x->root && x->kind == NA_HANG_HOST_STUCK;
}

static void note_held(struct na_stall_graph *c)
{
	for (size_t i = 0; i < c->w->ops.n; i++) {
		const struct na_stall_op *o = &c->w->ops.v[i];

		for (size_t k = 0; k < o->holds.n; k++) {
			struct na_rank_status *x = &c->statuses[o->holds.v[k]];

			x->pending_p2p = x->pending_p2p || o->p2p;
			x->holds = x->holds || !o->p2p;
		}
	}
}

/* Who waits in a collective that all its members hold waits there for one of
 * them, whatever else it never called.  Beside one who waits in none that is
 * no reason to name it; nor, beside a mismatch, for who waits in anything.
 * Returns how many are left out. */
static size_t drop_waiting(struct na_stall_graph *c)
{
	bool idle = false;
	size_t n = 0;

	note_held(c);
	for (size_t r = 0; r < c->w->n_ranks; r++) {
		const struct na_rank_status *x = &c->statuses[r];

		c->mismatch = c->mismatch || x->undecided ||
			      (x->root && x->kind == NA_HANG_MISMATCH);
		idle = idle || (stuck_host(x) && !x->holds);
	}
	for (size_t r = 0; r < c->w->n_ranks; r++) {
		struct na_rank_status *x = &c->statuses[r];

		if (stuck_host(x) && !x->out_of_order &&
		    ((x->holds && (idle || c->mismatch)) ||
		     ((x->pending_p2p || x->weak) && c->mismatch))) {
			x->root = false;
			n++;
		}
	}
	return n;
}

static size_t name_roots(struct na_stall_graph *c)
{
	const struct na_stall_work *w = c->w;
	bool few = 2 * w->missing.n <= w->members.n;
	size_t n = 0, strong = 0, missing = 0;

	for (size_t r = 0; r < w->n_ranks; r++) {
		struct na_rank_status *x = &c->statuses[r];

		x->root = x->root ||
			  (!x->weak && !x->innocent && weight(x->kind) > 1 &&
			   !((x->undecided || x->cleared) &&
			     x->kind == NA_HANG_HOST_STUCK));
		strong += x->root;
		missing += x->kind == NA_HANG_MISSING_RANK;
	}
	strong -= drop_waiting(c);
	for (size_t r = 0; !strong && r < w->n_ranks; r++) {
		struct na_rank_status *x = &c->statuses[r];

		if (missing)
			x->root = few && x->kind == NA_HANG_MISSING_RANK;
		else
			x->root = x->weak && !c->mismatch &&
				  !waits(c, (int32_t)r);
		n += x->root;
	}
	return strong + n;
}

bool na_stall_roots(struct na_stall_work *w, struct na_stalls *x)
{
	struct na_stall_graph c = {
		.w = w,
		.statuses = na_calloc(w->n_ranks, sizeof(*c.statuses)),
		.first = na_calloc(w->n_ranks + 1, sizeof(*c.first)),
		.queue = na_calloc(w->n_ranks + 1, sizeof(*c.queue))};
	bool ok = c.statuses && c.first && c.queue;

	for (size_t r = 0; ok && r < w->n_ranks; r++)
		c.statuses[r].kind = NA_HANG_UNKNOWN;
	for (size_t i = 0; ok && i < w->ops.n; i++)
		ok = connect(&c, i);
	if (ok) {
		index_edges(&c);
		size_t n = 0;

		ok = find_crossed(&c) && acquit_all(&c);
		n = ok ? name_roots(&c) : 0;
		ok = ok && na_stall_first(&c) && na_stall_tell(&c, n, x);
	}
	na_vec_free(&c.edges);
	na_vec_free(&c.accused);
	na_vec_free(&c.doubts);
	na_vec_free(&c.crossed);
	free(c.statuses);
	free(c.first);
	free(c.reach);
	free(c.queue);
	return ok;
}
