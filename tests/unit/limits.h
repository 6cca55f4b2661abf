/*
 * For the tests of the reference's limits (test_limits*.c): devices with a
 * few ops, and the reference's own rule over them (docs/methods.md, "XProf's
 * numbers, and where netan differs").
 */
#ifndef TESTS_UNIT_LIMITS_H
#define TESTS_UNIT_LIMITS_H

#include "tests/unit/hand_job.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define US       INT64_C(1000)
#define MS       INT64_C(1000000)

struct limits_told { /* means in whole us, as its summary has them */
	uint64_t n, slack_us, observed_us, stall_us, recv_us;
	double recv_shown_us; /* divided by 1e6 once more: limit 3 */
};

/* One walk over the ops of a device, in order: all in unsigned numbers. */
struct limits_told limits_reference(const struct hand_op *ops, size_t n,
				    const char *of);

/* One execution: send and recv of 1 us at `at`, send-done of 1 us right
 * before the recv-done, which takes `last` from `done` on.  Its slack is
 * done - at - 3 us. */
struct limits_four {
	struct hand_op ops[4];
};
struct limits_four limits_four(const char *of, int64_t at, int64_t done,
			       int64_t last);

/* A plane with one run of a program and one step, of 100 ms, and these ops. */
void limits_device(struct hand_trace *t, int number, const struct hand_op *ops,
		   size_t n);

/* An empty job; the row of a collective; row i. */
void limits_begin(struct hand_job *j);
const struct na_value *limits_of(const struct hand_job *j, const char *name);
const struct na_value *limits_row(const struct hand_job *j, size_t i);

#endif
