/*
 * An oracle: what could be said of a session by somebody who knows all of it
 * but the culprit.  Of each transfer it has the true time of its own moving,
 * and the one of a run of the same draws without the faults; the topology and
 * the spines; which transfers waited for a timer; how many faults there are.
 * What it cannot tell is in no trace of the session, as far as its reasoning
 * goes.
 *
 * Excess of a transfer: the logarithm of its time over what it would have
 * been.  A place explains it by a raise of its own transfers: of one size in
 * a collective, or of a size in each step that has one.  Its gain is the
 * logarithm of the likelihood over that of no raise, the noise a Laplace
 * distribution with a capped tail, less log(steps) for each size.
 * Timers that ended, and would not have, are a Poisson count over the
 * segments of its transfers, against that of all others; where they stand
 * out they decide alone, as they are never the effect of waiting elsewhere.
 *
 * The rule: in 95 of 100 resamples of the steps, the place of the largest
 * gain gains log(20 * places) or more, and explains log 20 (odds of 20 to 1)
 * or more of what any place that is another answer leaves.  If the former
 * fails it is too faint; if the latter, tied with those places.  For a second
 * fault all of these places' transfers are set aside.
 */
#ifndef ACCURACY_SYNC_ORACLE_H
#define ACCURACY_SYNC_ORACLE_H

#include "tests/accuracy/sync/answer.h"

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
	       struct sy_oracle *out);

#endif
