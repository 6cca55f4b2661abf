/*
 * An axis of time with long stretches in which nothing was seen cut out of
 * it: a stall of seconds would press the milliseconds before and behind it
 * into two lines.
 */
#ifndef PLOT_FIGURES_CUT_TIME_H
#define PLOT_FIGURES_CUT_TIME_H

#include "plot/layout.h"
#include "plot/scale.h"

enum { NA_CUTS_MAX = 4 };

struct na_cut_time {
	/* Of one slope, ascending; between two of them there is a cut. */
	struct na_scale parts[NA_CUTS_MAX + 1];
	size_t n;
};

/* Seconds from `from` to `to`, over x0 to x1 of the page; each cut takes
 * `gap` of it.  seen [n]: in which of n columns of that time there is
 * anything to show. */
void na_cut_time_place(struct na_cut_time *t, const bool *seen, size_t n,
		       double from, double to, double x0, double x1,
		       double gap);
double na_cut_time_at(const struct na_cut_time *t, double s);
/* Page units of a time as long. */
double na_cut_time_width(const struct na_cut_time *t, double s);

/* Ticks and names below the plots. */
void na_cut_time_axis(const struct na_layout *l, const struct na_cut_time *t,
		      double y);
/* What was cut, from top to bottom of a plot; `words`: how long it was. */
void na_cut_time_cuts(const struct na_layout *l, const struct na_cut_time *t,
		      struct na_box plot, bool words);
/* Of cut i, a word in a line of its own below these: 1, 2, ... */
void na_cut_time_say(const struct na_layout *l, const struct na_cut_time *t,
		     struct na_box plot, size_t i, int line, const char *text);
/* The width of those words. */
double na_cut_time_gap(const struct na_layout *l);

#endif
