/* One dump for each rank, of all that is said of it; see recorder.h. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/model/logs/recorder.h"

/* ---- the dumps of a rank, in order */

struct ranked {
	int32_t rank;
	uint32_t kind; /* that of recorders first */
	int64_t newest_ns;
	uint64_t most; /* entries; of a whole dump more than of any other */
	int64_t enqueued;
	uint32_t dump;
};
/* The last one first, then the one that holds most: whatever the files are
 * called. */
NA_ORDER(by_rank, struct ranked, NA_UP(rank), NA_UP(kind), NA_DOWN(newest_ns),
	 NA_DOWN(most), NA_DOWN(enqueued), NA_UP(dump))

static struct ranked ranked(const struct na_fr_dump *d, size_t i)
{
	struct ranked r = {.rank = d->rank,
			   .kind = d->evidence & NA_BY_FLIGHT_RECORDER ? 0
				   : d->evidence & NA_BY_RAS           ? 1
								       : 2,
			   .newest_ns = d->newest_ns,
			   .most = d->n_entries | (uint64_t)(d->cut ? 0 : 1)
							  << 63,
			   .dump = (uint32_t)i};

	for (size_t k = 0; k < d->places.n; k++) {
		if (d->places.v[k].enqueued > r.enqueued)
			r.enqueued = d->places.v[k].enqueued;
	}
	return r;
}

struct once {
	struct na_flight_record *x;
	struct ranked *order;
	bool *gone;
	uint32_t *by; /* of a group: the last dump that tells of it, and 1 */
};

/* ---- the same rank again */

/* Attempts of a job may have other numbers of ranks; in each a rank is in one
 * group of all. */
static uint32_t *told_by(struct once *o, uint32_t group)
{
	const char *name = na_strtab_at(&o->x->names,
					o->x->groups.v[group].name);

	return &o->by[strcmp(name, "default_pg") == 0 ? o->x->groups.n : group];
}

static bool grouped(const struct na_fr_dump *d)
{
	return d->evidence & NA_BY_FLIGHT_RECORDER && d->places.n;
}

/* One of the same rank and kind, kept before, to which d adds nothing but
 * another moment; NULL: none. */
static struct na_fr_dump *
dump_before(struct once *o, const struct ranked *first, const struct ranked *r)
{
	struct na_fr_dump *v = o->x->dumps.v, *d = &v[r->dump];

	/* Recorders of two backends tell each of groups of its own; logs of
	 * two attempts of the job do so, too, and the first is over. */
	for (size_t i = 0; grouped(d) && i < d->places.n; i++) {
		uint32_t by = *told_by(o, d->places.v[i].group);

		if (by && v[by - 1].rank == d->rank)
			return &v[by - 1];
	}
	for (; first < r; first++) {
		struct na_fr_dump *k = &v[first->dump];

		if (!o->gone[first->dump] && k->evidence & d->evidence &&
		    !(grouped(d) && grouped(k)))
			return k;
	}
	return NULL;
}

/* Is it as far in every group?  What has completed is told by the entries
 * alone in one of them, and not all of these need be in it. */
static bool same_moment(const struct na_fr_dump *a, const struct na_fr_dump *b)
{
	for (size_t i = 0; i < a->places.n; i++) {
		const struct na_fr_place *p = &a->places.v[i];
		const struct na_fr_place *q = na_fr_place_of(b, p->group);

		if (q && (p->enqueued != q->enqueued ||
			  (p->told && q->told && p->completed != q->completed)))
			return false;
	}
	return a->newest_ns == b->newest_ns || !a->all || !b->all;
}

/* What breaks off is another one where all of it is later. */
static bool another_moment(const struct na_fr_dump *last,
			   const struct na_fr_dump *d)
{
	if (!(last->evidence & d->evidence &
	      (NA_BY_FLIGHT_RECORDER | NA_BY_RAS)))
		return false;
	return (d->newest_ns != INT64_MIN && last->oldest_ns > d->newest_ns) ||
	       (!last->cut && !d->cut && !same_moment(last, d));
}

static int64_t apart(int64_t a_ns, int64_t b_ns)
{
	int64_t ns;

	return a_ns == INT64_MIN || b_ns == INT64_MIN ||
			       __builtin_sub_overflow(a_ns, b_ns, &ns)
		       ? -1
		       : ns;
}

static bool note_again(struct na_flight_record *x,
		       const struct na_fr_dump *last,
		       const struct na_fr_dump *d)
{
	struct na_fr_again *to = x->again.n ? &x->again.v[x->again.n - 1]
					    : NULL;
	int64_t ns = apart(last->newest_ns, d->newest_ns);

	/* The last ones come first, and the last one before is the first. */
	if (!to || to->rank != d->rank)
		return na_add(&x->again, ((struct na_fr_again){d->rank, ns,
							       last->newest_ns,
							       d->newest_ns}));
	to->apart_ns = ns > to->apart_ns ? ns : to->apart_ns;
	return true;
}

/* d goes, where one that is kept tells the same; false: no memory. */
static bool drop_again(struct once *o, const struct ranked *first,
		       const struct ranked *r)
{
	struct na_fr_dump *d = &o->x->dumps.v[r->dump];
	struct na_fr_dump *kept = dump_before(o, first, r);

	for (size_t i = 0; !kept && grouped(d) && i < d->places.n; i++)
		*told_by(o, d->places.v[i].group) = r->dump + 1;
	if (!kept)
		return true;
	o->gone[r->dump] = true;
	kept->host = kept->host == NA_NO_NAME ? d->host : kept->host;
	return !another_moment(kept, d) || note_again(o->x, kept, d);
}

