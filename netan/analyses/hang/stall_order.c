/* What ranks tell of the order in which another one would have called
 * operations; see order.h. */
#include "netan/analyses/hang/order.h"

#include "netan/base/order.h"

enum { PLACES_MAX = 64 };

/* Larger numbers are not believed: sums of these do not overflow. */
#define NUMBER_MAX (INT64_MAX / 4 / PLACES_MAX)

static bool is_number(int64_t n)
{
	return n >= 0 && n < NUMBER_MAX;
}

NA_ORDER(by_talk, struct na_stall_entry, NA_UP(group), NA_UP(rank),
	 NA_UP(sequence), NA_CMP(x->entry->record, y->entry->record))

bool na_stall_talks(struct na_stall_order *x)
{
	for (size_t r = 0; r < x->w->n_ranks; r++) {
		const struct na_fr_dump *d = x->w->dumps[r];

		for (size_t i = 0; d && i < d->entries.n; i++) {
			const struct na_fr_entry *e = &d->entries.v[i];
			struct na_stall_entry to = {e->group, d->rank,
						    e->sequence, d, e};

			if (e->p2p && !na_add(&x->talks, to))
				return false;
		}
	}
	na_sort(x->talks.v, x->talks.n, by_talk);
	return true;
}

/* ---- groups of other ranks */

/* Where a rank stands in a group; -1: it is no member. */
static int64_t index_in(const struct na_flight_record *x, uint32_t group,
			int32_t rank)
{
	const struct na_fr_group *g = &x->groups.v[group];
	const int32_t *v = x->members.v + g->first;
	size_t i = NA_BOUND(k, 0, g->n, v[k] >= rank);

	return i < g->n && v[i] == rank ? (int64_t)i : -1;
}

/* The group that is to this rank what `group` is to another one: the same,
 * or its only one of that name and size. */
static uint32_t counterpart(const struct na_flight_record *x,
			    const struct na_fr_dump *d, uint32_t group)
{
	const struct na_fr_group *g = x->groups.v;
	uint32_t found = NA_NO_NAME;

	if (index_in(x, group, d->rank) >= 0)
		return group;
	for (size_t i = 0; i < d->places.n; i++) {
		uint32_t k = d->places.v[i].group;

		if (g[k].name != g[group].name || g[k].n != g[group].n ||
		    index_in(x, k, d->rank) < 0)
			continue;
		if (found != NA_NO_NAME)
			return NA_NO_NAME;
		found = k;
	}
	return found;
}

/* 1: in the same place of a group whose members do different things, -1: in
 * another one, 0: the group does not tell. */
static int same_seat(const struct na_stall_order *x, const struct na_fr_dump *d,
		     uint32_t group)
{
	const struct na_flight_record *t = x->w->ranks;
	uint32_t other = counterpart(t, d, group);

	/* Without counters a dump knows the groups of its operations alone. */
	if (other == NA_NO_NAME)
		return x->w->mixed[group] ||
				       (d->places.n && d->places.v[0].told)
			       ? -1
			       : 0;
	if (!x->w->mixed[group])
		return 0;
	if (other != group)
		return index_in(t, other, d->rank) ==
				       index_in(t, group, x->rank)
			       ? 1
			       : -1;
	/* That of all ranks may have a few messages, too. */
	return t->groups.v[group].n == x->w->members.n ? 0 : -1;
}

/* Does a rank run the same program?  It has the same groups, and sits in the
 * same place of those with messages (pipelines). */
static bool is_twin(const struct na_stall_order *x, const struct na_fr_dump *d)
{
	bool told = false, all = false;

	if (!na_stall_testifies(d) || d->places.n > PLACES_MAX)
		return false;
	for (size_t i = 0; i < x->own.n; i++) {
		int comm_rank = same_seat(x, d, x->own.v[i]);

		if (comm_rank < 0)
			return false;
		told |= comm_rank > 0;
		all |= !comm_rank && x->w->mixed[x->own.v[i]];
	}
	/* Messages among all ranks alone may be those of a pipeline. */
	return x->own.n && (told || !all);
}

/* ---- where an operation stands in what a rank lists */

