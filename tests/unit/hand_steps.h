/* Steps of hosts by hand, for steps: rows, and the analysis over them. */
#ifndef TESTS_UNIT_HAND_STEPS_H
#define TESTS_UNIT_HAND_STEPS_H

#include "tests/unit/hand_drive.h"

#define PS_US INT64_C(1000000)

struct steps_run {
	struct hand h;
	struct na_scope scope;
	struct hand_row *rows;
	size_t n, cap;
	struct driven d;
};

void steps_init(struct steps_run *x, size_t hosts, const char *const *labels);
void steps_add(struct steps_run *x, struct hand_row row);
/* A step of core 0 of a host: it computes first, then waits for the others
 * in an all-reduce until the end.  Times in us. */
void steps_wait(struct steps_run *x, int host, int number, int64_t start_us,
		int64_t compute_us, int64_t end_us);
/* All rows into the store. */
void steps_ready(struct steps_run *x);
void steps_analyse(struct steps_run *x, size_t block);
void steps_end(struct steps_run *x);

/* Row i of a list of the result; NULL: there are fewer. */
const struct na_value *steps_row(const struct steps_run *x, const char *list,
				 size_t i);

#endif
