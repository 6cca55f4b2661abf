/*
 * The picture of slack, from results as no run would make them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/text.h"
#include "plot/figure.h"
#include "plot/figures/slack/data.h"
#include "tests/unit/ink.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

struct fake {
	size_t n;
	double slack_us, more_us; /* of the first, and how much more each */
	double required_gbps, stall_us, capacity_gbps;
	const char *name, *key;
	bool unsized;
	bool one; /* all rows are of one collective, at one place */
};

static void put_row(struct na_result *r, struct na_value *list,
		    const struct fake *f, size_t i)
{
	static const char *const parts[] = {"send_us", "send_done_us",
					    "recv_us", "recv_done_us"};
	struct na_value *row = na_put_object(r, list, NULL), *to;
	double slack = f->slack_us + f->more_us * (double)i;
	double stall = f->stall_us / (double)(i + 1);

	na_put_textf(r, row, "collective", "%s.%zu",
		     f->name ? f->name : "all-reduce", f->one ? 0 : i);
	to = na_put_object(r, row, "key");
	if (f->key)
		na_put_text(r, to, "host", f->one && i ? "other" : f->key);
	na_put_int(r, row, "occurrences", 10);
	na_put_int(r, row, "devices_per_host", 4);
	to = na_put_object(r, row, "slack_us");
	na_put_real(r, to, "mean", slack);
	for (size_t k = 0; k < COUNT_OF(parts); k++)
		na_put_real(r, row, parts[k], stall / 40);
	na_put_real(r, row, "total_stall_us", stall);
	na_put_real(r, row, "stall_share", i % 2 ? NAN : 0.123456);
	if (f->unsized)
		na_put_null(r, row, "bytes");
	else
		na_put_int(r, row, "bytes", 1000000);
	na_put_real(r, row, "required_gbps",
		    slack > 0 && !f->unsized
			    ? f->required_gbps / (double)(f->one ? 1 : i + 1)
			    : NAN);
	na_put_bool(r, row, "slack_small", i % 3 == 0);
	na_put_null(r, row, "bandwidth_bound");
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *list;

	assert_non_null(r);
	list = na_put_list(r, body, "collectives");
	for (size_t i = 0; i < f->n; i++)
		put_row(r, list, f, i);
	na_put_real(r, body, "capacity_gbps",
		    f->capacity_gbps > 0 ? f->capacity_gbps : NAN);
	if (f->n)
		na_result_word(r, NA_WORD_MESSAGE,
			       "all-reduce.7: 1.9 s of 14 s step time stalled "
			       "over 8 devices; slack 0.2 ms needs 310 Gbit/s");
	assert_true(na_result_ok(r));
	return r;
}

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes = draw_figure("slack", r, page, format, n);

	na_result_free(r);
	return bytes;
}

#define LONG "a-name-that-does-not-end-europe-west4-b-0001-abcdefgh-\xff<&\x1b"

/* clang-format off */
static const struct fake rows[] = {
	{.n = 0},
	{.n = 1, .slack_us = 200, .required_gbps = 310, .stall_us = 1.9e6},
	{.n = 1, .slack_us = -5, .stall_us = 1e3, .capacity_gbps = 400},
	{.n = 12, .slack_us = 10, .more_us = 300, .required_gbps = 900,
	 .stall_us = 1e6, .capacity_gbps = 400},
	{.n = 9, .slack_us = -4, .more_us = 1, .required_gbps = 1e7,
	 .stall_us = 1e9, .capacity_gbps = 1},
	{.n = 300, .slack_us = -100, .more_us = 1, .required_gbps = 1,
	 .stall_us = 1e-3, .name = LONG, .key = LONG LONG,
	 .capacity_gbps = 1e6},
	{.n = 5000, .slack_us = 3, .required_gbps = 1, .stall_us = 0},
	{.n = 4, .slack_us = 7, .unsized = true, .stall_us = 5},
	{.n = 3, .slack_us = 1e15, .required_gbps = 1e-300, .stall_us = 1e300},
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
	check_pages(nth, COUNT_OF(rows));
}

static void every_format(void **state)
{
	(void)state;
	check_formats(nth, COUNT_OF(rows));
}

