/*
 * What an acquittal rests on: few pairs, times that clocks hide, a pair that
 * is slow and blamed for nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_case.h"

static const char *text(const struct na_value *f, const char *name)
{
	return na_text_of(na_dig(f, name), "");
}

#define TWO_PAIRS(excess, count) \
	"{'verdict': 'too few pairs to localise (2)', 'pairs': [{'excess': " excess \
	", 'count': 900}, {'excess': 0.9, 'count': " count "}]}"

#define SMALL_SLACK \
	"{'collectives': [{'collective': 'a_1', 'slack_small': true, " \
	"'stall_share': 0.2, 'total_stall_us': 1e6, 'observed_us': {'mean': " \
	"9}}], 'total': {'devices': 2, 'stall_us': 2e6, 'stall_share': 0.2}}"

/* A host less than a quarter farther is not guilty; a direction that is slow
 * may be, and so may both where collectives lack slack. */
static void few_pairs(void **state)
{
	static const char fewer[] =
		"cannot tell: too few pairs to localise (2)";
	static const char *const told[][2] = {
		{TWO_PAIRS("1.1", "800"),
		 "Network: not guilty, as far as 2 pairs show"},
		{TWO_PAIRS("1.3", "800"), fewer},
		{TWO_PAIRS("0.7", "800"), fewer},
		{TWO_PAIRS("1.1", "29"), fewer},
	};
	struct hand_case h;

	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		hand_healthy(&h);
		hand_body(&h, "pairs", told[i][0]);
		hand_slack(&h, "0.1");
		assert_string_equal(hand_verdict(&h), told[i][1]);
		hand_case_fini(&h);
	}
	hand_healthy(&h);
	hand_body(&h, "pairs", told[0][0]);
	hand_body(&h, "slack", SMALL_SLACK);
	assert_memory_equal(hand_verdict(&h), fewer, strlen(fewer));
	hand_case_fini(&h);
	/* Nobody can see whether devices wait. */
	hand_healthy(&h);
	hand_body(&h, "pairs", told[0][0]);
	assert_string_equal(hand_verdict(&h), fewer);
	hand_case_fini(&h);
}

#define PAIR(src, dst, excess, q) \
	"{'src': '" src "', 'dst': '" dst "', 'excess': " excess \
	", 'q_value': " q ", 'count': 90}"

/* One way, and not by chance nor distance: a remark, which blames nobody. */
static void slow_one_way(void **state)
{
	static const char *const pairs[] = {
		PAIR("a", "b", "1.5", "0.01") "," PAIR("b", "a", "1.1", "0.9"),
		PAIR("a", "b", "1.5", "0.02") "," PAIR("b", "a", "1.1", "0.9"),
		PAIR("a", "b", "1.5", "0.01") "," PAIR("b", "a", "1.2", "0.9"),
		PAIR("a", "b", "1.2", "0.01") "," PAIR("b", "a", "0.7", "0.9"),
		PAIR("a", "b", "1.5", "0.01")};
	char json[500];
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		hand_healthy(&h);
		snprintf(json, sizeof(json),
			 "{'verdict': 'no culprit among 12 pairs', 'pairs': "
			 "[%s]}",
			 pairs[i]);
		hand_body(&h, "pairs", json);
		hand_slack(&h, "0.1");
		assert_string_equal(hand_verdict(&h), "Network: not guilty");
		assert_int_equal(hand_found(&h, "bad-endpoint", &f), i ? 0 : 1);
		if (!i) {
			assert_string_equal(text(f, "severity"), "info");
			assert_string_equal(text(f, "title"),
					    "transfers from a to b take 1.50 "
					    "times as long as expected, and "
					    "not those back");
		}
		hand_case_fini(&h);
	}
}

