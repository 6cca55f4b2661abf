/*
 * One analysis over the records of a session.  Several can run over one
 * session, one after the other, unless it is for_one: the reading is shared.
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

/*
 * Runs `a` over all records of the session's store that its filter keeps, as
 * many passes as it asks for, and fills the body of r.
 *
 *   s       read: its store is resolved, its filter is what was asked.
 *           Borrowed; of it only `interrupted` may change, when the inputs
 *           are read once more
 *   params  the options of `a`, as its info describes them; borrowed
 *   by      the keys asked for; of two runs or more the label is added
 *   r       a new result; the caller's, and worthless after a failure
 *   out     overwritten; but for `dropped` all zero after a failure
 *
 * NA_EUSAGE where the data shows that an option cannot be, or where there is
 * no room for the label beside NA_MAX_KEYS keys; NA_ENOMEM, which stands also
 * for any failure of the analysis inside a pass; else what its open, turn or
 * finish said.  No records at all are no failure: out->used is 0.
 *
 * Records are cut into blocks of a fixed size, whatever the threads, and
 * merged in input order, so that the result does not depend on the threads.
 * Memory: at most two block states for each thread.
 */
enum na_status na_drive(struct na_session *s, const struct na_analysis *a,
			const void *params, const struct na_grouping *by,
			struct na_result *r, struct na_driven *out,
			struct na_err *err) NA_MUST_CHECK;

/* What was asked, as this analysis means it: which side, which components
 * (`component`: the user named one), clipping.  Where neither the user nor
 * the analysis settles the side, it is the sender's for sends alone, the
 * receiver's without sends, else both (-1).  The lists in it stay those of
 * `asked`. */
struct na_filter na_drive_filter(const struct na_analysis *a,
				 const struct na_filter *asked,
				 const struct na_grouping *by, bool component);

/* What is read for that: the same, and what tells the clocks of hosts where the
 * analysis corrects them, which is not shown to it. */
struct na_filter na_drive_reads(const struct na_analysis *a,
				const struct na_filter *asked,
				const struct na_grouping *by, bool component);

/* What readers must bring for it: enum na_want bits, those of the analysis
 * and those that the components of f and the keys need. */
uint32_t na_drive_wants(const struct na_analysis *a, const struct na_filter *f,
			const struct na_grouping *by);

#endif
