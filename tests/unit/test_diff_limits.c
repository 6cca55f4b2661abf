/* diff: what --fail-if takes, and bins of sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/diff/state.h"

static void limits(void **state)
{
	static const struct {
		const char *text;
		enum diff_what what;
		const char *row;
		bool above, relative;
		double value;
	} good[] = {
		{"latency.p99>+10%", DIFF_LATENCY, "p99", true, true, 1.1},
		{" latency.p99 > +10%", DIFF_LATENCY, "p99", true, true, 1.1},
		{"latency.p99_9>+2.5%", DIFF_LATENCY, "p99_9", true, true,
		 1.025},
		{"latency.p99.9<-50%", DIFF_LATENCY, "p99_9", false, true, 0.5},
		{"throughput.mean<-5%", DIFF_THROUGHPUT, "mean", false, true,
		 0.95},
		{"steps.p50>2s", DIFF_STEPS, "p50", true, false, 2000},
		{"slack.p10<-1ms", DIFF_SLACK, "p10", false, false, -1000},
		{"sizes.p50<64KiB", DIFF_SIZES, "p50", false, false, 65536},
		{"throughput.p90<100Mbps", DIFF_THROUGHPUT, "p90", false, false,
		 0.1},
		{"stall.p95>.5us", DIFF_STALL, "p95", true, false, 0.5},
	};
	static const char *const bad[] = {
		"",
		">",
		"latency",
		"latency>1ms",
		"latency.>1ms",
		"latency.p5>1ms",
		"latency.p50",
		"latency.p50=1ms",
		"latency.p50>",
		"latency.p50>.",
		"latency.p50>+%",
		"latency.p50>10%",
		"latency.p50>+10%x",
		"latency.p50>10",
		"latency.p50>10 ms",
		"latency.p50>10KiB",
		"latency.p50>1e3us",
		"latency.p50>inf",
		"latency.p50>--1ms",
		"latency.p50>99999999999999999999999999999999999999ms",
		"LATENCY.p50>1ms",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct na_err err = {.status = NA_OK};
		struct diff_limit l;

		assert_int_equal(na_diff_limit_parse(good[i].text, &l, &err),
				 NA_OK);
		assert_int_equal(l.what, good[i].what);
		assert_string_equal(na_diff_row_names[l.row], good[i].row);
		assert_int_equal(l.above, good[i].above);
		assert_int_equal(l.relative, good[i].relative);
		assert_true(fabs(l.value - good[i].value) <
			    1e-9 * fabs(good[i].value));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct na_err err = {.status = NA_OK};
		struct diff_limit l;

		assert_int_equal(na_diff_limit_parse(bad[i], &l, &err),
				 NA_EUSAGE);
		assert_true(strstr(err.text, "at character"));
	}
}

static void size_bins(void **state)
{
	uint32_t last = 0;

	(void)state;
	assert_int_equal(na_diff_size_bin(0), 0);
	assert_int_equal(na_diff_size_bin(3), 3);
	assert_int_equal(na_diff_size_bin(4), 4);
	for (uint64_t x = 1; x < UINT64_MAX / 3; x += x / 9 + 1) {
		uint32_t bin = na_diff_size_bin(x);

		assert_true(bin == last || bin == last + 1);
		assert_true(bin < 256);
		if (x >= 4)
			assert_true(fabs(na_diff_bin_bytes(bin) / (double)x -
					 1) < 0.2);
		last = bin;
	}
	assert_in_range(na_diff_size_bin(UINT64_MAX), last, 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(size_bins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
