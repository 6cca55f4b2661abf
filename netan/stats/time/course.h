/*
 * The course of a series: where its level changes, and whether it drifts.
 *
 * Changes: the segmentation with the least sum of squares about the means of
 * its segments plus a price for each, by dynamic programming over all of them
 * (Jackson et al., IEEE Signal Processing Letters 12, 2005; the optimum that
 * PELT finds, too: Killick, Fearnhead and Eckley, JASA 107, 2012), after a
 * running median of five, so that single values that stand out are no change.
 * The unit of scale is the spread of the series from value to value (MAD of the
 * differences, 1.4826 / sqrt 2), at least NA_COURSE_GRAIN of the median.
 * Drift: the slope is the median of all slopes (Theil, 1950; Sen, JASA 63,
 * 1968), its significance that of Kendall's S with ties (Mann, Econometrica
 * 13, 1945).  A series that a line describes better than its segments
 * drifts, and has no changes.
 *
 * An effect counts when it is NA_COURSE_EFFECT of the level before.
 */
#ifndef NETAN_STATS_TIME_COURSE_H
#define NETAN_STATS_TIME_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#define NA_COURSE_EFFECT 0.05
#define NA_COURSE_GRAIN  0.002
#define NA_COURSE_P      0.001 /* of a drift */
enum {
	NA_COURSE_LEAST = 16,  /* values, to say anything */
	NA_COURSE_SEGMENT = 5, /* values between two changes */
	NA_COURSE_POINTS = 512,
	NA_COURSE_CHANGES = NA_COURSE_POINTS / NA_COURSE_SEGMENT
};

struct na_change {
	size_t at;       /* first value of the new level */
	double from, to; /* medians of the levels */
};

struct na_course {
	struct na_change changes[NA_COURSE_CHANGES];
	size_t n;
	bool drifts;
	double from, to; /* the line at the first and the last value */
	double p;        /* of the drift; NaN: not tested */
};

/*
 * x [n] finite; more than NA_COURSE_POINTS are taken as medians of equal
 * groups first, and then a change is known to its group.  False: no memory.
 * O(n + NA_COURSE_POINTS^2).
 */
bool na_course_judge(const double *x, size_t n, struct na_course *out);

#endif
