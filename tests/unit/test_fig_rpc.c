/*
 * The picture of `netan rpc`, from results as no run would make them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/base/text.h"
#include "plot/figure.h"
#include "tests/unit/ink.h"

#define LONG_NAME \
	"gke-tpu-\xe2\x80\xae\x1b[31m<b>&\"\xff pool-that-does-not-" \
	"end-europe-west4-b-0001-abcdefgh-"

struct fake {
	size_t bins, points, runs, failed;
	double bin_s, from_s, us;
	bool cells, gaps, noise, slow; /* slow: for their size, none late */
	double window; /* the share of time in which points lie; 0: all */
	int modes;
	const char *name;
};

static unsigned noise(unsigned *seed)
{
	*seed = *seed * 1664525U + 1013904223U;
	return *seed >> 8;
}

static double share(unsigned *seed)
{
	return noise(seed) / 16777216.0;
}

static void put_series(struct na_result *r, struct na_value *in,
		       const struct fake *f, double scale)
{
	double *p50 = na_put_reals(r, in, "p50_us", f->bins);
	double *p99 = na_put_reals(r, in, "p99_us", f->bins);
	double *max = na_put_reals(r, in, "max_us", f->bins);

	for (size_t i = 0; i < f->bins; i++) {
		bool gap = f->gaps && i % 3 == 1;

		p50[i] = gap ? NAN : f->us * scale;
		p99[i] = gap ? NAN : 3 * f->us * scale;
		max[i] = gap ? NAN : (i % 2 ? 4 : 5000) * f->us * scale;
	}
}

static void put_modes(struct na_result *r, const struct fake *f)
{
	static const double ms[] = {200, 400, 600, 1000, 1400, 5, 10};
	struct na_value *list = na_put_list(r, na_result_body(r), "modes");

	for (int i = 0; i < f->modes; i++) {
		struct na_value *o = na_put_object(r, list, NULL), *hosts;

		na_put_real(r, o, "latency_ms", ms[i]);
		na_put_int(r, o, "count", 12345 / (i + 1));
		na_put_text(r, o, "cause", "retransmission timeout");
		hosts = na_put_list(r, o, "hosts");
		for (int k = 0; k < i; k++)
			na_put_text(r, hosts, NULL, f->name);
	}
}

static void put_scatter(struct na_result *r, const struct fake *f)
{
	enum { COLUMNS = 600, ROWS = 120 };
	struct na_value *in = na_put_object(r, na_result_side(r), "scatter");
	double *t = na_put_reals(r, in, "point_time_s", f->points);
	double *us = na_put_reals(r, in, "point_us", f->points);
	double *row = na_put_reals(r, in, "point_row", f->points);
	double *tail = na_put_reals(r, in, "point_tail", f->points);
	double *slow = na_put_reals(r, in, "point_slow", f->points);
	double span = f->bin_s * (double)f->bins, *counts;
	unsigned seed = 1;

	na_put_real(r, in, "from_s", f->from_s);
	na_put_real(r, in, "column_s", span / COLUMNS);
	na_put_real(r, in, "least_us", f->us / 2);
	na_put_real(r, in, "most_us", f->us * 5000);
	na_put_bool(r, in, "all_points", !f->cells);
	for (size_t i = 0; i < f->points; i++) {
		t[i] = f->from_s + (f->window > 0 ? f->window : 1) * span *
					   ((double)i + share(&seed)) /
					   (double)f->points;
		us[i] = f->us / 2 * exp(9 * share(&seed));
		row[i] = f->runs ? (double)(i % f->runs) : 0;
		tail[i] = !f->slow && i % 10 == 0;
		slow[i] = f->slow && i % 10 == 0;
	}
	if (!f->cells)
		return;
	na_put_int(r, in, "columns", COLUMNS);
	na_put_int(r, in, "rows", ROWS);
	counts = na_put_reals(r, in, "counts", (size_t)COLUMNS * ROWS);
	for (size_t i = 0; i < (size_t)COLUMNS * ROWS; i++)
		counts[i] = f->noise ? floor(exp(14 * share(&seed))) - 1
			    : i % ROWS / 20 % 2 ? 1000
						: 0;
}

