/* Values of metrics reports: durations against an independent printer of the
 * documented rule. */
#include "ingest/logs/xla_value.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/synth/rng.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { UNITS = 6 };

static const int64_t unit_ns[UNITS] = {
	INT64_C(86400000000000), INT64_C(3600000000000), INT64_C(60000000000),
	INT64_C(1000000000),     INT64_C(1000000),       INT64_C(1000)};
static const char *const unit_name[UNITS] = {"d", "h", "m", "s", "ms", "us"};
static const int unit_width[UNITS] = {2, 2, 2, 2, 3, 7};

/* a / b, rounded to nearest, a half to even. */
static int64_t nearest(int64_t a, int64_t b)
{
	int64_t q = a / b, twice = 2 * (a % b);

	return q + (twice > b || (twice == b && q % 2));
}

/* In integers: what is left goes on from the floor, what is printed is the
 * nearest.  *tie: one of the units stood at a half. */
static void print(int64_t ns, bool padded, char *out, size_t size, bool *tie)
{
	size_t n = 0;
	bool begun = false;

	*tie = false;
	*out = 0;
	for (int u = 0; u < UNITS; u++) {
		if (u == UNITS - 1) {
			snprintf(out + n, size - n,
				 padded ? "%03" PRId64 ".%03" PRId64 "us"
					: "%" PRId64 ".%03" PRId64 "us",
				 ns / 1000, ns % 1000);
			return;
		}
		if (ns >= unit_ns[u] || begun) {
			begun = true;
			*tie = *tie || (ns >= unit_ns[u] &&
					2 * (ns % unit_ns[u]) == unit_ns[u]);
			n += (size_t)snprintf(out + n, size - n,
					      "%0*" PRId64 "%s", unit_width[u],
					      nearest(ns, unit_ns[u]),
					      unit_name[u]);
		}
		ns %= unit_ns[u];
	}
}

static bool exact(const char *text, int64_t *ns)
{
	return na_xla_duration(text, strlen(text), NA_XLA_EXACT, ns);
}

/* 200 000 values of all magnitudes, exact to 1 ns. */
static void test_every_duration_comes_back(void **state)
{
	struct na_rng rng;
	size_t ties = 0;

	(void)state;
	na_rng_seed(&rng, 7);
	for (int i = 0; i < 200000; i++) {
		uint64_t bits = na_rng_next(&rng) % 53;
		int64_t ns = (int64_t)(na_rng_next(&rng) >> (63 - bits)), back;
		char text[80];
		bool tie;

		print(ns, i % 2, text, sizeof(text), &tie);
		assert_true(exact(text, &back));
		ties += tie;
		if (back != ns && !(tie && back < ns))
			fail_msg("%" PRId64 " ns prints %s, reads %" PRId64, ns,
				 text, back);
	}
	assert_true(ties < 1000);
}

static void test_documented_examples(void **state)
{
	static const struct {
		const char *text;
		int64_t exact, plain;
	} rows[] = {
		{"02s700ms000.000us", 1700000000, 2700000000},
		{"1000ms700.000us", INT64_C(999700000), INT64_C(1000700000)},
		{"60s600ms000.000us", INT64_C(59600000000),
		 INT64_C(60600000000)},
		{"02m32s346ms678.901us", INT64_C(92345678901),
		 INT64_C(152346678901)},
		/* not of that printer */
		{"01m32s345ms678.901us", INT64_C(92345678901),
		 INT64_C(92345678901)},
		{"001ms32.778us", 1032778, 1032778},
		{"191ms81.607us", 191081607, 191081607},
		{"002ms500.000us", 1500000, 2500000},
		{"000.000us", 0, 0},
		{"778ms572.062us", 777572062, 778572062},
		{" 013.884us\r", 13884, 13884},
		{"12s", INT64_C(12000000000), INT64_C(12000000000)},
		{"1.5s", INT64_C(1500000000), INT64_C(1500000000)},
		{"01d00h00m00s000ms000.001us", INT64_C(86400000000001),
		 INT64_C(86400000000001)},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t ns;

		assert_true(exact(rows[i].text, &ns));
		assert_int_equal(ns, rows[i].exact);
		assert_true(na_xla_duration(rows[i].text, strlen(rows[i].text),
					    NA_XLA_PLAIN, &ns));
		assert_int_equal(ns, rows[i].plain);
	}
}

/* Mean times count of published numbers: only the decoded rate fits. */
static void test_published_numbers_agree(void **state)
{
	int64_t total, rate;

	(void)state;
	assert_true(exact("06m09s401ms746.001us", &total));
	assert_true(exact("778ms572.062us", &rate));
	assert_true(llabs((int64_t)(202 * ((double)rate / 0.425201)) - total) <
		    1000000);
}