/* Every row has its place, or is counted. */
static void nothing_is_lost(void **state)
{
	struct slack_figure f = {.n = 0};
	struct na_result *r = make(&rows[4]);

	(void)state;
	assert_true(na_slack_read(&f, r));
	assert_int_equal(f.n, 9);
	assert_int_equal(f.n_none, 5); /* -4 to 0 us */
	assert_int_equal(f.n_unknown, 0);
	assert_true(f.points[8].required_bps == 1e16 / 9 * 4 ||
		    fabs(f.points[8].required_bps / (4e16 / 9) - 1) < 1e-12);
	free(f.points);
	na_result_free(r);
	r = make(&rows[7]);
	f = (struct slack_figure){.n = 0};
	assert_true(na_slack_read(&f, r));
	assert_int_equal(f.n_unknown, 4);
	free(f.points);
	na_result_free(r);
}

/* Dots in one place tell their collective once. */
static void one_collective(void **state)
{
	const struct fake f = {.n = 2,
			       .slack_us = 100,
			       .required_gbps = 200,
			       .stall_us = 1,
			       .key = "before",
			       .one = true};
	const struct na_page page = {.version = "0.1.0"};
	size_t n;
	char *ink = picture(&f, &page, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " all-reduce.0, before, other\n"));
	free(ink);
}

/* What needs more than the capacity stands above its line. */
static void above_the_line(void **state)
{
	const struct fake f = {.n = 1,
			       .slack_us = 100,
			       .required_gbps = 200,
			       .stall_us = 1,
			       .capacity_gbps = 400};
	const struct na_page page = {.version = "0.1.0"};
	double line = 0, disc = 0;
	size_t n;
	char *ink = picture(&f, &page, "ink", &n), *p;

	(void)state;
	p = strstr(ink, "\nline #3d444dff ");
	assert_non_null(p);
	assert_int_equal(sscanf(p, "\nline %*s %*s dash %*f,%lf", &line), 1);
	p = strstr(ink, "\narea #d55e00d9 ");
	assert_non_null(p);
	assert_int_equal(sscanf(p, "\narea %*s %*f,%lf", &disc), 1);
	assert_true(disc < line);
	free(ink);
}

struct mark {
	double x0, y0, x1, y1;
};

/* The triangles: areas of three points in that colour, 1000 at most. */
static size_t triangles(const char *ink, const char *color, struct mark *to)
{
	char what[32];
	size_t n = 0;

	snprintf(what, sizeof(what), "\narea %s ", color);
	for (const char *p = ink; (p = strstr(p, what)); p++) {
		double x[3], y[3];
		int end = 0;

		if (sscanf(p + strlen(what), "%lf,%lf %lf,%lf %lf,%lf%n", &x[0],
			   &y[0], &x[1], &y[1], &x[2], &y[2], &end) != 6 ||
		    p[strlen(what) + (size_t)end] == ' ')
			continue;
		assert_true(n < 1000);
		to[n++] = (struct mark){x[2], y[0], x[1], y[1]};
	}
	return n;
}

/* Each without slack that is shown has a line of its own: a triangle that no
 * text touches, its name, and how much slack it has. */
static void triangles_are_told(void **state)
{
	static const size_t many[] = {1, 8, 300};
	struct fake f = {.slack_us = 0.01, .required_gbps = 9, .stall_us = 1e6};
	const struct na_page page = {.version = "0.1.0"};
	static struct mark marks[1000];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(many); i++) {
		size_t n, shown;
		char *ink, words[64];

		f.n = many[i];
		ink = picture(&f, &page, "ink", &n);
		shown = triangles(ink, "#0072b2ff", marks) +
			triangles(ink, "#d55e00ff", marks);
		assert_int_equal(ink_count(ink, " 10 ns\n"), shown);
		assert_true(shown == f.n || shown > 15);
		snprintf(words, sizeof(words), " and %zu more\n", f.n - shown);
		assert_int_equal(strstr(ink, words) != NULL, shown < f.n);
		shown = triangles(ink, "#d55e00ff", marks);
		for (const char *p = ink; (p = strstr(p, "\ntext ")); p++) {
			struct mark t;

			assert_int_equal(
				sscanf(p, "\ntext %*s %*s %*s %lf %lf %lf %lf",
				       &t.x0, &t.y0, &t.x1, &t.y1),
				4);
			for (size_t k = 0; k < shown; k++)
				assert_false(marks[k].x0 < t.x1 &&
					     t.x0 < marks[k].x1 &&
					     marks[k].y0 < t.y1 &&
					     t.y0 < marks[k].y1);
		}
		free(ink);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(every_format),
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(one_collective),
		cmocka_unit_test(above_the_line),
		cmocka_unit_test(triangles_are_told),
	};

	return cmocka_run_group_tests_name("fig_slack", tests, NULL, NULL);
}
