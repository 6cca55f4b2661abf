/* Sorting numbers in time linear in their count. */
#ifndef NETAN_STATS_SAMPLES_SORT_H
#define NETAN_STATS_SAMPLES_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Ascending; tmp holds n values of scratch.  Radix sort by eleven bits of
 * what differs, least significant first; O(n) where it is ascending.
 */
void na_sort_i64(int64_t *x, int64_t *tmp, size_t n);

/* The same for finite doubles; -0 comes before 0. */
void na_sort_f64(double *x, double *tmp, size_t n);

#endif
