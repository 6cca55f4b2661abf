/*
 * How often each value occurs in each group, exactly, whatever the number
 * of groups and values; and what follows from such counts.
 *
 * A census counts one block of records in a hash table of at most 24 bytes
 * for each record, and is then closed: an ascending run of 16 bytes for
 * each (group, value).  A stack takes the runs of all blocks and merges
 * those of like length in place, so that it needs one and a half times the
 * room of its result.  Same counts whatever the split and order.
 */
#ifndef NETAN_STATS_SAMPLES_CENSUS_H
#define NETAN_STATS_SAMPLES_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/serialize.h"

struct na_census_item {
	int64_t value; /* >= 0 */
	uint32_t group;
	uint32_t count; /* of a table: 0 is free */
};

struct na_census { /* all zero: empty */
	struct na_census_item *items;
	size_t n, cap; /* cap: of the table, a power of two */
};

/* One more.  False when memory is short.  O(1). */
bool na_census_add(struct na_census *c, uint32_t group, int64_t value);

/* From table to run, ascending by group and value. */
void na_census_close(struct na_census *c);

/* A closed census whose group g becomes group_of[g]; several may become
 * one. */
void na_census_regroup(struct na_census *c, const uint32_t *group_of);

void na_census_fini(struct na_census *c);

/* A closed one for another process, and there into an empty one: of groups
 * below n_groups. */
void na_census_pack(const struct na_census *c, struct na_serializer *to);
void na_census_unpack(struct na_census *c, size_t n_groups,
		      struct na_deserializer *from);

enum { NA_CENSUS_RUNS = 40 }; /* each twice as long as the next */

struct na_census_stack { /* all zero: empty */
	struct na_census runs[NA_CENSUS_RUNS];
	size_t n;
};

/* Takes what a closed census holds.  False when memory is short. */
bool na_census_push(struct na_census_stack *s, struct na_census *c);
void na_census_stack_fini(struct na_census_stack *s);

/* A value and how often it occurs. */
struct na_weighted {
	int64_t value, count; /* >= 0; > 0 */
};

/*
 * All runs as one, in the room that they have: values ascending within each
 * group, groups ascending; group g is [from[g], from[g + 1]) (from has
 * n_groups + 1 elements).  The caller frees *out, which is NULL when there
 * is nothing.  The stack is empty afterwards.  False when memory is short.
 */
bool na_census_join(struct na_census_stack *s, size_t n_groups,
		    struct na_weighted **out, size_t *from);

/* Below: x [n] ascending, at most 2^32 records in all. */

/* As na_quantile_sorted() of every value repeated `count` times; NaN for
 * n = 0.  O(n). */
double na_weighted_quantile(const struct na_weighted *x, size_t n, double p);

/*
 * Gini coefficient without the correction for small samples: sum of
 * |x_i - x_j| over all pairs, divided by 2 n^2 mean; 0 for equal values,
 * towards 1 when few records hold everything.  Exact up to one division.
 * NaN when the values sum up to 0.  O(n).
 */
double na_weighted_gini(const struct na_weighted *x, size_t n);

/* The first value at which the cumulative sum of value * count reaches half
 * of the whole; -1 when the values sum up to 0.  O(n). */
int64_t na_weighted_half(const struct na_weighted *x, size_t n);

#endif