static int64_t record_of(const struct na_stall_work *w, uint32_t group,
			 int64_t sequence, int32_t rank)
{
	const struct na_stall_entry *v = w->entries.v;
	size_t i = NA_BOUND(k, 0, w->entries.n,
			    v[k].group > group ||
				    (v[k].group == group &&
				     (v[k].sequence > sequence ||
				      (v[k].sequence == sequence &&
				       v[k].rank >= rank))));

	return i < w->entries.n && v[i].group == group &&
			       v[i].sequence == sequence && v[i].rank == rank
		       ? v[i].entry->record
		       : -1;
}

static size_t talk_from(const struct na_stall_order *x, uint32_t group,
			int32_t rank, int64_t number)
{
	const struct na_stall_entry *v = x->talks.v;

	return NA_BOUND(k, 0, x->talks.n,
			v[k].group > group || (v[k].group == group &&
					       (v[k].rank > rank ||
						(v[k].rank == rank &&
						 v[k].sequence >= number))));
}

/* The first with that number or a later one, none between left out, that is
 * the culprit's end as this rank has it. */
static int64_t record_of_end(const struct na_stall_order *x,
			     const struct na_stall_candidate *c, uint32_t group,
			     int32_t rank)
{
	const struct na_flight_record *t = x->w->ranks;
	const struct na_stall_entry *v = x->talks.v;
	const struct na_stall_entry *held = c->op->entries;
	int64_t comm_rank = index_in(t, c->op->group, held->rank);
	int64_t next = c->number;

	for (size_t i = talk_from(x, group, rank, next);
	     i < x->talks.n && v[i].group == group && v[i].rank == rank &&
	     v[i].sequence <= next && is_number(v[i].sequence);
	     i++) {
		if (v[i].entry->operation != held->entry->operation &&
		    index_in(t, group, v[i].entry->peer) == comm_rank)
			return v[i].entry->record;
		next = v[i].sequence + 1;
	}
	return -1;
}

static int64_t located(const struct na_stall_order *x,
		       const struct na_stall_candidate *c,
		       const struct na_fr_dump *d, bool twin)
{
	bool holds = na_stall_has(&c->op->holds, d->rank);
	uint32_t group = counterpart(x->w->ranks, d, c->op->group);

	if (c->op->p2p && holds)
		return c->op->entries[0].entry->record;
	if (group == NA_NO_NAME ||
	    (!twin && (c->op->p2p || group != c->op->group)))
		return -1;
	if (!c->op->p2p)
		return record_of(x->w, group, c->number, d->rank);
	return c->number < 0 ? -1 : record_of_end(x, c, group, d->rank);
}

/* ---- how many a rank has called in all */

/* By its counters; -1: they do not tell. */
static int64_t called_in_all(const struct na_fr_dump *d)
{
	int64_t sum = 0;

	if (!d || d->places_unmatched || d->places.n > PLACES_MAX)
		return -1;
	for (size_t i = 0; i < d->places.n; i++) {
		const struct na_fr_place *p = &d->places.v[i];

		if (!p->told || p->enqueued > NUMBER_MAX)
			return -1;
		sum += p->enqueued > 0 ? p->enqueued : 0;
	}
	return d->places.n ? sum : -1;
}

static int64_t last_record(const struct na_fr_dump *d)
{
	int64_t last = d->entries.n ? d->entries.v[d->entries.n - 1].record
				    : -1;

	return is_number(last) ? last : -1;
}

/* The number of the next record, of a twin or of the rank itself. */
static int64_t next_record(const struct na_stall_order *x,
			   const struct na_fr_dump *d)
{
	int64_t all = called_in_all(d), last = last_record(d);

	if (d->all && last >= 0)
		return last + 1;
	return all < 0 || !x->twins || all + x->shift <= last ? -1
							      : all + x->shift;
}

/* From which record on it lists every one. */
static int64_t whole_from(const struct na_stall_order *x,
			  const struct na_fr_dump *d)
{
	int64_t from = next_record(x, d);

	for (size_t i = d->entries.n; from > 0 && i-- > 0; from--) {
		if (d->entries.v[i].record != from - 1)
			return from;
	}
	return from < 0 ? INT64_MAX : from;
}

