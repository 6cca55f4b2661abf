/* What fig_rpc*.c draw, read from a result. */
#ifndef PLOT_FIGURES_RPC_DATA_H
#define PLOT_FIGURES_RPC_DATA_H

#include "netan/result/result.h"
#include "plot/layout.h"

/* A quantile of each bin, for each line in the picture: of all, or of a
 * run.  [n] us, borrowed; NaN is a gap. */
struct rpc_lines {
	char name[256]; /* of the run; "" */
	const double *p50, *p99, *max;
	const double *count; /* of transfers in each bin; NULL: not told */
};

struct rpc_data {
	const struct na_result *result;
	const struct na_value *doc, *body, *side;
	const char *empty; /* NULL: there is something to draw */
	size_t n;          /* bins */
	double bin_s, from_s, to_s;
	double least_us, most_us; /* of the y axis */
	bool runs_apart;
	struct rpc_lines lines[NA_TOP_SERIES];
	size_t n_lines, others; /* runs that have no lines */

	/* Single transfers. */
	const double *point_s, *point_us, *point_row, *point_tail, *point_slow;
	size_t n_points;
	bool all_points; /* every transfer is one of them */
	/* Calls of captures that failed: crosses over the points. */
	const double *failed_s, *failed_us;
	size_t n_failed;
	/* How many transfers in each cell; NULL: all are points. */
	const double *counts; /* [column * rows + row] */
	size_t columns, rows;
	double cells_from_s, column_s;
	double cells_least_us, cells_most_us; /* rows even in logarithms */
};

void na_rpc_read(struct rpc_data *d, const struct na_result *r);

/* Scales of the one panel. */
struct rpc_axes {
	struct na_box plot;
	struct na_scale x, y;
};

/* scatter.c, NA_ENOMEM only: what lies below lines and labels, and what
 * nothing may hide, the tail and what failed. */
enum na_status na_rpc_draw_scatter(const struct na_layout *l,
				   const struct rpc_data *d,
				   const struct rpc_axes *a) NA_MUST_CHECK;
enum na_status na_rpc_draw_tail(const struct na_layout *l,
				const struct rpc_data *d,
				const struct rpc_axes *a) NA_MUST_CHECK;

#endif
