/* Which record of a rank is which operation of its group. */
#include <ctype.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/ranks/impl.h"

/* "0,1,2,3": the next number of it, -1 at its end or where it is none. */
static int64_t next_rank(const char **at)
{
	int64_t x = 0;

	if (!isdigit((unsigned char)**at))
		return -1;
	for (; isdigit((unsigned char)**at); ++*at) {
		x = x * 10 + (**at - '0');
		if (x > INT32_MAX)
			return -1;
	}
	if (**at == ',')
		++*at;
	return x;
}

/* How many ranks a name lists in ascending order; 0: it is just a name. */
static uint32_t listed(const char *name)
{
	int64_t before = -1, x;
	uint32_t n = 0;

	for (const char *at = name; *at; before = x, n++) {
		x = next_rank(&at);
		if (x <= before)
			return 0;
	}
	return n;
}

static bool is_listed(const char *name, int32_t number)
{
	for (const char *at = name; *at;) {
		if (next_rank(&at) == number)
			return true;
	}
	return false;
}

/* Whether a name is the list of the group's ranks, and not a number by which
 * the input calls it. */
static bool lists_members(const struct na_ranks *r, const struct rank_entry *e,
			  size_t n, const char *name)
{
	uint32_t told = r->comms[e->comm].group_size;
	uint32_t size = listed(name);

	if (!size || (told && told != size))
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((!i || e[i].rank != e[i - 1].rank) &&
		    !is_listed(name, r->ranks.v[e[i].rank].number))
			return false;
	}
	return true;
}

/* Has it inputs that tell such times? */
static bool tells(const struct na_rank *x, const struct na_rank_group *g)
{
	return g->times == NA_RANK_QUEUED ? x->queued : x->ran;
}

static void add_member(struct rank_members *m, uint32_t rank)
{
	m->v[m->n++] = rank;
}

/* All of its ranks that are in the input. */
static void add_listed(const struct na_ranks *r, struct rank_members *m,
		       const char *name, const struct na_rank_group *g)
{
	for (const char *at = name; *at;) {
		uint32_t k = na_ranks_find(r, g->run, (int32_t)next_rank(&at));

		if (k != NA_UNKNOWN_U32 && m->n < r->ranks.n &&
		    tells(&r->ranks.v[k], g))
			add_member(m, k);
	}
}

bool na_ranks_members(const struct na_ranks *r, const struct rank_entry *e,
		      size_t n, struct rank_members *out)
{
	const struct na_rank_group *g = &r->groups.v[e->group];
	const char *name = g->name == NA_UNKNOWN_U32
				   ? NULL
				   : na_strtab_at(&r->store->names.strings,
						  g->name);

	*out = (struct rank_members){
		.v = na_calloc(r->ranks.n + 1, sizeof(*out->v))};
	if (!out->v)
		return false;
	if (name && lists_members(r, e, n, name)) {
		add_listed(r, out, name, g);
		return true;
	}
	for (uint32_t i = 0; !name && g->src < 0 && i < r->ranks.n; i++) {
		if (r->ranks.v[i].run == g->run && tells(&r->ranks.v[i], g))
			add_member(out, i);
	}
	for (size_t i = 0; (name || g->src >= 0) && i < n; i++) {
		if (!i || e[i].rank != e[i - 1].rank)
			add_member(out, e[i].rank);
	}
	return true;
}

void na_ranks_part(struct na_ranks *r, size_t comm, enum na_rank_apart why)
{
	r->apart[comm] = (uint8_t)why;
	r->unjoined[why]++;
}

/* Where the entries of a rank begin and which of them is counted as 1. */
struct row {
	size_t from, to, zero;
};

