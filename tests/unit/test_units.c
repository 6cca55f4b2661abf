/*
 * Units: what a user types, and how values are printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "netan/base/units.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

static void times_are_read(void **state)
{
	/* clang-format off */
	static const struct { const char *text; bool ok; int64_t ps; } rows[] = {
		{"1.5s", true, 1500000000000}, {"200ms", true, 200000000000},
		{"10us", true, 10000000}, {"10\xc2\xb5s", true, 10000000},
		{"5ns", true, 5000}, {"1ps", true, 1},
		{"2m", true, 120000000000000}, {"1h", true, 3600000000000000},
		{"1.5 s", true, 1500000000000}, {"-3us", true, -3000000},
		{"+3us", true, 3000000}, {"0", true, 0}, {"0.0", true, 0},
		{".5ms", true, 500000000}, {"1.ms", true, 1000000000},
		/* exact where a double is not */
		{"9007199.254740993s", true, 9007199254740993000},
		{"0.4ps", true, 0}, {"0.5ps", true, 1}, {"1.5ps", true, 2},
		{"9223372.036854775807s", true, INT64_MAX},
		{"9223372.036854775808s", false, 0},
		{"99999999999999999999s", false, 0},
		{"1.5", false, 0}, {"", false, 0}, {"s", false, 0},
		{"1 0s", false, 0}, {"1e3s", false, 0}, {"1.5S", false, 0},
		{"1..5s", false, 0}, {"--1s", false, 0}, {"nan", false, 0},
		{"0x1s", false, 0}, {"1sx", false, 0}, {"1,5s", false, 0},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k < N(rows); k++) {
		int64_t ps = 77;

		if (na_parse_time(rows[k].text, &ps) != rows[k].ok ||
		    ps != (rows[k].ok ? rows[k].ps : 77))
			fail_msg("%s: %lld", rows[k].text, (long long)ps);
	}
}

static void bytes_are_read(void **state)
{
	/* clang-format off */
	static const struct { const char *text; bool ok; uint64_t n; } rows[] = {
		{"64KiB", true, 65536}, {"10MB", true, 10000000},
		{"1GiB", true, 1073741824}, {"512B", true, 512},
		{"512", true, 512}, {"1.5KiB", true, 1536}, {"0", true, 0},
		{"1 kB", true, 1000}, {"16EB", false, 0},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"20000PB", false, 0}, {"1.5", false, 0}, {"-1", false, 0},
		{"64kib", false, 0}, {"1K", false, 0}, {"", false, 0},
		{"B", false, 0}, {"1KiBx", false, 0},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k < N(rows); k++) {
		uint64_t n = 77;

		if (na_parse_bytes(rows[k].text, &n) != rows[k].ok ||
		    n != (rows[k].ok ? rows[k].n : 77))
			fail_msg("%s: %llu", rows[k].text,
				 (unsigned long long)n);
	}
}

static void rates_are_read(void **state)
{
	/* clang-format off */
	static const struct { const char *text; double want; } rows[] = {
		{"100Gbps", 100e9}, {"25Gbit/s", 25e9}, {"400Mbps", 400e6},
		{"12.5GB/s", 100e9}, {"1Tbps", 1e12}, {"9600bps", 9600},
		{"1KiB/s", 8192}, {"1kb/s", 1000}, {"0", 0}, {"0Gbps", 0},
		{"2.5 Gbps", 2.5e9},
		{"100", -1}, {"-1Gbps", -1}, {"100GB", -1}, {"Gbps", -1},
		{"100gbps", -1}, {"inf", -1}, {"", -1},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k < N(rows); k++) {
		double got = -1;

		if (na_parse_rate(rows[k].text, &got) != (rows[k].want >= 0) ||
		    fabs(got - rows[k].want) > 0)
			fail_msg("%s: %g", rows[k].text, got);
	}
}

