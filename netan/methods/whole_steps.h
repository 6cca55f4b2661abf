/* The steps that the window holds whole: one that it cuts would make the
 * mean of a step too small. */
#ifndef NETAN_METHODS_WHOLE_STEPS_H
#define NETAN_METHODS_WHOLE_STEPS_H

#include "netan/model/scope.h"

/* Of one run: their number, and the time from the first's start to the last's
 * end, ps from the origin.  All 0 where there is none. */
struct na_whole_steps {
	int64_t from_ps, to_ps;
	uint64_t n;
};

/* [scope->store->n_runs], by run: the steps inside --from and --to, and of
 * --step only those.  The caller frees it.  NULL: no memory.  O(steps). */
struct na_whole_steps *na_whole_steps(const struct na_scope *scope);

#endif
