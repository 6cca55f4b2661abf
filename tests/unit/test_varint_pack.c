/* Numbers in few bytes read as they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "netan/base/varint_pack.h"

#define WIDE_MAX ((na_i128)(~(unsigned __int128)0 >> 1))

/* `bytes`: at most. */
static const struct {
	uint64_t is;
	size_t bytes;
} numbers[] = {
	{0, 1},
	{127, 1},
	{128, 2},
	{UINT32_MAX, 5},
	{UINT64_MAX - 1, 10},
	{UINT64_MAX, 10},
};

static const int64_t sides[] = {0,         -1,           1,
				-64,       INT64_MAX,    INT64_MIN,
				INT64_MIN + 1};

static const struct {
	double is;
	size_t bytes;
} reals[] = {
	{0, 1},           {-0.0, 9},        {9, 2},         {-3, 2},
	{8.999, 4},       {0.000001, 1},    {1e-12, 1},     {1e300, 9},
	{4294967296.0, 9}, {1 / 3.0, 9},    {INFINITY, 9},  {-INFINITY, 9},
	{NAN, 9},         {5e-324, 9},
};

static void whole_numbers(void **state)
{
	struct na_varint_pack b = {.failed = false};
	const uint8_t *p;

	(void)state;
	for (size_t i = 0; i < NA_LEN(numbers); i++) {
		size_t before = b.is.n;

		na_varint_put_number(&b, numbers[i].is);
		assert_in_range(b.is.n - before, 1, numbers[i].bytes);
	}
	for (size_t i = 0; i < NA_LEN(sides); i++)
		na_varint_put_number(&b, na_varint_folded(sides[i]));
	assert_false(b.failed);
	p = b.is.v;
	for (size_t i = 0; i < NA_LEN(numbers); i++)
		assert_true(na_varint_number(&p) == numbers[i].is);
	for (size_t i = 0; i < NA_LEN(sides); i++)
		assert_true(na_varint_unfolded(na_varint_number(&p)) ==
			    sides[i]);
	assert_ptr_equal(p, b.is.v + b.is.n);
	na_vec_free(&b.is);
}

static void wide_numbers(void **state)
{
	const na_i128 two62 = (na_i128)1 << 62;
	const na_i128 wide[] = {0,
				-1,
				1000,
				two62 - 1,
				two62,
				-two62,
				-two62 - 1,
				INT64_MAX,
				INT64_MIN,
				(na_i128)INT64_MAX + 1,
				(na_i128)INT64_MIN - 1,
				(na_i128)UINT64_MAX,
				(na_i128)1 << 64,
				WIDE_MAX,
				-WIDE_MAX - 1};
	struct na_varint_pack b = {.failed = false};
	const uint8_t *p;

	(void)state;
	for (size_t i = 0; i < NA_LEN(wide); i++)
		na_varint_put_wide(&b, wide[i]);
	p = b.is.v;
	for (size_t i = 0; i < NA_LEN(wide); i++)
		assert_true(na_varint_wide(&p) == wide[i]);
	assert_ptr_equal(p, b.is.v + b.is.n);
	na_vec_free(&b.is);
}

static void real_numbers(void **state)
{
	struct na_varint_pack b = {.failed = false};
	const uint8_t *p;

	(void)state;
	for (size_t i = 0; i < NA_LEN(reals); i++) {
		size_t before = b.is.n;

		na_varint_put_real(&b, reals[i].is);
		assert_in_range(b.is.n - before, 1, reals[i].bytes);
	}
	p = b.is.v;
	for (size_t i = 0; i < NA_LEN(reals); i++) {
		double x = na_varint_real(&p);

		assert_memory_equal(&x, &reals[i].is, sizeof(x));
	}
	assert_ptr_equal(p, b.is.v + b.is.n);
	na_vec_free(&b.is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(wide_numbers),
		cmocka_unit_test(real_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
