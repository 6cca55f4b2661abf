/* The picture of pending counts: labels never touch, nothing is lost. */
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
	"gke-tpu-\xe2\x80\xae\x1b[31m<b>&\"\xff pool-that-does-not-" \
	"end-europe-west4-b-0001-abcdefgh-"

/* What a run may have found. */
struct found {
	size_t bins;
	double bin_s, from_s, top;
	int steps, groups;
	int64_t bursts, bursts_total;
	bool apart, names, long_words, noisy;
	const char *empty;
};

static void put_course(struct na_result *r, struct na_value *in,
		       const char *name, const struct found *f, double share)
{
	double *x = na_put_reals(r, in, name, f->bins);
	unsigned seed = 7;

	for (size_t i = 0; i < f->bins; i++) {
		seed = seed * 1664525U + 1013904223U;
		x[i] = f->top * share *
		       (f->noisy ? (seed >> 8) / 16777216.0
				 : (double)(i % 10) / 9);
	}
}

static void put_pending(struct na_result *r, struct na_value *in, double top)
{
	struct na_value *o = na_put_object(r, in, "pending");

	na_put_real(r, o, "time_mean", top / 3);
	na_put_real(r, o, "p50", floor(top / 2));
	na_put_real(r, o, "p90", floor(top * .9));
	na_put_real(r, o, "p99", floor(top * .95));
	na_put_real(r, o, "max", top);
	na_put_real(r, o, "idle_share", 0.123456);
}

static void put_lists(struct na_result *r, const struct found *f)
{
	struct na_value *body = na_result_body(r), *list, *o;
	double span = f->bin_s * (double)f->bins;

	list = na_put_list(r, body, "dispersion");
	for (int i = 0; i < 4; i++) {
		o = na_put_object(r, list, NULL);
		na_put_int(r, o, "window_ms", (int64_t)pow(10, i));
		na_put_real(r, o, "idc", i < 3 ? 1234.5678 / (i + 1) : NAN);
	}
	list = na_put_list(r, body, "bursts");
	for (int64_t i = 0; i < f->bursts; i++) {
		double at = f->from_s + span * (double)i / (double)f->bursts;

		o = na_put_object(r, list, NULL);
		na_put_real(r, o, "from_s", at);
		na_put_real(r, o, "to_s", at + span / (double)f->bursts / 2);
	}
	na_put_int(r, body, "bursts_total", f->bursts_total);
	list = na_put_list(r, body, "levels");
	for (int i = 0; f->top > 0 && i < 11; i++) {
		double width = fmax(floor(f->top / 10), 1);

		o = na_put_object(r, list, NULL);
		na_put_real(r, o, "from", i ? 1 + (i - 1) * width : 0);
		na_put_real(r, o, "to", i ? 1 + i * width : 1);
		na_put_real(r, o, "share", 1. / 11);
	}
	list = na_put_list(r, body, "steps");
	for (int i = 0; i < f->steps; i++) {
		o = na_put_object(r, list, NULL);
		na_put_int(r, o, "step", 100 + i);
		na_put_real(r, o, "from_s", f->from_s + span * i / f->steps);
	}
}

static void put_groups(struct na_result *r, const struct found *f)
{
	struct na_value *list = na_put_list(r, na_result_body(r), "groups");

	for (int i = 0; i < f->groups; i++) {
		struct na_value *o = na_put_object(r, list, NULL), *key;
		char name[300];

		key = na_put_object(r, o, "key");
		snprintf(name, sizeof(name), "%s%d",
			 f->names ? LONG_NAME : "group-", i);
		na_put_text(r, key, "collective", name);
		put_pending(r, o, f->top / (i + 1));
		put_course(r, o, "pending_mean", f, 1. / (i + 1));
	}
}

static void put_envelope(struct na_result *r, const struct found *f)
{
	struct na_value *doc = na_result_doc(r), *o;

	o = na_put_object(r, na_put_list(r, doc, "inputs"), NULL);
	na_put_text(r, o, "path", f->names ? LONG_NAME LONG_NAME : "a.pb");
	na_put_int(r, doc, "origin_unix_ns", INT64_C(1795123680123000000));
	na_put_real(r, doc, "duration_s", (double)f->bins * f->bin_s);
	o = na_put_object(r, doc, "coverage");
	na_put_int(r, o, "used", 120034);
	o = na_put_object(r, o, "left_out");
	na_put_int(r, o, "loopback", 3000);
	if (f->apart)
		na_result_about(r)->runs_apart = true;
	if (f->empty)
		na_result_word(r, NA_WORD_EMPTY, f->empty);
}