/* ---- dumps of another time than those of the other ranks */

/* Half way between what is over for a rank and what came after it. */
struct half_way {
	int32_t rank;
	int64_t ns;
};

/* The latest ones, of two ranks; INT64_MIN: there are none. */
static void find_half_way(const struct na_flight_record *x,
			  struct half_way latest[2])
{
	for (size_t i = 0; i < x->again.n; i++) {
		const struct na_fr_again *a = &x->again.v[i];
		struct half_way h = {a->rank,
				     a->before_ns / 2 + a->last_ns / 2};

		if (a->before_ns == INT64_MIN)
			continue;
		if (h.ns > latest[0].ns) {
			latest[1] = latest[0];
			latest[0] = h;
		} else if (h.ns > latest[1].ns) {
			latest[1] = h;
		}
	}
}

/* Is a time of this rank nearer to what is over for another one? */
static bool over(const struct half_way latest[2], int32_t rank, int64_t ns)
{
	return ns < latest[latest[0].rank == rank].ns;
}

/* Where ranks have dumps of several moments, another's last one may be of the
 * first of these: of an attempt of the job that is over, say.  It tells
 * nothing of the last.  So is any that is the only one of its rank, and older
 * than the first of those that came after others. */
static bool drop_old(struct once *o)
{
	struct na_flight_record *x = o->x;
	struct half_way latest[2] = {{-1, INT64_MIN}, {-1, INT64_MIN}};
	int64_t first = INT64_MAX;
	size_t again = 0;

	find_half_way(x, latest);
	for (size_t i = 0; i < x->again.n; i++) {
		const struct na_fr_again *a = &x->again.v[i];

		if (a->last_ns < first && a->before_ns != INT64_MIN &&
		    !over(latest, a->rank, a->last_ns))
			first = a->last_ns;
	}
	for (size_t i = 0; first < INT64_MAX && i < x->dumps.n; i++) {
		const struct ranked *r = &o->order[i];

		while (again < x->again.n && x->again.v[again].rank < r->rank)
			again++;
		if (o->gone[r->dump] || r->kind || r->newest_ns >= first ||
		    (again < x->again.n && x->again.v[again].rank == r->rank &&
		     !over(latest, r->rank, r->newest_ns)))
			continue;
		o->gone[r->dump] = true;
		if (!na_add(&x->old, r->rank))
			return false;
	}
	return true;
}

/* ---- what adds to it */

/* Records count by recorder: brought into one order by time. */
static int by_creation(const void *a, const void *b)
{
	const struct na_fr_entry *x = a, *y = b;

	if (x->created_ns != y->created_ns)
		return x->created_ns < y->created_ns ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

static void number_anew(struct na_fr_dump *d)
{
	na_sort(d->entries.v, d->entries.n, by_creation);
	for (size_t i = 0; i < d->entries.n; i++)
		d->entries.v[i].record = (int64_t)i;
}

static bool join_dumps(struct na_fr_dump *to, struct na_fr_dump *from)
{
	bool recorders = to->evidence & from->evidence & NA_BY_FLIGHT_RECORDER;
	size_t frames = to->frames.n;

	for (size_t i = 0; i < from->places.n; i++) {
		struct na_fr_place *p = na_fr_place(to,
						    from->places.v[i].group);

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
	to->counted = (to->counted || !to->cut) &&
		      (from->counted || !from->cut);
	to->cut |= from->cut;
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

/* What is left of a rank becomes one dump. */
static bool join_rank(struct once *o, const struct ranked *order, size_t n)
{
	struct na_fr_dump *v = o->x->dumps.v, *to = NULL;

	for (size_t i = 0; i < n; i++) {
		uint32_t k = order[i].dump;

		if (o->gone[k])
			continue;
		if (to && !join_dumps(to, &v[k]))
			return false;
		o->gone[k] = to != NULL;
		to = to ? to : &v[k];
	}
	return true;
}

/* ---- all ranks */

static size_t of_rank(const struct once *o, size_t i)
{
	size_t n = 1;

	while (i + n < o->x->dumps.n &&
	       o->order[i + n].rank == o->order[i].rank)
		n++;
	return n;
}

static bool join_all(struct once *o)
{
	struct na_flight_record *x = o->x;
	const struct ranked *first = o->order;
	bool ok = true;

	for (size_t i = 0; i < x->dumps.n; i++)
		o->order[i] = ranked(&x->dumps.v[i], i);
	na_sort(o->order, x->dumps.n, by_rank);
	for (size_t i = 0; ok && i < x->dumps.n; i++) {
		if (o->order[i].rank != first->rank)
			first = &o->order[i];
		ok = drop_again(o, first, &o->order[i]);
	}
	ok = ok && drop_old(o);
	for (size_t i = 0; ok && i < x->dumps.n; i += of_rank(o, i))
		ok = join_rank(o, o->order + i, of_rank(o, i));
	return ok;
}

bool na_fr_once(struct na_flight_record *x)
{
	size_t n = x->dumps.n, kept = 0;
	struct once o = {x, na_calloc(n + 1, sizeof(*o.order)),
			 na_calloc(n + 1, sizeof(*o.gone)),
			 na_calloc(x->groups.n + 1, sizeof(*o.by))};
	bool ok = o.order && o.gone && o.by && join_all(&o);

	for (size_t i = 0; o.gone && i < n; i++) {
		if (o.gone[i])
			na_fr_free_dump(&x->dumps.v[i]);
		else
			x->dumps.v[kept++] = x->dumps.v[i];
	}
	x->dumps.n = o.gone ? kept : n;
	free(o.order);
	free(o.gone);
	free(o.by);
	return ok;
}
