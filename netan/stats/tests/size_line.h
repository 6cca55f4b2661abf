/*
 * Latency given size: what every transfer costs, and what a byte costs
 * more.  A robust line through the medians of size classes.
 */
#ifndef NETAN_STATS_TESTS_SIZE_LINE_H
#define NETAN_STATS_TESTS_SIZE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NA_SIZE_CLASSES = 65 }; /* 0, 1, [2, 4), [4, 8), ... */

struct na_size_class {
	double bytes; /* mean size of its transfers */
	double us;    /* median of their latency */
	uint64_t n;
};

struct na_size_line {
	double fixed_us;    /* >= 0 */
	double us_per_byte; /* 0: latency does not grow with size */
};

/*
 * Slope: weighted median of the slopes of all pairs of classes (Theil, 1950;
 * Sen, JASA 63, 1968).  A median's error is taken as proportional to itself
 * and to 1 / sqrt(n): a pair weighs the distance of its sizes over the error
 * of the difference, a class in the intercept (weighted median of
 * us - slope * bytes) n / us^2.  So neither few odd classes nor the large
 * scatter of large transfers moves the line.  A negative intercept becomes
 * 0, a slope that is not above 0 becomes 0.
 *
 *   c [n]  n <= NA_SIZE_CLASSES, ascending sizes; classes of fewer than 5
 *          transfers and with us = 0 are passed over
 *
 * False when the rest is fewer than two classes, or the largest size is not
 * at least four times the smallest: then no line can be told.  O(n^2 log n).
 */
bool na_size_line(const struct na_size_class *c, size_t n,
		  struct na_size_line *out);

#endif