/* Seconds from `date -u -d TEXT +%s`. */
static void dates_are_read(void **state)
{
	/* clang-format off */
	static const struct { const char *text; bool ok; int64_t ns; } rows[] = {
		{"1970-01-01T00:00:00Z", true, 0},
		{"2026-11-20T21:28:00Z", true, 1795210080000000000},
		{"2026-11-20 21:28:00.123456789Z", true,
		 1795210080123456789},
		{"2024-02-29T12:00:00.5Z", true, 1709208000500000000},
		{"1969-12-31T23:59:59Z", true, -1000000000},
		{"2000-03-01T00:00:00 UTC", false, 0},
		{"2023-02-29T12:00:00Z", false, 0},
		{"2026-11-20T21:28:00", false, 0},
		{"2026-13-20T21:28:00Z", false, 0},
		{"2026-00-20T21:28:00Z", false, 0},
		{"2026-11-31T21:28:00Z", false, 0},
		{"2026-11-20T24:00:00Z", false, 0},
		{"2026-11-20T23:60:00Z", false, 0},
		{"2026-11-20T23:00:60Z", false, 0},
		{"2026-11-20T21:28:00+01:00", false, 0},
		{"2026-11-20T21:28:00.Z", false, 0},
		{"9999-01-01T00:00:00Z", false, 0},
		{"26-11-20T21:28:00Z", false, 0}, {"", false, 0},
		{"1.5s", false, 0},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k < N(rows); k++) {
		int64_t ns = 77;

		if (na_parse_utc(rows[k].text, &ns) != rows[k].ok ||
		    ns != (rows[k].ok ? rows[k].ns : 77))
			fail_msg("%s: %lld", rows[k].text, (long long)ns);
	}
}

static void times_are_printed(void **state)
{
	/* clang-format off */
	static const struct { int64_t ps; int digits; const char *want; } rows[] = {
		{0, 3, "0 s"}, {1, 3, "1 ps"}, {999, 3, "999 ps"},
		{12345678, 3, "12.3 us"}, {12345678, 6, "12.3457 us"},
		{999960000, 3, "1 ms"}, {999400000, 3, "999 us"},
		{1500000000000, 3, "1.5 s"}, {-12345678, 3, "-12.3 us"},
		{7200000000000000, 3, "7200 s"}, {INT64_MIN, 3, "-9223372 s"},
		{1000, 3, "1 ns"}, {1004, 3, "1 ns"}, {1006, 3, "1.01 ns"},
	};
	/* clang-format on */
	char buf[NA_UNIT_BUF];

	(void)state;
	for (size_t k = 0; k < N(rows); k++)
		assert_string_equal(na_print_time(buf, rows[k].ps,
						  rows[k].digits),
				    rows[k].want);
}

static void sizes_are_printed(void **state)
{
	char buf[NA_UNIT_BUF];

	(void)state;
	assert_string_equal(na_print_bytes(buf, 65536, 3), "64 KiB");
	assert_string_equal(na_print_bytes(buf, 0, 3), "0 B");
	assert_string_equal(na_print_bytes(buf, 1000, 3), "1000 B");
	assert_string_equal(na_print_bytes(buf, 1023.9 * 1024, 3), "1 MiB");
	assert_string_equal(na_print_bytes(buf, 1.5e18, 3), "1.3 EiB");
	assert_string_equal(na_print_bytes(buf, 1e30, 3), "867361737988 EiB");
	assert_string_equal(na_print_rate(buf, 71.2e9, 3), "71.2 Gbit/s");
	assert_string_equal(na_print_rate(buf, 999.96e6, 3), "1 Gbit/s");
	assert_string_equal(na_print_rate(buf, NAN, 3), "-");
	assert_string_equal(na_print_count(buf, 999), "999");
	assert_string_equal(na_print_count(buf, 1234567), "1\xe2\x80\xaf"
							  "234\xe2\x80\xaf"
							  "567");
	assert_true(strlen(na_print_count(buf, UINT64_MAX)) < NA_UNIT_BUF);
}

static void numbers_are_printed(void **state)
{
	/* clang-format off */
	static const struct { double x; int digits; const char *want; } rows[] = {
		{12346, 3, "12346"}, {12.0, 3, "12.0"}, {9.996, 3, "10.0"},
		{0.0012345, 3, "0.00123"}, {0, 3, "0"}, {-1.005, 2, "-1.0"},
		{1e-20, 3, "1.00e-20"}, {1e20, 3, "1.000000e+20"},
		{NAN, 3, "-"}, {INFINITY, 3, "-"},
	};
	/* clang-format on */
	char buf[NA_UNIT_BUF];

	(void)state;
	for (size_t k = 0; k < N(rows); k++)
		assert_string_equal(na_print_number(buf, rows[k].x,
						    rows[k].digits),
				    rows[k].want);
	assert_string_equal(na_print_fixed(buf, 2.345, 2), "2.35");
	assert_string_equal(na_print_fixed(buf, -0.001, 2), "0.00");
	assert_string_equal(na_print_percent(buf, 1), "100");
	assert_string_equal(na_print_percent(buf, 0.99986), "over 99.9");
	assert_string_equal(na_print_percent(buf, 0.527), "52.7");
	assert_string_equal(na_print_percent(buf, 0), "0");
	assert_string_equal(na_print_times(buf, 1.5312, 3), "1.53x");
	assert_string_equal(na_print_times(buf, 0.0036, 3), "0.00360x");
	assert_string_equal(na_print_times(buf, NAN, 3), "-");
	assert_string_equal(na_print_chance(buf, 0), "below 1e-20");
	assert_string_equal(na_print_chance(buf, 1e-21), "below 1e-20");
	assert_string_equal(na_print_chance(buf, 1.44e-17), "1.4e-17");
	assert_string_equal(na_print_chance(buf, 4.8e-7), "4.8e-07");
	assert_string_equal(na_print_chance(buf, 0.0123), "0.012");
	assert_string_equal(na_print_chance(buf, NAN), "-");
	assert_string_equal(na_print_fixed(buf, NAN, 2), "-");
}

