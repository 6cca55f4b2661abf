/*
 * Hosts whose files are missing: which of their devices are taken for one, and
 * what checks say then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_case.h"
#include "netan/base/vec.h"
#include "netan/model/hosts/absent.h"
#include "tests/unit/hand_store.h"

#define RX(source, from, to) \
	{ \
		HAND_RX, source, 0, 1000000, 100, from, to, .name = "ar" \
	}

static const char *print(const struct hand *h, const struct na_absent *a,
			 size_t i)
{
	static char buf[NA_ABSENT_BUF];

	assert_true(i < a->n);
	return na_absent_print(buf, &a->groups[i], &h->store);
}

static void find(struct hand *h, struct na_absent *a,
		 const struct hand_row *rows, size_t n, size_t sources)
{
	hand_init(h, sources, NULL);
	hand_fill(h, rows, n, 100);
	hand_resolve(h, NA_ANCHOR_AUTO);
	assert_true(na_absent_find(a, &h->store));
}

/* Two files of two devices each, in slices of two hosts: so are the others. */
static void as_others(void **state)
{
	static const struct hand_row rows[] = {
		RX(0, 2, 0),   RX(0, 200, 1),   RX(0, 201, 0),
		RX(0, 203, 1), RX(1, 300, 100), RX(1, 0, 101),
	};
	struct na_absent a;
	struct hand h;

	(void)state;
	find(&h, &a, rows, NA_LEN(rows), 2);
	assert_int_equal(a.n, 4);
	assert_string_equal(print(&h, &a, 0),
			    "s0d2, whose host's file is missing");
	assert_string_equal(print(&h, &a, 1),
			    "s2d0 and s2d1, whose host's file is missing");
	assert_string_equal(print(&h, &a, 2),
			    "s2d3, whose host's file is missing");
	assert_string_equal(print(&h, &a, 3),
			    "slice 3, whose host's file is missing");
	assert_null(na_absent_at(&a, 0));
	na_absent_fini(&a);
	hand_fini(&h);
}

/* Files that differ do not tell who shares a host. */
static void not_told(void **state)
{
	static const struct hand_row rows[] = {
		RX(0, 200, 0),   RX(0, 201, 1), RX(0, 204, 2),
		RX(1, 200, 100), RX(1, 0, 105),
	};
	struct na_absent a;
	struct hand h;

	(void)state;
	find(&h, &a, rows, NA_LEN(rows), 2);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.groups[0].n, 3);
	assert_string_equal(print(&h, &a, 0),
			    "slice 2, of which no file is here");
	na_absent_fini(&a);
	hand_fini(&h);
}

/* One file without records, and as many devices as it shows: they are its. */
static void by_elimination(void **state)
{
	static const struct hand_row rows[] = {
		RX(0, 200, 0),
		RX(0, 201, 1),
		RX(1, 200, 100),
		RX(1, 0, 101),
		{HAND_STEP, 2, 0, 1000000, 0, 0, 0, .number = 1},
		{HAND_STEP, 2, 0, 1000000, 0, 1, 0, .number = 1},
	};
	struct na_absent a;
	struct hand h;

	(void)state;
	find(&h, &a, rows, NA_LEN(rows), 3);
	assert_int_equal(a.n, 1);
	assert_string_equal(print(&h, &a, 0),
			    "c (s2d0 and s2d1; its file shows no transfers)");
	na_absent_fini(&a);
	hand_fini(&h);
	/* It shows no more devices than one: another host's, perhaps. */
	find(&h, &a, rows, NA_LEN(rows) - 1, 3);
	assert_string_equal(print(&h, &a, 0),
			    "slice 2, whose host's file is missing");
	na_absent_fini(&a);
	hand_fini(&h);
}

static void none(void **state)
{
	static const struct hand_row rows[] = {RX(0, 100, 0), RX(1, 0, 100)};
	struct na_absent a;
	struct hand h;

	(void)state;
	find(&h, &a, rows, NA_LEN(rows), 2);
	assert_int_equal(a.n, 0);
	na_absent_fini(&a);
	hand_fini(&h);
}

