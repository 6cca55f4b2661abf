/* The survival curves, as ink. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/base/text.h"
#include "plot/figure.h"
#include "tests/unit/ink.h"

#define LONG_NAME \
	"all-reduce-that-\xe2\x80\xae\x1b[31m<b>&\"\xff-does-not-end-" \
	"europe-west4-b-0001-abcdefgh-"

/* A result as no run would make it. */
struct fake {
	size_t groups, points;
	double from_us, to_us;
	int64_t count;
	bool names, rest, few, bare, plain; /* plain: no key */
	const char *empty;
};

static void put_group(struct na_result *r, struct na_value *list,
		      const struct fake *f, size_t i)
{
	static const char *const marks[] = {"min_us",    "p50_us", "p90_us",
					    "p95_us",    "p99_us", "p99_9_us",
					    "p99_99_us", "max_us"};
	struct na_value *o = na_put_object(r, list, NULL), *few;
	struct na_value *key = na_put_object(r, o, "key");
	bool rest = f->rest && i + 1 == f->groups;
	double *x[4], grow = f->points < 2 ? 1
					   : pow(f->to_us / f->from_us,
						 1 / (double)(f->points - 1));

	if (!f->plain)
		na_put_textf(r, key, "collective", "%s%02zu",
			     f->names ? LONG_NAME : "ar-", i);
	if (rest)
		na_put_text(r, na_put_object(r, o, "key"), "x", "rest");
	na_put_int(r, o, "count", f->count);
	for (size_t k = 0; k < 8; k++)
		na_put_real(r, o, marks[k],
			    f->from_us *
				    pow(f->to_us / f->from_us, (double)k / 7));
	na_put_real(r, o, "tail_ratio", 12.3456);
	few = na_put_list(r, o, "few_samples");
	if (f->few)
		na_put_text(r, few, NULL, "p99");
	x[0] = na_put_reals(r, o, "p99_ci95_us", 2);
	x[0][0] = f->from_us;
	x[0][1] = f->few ? NAN : f->to_us;
	x[0] = na_put_reals(r, o, "ccdf_us", f->points);
	x[1] = na_put_reals(r, o, "ccdf_share", f->points);
	x[2] = na_put_reals(r, o, "ccdf_lower_us", f->points);
	x[3] = na_put_reals(r, o, "ccdf_upper_us", f->points);
	for (size_t k = 0; k < f->points; k++) {
		double back = (double)(f->points - 1 - k);

		x[0][k] = f->from_us * pow(grow, back);
		x[1][k] = pow((double)f->count, -back / (double)f->points);
		x[2][k] = k < 3 ? NAN : x[0][k] * 0.9;
		x[3][k] = k < 2 ? NAN : x[0][k] * 1.1;
	}
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *list, *o;

	assert_non_null(r);
	if (f->bare)
		return r;
	list = na_put_list(r, na_result_doc(r), "inputs");
	for (int i = 0; i < 3; i++)
		na_put_text(r, na_put_object(r, list, NULL), "path",
			    f->names ? LONG_NAME LONG_NAME : "run/host-0.pb");
	na_put_real(r, na_result_doc(r), "duration_s", 3.25);
	o = na_put_object(r, na_result_doc(r), "coverage");
	na_put_int(r, o, "used", f->count);
	list = na_put_list(r, na_result_body(r), "groups");
	for (size_t i = 0; i < f->groups; i++)
		put_group(r, list, f, i);
	list = na_put_list(r, na_result_side(r), "slowest");
	for (int i = 0; i < 10; i++) {
		o = na_put_object(r, list, NULL);
		na_put_real(r, o, "latency_us", f->to_us / (i + 1));
		na_put_text(r, o, "src", f->names ? LONG_NAME : "s0d1");
		na_put_text(r, o, "dst", "s1d0");
		na_put_int(r, o, "bytes", 65536);
		na_put_real(r, o, "time_s", i);
	}
	if (f->empty)
		na_result_word(r, NA_WORD_EMPTY, f->empty);
	assert_true(na_result_ok(r));
	return r;
}

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes = draw_figure("latency", r, page, format, n);

	na_result_free(r);
	return bytes;
}

static const struct na_page plain = {.version = "0.1.0"};

/* clang-format off */
static const struct fake rows[] = {
	{.groups = 1, .points = 200, .from_us = 30, .to_us = 2e5,
	 .count = 3000000, .plain = true},
	{.groups = 1, .points = 1, .from_us = 30, .to_us = 30, .count = 1,
	 .plain = true, .few = true},
	{.groups = 1, .points = 3, .from_us = 30, .to_us = 31, .count = 3,
	 .plain = true, .few = true},
	{.groups = 6, .points = 150, .from_us = 1e-6, .to_us = 1e13,
	 .count = 1000000000},
	{.groups = 65, .points = 200, .from_us = 30, .to_us = 2e5,
	 .count = 120000, .names = true, .rest = true, .few = true},
	{.groups = 2, .points = 40, .from_us = 999, .to_us = 1001,
	 .count = 40},
	{.groups = 1, .plain = true, .from_us = 1, .to_us = 1},
	{.groups = 0, .empty = "No transfer was found: record the trace with "
	 "the host tracer on, and look for the lines that it names."},
	{.bare = true},
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

static void one_group(void **state)
{
	size_t n;
	char *ink = picture(&rows[0], &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " Share that takes at least so long\n"));
	assert_non_null(strstr(ink, " 100 %\n"));
	assert_non_null(strstr(ink, " 1 ms\n"));
	assert_non_null(strstr(ink, " 95 % interval\n"));
	assert_non_null(strstr(ink, " 30 us to 200 ms\n"));
	assert_non_null(strstr(ink, " 12.3x\n"));
	assert_non_null(strstr(ink, "\narea #0072b233 "));
	free(ink);
	/* One transfer: a point, and numbers in brackets. */
	ink = picture(&rows[1], &plain, "ink", &n);
	assert_non_null(strstr(ink, "\narea #0072b2ff "));
	assert_non_null(strstr(ink, " (30 us)\n"));
	assert_null(strstr(ink, "\narea #0072b233 "));
	assert_non_null(strstr(ink, " 100 %\n"));
	assert_null(strstr(ink, " 120 %\n"));
	free(ink);
}

static void many_groups(void **state)
{
	struct fake f = rows[4];
	size_t n;
	char *ink;

	(void)state;
	f.names = false;
	ink = picture(&f, &plain, "ink", &n);
	assert_non_null(strstr(ink, " ar-00\n"));
	assert_non_null(strstr(ink, " ar-05\n"));
	assert_null(strstr(ink, " ar-06\n"));
	assert_non_null(strstr(ink, " in grey\n"));
	free(ink);
	f.names = true;
	free(picture(&f, &plain, "svg", &n));
	assert_true(n < 1 << 20);
	/* Names are cut, and not what stands behind them. */
	ink = picture(&f, &plain, "ink", &n);
	assert_non_null(strstr(ink, "\xe2\x86\x92s1d0 \xc2\xb7 64 KiB \xc2\xb7 "
				    "at 9 s\n"));
	free(ink);
}

static void empty(void **state)
{
	size_t n;
	char *ink = picture(&rows[7], &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, "No transfer was found"));
	assert_null(strstr(ink, "Share that takes"));
	free(ink);
	ink = picture(&rows[6], &plain, "ink", &n);
	assert_non_null(strstr(ink, " No transfer took any time here.\n"));
	free(ink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(one_group),
		cmocka_unit_test(many_groups),
		cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
