/*
 * One analysis over a session that has been read, with all that stands
 * around its result: envelope and headline.
 */
#ifndef NETAN_ENGINE_ANALYSE_H
#define NETAN_ENGINE_ANALYSE_H

#include "netan/engine/drive.h"

/* As na_drive().  d->used is 0 where there was nothing to analyse; r holds an
 * envelope then, and what to say of it in the side tree, if the analysis
 * knows ("empty", "hint"). */
enum na_status na_analyse(struct na_session *s, const struct na_analysis *a,
			  const void *params, const struct na_grouping *by,
			  struct na_result *r, struct na_driven *d,
			  struct na_err *err) NA_MUST_CHECK;

/* What a headline says that they are apart. */
int64_t na_span_ps(int64_t first_ps, int64_t last_ps);

#endif
