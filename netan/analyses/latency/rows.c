/* latency: between the passes, from runs of values to sorted rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/latency/state.h"
#include "netan/base/order.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"

enum { DEFAULT_TOP = 1024 };

/* In microseconds, where integers were.  A copy at a time: the memory
 * changes its type. */
static void to_us(void *x, size_t n)
{
	unsigned char *bytes = x;

	for (size_t i = 0; i < n; i++) {
		int64_t ps;
		double us;

		memcpy(&ps, bytes + i * sizeof(ps), sizeof(ps));
		us = na_us(ps);
		memcpy(bytes + i * sizeof(us), &us, sizeof(us));
	}
}

/* The values [n] of all blocks, ascending, in us; NULL: no memory. */
static double *sorted_actions(struct latency_state *s, size_t n)
{
	int64_t *x = na_calloc(n, sizeof(*x)),
		*tmp = na_calloc(n, sizeof(*tmp));
	size_t at = 0;

	for (size_t i = 0; x && i < s->runs.n; i++) {
		struct latency_run *run = &s->runs.v[i];

		if (run->n_actions)
			memcpy(x + at, run->actions,
			       run->n_actions * sizeof(*x));
		at += run->n_actions;
		free(run->actions);
		run->actions = NULL;
	}
	if (x && tmp) {
		na_sort_i64(x, tmp, n);
		to_us(x, n);
	} else {
		free(x);
		x = NULL;
	}
	free(tmp);
	return (void *)x;
}

/* How long receives lasted, all of them: median and p99, and what is slow. */
static bool actions_of(struct latency_state *s)
{
	size_t n = 0;
	double *us, slow_ps;

	s->action_p50_us = s->action_p99_us = NAN;
	s->slow_ps = NA_TIME_MAX;
	for (size_t i = 0; i < s->runs.n; i++)
		n += s->runs.v[i].n_actions;
	if (!n)
		return true;
	us = sorted_actions(s, n);
	if (!us)
		return false;
	s->action_p50_us = na_quantile_sorted(us, n, 0.5);
	s->action_p99_us = na_quantile_sorted(us, n, 0.99);
	free(us);
	slow_ps = s->action_p50_us * LATENCY_SLOW * (double)NA_PS_PER_US;
	if (slow_ps < (double)NA_TIME_MAX)
		s->slow_ps = (int64_t)slow_ps;
	return true;
}

/* The groups in which most time was spent get rows of their own, the others
 * share the last one. */
static bool choose_rows(struct latency_state *s)
{
	size_t n = na_groups_count(&s->groups), top = s->scope->top;
	na_i128 *time_ps = na_calloc(n, sizeof(*time_ps));
	bool ok = time_ps;

	for (size_t i = 0; ok && i < s->cells.n; i++)
		time_ps[s->cells.v[i].owner] += s->cells.v[i].sum_ps;
	ok = ok &&
	     na_shown_init(&s->shown, time_ps, n, top ? top : DEFAULT_TOP);
	free(time_ps);
	if (ok)
		s->rows = na_calloc(s->shown.n, sizeof(*s->rows));
	s->n_rows = s->rows ? s->shown.n : 0;
	return s->rows;
}

NA_ORDER(by_owner, struct latency_cell, NA_UP(owner), NA_UP(klass))

/* Cells of rows, in order: row, size class.  Every cell learns where in the
 * row's cell its values belong. */
static bool make_cells(struct latency_state *s)
{
	struct latency_cell *to = NULL;
	size_t at = 0;

	s->row_cells = na_calloc(s->cells.n, sizeof(*to));
	if (!s->row_cells)
		return false;
	for (size_t i = 0; i < s->cells.n; i++) {
		s->row_cells[i] = s->cells.v[i];
		s->row_cells[i].owner = s->shown.row_of[s->cells.v[i].owner];
		s->row_cells[i].next = (uint32_t)i;
	}
	na_sort(s->row_cells, s->cells.n, by_owner);
	for (size_t i = 0; i < s->cells.n; i++) {
		struct latency_cell from = s->row_cells[i];
		struct latency_row *row = &s->rows[from.owner];

		if (!to || by_owner(to, &from) != 0) {
			to = &s->row_cells[s->n_row_cells++];
			*to = from;
			to->at = at;
			row->n_cells++;
		} else {
			to->n += from.n;
			to->bytes += from.bytes;
			to->sum_ps += from.sum_ps;
		}
		s->cells.v[from.next].at = at;
		at += from.n;
		row->n += from.n;
		row->sum_ps += from.sum_ps;
	}
	return true;
}

/* Moves the values of all blocks to their cells. */
static bool gather(struct latency_state *s)
{
	size_t all = 0, at = 0, cell = 0;
	int64_t *out;

	for (size_t i = 0; i < s->n_rows; i++)
		all += s->rows[i].n;
	s->sorted = out = na_calloc(all, sizeof(*out));
	if (!out)
		return false;
	for (size_t i = 0; i < s->runs.n; i++) {
		struct latency_run *run = &s->runs.v[i];
		const int64_t *from = run->values;

		for (size_t k = 0; k < run->n_cells; k++) {
			struct latency_cell *to = &s->cells.v[run->cells[k]];

			memcpy(out + to->at, from, run->n[k] * sizeof(*out));
			to->at += run->n[k];
			from += run->n[k];
		}
		free(run->values);
		run->values = NULL;
	}
	for (size_t i = 0; i < s->n_rows; i++) {
		s->rows[i].us = (const double *)s->sorted + at;
		s->rows[i].first_cell = (uint32_t)cell;
		at += s->rows[i].n;
		cell += s->rows[i].n_cells;
	}
	return true;
}

