/*
 * The truth of a session: what was planted, and what of it can be seen, by
 * comparison with runs that lack one fault but have the same draws.
 */
#ifndef ACCURACY_SYNC_TRUTH_H
#define ACCURACY_SYNC_TRUTH_H

#include <stdio.h>

#include "tests/accuracy/sync/world.h"

struct sy_effect { /* of one fault */
	/* A quantile of the ratio, with over without, of the time that its
	 * own transfers took from the send's start to the arrival. */
	double median, p90, p10;
	uint64_t own;      /* its own transfers */
	uint32_t timeouts; /* of its making */
	double cost_ms;    /* of a step, median */
	/* 1.2 times slower in the median; or 1.4 times at p90 and not as
	 * much faster at p10; or five timeouts. */
	bool visible;
};

struct sy_truth {
	struct sy_effect effects[SY_FAULTS];
	double late_cost_ms;       /* of a late host */
	double step_ms;            /* median */
	uint64_t transfers, zeros; /* latencies that were clamped to 0 */
	uint32_t timeouts;
};

/* False: no memory. */
bool sy_truth_make(struct sy_truth *t, const struct sy_run *with);
void sy_truth_write(const struct sy_truth *t, const struct sy_run *r, FILE *f);

/* Any fault of the network that can be seen. */
bool sy_truth_visible(const struct sy_truth *t, const struct sy_plan *p);

#endif
