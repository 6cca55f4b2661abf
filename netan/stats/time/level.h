/*
 * Where a rate stays high: runs of bins at a given capacity, and the level
 * at which the busiest bins stay when no capacity is given (docs/methods.md,
 * "Timeline and saturation").
 */
#ifndef NETAN_STATS_TIME_LEVEL_H
#define NETAN_STATS_TIME_LEVEL_H

#include <stddef.h>

/* Bins [from, to) and the mean rate in them. */
struct na_region {
	size_t from, to;
	double mean;
};

/*
 * Runs of bins at or above 0.9 of the capacity, at least three bins long.  A
 * gap of one bin is closed where that bin is at half the capacity or above: an
 * idle bin ends the run.  Returns how many there are; at most n / 3 + 1, of
 * which the first `max` are stored.
 */
size_t na_regions(const double *rate, size_t n, double capacity,
		  struct na_region *out, size_t max);

/*
 * Plateau: with q the 99.5 % quantile (type 7) of the bins above zero, at
 * least ten of them, and 5 % of them all, lie in [0.9 q, 1.02 q].  Returns
 * their median and how many there are; 0 and 0 when there is no plateau.
 * scratch holds n doubles.
 */
double na_plateau(const double *rate, size_t n, double *scratch,
		  size_t *bins_in);

#endif