static void instants_are_printed(void **state)
{
	char buf[NA_UNIT_BUF];

	(void)state;
	assert_string_equal(na_print_utc(buf, 1795210080123456789),
			    "2026-11-20 21:28:00.123 UTC");
	assert_string_equal(na_print_utc(buf, -1),
			    "1969-12-31 23:59:59.999 UTC");
	assert_string_equal(na_print_utc(buf, INT64_MIN),
			    "1677-09-21 00:12:43.145 UTC");
	assert_string_equal(na_print_utc(buf, INT64_MAX),
			    "2262-04-11 23:47:16.854 UTC");
}

static void doubles_read_back(void **state)
{
	/* clang-format off */
	static const struct { double x; const char *want; } rows[] = {
		{0.1, "0.1"}, {0.1 + 0.2, "0.30000000000000004"},
		{1, "1"}, {-1, "-1"}, {0, "0"}, {-0.0, "-0"},
		{1e15, "1e+15"}, {123456789012345, "123456789012345"},
		{5e-324, "5e-324"}, {1.7976931348623157e308,
		 "1.7976931348623157e+308"}, {1e22, "1e+22"},
		{2.5, "2.5"}, {1.0 / 3, "0.3333333333333333"},
	};
	/* clang-format on */
	uint64_t bits = 88172645463325252u;
	char buf[NA_UNIT_BUF];

	(void)state;
	for (size_t k = 0; k < N(rows); k++)
		assert_string_equal(na_print_double(buf, rows[k].x),
				    rows[k].want);
	for (int k = 0; k < 20000; k++) {
		double x, back;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&x, &bits, sizeof(x));
		if (!isfinite(x))
			continue;
		back = strtod(na_print_double(buf, x), NULL);
		assert_memory_equal(&x, &back, sizeof(x));
		assert_true(strlen(buf) < NA_UNIT_BUF);
	}
}

/* A comma is the decimal point of this locale; where it is missing, the
 * test says nothing. */
static void locale_does_not_matter(void **state)
{
	char buf[NA_UNIT_BUF];
	int64_t ps;

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		puts("skip: the locale de_DE.UTF-8 is not installed");
		skip();
	}
	assert_string_equal(na_print_double(buf, 0.5), "0.5");
	assert_string_equal(na_print_fixed(buf, 0.5, 2), "0.50");
	assert_string_equal(na_print_time(buf, 1500, 3), "1.5 ns");
	assert_true(na_parse_time("1.5ns", &ps));
	assert_int_equal(ps, 1500);
	setlocale(LC_ALL, "C");
}

static void overflow_is_seen(void **state)
{
	int64_t v = 7;

	(void)state;
	assert_true(na_add_i64(INT64_MAX - 1, 1, &v));
	assert_true(v == INT64_MAX);
	assert_false(na_add_i64(INT64_MAX, 1, &v));
	assert_false(na_add_i64(INT64_MIN, -1, &v));
	assert_true(v == INT64_MAX);
	assert_true(na_mul_i64(-3, 4, &v));
	assert_int_equal(v, -12);
	assert_false(na_mul_i64(INT64_MAX, 2, &v));
	assert_false(na_mul_i64(INT64_MIN, -1, &v));
	assert_int_equal(v, -12);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(bytes_are_read),
		cmocka_unit_test(rates_are_read),
		cmocka_unit_test(dates_are_read),
		cmocka_unit_test(times_are_printed),
		cmocka_unit_test(sizes_are_printed),
		cmocka_unit_test(numbers_are_printed),
		cmocka_unit_test(instants_are_printed),
		cmocka_unit_test(doubles_read_back),
		cmocka_unit_test(locale_does_not_matter),
		cmocka_unit_test(overflow_is_seen),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
