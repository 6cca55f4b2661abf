/*
 * --capacity: rates, NICs x rate / tasks, machines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "netan/methods/capacity.h"

static void accepted(void **state)
{
	/* clang-format off */
	static const struct { const char *text; double gbps; } rows[] = {
		{ "100Gbps", 100 }, { "4x200Gbps/2", 400 }, { "v6e", 400 },
		{ "V6E", 400 }, { "4x200Gbps", 800 }, { "200Gbps/4", 50 },
		{ "1x25Gbit/s", 25 }, { "25Gbit/s/5", 5 },
		{ "12.5GB/s", 100 }, { "2x12.5GB/s/2", 100 },
		{ "400Mbps", 0.4 }, { "1024x1Gbps", 1024 },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_err err = {.status = NA_OK};
		double gbps = -1;

		if (na_capacity_parse(rows[i].text, &gbps, &err) != NA_OK)
			fail_msg("%s", err.text);
		if (!(gbps > rows[i].gbps * (1 - 1e-12) &&
		      gbps < rows[i].gbps * (1 + 1e-12)))
			fail_msg("%s is %g", rows[i].text, gbps);
	}
}

static void refused(void **state)
{
	/* clang-format off */
	static const char *const rows[] = {
		"", "100", "Gbps", "0Gbps", "-100Gbps", "0x100Gbps",
		"4x", "x200Gbps", "4x200Gbps/", "4x200Gbps/0",
		"4x200Gbps/2x", "4 x 200Gbps", "1025x1Gbps", "200Gbps/2000",
		"4x200Gbps/-2", "v7z", "100Gbps/2/2/2", "nan", "infGbps",
		"0x1p4Gbps", "1e999Gbps", "4x4x200Gbps", "/2",
		"99999999999999999999x1Gbps", "100GB",
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_err err = {.status = NA_OK};
		double gbps = -1;

		if (na_capacity_parse(rows[i], &gbps, &err) != NA_EUSAGE)
			fail_msg("\"%s\" is taken for %g", rows[i], gbps);
		assert_non_null(strstr(err.text, "100Gbps"));
	}
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted),
		cmocka_unit_test(refused),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
