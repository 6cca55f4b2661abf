/* From dumps to operations that are held; see stall.h. */
#include <string.h>

#include "netan/analyses/hang/stall.h"
#include "netan/base/order.h"

/* ---- sets of ranks */

bool na_stall_add(struct na_stall_ranks *to, int32_t rank)
{
	return (to->n && to->v[to->n - 1] == rank) || na_add(to, rank);
}

void na_stall_order(struct na_stall_ranks *r)
{
	size_t kept = 0;

	na_sort(r->v, r->n, na_order_i32);
	for (size_t i = 0; i < r->n; i++) {
		if (!kept || r->v[kept - 1] != r->v[i])
			r->v[kept++] = r->v[i];
	}
	r->n = kept;
}

bool na_stall_has(const struct na_stall_ranks *r, int32_t rank)
{
	return r->n &&
	       bsearch(&rank, r->v, r->n, sizeof(rank), na_order_i32) != NULL;
}

bool na_stall_blames(const struct na_stall *s, int32_t rank)
{
	size_t i = NA_BOUND(k, 0, s->culprits.n, s->culprits.v[k].rank >= rank);

	return i < s->culprits.n && s->culprits.v[i].rank == rank;
}

/* ---- ranks and their dumps */

/* Of two dumps of a rank the later one. */
static bool index_dumps(struct na_stall_work *w)
{
	const struct na_flight_record *x = w->ranks;
	int32_t most = -1;

	for (size_t i = 0; i < x->dumps.n; i++)
		most = x->dumps.v[i].rank > most ? x->dumps.v[i].rank : most;
	for (size_t i = 0; i < x->members.n; i++)
		most = x->members.v[i] > most ? x->members.v[i] : most;
	w->n_ranks = (size_t)most + 1;
	w->dumps = na_calloc(w->n_ranks, sizeof(*w->dumps));
	w->mixed = na_calloc(x->groups.n, sizeof(*w->mixed));
	w->in = na_calloc(w->n_ranks, sizeof(*w->in));
	if (!w->dumps || !w->mixed || !w->in)
		return false;
	for (size_t i = 0; i < x->dumps.n; i++) {
		const struct na_fr_dump *d = &x->dumps.v[i];
		const struct na_fr_dump **to = &w->dumps[d->rank];

		if (!*to || (*to)->newest_ns < d->newest_ns)
			*to = d;
	}
	return true;
}

bool na_stall_testifies(const struct na_fr_dump *d)
{
	return d && !d->unresponsive && !d->cut;
}

/* Of two dumps of a rank one may be whole. */
static bool is_damaged(const struct na_stalls *x, int32_t rank)
{
	bool cut = false;

	for (size_t i = 0; i < x->ranks->dumps.n; i++) {
		const struct na_fr_dump *d = &x->ranks->dumps.v[i];

		if (d->rank == rank && !d->cut)
			return false;
		cut |= d->rank == rank;
	}
	return cut;
}

size_t na_stall_damaged(const struct na_stalls *x, const struct na_stall *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->culprits.n; i++)
		n += is_damaged(x, s->culprits.v[i].rank);
	return n;
}

bool na_stall_counts(const struct na_fr_dump *d)
{
	return na_stall_testifies(d) || (d && !d->unresponsive && d->counted);
}

static bool find_missing(struct na_stall_work *w)
{
	const struct na_flight_record *x = w->ranks;

	if (!na_append(&w->members, x->members.v, x->members.n))
		return false;
	na_stall_order(&w->members);
	for (size_t i = 0; i < w->members.n; i++) {
		const struct na_fr_dump *d = w->dumps[w->members.v[i]];

		if (!na_stall_testifies(d) &&
		    !na_add(&w->missing, w->members.v[i]))
			return false;
	}
	return true;
}

/* ---- entries */

NA_ORDER(by_operation, struct na_stall_entry, NA_UP(group), NA_UP(sequence),
	 NA_UP(rank))

/* Those of p2p that are held: streams run in order, so one before another
 * that has completed is held by mistake (parts of a batch stay so). */
