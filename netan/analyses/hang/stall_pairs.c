/* Point-to-point operations that are held; see stall.h. */
#include <string.h>

#include "netan/analyses/hang/stall.h"
#include "netan/base/order.h"

NA_ORDER(by_ends, struct na_stall_entry, NA_UP(group), NA_UP(rank),
	 NA_CMP(x->entry->peer, y->entry->peer), NA_UP(sequence))

static bool sends(const struct na_flight_record *x, const struct na_fr_entry *e)
{
	return strcmp(na_strtab_at(&x->names, e->operation), "send") == 0;
}

/* The other end, as the peer holds it; or NULL. */
static const struct na_stall_entry *other_end(const struct na_stall_work *w,
					      const struct na_stall_entry *e)
{
	const struct na_stall_entry *v = w->sends.v;
	int32_t peer = e->entry->peer;
	size_t i = NA_BOUND(k, 0, w->sends.n,
			    v[k].group > e->group ||
				    (v[k].group == e->group &&
				     (v[k].rank > peer ||
				      (v[k].rank == peer &&
				       v[k].entry->peer >= e->rank))));

	for (; i < w->sends.n && v[i].group == e->group && v[i].rank == peer &&
	       v[i].entry->peer == e->rank;
	     i++) {
		if (sends(w->ranks, v[i].entry) != sends(w->ranks, e->entry))
			return &v[i];
	}
	return NULL;
}

/* Its rank holds a collective that it called before. */
static bool queued_behind(const struct na_stall_entry *e)
{
	for (size_t i = 0; i < e->dump->entries.n; i++) {
		const struct na_fr_entry *x = &e->dump->entries.v[i];

		if (x->record >= e->entry->record)
			return false;
		if (!x->p2p && na_stall_held(x))
			return true;
	}
	return false;
}

/* Both ends are called, and one does not move yet: the other waits for it. */
static bool waits_for_turn(const struct na_stall_entry *e,
			   const struct na_stall_entry *other)
{
	return queued_behind(other) && !queued_behind(e);
}

/* The first that a rank holds with a peer who does not hold its end, or whose
 * end stands behind what the peer waits in. */
bool na_stall_gather_p2p(struct na_stall_work *w)
{
	na_sort(w->sends.v, w->sends.n, by_ends);
	for (size_t i = 0; i < w->sends.n; i++) {
		const struct na_stall_entry *e = &w->sends.v[i];
		const struct na_stall_entry *other;
		int32_t peer = e->entry->peer;
		struct na_stall_op op = {.group = e->group,
					 .sequence = -1,
					 .entries = e,
					 .n = 1,
					 .since_ns = e->entry->created_ns,
					 .p2p = true};

		if (peer < 0 || (size_t)peer >= w->n_ranks ||
		    (i && e[-1].group == e->group && e[-1].rank == e->rank &&
		     e[-1].entry->peer == peer))
			continue;
		other = other_end(w, e);
		if (other && !waits_for_turn(e, other))
			continue;
		op.cause = other ? NA_HANG_UNKNOWN
			   : na_stall_testifies(w->dumps[peer])
				   ? NA_HANG_HOST_STUCK
				   : NA_HANG_MISSING_RANK;
		if (!na_stall_add(&op.holds, e->rank) ||
		    !na_stall_add(other ? &op.late : &op.blame, peer) ||
		    !na_add(&w->ops, op))
			return false;
	}
	return true;
}
