/* What fig_tcp*.c draw, read from a result. */
#ifndef PLOT_FIGURES_TCP_DATA_H
#define PLOT_FIGURES_TCP_DATA_H

#include "netan/result/result.h"
#include "plot/layout.h"
#include "plot/words.h"

/* More marks of one kind than that are bars alone. */
enum { TCP_GLYPHS_MAX = 120 };

/* In the order in which they are drawn: the later, the more in front. */
enum tcp_figure_mark {
	TM_SACK,
	TM_DUPLICATE,
	TM_FULL,
	TM_DISORDER,
	TM_LOST,
	TM_UNRECORDED,
	TM_ECN,
	TM_ZERO,
	TM_SPURIOUS,
	TM_OTHER,
	TM_FAST,
	TM_TIMEOUT,
	TMS
};

struct tcp_figure_row { /* one mark, or those of one column */
	enum tcp_figure_mark kind;
	double time_s, from, to, n;
};

struct tcp_figure {
	const struct na_result *result;
	const struct na_value *body, *sequence;
	const char *empty; /* NULL: there is something to draw */
	size_t n;          /* columns; the courses have as many, or are NULL */
	double from_s, to_s;
	const int64_t *data; /* [n_data][3]: column, first byte, behind last */
	size_t n_data;
	const double *ack, *edge;
	const double *flight_max, *flight, *window, *window_min;
	const double *rtt_min, *rtt_max;
	double base;                     /* the graph begins at this byte */
	double top, flight_top, rtt_top; /* largest values to show */
	bool edge_above;                 /* the window's edge leaves the plot */
	struct tcp_figure_row *marks;
	size_t n_marks, shown[TMS];
	int64_t counts[TMS]; /* of single segments */
	double *resent; /* [resent_n] segments in each of wider columns, where
			   they are too many to be told apart; or NULL */
	size_t resent_n;
	double resent_top;
	const struct na_value *fates; /* packets by length; or NULL */
	double long_bytes, most_bytes, short_bytes;
	const struct na_value *silent, *closed;
	int64_t silences, closures;
	double silent_s, closed_s;
};

struct na_cut_time; /* plot/figures/cut_time.h */

enum na_status na_tcp_figure_read(struct tcp_figure *f,
				  const struct na_result *r,
				  struct na_err *err) NA_MUST_CHECK;
void na_tcp_figure_fini(struct tcp_figure *f);
void na_tcp_figure_title(const struct tcp_figure *f, struct words *w);
void na_tcp_figure_subtitle(const struct tcp_figure *f, struct words *w);
/* Each sentence behind a full stop. */
void na_tcp_figure_evidence(const struct tcp_figure *f, struct words *w);

/* marks.c: segments that are not plain data, over the plot. */
enum na_status na_tcp_figure_marks(const struct na_layout *l,
				   const struct tcp_figure *f,
				   const struct na_cut_time *x,
				   const struct na_scale *y,
				   struct na_err *err) NA_MUST_CHECK;
/* What lines, marks and bands mean, and how many there are. */
void na_tcp_figure_legend(const struct na_layout *l, const struct tcp_figure *f,
			  struct na_box box);

/* Packets by length: long ones in the colour of findings, a cross where all of
 * one had to be sent again.  With a legend in `side`, where that has room. */
enum na_status na_tcp_figure_fates(const struct na_layout *l,
				   const struct tcp_figure *f,
				   const struct na_cut_time *x,
				   const struct na_scale *y,
				   struct na_err *err) NA_MUST_CHECK;
void na_tcp_figure_fates_legend(const struct na_layout *l,
				const struct tcp_figure *f, struct na_box side);

#endif
