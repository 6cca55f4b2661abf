/* How far ranks came: what is marked, in which order, and at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/str.h"
#include "tests/unit/hand_case.h"
#include "tests/unit/ink.h"

static const struct na_page plain = {.version = "0.1.0"};

enum { EMPTY, ONE, PAIRS, DIFFERS, MANY, ROWS };

#define GROUP(own, sequence, more) \
	"{'hang': 1, 'own': " own ", 'group': '0,1,2,3,4,5,6,7', " \
	"'group_name': 'EXPERT_MODEL_PARALLEL_GROUP', 'collective': " \
	"'all_to_all', 'sequence': " sequence ", 'groups_like': " more \
	", 'positions': ["
#define PLACE(ranks, role, state, completed, enqueued, waits, calls) \
	"{'ranks': [" ranks "], 'role': '" role "', 'state': '" state \
	"', 'completed': " completed \
	", 'started': null, 'enqueued': " enqueued ", 'waits_for': [" waits \
	"], 'calls': " calls "}"

static const char *const results[] = {
	[EMPTY] = "{'events': []}",
	[ONE] = "{'events': [], 'progress': [" GROUP(
		"true", "88684",
		"0") PLACE("5", "culprit", "never", "88683", "88683", "",
			   "null") "," PLACE("0,1,2,3,4,6,7", "waits", "queued",
					     "88683", "88690", "5",
					     "null") "]}, " GROUP("false", "12",
								  "31")
		PLACE("0,1,2", "waits", "started", "11", "12", "5", "null") "," PLACE(
			"5", "culprit", "never", "11", "11", "",
			"null") "," PLACE("6", "other", "completed", "12", "12",
					  "", "null") "," PLACE("7", "no_dump",
								"unknown",
								"null", "null",
								"",
								"null") "]}]}",
	[PAIRS] = "{'events': [], 'progress': [" GROUP("true", "null", "9")
		PLACE("0", "culprit", "never", "null", "null", "",
		      "null") "," PLACE("1", "waits", "queued", "null", "null",
					"0",
					"null, 'messages': 3") "], 'like': "
				     "[{'group': '2,3', 'waiting_ranks': [2], "
				     "'waits_for': [3]}]}]}",
	[DIFFERS] = "{'events': [], 'progress': [" GROUP("true", "4", "0") PLACE(
		"6", "culprit", "queued", "3", "4", "",
		"'broadcast, 4 KiB, Float'") "," PLACE("0,1", "waits", "queued",
						       "3", "4", "6",
						       "'all_reduce, 4 KiB, Float'") "]}]}",
};

/* 300 ranks, each at a place of its own, in as many groups as are listed. */
static char *many(void)
{
	struct na_str to = {0};

	na_str_addf(&to, "{'events': [], 'progress': [");
	for (int g = 0; g < 12; g++) {
		na_str_addf(&to, "%s%s", g ? ", " : "",
			    g ? GROUP("false", "1000000", "99")
			      : GROUP("true", "1000000", "0"));
		for (int r = 0; r < 300; r++)
			na_str_addf(&to,
				    "%s{'ranks': [%d, %d], 'role': '%s', "
				    "'state': '%s', 'completed': 999990, "
				    "'started': null, 'enqueued': %d, "
				    "'waits_for': [0], 'calls': null}",
				    r ? ", " : "", 2 * r, 2 * r + 1,
				    r ? "waits" : "culprit",
				    r ? "queued" : "never", 999999 + r);
		na_str_addf(&to, "]}");
	}
	na_str_addf(&to, "]}");
	return to.s;
}

static char *nth(size_t i, const struct na_page *page, const char *format,
		 size_t *n)
{
	char *long_one = i == MANY ? many() : NULL, *bytes;
	struct hand_case h;

	hand_case_init(&h);
	hand_body(&h, "hang", long_one ? long_one : results[i]);
	bytes = draw_figure("hang", h.exhibits[0].result, page, format, n);
	hand_case_fini(&h);
	free(long_one);
	return bytes;
}

static void labels_never_overlap(void **state)
{
	(void)state;
	check_pages(nth, ROWS);
}

static void formats(void **state)
{
	(void)state;
	check_formats(nth, ROWS);
}

static const char *must(const char *ink, const char *what)
{
	const char *at = strstr(ink, what);

	if (!at)
		fail_msg("no \"%s\"", what);
	return at;
}

static void symbols(void **state)
{
	size_t n;
	char *ink = nth(ONE, &plain, "ink", &n);

	(void)state;
	/* The culprit's row is the first, and both of its cells have a cross
	 * and a frame, as has that of the legend. */
	assert_true(must(ink, " rank 5\n") <
		    must(ink, " 7 ranks: 0-4, 6 and 7\n"));
	must(ink, " never called it\n");
	must(ink, " wait for rank 5\n");
	must(ink, " has left it\n");
	must(ink, " no dump tells\n");
	must(ink, "; in 31 more groups of its kind ranks wait\n");
	for (int k = 88680; k <= 88690; k++) {
		char number[16];

		snprintf(number, sizeof(number), " %d\n", k);
		must(ink, number);
	}
	must(ink, " missed by the culprit\n");
	must(ink, " begun, not ended\n");
	must(ink, " called, not known to have begun\n");
	must(ink, " not called\n");
	must(ink, " not told\n");
	assert_null(strstr(ink, " of the culprit\n"));
	free(ink);
	ink = nth(DIFFERS, &plain, "ink", &n);
	must(ink, " calls broadcast, 4 KiB, Float\n");
	must(ink, " call all_reduce, 4 KiB, Float\n");
	must(ink, " of the culprit\n");
	free(ink);
	ink = nth(PAIRS, &plain, "ink", &n);
	must(ink, " all_to_all, the other end\n");
	must(ink, " waits for rank 0, in 3 messages\n");
	must(ink, " sends and receives\n");
	must(ink, "; in 9 more groups of its kind rank 2 waits for rank 3, "
		  "and so on\n");
	free(ink);
	ink = nth(EMPTY, &plain, "ink", &n);
	must(ink, "No operation of a rank is unfinished.");
	free(ink);
}

/* What is left out is said. */
static void rest(void **state)
{
	size_t n;
	char *ink = nth(MANY, &plain, "ink", &n);

	(void)state;
	must(ink, " ranks 0 and 1\n");
	must(ink, " more ranks, in ");
	must(ink, " more groups wait\n");
	/* A panel that is cut and one of many like it. */
	must(ink, "; called up to number 1000298; in 99 more groups of its "
		  "kind ranks wait\n");
	free(ink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_never_overlap),
		cmocka_unit_test(formats),
		cmocka_unit_test(symbols),
		cmocka_unit_test(rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
