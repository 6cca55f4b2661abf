/*
 * Lines of PyTorch's watchdog (ProcessGroupNCCL.cpp), of several years:
 *
 *   [rank0]:[E321 ...] [Rank 0] Watchdog caught collective operation timeout:
 *     WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=466119168, ...) ran for
 *   [rank0]:[E321 ...] [PG ID 0 PG GUID 0(default_pg) Rank 0] ... at work:
 *     1580, last enqueued NCCL work: 1582, last completed NCCL work: 1579.
 *
 * The first may not say its group: then it is that of the second, of the same
 * rank and work.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/nccl/log_parts.h"

static const char default_group[] = "default_pg";

/* What stands in the brackets with "PG"; n 0: no group is told. */
static struct na_text group_in(struct na_text x)
{
	struct na_text before, behind, guid;
	size_t end;

	if (na_text_split(x, "PG GUID ", &before, &behind)) {
		end = na_text_first(behind, ')');
		guid = na_nccl_after(x, "PG GUID ");
		if (end != SIZE_MAX && guid.n < end &&
		    behind.s[guid.n] == '(') {
			guid = na_text_n(behind.s + guid.n + 1,
					 end - guid.n - 1);
			if (guid.n && !na_text_is(guid, "undefined"))
				return guid;
		}
	}
	if (na_text_split(x, "[PG ID ", &before, &behind) ||
	    na_text_split(x, "[PG ", &before, &behind))
		return na_text_n(behind.s, na_nccl_after(behind, "").n);
	return na_text_n(x.s, 0);
}

static uint32_t group_name(struct na_watchdog *w, struct na_text x)
{
	struct na_text g = group_in(x);

	if (!g.n)
		return NA_NO_NAME;
	return na_text_is(g, "0")
		       ? na_strtab_add(&w->names, default_group,
				       sizeof(default_group) - 1)
		       : na_strtab_add(&w->names, g.s, g.n < 200 ? g.n : 200);
}

static int64_t rank_in(struct na_text x)
{
	int64_t n = na_nccl_front_rank(x);

	if (n < 0)
		n = na_nccl_number(x, "[Rank ");
	if (n < 0)
		n = na_nccl_number(x, " Rank ");
	return n < NA_RANKS_MAX ? n : -1;
}

static bool add_line(struct na_watchdog *w, struct na_text x,
		     struct na_watchdog_line l)
{
	struct na_text type = na_nccl_after(x, "OpType=");

	if (type.n && type.n < 64)
		l.operation = na_strtab_add(&w->names, type.s, type.n);
	l.group = group_name(w, x);
	l.rank = rank_in(x);
	return l.rank < 0 || na_add(&w->lines, l);
}

/* Either "last enqueued work: 5" or "last enqueued NCCL work: 5". */
static int64_t work(struct na_text x, const char *which)
{
	struct na_text before, behind;
	size_t colon;

	if (!na_text_split(x, which, &before, &behind))
		return -1;
	colon = na_text_first(behind, ':');
	return colon == SIZE_MAX || colon > 16
		       ? -1
		       : na_nccl_number(na_text_from(behind, colon), ": ");
}

bool na_watchdog_line(struct na_watchdog *w, struct na_text x)
{
	struct na_watchdog_line l = {
		.elements = UINT64_MAX,
		.sequence = -1,
		.operation = NA_NO_NAME,
		.enqueued = work(x, "last enqueued"),
		.completed = work(x, "last completed"),
	};
	int64_t n = na_nccl_number(x, "NumelIn=");

	if (l.enqueued < 0 &&
	    na_text_split(x, "WorkNCCL(SeqNum=", &(struct na_text){0},
			  &(struct na_text){0})) {
		l.sequence = na_nccl_number(x, "SeqNum=");
		l.elements = n < 0 ? UINT64_MAX : (uint64_t)n;
	} else if (l.enqueued >= 0) {
		l.sequence = na_nccl_number(x, "at work: ");
	} else {
		return true;
	}
	return add_line(w, x, l);
}

/* ---- what they tell */

/* Of timeouts without a group: that of the next line of the rank about the
 * same work, else of all. */
static uint32_t group_at(const struct na_watchdog *w, size_t at)
{
	const struct na_watchdog_line *l = &w->lines.v[at];

	for (size_t i = at; i < w->lines.n && i < at + 4096; i++) {
		const struct na_watchdog_line *x = &w->lines.v[i];

		if (x->rank == l->rank && x->group != NA_NO_NAME &&
		    x->sequence == l->sequence)
			return x->group;
	}
	return NA_NO_NAME;
}

static uint32_t group_of(const struct na_watchdog *w, size_t at,
			 struct na_told *t)
{
	uint32_t name = w->lines.v[at].group;
	const char *s = default_group;

	if (name == NA_NO_NAME)
		name = group_at(w, at);
	if (name != NA_NO_NAME)
		s = na_strtab_at(&w->names, name);
	return na_ranks_group(t->ranks, s, strlen(s), NULL, 0);
}

static bool has_entry(const struct na_ranks_dump *d, uint32_t group,
		      int64_t sequence)
{
	for (size_t i = 0; i < d->entries.n; i++) {
		if (d->entries.v[i].group == group &&
		    d->entries.v[i].sequence == sequence)
			return true;
	}
	return false;
}

static bool tell_line(const struct na_watchdog *w, size_t at, struct na_told *t)
{
	const struct na_watchdog_line *l = &w->lines.v[at];
	uint32_t group = group_of(w, at, t);
	struct na_ranks_dump *d = na_told_dump(t, l->rank, NA_BY_WATCHDOG);
	const char *type = na_strtab_at(&w->names, l->operation);
	int64_t enqueued = l->enqueued < 0 ? l->sequence : l->enqueued;
	bool p2p = strcmp(type, "SEND") == 0 || strcmp(type, "RECV") == 0;
	struct na_ranks_place *p;

	if (group == NA_NO_NAME || !d ||
	    !na_told_place(d, group, enqueued, l->completed))
		return false;
	p = na_ranks_place(d, group);
	p->p2p |= p2p;
	if (l->sequence < 0 || !*type || p2p ||
	    has_entry(d, group, l->sequence) || d->entries.n >= NA_RANKS_KEPT)
		return true;
	return na_told_holds(d, group, l->sequence,
			     na_told_operation(t->ranks,
					       na_text_n(type, strlen(type))),
			     l->elements);
}

bool na_watchdog_end(const struct na_watchdog *w, struct na_told *t)
{
	for (size_t i = 0; i < w->lines.n; i++) {
		if (!tell_line(w, i, t))
			return false;
	}
	return true;
}

void na_watchdog_fini(struct na_watchdog *w)
{
	na_vec_free(&w->lines);
	na_strtab_fini(&w->names);
}
