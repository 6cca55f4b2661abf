/* The shift of quantiles, as ink, from results as no run would make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "plot/figure.h"
#include "plot/figures/diff_data.h"
#include "tests/unit/ink.h"

#define LONG_NAME \
	"run-\xe2\x80\xae\x1b[31m<b>&\"\xff-of-europe-west4-b-that-does-not-" \
	"end-0001-abcdefgh-abcdefgh-abcdefgh-abcdefgh-abcdefgh-abcdefgh"

struct fake {
	size_t metrics;
	double from, to; /* ratios of the first and the last quantile */
	double wide;     /* of an interval, either way */
	double a;        /* value of A */
	bool equal, few; /* at equal mix; no verdicts */
	bool names, bare;
	const char *empty;
};

static const char *const metrics[] = {"latency", "sizes", "throughput",
				      "slack",   "stall", "steps"};
static const char *const units[] = {"us", "bytes", "gbps", "us", "us", "ms"};
static const char *const names[] = {"p10", "p20",   "p30", "p40", "p50",
				    "p60", "p70",   "p80", "p90", "p95",
				    "p99", "p99_9", "mean"};
static const char *const verdicts[] = {"worse", "better", "mix", "same"};

static void put_row(struct na_result *r, struct na_value *list,
		    const struct fake *f, size_t m, size_t k)
{
	struct na_value *x = na_put_object(r, list, NULL);
	double share = (double)k / 12, *ci;
	double ratio = f->from * pow(f->to / f->from, share);

	na_put_textf(r, x, "name", "%s.%s", metrics[m], names[k]);
	na_put_text(r, x, "unit", units[m]);
	na_put_real(r, x, "a", f->a);
	na_put_real(r, x, "b", f->a * ratio);
	na_put_real(r, x, "ratio", f->a > 0 ? ratio : (double)NAN);
	ci = na_put_reals(r, x, "ratio_ci95", 2);
	ci[0] = k == 3 ? (double)NAN : ratio / f->wide;
	ci[1] = ratio * f->wide;
	if (f->equal)
		na_put_real(r, na_put_object(r, x, "at_equal_mix"), "ratio",
			    sqrt(ratio));
	na_put_text(r, x, "verdict", f->few ? NULL : verdicts[(m + k) % 4]);
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *list, *o;

	assert_non_null(r);
	if (f->bare)
		return r;
	na_put_text(r, na_result_body(r), "label_a",
		    f->names ? LONG_NAME : "A");
	na_put_text(r, na_result_body(r), "label_b",
		    f->names ? LONG_NAME : "B");
	list = na_put_list(r, na_result_body(r), "metrics");
	for (size_t m = 0; m < f->metrics; m++) {
		for (size_t k = 0; k < 13; k++)
			put_row(r, list, f, m, k);
	}
	list = na_put_list(r, na_result_body(r), "compared");
	for (size_t m = 0; m < f->metrics; m++) {
		o = na_put_object(r, list, NULL);
		na_put_text(r, o, "name", metrics[m]);
		na_put_text(r, o, "verdict", f->few ? NULL : verdicts[m % 4]);
	}
	o = na_put_object(r, na_result_body(r), "bootstrap");
	na_put_int(r, o, "resamples", 1000);
	na_put_int(r, o, "seed", 1);
	na_result_wordf(r, NA_WORD_MESSAGE, "%s is worse than %s",
			f->names ? LONG_NAME : "B", f->names ? LONG_NAME : "A");
	if (f->empty)
		na_result_word(r, NA_WORD_EMPTY, f->empty);
	assert_true(na_result_ok(r));
	return r;
}

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes = draw_figure("diff", r, page, format, n);

	na_result_free(r);
	return bytes;
}

/* clang-format off */
static const struct fake rows[] = {
	{.metrics = 6, .from = 1.1, .to = 3, .wide = 1.2, .a = 300,
	 .equal = true},
	{.metrics = 6, .from = 1, .to = 1, .wide = 1, .a = 1e9},
	{.metrics = 1, .from = 0.5, .to = 1e-9, .wide = 100, .a = 1e-7},
	{.metrics = 2, .from = 1e-12, .to = 1e12, .wide = 1e9, .a = 1e12},
	{.metrics = 6, .from = 0.9, .to = 1.4, .wide = 1e6, .a = 7,
	 .names = true, .few = true},
	{.metrics = 4, .from = 2, .to = 3, .wide = 1.1, .a = -5},
	{.metrics = 0},
	{.metrics = 0, .empty = "run B holds nothing to compare with run A"},
	{.bare = true},
};
/* clang-format on */
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static char *nth(size_t i, const struct na_page *page, const char *format,
		 size_t *n)
{
	return picture(&rows[i], page, format, n);
}

static void texts(void **state)
{
	(void)state;
	check_pages(nth, ROWS);
}

static void formats(void **state)
{
	(void)state;
	check_formats(nth, ROWS);
}

/* An axis that holds what was found, however wide the intervals are. */
static void ranges(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct na_result *r = make(&rows[i]);
		struct diff_figure f;

		na_diff_read(&f, r);
		assert_int_equal(f.n, rows[i].metrics);
		for (size_t m = 0; m < f.n; m++) {
			const struct diff_series *s = &f.series[m];

			assert_int_equal(s->n, 13);
			assert_true(s->least < 0 && s->most > 0);
			assert_true(s->most - s->least < 32);
			for (size_t k = 0; k < s->n; k++) {
				double x = log(s->points[k].ratio);

				if (isfinite(x) && fabs(x) < 13)
					assert_true(x >= s->least &&
						    x <= s->most);
			}
		}
		assert_int_equal(f.empty != NULL, !rows[i].metrics);
		na_result_free(r);
	}
}

/* What changed stands over the plots: the title has room for whose it is. */
static void title_is_brief(void **state)
{
	const struct na_page page = {.version = "0.1.0"};
	struct na_result *r = make(&rows[0]);
	char *ink;
	size_t n;

	(void)state;
	na_result_word(r, NA_WORD_TITLE, "B is worse");
	ink = draw_figure("diff", r, &page, "ink", &n);
	assert_non_null(strstr(ink, " B is worse\n"));
	assert_null(strstr(ink, " is worse than "));
	assert_non_null(strstr(ink, " p90\n"));
	assert_null(strstr(ink, " 90\n"));
	free(ink);
	na_result_free(r);
}

/* What the colours of the squares mean, of those that are there. */
static void squares_are_told(void **state)
{
	static const char *const told[][2] = {
		{"\narea #d55e00ff ", " B is worse\n"},
		{"\narea #009e73ff ", " B is better\n"},
		{"\narea #e69f00ff ", " changed, neither better nor worse\n"},
		{"\narea #0072b2ff ", " no change shown\n"},
	};
	const struct na_page page = {.version = "0.1.0"};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		size_t n, squares = 0;
		char *ink = picture(&rows[i], &page, "ink", &n);

		for (size_t k = 0; k < 4; k++) {
			size_t there = ink_count(ink, told[k][0]);

			/* One of them is the legend's own. */
			if (there == 1 ||
			    ink_count(ink, told[k][1]) != (there > 0))
				fail_msg("row %zu:%s", i, told[k][1]);
			squares += there;
		}
		assert_true(squares > 1 || i == 5);
		free(ink);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(formats),
		cmocka_unit_test(ranges),
		cmocka_unit_test(title_is_brief),
		cmocka_unit_test(squares_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
