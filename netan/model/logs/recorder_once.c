/* One dump for each rank, of all that is said of it; see recorder.h. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/model/logs/recorder.h"

enum { KEPT_MAX = 16 /* of a rank, of groups apart */ };

/* ---- the same rank again */

/* Does one of them add nothing but another moment? */
static bool again(const struct na_testimony_dump *a,
		  const struct na_testimony_dump *b)
{
	if (!(a->evidence & b->evidence))
		return false;
	/* Recorders of two backends tell each of groups of its own; logs of
	 * two attempts of the job do so, too, and the first is over. */
	if (!(a->evidence & b->evidence & NA_BY_FLIGHT_RECORDER) ||
	    !a->places.n || !b->places.n)
		return true;
	for (size_t i = 0; i < a->places.n; i++) {
		if (na_testimony_place_of(b, a->places.v[i].group))
			return true;
	}
	return false;
}

/* Is it as far in every group?  What has completed is told by the entries
 * alone in one of them, and not all of these need be in it. */
static bool same_moment(const struct na_testimony_dump *a,
			const struct na_testimony_dump *b)
{
	for (size_t i = 0; i < a->places.n; i++) {
		const struct na_testimony_place *p = &a->places.v[i];
		const struct na_testimony_place *q =
			na_testimony_place_of(b, p->group);

		if (q && (p->enqueued != q->enqueued ||
			  (p->told && q->told && p->completed != q->completed)))
			return false;
	}
	return a->newest_ns == b->newest_ns || !a->all || !b->all;
}

static bool better(const struct na_testimony_dump *a,
		   const struct na_testimony_dump *b, bool same)
{
	if (a->cut != b->cut)
		return b->cut;
	return same ? a->n_entries > b->n_entries : a->newest_ns > b->newest_ns;
}

static bool note_again(struct na_testimony *x, int32_t rank, int64_t a_ns,
		       int64_t b_ns)
{
	struct na_testimony_again *to = x->again.n ? &x->again.v[x->again.n - 1]
						   : NULL;
	int64_t ns = -1;

	if (a_ns > INT64_MIN && b_ns > INT64_MIN &&
	    __builtin_sub_overflow(a_ns > b_ns ? a_ns : b_ns,
				   a_ns > b_ns ? b_ns : a_ns, &ns))
		ns = -1;
	if (!to || to->rank != rank)
		return na_add(&x->again,
			      ((struct na_testimony_again){rank, ns}));
	to->apart_ns = ns > to->apart_ns ? ns : to->apart_ns;
	return true;
}

/* Leaves one of the two; false: no memory. */
static bool choose(struct na_testimony *x, struct na_testimony_dump *to,
		   struct na_testimony_dump *from)
{
	bool same = same_moment(to, from);
	struct na_testimony_dump t = *to;

	if (!same && !to->cut && !from->cut &&
	    (to->evidence & from->evidence &
	     (NA_BY_FLIGHT_RECORDER | NA_BY_RAS)) &&
	    !note_again(x, to->rank, to->newest_ns, from->newest_ns))
		return false;
	if (better(from, to, same)) {
		*to = *from;
		*from = t;
	}
	to->host = to->host == NA_NO_NAME ? from->host : to->host;
	return true;
}

/* ---- what adds to it */

/* Records count by recorder: brought into one order by time. */
static int by_creation(const void *a, const void *b)
{
	const struct na_testimony_entry *x = a, *y = b;

	if (x->created_ns != y->created_ns)
		return x->created_ns < y->created_ns ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

static void number_anew(struct na_testimony_dump *d)
{
	na_sort(d->entries.v, d->entries.n, by_creation);
	for (size_t i = 0; i < d->entries.n; i++)
		d->entries.v[i].record = (int64_t)i;
}

static bool join_dumps(struct na_testimony_dump *to,
		       struct na_testimony_dump *from)
{
	bool recorders = to->evidence & from->evidence & NA_BY_FLIGHT_RECORDER;
	size_t frames = to->frames.n;

	for (size_t i = 0; i < from->places.n; i++) {
		struct na_testimony_place *p =
			na_testimony_place(to, from->places.v[i].group);

		if (!p)
			return false;
		if (p->enqueued < 0 && p->completed < 0)
			*p = from->places.v[i];
	}
	for (size_t i = 0; i < from->entries.n; i++)
		from->entries.v[i].frame += (uint32_t)frames;
	if (!na_append(&to->entries, from->entries.v, from->entries.n) ||
	    !na_append(&to->frames, from->frames.v, from->frames.n))
		return false;
	if (recorders)
		number_anew(to);
	to->evidence |= from->evidence;
	to->unresponsive |= from->unresponsive;
	to->lost |= from->lost;
	to->all |= from->all;
	to->places_unmatched |= from->places_unmatched;
	to->n_entries += from->n_entries;
	to->left_out += from->left_out;
	if (to->host == NA_NO_NAME)
		to->host = from->host;
	if (to->newest_ns < from->newest_ns)
		to->newest_ns = from->newest_ns;
	if (to->oldest_ns == INT64_MIN ||
	    (from->oldest_ns != INT64_MIN && from->oldest_ns < to->oldest_ns))
		to->oldest_ns = from->oldest_ns;
	return true;
}

/* ---- rank by rank */

struct ranked {
	int32_t rank;
	uint32_t dump;
};
NA_ORDER(by_rank, struct ranked, NA_UP(rank), NA_UP(dump))

/* The n dumps of one rank become the first of them. */
static bool join_rank(struct na_testimony *x, const struct ranked *order,
		      size_t n, bool *gone)
{
	struct na_testimony_dump *kept[KEPT_MAX];
	size_t n_kept = 0, k;

	for (size_t i = 0; i < n; i++) {
		struct na_testimony_dump *d = &x->dumps.v[order[i].dump];

		for (k = 0; k < n_kept && !again(kept[k], d); k++)
			;
		if (k < n_kept && !choose(x, kept[k], d))
			return false;
		gone[order[i].dump] = i > 0;
		if (k == n_kept && n_kept < KEPT_MAX)
			kept[n_kept++] = d;
	}
	for (k = 1; k < n_kept; k++) {
		if (!join_dumps(kept[0], kept[k]))
			return false;
	}
	return true;
}

static bool join_all(struct na_testimony *x, struct ranked *order, bool *gone)
{
	bool ok = true;

	for (size_t i = 0; i < x->dumps.n; i++)
		order[i] = (struct ranked){x->dumps.v[i].rank, (uint32_t)i};
	na_sort(order, x->dumps.n, by_rank);
	for (size_t i = 0, n; ok && i < x->dumps.n; i += n) {
		for (n = 1; i + n < x->dumps.n; n++) {
			if (order[i + n].rank != order[i].rank)
				break;
		}
		ok = n == 1 || join_rank(x, order + i, n, gone);
	}
	return ok;
}

bool na_testimony_once(struct na_testimony *x)
{
	size_t n = x->dumps.n, kept = 0;
	struct ranked *order = na_calloc(n + 1, sizeof(*order));
	bool *gone = na_calloc(n + 1, sizeof(*gone));
	bool ok = order && gone && join_all(x, order, gone);

	for (size_t i = 0; gone && i < n; i++) {
		if (gone[i])
			na_testimony_free_dump(&x->dumps.v[i]);
		else
			x->dumps.v[kept++] = x->dumps.v[i];
	}
	x->dumps.n = gone ? kept : n;
	free(order);
	free(gone);
	return ok;
}
