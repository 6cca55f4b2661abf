/*
 * collectives: operations of recorders that ranks hold, and that the dumps of
 * others of the group do not list: these never called it, or have left it and
 * called more than a ring holds.  Nobody is last in such an operation, and no
 * table tells of it.
 */
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/collectives/ranks.h"
#include "netan/base/order.h"
#include "netan/base/ranges.h"
#include "netan/base/vec.h"

/* One rank's call. */
struct called {
	int64_t sequence;
	uint32_t group;
	int32_t rank;
	bool held; /* and not ended */
};

struct absent {
	NA_VEC(struct called) calls; /* of what is no instance */
	uint32_t group;              /* that was read last */
	struct na_numbers members;   /* of it; none: no list of ranks */
	NA_VEC(int32_t) ranks;       /* who lacks one; then each once */
	uint64_t operations;         /* that somebody lacks */
};

NA_ORDER(by_operation, struct called, NA_UP(group), NA_UP(sequence),
	 NA_UP(rank))

static bool gather(struct absent *to, const struct coll_state *s,
		   const struct na_ranks *k)
{
	for (size_t i = 0; i < k->n_comms; i++) {
		const struct na_comm *x = &k->comms[i];
		uint32_t group = k->group_of[i];
		uint32_t rank = k->rank_of[x->core];

		if (k->apart[i] >= NA_RANK_SIZES || group == NA_UNKNOWN_U32 ||
		    rank == NA_UNKNOWN_U32 || x->sequence < 0 ||
		    k->groups.v[group].times != NA_RANK_QUEUED ||
		    !na_collectives_in_window(s, x, x->end_ps))
			continue;
		if (!na_add(&to->calls,
			    ((struct called){x->sequence, group,
					     k->ranks.v[rank].number,
					     x->source == NA_COMM_HELD ||
						     x->source ==
							     NA_COMM_BEGUN})))
			return false;
	}
	na_sort(to->calls.v, to->calls.n, by_operation);
	return true;
}

/* A list of ranks, and no name that is a number. */
static bool read_members(struct absent *x, const struct coll_state *s,
			 const struct na_ranks *k, uint32_t group)
{
	struct na_str text = {0};
	const struct na_rank_group *g = &k->groups.v[group];
	const char *list = g->src >= 0 ? NULL
				       : na_collectives_group(s, k, group, NULL,
							      &text);
	bool ok = na_ranges_read(&x->members, list ? list : "");

	if (x->members.n < 2 || x->members.n != g->size)
		x->members.n = 0;
	x->group = group;
	free(text.s);
	return ok;
}

/* Members who are not in calls [from, to); false: no memory. */
static bool add_absent(struct absent *x, size_t from, size_t to)
{
	for (size_t i = 0; i < x->members.n; i++) {
		int32_t rank = x->members.v[i];

		while (from < to && x->calls.v[from].rank < rank)
			from++;
		if ((from == to || x->calls.v[from].rank > rank) &&
		    !na_add(&x->ranks, rank))
			return false;
	}
	return true;
}

/* One operation: the calls [from, to). */
static bool look(struct absent *x, const struct coll_state *s,
		 const struct na_ranks *k, size_t from, size_t to)
{
	uint32_t group = x->calls.v[from].group;
	size_t before = x->ranks.n;
	bool held = false, ok = true;

	for (size_t i = from; i < to; i++)
		held = held || x->calls.v[i].held;
	if (held && group != x->group)
		ok = read_members(x, s, k, group);
	if (held && ok)
		ok = add_absent(x, from, to);
	x->operations += x->ranks.n > before;
	return ok;
}

static void sort_once(struct absent *x)
{
	size_t n = 0;

	na_sort(x->ranks.v, x->ranks.n, na_order_i32);
	for (size_t i = 0; i < x->ranks.n; i++) {
		if (!n || x->ranks.v[n - 1] != x->ranks.v[i])
			x->ranks.v[n++] = x->ranks.v[i];
	}
	x->ranks.n = n;
}

static void tell(const struct absent *x, struct na_result *r)
{
	char ranks[200], count[NA_COUNT_BUF];

	if (!x->ranks.n)
		return;
	na_ranges_text(x->ranks.v, x->ranks.n, ranks, sizeof(ranks));
	na_result_note(r,
		       "in no list of operations: %s that the dumps of some "
		       "ranks of the group do not tell of, as who never called "
		       "it is not told, nor who left it long ago: rank%s %s; "
		       "netan hang says who is to blame",
		       na_count_of(count, x->operations, "operation"),
		       na_plural(x->ranks.n), ranks);
}

bool na_collectives_note_absent(struct na_result *r, const struct coll_state *s,
				const struct coll_found *f)
{
	struct absent x = {.group = NA_UNKNOWN_U32};
	bool ok = true;

	if (!f->ranks)
		return true;
	ok = gather(&x, s, &f->ranks->joined);
	for (size_t from = 0, to; ok && from < x.calls.n; from = to) {
		const struct called *c = &x.calls.v[from];

		for (to = from + 1; to < x.calls.n; to++) {
			if (c->group != x.calls.v[to].group ||
			    c->sequence != x.calls.v[to].sequence)
				break;
		}
		ok = look(&x, s, &f->ranks->joined, from, to);
	}
	sort_once(&x);
	if (ok)
		tell(&x, r);
	na_vec_free(&x.calls);
	na_vec_free(&x.members);
	na_vec_free(&x.ranks);
	return ok;
}
