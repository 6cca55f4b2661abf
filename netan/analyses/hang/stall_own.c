/* hang: what the culprit's own dump tells, and which operation is in doubt. */
#include "facts.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/str.h"

enum { CULPRITS_SHOWN = 4, OTHERS_SHOWN = 6 };

struct na_stall_own na_stall_own(const struct na_stalls *x, int32_t rank)
{
	struct na_stall_own own = {NULL, 0, NULL};

	for (size_t i = 0; i < x->ranks->dumps.n && !own.dump; i++) {
		const struct na_fr_dump *d = &x->ranks->dumps.v[i];

		if (d->rank == rank && d->evidence & NA_BY_FLIGHT_RECORDER &&
		    na_stall_testifies(d))
			own.dump = d;
	}
	for (size_t i = 0; own.dump && i < own.dump->entries.n; i++) {
		const struct na_fr_entry *e = &own.dump->entries.v[i];

		own.pending += na_stall_held(e);
		if (!own.last || e->record >= own.last->record)
			own.last = e;
	}
	return own;
}

/* How far its counters are in the group; -1: they do not tell. */
static int64_t enqueued_in(const struct na_fr_dump *d, const struct na_stall *s)
{
	const struct na_fr_place *p = s->group == NA_NO_NAME
					      ? NULL
					      : na_fr_place_of(d, s->group);

	return p && p->told ? p->enqueued : -1;
}

static const struct na_fr_dump *cut_dump(const struct na_stalls *x,
					 int32_t rank)
{
	for (size_t i = 0; i < x->ranks->dumps.n; i++) {
		const struct na_fr_dump *d = &x->ranks->dumps.v[i];

		if (d->rank == rank && d->counted)
			return d;
	}
	return NULL;
}

/* Of a dump that lists nothing, how far its counters are. */
static void one_dump_text(const struct na_stalls *x, const struct na_stall *s,
			  int32_t rank, struct na_str *to)
{
	struct na_stall_own own = na_stall_own(x, rank);
	const struct na_fr_dump *cut = own.dump ? NULL : cut_dump(x, rank);
	const struct na_fr_entry *last = own.last;
	const char *group =
		s->group == NA_NO_NAME
			? NULL
			: na_stall_name(x, x->ranks->groups.v[s->group].name);

	if (cut)
		na_stall_line(x, to,
			      na_fact_own_dump_is_damaged(rank,
							  enqueued_in(cut, s),
							  group));
	if (!own.dump)
		return;
	na_stall_line(x, to,
		      na_fact_own_dump_lists(
			      rank, (int64_t)own.pending,
			      last ? na_stall_operation(
					     x, last->operation,
					     last->p2p ? -1 : last->sequence,
					     last->group)
				   : NULL,
			      last ? -1 : enqueued_in(own.dump, s), group));
}

void na_stall_own_text(const struct na_stalls *x, const struct na_stall *s,
		       struct na_str *to)
{
	if (s->cause != NA_HANG_HOST_STUCK)
		return;
	for (size_t i = 0; i < s->culprits.n && i < CULPRITS_SHOWN; i++)
		one_dump_text(x, s, s->culprits.v[i].rank, to);
}

void na_stall_others_text(const struct na_stalls *x, const struct na_stall *s,
			  struct na_str *to)
{
	struct na_str list = {0};

	if (!s->others.n)
		return;
	for (size_t i = 0; i < s->others.n && i < OTHERS_SHOWN; i++) {
		const struct na_stall_other *o = &s->others.v[i];

		na_str_join(&list, "; ", "%s",
			    na_say(x->phrases,
				   na_fact_operation_where_ranks_wait(
					   na_stall_operation(x, o->operation,
							      o->sequence,
							      o->group),
					   na_stall_ranks_word(x, &o->waiting),
					   (int64_t)o->waiting.n)));
	}
	na_stall_line(x, to,
		      na_fact_other_operations(na_say_all(x->phrases, &list),
					       s->others.n > OTHERS_SHOWN
						       ? (int64_t)s->others.n -
								 OTHERS_SHOWN
						       : 0));
}
