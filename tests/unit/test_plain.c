/* Named values in words: the unit is at the end of the name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "netan/result/plain.h"

static void reads(const char *name, double x, const char *words,
		  const char *value)
{
	char buf[NA_PLAIN_BUF];

	assert_string_equal(na_plain_name(buf, name), words);
	assert_string_equal(na_plain_real(buf, name, x), value);
}

static void test_units(void **state)
{
	(void)state;
	reads("total_stall_s", 0.0241, "total stall", "24.1 ms");
	reads("slack_us", 4889, "slack", "4.89 ms");
	reads("p99_9_us", 509e3, "p99.9", "509 ms");
	reads("longest_ms", 0.15, "longest", "150 us");
	reads("gap_ns", -3, "gap", "-3 ns");
	reads("required_gbps", 96.14, "required", "96.1 Gbit/s");
	reads("max_bytes", 65536, "max bytes", "64 KiB");
	reads("bytes", 512, "bytes", "512 B");
	reads("stall_share", 0.3791, "stall share", "37.9 %");
	reads("excess", 3.871, "excess", "3.87");
	reads("n_threads", 4, "threads", "4.00");
	reads(NULL, 1.5, "", "1.50");
}

static void test_ends_of_range(void **state)
{
	char buf[NA_PLAIN_BUF], name[300];

	(void)state;
	reads("p_value", 1.0834e-283, "p value", "below 1e-20");
	reads("p_value", 0, "p value", "below 1e-20");
	reads("p_value", 5.9604644775390625e-08, "p value", "6.0e-08");
	reads("q_value", 0.012, "p value, corrected", "0.012");
	reads("shift", -9.999e-4, "shift", "-1.00e-03");
	reads("least", 9e-324, "least", "9.88e-324");
	reads("age_s", 2e7, "age", "20000000 s"); /* beyond int64_t ps */
	reads("age_s", NAN, "age", "-");
	reads("rate_gbps", INFINITY, "rate", "-");
	reads("small_share", 1e308, "small share", "-");
	reads("_s", 1, " s", "1.00");
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(strlen(na_plain_name(buf, name)), NA_PLAIN_BUF - 1);
	for (double x = 1e-320; x < 1e308; x *= 1e7)
		assert_true(strlen(na_plain_real(buf, "x_gbps", x)) <
			    NA_PLAIN_BUF);
}

static void test_numbers(void **state)
{
	const struct na_value count = {.kind = NA_V_INT,
				       .name = "transfers",
				       .u.i = 4752};
	const struct na_value bytes = {.kind = NA_V_INT,
				       .name = "bytes",
				       .u.i = 58720256};
	const struct na_value less = {.kind = NA_V_INT,
				      .name = "shift",
				      .u.i = -3};
	char buf[NA_PLAIN_BUF];

	(void)state;
	assert_string_equal(na_plain_number(buf, &count), "4\u202f752");
	assert_string_equal(na_plain_number(buf, &bytes), "56 MiB");
	assert_string_equal(na_plain_number(buf, &less), "-3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_ends_of_range),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
