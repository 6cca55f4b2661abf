/* The numbers behind a time figure, thinned, for the script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/report/html_impl.h"
#include "plot/figure.h"

/* Four significant digits, and no zeros behind them. */
static void put_number(FILE *out, double x)
{
	char buf[NA_UNIT_BUF];
	size_t n;

	if (!isfinite(x)) {
		fputs("null", out);
		return;
	}
	na_print_number(buf, x, 4);
	n = strlen(buf);
	if (strchr(buf, '.') && !strchr(buf, 'e')) {
		while (buf[n - 1] == '0')
			n--;
		n -= buf[n - 1] == '.';
	}
	fwrite(buf, 1, n, out);
}

/* The largest of each k: a peak is never lost. */
static void put_thinned(FILE *out, const double *v, size_t n, size_t k,
			double scale)
{
	for (size_t i = 0; i < n; i += k) {
		double most = NAN;

		for (size_t j = i; j < n && j < i + k; j++)
			most = fmax(most, v[j]);
		fputs(i ? "," : "", out);
		put_number(out, most * scale);
	}
}

/* A packed array, or a list of numbers: the j-th. */
static bool numbers_of(const struct na_value *v, size_t want, double *out)
{
	size_t n;
	const double *p = na_reals_of(v, &n);

	if (p && n == want) {
		memcpy(out, p, n * sizeof(*p));
		return true;
	}
	if (!v || v->kind != NA_V_LIST || v->n != want)
		return false;
	n = 0;
	na_for_each (m, v)
		out[n++] = na_real_of(m, NAN);
	return true;
}

static bool put_series(FILE *out, const struct na_figure_series *s,
		       const struct na_value *body, double *room, size_t n,
		       bool first)
{
	if (!numbers_of(na_get(body, s->member), n, room))
		return false;
	fprintf(out,
		"%s\n{\"name\":\"%s\",\"unit\":\"%s\",\"hue\":\"%s\","
		"\"log\":%s,\"v\":[",
		first ? "" : ",", s->name, s->unit, s->hue,
		s->log ? "true" : "false");
	put_thinned(out, room, n, (n + NA_HOVER_POINTS - 1) / NA_HOVER_POINTS,
		    s->scale);
	fputs("]}", out);
	return true;
}

static void put_axis(FILE *out, const struct na_report_part *part, double t0,
		     double bin_s, size_t k)
{
	const struct na_report_axis *a = &part->axis;
	const double of[] = {a->width, a->height, a->x0,     a->y0,
			     a->x1,    a->y1,     a->from_s, a->to_s};
	char buf[NA_UNIT_BUF];

	fprintf(out, "{\"part\":\"%s\",\"at\":[", part->name);
	for (size_t i = 0; i < NA_LEN(of); i++)
		fprintf(out, "%s%s", i ? "," : "",
			na_print_double(buf, i < 6 ? round(of[i] * 100) / 100
						   : of[i]));
	fprintf(out, "],\"t0\":%s,", na_print_double(buf, t0));
	fprintf(out, "\"bin_s\":%s,", na_print_double(buf, bin_s));
	fprintf(out, "\"bins\":%zu,\"series\":[", k);
}

static bool is_axis(const struct na_report_axis *a)
{
	return a->width > 0 && a->height > 0 && a->x1 > a->x0 &&
	       a->y1 > a->y0 && a->to_s > a->from_s;
}

/* False: there is no series of that part. */
static bool put_numbers(FILE *out, const struct na_report_part *part,
			const struct na_figure *f, const double *time_s,
			double bin_s, double *room, size_t n)
{
	const struct na_value *body = na_result_get_body(part->result);
	bool any = false;

	fputs("<script type=\"application/json\" class=\"hover\">", out);
	put_axis(out, part, time_s[0], bin_s,
		 (n + NA_HOVER_POINTS - 1) / NA_HOVER_POINTS);
	for (const struct na_figure_series *s = f->series; s && s->member; s++)
		any |= put_series(out, s, body, room, n, !any);
	fputs("]}</script>\n", out);
	return any;
}

void na_html_hover(FILE *out, const struct na_report_part *part, bool *failed)
{
	const struct na_value *body = na_result_get_body(part->result);
	double bin_s = na_number_or(body, M_bin_s, 0), *room;
	size_t n, bytes = NA_HOVER_BYTES;
	const double *time_s = na_reals_of(na_get(body, M_time_s), &n);
	const struct na_figure *f = na_figure_find(part->name);
	struct na_run run;

	if (!f || !time_s || n < 2 || !(bin_s > 0) || !is_axis(&part->axis))
		return;
	room = malloc(n * sizeof(*room));
	if (!room) {
		*failed = true;
		return;
	}
	na_run_begin(&run, &bytes, failed);
	if (run.out && put_numbers(run.out, part, f, time_s, bin_s, room, n))
		na_run_piece(&run);
	na_run_end(&run, out);
	free(room);
}
