/*
 * Lists of ranks in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "netan/base/ranges.h"
#include "netan/base/vec.h"

static void lists_are_folded(void **state)
{
	static const struct {
		const char *list, *want;
	} rows[] = {
		{"0", "0"},
		{"0,1", "0 and 1"},
		{"0,1,2", "0-2"},
		{"4,5,6,7", "4-7"},
		{"3,5,6,7,8,12", "3, 5-8 and 12"},
		{"0,1,2,3,8,9,10,11", "0-3 and 8-11"},
		{"3,2,1", "3, 2 and 1"},
		{"0,2,4,6,8,10,12,14,16,18,20,22,24,26",
		 "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 2 more"},
		{"999999998,999999999", "999999998 and 999999999"},
		/* Those that are none stay as they are. */
		{"", ""},
		{",", ","},
		{"1,", "1,"},
		{",1", ",1"},
		{"1,,2", "1,,2"},
		{"1, 2", "1, 2"},
		{"0->4", "0->4"},
		{"-1,2", "-1,2"},
		{"9999999999", "9999999999"},
		{"TENSOR_PARALLEL", "TENSOR_PARALLEL"},
	};
	char buf[100];

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++)
		assert_string_equal(na_ranges_of(rows[i].list, buf,
						 sizeof(buf)),
				    rows[i].want);
}

static void what_does_not_fit_is_cut(void **state)
{
	static const int32_t v[] = {1, 3, 5, 7};
	char buf[6];

	(void)state;
	na_ranges_text(v, NA_LEN(v), buf, sizeof(buf));
	assert_string_equal(buf, "1, 3,");
	na_ranges_text(v, 0, buf, sizeof(buf));
	assert_string_equal(buf, "");
	na_ranges_text((const int32_t[]){INT32_MAX - 1, INT32_MAX}, 2, buf, 1);
	assert_string_equal(buf, "");
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_folded),
		cmocka_unit_test(what_does_not_fit_is_cut),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
