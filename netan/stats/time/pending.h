/*
 * How many intervals are open at once: half-open [start, end), an end at t
 * counts before a start at t, intervals of no length never count in the
 * level (docs/methods.md, "Pending and bursts").
 */
#ifndef NETAN_STATS_TIME_PENDING_H
#define NETAN_STATS_TIME_PENDING_H

#include "netan/stats/samples/sort.h"
#include "netan/stats/time/spread.h"

/* Intervals as two ascending lists, which need not be in step. */
struct na_run {
	int64_t *starts, *ends;
	size_t n;
};

/* For another process, and there into an empty one, whose lists are from
 * calloc(): no interval ends before it begins. */
void na_run_pack(const struct na_run *run, struct na_serializer *to);
void na_run_unpack(struct na_run *run, struct na_deserializer *from);

/*
 * The instants in [lo, hi) at which intervals of any run start or end, in
 * order of time.  *level is how many are open just before the first of them:
 * what began before lo and has not ended before lo.  An interval of no
 * length starts and ends at its instant.
 *
 * NULL when memory is short (16 bytes for each run, and under 1 MiB, more
 * only where many instants are close together); na_walk_next() is false then,
 * too.  The runs are borrowed.  Linear in the instants, and about 100 ns for
 * each run and 16 000 instants.
 */
struct na_instant {
	int64_t at, starts, ends;
	int64_t level; /* behind it */
};
struct na_walk;
struct na_walk *na_walk_new(const struct na_run *runs, size_t n_runs,
			    int64_t lo, int64_t hi, int64_t *level);
bool na_walk_next(struct na_walk *w, struct na_instant *out);
bool na_walk_failed(const struct na_walk *w); /* it ended for want of memory */
void na_walk_free(struct na_walk *w);

/* What time the bins [from, to) cover: [lo, hi), as far as times go. */
void na_bins_time(const struct na_bins *b, size_t from, size_t to, int64_t *lo,
		  int64_t *hi);

/*
 * Largest level inside each bin [from, to) of b, over all runs together;
 * out has b->n values.  Times outside the bins count for the bins they
 * reach into.  Shares of the bins can be done side by side.  False when
 * memory is short.
 */
bool na_pending_max(const struct na_run *runs, size_t n_runs,
		    const struct na_bins *b, size_t from, size_t to,
		    double *out);

#endif