static struct na_result *result_of(const struct found *f)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	double *t;

	put_envelope(r, f);
	na_put_text(r, body, "pending_of", "collectives");
	put_pending(r, body, f->top);
	na_put_real(r, body, "burstiness", 0.456789);
	na_put_real(r, body, "burst_period_ms", 12.3456);
	na_put_real(r, body, "step_period_ms", 12.4567);
	na_put_real(r, body, "burst_share", 0.34567);
	put_lists(r, f);
	if (f->groups)
		put_groups(r, f);
	na_put_real(r, body, "bin_s", f->bin_s);
	t = na_put_reals(r, body, "time_s", f->bins);
	for (size_t i = 0; i < f->bins; i++)
		t[i] = f->from_s + f->bin_s * (double)i;
	put_course(r, body, "pending_mean", f, .6);
	put_course(r, body, "pending_min", f, .2);
	put_course(r, body, "pending_max", f, 1);
	if (f->long_words)
		na_result_word(r, NA_WORD_MESSAGE,
			       LONG_NAME LONG_NAME LONG_NAME);
	return r;
}

static char *picture(const struct found *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = result_of(f);
	char *bytes = draw_figure("bursts", r, page, format, n);

	na_result_free(r);
	return bytes;
}

#define TYPICAL \
	.bins = 500, .bin_s = 0.001, .top = 16, .steps = 10, .bursts = 40, \
	.bursts_total = 40

/* clang-format off */
static const struct found rows[] = {
	{TYPICAL},
	{TYPICAL, .groups = 4},
	{TYPICAL, .groups = 64, .names = true, .long_words = true},
	{TYPICAL, .groups = 2, .apart = true},
	{TYPICAL, .groups = 9, .apart = true, .names = true},
	{.bins = 1, .bin_s = 1e-6, .top = 1, .bursts = 1, .bursts_total = 1},
	{.bins = 1200, .bin_s = 1e-12, .from_s = 86399.5, .top = 1e7,
	 .bursts = 1000, .bursts_total = 1234567, .noisy = true},
	{.bins = 900, .bin_s = 3600, .from_s = -9e6, .top = 1, .steps = 3000,
	 .groups = 7},
	{.bins = 3, .bin_s = 1e-3, .top = 2, .steps = 1},
	{.bins = 50, .bin_s = 0.01, .top = 0, .steps = 3},
	{.bins = 0, .bin_s = 0.01, .top = 0,
	 .empty = "No transfer was found: record the trace with the host "
		  "tracer on, and look for the lines that it names."},
	{.bins = 0},
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

static const struct na_page plain = {.version = "0.1.0"};

static void says_what_it_shows(void **state)
{
	struct found f = {TYPICAL, .groups = 7};
	size_t n;
	char *ink = picture(&f, &plain, "ink", &n);

	(void)state;
	assert_non_null(strstr(ink, " Pending collectives\n"));
	assert_non_null(strstr(ink, "burstiness 0.46"));
	assert_non_null(strstr(ink, " max 16\n"));
	assert_non_null(strstr(ink, " p50 8\n"));
	assert_non_null(strstr(ink, " and 1 more\n"));
	assert_non_null(strstr(ink, "bin 1 ms: the line is its mean, the band "
				    "its least to most"));
	assert_null(strstr(ink, "longest of"));
	free(ink);
	f.bursts_total = 5000;
	ink = picture(&f, &plain, "ink", &n);
	assert_non_null(strstr(ink, "strip: the 40 longest of 5"));
	free(ink);
	ink = picture(&rows[9], &plain, "ink", &n);
	assert_non_null(strstr(ink, "Nothing was pending for any time here."));
	free(ink);
}

static void small_whatever_the_data(void **state)
{
	struct found f = {.bins = 1 << 16,
			  .bin_s = 1e-4,
			  .top = 1e6,
			  .steps = 5000,
			  .groups = 64,
			  .bursts = 65536,
			  .bursts_total = 65536,
			  .noisy = true};
	char *a, *b;
	size_t n, m;

	(void)state;
	a = picture(&f, &plain, "svg", &n);
	b = picture(&f, &plain, "svg", &m);
	assert_true(n < 1 << 20);
	assert_true(n == m && memcmp(a, b, n) == 0);
	free(a);
	free(b);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(says_what_it_shows),
		cmocka_unit_test(small_whatever_the_data),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
