/*
 * Bursts: the longest periods in which a level stays above zero, silences of
 * up to `gap` apart.  Intervals that touch make one burst: no time lies
 * between them.
 *
 * Made from stretches of constant level, in order of time; parts of the time
 * can be cut anywhere, worked on side by side, and joined in order.
 */
#ifndef NETAN_STATS_TIME_BURSTS_H
#define NETAN_STATS_TIME_BURSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/vec.h"

struct na_burst {
	int64_t from_ps, to_ps, peak;
};

struct na_bursts {
	int64_t gap_ps;   /* >= 0 */
	size_t keep;      /* the longest ones to remember; 0: none */
	bool distances;   /* remember all starts */
	size_t n;         /* bursts so far */
	uint64_t busy_ps; /* time above zero */

	/* The first and the last burst may still be joined to others; with
	 * n == 1 it is `last`. */
	struct na_burst first, last;
	NA_VEC(struct na_burst) longest;
	int64_t *starts; /* [n] */
	size_t cap_starts;
};

/* A level above zero during [from_ps, to_ps), to_ps > from_ps, not before
 * the earlier ones.  All that return bool: false when memory is short.
 * Memory: 48 bytes for each one to keep, 8 for each burst with distances,
 * twice that while it grows. */
bool na_bursts_add(struct na_bursts *b, int64_t from_ps, int64_t to_ps,
		   int64_t level);
/* Gives back the room that growth left. */
void na_bursts_fit(struct na_bursts *b);
/* What follows in time. */
bool na_bursts_join(struct na_bursts *b, const struct na_bursts *next);
/* At the end, once: the longest `keep` bursts in order of time (of equally
 * long ones the earlier are kept); returns how many.  b->longest has them. */
bool na_bursts_end(struct na_bursts *b, size_t *n);
/* At the end, once: the median distance between the starts of bursts that
 * follow each other, in ps; NaN for fewer than two.  O(n). */
double na_bursts_period(struct na_bursts *b);
void na_bursts_fini(struct na_bursts *b);

#endif