/* From `zero` on all rows have as many, and the same ones. */
static bool alike(const struct na_ranks *r, const struct rank_entry *e,
		  const struct row *rows, size_t n, bool pair)
{
	for (size_t k = 1; k < n; k++) {
		const struct row *a = &rows[0], *b = &rows[k];

		if (b->to - b->zero != a->to - a->zero)
			return false;
		for (size_t i = 0; !pair && i < a->to - a->zero; i++) {
			if (r->comms[e[a->zero + i].comm].operation !=
			    r->comms[e[b->zero + i].comm].operation)
				return false;
		}
	}
	return true;
}

/* Recorders may have left out what has completed: what is not complete then
 * is of no known place. */
static bool any_held(const struct na_ranks *r, const struct rank_entry *e,
		     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (na_comm_pending(r->comms[e[i].comm].source))
			return true;
	}
	return false;
}

/* From the first one after the anchor; else from the start. */
static bool count_from(const struct na_ranks *r, const struct rank_entry *e,
		       struct row *rows, size_t n, bool pair, bool anchored)
{
	for (size_t k = 0; k < n; k++) {
		struct row *x = &rows[k];
		int64_t anchor_ps =
			x->from < x->to ? r->ranks.v[e[x->from].rank].anchor_ps
					: NA_TIME_MIN;

		if (anchored && anchor_ps == NA_TIME_MIN)
			return false;
		x->zero = x->from;
		while (anchored && x->zero < x->to &&
		       r->comms[e[x->zero].comm].start_ps < anchor_ps)
			x->zero++;
	}
	return alike(r, e, rows, n, pair);
}

static void number_rows(struct rank_entry *e, const struct row *rows, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		for (size_t i = rows[k].from; i < rows[k].to; i++)
			e[i].key = (int64_t)i - (int64_t)rows[k].zero + 1;
	}
}

/* Of entries by rank and time. */
static bool by_ordinal(struct na_ranks *r, struct rank_entry *e, size_t n,
		       const struct rank_members *m)
{
	bool pair = r->groups.v[e->group].src >= 0, ok;
	struct row *rows = na_calloc(m->n + 1, sizeof(*rows));
	size_t at = 0;

	if (!rows)
		return false;
	for (size_t k = 0; k < m->n; k++) {
		rows[k].from = at;
		while (at < n && e[at].rank == m->v[k])
			at++;
		rows[k].to = at;
	}
	ok = at == n && !any_held(r, e, n) &&
	     (count_from(r, e, rows, m->n, pair, true) ||
	      count_from(r, e, rows, m->n, pair, false));
	if (ok)
		number_rows(e, rows, m->n);
	free(rows);
	return ok;
}

NA_ORDER(by_time, struct rank_entry, NA_UP(rank), NA_UP(key), NA_UP(comm))

enum na_rank_by na_ranks_keys(struct na_ranks *r, struct rank_entry *e,
			      size_t *n, const struct rank_members *m)
{
	const struct na_rank_group *g = &r->groups.v[e->group];
	/* Sides of a pair count each for itself, but in recorders. */
	bool counted = g->src < 0 || g->times == NA_RANK_QUEUED;
	size_t told = 0;

	for (size_t i = 0; i < *n; i++)
		told += counted && r->comms[e[i].comm].sequence >= 0;
	for (size_t i = 0; !told && i < *n; i++)
		e[i].key = r->comms[e[i].comm].start_ps;
	if (!told) {
		na_sort(e, *n, by_time);
		if (!by_ordinal(r, e, *n, m)) {
			for (size_t i = 0; i < *n; i++)
				na_ranks_part(r, e[i].comm, NA_RANK_COUNTS);
			*n = 0;
		}
		return NA_RANK_BY_ORDINAL;
	}
	/* Between those with a sequence, those without cannot be counted. */
	told = 0;
	for (size_t i = 0; i < *n; i++) {
		e[i].key = r->comms[e[i].comm].sequence;
		if (e[i].key >= 0)
			e[told++] = e[i];
		else
			na_ranks_part(r, e[i].comm, NA_RANK_COUNTS);
	}
	*n = told;
	return NA_RANK_BY_SEQUENCE;
}
