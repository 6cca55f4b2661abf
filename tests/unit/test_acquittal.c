/*
 * What an acquittal rests on: what pairs ruled out, and by which bounds; times
 * that clocks hide.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_case.h"

#define SMALL_SLACK \
	"{'collectives': [{'collective': 'a_1', 'slack_small': true, " \
	"'stall_share': 0.2, 'total_stall_us': 1e6, 'observed_us': {'mean': " \
	"9}}], 'total': {'devices': 2, 'stall_us': 2e6, 'stall_share': 0.2}}"

#define FOUR \
	HAND_SIDE("a", "src", "1.2") "," HAND_SIDE("a", "dst", "1.31") "," \
	HAND_SIDE("b", "src", "1.2") "," HAND_SIDE("b", "dst", "1.1")

static void put_pairs(struct hand_case *h, const char *outcome,
		      const char *power)
{
	char json[4000];

	hand_healthy(h);
	snprintf(json, sizeof(json),
		 "{'verdict': 'nothing stands out', 'outcome': '%s', "
		 "'culprits': [], 'undecided': [], 'power': [%s]}",
		 outcome, power);
	hand_body(h, "pairs", json);
	hand_slack(h, "0.1");
}

/* Only what pairs ruled out: low bounds alone acquit nobody; and what it would
 * take is said. */
static void power(void **state)
{
	static const struct {
		const char *outcome, *power, *verdict;
	} rows[] = {
		{"cannot_tell", "",
		 "cannot tell: no NIC or path stands out, but no side of a "
		 "host has a bound; to decide, give --topology FILE, or "
		 "capture more steps"},
		{"not_guilty", FOUR,
		 "Network looks healthy: a NIC 1.31x slower than usual would "
		 "have been detected on all 4 transmit and receive sides" HAND_NO_LINKS},
		{"cannot_tell", FOUR "," HAND_SIDE("c", "src", "2.51"),
		 "cannot tell: no NIC or path stands out, but a side of a host "
		 "may be up to 2.51x slower than usual (97.5 % bound); to "
		 "decide, give --topology FILE, or capture more steps"},
		{"cannot_tell", FOUR,
		 "cannot tell: no NIC or path stands out, but a side of a host "
		 "may be up to 1.31x slower than usual (97.5 % bound); to "
		 "decide, give --topology FILE, or capture more steps"},
		{"not_guilty", FOUR "," HAND_SIDE("c", "src", "null"),
		 "Network looks healthy: a NIC 1.31x slower than usual would "
		 "have been detected on all 4 transmit and receive sides (1 "
		 "has no bound)" HAND_NO_LINKS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_case h;

		put_pairs(&h, rows[i].outcome, rows[i].power);
		assert_string_equal(hand_verdict(&h), rows[i].verdict);
		hand_case_fini(&h);
	}
}

/* What rests on the topology says so; one that is given is not asked for
 * again. */
static void racks(void **state)
{
	static const struct {
		const char *side, *outcome, *says;
	} rows[] = {
		{"{'locality': 1}", "not_guilty",
		 "Network looks healthy, if --topology is right: a NIC 1.31x "
		 "slower than usual would have been detected on all 4 transmit "
		 "and receive sides"},
		{"{'locality': 2}", "not_guilty",
		 "Network looks healthy: a NIC 1.31x slower than usual would "
		 "have been detected on all 4 transmit and receive sides"},
		{"{'locality': 0}", "cannot_tell",
		 "; to decide, give --topology FILE, or capture"},
		{"{'locality': 1}", "cannot_tell",
		 "; to decide, capture more steps, of all hosts at once"},
		{"{'locality': 2}", "cannot_tell",
		 "; to decide, capture more steps, of all hosts at once"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_case h;

		put_pairs(&h, rows[i].outcome, FOUR);
		hand_side(&h, "pairs", rows[i].side);
		assert_non_null(strstr(hand_verdict(&h), rows[i].says));
		hand_case_fini(&h);
	}
}

/* Too few steps or hosts to rule anything out: how many it takes is said. */
static void too_little(void **state)
{
	static const struct {
		const char *steps, *says;
	} rows[] = {
		{"{'steps': [{}]}", "capture 7 more steps (1 of 8 needed)"},
		{"{'steps': [{}, {}, {}, {}, {}, {}, {}]}",
		 "capture 1 more steps (7 of 8 needed)"},
		{"{'steps': [{}, {}, {}, {}, {}, {}, {}, {}]}",
		 "give --topology FILE"},
		{"{'hosts': [{'host': 'a'}, {'host': 'b'}, {'host': 'c'}]}",
		 "trace more hosts at once (3 of 4 needed)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_case h;

		put_pairs(&h, "cannot_tell", FOUR);
		hand_body(&h, "steps", rows[i].steps);
		assert_non_null(strstr(hand_verdict(&h), rows[i].says));
		hand_case_fini(&h);
	}
}

/* A clock that is far ahead hides how long its host's transfers take, unless
 * pairs could rule the network out all the same. */
static void few_times(void **state)
{
	static const char both[] = "; network: cannot tell: 12.3 % of the "
				   "transfers show no time, as clocks differ";
	struct hand_case h;

	(void)state;
	for (int acquits = 0; acquits < 2; acquits++) {
		hand_healthy(&h);
		if (acquits)
			hand_quiet_pairs(&h);
		else
			hand_body(&h, "pairs",
				  "{'outcome': 'cannot_tell', 'culprits': [], "
				  "'power': [" FOUR "]}");
		hand_body(&h, "slack", SMALL_SLACK);
		hand_side(&h, "session", "{'clock_skew': 615}");
		assert_int_equal(strstr(hand_verdict(&h), both) == NULL,
				 acquits);
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
		cmocka_unit_test(too_little),
		cmocka_unit_test(longer_than_the_steps),
		cmocka_unit_test(start_up_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