/* Calls of a capture that failed, in a row across the picture. */
static void put_failed(struct na_result *r, const struct fake *f)
{
	struct na_value *side = na_result_side(r);
	struct na_value *in = na_put_object(r, side, "failed");
	double *t = na_put_reals(r, in, "time_s", f->failed);
	double *us = na_put_reals(r, in, "latency_us", f->failed);

	for (size_t i = 0; i < f->failed; i++) {
		t[i] = f->from_s + f->bin_s * (double)(i % (f->bins + 1));
		us[i] = f->us;
	}
	na_put_int(r, side, "calls_failed", (int64_t)f->failed);
	na_put_int(r, side, "calls", 60000);
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *list, *o, *all;
	double *t;

	na_put_real(r, na_result_doc(r), "duration_s", 3);
	na_put_int(r, na_result_side(r), "hosts", 4);
	na_put_real(r, body, "bin_s", f->bin_s);
	t = na_put_reals(r, body, "time_s", f->bins);
	for (size_t i = 0; i < f->bins; i++)
		t[i] = f->from_s + f->bin_s * (double)i;
	put_series(r, body, f, 1);
	all = na_put_object(r, body, "overall");
	na_put_int(r, all, "transfers", (int64_t)f->points);
	na_put_real(r, all, "p50_us", f->us);
	na_put_real(r, all, "p99_us", 3 * f->us);
	na_put_real(r, all, "p99_9_us", 4 * f->us);
	na_put_real(r, all, "max_us", f->us * 5000);
	put_modes(r, f);
	if (f->runs) {
		na_result_about(r)->runs_apart = true;
		list = na_put_list(r, body, "groups");
		for (size_t i = 0; i < f->runs; i++) {
			o = na_put_object(r, list, NULL);
			na_put_text(r, na_put_object(r, o, "key"), "label",
				    f->name);
			put_series(r, o, f, 1 + (double)i / 10);
		}
	}
	put_scatter(r, f);
	put_failed(r, f);
	assert_true(na_result_ok(r));
	return r;
}

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes = draw_figure("rpc", r, page, format, n);

	na_result_free(r);
	return bytes;
}

/* clang-format off */
static const struct fake rows[] = {
	{.bins = 60, .points = 3000, .bin_s = 0.1, .us = 100, .modes = 1,
	 .name = "host-1"},
	{.bins = 1, .points = 1, .failed = 2000, .bin_s = 0.1, .us = 1, .name = "a"},
	{.bins = 2, .points = 3, .bin_s = 1e-9, .from_s = -5, .us = 1e-6,
	 .name = "a"},
	{.bins = 5000, .points = 5000, .bin_s = 0.1, .us = 50, .cells = true,
	 .noise = true, .modes = 7, .gaps = true, .name = LONG_NAME},
	{.bins = 60, .points = 20000, .bin_s = 3600, .us = 1e9, .modes = 7,
	 .name = LONG_NAME},
	{.bins = 60, .points = 900, .bin_s = 0.1, .us = 100, .runs = 2,
	 .name = LONG_NAME},
	{.bins = 60, .points = 5000, .bin_s = 0.1, .us = 100, .runs = 64,
	 .cells = true, .name = "run"},
	{.bins = 0, .bin_s = 0.1, .us = 100, .name = "a"},
};
/* clang-format on */

static char *nth(size_t i, const struct na_page *page, const char *format,
		 size_t *n)
{
	return picture(&rows[i], page, format, n);
}

static void labels_never_overlap(void **state)
{
	(void)state;
	check_pages(nth, sizeof(rows) / sizeof(rows[0]));
}

static void bounded(void **state)
{
	const struct na_page page = {.version = "0.1.0"};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n;
		char *svg = picture(&rows[i], &page, "svg", &n);

		if (n >= 1 << 20)
			fail_msg("row %zu: %zu bytes", i, n);
		free(svg);
	}
}

