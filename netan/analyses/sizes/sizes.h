/* What the files sizes*.c share: the state of the analysis. */
#ifndef NETAN_ANALYSES_SIZES_SIZES_H
#define NETAN_ANALYSES_SIZES_SIZES_H

#include "netan/analyses/analysis.h"
#include "netan/methods/groups.h"
#include "netan/methods/whole_steps.h"
#include "netan/stats/samples/census.h"
#include "netan/stats/tests/fixed_cost.h"

struct sz_params {
	int64_t small_bytes; /* the largest size that is small */
};

/* Sums over one group, or over all. */
struct sz_sums {
	uint64_t n, small_n;
	na_i128 bytes, small_bytes, time_ps, small_time_ps;
	uint64_t executions; /* of collectives, on one device each */
	uint64_t in_steps;   /* transfers that end while a step runs */
	uint32_t run;
};

struct sz_state {
	const struct na_scope *scope;
	const struct sz_params *params;
	const struct na_whole_steps *steps; /* [n_runs], of the main state */
	struct na_whole_steps *owned_steps; /* the same there, else NULL */
	bool executions;                    /* the groups' keys fit them */

	struct na_groups groups;
	struct sz_sums *sums; /* by group */
	size_t n_sums, cap_sums;

	struct na_census census;       /* of a block: sizes */
	struct na_census_stack counts; /* of all blocks */

	struct na_groups pairs;
	uint64_t *n_of_pair;
	size_t n_pairs, cap_pairs;
	struct na_small_record *small;
	size_t n_small, cap_small;
};

/* result.c */
enum na_status sz_finish(void *state, struct na_result *r, struct na_err *err);

/* views.c */
void sz_views(struct na_result *r, const struct sz_state *s,
	      const struct na_value *groups);

#endif
