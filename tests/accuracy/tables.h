/*
 * Tables of shares with their 95 % intervals (Wilson, JASA 1927) beside the
 * bars of docs/methods.md, "How often it is right".
 */
#ifndef ACCURACY_TABLES_H
#define ACCURACY_TABLES_H

#include "tests/accuracy/score.h"

enum { FL_LOCALITIES = 2 }; /* given, not given */

/* Scores of n fleets: by locality, of[0] where it was given. */
struct fl_scores {
	enum fl_generator generator;
	size_t n;
	struct fl_score *of[FL_LOCALITIES];
};

/* The rows of the bars; returns how many were missed. */
int fl_print_bars(const struct fl_scores *s);
/* Recall by kind, slowdown and number of samples. */
void fl_print_breakdown(const struct fl_scores *s);
/* The ablation: a line for each part, all fleets against themselves with
 * the part switched off. */
void fl_print_part_head(enum fl_generator g);
void fl_print_part(const char *name, const struct fl_scores *base,
		   const struct fl_scores *without);
/* Fleets in which something was missed or wrong, for who wants to look
 * (misses.c). */
void fl_print_misses(const struct fl_scores *s);

struct fl_share {
	uint64_t k, n;
};
void fl_wilson(struct fl_share s, double *low, double *high);

#endif
