/* rpc: from the latencies that were kept to quantiles by row and bin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/rpc.h"
#include "netan/base/vec.h"
#include "netan/stats/quantile.h"
#include "netan/stats/sort.h"
#include "netan/stats/tail.h"

/* By row and bin, by counting; afterwards latency_us is scratch. */
enum na_status rpc_sort_cells(struct rpc_state *s)
{
	size_t cells = s->n_rows * s->bins.n, at = 0;
	size_t series = (s->n_rows + 1) * s->bins.n;

	s->sorted = na_calloc(s->n_kept, sizeof(*s->sorted));
	s->cell_at = na_calloc(cells + 1, sizeof(*s->cell_at));
	s->tail_cell = na_calloc(cells, sizeof(*s->tail_cell));
	s->p50 = na_calloc(series, sizeof(*s->p50));
	s->p99 = na_calloc(series, sizeof(*s->p99));
	s->max = na_calloc(series, sizeof(*s->max));
	if (!s->sorted || !s->cell_at || !s->tail_cell || !s->p50 || !s->p99 ||
	    !s->max)
		return NA_ENOMEM;
	for (size_t i = 0; i < s->n_kept; i++) {
		s->cell_at[s->cell[i] & ~RPC_TAIL_BIT]++;
		s->tail_cell[s->cell[i] & ~RPC_TAIL_BIT] += s->cell[i] >=
							    RPC_TAIL_BIT;
	}
	for (size_t i = 0; i <= cells; i++) {
		size_t count = s->cell_at[i];

		s->cell_at[i] = at;
		at += count;
	}
	/* Each place moves on as it is filled, to where the next begins. */
	for (size_t i = 0; i < s->n_kept; i++)
		s->sorted[s->cell_at[s->cell[i] & ~RPC_TAIL_BIT]++] =
			s->latency_us[i];
	memmove(s->cell_at + 1, s->cell_at, cells * sizeof(*s->cell_at));
	s->cell_at[0] = 0;
	free(s->cell);
	s->cell = NULL;
	return NA_OK;
}

static void read_cell(struct rpc_state *s, size_t at, const double *x, size_t n)
{
	s->p50[at] = na_quantile_sorted(x, n, 0.5);
	s->p99[at] = na_quantile_sorted(x, n, 0.99);
	s->max[at] = n ? x[n - 1] : NAN;
}

/* All rows of one bin together. */
static bool whole_bin(struct rpc_state *s, size_t bin)
{
	size_t n = 0, at = s->n_rows * s->bins.n + bin;
	double *x;

	for (size_t row = 0; row < s->n_rows; row++) {
		size_t cell = row * s->bins.n + bin;

		n += s->cell_at[cell + 1] - s->cell_at[cell];
	}
	x = na_calloc(2 * n, sizeof(*x));
	if (!x)
		return false;
	n = 0;
	for (size_t row = 0; row < s->n_rows; row++) {
		size_t cell = row * s->bins.n + bin;
		size_t more = s->cell_at[cell + 1] - s->cell_at[cell];

		memcpy(x + n, s->sorted + s->cell_at[cell], more * sizeof(*x));
		n += more;
	}
	na_sort_f64(x, x + n, n);
	read_cell(s, at, x, n);
	free(x);
	return true;
}

enum na_status rpc_share(void *state, size_t i, size_t n)
{
	struct rpc_state *s = state;
	size_t bins = s->bins.n, to = bins * (i + 1) / n;

	if (!s->sorted)
		return NA_OK;
	for (size_t bin = bins * i / n; bin < to; bin++) {
		for (size_t row = 0; row < s->n_rows; row++) {
			size_t cell = row * bins + bin;
			size_t from = s->cell_at[cell];
			size_t count = s->cell_at[cell + 1] - from;

			na_sort_f64(s->sorted + from, s->latency_us + from,
				    count);
			read_cell(s, cell, s->sorted + from, count);
			if (s->n_rows == 1)
				read_cell(s, bins + bin, s->sorted + from,
					  count);
		}
		if (s->n_rows > 1 && !whole_bin(s, bin))
			return NA_ENOMEM;
	}
	return NA_OK;
}

static void read_row(struct rpc_state *s, struct rpc_row *row, size_t from,
		     size_t n)
{
	const double *x = s->sorted + from;

	na_sort_f64(s->sorted + from, s->latency_us + from, n);
	row->first = from;
	row->n = n;
	row->p50_us = na_quantile_sorted(x, n, 0.5);
	row->p99_us = na_quantile_sorted(x, n, 0.99);
	row->p99_9_us = na_quantile_sorted(x, n, 0.999);
	row->max_us = n ? x[n - 1] : NAN;
	row->hill = na_hill(x, n, 0.05);
}

/* The bins lose their order to the rows, then the rows to all. */
void rpc_sort_rows(struct rpc_state *s)
{
	size_t bins = s->bins.n;

	for (size_t i = 0; i < s->n_rows; i++) {
		size_t from = s->cell_at[i * bins];

		read_row(s, &s->rows[i], from,
			 s->cell_at[(i + 1) * bins] - from);
		na_timer_merge(&s->all.timers, &s->rows[i].timers);
		na_timers_judge(&s->rows[i].timers, &s->edges,
				&s->rows[i].verdict);
	}
	read_row(s, &s->all, 0, s->n_kept);
	na_timers_judge(&s->all.timers, &s->edges, &s->all.verdict);
}
