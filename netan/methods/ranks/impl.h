/* What the files of this room share.  False: no memory. */
#ifndef NETAN_METHODS_RANKS_IMPL_H
#define NETAN_METHODS_RANKS_IMPL_H

#include "netan/methods/ranks/ranks.h"

/* A record and where it belongs. */
struct rank_entry {
	size_t comm;
	int64_t key; /* sequence or ordinal */
	uint32_t rank, group;
};

/* table.c: ranks, hosts, anchors. */
bool na_ranks_table(struct na_ranks *r);
/* Of that run and number; NA_UNKNOWN_U32. */
uint32_t na_ranks_find(const struct na_ranks *r, uint32_t run, int32_t number);

/* again.c: which records are told better by others of their rank; their
 * `apart` is set. */
bool na_ranks_again(struct na_ranks *r);

/* keys.c: entries by group; of [from, to), all of one group, the keys.  The
 * ranks that should take part: `members`, ascending. */
struct rank_members {
	uint32_t *v;
	size_t n;
};
bool na_ranks_members(const struct na_ranks *r, const struct rank_entry *e,
		      size_t n, struct rank_members *out);
enum na_rank_by na_ranks_keys(struct na_ranks *r, struct rank_entry *e,
			      size_t *n, const struct rank_members *m);

/* Counts a record as part of none. */
void na_ranks_part(struct na_ranks *r, size_t comm, enum na_rank_apart why);

/* Told by ranges on a CPU, which end when their threads wake: milliseconds
 * apart. */
static inline bool na_rank_on_cpu(const struct na_ranks *r,
				  const struct na_rank_instance *x)
{
	return r->comms[r->parts.v[x->from].comm].source == NA_COMM_CPU;
}

/* clocks.c: from the ends of instances, and onto parts. */
bool na_ranks_clocks(struct na_ranks *r);

/* measure.c: what fits no ends goes; skew, transfer, who was last. */
bool na_ranks_measure(struct na_ranks *r);

/* late.c: who made each instance late. */
bool na_ranks_roots(struct na_ranks *r);

#endif
