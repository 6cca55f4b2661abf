#include "plot/figures/rpc/data.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/result/emit.h"

static bool read_lines(struct rpc_lines *to, const struct na_value *in,
		       size_t n)
{
	to->p50 = na_reals_at(in, M_p50_us, n);
	to->p99 = na_reals_at(in, M_p99_us, n);
	to->max = na_reals_at(in, M_max_us, n);
	to->count = na_reals_at(in, M_count, n);
	return to->p50 && to->p99 && to->max;
}

/* The key's values on one line. */
static void name_of(const struct na_value *key, char *buf, size_t size)
{
	const struct na_value *v = na_items(key);
	size_t at = 0;

	buf[0] = '\0';
	for (; v && at < size; v = v->next)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       at ? ", " : "", na_text_of(v, ""));
}

static void read_runs(struct rpc_data *d)
{
	na_for_each (v, na_get(d->body, M_groups)) {
		struct rpc_lines *to = &d->lines[d->n_lines];

		if (d->n_lines == NA_TOP_SERIES) {
			d->others++;
		} else if (read_lines(to, v, d->n)) {
			name_of(na_get(v, M_key), to->name, sizeof(to->name));
			d->n_lines++;
		}
	}
}

static void read_scatter(struct rpc_data *d)
{
	const struct na_value *in = na_get(d->side, M_scatter);

	d->point_s = na_reals_of(na_get(in, M_point_time_s), &d->n_points);
	d->point_us = na_reals_at(in, M_point_us, d->n_points);
	d->point_row = na_reals_at(in, M_point_row, d->n_points);
	d->point_tail = na_reals_at(in, M_point_tail, d->n_points);
	d->point_slow = na_reals_at(in, M_point_slow, d->n_points);
	if (!d->point_s || !d->point_us || !d->point_row || !d->point_tail)
		d->n_points = 0;
	d->all_points = na_flag_at(in, M_all_points);
	d->columns = (size_t)na_count_at(in, M_columns);
	d->rows = (size_t)na_count_at(in, M_rows);
	d->counts = d->columns && d->rows
			    ? na_reals_at(in, M_counts, d->columns * d->rows)
			    : NULL;
	d->cells_from_s = na_number_or(in, M_from_s, 0);
	d->column_s = na_number_or(in, M_column_s, 1);
	d->cells_least_us = na_number_at(in, M_least_us);
	d->cells_most_us = na_number_at(in, M_most_us);
}

static void read_failed(struct rpc_data *d)
{
	const struct na_value *in = na_get(d->side, M_failed);

	d->failed_s = na_reals_of(na_get(in, M_time_s), &d->n_failed);
	d->failed_us = na_reals_at(in, M_latency_us, d->n_failed);
	if (!d->failed_s || !d->failed_us || d->runs_apart)
		d->n_failed = 0;
}

/* At least a decade, so that the axis has ticks to read. */
static void read_range(struct rpc_data *d)
{
	double least = d->cells_least_us, most = d->cells_most_us, middle;

	for (size_t i = 0; i < d->n_lines; i++) {
		for (size_t k = 0; k < d->n; k++) {
			double lo = d->lines[i].p50[k], hi = d->lines[i].max[k];

			least = lo > 0 ? fmin(least, lo) : least;
			most = hi > 0 ? fmax(most, hi) : most;
		}
	}
	if (!(least > 0 && most >= least && isfinite(most))) {
		least = 1;
		most = 1e3;
	}
	middle = sqrt(least) * sqrt(most);
	d->least_us = fmin(least / 1.15, middle / 4);
	d->most_us = fmax(most * 1.7, middle * 4);
}

void na_rpc_read(struct rpc_data *d, const struct na_result *r)
{
	const double *time;

	*d = (struct rpc_data){
		.doc = na_result_get_doc(r),
		.body = na_result_get_body(r),
		.result = r,
		.side = na_result_get_side(r),
	};
	time = na_reals_of(na_get(d->body, M_time_s), &d->n);
	d->bin_s = na_number_at(d->body, M_bin_s);
	d->runs_apart = na_result_get_about(r)->runs_apart;
	if (!time || !d->n || !(d->bin_s > 0)) {
		d->n = 0;
		d->empty = "No transfer with a latency was used: there is "
			   "nothing to draw.";
		d->to_s = 1;
	} else {
		d->from_s = time[0];
		d->to_s = time[d->n - 1] + d->bin_s;
		if (!(d->to_s > d->from_s))
			d->to_s = d->from_s + 1e-9;
	}
	if (d->runs_apart)
		read_runs(d);
	else if (read_lines(&d->lines[0], d->body, d->n))
		d->n_lines = 1;
	read_scatter(d);
	read_failed(d);
	read_range(d);
}
