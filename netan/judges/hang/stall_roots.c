/* Who waits for whom, and who waits for nobody; see stall.h. */
#include <string.h>

#include "netan/base/order.h"
#include "netan/judges/hang/stall.h"

enum { ACCUSED_MAX = 8192, BLAME_MAX = 64, FRAMES_MAX = 8, DIFFERS_MAX = 1024 };

struct edge {
	int32_t from, to;
};

/* What is said against a rank. */
struct charge {
	enum na_hang_cause kind; /* NA_HANG_UNKNOWN: nothing */
	size_t op;               /* the earliest of this kind */
	bool weak;               /* by point-to-point operations alone */
	bool innocent, root;
	uint32_t waiters;
};

struct court {
	struct na_stall_work *w;
	struct charge *charges; /* by rank */
	size_t *first;          /* of a rank's edges; n_ranks + 1 */
	uint8_t *reach;         /* bits: accused by rank */
	int32_t *queue;
	struct na_stall_ranks accused; /* hosts */
	NA_VEC(struct edge) edges;
};

NA_ORDER(by_from, struct edge, NA_UP(from), NA_UP(to))

/* ---- charges */

static int weight(enum na_hang_cause kind)
{
	return kind == NA_HANG_MISMATCH       ? 4
	       : kind == NA_HANG_DEVICE_STUCK ? 3
	       : kind == NA_HANG_HOST_STUCK   ? 2
	       : kind == NA_HANG_MISSING_RANK ? 1
					      : 0;
}

