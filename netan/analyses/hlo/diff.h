/*
 * How two programs of one form differ, instruction by instruction, where
 * instructions may have come or gone in between.
 *
 * Method: common beginning and end, then the shortest edit script (E. Myers,
 * An O(ND) Difference Algorithm and Its Variations, 1986) over the hashes of
 * instructions without their operands, as long as it has at most
 * NA_PROGRAM_EDITS steps; beyond that instructions that occur once on both
 * sides hold the sequences together, and the count is an upper bound.
 */
#ifndef NETAN_ANALYSES_HLO_DIFF_H
#define NETAN_ANALYSES_HLO_DIFF_H

#include "netan/model/hlo.h"

enum { NA_PROGRAM_EDITS = 2048 };

struct na_program_diff {
	size_t first;          /* place of the first that differs; may be the
			     length of the shorter one */
	uint64_t only[2];      /* instructions that the other does not have */
	uint64_t rewired;      /* the same, with other operands */
	uint64_t changed;      /* replaced ones count once */
	uint64_t of;           /* of how many */
	uint32_t computations; /* that hold any of them */
	bool exact;            /* false: `changed` is at most that */
};

/* Neither module is changed.  NA_ENOMEM. */
enum na_status na_program_diff(const struct na_hlo_module *a,
			       const struct na_hlo_module *b,
			       struct na_program_diff *out,
			       struct na_err *err) NA_MUST_CHECK;

#endif
