/*
 * Reports of NCCL's RAS as text: a table of the groups of communicators, then
 * for each that is not well what its ranks have launched.
 *
 *   #0-0 (fa93daea854b060b) MISMATCH
 *     Communicator ranks have different AllGather operation counts
 *     30 ranks have launched up to operation 640
 *     2 ranks have launched up to operation 641
 *     Rank 12 -- GPU 4 managed by process 323032 on node 10.137.190.124
 *
 * The ranks of the smaller groups are listed, mostly those that are ahead;
 * the others are at the count that lists none.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/nccl/log_parts.h"
#include "ingest/nccl/names.h"

static bool has(struct na_text x, const char *word)
{
	struct na_text before, behind;

	return na_text_split(x, word, &before, &behind);
}

/* The decimal numbers that a line begins with; how many. */
static size_t numbers_of(struct na_text x, int64_t *v, size_t most)
{
	struct na_scan c = na_scan_of(x);
	uint64_t n;

	for (size_t k = 0; k < most; k++) {
		while (na_scan_at(&c, ' '))
			na_scan_step(&c);
		if (!na_scan_number(&c, &n) || n > INT64_MAX)
			return k;
		v[k] = (int64_t)n;
	}
	return most;
}

/* A row of the table: group, communicators, nodes, ranks per node, ranks per
 * communicator. */
static bool table_row(struct na_ras *r, struct na_text x)
{
	int64_t v[5];

	if (numbers_of(x, v, 5) < 5 || v[0] != (int64_t)r->sizes.n)
		return true;
	return na_add(&r->sizes, v[4]);
}

/* "#0-0 (hash) WORDS" */
static bool comm_line(struct na_ras *r, struct na_text x)
{
	struct na_ras_comm c = {.size = -1};
	struct na_text before, behind;
	uint64_t group;
	size_t n;

	if (!na_text_split(x, "#", &before, &behind))
		return true;
	n = na_text_first(behind, '-');
	if (n != SIZE_MAX && na_text_number(na_text_n(behind.s, n), &group) &&
	    group < r->sizes.n)
		c.size = r->sizes.v[group];
	if (!na_ras_rest(r))
		return false;
	if (!na_text_split(x, "(", &before, &behind))
		return true;
	n = na_text_first(behind, ')');
	if (n > 64)
		return true;
	c.hash = na_strtab_add(&r->names, behind.s, n);
	r->missing = r->listing = false;
	return c.hash != NA_NO_NAME && na_add(&r->comms, c);
}

/* "Communicator ranks have different AllGather operation counts" */
static bool counts_line(struct na_ras *r, struct na_text x)
{
	struct na_text f = na_nccl_after(x, "have different ");

	if (!na_ras_rest(r))
		return false;
	r->missing = false;
	r->listing = true;
	r->function = na_strtab_add(&r->names, f.s, f.n);
	r->launched = -1;
	r->others = 0;
	r->first = r->counts.n;
	return r->function != NA_NO_NAME;
}

/* "30 ranks have launched up to operation 640": they are those that are not
 * listed, unless a list follows. */
static bool launched_line(struct na_ras *r, struct na_text x)
{
	int64_t n = 0;

	r->launched = na_nccl_number(x, "up to operation ");
	if (numbers_of(x, &n, 1) == 1 && n > r->others) {
		r->others = n;
		r->others_launched = r->launched;
	}
	return true;
}

static bool rank_line(struct na_ras *r, struct na_text x)
{
	struct na_text node = na_nccl_after(x, " on node ");
	struct na_ras_rank k = {.rank = na_nccl_number(x, "Rank "),
				.process = NA_NO_NAME,
				.missing = r->missing};

	if (!r->comms.n || k.rank < 0 || k.rank >= NA_NCCL_RANKS_MAX)
		return true;
	k.comm = (uint32_t)r->comms.n - 1;
	k.host = na_strtab_add(&r->names, node.s, node.n);
	if (k.host == NA_NO_NAME)
		return false;
	if (r->missing)
		return na_add(&r->ranks, k);
	if (!r->listing || r->launched < 0)
		return true;
	return na_add(&r->ranks, k) &&
	       na_add(&r->counts,
		      ((struct na_ras_count){.rank = k.rank,
					     .n = r->launched,
					     .comm = k.comm,
					     .function = r->function}));
}

static int by_rank(const void *a, const void *b)
{
	const struct na_ras_count *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The ranks that no list names, if they are as many as was said. */
bool na_ras_rest(struct na_ras *r)
{
	size_t listed = r->counts.n - r->first, k = r->first;
	struct na_ras_count c = {.n = r->others_launched,
				 .function = r->function};
	int64_t size;

	if (!r->listing || !r->comms.n)
		return true;
	r->listing = false;
	c.comm = (uint32_t)r->comms.n - 1;
	size = (int64_t)listed + r->others;
	if (r->comms.v[c.comm].size > 0 && r->comms.v[c.comm].size != size)
		return true;
	/* A line stands for many ranks, but not without end. */
	if (size > NA_NCCL_RANKS_MAX - (int64_t)r->counts.n)
		return true;
	r->comms.v[c.comm].size = size;
	if (listed)
		qsort(r->counts.v + k, listed, sizeof(*r->counts.v), by_rank);
	for (int64_t rank = 0; rank < size; rank++) {
		if (k < r->first + listed && r->counts.v[k].rank == rank) {
			k++;
			continue;
		}
		c.rank = rank;
		if (!na_add(&r->counts, c))
			return false;
	}
	return true;
}

bool na_ras_line(struct na_ras *r, struct na_text x)
{
	if (has(x, " RUNNING ") || has(x, " NOCOMM "))
		return table_row(r, x);
	if (has(x, ") MISMATCH") || has(x, ") INCOMPLETE"))
		return comm_line(r, x);
	if (has(x, "have different ") && has(x, " operation counts"))
		return counts_line(r, x);
	if (has(x, "have launched up to operation") ||
	    has(x, "has launched up to operation"))
		return launched_line(r, x);
	if (has(x, "Missing communicator data from ")) {
		r->missing = true;
		return na_ras_rest(r);
	}
	return has(x, " -- GPU ") ? rank_line(r, x) : true;
}
