/* rpc: from the latencies that were kept to quantiles by row and bin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/rpc/state.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"
#include "netan/stats/tests/tail.h"

/* By row and bin, by counting; afterwards latency_ps is scratch. */
enum na_status na_rpc_sort_cells(struct rpc_state *s)
{
	size_t cells = s->shown.n * s->bins.n, at = 0;
	size_t series = (s->shown.n + 1) * s->bins.n;

	s->sorted_ps = na_calloc(s->n_kept, sizeof(*s->sorted_ps));
	s->cell_at = na_calloc(cells + 1, sizeof(*s->cell_at));
	s->tail_cell = na_calloc(cells, sizeof(*s->tail_cell));
	s->p50 = na_calloc(series, sizeof(*s->p50));
	s->p99 = na_calloc(series, sizeof(*s->p99));
	s->max = na_calloc(series, sizeof(*s->max));
	if (!s->sorted_ps || !s->cell_at || !s->tail_cell || !s->p50 ||
	    !s->p99 || !s->max)
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
		s->sorted_ps[s->cell_at[s->cell[i] & ~RPC_TAIL_BIT]++] =
			s->latency_ps[i];
	memmove(s->cell_at + 1, s->cell_at, cells * sizeof(*s->cell_at));
	s->cell_at[0] = 0;
	free(s->cell);
	s->cell = NULL;
	return NA_OK;
}

/* Sorted latencies as numbers in us; scratch is the caller's. */
static const double *in_us(const int64_t *ps, size_t n, void *scratch)
{
	double *us = scratch;

	for (size_t i = 0; i < n; i++)
		us[i] = na_us(ps[i]);
	return us;
}

static void read_cell(struct rpc_state *s, size_t at, const int64_t *ps,
		      size_t n, void *scratch)
{
	const double *x = in_us(ps, n, scratch);

	s->p50[at] = na_quantile_sorted(x, n, 0.5);
	s->p99[at] = na_quantile_sorted(x, n, 0.99);
	s->max[at] = n ? x[n - 1] : NAN;
}

/* All rows of one bin together. */
static bool whole_bin(struct rpc_state *s, size_t bin)
{
	size_t n = 0, at = s->shown.n * s->bins.n + bin;
	int64_t *x;

	for (size_t row = 0; row < s->shown.n; row++) {
		size_t cell = row * s->bins.n + bin;

		n += s->cell_at[cell + 1] - s->cell_at[cell];
	}
	x = na_calloc(2 * n, sizeof(*x));
	if (!x)
		return false;
	n = 0;
	for (size_t row = 0; row < s->shown.n; row++) {
		size_t cell = row * s->bins.n + bin;
		size_t more = s->cell_at[cell + 1] - s->cell_at[cell];

		memcpy(x + n, s->sorted_ps + s->cell_at[cell],
		       more * sizeof(*x));
		n += more;
	}
	na_sort_i64(x, x + n, n);
	read_cell(s, at, x, n, x + n);
	free(x);
	return true;
}

enum na_status na_rpc_share(void *state, size_t i, size_t n)
{
	struct rpc_state *s = state;
	size_t bins = s->bins.n, to = bins * (i + 1) / n;

	if (!s->sorted_ps)
		return NA_OK;
	for (size_t bin = bins * i / n; bin < to; bin++) {
		for (size_t row = 0; row < s->shown.n; row++) {
			size_t cell = row * bins + bin;
			size_t from = s->cell_at[cell];
			size_t count = s->cell_at[cell + 1] - from;

			na_sort_i64(s->sorted_ps + from, s->latency_ps + from,
				    count);
			read_cell(s, cell, s->sorted_ps + from, count,
				  s->latency_ps + from);
		}
		if (s->shown.n == 1) {
			s->p50[bins + bin] = s->p50[bin];
			s->p99[bins + bin] = s->p99[bin];
			s->max[bins + bin] = s->max[bin];
		}
		if (s->shown.n > 1 && !whole_bin(s, bin))
			return NA_ENOMEM;
	}
	return NA_OK;
}

static void read_row(struct rpc_state *s, struct rpc_row *row, size_t from,
		     size_t n)
{
	const double *x;

	na_sort_i64(s->sorted_ps + from, s->latency_ps + from, n);
	x = in_us(s->sorted_ps + from, n, s->latency_ps + from);
	row->n = n;
	row->p50_us = na_quantile_sorted(x, n, 0.5);
	row->p99_us = na_quantile_sorted(x, n, 0.99);
	row->p99_9_us = na_quantile_sorted(x, n, 0.999);
	row->max_us = n ? x[n - 1] : NAN;
	row->hill = na_hill(x, n, 0.05);
}

/* The bins lose their order to the rows, then the rows to all. */
bool na_rpc_sort_rows(struct rpc_state *s)
{
	size_t bins = s->bins.n;

	if (!na_rpc_ask_tcp(s))
		return false;
	for (size_t i = 0; i < s->shown.n; i++) {
		size_t from = s->cell_at[i * bins];

		read_row(s, &s->rows[i], from,
			 s->cell_at[(i + 1) * bins] - from);
		na_timer_merge(&s->all.timers, &s->rows[i].timers);
		s->all.constant += s->rows[i].constant;
		na_timers_judge(&s->rows[i].timers, &s->edges,
				&s->rows[i].verdict);
		na_rpc_hear_tcp(s, (uint32_t)i, &s->rows[i].verdict);
	}
	if (s->shown.n == 1) {
		s->all = s->rows[0];
		return true;
	}
	read_row(s, &s->all, 0, s->n_kept);
	na_timers_judge(&s->all.timers, &s->edges, &s->all.verdict);
	na_rpc_hear_tcp(s, RPC_ALL_ROWS, &s->all.verdict);
	return true;
}
