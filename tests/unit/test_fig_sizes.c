/*
 * The picture of sizes, from results as no run would make them.
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
#include "plot/figures/sizes_data.h"
#include "tests/unit/ink.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define KIB         1024
#define MIB         (1024 * 1024)

enum { MOST = 3000 };

/* Sizes from `first` on, each `times` the one before, plus `more`. */
struct fake {
	size_t sizes, groups, rest; /* groups 0: not grouped */
	int64_t first, more, count, small;
	double times;
	bool apart;
	const char *name, *verdict, *doubt;
};

static const char *const fields[] = {"bytes", "count", NULL};

static void put_group(struct na_result *r, struct na_value *list,
		      const struct fake *f, size_t i, bool rest)
{
	struct na_value *row = na_put_object(r, list, NULL);
	struct na_value *key = na_put_object(r, row, "key");
	int64_t *cells = malloc(2 * MOST * sizeof(*cells));
	double size = (double)f->first;

	assert_non_null(cells);
	na_result_adopt(r, cells);
	if (f->groups && rest)
		na_put_text(r, key, "label", "rest");
	else if (f->groups)
		na_put_textf(r, key, "label", "%s %zu", f->name ? f->name : "g",
			     i);
	for (size_t k = 0; k < f->sizes; k++) {
		cells[2 * k] = (int64_t)size;
		cells[2 * k + 1] = f->count + (int64_t)(k * (i + 3) % 7);
		size = size * f->times + (double)f->more;
	}
	na_put_rows(r, row, "distinct", fields, cells, f->sizes);
	if (f->sizes)
		na_put_int(r, row, "half_bytes_size",
			   cells[2 * (f->sizes - 1)]);
	else
		na_put_null(r, row, "half_bytes_size");
}

static struct na_result *make(const struct fake *f)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *list, *total;

	assert_non_null(r);
	list = na_put_list(r, body, "groups");
	for (size_t i = 0; i < f->groups + !f->groups; i++)
		put_group(r, list, f, i, false);
	for (size_t i = 0; i < f->rest; i++)
		put_group(r, list, f, i, true);
	na_put_text(r, body, "verdict", f->verdict);
	na_put_int(r, body, "small_limit_bytes", f->small);
	total = na_put_object(r, body, "total");
	na_put_real(r, total, "small_count_share", 0.123456789);
	na_put_real(r, total, "small_bytes_share", NAN);
	na_put_int(r, total, "half_bytes_size", f->first);
	na_result_about(r)->runs_apart = f->apart;
	na_result_word(
		r, NA_WORD_MESSAGE,
		"Many small transfers: 83 % are at most 64 KiB, and they "
		"take 41 % of the time on the wire");
	assert_true(na_result_ok(r));
	return r;
}

static char *picture(const struct fake *f, const struct na_page *page,
		     const char *format, size_t *n)
{
	struct na_result *r = make(f);
	char *bytes;

	if (f->doubt)
		na_result_word(r, NA_WORD_DOUBT, f->doubt);
	bytes = draw_figure("sizes", r, page, format, n);

	na_result_free(r);
	return bytes;
}

#define LONG "a-name-that-does-not-end-europe-west4-b-0001-abcdefgh-\xff<&\x1b"

/* clang-format off */
static const struct fake rows[] = {
	{.sizes = 0, .small = 64 * KIB},
	{.sizes = 1, .first = 4096, .times = 2, .count = 1, .small = 64 * KIB,
	 .verdict = "many_small"},
	{.sizes = 1, .first = 0, .times = 2, .count = 9, .small = 0},
	{.sizes = 7, .first = 64 * KIB, .times = 2, .count = 500,
	 .small = 64 * KIB, .verdict = "few_large"},
	{.sizes = 63, .first = 0, .more = 1, .times = 2, .count = 3000000,
	 .small = MIB},
	{.sizes = 3000, .first = 3, .times = 1.01, .more = 1, .count = 1000,
	 .small = 64 * KIB, .verdict = "many_small"},
	{.sizes = 2, .first = INT64_MAX / 4, .times = 2, .count = INT64_MAX / 9,
	 .small = 1},
	{.sizes = 4, .first = KIB, .times = 10, .count = 20, .groups = 3,
	 .small = 64 * KIB, .apart = true, .name = "run"},
	{.sizes = 40, .first = KIB, .times = 1.3, .count = 20, .groups = 64,
	 .rest = 1, .small = 64 * KIB, .name = LONG LONG},
	{.sizes = 5, .first = KIB, .times = 3, .count = 20, .groups = 2,
	 .rest = 1, .small = 64 * KIB},
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

/* What the slots hold adds up to what the groups hold. */
static void nothing_is_lost(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct na_result *r = make(&rows[i]);
		struct size_figure *f = calloc(1, sizeof(*f));
		const struct na_value *list = na_get(na_result_body(r),
						     "groups");
		double want = 0, got = 0;

		assert_non_null(f);
		for (const struct na_value *g = list->u.of.first; g;
		     g = g->next) {
			size_t n;
			const int64_t *cell = na_rows_of(na_get(g, "distinct"),
							 &n);

			for (; n; n--, cell += 2)
				want += (double)cell[1];
		}
		na_sizes_read(f, r);
		for (size_t s = 0; s < f->n_series; s++) {
			for (size_t k = 0; k < f->n_slots; k++)
				got += f->series[s].of[COUNT][k];
		}
		assert_true(fabs(got - want) <= 1e-12 * want);
		assert_int_equal(f->empty != NULL, rows[i].sizes == 0);
		for (size_t k = 1; k < f->n_slots; k++)
			assert_true(f->slots[k].from >= f->slots[k - 1].to);
		free(f);
		na_result_free(r);
	}
}

/* A verdict that tells nothing has not the colour of a finding. */
static void doubt(void **state)
{
	const struct na_page page = {.version = "0.1.0"};
	struct fake f = rows[1];
	char *ink;
	size_t n;

	(void)state;
	ink = picture(&f, &page, "ink", &n);
	assert_non_null(strstr(ink, "\narea #d55e00ff "));
	free(ink);
	f.doubt = "too few to judge by";
	ink = picture(&f, &page, "ink", &n);
	assert_null(strstr(ink, "#d55e00ff"));
	assert_non_null(strstr(ink, "\narea #e69f00ff "));
	free(ink);
}

/* 64 KiB exactly is small: its bar stands before the limit. */
static void boundary(void **state)
{
	const struct na_page page = {.version = "0.1.0"};
	char *ink, *p;
	double x[4], limit = 0, bar = 0;
	size_t n;

	(void)state;
	ink = picture(&rows[3], &page, "ink", &n);
	for (p = ink; (p = strstr(p, "\narea #e69f00ff ")); p++) {
		assert_int_equal(
			sscanf(p, "\narea %*s %lf,%*f %lf,%*f %lf,%*f %lf",
			       &x[0], &x[1], &x[2], &x[3]),
			4);
		for (size_t i = 0; i < 4; i++)
			bar = fmax(bar, x[i]);
	}
	p = strstr(ink, "\nline #3d444dff ");
	assert_non_null(p);
	assert_int_equal(sscanf(p, "\nline %*s %*s dash %lf", &limit), 1);
	assert_true(bar > 0 && bar < limit);
	free(ink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(every_format),
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(doubt),
		cmocka_unit_test(boundary),
	};

	return cmocka_run_group_tests_name("fig_sizes", tests, NULL, NULL);
}
