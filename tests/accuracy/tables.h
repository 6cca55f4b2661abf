/*
 * Tables of shares with their 95 % intervals (Wilson, JASA 1927) beside their
 * bars.
 */
#ifndef ACCURACY_TABLES_H
#define ACCURACY_TABLES_H

#include "tests/accuracy/reliability.h"
#include "tests/accuracy/score.h"

enum { FL_LOCALITIES = 2 }; /* given, not given */

/* Durations of sends, by one clock; latencies of receives, by two. */
enum fl_stamps { FL_SENDS, FL_RECEIVES, FL_STAMPS };

/* Scores of n fleets: by locality, of[0] where it was given. */
struct fl_scores {
	enum fl_generator generator;
	enum fl_stamps stamps;
	size_t n;
	struct fl_score *of[FL_LOCALITIES];
};

/* The rows of the bars; returns how many were missed. */
int fl_print_bars(const struct fl_scores *s);
/* Recall by kind, slowdown and number of samples. */
void fl_print_breakdown(const struct fl_scores *s);
/* Adds what the judge said of them. */
void fl_reliability_of(const struct fl_scores *s, int locality,
		       struct fl_reliability *out);
/* Fleets in which something was missed or wrong, for who wants to look
 * (misses.c). */
void fl_print_misses(const struct fl_scores *s);

#endif
