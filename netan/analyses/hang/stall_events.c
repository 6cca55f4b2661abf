/* What is told of the roots: their events; see stall.h. */
#include <string.h>

#include "facts.h"
#include "netan/analyses/hang/stall_graph.h"
#include "netan/base/order.h"

/* A million entries of one dump may each wait for another rank. */
enum {
	FRAMES_MAX = 8,
	DIFFERS_MAX = 1024,
	PAIRS_SEARCHED = 1024,
	CROSSED_MAX = 64
};

static int64_t since_of(const struct na_stall_graph *c, int32_t rank)
{
	return c->w->ops.v[c->statuses[rank].op].since_ns;
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

static bool add_frames(struct na_stall *s, const struct na_fr_dump *d,
		       const struct na_fr_entry *e)
{
	return !e || !e->n_frames || s->frames.n >= FRAMES_MAX ||
	       na_add(&s->frames, ((struct na_stall_frames){d, e}));
}

/* Of one who is not blamed: where the code of the others should be, too. */
static bool add_peer_frames(struct na_stall *s, const struct na_stall_op *op)
{
	for (size_t i = 0; i < op->n; i++) {
		const struct na_stall_entry *e = &op->entries[i];

		if (e->entry->n_frames && !na_stall_has(&op->blame, e->rank))
			return s->frames.n == FRAMES_MAX ||
			       add_frames(s, e->dump, e->entry);
	}
	return true;
}

static const struct na_fr_entry *last_entry(const struct na_fr_dump *d)
{
	const struct na_fr_entry *last = NULL;

	for (size_t i = 0; d && i < d->entries.n; i++) {
		if (!last || d->entries.v[i].record >= last->record)
			last = &d->entries.v[i];
	}
	return last;
}

/* Where a culprit is in the operation; who never came, where it was last. */
static bool add_culprit_frames(struct na_stall *s,
			       const struct na_stall_graph *c, int32_t rank)
{
	const struct na_stall_op *op = &c->w->ops.v[c->statuses[rank].op];
	const struct na_fr_dump *d = c->w->dumps[rank];

	for (size_t i = 0; i < op->n; i++) {
		if (op->entries[i].rank == rank)
			return add_frames(s, op->entries[i].dump,
					  op->entries[i].entry);
	}
	return add_frames(s, d, last_entry(d));
}

/* Those of the culprits come first. */
static bool add_stacks(struct na_stall *s, const struct na_stall_graph *c)
{
	bool ok = true;

	for (size_t i = 0; ok && i < s->culprits.n; i++)
		ok = add_culprit_frames(s, c, s->culprits.v[i].rank);
	if (ok && s->culprits.n)
		ok = add_peer_frames(
			s, &c->w->ops.v[c->statuses[s->culprits.v[0].rank].op]);
	return ok;
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
		if (e->entry->ran_ms > s->ran_ms)
			s->ran_ms = e->entry->ran_ms;
	}
	return add_differs(s, op);
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

static bool waits_in(const struct na_stall_op *op, int32_t rank)
{
	return !na_stall_has(&op->blame, rank) &&
	       !na_stall_has(&op->late, rank);
}

static bool anybody_waits(const struct na_stall_op *op)
{
	size_t i = 0;

	while (i < op->holds.n && !waits_in(op, op->holds.v[i]))
		i++;
	return i < op->holds.n;
}

static bool same_ranks(const struct na_stall_ranks *a,
		       const struct na_stall_ranks *b)
{
	return a->n == b->n &&
	       (!a->n || memcmp(a->v, b->v, a->n * sizeof(*a->v)) == 0);
}

/* Is it what a row tells of: the group's collective, or point-to-point
 * operations with the same rank? */
static bool is_row(const struct na_stall_wait *row,
		   const struct na_stall_op *op)
{
	if (row->group != op->group || (row->sequence < 0) != op->p2p)
		return false;
	return !op->p2p || same_ranks(&row->waits_for,
				      op->blame.n ? &op->blame : &op->late);
}

/* A row for each group, of its first sequence, and for each rank that others
 * wait for point to point; who waits for himself does not wait.  The event's
 * own message has a row alone, the first. */
static bool add_wait(struct na_stall *s, const struct na_stall_op *op)
{
	struct na_stall_wait *row = NULL;
	int64_t ns = op->since_ns == INT64_MAX ? INT64_MIN : op->since_ns;
	size_t alone = op->p2p && s->sequence < 0 && s->chain.n;

	for (size_t i = s->chain.n, k = 0; i-- > alone && !row; k++) {
		if (op->p2p && k == PAIRS_SEARCHED)
			break;
		if (is_row(&s->chain.v[i], op))
			row = &s->chain.v[i];
	}
	/* Those who hold it may all be stuck before. */
	if (!anybody_waits(op) ||
	    (row && !op->p2p && row->sequence != op->sequence))
		return true;
	row = row ? row : na_push(&s->chain);
	if (!row)
		return false;
	row->group = op->group;
	row->sequence = op->sequence;
	row->since_ns = !row->since_ns || ns < row->since_ns ? ns
							     : row->since_ns;
	for (size_t i = 0; i < op->holds.n; i++) {
		if (waits_in(op, op->holds.v[i]) &&
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

/* One round: those who wait for the ones in `in`, who then are in it; in the
 * operation `own` first. */
static bool add_waiting(struct na_stall *s, const struct na_stall_work *w,
			size_t own, bool *used, struct na_stall_ranks *in,
			bool *more)
{
	struct na_stall_ranks found = {0};
	bool ok = true;

	*more = false;
	for (size_t k = 0; ok && k <= w->ops.n; k++) {
		size_t i = k ? k - 1 : own;
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
static bool add_chain(struct na_stall *s, const struct na_stall_graph *c)
{
	bool *used = na_calloc(c->w->ops.n, sizeof(*used));
	bool ok = used != NULL, more = s->culprits.n > 0;
	size_t own = more ? c->statuses[s->culprits.v[0].rank].op : 0;
	struct na_stall_ranks in = {0};

	for (size_t i = 0; ok && i < s->culprits.n; i++)
		ok = na_add(&in, s->culprits.v[i].rank);
	na_stall_order(&in);
	while (ok && more) {
		size_t from = s->chain.n;

		ok = add_waiting(s, c->w, own, used, &in, &more);
		from += !from && s->chain.n &&
			s->chain.v[0].group == s->group &&
			s->chain.v[0].sequence == s->sequence;
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

/* The later of `ns` and of when logs end, where all of these tell times alike,
 * with the year. */
static int64_t last_line(const struct na_flight_record *x, int64_t ns)
{
	int64_t last_ns = 0;
	size_t told = 0;

	for (size_t i = 0; i < NA_FR_CLOCKS; i++) {
		told += x->clock[i].line_ns != 0;
		if (x->clock[i].line_ns > last_ns)
			last_ns = x->clock[i].line_ns;
	}
	return told == 1 && last_ns >= NA_FR_YEARS_NS && last_ns > ns ? last_ns
								      : ns;
}

static struct na_stall *new_stall(struct na_stalls *x,
				  const struct na_stall_work *w)
{
	struct na_stall *s = na_push(&x->v);
	int64_t from = INT64_MAX, to = INT64_MIN;
	size_t dated = 0;

	if (!s)
		return NULL;
	s->cause = NA_HANG_UNKNOWN;
	s->group = s->operation = NA_NO_NAME;
	s->sequence = s->timeout_ms = s->spread_ns = -1;
	s->since_ns = s->until_ns = INT64_MIN;
	for (size_t r = 0; r < w->n_ranks; r++) {
		const struct na_fr_dump *d = w->dumps[r];

		s->evidence |= d ? d->evidence : 0;
		if (!d || d->newest_ns == INT64_MIN)
			continue;
		from = d->newest_ns < from ? d->newest_ns : from;
		to = d->newest_ns > to ? d->newest_ns : to;
		dated++;
	}
	s->until_ns = last_line(w->ranks, to);
	if (dated > 1 && from > 0)
		s->spread_ns = to - from;
	return na_append(&s->missing, w->missing.v, w->missing.n) &&
			       na_append(&s->overflow, w->overflow.v,
					 w->overflow.n)
		       ? s
		       : NULL;
}

/* Each once, however many of the culprits are in doubt about it. */
static bool add_other(struct na_stall *s, const struct na_stall_op *op)
{
	struct na_stall_other *to;

	for (size_t i = 0; i < s->others.n; i++) {
		if (s->others.v[i].group == op->group &&
		    s->others.v[i].sequence == op->sequence &&
		    same_ranks(&s->others.v[i].waiting, &op->holds))
			return true;
	}
	to = na_push(&s->others);
	if (!to)
		return false;
	to->group = op->group;
	to->sequence = op->sequence;
	to->operation = op->n ? op->entries[0].entry->operation : NA_NO_NAME;
	return na_append(&to->waiting, op->holds.v, op->holds.n);
}

static bool add_others(const struct na_stall_graph *c, struct na_stall *s,
		       int32_t rank)
{
	for (size_t i = 0; i < c->doubts.n; i++) {
		if (c->doubts.v[i].rank == rank &&
		    !add_other(s, &c->w->ops.v[c->doubts.v[i].op]))
			return false;
	}
	return true;
}

/* Roots that are blamed in one group are one event; `by` is the event's
 * number by group, and by rank. */
static bool add_root(const struct na_stall_graph *c, struct na_stalls *x,
		     size_t *by, int32_t rank)
{
	const struct na_rank_status *mine = &c->statuses[rank];
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
		      ((struct na_stall_culprit){rank, mine->kind})) &&
	       add_others(c, s, rank);
}

NA_ORDER(by_rank, struct na_stall_culprit, NA_UP(rank))
NA_ORDER(by_time, struct na_stall, NA_UP(since_ns), NA_UP(group))

struct root {
	int64_t since_ns;
	int32_t rank;
};

NA_ORDER(by_age, struct root, NA_UP(since_ns), NA_UP(rank))

static bool add_roots(const struct na_stall_graph *c, struct na_stalls *x)
{
	size_t *by = na_calloc(c->w->ranks->groups.n, sizeof(*by));
	NA_VEC(struct root) roots = {0};
	bool ok = by != NULL;

	for (size_t r = 0; ok && r < c->w->n_ranks; r++) {
		if (c->statuses[r].root)
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
static bool add_undecided(const struct na_stall_graph *c, struct na_stalls *x)
{
	uint32_t before = NA_NO_NAME;

	for (size_t i = 0; i < c->w->ops.n; i++) {
		const struct na_stall_op *op = &c->w->ops.v[i];
		struct na_stall *s;

		if (!op->differs || op->blame.n || op->group == before)
			continue;
		before = op->group;
		s = new_stall(x, c->w);
		if (!s || !describe(s, op) || !add_peer_frames(s, op))
			return false;
		s->why = na_fact_no_majority_calls_same();
	}
	return true;
}

/* Nor do orders that differ between two ranks; of one group once. */
static bool add_crossed(const struct na_stall_graph *c, struct na_stalls *x)
{
	for (size_t i = 0; i < c->crossed.n && i < CROSSED_MAX; i++) {
		const struct na_stall_op *a =
			&c->w->ops.v[c->crossed.v[i].first];
		const struct na_stall_op *b =
			&c->w->ops.v[c->crossed.v[i].second];
		/* The smaller group holds fewer that only wait. */
		const struct na_stall_op *o = a->holds.n < b->holds.n ? a : b;
		struct na_stall *s;
		bool told = false;

		for (size_t k = 0; k < x->v.n; k++)
			told = told || x->v.v[k].group == o->group;
		if (told)
			continue;
		s = new_stall(x, c->w);
		if (!s || !describe(s, o) || !add_wait(s, o) ||
		    !add_wait(s, o == a ? b : a) || !add_peer_frames(s, o))
			return false;
		s->cause = NA_HANG_MISMATCH;
		s->why = na_fact_orders_differ();
	}
	return true;
}

/* Something is held, and nobody to blame. */
static bool add_unknown(const struct na_stall_graph *c, struct na_stalls *x)
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
	if (!s || !describe(s, first) || !add_peer_frames(s, first))
		return false;
	s->cause = NA_HANG_UNKNOWN;
	s->why = 2 * c->w->missing.n > c->w->members.n
			 ? na_fact_most_dumps_are_missing()
		 : c->w->overflow.n ? na_fact_rings_lost_entries()
		 : c->w->missing.n  ? na_fact_who_did_not_come_has_no_dump()
				    : na_fact_all_members_are_in_it();
	return na_append(&s->waiting, first->holds.v, first->holds.n);
}

bool na_stall_tell(const struct na_stall_graph *c, size_t n_roots,
		   struct na_stalls *x)
{
	bool ok = (!n_roots || add_roots(c, x)) && add_undecided(c, x) &&
		  add_crossed(c, x) && (x->v.n || add_unknown(c, x));

	for (size_t i = 0; ok && i < x->v.n; i++) {
		struct na_stall *s = &x->v.v[i];

		na_sort(s->culprits.v, s->culprits.n, by_rank);
		ok = add_stacks(s, c) && add_chain(s, c) &&
		     (!s->culprits.n || na_stall_find_behind(s, c));
	}
	na_sort(x->v.v, x->v.n, by_time);
	return ok;
}
