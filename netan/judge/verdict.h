/*
 * Names the hypotheses that the evidence needs: the best is taken out while
 * its odds suffice and the rest is judged again; at the end each must still be
 * needed beside the others (matching pursuit with backfitting: S. Mallat and
 * Z. Zhang, IEEE Transactions on Signal Processing 41, 1993).
 */
#ifndef NETAN_JUDGE_VERDICT_H
#define NETAN_JUDGE_VERDICT_H

#include "netan/judge/decide.h"

/* NA_EDOMAIN: an index in it is too large. */
enum na_status na_j_check_input(const struct na_judge_input *in,
				struct na_err *err) NA_MUST_CHECK;

struct na_j_found {
	struct na_j_taken taken;
	struct na_place place;
	enum na_mechanism mechanism;
	double effect, low, high, odds, posterior;
	NA_VEC(struct na_rival) alternatives; /* twins first */
	size_t n_twins;
	struct na_rival rival;
};

struct na_j_verdict {
	NA_VEC(struct na_j_found) found;
	struct na_j_rows rows; /* what is left, none of found in it */
	double *bound0[2];     /* by host, nothing taken out: log; NaN */
	double upper;	       /* log of the largest bound of what is left */
	double nobody;
	bool named; /* something was, though perhaps too vague to print */
	struct na_arena mem;
};

bool na_j_verdict_init(struct na_j_verdict *v, struct na_j_decision *d);
void na_j_verdict_fini(struct na_j_verdict *v);

#endif