/* Three files, and devices of a fourth host, or ranks without one. */
static void lacking(struct hand_case *h, const char *member)
{
	char doc[100];

	hand_case_init(h);
	snprintf(doc, sizeof(doc), "{'coverage': {'used': 5000, '%s': 1}}",
		 member);
	hand_doc(h, "session", doc);
	hand_side(h, "session",
		  "{'one_clock': true, 'files': 3, 'receives': 5000, 'inputs': "
		  "[{'path': 'a', 'trace': true, 'devices': 4}]}");
	hand_body(h, "rpc", "{'verdict': 'steady', 'modes': []}");
	hand_body(h, "sizes", "{'groups': [{'count': 5000}]}");
}

static void incomplete(struct hand_case *h)
{
	lacking(h, "devices_not_here");
}

/* What a missing file could hide has not passed. */
static void nothing_passes_without(const char *member)
{
	struct hand_case h;
	const struct na_value *body;

	lacking(&h, member);
	hand_quiet_pairs(&h);
	hand_slack(&h, "0.1");
	body = hand_judge(&h);
	na_for_each (v, na_get(body, "passed")) {
		const struct na_check *k = na_check_find(na_text_of(v, ""));

		assert_non_null(k);
		assert_false(k->each_host);
	}
	assert_non_null(strstr(na_text_of(na_get(body, "verdict"), ""),
			       "cannot tell: "));
	hand_case_fini(&h);
}

static void nothing_passes(void **state)
{
	(void)state;
	nothing_passes_without("devices_not_here");
	nothing_passes_without("ranks_not_here");
}

/* A pattern without pairs, and without a number, still says where to look. */
static void evidence(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs",
		  "{'verdict': 'x', 'undecided': [{'what': 'something is "
		  "slow', 'needs': 'more', 'n_pairs': 0}]}");
	assert_int_equal(hand_found(&h, "bad-endpoint", &f), 1);
	assert_string_equal(na_text_of(na_first(f, "evidence_text"), ""),
			    "what netan pairs 'a b' shows");
	hand_case_fini(&h);
}

#define LATE \
	"{'steps': [{'duration_ms': 100.0}, {'duration_ms': 100.0}], " \
	"'hosts': [{'host': 'a'}, {'host': 'b'}], 'without_file': [{'name': " \
	"'slice 6, whose host is gone', 'hosts': ['s6d0'], 'late': true, " \
	"'times': 9, 'tried': 9, 'expected_share': 0.125, 'p_value': 1e-8, " \
	"'behind_ms': 9.0, 'lost_ms': 81.0}]}"

/* Whom the others wait for is named, and no cause of it; where its transfers
 * are slow, that is why. */
static void waited_for(void **state)
{
	struct hand_case h;
	const struct na_value *f, *body;

	(void)state;
	incomplete(&h);
	hand_quiet_pairs(&h);
	hand_slack(&h, "0.1");
	hand_body(&h, "steps", LATE);
	assert_int_equal(hand_found(&h, "straggler", &f), 1);
	assert_string_equal(na_text_of(na_get(f, "severity"), ""), "warning");
	body = hand_judge(&h);
	assert_int_equal(na_length(body, "accused"), 0);
	assert_non_null(strstr(na_text_of(na_get(body, "verdict"), ""),
			       "steps wait for slice 6, whose host is gone"));
	hand_case_fini(&h);
	incomplete(&h);
	hand_body(&h, "steps", LATE);
	hand_body(&h, "pairs",
		  "{'verdict': 'x', 'culprits': [{'kind': 'dst', 'hosts': "
		  "['s6d0'], 'no_file': true, 'suspect': 'receive side of "
		  "slice 6', 'excess': 2.8, 'channel': 'all', 'pairs': 31, "
		  "'transfers': 900, 'test_next': 'iperf3'}]}");
	na_for_each (v, na_get(hand_judge(&h), "findings"))
		assert_string_not_equal(na_text_of(na_get(v, "id"), ""),
					"straggler");
	assert_non_null(strstr(hand_verdict(&h), "; give that file, too"));
	hand_case_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_others),      cmocka_unit_test(not_told),
		cmocka_unit_test(by_elimination), cmocka_unit_test(none),
		cmocka_unit_test(nothing_passes), cmocka_unit_test(evidence),
		cmocka_unit_test(waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
