/*
 * Growable arrays, sort keys, bounds, and text put together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

struct item {
	uint32_t a;
	double b;
	const char *name;
};

static void arrays_grow(void **state)
{
	NA_VEC(struct item) items = {0};
	struct item *x;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(na_add(&items, ((struct item){.a = i, .b = 1})));
	assert_int_equal(items.n, 1000);
	assert_true(items.cap >= 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items.v[i].a, i);
	items.n = 500;
	x = na_push(&items);
	assert_true(x == &items.v[500] && items.n == 501);
	assert_true(x->a == 0 && x->b == 0 && !x->name);
	na_vec_free(&items);
	assert_true(!items.v && !items.n && !items.cap);
}

static void a_size_that_overflows_is_refused(void **state)
{
	NA_VEC(struct item) items = {0};

	(void)state;
	assert_true(na_add(&items, ((struct item){.a = 7})));
	assert_false(na_room(&items, SIZE_MAX / 16));
	assert_int_equal(items.v[0].a, 7);
	assert_int_equal(items.n, 1);
	na_vec_free(&items);
	assert_null(na_calloc(SIZE_MAX / 2, 3));
}

NA_ORDER(by_a, struct item, NA_UP(a))
NA_ORDER(by_all, struct item, NA_DOWN(a), NA_UP(b),
	 na_natural_order(x->name, y->name))

static void keys_decide_in_turn(void **state)
{
	struct item v[] = {{1, 2, "x10"}, {3, 1, "y"}, {1, 2, "x9"},
			   {1, -1, "z"},  {3, 1, "a"}, {2, 0, "b"}};
	static const char *const want[] = {"a", "y", "b", "z", "x9", "x10"};

	(void)state;
	na_sort(v, N(v), by_all);
	for (size_t i = 0; i < N(v); i++)
		assert_string_equal(v[i].name, want[i]);
	na_sort(v, N(v), by_a);
	for (size_t i = 1; i < N(v); i++)
		assert_true(v[i - 1].a <= v[i].a);
	na_sort((struct item *)NULL, 0, by_a);
	assert_int_equal(NA_CMP(NAN, 1.0), 0);
	assert_int_equal(NA_THEN(0, 0, 0, 0, 0, -3), -3);
	assert_int_equal(NA_THEN(0, 2, 0, 0, 1 / 1), 2);
}

static void plain_values_ascend(void **state)
{
	int32_t a[] = {3, -1, INT32_MIN, INT32_MAX};
	uint32_t b[] = {3, UINT32_MAX, 0};
	int64_t c[] = {INT64_MAX, -5, INT64_MIN};
	double d[] = {1e300, -INFINITY, 0.5};
	const char *e[] = {"b", "", "ab"};

	(void)state;
	na_sort(a, N(a), na_order_i32);
	assert_true(a[0] == INT32_MIN && a[1] == -1 && a[3] == INT32_MAX);
	na_sort(b, N(b), na_order_u32);
	assert_true(b[0] == 0 && b[1] == 3 && b[2] == UINT32_MAX);
	na_sort(c, N(c), na_order_i64);
	assert_true(c[0] == INT64_MIN && c[1] == -5 && c[2] == INT64_MAX);
	na_sort(d, N(d), na_order_f64);
	assert_true(isinf(d[0]) && d[1] > 0 && d[2] > 1);
	na_sort(e, N(e), na_order_text);
	assert_string_equal(e[0], "");
	assert_string_equal(e[1], "ab");
}

static void bounds_are_first_places(void **state)
{
	static const int64_t v[] = {-4, 1, 1, 1, 6};

	(void)state;
	for (int64_t x = -6; x < 9; x++) {
		size_t lower = 0, upper = 0;

		while (lower < N(v) && v[lower] < x)
			lower++;
		while (upper < N(v) && v[upper] <= x)
			upper++;
		assert_int_equal(NA_BOUND(i, 0, N(v), v[i] >= x), lower);
		assert_int_equal(NA_BOUND(i, 0, N(v), v[i] > x), upper);
	}
	assert_int_equal(NA_BOUND(i, 3, 3, v[i] > 0), 3);
	assert_int_equal(NA_BOUND(i, 2, 4, v[i] > 1), 4);
}

static void text_grows_or_is_cut(void **state)
{
	char buf[10];
	struct na_str fixed = na_str_over(buf, sizeof(buf)), grown = {0};

	(void)state;
	assert_string_equal(buf, "");
	na_str_addf(&fixed, "%s", "12345");
	na_str_join(&fixed, ", ", "%d", 6789);
	na_str_addf(&fixed, "%s", "more");
	assert_string_equal(buf, "12345, 67");
	assert_int_equal(fixed.n, 9);
	for (int i = 0; i < 300; i++)
		na_str_join(&grown, ", ", "%03d", i);
	assert_false(grown.failed);
	assert_int_equal(grown.n, strlen(grown.s));
	assert_int_equal(grown.n, 300 * 3 + 299 * 2);
	assert_memory_equal(grown.s, "000, 001, ", 10);
	free(grown.s);
}

static void nouns_follow_their_counts(void **state)
{
	char buf[NA_COUNT_BUF];

	(void)state;
	assert_string_equal(na_count_of(buf, 0, "host"), "0 hosts");
	assert_string_equal(na_count_of(buf, 1, "host"), "1 host");
	assert_string_equal(na_count_of(buf, 12, "host"), "12 hosts");
	assert_string_equal(na_plural(1), "");
	assert_string_equal(na_plural(2), "s");
}

static void words_of_a_schema(void **state)
{
	char buf[12];

	(void)state;
	assert_string_equal(na_print_words(buf, sizeof(buf), "few_large"),
			    "few large");
	assert_string_equal(na_print_words(buf, sizeof(buf), "late"), "late");
	assert_string_equal(na_print_words(buf, sizeof(buf), "rack_downlink"),
			    "rack downli");
}

static void times_become_larger_units(void **state)
{
	(void)state;
	assert_true(na_s(INT64_C(1500000000000)) == 1.5);
	assert_true(na_ms(INT64_C(1500000000)) == 1.5);
	assert_true(na_us((na_i128)1500000) == 1.5);
	assert_true(na_ns(1500u) == 1.5);
	assert_int_equal(na_ps_of_s(1.5), INT64_C(1500000000000));
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_grow),
		cmocka_unit_test(a_size_that_overflows_is_refused),
		cmocka_unit_test(keys_decide_in_turn),
		cmocka_unit_test(plain_values_ascend),
		cmocka_unit_test(bounds_are_first_places),
		cmocka_unit_test(text_grows_or_is_cut),
		cmocka_unit_test(nouns_follow_their_counts),
		cmocka_unit_test(words_of_a_schema),
		cmocka_unit_test(times_become_larger_units),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
