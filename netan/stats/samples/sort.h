/* Sorting numbers in time linear in their count. */
#ifndef NETAN_STATS_SAMPLES_SORT_H
#define NETAN_STATS_SAMPLES_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Ascending; tmp holds n values of scratch.  Radix sort by eleven bits of
 * what differs, least significant first; O(n) where it is ascending.
 */
void na_sort_i64(int64_t *x, int64_t *tmp, size_t n);
/* The same with scratch of its own, then the room that growth left goes back:
 * *cap becomes n, unless that is 0.  False when memory is short. */
bool na_sort_fit_i64(int64_t **x, size_t *cap, size_t n);

/* The same for finite doubles; -0 comes before 0. */
void na_sort_f64(double *x, double *tmp, size_t n);

#endif