/* Percentiles ascend; as they are printed, they do not. */
static void test_published_percentiles_ascend(void **state)
{
	static const char *const lists[][4] = {
		{"002ms800.794us", "002ms172.713us", "002ms308.846us",
		 "008ms390.975us"},
		{"069ms785.400us", "069ms102.875us", "181ms379.773us",
		 "189ms745.170us"},
		{"002ms144.824us", "007ms635.839us", "007ms055.710us",
		 "035ms844.735us"},
		{"001ms451.109us", "002ms570.234us", "002ms669.521us",
		 "002ms800.794us"},
	};
	size_t descents = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++) {
		int64_t last[2] = {0, 0}, ns[2];

		for (size_t k = 0; k < 4; k++) {
			const char *s = lists[i][k];

			assert_true(exact(s, &ns[0]));
			assert_true(na_xla_duration(s, strlen(s), NA_XLA_PLAIN,
						    &ns[1]));
			assert_true(ns[0] > last[0]);
			descents += ns[1] < last[1];
			memcpy(last, ns, sizeof(last));
		}
	}
	assert_true(descents >= 3);
}

static void test_what_is_no_duration(void **state)
{
	static const char *const rows[] = {
		"",
		"us",
		"12",
		"1.2.3us",
		"5ms3s",
		"3s3s",
		"-1.000us",
		"1us2",
		"1.5s2ms",
		"9e9us",
		"99999999999999999999us",
		"999999999999d",
		"1 s",
		"nanus",
		"1.us",
		".5us",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t ns;

		if (exact(rows[i], &ns))
			fail_msg("%s reads as a duration", rows[i]);
	}
}

static void test_other_values(void **state)
{
	static const struct {
		const char *text;
		enum na_xla_kind kind;
		double number;
	} rows[] = {
		{"3.25MB", NA_XLA_BYTES, 3.25 * 1024 * 1024},
		{"4.00B", NA_XLA_BYTES, 4},
		{"0.24B", NA_XLA_BYTES, 0.24},
		{"1.00PB", NA_XLA_BYTES, 1125899906842624.0},
		{"51.00", NA_XLA_NUMBER, 51},
		{"1e+06", NA_XLA_NUMBER, 1e6},
		{"-3.5", NA_XLA_NUMBER, -3.5},
		{"12s", NA_XLA_TIME, 0},
		{"nanB", NA_XLA_NONE, 0},
		{"3.25XB", NA_XLA_NONE, 0},
		{"3.25MBs", NA_XLA_NONE, 0},
		{"inf", NA_XLA_NONE, 0},
		{"0x10", NA_XLA_NONE, 0},
		{"1e999", NA_XLA_NONE, 0},
		{"", NA_XLA_NONE, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_xla_value v;
		bool ok = na_xla_value(rows[i].text, strlen(rows[i].text),
				       NA_XLA_EXACT, &v);

		assert_int_equal(ok, rows[i].kind != NA_XLA_NONE);
		if (!ok)
			continue;
		assert_int_equal(v.kind, rows[i].kind);
		assert_true(v.number == rows[i].number);
	}
}

static void test_exponents(void **state)
{
	double x;
	uint64_t n;

	(void)state;
	assert_int_equal(na_xla_decimal("3.98712 / second", 16, &x), 7);
	assert_true(x == 3.98712);
	assert_int_equal(na_xla_decimal("1.5e-05 ", 8, &x), 7);
	assert_true(x == 1.5e-05);
	assert_int_equal(na_xla_decimal("1.5e1120", 8, &x), 0);
	assert_true(x == 1.5e-05);
	assert_int_equal(na_xla_decimal("2e", 2, &x), 1);
	assert_int_equal(na_xla_decimal("2e+", 3, &x), 1);
	assert_int_equal(na_xla_decimal("e5", 2, &x), 0);
	assert_int_equal(na_xla_count("18446744073709551615", 20, &n), 20);
	assert_int_equal(na_xla_count("18446744073709551616", 20, &n), 0);
	assert_int_equal(na_xla_count("12x", 2, &n), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_duration_comes_back),
		cmocka_unit_test(test_documented_examples),
		cmocka_unit_test(test_published_numbers_agree),
		cmocka_unit_test(test_published_percentiles_ascend),
		cmocka_unit_test(test_what_is_no_duration),
		cmocka_unit_test(test_other_values),
		cmocka_unit_test(test_exponents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
