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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/nccl/log_parts.h"

static const char default_group[] = "default_pg";
enum { NEAR = 1024 /* lines between two about the same */ };

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
	if (!na_text_split(x, "[PG ID ", &before, &behind) &&
	    !na_text_split(x, "[PG ", &before, &behind))
		return na_text_n(x.s, 0);
	return na_text_n(behind.s, na_nccl_after(behind, "").n);
}

static uint32_t group_name(struct na_watchdog *w, struct na_text x)
{
	struct na_text g = group_in(x);
	char name[200];
	uint64_t n;

	if (!g.n)
		return NA_NO_NAME;
	if (na_text_is(g, "0"))
		g = na_text_n(default_group, sizeof(default_group) - 1);
	n = (uint64_t)snprintf(name, sizeof(name), "%s%.*s",
			       na_text_number(g, &n) ? "PG " : "",
			       (int)(g.n < 180 ? g.n : 180), g.s);
	return na_strtab_add(&w->names, name, n);
}

static int64_t rank_in(struct na_text x)
{
	int64_t n = na_nccl_front_rank(x);

	if (n < 0)
		n = na_nccl_number(x, "[Rank ");
	if (n < 0)
		n = na_nccl_number(x, " Rank ");
	return n < NA_FR_MAX ? n : -1;
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

/* When it was called, of what ran for so long until then. */
static int64_t called_at(struct na_watchdog *w, int64_t ms,
			 const struct na_hang_time *t)
{
	int64_t ns;

	if (!t->known || ms < 0 ||
	    __builtin_mul_overflow(ms, -1000000, &ns) ||
	    __builtin_add_overflow(t->ns, ns, &ns))
		return INT64_MIN;
	w->unzoned |= t->has_year && !t->has_zone;
	return ns;
}

bool na_watchdog_line(struct na_watchdog *w, struct na_text x,
		      const struct na_hang_time *t)
{
	/* "ran for 600029 milliseconds before timing out" */
	int64_t ms = na_nccl_number(x, "ran for ");
	struct na_watchdog_line l = {
		.elements = UINT64_MAX,
		.called_ns = called_at(w, ms, t),
		.ran_ms = ms > 0 ? ms : 0,
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
 * same work, else of any rank about it. */
static uint32_t group_at(const struct na_watchdog *w, size_t at)
{
	const struct na_watchdog_line *l = &w->lines.v[at];
	size_t from = at > NEAR ? at - NEAR : 0;
	uint32_t any = NA_NO_NAME;

	for (size_t i = from; i < w->lines.n && i < at + NEAR; i++) {
		const struct na_watchdog_line *x = &w->lines.v[i];

		if (x->group == NA_NO_NAME || x->sequence != l->sequence)
			continue;
		if (x->rank == l->rank && i > at)
			return x->group;
		any = any == NA_NO_NAME ? x->group : any;
	}
	return any;
}

static uint32_t group_of(const struct na_watchdog *w, size_t at,
			 struct na_nccl_dumps *t)
{
	uint32_t name = w->lines.v[at].group;
	const char *s = default_group;

	if (name == NA_NO_NAME)
		name = group_at(w, at);
	if (name != NA_NO_NAME)
		s = na_strtab_at(&w->names, name);
	return na_fr_group(t->ranks, s, strlen(s), NULL, 0);
}

static struct na_fr_entry *entry_of(const struct na_fr_dump *d, uint32_t group,
				    int64_t sequence)
{
	for (size_t i = 0; i < d->entries.n; i++) {
		if (d->entries.v[i].group == group &&
		    d->entries.v[i].sequence == sequence)
			return &d->entries.v[i];
	}
	return NULL;
}

/* The work that a line is about, which the rank still holds. */
static bool tell_work(const struct na_watchdog_line *l, struct na_nccl_dumps *t,
		      struct na_fr_dump *d, uint32_t group, const char *type)
{
	struct na_fr_entry *e = entry_of(d, group, l->sequence);
	uint32_t operation = NA_NO_NAME;

	if (*type) {
		operation =
			na_nccl_dump_operation(t->ranks,
					       na_text_n(type, strlen(type)));
		if (operation == NA_NO_NAME)
			return false;
	}
	if (!e && d->entries.n < NA_FR_KEPT) {
		if (!na_nccl_dump_holds(d, group, l->sequence, operation,
					l->elements, l->called_ns))
			return false;
		e = entry_of(d, group, l->sequence);
	}
	if (e && e->ran_ms < l->ran_ms)
		e->ran_ms = l->ran_ms;
	if (e && e->created_ns == INT64_MIN)
		e->created_ns = l->called_ns;
	if (e && e->operation == NA_NO_NAME) {
		e->operation = operation;
		e->in_elements = l->elements;
	}
	return true;
}

static bool tell_line(const struct na_watchdog *w, size_t at,
		      struct na_nccl_dumps *t)
{
	const struct na_watchdog_line *l = &w->lines.v[at];
	uint32_t group = group_of(w, at, t);
	struct na_fr_dump *d = na_nccl_dump_of(t, l->rank, NA_BY_WATCHDOG);
	const char *type = na_strtab_at(&w->names, l->operation);
	int64_t enqueued = l->enqueued < 0 ? l->sequence : l->enqueued;
	bool p2p = strcmp(type, "SEND") == 0 || strcmp(type, "RECV") == 0;
	struct na_fr_place *p;

	if (group == NA_NO_NAME || !d ||
	    !na_nccl_dump_place(d, group, enqueued, l->completed))
		return false;
	p = na_fr_place(d, group);
	p->p2p |= p2p;
	if (l->sequence < 0 || p2p || l->sequence <= l->completed ||
	    l->sequence > enqueued)
		return true;
	return tell_work(l, t, d, group, type);
}

bool na_watchdog_end(const struct na_watchdog *w, struct na_nccl_dumps *t)
{
	for (size_t i = 0; i < w->lines.n; i++) {
		if (!tell_line(w, i, t))
			return false;
	}
	t->ranks->unzoned |= w->unzoned;
	return true;
}

void na_watchdog_fini(struct na_watchdog *w)
{
	na_vec_free(&w->lines);
	na_strtab_fini(&w->names);
}