static bool add_entries(struct na_stall_work *w, const struct na_fr_dump *d)
{
	int64_t done = -1;

	for (size_t i = 0; i < d->entries.n; i++) {
		const struct na_fr_entry *e = &d->entries.v[i];

		if (e->p2p && !na_stall_held(e) && e->record > done)
			done = e->record;
	}
	for (size_t i = 0; i < d->entries.n; i++) {
		const struct na_fr_entry *e = &d->entries.v[i];
		struct na_stall_entry to = {e->group, d->rank, e->sequence, d,
					    e};

		if (!e->p2p && !na_add(&w->entries, to))
			return false;
		if (e->p2p && na_stall_held(e) && e->record > done &&
		    !na_add(&w->sends, to))
			return false;
	}
	for (size_t i = 0; i < d->places.n; i++)
		w->mixed[d->places.v[i].group] |= d->places.v[i].p2p;
	return true;
}

/* ---- one operation: who is not in it */

enum came { CANNOT_TELL, WAITS, NEVER, LEFT, LOST };

/* The last numbers of a group with point-to-point operations count these,
 * too: there its entries tell, where those that have completed are kept. */
static enum came by_entries(const struct na_fr_dump *d,
			    const struct na_fr_place *p,
			    const struct na_stall_op *op)
{
	int64_t last = p ? p->listed : -1;

	if (!d->all || (last < 0 && d->lost))
		return CANNOT_TELL;
	if (last < op->sequence)
		return NEVER;
	return d->lost ? LOST : LEFT;
}

bool na_stall_may_wait(const struct na_fr_dump *d)
{
	for (size_t i = 0; i < d->places.n; i++) {
		const struct na_fr_place *p = &d->places.v[i];

		if (!p->told || p->enqueued > p->completed)
			return true;
	}
	return d->places_unmatched;
}

/* Of a dump that is cut off, where it tells of the group: whether the rank is
 * still in an operation that it called, its entries would. */
static enum came by_counters(const struct na_fr_dump *d,
			     const struct na_fr_place *p,
			     const struct na_stall_op *op)
{
	if (!p || !p->told || d->places_unmatched)
		return CANNOT_TELL;
	if (p->enqueued < op->sequence)
		return na_stall_may_wait(d) ? CANNOT_TELL : NEVER;
	return p->completed < op->sequence ? CANNOT_TELL : LEFT;
}

static enum came whether(const struct na_stall_work *w,
			 const struct na_fr_dump *d,
			 const struct na_stall_op *op)
{
	const struct na_fr_place *p = na_fr_place_of(d, op->group);

	if (w->in[d->rank] == op->group + 1)
		return WAITS;
	if (w->mixed[op->group])
		return d->cut ? CANNOT_TELL : by_entries(d, p, op);
	if (d->cut)
		return by_counters(d, p, op);
	if (!p)
		return !d->places.n || d->places_unmatched || d->lost
			       ? CANNOT_TELL
			       : NEVER;
	if (!p->told && p->enqueued < 0)
		return CANNOT_TELL;
	if (p->enqueued < op->sequence)
		return NEVER;
	return p->completed < op->sequence && d->lost ? LOST : LEFT;
}

/* Some may leave it before others come: the root of a broadcast, or all but
 * the root; of gloo, whose threads on CPUs pass on what they have. */
static bool ends_apart(const struct na_flight_record *x,
		       const struct na_stall_op *op)
{
	static const char *const words[] = {"broadcast", "reduce", "gather",
					    "scatter"};
	uint32_t name = op->n ? op->entries[0].entry->operation : NA_NO_NAME;

	if (op->n && op->entries[0].entry->on_cpus)
		return true;
	for (size_t i = 0; name != NA_NO_NAME && i < NA_LEN(words); i++) {
		if (strcmp(na_strtab_at(&x->names, name), words[i]) == 0)
			return true;
	}
	return false;
}

/* NA_HANG_UNKNOWN: nobody can be blamed. */
static bool blame_members(struct na_stall_work *w, struct na_stall_op *op)
{
	const struct na_fr_group *g = &w->ranks->groups.v[op->group];
	struct na_stall_ranks none = {0}, unheard = {0};
	size_t left = 0, unsure = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < g->n; i++) {
		int32_t r = w->ranks->members.v[g->first + i];
		const struct na_fr_dump *d = w->dumps[r];

		if (na_stall_has(&op->holds, r))
			continue;
		if (!na_stall_counts(d)) {
			ok = na_add(&unheard, r);
			continue;
		}
		switch (whether(w, d, op)) {
		case NEVER:
			ok = na_add(&none, r);
			break;
		case LEFT:
			left++;
			break;
		case LOST:
			ok = na_add(&w->overflow, r);
			unsure++;
			break;
		case WAITS:
			ok = na_add(&op->late, r);
			unsure++;
			break;
		default:
			unsure++;
		}
	}
	if (ok && none.n) {
		op->cause = NA_HANG_HOST_STUCK;
		ok = na_append(&op->blame, none.v, none.n);
	} else if (ok && left && !unsure &&
		   !(unheard.n && ends_apart(w->ranks, op))) {
		op->cause = NA_HANG_DEVICE_STUCK;
		ok = na_append(&op->blame, op->holds.v, op->holds.n);
	} else if (ok && unheard.n && !unsure) {
		op->cause = NA_HANG_MISSING_RANK;
		ok = na_append(&op->blame, unheard.v, unheard.n);
	}
	na_vec_free(&none);
	na_vec_free(&unheard);
	return ok;
}

