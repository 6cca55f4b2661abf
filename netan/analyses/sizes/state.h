/* What sizes remembers. */
#ifndef NETAN_ANALYSES_SIZES_STATE_H
#define NETAN_ANALYSES_SIZES_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"
#include "netan/methods/groups.h"
#include "netan/methods/whole_steps.h"
#include "netan/stats/samples/census.h"
#include "netan/stats/tests/fixed_cost.h"

struct sizes_params {
	int64_t small_bytes; /* the largest size that is small */
};

/* Sums over one group, or over all. */
struct sizes_sums {
	uint64_t n, small_n;
	na_i128 bytes, small_bytes, time_ps, small_time_ps;
	uint64_t executions; /* of collectives, on one device each */
	uint64_t in_steps;   /* transfers that end while a step runs */
	uint32_t run;        /* of the latest transfer */
};

void na_sizes_add(struct sizes_sums *to, const struct sizes_sums *x);

struct sizes_state {
	const struct na_scope *scope;
	const struct sizes_params *params;
	const struct na_whole_steps *steps; /* [n_runs], of the main state */
	struct na_whole_steps *owned_steps; /* the same there, else NULL */
	bool executions;                    /* the groups' keys fit them */

	struct na_groups groups;
	NA_VEC(struct sizes_sums) sums; /* by group */

	struct na_census census;       /* of a block: sizes */
	struct na_census_stack counts; /* of all blocks */

	struct na_groups pairs;
	NA_VEC(uint64_t) of_pair; /* transfers of each */
	NA_VEC(struct na_small_record) small;
};

/* pack.c */
void na_sizes_pack(void *state, enum na_packed_state what, unsigned pass,
		   struct na_serializer *to);
void na_sizes_unpack(void *state, enum na_packed_state what, unsigned pass,
		     struct na_deserializer *from);

/* result.c */
enum na_status na_sizes_finish(void *state, struct na_result *r,
			       struct na_err *err) NA_MUST_CHECK;
double na_sizes_count_share(const struct sizes_sums *x);
double na_sizes_time_share(const struct sizes_sums *x);
bool na_sizes_many_small(const struct sizes_sums *x);

/* words.c: the sentences, and what a person sees in a terminal.
 * half_bytes: the size from which half of all bytes are carried. */
void na_sizes_say(struct na_result *r, const struct sizes_state *s,
		  const struct sizes_sums *all, int64_t half_bytes);

#endif
