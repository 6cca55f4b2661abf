/*
 * compute-latency and program-mismatch, over trees that stand for the
 * results they read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_case.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void put_host(struct na_result *r, struct na_value *list,
		     const char *host, double z, double ratio)
{
	struct na_value *row = na_put_object(r, list, NULL);

	na_put_text(r, row, "host", host);
	na_put_int(r, row, "count", 7);
	na_put_real(r, row, "p50_us", 20);
	na_put_real(r, row, "z", z);
	na_put_real(r, row, "ratio", ratio);
}

static void slow_reductions(void **state)
{
	static const struct {
		double z, ratio;
		const char *want, *missing;
	} rows[] = {
		{4, 2, "none", NULL},
		{4.01, 2, "warning", NULL},
		{100, 1.3, "none", NULL},
		{100, 1.31, "warning", NULL},
		{-100, 0.2, "none", NULL},
		{NAN, 2, "none",
		 "reductions on three hosts or more, which only action graphs "
		 "record"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_result *r = na_result_new();
		struct na_value *list = na_put_list(r, na_result_body(r),
						    "reductions");
		struct hand_case c;

		put_host(r, list, "host-0", isnan(rows[i].z) ? NAN : 0, 1);
		put_host(r, list, "host-1", rows[i].z, rows[i].ratio);
		hand_case_init(&c);
		hand_show(&c, "collectives", r);
		hand_run(&c, "compute-latency");
		if (strcmp(hand_severity(&c, 0), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, hand_severity(&c, 0));
		if (rows[i].missing)
			assert_string_equal(hand_missing(&c), rows[i].missing);
		else
			assert_null(hand_missing(&c));
		if (hand_finding(&c, 0))
			assert_string_equal(na_text_of(na_dig(hand_finding(&c,
									   0),
							      "evidence.host"),
						       ""),
					    "host-1");
		hand_case_fini(&c);
		na_result_free(r);
	}
}

static void no_reductions(void **state)
{
	struct na_result *r = na_result_new();
	struct hand_case c;

	(void)state;
	na_put_list(r, na_result_body(r), "reductions");
	hand_case_init(&c);
	hand_show(&c, "collectives", r);
	hand_run(&c, "compute-latency");
	assert_non_null(hand_missing(&c));
	hand_case_fini(&c);
	na_result_free(r);
}

static void put_group(struct na_result *r, struct na_value *list,
		      const char *const *hosts)
{
	struct na_value *row = na_put_object(r, list, NULL);
	struct na_value *to = na_put_list(r, row, "hosts");

	na_put_text(r, row, "fingerprint", "00ff");
	for (; *hosts; hosts++)
		na_put_text(r, to, NULL, *hosts);
}

static void other_programs(void **state)
{
	static const char *const odd[] = {"host-3", NULL};
	static const char *const most[] = {"host-0", "host-1", NULL};
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *list, *row;
	struct hand_case c;

	(void)state;
	na_put_text(r, body, "verdict", "host-3 runs another one");
	list = na_put_list(r, body, "differences");
	hand_case_init(&c);
	hand_show(&c, "hlo", r);
	hand_run(&c, "program-mismatch");
	assert_null(hand_finding(&c, 0));
	assert_null(hand_missing(&c));
	row = na_put_object(r, list, NULL);
	na_put_text(r, row, "module", "jit_step");
	list = na_put_list(r, row, "groups");
	put_group(r, list, odd);
	put_group(r, list, most);
	hand_run(&c, "program-mismatch");
	assert_string_equal(hand_severity(&c, 0), "error");
	assert_string_equal(na_text_of(na_get(hand_finding(&c, 0), "title"),
				       ""),
			    "host-3 runs another one");
	assert_non_null(
		strstr(na_text_of(na_get(hand_finding(&c, 0), "command"), ""),
		       "netan hlo "));
	/* In words, where nothing was to be compared. */
	hand_case_fini(&c);
	hand_case_init(&c);
	hand_show(&c, "hlo", NULL);
	hand_run(&c, "program-mismatch");
	assert_string_equal(hand_missing(&c), "nothing");
	hand_case_fini(&c);
	na_result_free(r);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_reductions),
		cmocka_unit_test(no_reductions),
		cmocka_unit_test(other_programs),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
