/* latency: between the passes, from runs of values to sorted rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/latency/latency.h"
#include "netan/base/vec.h"
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
		us = (double)ps / 1e6;
		memcpy(bytes + i * sizeof(us), &us, sizeof(us));
	}
}

/* How long receives lasted, all of them: median and p99, and what is slow. */
static bool actions_of(struct lat_state *s)
{
	size_t n = 0, at = 0;
	int64_t *x, *tmp;

	s->action_p50_us = s->action_p99_us = NAN;
	s->slow_ps = NA_TIME_MAX;
	for (size_t i = 0; i < s->n_runs; i++)
		n += s->runs[i].n_actions;
	if (!n)
		return true;
	x = na_calloc(n, sizeof(*x));
	if (!x)
		return false;
	for (size_t i = 0; i < s->n_runs; i++) {
		struct lat_run *run = &s->runs[i];

		if (run->n_actions)
			memcpy(x + at, run->actions,
			       run->n_actions * sizeof(*x));
		at += run->n_actions;
		free(run->actions);
		run->actions = NULL;
	}
	tmp = na_calloc(n, sizeof(*tmp));
	if (!tmp) {
		free(x);
		return false;
	}
	na_sort_i64(x, tmp, n);
	free(tmp);
	to_us(x, n);
	s->action_p50_us = na_quantile_sorted((void *)x, n, 0.5);
	s->action_p99_us = na_quantile_sorted((void *)x, n, 0.99);
	free(x);
	if (s->action_p50_us * LAT_SLOW < (double)NA_TIME_MAX / 1e6)
		s->slow_ps = (int64_t)(s->action_p50_us * LAT_SLOW * 1e6);
	return true;
}

/* The groups in which most time was spent get rows of their own, the others
 * share the last one. */
static bool choose_rows(struct lat_state *s)
{
	size_t n = na_groups_count(&s->groups);
	size_t top = s->scope->top ? s->scope->top : DEFAULT_TOP;
	na_i128 *time_ps = na_calloc(n, sizeof(*time_ps));
	uint32_t *order = NULL;

	s->has_rest = n > top;
	s->n_rest = s->has_rest ? n - top : 0;
	s->n_rows = s->has_rest ? top + 1 : n;
	s->rows = na_calloc(s->n_rows, sizeof(*s->rows));
	s->row_of = na_calloc(n, sizeof(*s->row_of));
	s->shown = na_calloc(s->n_rows, sizeof(*s->shown));
	for (size_t i = 0; time_ps && i < s->n_cells; i++)
		time_ps[s->cells[i].owner] += s->cells[i].sum_ps;
	if (time_ps && s->rows && s->row_of && s->shown)
		order = na_groups_rank(time_ps, n);
	for (size_t i = 0; order && i < n; i++) {
		size_t row = i < top ? i : top;

		s->row_of[order[i]] = (uint32_t)row;
		s->shown[row] = order[i];
	}
	free(time_ps);
	free(order);
	return order != NULL;
}

static int by_owner(const void *a, const void *b)
{
	const struct lat_cell *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->klass < y->klass ? -1 : x->klass > y->klass;
}

/* Cells of rows, in order: row, size class.  Every cell learns where in the
 * row's cell its values belong. */
static bool make_cells(struct lat_state *s)
{
	struct lat_cell *to;
	size_t n = 0, at = 0;

	s->row_cells = na_calloc(s->n_cells, sizeof(*to));
	if (!s->row_cells)
		return false;
	for (size_t i = 0; i < s->n_cells; i++) {
		s->row_cells[i] = s->cells[i];
		s->row_cells[i].owner = s->row_of[s->cells[i].owner];
		s->row_cells[i].next = (uint32_t)i;
	}
	if (s->n_cells)
		qsort(s->row_cells, s->n_cells, sizeof(*to), by_owner);
	for (size_t i = 0; i < s->n_cells; i++) {
		struct lat_cell from = s->row_cells[i];

		if (!n || by_owner(&s->row_cells[n - 1], &from) != 0) {
			s->row_cells[n] = from;
			s->row_cells[n].at = at;
			s->rows[from.owner].n_cells++;
			n++;
		} else {
			to = &s->row_cells[n - 1];
			to->n += from.n;
			to->bytes += from.bytes;
			to->sum_ps += from.sum_ps;
		}
		s->cells[from.next].at = at;
		at += from.n;
		s->rows[from.owner].n += from.n;
		s->rows[from.owner].sum_ps += from.sum_ps;
	}
	s->n_row_cells = n;
	return true;
}