/* Counters and records of one program differ by as much in all its ranks; the
 * last record of one may have completed and be left out, so the most counts. */
static void settle_shift(struct na_stall_order *x, const struct na_fr_dump *d)
{
	int64_t all = called_in_all(d), last = last_record(d);

	if (all < 0 || last < 0)
		return;
	if (!x->twins++ || last + 1 - all > x->shift)
		x->shift = last + 1 - all;
}

/* ---- votes */

/* It called c, and no longer lists it.  In a larger group the number of a
 * message to one peer is not known, only from where on it may be. */
static bool has_left(const struct na_stall_order *x,
		     const struct na_stall_candidate *c,
		     const struct na_fr_dump *d)
{
	const struct na_flight_record *t = x->w->ranks;
	uint32_t group = counterpart(t, d, c->op->group);
	const struct na_fr_place *p = group == NA_NO_NAME
					      ? NULL
					      : na_fr_place_of(d, group);

	return p && p->told && p->enqueued >= c->number && c->number >= 0 &&
	       (c->op->p2p ? t->groups.v[group].n == 2 : !x->w->mixed[group]);
}

static void note_record(struct na_stall_candidate *c, int64_t record)
{
	c->apart |= c->record >= 0 && c->record != record;
	c->record = record;
}

static void hear(struct na_stall_order *x, const struct na_fr_dump *d,
		 bool twin)
{
	int64_t at[NA_STALL_CANDIDATES],
		whole = twin ? whole_from(x, d) : INT64_MAX;

	for (size_t i = 0; i < x->n; i++) {
		at[i] = located(x, &x->v[i], d, twin);
		if (twin && at[i] >= 0)
			note_record(&x->v[i], at[i]);
	}
	for (size_t a = 0; a < x->n; a++) {
		for (size_t b = 0; b < x->n; b++) {
			bool left = twin && at[a] < 0 && at[b] >= 0 &&
				    has_left(x, &x->v[a], d);

			if (a == b)
				continue;
			if (at[a] >= 0 ? at[a] < at[b] : left && at[b] >= whole)
				x->before[a] |= 1u << b;
			else if (left)
				x->maybe[a] |= 1u << b;
		}
	}
}

void na_stall_hear(struct na_stall_order *x)
{
	const struct na_stall_work *w = x->w;
	const struct na_fr_dump *own = w->dumps[x->rank];

	for (size_t r = 0; r < w->n_ranks; r++) {
		if (w->dumps[r] && (int32_t)r != x->rank &&
		    is_twin(x, w->dumps[r]))
			settle_shift(x, w->dumps[r]);
	}
	for (size_t r = 0; r < w->n_ranks; r++) {
		if (w->dumps[r] && (int32_t)r != x->rank)
			hear(x, w->dumps[r], is_twin(x, w->dumps[r]));
	}
	x->next = na_stall_testifies(own) ? next_record(x, own) : -1;
	for (size_t i = 0; i < x->n; i++) {
		if (!x->v[i].apart && x->v[i].record >= 0 &&
		    x->v[i].record < x->next)
			x->next = -1;
	}
}

int64_t na_stall_next_talk(const struct na_stall_order *x, uint32_t group)
{
	const struct na_fr_dump *d = x->w->dumps[x->rank];
	const struct na_fr_place *p = d ? na_fr_place_of(d, group) : NULL;
	size_t i = talk_from(x, group, x->rank, INT64_MAX);

	if (i && x->talks.v[i - 1].group == group &&
	    x->talks.v[i - 1].rank == x->rank &&
	    is_number(x->talks.v[i - 1].sequence))
		return x->talks.v[i - 1].sequence + 1;
	return p && p->told && is_number(p->enqueued) ? p->enqueued + 1 : -1;
}

bool na_stall_before(const struct na_stall_order *x, size_t a, size_t b)
{
	const struct na_stall_candidate *v = x->v;
	bool placed = v[a].record >= 0 && v[b].record >= 0 && !v[a].apart &&
		      !v[b].apart;
	bool yes = x->before[a] >> b & 1 ||
		   (placed && v[a].record < v[b].record);
	bool no = x->before[b] >> a & 1 ||
		  (placed && v[b].record < v[a].record);

	return yes && !no;
}