static void charge(struct court *c, int32_t rank, size_t op)
{
	const struct na_stall_op *o = &c->w->ops.v[op];
	struct charge *to = &c->charges[rank];
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

static bool wait_for(struct court *c, const struct na_stall_op *o,
		     const struct na_stall_ranks *whom)
{
	for (size_t i = 0; i < o->holds.n; i++) {
		if (na_stall_has(&o->blame, o->holds.v[i]))
			continue;
		for (size_t k = 0; k < whom->n && k < BLAME_MAX; k++) {
			if (!na_add(&c->edges,
				    ((struct edge){o->holds.v[i], whom->v[k]})))
				return false;
		}
	}
	return true;
}

/* Whom the holders wait for; those who are stuck in it do not wait. */
static bool connect(struct court *c, size_t op)
{
	const struct na_stall_op *o = &c->w->ops.v[op];

	for (size_t i = 0; i < o->blame.n; i++)
		charge(c, o->blame.v[i], op);
	return o->cause == NA_HANG_DEVICE_STUCK ||
	       (wait_for(c, o, &o->blame) && wait_for(c, o, &o->late));
}

static void index_edges(struct court *c)
{
	size_t kept = 0;
	struct edge *v = c->edges.v;

	na_sort(v, c->edges.n, by_from);
	for (size_t i = 0; i < c->edges.n; i++) {
		if (kept && v[kept - 1].from == v[i].from &&
		    v[kept - 1].to == v[i].to)
			continue;
		v[kept++] = v[i];
		c->first[v[i].from + 1]++;
		c->charges[v[i].to].waiters++;
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

static uint8_t *reached_by(const struct court *c, size_t accused)
{
	return c->reach + accused * (c->w->n_ranks / 8 + 1);
}

static void search(struct court *c, size_t accused)
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

static bool waits(const struct court *c, int32_t rank)
{
	return c->first[rank + 1] > c->first[rank];
}

/* Does rank b, whom `a` waits for, explain that a never came? */
static bool explains(const struct court *c, size_t a, int32_t b)
{
	const struct charge *own = &c->charges[c->accused.v[a]];
	const struct charge *other = &c->charges[b];
	size_t at;

	if (b == c->accused.v[a] || other->kind == NA_HANG_UNKNOWN)
		return false;
	if (other->weak)
		return !waits(c, b);
	if (other->kind != NA_HANG_HOST_STUCK)
		return true;
	at = NA_BOUND(i, 0, c->accused.n, c->accused.v[i] >= b);
	return !bit(reached_by(c, at), c->accused.v[a]) ||
	       other->waiters > own->waiters;
}

static void acquit(struct court *c, size_t a)
{
	const uint8_t *seen = reached_by(c, a);
	struct charge *own = &c->charges[c->accused.v[a]];

	for (int32_t b = 0; (size_t)b < c->w->n_ranks; b++) {
		if (!bit(seen, b) || !explains(c, a, b))
			continue;
		own->innocent = true;
		if (c->charges[b].weak &&
		    c->charges[b].kind == NA_HANG_HOST_STUCK)
			c->charges[b].root = true;
	}
}

static bool acquit_all(struct court *c)
{
	for (size_t r = 0; r < c->w->n_ranks; r++) {
		if (c->charges[r].kind == NA_HANG_HOST_STUCK &&
		    !c->charges[r].weak && !na_add(&c->accused, (int32_t)r))
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

/* ---- roots: strong ones, else missing ranks, else weak ones */

static size_t name_roots(struct court *c)
{
	const struct na_stall_work *w = c->w;
	bool few = 2 * w->missing.n <= w->members.n;
	size_t n = 0, strong = 0, missing = 0;

	for (size_t r = 0; r < w->n_ranks; r++) {
		struct charge *x = &c->charges[r];

		x->root = x->root ||
			  (!x->weak && !x->innocent && weight(x->kind) > 1);
		strong += x->root;
		missing += x->kind == NA_HANG_MISSING_RANK;
	}
	for (size_t r = 0; !strong && r < w->n_ranks; r++) {
		struct charge *x = &c->charges[r];

		if (missing)
			x->root = few && x->kind == NA_HANG_MISSING_RANK;
		else
			x->root = x->weak && !waits(c, (int32_t)r);
		n += x->root;
	}
	return strong + n;
}

/* ---- events */

static int64_t since_of(const struct court *c, int32_t rank)
{
	return c->w->ops.v[c->charges[rank].op].since_ns;
}

static bool add_differs(struct na_stall *s, const struct na_stall_op *op)
{
	for (size_t i = 0; op->differs && i < op->n && i < DIFFERS_MAX; i++) {
		if (!na_add(&s->differs,
			    ((struct na_stall_differs){op->entries[i].rank,
						       op->entries[i].entry})))
			return false;
	}
	return true;
}

/* Of those who hold it, the culprits first; else of a peer, which shows
 * where they should be. */
static bool add_frames(struct na_stall *s, const struct na_stall_op *op)
{
	for (int pass = 0; pass < 2 && !s->frames.n; pass++) {
		for (size_t i = 0; i < op->n && s->frames.n < FRAMES_MAX; i++) {
			const struct na_stall_entry *e = &op->entries[i];
			bool blamed = na_stall_has(&op->blame, e->rank);

			if (!e->entry->n_frames || (pass == 0 && !blamed))
				continue;
			if (!na_add(&s->frames,
				    ((struct na_stall_frames){e->dump,
							      e->entry})))
				return false;
			if (pass == 1)
				break;
		}
	}
	return true;
}

static bool describe(struct na_stall *s, const struct na_stall_op *op)
{
	s->cause = op->cause;
	s->group = op->group;
	s->sequence = op->sequence;
	s->since_ns = op->since_ns == INT64_MAX ? INT64_MIN : op->since_ns;
	s->operation = op->n ? op->entries[0].entry->operation : NA_NO_NAME;
	for (size_t i = 0; i < op->n; i++) {
		const struct na_stall_entry *e = &op->entries[i];

		if (e->entry->timeout_ms > s->timeout_ms)
			s->timeout_ms = e->entry->timeout_ms;
	}
	return add_differs(s, op) && add_frames(s, op);
}

static bool meets(const struct na_stall_ranks *a,
		  const struct na_stall_ranks *b)
{
	for (size_t i = 0; i < a->n; i++) {
		if (na_stall_has(b, a->v[i]))
			return true;
	}
	return false;
}

/* One row for each group, of its first sequence; who waits for himself
 * does not wait. */
static bool add_wait(struct na_stall *s, const struct na_stall_op *op)
{
	struct na_stall_wait *row = NULL;
	int64_t ns = op->since_ns == INT64_MAX ? INT64_MIN : op->since_ns;

	for (size_t i = 0; i < s->chain.n && !row; i++) {
		if (s->chain.v[i].group == op->group &&
		    (s->chain.v[i].sequence < 0) == op->p2p)
			row = &s->chain.v[i];
	}
	if (row && !op->p2p && row->sequence != op->sequence)
		return true;
	row = row ? row : na_push(&s->chain);
	if (!row)
		return false;
	row->group = op->group;
	row->sequence = op->sequence;
	row->since_ns = !row->since_ns || ns < row->since_ns ? ns
							     : row->since_ns;
	for (size_t i = 0; i < op->holds.n; i++) {
		if (!na_stall_has(&op->blame, op->holds.v[i]) &&
		    !na_add(&row->waiting, op->holds.v[i]))
			return false;
	}
	if (!na_append(&row->waits_for, op->blame.v, op->blame.n) ||
	    !na_append(&row->waits_for, op->late.v, op->late.n))
		return false;
	na_stall_order(&row->waiting);
	na_stall_order(&row->waits_for);
	return true;
}

NA_ORDER(by_since, struct na_stall_wait, NA_UP(since_ns), NA_UP(group))

/* One round: those who wait for the ones in `in`, who then are in it. */
static bool add_waiting(struct na_stall *s, const struct na_stall_work *w,
			bool *used, struct na_stall_ranks *in, bool *more)
{
	struct na_stall_ranks found = {0};
	bool ok = true;

	*more = false;
	for (size_t i = 0; ok && i < w->ops.n; i++) {
		const struct na_stall_op *op = &w->ops.v[i];

		if (used[i] || op->cause == NA_HANG_DEVICE_STUCK ||
		    (!meets(&op->blame, in) && !meets(&op->late, in)))
			continue;
		used[i] = *more = true;
		ok = na_append(&found, op->holds.v, op->holds.n) &&
		     add_wait(s, op);
	}
	ok = ok && na_append(in, found.v, found.n);
	na_stall_order(in);
	na_vec_free(&found);
	return ok;
}

/* Who waits for the culprits, who waits for those, and so on. */
static bool add_chain(struct na_stall *s, const struct na_stall_work *w)
{
	bool *used = na_calloc(w->ops.n, sizeof(*used)), more = true;
	struct na_stall_ranks in = {0};
	bool ok = used != NULL;

	for (size_t i = 0; ok && i < s->culprits.n; i++)
		ok = na_add(&in, s->culprits.v[i].rank);
	na_stall_order(&in);
	while (ok && more) {
		size_t from = s->chain.n;

		ok = add_waiting(s, w, used, &in, &more);
		na_sort(s->chain.v ? s->chain.v + from : NULL,
			s->chain.n - from, by_since);
	}
	for (size_t i = 0; ok && i < s->chain.n; i++)
		ok = na_append(&s->waiting, s->chain.v[i].waiting.v,
			       s->chain.v[i].waiting.n);
	na_stall_order(&s->waiting);
	na_vec_free(&in);
	free(used);
	return ok;
}

static struct na_stall *new_stall(struct na_stalls *x,
				  const struct na_stall_work *w)
{
	struct na_stall *s = na_push(&x->v);
	int64_t from = INT64_MAX, to = INT64_MIN;

	if (!s)
		return NULL;
	s->cause = NA_HANG_UNKNOWN;
	s->group = s->operation = NA_NO_NAME;
	s->sequence = s->timeout_ms = s->spread_ns = -1;
	s->since_ns = INT64_MIN;
	for (size_t r = 0; r < w->n_ranks; r++) {
		const struct na_ranks_dump *d = w->dumps[r];

		s->evidence |= d ? d->evidence : 0;
		if (!d || d->newest_ns == INT64_MIN)
			continue;
		from = d->newest_ns < from ? d->newest_ns : from;
		to = d->newest_ns > to ? d->newest_ns : to;
	}
	if (from < to && from > 0)
		s->spread_ns = to - from;
	return na_append(&s->missing, w->missing.v, w->missing.n) &&
			       na_append(&s->overflow, w->overflow.v,
					 w->overflow.n)
		       ? s
		       : NULL;
}

/* Roots that are blamed in one group are one event; `by` is the event's
 * number by group, and by rank. */
static bool add_root(struct court *c, struct na_stalls *x, size_t *by,
		     int32_t rank)
{
	const struct charge *mine = &c->charges[rank];
	const struct na_stall_op *op = &c->w->ops.v[mine->op];
	struct na_stall *s;

	if (!by[op->group]) {
		s = new_stall(x, c->w);
		if (!s || !describe(s, op))
			return false;
		by[op->group] = x->v.n;
	}
	s = &x->v.v[by[op->group] - 1];
	return na_add(&s->culprits,
		      ((struct na_stall_culprit){rank, mine->kind}));
}

NA_ORDER(by_rank, struct na_stall_culprit, NA_UP(rank))
NA_ORDER(by_time, struct na_stall, NA_UP(since_ns), NA_UP(group))

struct root {
	int64_t since_ns;
	int32_t rank;
};

NA_ORDER(by_age, struct root, NA_UP(since_ns), NA_UP(rank))

static bool add_roots(struct court *c, struct na_stalls *x)
{
	size_t *by = na_calloc(c->w->ranks->groups.n, sizeof(*by));
	NA_VEC(struct root) roots = {0};
	bool ok = by != NULL;

	for (size_t r = 0; ok && r < c->w->n_ranks; r++) {
		if (c->charges[r].root)
			ok = na_add(&roots,
				    ((struct root){since_of(c, (int32_t)r),
						   (int32_t)r}));
	}
	na_sort(roots.v, roots.n, by_age);
	for (size_t i = 0; ok && i < roots.n; i++)
		ok = add_root(c, x, by, roots.v[i].rank);
	na_vec_free(&roots);
	free(by);
	return ok;
}

/* A mismatch without a majority blames nobody; it is an event all the
 * same. */
static bool add_undecided(struct court *c, struct na_stalls *x)
{
	uint32_t before = NA_NO_NAME;

	for (size_t i = 0; i < c->w->ops.n; i++) {
		const struct na_stall_op *op = &c->w->ops.v[i];
		struct na_stall *s;

		if (!op->differs || op->blame.n || op->group == before)
			continue;
		before = op->group;
		s = new_stall(x, c->w);
		if (!s || !describe(s, op))
			return false;
		s->why = "no majority of the ranks calls the same";
	}
	return true;
}

/* Something is held, and nobody to blame. */
static bool add_unknown(struct court *c, struct na_stalls *x)
{
	const struct na_stall_op *first = NULL;
	struct na_stall *s;

	for (size_t i = 0; i < c->w->ops.n; i++) {
		const struct na_stall_op *op = &c->w->ops.v[i];

		if (!op->p2p && (!first || op->since_ns < first->since_ns))
			first = op;
	}
	if (!first && c->w->ops.n)
		first = &c->w->ops.v[0];
	if (!first)
		return true;
	s = new_stall(x, c->w);
	if (!s || !describe(s, first))
		return false;
	s->cause = NA_HANG_UNKNOWN;
	s->why = 2 * c->w->missing.n > c->w->members.n
			 ? "the dumps of most ranks are not here"
		 : c->w->overflow.n ? "rings lost the entries that would tell"
				    : "all members of each operation are in "
				      "it, or what others did is not told";
	return na_append(&s->waiting, first->holds.v, first->holds.n);
}

static bool tell(struct court *c, struct na_stalls *x)
{
	bool ok = (!name_roots(c) || add_roots(c, x)) && add_undecided(c, x) &&
		  (x->v.n || add_unknown(c, x));

	for (size_t i = 0; ok && i < x->v.n; i++) {
		struct na_stall *s = &x->v.v[i];

		na_sort(s->culprits.v, s->culprits.n, by_rank);
		ok = add_chain(s, c->w);
	}
	na_sort(x->v.v, x->v.n, by_time);
	return ok;
}

bool na_stall_roots(struct na_stall_work *w, struct na_stalls *x)
{
	struct court c = {.w = w,
			  .charges = na_calloc(w->n_ranks, sizeof(*c.charges)),
			  .first = na_calloc(w->n_ranks + 1, sizeof(*c.first)),
			  .queue = na_calloc(w->n_ranks + 1, sizeof(*c.queue))};
	bool ok = c.charges && c.first && c.queue;

	for (size_t r = 0; ok && r < w->n_ranks; r++)
		c.charges[r].kind = NA_HANG_UNKNOWN;
	for (size_t i = 0; ok && i < w->ops.n; i++)
		ok = connect(&c, i);
	if (ok) {
		index_edges(&c);
		ok = acquit_all(&c) && tell(&c, x);
	}
	na_vec_free(&c.edges);
	na_vec_free(&c.accused);
	free(c.charges);
	free(c.first);
	free(c.reach);
	free(c.queue);
	return ok;
}
