/*
 * Are the odds honest?  Of names said with a posterior in a range, how many
 * are right; of upper bounds of a side, how many lie at or above its true
 * factor; of sessions without a fault,
 * how many are answered not_guilty.
 */
#ifndef ACCURACY_RELIABILITY_H
#define ACCURACY_RELIABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/judge/judge.h"

enum { FL_RANGES = 5 }; /* of a posterior */

struct fl_share {
	uint64_t k, n;
};

struct fl_reliability {
	struct fl_share said[FL_RANGES];
	struct fl_share planted; /* bounds: sides slow always, not named */
	struct fl_share sound;   /* bounds: sides without a fault */
	struct fl_share healthy; /* sessions without a fault: not_guilty */
	struct fl_share cause[NA_JUDGE_CAUSES]; /* sessions in which it is named */
};

void fl_count(struct fl_share *s, bool yes);
/* 95 % interval (Wilson, JASA 1927). */
void fl_wilson(struct fl_share s, double *low, double *high);

/* A posterior that is NaN was not said. */
void fl_count_said(struct fl_reliability *r, double posterior, bool right);
/* A bound that is NaN was not said. */
void fl_count_bound(struct fl_share *s, double factor, double upper);

void fl_print_reliability(const struct fl_reliability *r);
/* Appends a line "WORLD<tab>WHAT<tab>K<tab>N" for each number to a file, for
 * calibrate.awk.  False, with a message, when it cannot. */
bool fl_append_reliability(const struct fl_reliability *r, const char *world,
			   const char *path);

#endif
