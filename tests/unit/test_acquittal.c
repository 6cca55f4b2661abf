/*
 * What an acquittal rests on: that a fault would have been seen, times that
 * clocks hide, a pair that is slow and blamed for nothing.
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

#define SMALL_SLACK \
	"{'collectives': [{'collective': 'a_1', 'slack_small': true, " \
	"'stall_share': 0.2, 'total_stall_us': 1e6, 'observed_us': {'mean': " \
	"9}}], 'total': {'devices': 2, 'stall_us': 2e6, 'stall_share': 0.2}}"

#define SIDE(host, side, factor) \
	"{'host': '" host "', 'side': '" side "', 'factor': " factor \
	", 'why': 'few transfers'}"
#define FOUR \
	SIDE("a", "src", "1.2") \
	"," SIDE("a", "dst", "1.31") "," SIDE("b", "src", \
					      "1.2") "," SIDE("b", "dst", \
							      "1.1")

/* Only where a fault would have been seen: twice as slow, on 95 % of the
 * sides; and what it would have taken is said. */
static void power(void **state)
{
	static const struct {
		const char *power, *verdict;
	} rows[] = {
		{"", "cannot tell: no NIC or path stands out, but it is not "
		     "known how slow one would have had to be to be named: "
		     "capture more steps, of all hosts at once"},
		{FOUR, "Network: not guilty: a NIC 1.4x slower on one side "
		       "would have been named on 2 of 2 hosts" HAND_NO_LINKS},
		{FOUR "," SIDE("c", "src", "2.51"),
		 "cannot tell: no NIC or path stands out, but on 1 of 5 "
		 "transmit and receive sides of hosts one 2.5x slower would "
		 "not have been named; to decide it, capture more steps, of all "
		 "hosts at once, and give --topology FILE"},
		{FOUR "," SIDE("c", "src", "null"),
		 "cannot tell: no NIC or path stands out, but on 1 of 5 "
		 "transmit and receive sides of hosts one 2.5x slower would "
		 "not have been named; to decide it, capture more steps, of all "
		 "hosts at once, and give --topology FILE"},
		{FOUR "," SIDE("c", "src", "2"),
		 "Network: not guilty: a NIC 2x slower on one side would have "
		 "been named on 3 of 3 hosts" HAND_NO_LINKS},
		{FOUR "," FOUR "," FOUR "," FOUR "," FOUR
		      "," SIDE("c", "src", "null"),
		 "Network: not guilty: a NIC 1.4x slower on one side would "
		 "have been named on 2 of 3 hosts; on c none would (few transfers)" HAND_NO_LINKS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_case h;
		char json[4000];

		hand_healthy(&h);
		snprintf(json, sizeof(json),
			 "{'verdict': 'no culprit', 'power': [%s]}",
			 rows[i].power);
		hand_body(&h, "pairs", json);
		hand_slack(&h, "0.1");
		assert_string_equal(hand_verdict(&h), rows[i].verdict);
		hand_case_fini(&h);
	}
}

#define FAR_SIDE(host) \
	"{'host': '" host "', 'side': 'dst', 'factor': null, 'why': 'without " \
	"the topology a far pair looks as slow'}"

/* What rests on the topology says so; one that tells no hosts apart is not
 * asked for again. */
static void racks(void **state)
{
	static const struct {
		const char *side, *power, *says;
	} rows[] = {
		{"{'locality': 1}", FOUR,
		 "Network: not guilty, if the racks are as --topology says: a "
		 "NIC 1.4x slower on one side would have been named on 2 of 2 "
		 "hosts"},
		{"{'locality': 2}", FOUR,
		 "Network: not guilty: a NIC 1.4x slower on one side would "
		 "have been named on 2 of 2 hosts"},
		{"{'locality': 0}", FOUR "," FAR_SIDE("c"),
		 "named; to decide it, give --topology FILE, or "},
		{"{'locality': 2}", FOUR "," FAR_SIDE("c"),
		 "named; to decide it, trace more hosts at once"},
		{"{'locality': 1}",
		 FAR_SIDE("a") "," FAR_SIDE("b") "," FAR_SIDE("c") "," FAR_SIDE(
			 "d") "," FAR_SIDE("e"),
		 "on 5 of 5 transmit and receive sides of hosts one 2.5x slower "
		 "would not have been "
		 "named; to decide it, capture more steps"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_case h;
		char json[4000];

		hand_healthy(&h);
		snprintf(json, sizeof(json),
			 "{'verdict': 'no culprit', 'power': [%s]}",
			 rows[i].power);
		hand_body(&h, "pairs", json);
		hand_side(&h, "pairs", rows[i].side);
		hand_slack(&h, "0.1");
		assert_non_null(strstr(hand_verdict(&h), rows[i].says));
		hand_case_fini(&h);
	}
}

#define PAIR(src, dst, excess, q) \
	"{'src': '" src "', 'dst': '" dst "', 'excess': " excess \
	", 'q_value': " q ", 'count': 90}"

/* Not by chance: a remark, which blames nobody and lets nobody acquit; one way
 * alone, not by distance. */
static void slow_pairs(void **state)
{
	static const char one_way[] = "and not those back";
	static const char far[] = "without a cause";
	static const struct {
		const char *pairs, *told;
	} rows[] = {
		{PAIR("a", "b", "1.5", "0.01") "," PAIR("b", "a", "1.1", "0.9"),
		 one_way},
		{PAIR("a", "b", "1.5", "0.02") "," PAIR("b", "a", "1.1", "0.9"),
		 NULL},
		{PAIR("a", "b", "1.5", "0.01") "," PAIR("b", "a", "1.2", "0.9"),
		 far},
		{PAIR("a", "b", "1.2", "0.01") "," PAIR("b", "a", "0.7", "0.9"),
		 NULL},
		{PAIR("a", "b", "1.5", "0.01"), far}};
	char json[900], verdict[200];
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *told = rows[i].told;

		hand_healthy(&h);
		snprintf(json, sizeof(json),
			 "{'verdict': 'no culprit among 12 pairs', " HAND_POWER
			 ", 'pairs': [%s]}",
			 rows[i].pairs);
		hand_body(&h, "pairs", json);
		hand_slack(&h, "0.1");
		snprintf(verdict, sizeof(verdict),
			 "cannot tell: transfers from a to b take 1.50 times "
			 "as long as expected, %s",
			 told ? told : "");
		assert_string_equal(hand_verdict(&h),
				    told ? verdict : HAND_NOT_GUILTY);
		assert_int_equal(hand_found(&h, "bad-endpoint", &f), !!told);
		if (told)
			assert_string_equal(text(f, "severity"), "info");
		/* What could not be read hides nothing that was. */
		hand_side(&h, "session", "{'damaged': 1}");
		assert_non_null(strstr(hand_verdict(&h),
				       told ? "; 1 of " : "tell: 1 of "));
		if (told)
			assert_memory_equal(hand_verdict(&h), verdict,
					    strlen(verdict));
		hand_case_fini(&h);
	}
}

/* Too few steps to name a side: how many it takes is said. */
static void slow_pairs_of_few_steps(void **state)
{
	static const char *const steps[] = {
		"{}",
		"{}, {}, {}, {}",
		"{}, {}, {}, {}, {}",
	};
	struct hand_case h;
	char json[300];

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		hand_healthy(&h);
		hand_body(&h, "pairs",
			  "{'verdict': 'no culprit', 'pairs': [" PAIR(
				  "a", "b", "1.5", "0.01") "]}");
		snprintf(json, sizeof(json), "{'steps': [%s]}", steps[i]);
		hand_body(&h, "steps", json);
		assert_int_equal(!strstr(hand_verdict(&h),
					 "would decide: 5 steps, and these "
					 "are "),
				 i == 2);
		hand_case_fini(&h);
	}
}

/* A clock that is far ahead hides how long its host's transfers take. */
static void few_times(void **state)
{
	static const char both[] = "; network: cannot tell: 12.3 % of the "
				   "transfers show no time, as clocks differ";
	struct hand_case h;

	(void)state;
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_body(&h, "slack", SMALL_SLACK);
	hand_side(&h, "session", "{'clock_skew': 615}");
	assert_non_null(strstr(hand_verdict(&h), both));
	hand_case_fini(&h);
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
		cmocka_unit_test(power),
		cmocka_unit_test(racks),
		cmocka_unit_test(few_times),
		cmocka_unit_test(slow_pairs),
		cmocka_unit_test(slow_pairs_of_few_steps),
		cmocka_unit_test(clocks_doubted),
		cmocka_unit_test(longer_than_the_steps),
		cmocka_unit_test(start_up_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
