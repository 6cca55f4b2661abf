/*
 * One analysis over the records of a session.  Several can run over one
 * session, one after the other: the reading is shared.
 */
#ifndef NETAN_ENGINE_DRIVE_H
#define NETAN_ENGINE_DRIVE_H

#include "netan/analyses/analysis.h"
#include "netan/engine/session/session.h"

struct na_driven { /* what the envelope and the exit status need */
	uint64_t used;
	int64_t first_ps, last_ps;
	uint64_t dropped[NA_N_REASONS]; /* by the late filter */
	int side;                       /* the only one looked at; -1: both */
	enum na_severity severity;
};

/* Fills the body of r.  NA_EUSAGE where the data shows that an option cannot
 * be. */
enum na_status na_drive(struct na_session *s, const struct na_analysis *a,
			const void *params, const struct na_grouping *by,
			struct na_result *r, struct na_driven *out,
			struct na_err *err) NA_MUST_CHECK;

/* What was asked, as this analysis means it: which side, which components
 * (`component`: the user named one), clipping. */
struct na_filter na_drive_filter(const struct na_analysis *a,
				 const struct na_filter *asked,
				 const struct na_grouping *by, bool component);

/* What readers must bring for it: enum na_want bits. */
uint32_t na_drive_wants(const struct na_analysis *a, const struct na_filter *f,
			const struct na_grouping *by);

#endif
