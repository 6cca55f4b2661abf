/*
 * The axis of time of the picture, with long stretches in which nothing was
 * seen cut out of it: a stall of seconds would press the milliseconds before
 * and behind it into two lines.
 */
#ifndef PLOT_FIGURES_TCP_TIME_H
#define PLOT_FIGURES_TCP_TIME_H

#include "plot/figures/tcp/data.h"

enum { TCP_CUTS_MAX = 4 };

struct tcp_time {
	/* Of one slope, ascending; between two of them there is a cut. */
	struct na_scale parts[TCP_CUTS_MAX + 1];
	size_t n;
};

/* Over x0 to x1 of the page; each cut takes `gap` of it.  False: no memory. */
bool na_tcp_time_place(struct tcp_time *t, const struct tcp_figure *f,
		       double x0, double x1, double gap);
double na_tcp_time_at(const struct tcp_time *t, double s);
/* Page units of a time as long. */
double na_tcp_time_width(const struct tcp_time *t, double s);

/* Ticks and names below the plots. */
void na_tcp_time_axis(const struct na_layout *l, const struct tcp_time *t,
		      double y);
/* What was cut, from top to bottom of a plot; `words`: how long it was. */
void na_tcp_time_cuts(const struct na_layout *l, const struct tcp_time *t,
		      struct na_box plot, bool words);
/* The width of those words. */
double na_tcp_time_gap(const struct na_layout *l);

#endif
