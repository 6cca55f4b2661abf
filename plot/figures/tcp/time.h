/* The axis of time of the picture, without its long stalls. */
#ifndef PLOT_FIGURES_TCP_TIME_H
#define PLOT_FIGURES_TCP_TIME_H

#include "plot/figures/cut_time.h"
#include "plot/figures/tcp/data.h"

/* Over x0 to x1 of the page; each cut takes `gap` of it.  False: no memory. */
bool na_tcp_time_place(struct na_cut_time *t, const struct tcp_figure *f,
		       double x0, double x1, double gap);

/* What was in flight at s, as the columns up to it tell; NaN: none does. */
double na_tcp_time_flight(const struct tcp_figure *f, double s);

#endif
