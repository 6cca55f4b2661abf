/* hang: what the culprit's own dump tells, and which operation is in doubt. */
#include <inttypes.h>
#include <stdio.h>

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

/* "all_reduce number 155 of TENSOR_PARALLEL (ranks 4 and 5)" */
static void operation_text(const struct na_stalls *x, uint32_t operation,
			   int64_t sequence, uint32_t group, struct na_str *to)
{
	char where[NA_STALL_RANKS_BUF + 100];

	na_stall_group(x, group, where, sizeof(where));
	na_str_addf(to, "%.60s", na_stall_name(x, operation));
	if (sequence >= 0)
		na_str_addf(to, " number %" PRId64, sequence);
	na_str_addf(to, " of %s", where);
}

/* Of a rank whose dump lists nothing, how far its counters are. */
static void counted_text(const struct na_stalls *x, const struct na_fr_dump *d,
			 const struct na_stall *s, struct na_str *to)
{
	const struct na_fr_place *p = s->group == NA_NO_NAME
					      ? NULL
					      : na_fr_place_of(d, s->group);

	if (p && p->told && p->enqueued >= 0)
		na_str_addf(to,
			    "; by its counters it came to %" PRId64 " in %.80s",
			    p->enqueued,
			    na_stall_name(x,
					  x->ranks->groups.v[s->group].name));
}

static void cut_dump_text(const struct na_stalls *x, const struct na_stall *s,
			  int32_t rank, struct na_str *to)
{
	for (size_t i = 0; i < x->ranks->dumps.n; i++) {
		const struct na_fr_dump *d = &x->ranks->dumps.v[i];

		if (d->rank != rank || !d->counted)
			continue;
		na_str_addf(to, "dump of rank %d: damaged", (int)rank);
		counted_text(x, d, s, to);
		na_str_addf(to, "\n");
		return;
	}
}

static void one_dump_text(const struct na_stalls *x, const struct na_stall *s,
			  int32_t rank, struct na_str *to)
{
	struct na_stall_own own = na_stall_own(x, rank);

	if (!own.dump) {
		cut_dump_text(x, s, rank, to);
		return;
	}
	na_str_addf(to, "dump of rank %d: ", (int)rank);
	if (own.pending)
		na_str_addf(to, "%s operation%s in it %s not completed",
			    na_grouped(own.pending), na_plural(own.pending),
			    own.pending == 1 ? "has" : "have");
	else
		na_str_addf(to, "%s",
			    own.last ? "nothing in it is pending: all that it "
				       "called has completed"
				     : "it is here and lists no operation: "
				       "nothing that it called is pending");
	if (own.last) {
		na_str_addf(to, "; the last that it called is ");
		operation_text(x, own.last->operation,
			       own.last->p2p ? -1 : own.last->sequence,
			       own.last->group, to);
	} else {
		counted_text(x, own.dump, s, to);
	}
	na_str_addf(to, "\n");
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
	if (!s->others.n)
		return;
	na_str_addf(to, "or before it: ");
	for (size_t i = 0; i < s->others.n && i < OTHERS_SHOWN; i++) {
		const struct na_stall_other *o = &s->others.v[i];
		char who[NA_STALL_RANKS_BUF + 8];

		na_stall_ranks_word(o->waiting.v, o->waiting.n, who,
				    sizeof(who));
		na_str_addf(to, "%s", i ? "; " : "");
		operation_text(x, o->operation, o->sequence, o->group, to);
		na_str_addf(to, ", where %s wait%s", who,
			    o->waiting.n == 1 ? "s" : "");
	}
	if (s->others.n > OTHERS_SHOWN)
		na_str_addf(to, "; and %s more",
			    na_grouped(s->others.n - OTHERS_SHOWN));
	na_str_addf(to, " (no dump tells which of these comes first in its "
			"program)\n");
}
