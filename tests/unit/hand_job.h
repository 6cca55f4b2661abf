/*
 * One command's analysis run over the files of a hand_trace as the command
 * line does it: finder, reader, join with the programs, filter, analysis.
 */
#ifndef TESTS_UNIT_HAND_JOB_H
#define TESTS_UNIT_HAND_JOB_H

#include "netan/cli/cli.h"
#include "netan/engine/drive.h"
#include "tests/unit/hand_trace.h"

struct hand_job {
	struct hand_trace *t;
	char dir[64];
	struct na_cli cli;
	struct na_session s;
	struct na_result *r; /* NULL: nothing was run */
	struct na_driven d;
};

/* Zero all but t; the trace is closed first. */
/* Runs the analysis of that name, with options up to a NULL; again and
 * again. */
void hand_job_run(struct hand_job *j, const char *name, ...);
const struct na_value *hand_job_body(const struct hand_job *j);
/* Row i of a list of the body. */
const struct na_value *hand_job_row(const struct hand_job *j, const char *list,
				    size_t i);
/* The row whose member is this text; fails where there is none. */
const struct na_value *hand_job_find(const struct hand_job *j, const char *list,
				     const char *path, const char *text);
/* A number, or NaN. */
double hand_job_real(const struct na_value *v, const char *path);

/* Fails the running test, and says what was found. */
#define HAND_SAME(v, path, want) \
	do { \
		double got_ = hand_job_real(v, path), want_ = (want); \
		if (got_ != want_) \
			fail_msg("%s: %.17g, not %.17g", path, got_, want_); \
	} while (0)

/* Frees the trace, too. */
void hand_job_end(struct hand_job *j);

#endif