/* ---- one operation: do they mean the same */

/* Whose sizes are the same on all ranks. */
static bool same_size(const char *operation)
{
	static const char *const names[] = {"all_reduce",
					    "all_reduce_barrier",
					    "allreduce",
					    "allreduce_coalesced",
					    "broadcast",
					    "reduce",
					    "_all_gather_base",
					    "all_gather_into_tensor_coalesced",
					    "_reduce_scatter_base",
					    "reduce_scatter_tensor_coalesced"};

	for (size_t i = 0; i < NA_LEN(names); i++) {
		if (strcmp(operation, names[i]) == 0)
			return true;
	}
	return false;
}

static bool alike(const struct na_flight_record *x, const struct na_fr_entry *a,
		  const struct na_fr_entry *b)
{
	/* A watchdog may tell of the number alone. */
	if (a->operation != b->operation && a->operation != NA_NO_NAME &&
	    b->operation != NA_NO_NAME)
		return false;
	if (a->type != b->type && a->type != NA_NO_NAME &&
	    b->type != NA_NO_NAME)
		return false;
	return a->in_elements == b->in_elements ||
	       a->in_elements == UINT64_MAX || b->in_elements == UINT64_MAX ||
	       !same_size(na_strtab_at(&x->names, a->operation));
}

/* Votes for what `a` says. */
static size_t votes(const struct na_flight_record *x,
		    const struct na_stall_op *op, const struct na_fr_entry *a)
{
	size_t n = 0;

	for (size_t i = 0; i < op->n; i++)
		n += alike(x, a, op->entries[i].entry);
	return n;
}

/* Blames those beside the majority, where there is one. */
static bool compare(const struct na_flight_record *x, struct na_stall_op *op)
{
	const struct na_fr_entry *most = NULL;

	for (size_t i = 1; i < op->n && !op->differs; i++)
		op->differs = !alike(x, op->entries[0].entry,
				     op->entries[i].entry);
	if (!op->differs)
		return true;
	op->cause = NA_HANG_MISMATCH;
	for (size_t i = 0; i < op->n && i < 64 && !most; i++) {
		if (2 * votes(x, op, op->entries[i].entry) > op->n)
			most = op->entries[i].entry;
	}
	for (size_t i = 0; most && i < op->n; i++) {
		if (!alike(x, most, op->entries[i].entry) &&
		    !na_stall_add(&op->blame, op->entries[i].rank))
			return false;
	}
	return true;
}

/* ---- all of them */

static bool stood_still(const struct na_flight_record *x)
{
	for (int k = 0; k < NA_FR_CLOCKS; k++) {
		const struct na_fr_clock *c = &x->clock[k];

		if (c->call_ns > 0 &&
		    c->line_ns - c->call_ns >= NA_STALL_QUIET_NS)
			return true;
	}
	for (size_t i = 0; i < x->dumps.n; i++) {
		if (x->dumps.v[i].evidence & NA_BY_WATCHDOG)
			return true;
	}
	return false;
}

/* It is told by calls alone, which may go on. */
static bool may_run(const struct na_stall_work *w, const struct na_stall_op *op)
{
	bool open = !w->stood && !op->differs;

	for (size_t i = 0; open && i < op->n; i++) {
		const struct na_fr_place *p =
			na_fr_place_of(op->entries[i].dump, op->group);

		open = p && p->open;
	}
	return open;
}

static void free_op(struct na_stall_op *op)
{
	na_vec_free(&op->holds);
	na_vec_free(&op->blame);
	na_vec_free(&op->late);
}

/* No rank holds it, but its tellers differ, and those who are beside the
 * majority called nothing after it: what others hold then follows from it. */
