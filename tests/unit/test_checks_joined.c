/*
 * check on captures beside traces: what packets cost a step, and which of them
 * are known to be of the traces' hosts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_case.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

struct row {
	const char *host;        /* of the connection's sender */
	double from_s, to_s;     /* of the connection, which lost lost_s */
	double lost_s;
	double begins_s;         /* of ten steps of 100 ms */
	double cost_ms, kept_s;  /* wanted; cost_ms below 0: none */
	const char *said;        /* by trace-quality; NULL: nothing */
};

static void put_steps(struct na_str *t, double begins_s)
{
	na_str_addf(t, "{'steps': [");
	for (int i = 0; i < 10; i++)
		na_str_addf(t,
			    "%s{'from_s': %.3f, 'to_s': %.3f, 'duration_ms': "
			    "100.0}",
			    i ? ", " : "", begins_s + 0.1 * i,
			    begins_s + 0.1 * (i + 1));
	na_str_addf(t, "]}");
}

static void make(struct hand_case *h, const struct row *x)
{
	char steps[2000], tcp[1000];
	struct na_str t = na_str_over(steps, sizeof(steps));

	put_steps(&t, x->begins_s);
	snprintf(tcp, sizeof(tcp),
		 "{'connections_used': 1, 'connections': [{'src': '10.0.0.1:1',"
		 " 'dst': '10.0.0.2:2', 'src_host': '%s', 'from_s': %.3f, "
		 "'to_s': %.3f, 'verdict': 'receiver_too_slow', 'lost_ms': "
		 "%.3f, 'evidence': ['words']}]}",
		 x->host, x->from_s, x->to_s, x->lost_s * 1e3);
	hand_healthy(h);
	hand_quiet_pairs(h);
	hand_body(h, "steps", steps);
	hand_body(h, "tcp", tcp);
}

static void costs(void **state)
{
	static const struct row rows[] = {
		/* All of it while both ran. */
		{"a", 0, 1, 0.5, 0, 50, 0.5, NULL},
		/* Half of it is past the steps; three quarters. */
		{"a", 0, 2, 1.8, 0, 90, 0.9, NULL},
		{"a", 0, 4, 3.6, 0, 90, 0.9, NULL},
		/* Steps before the capture began are none of its. */
		{"a", 0.5, 1, 0.4, 0, 80, 0.4, NULL},
		/* No step waits for longer than that was. */
		{"a", 0, 1, 5, 0, 100, 1, NULL},
		/* Nobody knows. */
		{"a", 0, 1, 0, 0, -1, 0, NULL},
		{"a", 0, 1, 0.5, 7, -1, 0.5, "do not overlap in time"},
		{"10.0.0.1", 0, 1, 0.5, 0, -1, 0.5, "are unknown"},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		const struct row *x = &rows[i];
		const struct na_value *f;
		struct hand_case h;
		double cost;

		make(&h, x);
		assert_int_equal(hand_found(&h, "tcp-connection", &f), 1);
		cost = na_real_of(na_get(f, "cost_ms_per_step"), -1);
		assert_true(cost > x->cost_ms - 1e-6 &&
			    cost < x->cost_ms + 1e-6);
		cost = na_real_of(na_get(f, "lost_s"), -1);
		assert_true(cost > x->kept_s - 1e-6 && cost < x->kept_s + 1e-6);
		assert_int_equal(hand_found(&h, "trace-quality", &f),
				 x->said != NULL);
		assert_true(!x->said ||
			    strstr(na_text_of(na_get(f, "title"), ""),
				   x->said));
		hand_case_fini(&h);
	}
}

/* What a connection waited in all is none of the steps' alone. */
static void held_back(void **state)
{
	struct hand_case h;
	const struct na_value *f;
	bool said = false;

	(void)state;
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_body(&h, "steps",
		  "{'steps': [{'from_s': 0, 'to_s': 1, 'duration_ms': 1000}]}");
	hand_body(&h, "tcp",
		  "{'connections_used': 1, 'connections': [{'src': "
		  "'10.0.0.1:1', 'dst': '10.0.0.2:2', 'src_host': 'a', "
		  "'from_s': 0, 'to_s': 2, 'verdict': 'delayed_ack', "
		  "'fwd': {'held_back': 9, 'held_back_ms': 1200}}]}");
	assert_int_equal(hand_found(&h, "tcp-connection", &f), 1);
	assert_true(na_real_of(na_get(f, "lost_s"), -1) == 0.6);
	assert_true(na_real_of(na_get(f, "cost_ms_per_step"), -1) == 600);
	na_for_each (v, na_get(f, "evidence_text"))
		said |= strcmp(na_text_of(v, ""),
			       "1.2 s of waits for acknowledgements") == 0;
	assert_true(said);
	hand_case_fini(&h);
}

/* Who is not listed may have been seen. */
static void blind(void **state)
{
	static const struct {
		const char *host, *more, *said;
	} rows[] = {
		{"b", "", "Network looks healthy: "},
		{"c", "", "cannot tell: no packet of b was seen"},
		{"c", "'connections_not_listed': 2,",
		 "cannot tell: packets of b may be missing: "},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct hand_case h;
		char tcp[1000];

		snprintf(tcp, sizeof(tcp),
			 "{%s 'totals': {'packets': 100000, 'data_segments': "
			 "90000}, 'connections_used': 1, 'connections': [{'src': "
			 "'10.0.0.1:1', 'dst': '10.0.0.2:2', 'src_host': 'a', "
			 "'dst_host': '%s', 'from_s': 0, 'to_s': 1, 'verdict': "
			 "'healthy', 'fwd': {'packets': 90000}, 'rev': "
			 "{'packets': 10000}}]}",
			 rows[i].more, rows[i].host);
		hand_case_init(&h);
		hand_doc(&h, "session", "{'coverage': {'used': 5000}}");
		hand_side(&h, "session",
			  "{'one_clock': true, 'files': 2, 'inputs': ["
			  "{'host': 'a', 'trace': true, 'transfers': 0},"
			  "{'host': 'b', 'trace': true, 'transfers': 0}]}");
		hand_body(&h, "tcp", tcp);
		assert_non_null(strstr(hand_verdict(&h), rows[i].said));
		hand_case_fini(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs),
		cmocka_unit_test(held_back),
		cmocka_unit_test(blind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