/* A clock that is far ahead hides how long its host's transfers take. */
static void few_times(void **state)
{
	static const char both[] = "cannot tell: 12.3 % of the transfers show "
				   "no time, as clocks differ; ";
	struct hand_case h;

	(void)state;
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_body(&h, "slack", SMALL_SLACK);
	hand_side(&h, "session", "{'clock_skew': 615}");
	assert_memory_equal(hand_verdict(&h), both, strlen(both));
	hand_case_fini(&h);
	for (int i = 0; i < 2; i++) {
		hand_healthy(&h);
		hand_quiet_pairs(&h);
		hand_slack(&h, "0.1");
		hand_side(&h, "session",
			  i ? "{'clock_skew': 615}" : "{'clock_skew': 6}");
		assert_string_equal(
			hand_verdict(&h),
			i ? "Network: not guilty, as far as transfers show: "
			    "12.3 % of them show no time, as clocks differ"
			  : "Network: not guilty");
		hand_case_fini(&h);
	}
}

#define CULPRIT(channel) \
	"{'verdict': 'suspect', 'culprits': [{'kind': 'src', 'host': 'a', " \
	"'excess': 2.8, 'channel': '" channel "', 'pairs': 3, 'tails': 9, " \
	"'transfers': 900}]}"

/* With most clocks off, what is left of the transfers convicts nobody, but
 * for timeouts. */
static void clocks_doubted(void **state)
{
	static const struct {
		const char *pairs, *side, *severity;
	} rows[] = {
		{CULPRIT("all"), "{'clock_skew': 1600}", "info"},
		{CULPRIT("large"), "{'clock_skew': 1600}", "info"},
		{CULPRIT("all"), "{'clock_skew': 1250}", "error"},
		{CULPRIT("rate"), "{'clock_skew': 1600}", "error"},
	};
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool guilty = strcmp(rows[i].severity, "error") == 0;

		hand_healthy(&h);
		hand_slack(&h, "0.1");
		hand_body(&h, "pairs", rows[i].pairs);
		hand_side(&h, "session", rows[i].side);
		assert_memory_equal(hand_verdict(&h),
				    guilty ? "guilty: " : "cannot ", 7);
		assert_int_equal(hand_found(&h, "bad-endpoint", &f), 1);
		assert_string_equal(text(f, "severity"), rows[i].severity);
		assert_int_equal(strstr(text(f, "title"), "32.0 % of the "
							  "transfers show no "
							  "time") != NULL,
				 !guilty);
		hand_case_fini(&h);
	}
}

/* Lost to a host is more than all steps took: its file's clock is unknown. */
static void longer_than_the_steps(void **state)
{
	static const char steps[] =
		"{'steps': [{'duration_ms': 429.0}], 'stragglers': [{'host': "
		"'a', 'cause': 'network', 'of': 'collectives', 'times': 40, "
		"'tried': 40, 'behind_ms': 370.0, 'lost_ms': 14489.0}]}";
	struct hand_case h;

	(void)state;
	for (int known = 0; known < 2; known++) {
		hand_case_init(&h);
		hand_side(&h, "session",
			  known ? "{'files': 4, 'one_clock': true}"
				: "{'files': 4, 'one_clock': false}");
		hand_body(&h, "steps", steps);
		hand_run(&h, "straggler");
		assert_int_equal(hand_finding(&h, 0) != NULL, known);
		hand_case_fini(&h);
	}
}

/* Registrations in what may all be start-up are neither found nor passed. */
static void start_up_alone(void **state)
{
	struct hand_case h;

	(void)state;
	for (int seen = 0; seen < 2; seen++) {
		hand_case_init(&h);
		hand_body(&h, "host_events",
			  seen ? "{'runs': [{'steady_seen': true, "
				 "'registrations': {'count': 0, 'startup': "
				 "3}}]}"
			       : "{'runs': [{'steady_seen': false, "
				 "'registrations': {'count': 0, 'startup': "
				 "3}}]}");
		hand_run(&h, "dma-registration");
		assert_null(hand_finding(&h, 0));
		assert_int_equal(hand_missing(&h) != NULL, !seen);
		hand_case_fini(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_pairs),
		cmocka_unit_test(few_times),
		cmocka_unit_test(slow_one_way),
		cmocka_unit_test(clocks_doubted),
		cmocka_unit_test(longer_than_the_steps),
		cmocka_unit_test(start_up_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