static void words(void **state)
{
	const struct na_page page = {.version = "0.1.0"};
	size_t n;
	char *ink = picture(&rows[0], &page, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " p50\n"));
	assert_non_null(strstr(ink, " p99\n"));
	assert_non_null(strstr(ink, " over 100 ms late\n"));
	/* The largest is a point among all. */
	assert_null(strstr(ink, " max\n"));
	assert_non_null(
		strstr(ink, " at 200 ms: like retransmission timeout\n"));
	assert_non_null(strstr(ink, "; every transfer is a point\n"));
	free(ink);
	ink = picture(&rows[7], &page, "ink", &n);
	assert_non_null(strstr(ink, "No transfer with a latency"));
	free(ink);
	ink = picture(&rows[6], &page, "ink", &n);
	assert_non_null(strstr(ink, " 58 more runs not drawn\n"));
	free(ink);
}

/* Those that are slow for their size have a finding's colour, and a name. */
static void slow_for_their_size(void **state)
{
	struct fake f = {.bins = 60,
			 .points = 200,
			 .bin_s = 0.1,
			 .us = 100,
			 .name = "a",
			 .slow = true};
	const struct na_page page = {.version = "0.1.0"};
	size_t n;
	char *ink = picture(&f, &page, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " slowest 1 % for their size\n"));
	assert_null(strstr(ink, " over 100 ms late\n"));
	assert_null(strstr(ink, "--from"));
	free(ink);
}

/* Where most lie in little of the time, lines of a few bins would be specks,
 * and the picture says which window to ask for. */
static void crowd(void **state)
{
	struct fake f = {.bins = 600,
			 .points = 200,
			 .bin_s = 0.1,
			 .us = 100,
			 .name = "a",
			 .window = 0.01};
	const struct na_page page = {.version = "0.1.0"};
	size_t n;
	char *ink = picture(&f, &page, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, "; 90 % of them from 0.0"));
	assert_non_null(strstr(ink, " (--from, --to)\n"));
	free(ink);
}

/* A point that is alone in the cloud of millions is there. */
static void outlier(void **state)
{
	struct fake f = rows[3];
	const struct na_page page = {.version = "0.1.0"};
	char *with, *without;
	size_t n;

	(void)state;
	f.points = 1;
	with = picture(&f, &page, "ink", &n);
	f.points = 0;
	without = picture(&f, &page, "ink", &n);
	assert_true(strcmp(with, without) != 0);
	assert_non_null(strstr(with, "\nline #d55e00ff "));
	free(with);
	free(without);
}

/* A bin of 100 s, and all points within 10 ms of it. */
static void one_bin(void **state)
{
	struct fake f = {.bins = 1,
			 .points = 16,
			 .bin_s = 100,
			 .us = 100,
			 .name = "a",
			 .window = 1e-4};
	const struct na_page page = {.version = "0.1.0"};
	size_t n;
	char *ink = picture(&f, &page, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " time from the origin (ms)\n"));
	free(ink);
	f.window = 0;
	ink = picture(&f, &page, "ink", &n);
	assert_non_null(strstr(ink, " time from the origin (s)\n"));
	/* So few transfers have no p99, and a few more no p99.9. */
	assert_non_null(strstr(ink, " p50 100 us\n"));
	assert_null(strstr(ink, " p99 300 us\n"));
	free(ink);
	f.points = 100;
	ink = picture(&f, &page, "ink", &n);
	assert_non_null(strstr(ink, " p99 300 us\n"));
	assert_null(strstr(ink, " p99.9 400 us\n"));
	free(ink);
}

/* Crosses, and how many of how many. */
static void failed_calls(void **state)
{
	struct fake f = {
		.bins = 60, .points = 1, .bin_s = 0.1, .us = 100, .name = "a"};
	const struct na_page page = {.version = "0.1.0"};
	char *with, *without;
	size_t n;

	(void)state;
	without = picture(&f, &page, "ink", &n);
	f.failed = 3;
	with = picture(&f, &page, "ink", &n);
	assert_null(strstr(without, "calls failed"));
	assert_non_null(strstr(with, " calls failed\n"));
	assert_int_equal(ink_count(with, "\nline #d55e00ff ") -
				 ink_count(without, "\nline #d55e00ff "),
			 1);
	free(with);
	free(without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(bounded),
		cmocka_unit_test(words),
		cmocka_unit_test(slow_for_their_size),
		cmocka_unit_test(crowd),
		cmocka_unit_test(outlier),
		cmocka_unit_test(one_bin),
		cmocka_unit_test(failed_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