/* Moves the values of all blocks to their cells. */
static bool gather(struct lat_state *s)
{
	size_t all = 0, at = 0, cell = 0;
	int64_t *out;

	for (size_t i = 0; i < s->n_rows; i++)
		all += s->rows[i].n;
	s->sorted = out = na_calloc(all, sizeof(*out));
	if (!out)
		return false;
	for (size_t i = 0; i < s->n_runs; i++) {
		struct lat_run *run = &s->runs[i];
		const int64_t *from = run->values;

		for (size_t k = 0; k < run->n_cells; k++) {
			struct lat_cell *to = &s->cells[run->cells[k]];

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

/* NaN marks a failure, which lat_rows() looks for. */
static void sort_cell(void *arg, size_t i)
{
	struct lat_state *s = arg;
	struct lat_cell *c = &s->row_cells[i];
	int64_t *x = (int64_t *)s->sorted + c->at;
	int64_t *tmp = na_calloc(c->n, sizeof(*tmp));
	double middle[2];

	c->p50_us = NAN;
	if (!tmp)
		return;
	na_sort_i64(x, tmp, c->n);
	free(tmp);
	middle[0] = (double)x[(c->n - 1) / 2] / 1e6;
	middle[1] = (double)x[c->n / 2] / 1e6;
	c->p50_us = na_quantile_sorted(middle, 2, 0.5);
}

static void fit_line(struct lat_row *row, const struct lat_cell *cells)
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
	struct lat_state *s = arg;
	struct lat_row *row = &s->rows[i];
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
}

enum na_status lat_rows(struct lat_state *s, struct na_err *err)
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

double lat_expected_us(const struct lat_row *row, double bytes)
{
	if (row->has_line)
		return row->line.fixed_us + row->line.us_per_byte * bytes;
	return na_quantile_sorted(row->us, row->n, 0.5);
}

/* How many of the largest point i stands for: each of the top ones by
 * itself, then equal steps in logarithms, at last all. */
static size_t rank_of(size_t i, size_t n)
{
	double each = LAT_CURVE_EACH, steps = LAT_CURVE_MAX - LAT_CURVE_EACH;
	double share = (double)(i + 1 - LAT_CURVE_EACH) / steps;
	size_t rank = i + 1;

	if (i >= LAT_CURVE_EACH)
		rank = (size_t)llround(each * pow((double)n / each, share));
	return i + 1 == LAT_CURVE_MAX || rank > n ? n : rank;
}

static double at_rank(const struct lat_row *row, size_t k)
{
	return k ? row->us[k - 1] : NAN;
}

/* The point at x: all that are at least as large. */
static void add_point(const struct lat_row *row, struct lat_curve *c, double x)
{
	size_t below = 0, to = row->n, lower = 0, upper = 0;

	while (below < to) {
		size_t middle = below + (to - below) / 2;

		if (row->us[middle] < x)
			below = middle + 1;
		else
			to = middle;
	}
	if (below)
		na_quantile_ci(row->n, (double)below / (double)row->n, 0.95,
			       &lower, &upper);
	c->us[c->n] = x;
	c->share[c->n] = (double)(row->n - below) / (double)row->n;
	c->lower_us[c->n] = at_rank(row, lower);
	c->upper_us[c->n] = at_rank(row, upper);
	c->n++;
}

bool lat_curve(struct lat_row *row)
{
	struct lat_curve *c = &row->curve;
	size_t n = row->n < LAT_CURVE_MAX ? row->n : LAT_CURVE_MAX;

	c->us = na_calloc(4 * LAT_CURVE_MAX, sizeof(double));
	if (!c->us)
		return false;
	c->share = c->us + LAT_CURVE_MAX;
	c->lower_us = c->share + LAT_CURVE_MAX;
	c->upper_us = c->lower_us + LAT_CURVE_MAX;
	for (size_t i = 0; i < n; i++) {
		double x = row->us[row->n -
				   (row->n == n ? i + 1 : rank_of(i, row->n))];

		if (!c->n || c->us[c->n - 1] != x)
			add_point(row, c, x);
	}
	return true;
}