static bool take_left(struct na_stall_work *w, struct na_stall_op *op)
{
	bool ok = compare(w->ranks, op), last = op->differs && op->blame.n;

	for (size_t i = 0; ok && last && i < op->blame.n; i++) {
		const struct na_fr_place *p =
			na_fr_place_of(w->dumps[op->blame.v[i]], op->group);

		last = p && p->listed == op->sequence;
	}
	for (size_t i = 0; i < op->n; i++) {
		int64_t ns = op->entries[i].entry->created_ns;

		if (ns != INT64_MIN && ns < op->since_ns)
			op->since_ns = ns;
	}
	if (ok && last && na_add(&w->ops, *op))
		return true;
	free_op(op);
	return ok && !last;
}

/* What nobody holds is told where something that is held follows from it. */
static void drop_left(struct na_stall_work *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->ops.n; i++) {
		struct na_stall_op *op = &w->ops.v[i];

		if (!op->holds.n &&
		    (i + 1 == w->ops.n || op[1].group != op->group ||
		     !op[1].holds.n))
			free_op(op);
		else
			w->ops.v[kept++] = *op;
	}
	w->ops.n = kept;
}

static bool take_op(struct na_stall_work *w, const struct na_stall_entry *e,
		    size_t n)
{
	struct na_stall_op op = {.group = e->group,
				 .sequence = e->sequence,
				 .entries = e,
				 .n = n,
				 .since_ns = INT64_MAX,
				 .cause = NA_HANG_UNKNOWN};
	const struct na_stall_op *before = w->ops.n ? &w->ops.v[w->ops.n - 1]
						    : NULL;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		int64_t ns = e[i].entry->created_ns;

		if (!na_stall_held(e[i].entry))
			continue;
		ok = na_stall_add(&op.holds, e[i].rank);
		if (ns != INT64_MIN && ns < op.since_ns)
			op.since_ns = ns;
	}
	if (ok && !op.holds.n)
		return take_left(w, &op);
	/* What follows a mismatch in its group follows from it. */
	if (before && before->group == op.group && before->differs) {
		op.differs = true;
		op.cause = NA_HANG_MISMATCH;
		ok = ok &&
		     na_append(&op.blame, before->blame.v, before->blame.n);
	} else {
		ok = ok && compare(w->ranks, &op);
		if (ok && may_run(w, &op)) {
			w->running++;
			free_op(&op);
			return true;
		}
		if (ok && !op.differs)
			ok = blame_members(w, &op);
	}
	/* Who holds an earlier one of the group has not begun this one. */
	for (size_t i = 0; ok && i < op.holds.n; i++)
		if (w->in[op.holds.v[i]] == op.group + 1)
			ok = na_stall_add(&op.late, op.holds.v[i]);
	na_stall_order(&op.late);
	/* Only now: what is held here does not excuse from it. */
	for (size_t i = 0; i < op.holds.n; i++)
		w->in[op.holds.v[i]] = op.group + 1;
	if (ok && na_add(&w->ops, op))
		return true;
	free_op(&op);
	return false;
}

bool na_stall_gather(struct na_stall_work *w)
{
	bool ok = index_dumps(w) && find_missing(w);
	const struct na_stall_entry *e;
	size_t n;

	w->stood = stood_still(w->ranks);
	for (size_t r = 0; ok && r < w->n_ranks; r++)
		ok = !w->dumps[r] || add_entries(w, w->dumps[r]);
	e = w->entries.v;
	na_sort(w->entries.v, w->entries.n, by_operation);
	for (size_t i = 0; ok && i < w->entries.n; i += n) {
		for (n = 1; i + n < w->entries.n; n++) {
			if (e[i + n].group != e[i].group ||
			    e[i + n].sequence != e[i].sequence)
				break;
		}
		ok = take_op(w, e + i, n);
	}
	drop_left(w);
	na_stall_order(&w->overflow);
	return ok;
}

void na_stall_work_fini(struct na_stall_work *w)
{
	for (size_t i = 0; i < w->ops.n; i++) {
		na_vec_free(&w->ops.v[i].holds);
		na_vec_free(&w->ops.v[i].blame);
		na_vec_free(&w->ops.v[i].late);
	}
	na_vec_free(&w->ops);
	na_vec_free(&w->entries);
	na_vec_free(&w->sends);
	na_vec_free(&w->missing);
	na_vec_free(&w->overflow);
	na_vec_free(&w->members);
	free(w->dumps);
	free(w->mixed);
	free(w->in);
}
