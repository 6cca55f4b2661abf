/* The steps that a window holds whole: one that it cuts would make the mean
 * of a step too small, and says nothing of who was late in it. */
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

enum {
	/* So many whole steps are enough to judge by: the slowest of all of
	 * them is told from chance of two hosts, and so of more (2^-8 times 2
	 * is below ST_Q), and those who know the network's power ask for
	 * NA_WIRE_MIN_STEPS. */
	NA_STEPS_ENOUGH = 8,
	NA_WINDOW_BUF = 96
};

/* Which of n steps to take so that they are `enough`, as far as there are so
 * many: those of [*from, *to) and their neighbours, on both sides alike. */
void na_steps_around(size_t n, size_t enough, size_t *from, size_t *to);

/* "--from 0.19s --to 0.664s": options that hold this time; to the ms, and
 * never less. */
const char *na_window_words(char buf[NA_WINDOW_BUF], double from_s,
			    double to_s);

/* The same of NA_STEPS_ENOUGH whole steps, "--step 2-9" where steps were asked
 * for: what to widen a window to that holds fewer of them.  "": no window was
 * asked for, it holds so many or all that there are, or runs stand side by
 * side.  O(steps). */
const char *na_wider_window(char buf[NA_WINDOW_BUF],
			    const struct na_store *store,
			    const struct na_filter *f);
/* The filter itself; false, and unchanged: "". */
bool na_wider_filter(const struct na_store *store, struct na_filter *f);

#endif
