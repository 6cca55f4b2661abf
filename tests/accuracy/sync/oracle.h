/*
 * An oracle: what could be said of a session by somebody who knows all of it
 * but the culprit.  It has the true times of each transfer's moving and, of a
 * run of the same draws without the faults, what they would have been; the
 * topology and the spines; true clocks; which transfers waited for a timer.
 * What it cannot tell, no reader of the session's trace can, as far as its
 * reasoning goes.
 *
 * Excess of a transfer: the logarithm of its time over what it would have
 * been.  A place explains the excess by a raise of its own transfers, of one
 * size in a collective or in a (collective, step) of its own; its gain is the
 * logarithm of the likelihood over that of no raise, with Laplace noise
 * whose tail is capped, less log n for each size that is fitted to n.
 * Timers that ended are a Poisson count over the segments of its own
 * transfers, against those of the others.
 *
 * The rule of telling: the place of the largest gain is named if, in 95 of
 * 100 resamples of the steps, the gain is at least log(20 * places) and it
 * explains log 20 (odds of 20 to 1) or more of what each place that would be
 * another answer leaves.  Otherwise it is tied with those places.  Its
 * transfers are then set aside, and a second fault is looked for.
 */
#ifndef ACCURACY_SYNC_ORACLE_H
#define ACCURACY_SYNC_ORACLE_H

#include "tests/accuracy/sync/answer.h"

enum sy_sight {
	SY_DURATIONS, /* from a transfer's first segment to its last one */
	SY_STAMPS     /* and when its last byte left the sender's NIC */
};

enum { SY_TIED = 4 };

struct sy_tie { /* places that explain the same, best first */
	struct sy_suspect who[SY_TIED];
	uint32_t n;
	bool more; /* for which there is no room */
};

struct sy_oracle {
	struct sy_answer answer; /* of the network alone */
	struct sy_tie ties[SY_FAULTS];
	uint32_t n_ties;
};

/* False: no memory. */
bool sy_oracle(const struct sy_run *with, const struct sy_run *without,
	       enum sy_sight sight, struct sy_oracle *out);

#endif