/* NaN marks a failure, which na_latency_rows() looks for. */
static void sort_cell(void *arg, size_t i)
{
	struct latency_state *s = arg;
	struct latency_cell *c = &s->row_cells[i];
	int64_t *x = (int64_t *)s->sorted + c->at;
	int64_t *tmp = na_calloc(c->n, sizeof(*tmp));
	double middle[2];

	c->p50_us = NAN;
	if (!tmp)
		return;
	na_sort_i64(x, tmp, c->n);
	free(tmp);
	middle[0] = na_us(x[(c->n - 1) / 2]);
	middle[1] = na_us(x[c->n / 2]);
	c->p50_us = na_quantile_sorted(middle, 2, 0.5);
}

static void fit_line(struct latency_row *row, const struct latency_cell *cells)
{
	struct na_size_class c[NA_SIZE_CLASSES];

	for (size_t i = 0; i < row->n_cells; i++)
		c[i] = (struct na_size_class){.bytes = (double)cells[i].bytes /
						       (double)cells[i].n,
					      .us = cells[i].p50_us,
					      .n = cells[i].n};
	row->has_line = na_size_line(c, row->n_cells, &row->line);
}

static void sort_row(void *arg, size_t i)
{
	struct latency_state *s = arg;
	struct latency_row *row = &s->rows[i];
	size_t at = (size_t)(row->us - (const double *)s->sorted);
	int64_t *x = (int64_t *)s->sorted + at, *tmp = NULL;

	if (row->n_cells > 1) {
		tmp = na_calloc(row->n, sizeof(*tmp));
		if (tmp)
			na_sort_i64(x, tmp, row->n);
		else
			s->row_cells[row->first_cell].p50_us = NAN;
		free(tmp);
	}
	fit_line(row, s->row_cells + row->first_cell);
	to_us(x, row->n);
	row->p50_us = na_quantile_sorted(row->us, row->n, 0.5);
	if (row->n)
		row->slow_us = row->us[row->n < LATENCY_SLOWEST
					       ? 0
					       : row->n - LATENCY_SLOWEST];
}

enum na_status na_latency_rows(struct latency_state *s, struct na_err *err)
{
	if (!actions_of(s) || !choose_rows(s) || !make_cells(s) || !gather(s) ||
	    !na_side_by_side(s->scope, s->n_row_cells, sort_cell, s) ||
	    !na_side_by_side(s->scope, s->n_rows, sort_row, s))
		return na_fail_nomem(err);
	for (size_t i = 0; i < s->n_row_cells; i++) {
		if (isnan(s->row_cells[i].p50_us))
			return na_fail_nomem(err);
	}
	return NA_OK;
}

double na_latency_expected_us(const struct latency_row *row, double bytes)
{
	if (row->has_line)
		return row->line.fixed_us + row->line.us_per_byte * bytes;
	return row->p50_us;
}

/* How many of the largest point i stands for: each of the top ones by
 * itself, then equal steps in logarithms, at last all. */
static size_t rank_of(size_t i, size_t n)
{
	double each = LATENCY_CURVE_EACH,
	       steps = LATENCY_CURVE_MAX - LATENCY_CURVE_EACH;
	double share = (double)(i + 1 - LATENCY_CURVE_EACH) / steps;
	size_t rank = i + 1;

	if (i >= LATENCY_CURVE_EACH)
		rank = (size_t)llround(each * pow((double)n / each, share));
	return i + 1 == LATENCY_CURVE_MAX || rank > n ? n : rank;
}

static double at_rank(const struct latency_row *row, size_t k)
{
	return k ? row->us[k - 1] : NAN;
}

/* The point at x: all that are at least as large. */
static void add_point(const struct latency_row *row, struct latency_curve *c,
		      double x)
{
	size_t below = NA_BOUND(i, 0, row->n, row->us[i] >= x);
	size_t lower = 0, upper = 0;

	if (below)
		na_quantile_ci(row->n, (double)below / (double)row->n, 0.95,
			       &lower, &upper);
	c->us[c->n] = x;
	c->share[c->n] = (double)(row->n - below) / (double)row->n;
	c->lower_us[c->n] = at_rank(row, lower);
	c->upper_us[c->n] = at_rank(row, upper);
	c->n++;
}

bool na_latency_curve(struct latency_row *row)
{
	struct latency_curve *c = &row->curve;
	size_t n = row->n < LATENCY_CURVE_MAX ? row->n : LATENCY_CURVE_MAX;

	c->us = na_calloc(4 * LATENCY_CURVE_MAX, sizeof(double));
	if (!c->us)
		return false;
	c->share = c->us + LATENCY_CURVE_MAX;
	c->lower_us = c->share + LATENCY_CURVE_MAX;
	c->upper_us = c->lower_us + LATENCY_CURVE_MAX;
	for (size_t i = 0; i < n; i++) {
		double x = row->us[row->n -
				   (row->n == n ? i + 1 : rank_of(i, row->n))];

		if (!c->n || c->us[c->n - 1] != x)
			add_point(row, c, x);
	}
	return true;
}
