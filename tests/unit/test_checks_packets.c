/*
 * check on captures alone: whose side loses packets, and who else is to blame,
 * from results of `tcp` made by hand.
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

enum { HOSTS = 4, SEGMENTS = 1000 };

static int events_each; /* of each that loses; 0: all that is lost */
static const char *loses_as = "network_loss";

/* Each host to each other, in one direction; lost[from][to]. */
static void all_to_all(struct hand_case *h, int lost[HOSTS][HOSTS])
{
	static char json[20000];
	struct na_str t = na_str_over(json, sizeof(json));

	na_str_addf(&t, "{'totals': {'packets': 90000}, 'connections': [");
	for (int a = 0; a < HOSTS; a++) {
		for (int b = 0; b < HOSTS; b++) {
			if (a == b)
				continue;
			na_str_addf(&t,
				    "%s{'src': '10.0.0.%d:9', 'dst': "
				    "'10.0.0.%d:80', 'verdict': '%s', "
				    "'lost_ms': 9.0, 'fwd': {'packets': 2000, "
				    "'data_packets': %d, 'loses': %s, "
				    "'needed_retransmissions': %d, "
				    "'loss_events': %d}, 'rev': "
				    "{'packets': 1000}}",
				    a + b == 1 && a == 0 ? "" : ", ", a + 1,
				    b + 1,
				    lost[a][b] ? loses_as : "healthy",
				    SEGMENTS, lost[a][b] ? "true" : "false",
				    lost[a][b],
				    events_each && lost[a][b] ? events_each
							      : lost[a][b]);
		}
	}
	na_str_addf(&t, "]}");
	hand_case_init(h);
	hand_doc(h, "session", "{}");
	hand_side(h, "session", "{'files': 1, 'inputs': [{'trace': false}]}");
	hand_body(h, "pairs", "{'verdict': 'x'}");
	hand_body(h, "rpc", "{'modes': []}");
	hand_body(h, "tcp", json);
}

static const char *at(const struct na_value *v, const char *path)
{
	return na_text_of(na_dig(v, path), "");
}

static const struct na_value *accused(struct hand_case *h)
{
	return na_first(hand_judge(h), "accused");
}

static void sides(void **state)
{
	static const struct {
		const char *kind, *host, *src, *dst;
		int lost[HOSTS][HOSTS];
	} rows[] = {
		{"src", "10.0.0.2", "", "", {{0}, {22, 0, 18, 20}}},
		{"dst",
		 "10.0.0.3",
		 "",
		 "",
		 {{0, 0, 20}, {0, 0, 24}, {0}, {0, 0, 17}}},
		{"pair", "", "10.0.0.1", "10.0.0.3", {{0, 0, 30}}},
		{"host",
		 "10.0.0.4",
		 "",
		 "",
		 {{0, 0, 0, 15}, {0, 0, 0, 12}, {0, 0, 0, 14}, {15, 13, 16}}},
		/* All alike: the network somewhere. */
		{"",
		 "",
		 "",
		 "",
		 {{0, 9, 9, 9}, {9, 0, 9, 9}, {9, 9, 0, 9}, {9, 9, 9}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct na_value *v;
		struct hand_case h;
		int lost[HOSTS][HOSTS];

		memcpy(lost, rows[i].lost, sizeof(lost));
		all_to_all(&h, lost);
		v = accused(&h);
		assert_non_null(v);
		assert_string_equal(at(v, "cause"), "network");
		if (strcmp(at(v, "kind"), rows[i].kind) != 0)
			fail_msg("row %zu: %s of %s", i, at(v, "kind"),
				 at(v, "host"));
		assert_string_equal(at(v, "host"), rows[i].host);
		assert_string_equal(at(v, "src_host"), rows[i].src);
		assert_string_equal(at(v, "dst_host"), rows[i].dst);
		assert_null(v->next);
		hand_case_fini(&h);
	}
}

/* Two connections with 12 repeats each, and how many of them are losses by
 * themselves; timeouts explain few as well. */
static void repeats_are_no_losses(void **state)
{
	static const struct {
		int events;
		const char *verdict, *kind, *confidence;
	} rows[] = {{1, "network_loss", "", "possible"},
		    {2, "network_loss", "", "possible"},
		    {3, "network_loss", "src", "likely"},
		    {3, "timeout_bound", "", "possible"},
		    {6, "timeout_bound", "src", "likely"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int lost[HOSTS][HOSTS] = {{0}, {12, 0, 12, 0}};
		const struct na_value *v;
		struct hand_case h;

		events_each = rows[i].events;
		loses_as = rows[i].verdict;
		all_to_all(&h, lost);
		events_each = 0;
		loses_as = "network_loss";
		v = accused(&h);
		assert_string_equal(at(v, "kind"), rows[i].kind);
		assert_string_equal(at(v, "confidence"), rows[i].confidence);
		hand_case_fini(&h);
	}
}

#define ONE(verdict, more) \
	"{'totals': {'packets': 900}, 'connections_used': 1, 'connections': " \
	"[{'src': '10.0.0.1:999', 'dst': '[fd00::2]:80', 'verdict': " \
	"'" verdict "', 'lost_ms': 5.0, " more "}]}"
#define WAYS(fwd, rev) \
	"'fwd': {'packets': 450" fwd "}, 'rev': {'packets': 450" rev "}"

/* Who is to blame for a connection, and what that makes of the network. */
struct party {
	const char *tcp, *outcome, *cause, *host;
};

static void blames(const struct party *p, size_t row)
{
	const struct na_value *v;
	struct hand_case h;

	hand_case_init(&h);
	hand_doc(&h, "session", "{}");
	hand_side(&h, "session", "{'files': 1, 'inputs': [{'trace': false}]}");
	hand_body(&h, "pairs", "{'verdict': 'x'}");
	hand_body(&h, "rpc", "{'modes': []}");
	hand_body(&h, "tcp", p->tcp);
	v = hand_judge(&h);
	if (strcmp(at(v, "outcome"), p->outcome) != 0)
		fail_msg("row %zu: %s, %s", row, at(v, "outcome"),
			 at(v, "verdict"));
	v = na_first(v, "accused");
	assert_string_equal(at(v, "cause"), p->cause);
	assert_string_equal(at(v, "host"), p->host);
	hand_case_fini(&h);
}

static void an_end_is_to_blame(void **state)
{
	static const struct party rows[] = {
		{ONE("healthy", WAYS("", "")), "not_guilty", "", ""},
		{ONE("refused", WAYS("", "")), "not_guilty", "server",
		 "fd00::2"},
		{ONE("reset", WAYS(", 'reset': true", "")), "not_guilty",
		 "client", "10.0.0.1"},
		/* What heals or leaves nothing open accuses nobody; a client
		 * that has waited may not be the one. */
		{ONE("refused", "'harmless': true, " WAYS("", "")),
		 "not_guilty", "", ""},
		{ONE("refused", "'let_in_ms': 9e4, " WAYS("", "")),
		 "not_guilty", "server", "fd00::2"},
		{ONE("reset", "'harmless': true, " WAYS(", 'reset': true", "")),
		 "not_guilty", "", ""},
		{ONE("reset",
		     "'reset_after_ms': 999.0, " WAYS(", 'reset': true", "")),
		 "not_guilty", "client", "10.0.0.1"},
		{ONE("reset",
		     "'reset_after_ms': 1e3, " WAYS(", 'reset': true", "")),
		 "not_guilty", "", ""},
		{ONE("reset",
		     "'reset_after_ms': 1e3, " WAYS("", ", 'reset': true")),
		 "not_guilty", "server", "fd00::2"},
		{ONE("reset", WAYS("", ", 'reset': true")), "not_guilty",
		 "server", "fd00::2"},
		{ONE("receiver_too_slow", WAYS(", 'zero_windows': 3", "")),
		 "not_guilty", "client", "10.0.0.1"},
		{ONE("server_slow",
		     "'calls': {'client': 'dst', 'n': 5, 'slow': "
		     "5}, " WAYS("", "")),
		 "not_guilty", "server", "10.0.0.1"},
		/* Once for each client: a store that waits for the last one. */
		{ONE("server_slow",
		     "'calls': {'client': 'dst', 'n': 5, 'slow': "
		     "1}, " WAYS("", "")),
		 "not_guilty", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++)
		blames(&rows[i], i);
}

static void settings_are_to_blame(void **state)
{
	static const struct party rows[] = {
		/* Full for 5 ms in 1 s, and little to send; or much. */
		{ONE("window_limited",
		     "'from_s': 0.0, 'to_s': 1.0, 'idle_ms': 950.0, "
		     "'active_ms': 50.0, " WAYS("", "")),
		 "not_guilty", "", ""},
		{ONE("window_limited",
		     "'from_s': 0.0, 'to_s': 1.0, 'idle_ms': 800.0, "
		     "'active_ms': 200.0, " WAYS(", 'bytes': 9",
						 ", 'bytes': 1")),
		 "not_guilty", "settings", "fd00::2"},
		{ONE("window_limited", WAYS(", 'bytes': 9", ", 'bytes': 1")),
		 "not_guilty", "settings", "fd00::2"},
		{ONE("delayed_ack", WAYS(", 'held_back': 9", "")), "not_guilty",
		 "settings", "10.0.0.1"},
		{ONE("delayed_ack",
		     WAYS(", 'held_back': 9, 'held_back_unanswered': 4", "")),
		 "not_guilty", "settings", "10.0.0.1"},
		/* Nobody waits for them. */
		{ONE("delayed_ack",
		     WAYS(", 'held_back': 9, 'held_back_unanswered': 5", "")),
		 "not_guilty", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++)
		blames(&rows[i], i);
}

static void the_network_is_to_blame(void **state)
{
	static const struct party rows[] = {
		{ONE("peer_vanished", WAYS(", 'gone': true", "")),
		 "cannot_tell", "", ""},
		{ONE("peer_vanished", WAYS(", 'black_hole': true", "")),
		 "guilty", "network", ""},
		{ONE("queueing",
		     WAYS(", 'queueing': true, 'data_packets': 9", "")),
		 "guilty", "network", ""},
		{ONE("network_loss",
		     WAYS(", 'loses': true, 'data_packets': 400, "
			  "'needed_retransmissions': 3",
			  "")),
		 "guilty", "network", ""},
		/* SYNs alone: two are too few. */
		{ONE("network_loss",
		     WAYS(", 'loses': true, 'data_segments': 400, "
			  "'lost_data_segments': 0, "
			  "'needed_retransmissions': 2",
			  "")),
		 "cannot_tell", "", ""},
		{ONE("network_loss",
		     WAYS(", 'loses': true, 'data_segments': 400, "
			  "'lost_data_segments': 0, "
			  "'needed_retransmissions': 3",
			  "")),
		 "guilty", "network", ""},
		{"{'totals': {'packets': 49}, 'connections': []}",
		 "cannot_tell", "", ""},
		{"{'totals': {'packets': 900}, 'connections': [{'src': "
		 "'127.0.0.1:5', 'dst': '127.0.0.1:80'}]}",
		 "cannot_tell", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++)
		blames(&rows[i], i);
}

/* The arrow is the way of the data that is lost, whoever connected. */
static void arrows_are_of_what_is_lost(void **state)
{
	static const char lost[] =
		", 'loses': true, 'data_packets': 400, "
		"'needed_retransmissions': 9";
	static const char *const says[] = {", 10.0.0.1:9 -> 10.0.0.2:80",
					   ", 10.0.0.2:80 -> 10.0.0.1:9"};

	(void)state;
	for (size_t i = 0; i < NA_LEN(says); i++) {
		struct hand_case h;
		const char *verdict;
		char tcp[600];

		(void)snprintf(tcp, sizeof(tcp),
			       "{'totals': {'packets': 900}, "
			       "'connections_used': 1, 'connections': "
			       "[{'src': '10.0.0.1:9', 'dst': '10.0.0.2:80', "
			       "'verdict': 'network_loss', " WAYS("%s", "%s")
			       "}]}",
			       i ? "" : lost, i ? lost : "");
		hand_case_init(&h);
		hand_doc(&h, "session", "{}");
		hand_side(&h, "session",
			  "{'files': 1, 'inputs': [{'trace': false}]}");
		hand_body(&h, "tcp", tcp);
		verdict = at(na_first(hand_judge(&h), "findings"), "title");
		if (!strstr(verdict, says[i]))
			fail_msg("row %zu: %s", i, verdict);
		hand_case_fini(&h);
	}
}

/* What is counted is of the connections listed, and said to be. */
static void what_is_not_listed_is_not_counted(void **state)
{
	static const struct {
		const char *not_listed, *says;
	} rows[] = {
		{"'connections_not_listed': 4, ",
		 "3 of 400 data segments (0.75 %) lost and retransmitted, on 1 of "
		 "the 1 connections listed, of 5,"},
		{"'connections_not_listed': 0, ",
		 "3 of 400 data segments (0.75 %) lost and retransmitted, on 5 of "
		 "5 connections,"},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct hand_case h;
		const char *verdict;
		char tcp[600];

		(void)snprintf(
			tcp, sizeof(tcp),
			"{'totals': {'packets': 900, 'verdicts': "
			"{'network_loss': 5}}, %s'connections_used': 5, "
			"'connections': [{'src': '10.0.0.1:9', 'dst': "
			"'10.0.0.2:80', 'verdict': 'network_loss', " WAYS(
				", 'loses': true, 'data_packets': 400, "
				"'needed_retransmissions': 3",
				"") "}]}",
			rows[i].not_listed);
		hand_case_init(&h);
		hand_doc(&h, "session", "{}");
		hand_side(&h, "session",
			  "{'files': 1, 'inputs': [{'trace': false}]}");
		hand_body(&h, "tcp", tcp);
		verdict = at(hand_judge(&h), "verdict");
		if (!strstr(verdict, rows[i].says))
			fail_msg("row %zu: %s", i, verdict);
		hand_case_fini(&h);
	}
}

/* Who could not have seen it has not passed. */
static void passes(void **state)
{
	static const struct {
		const char *id, *exhibit, *body;
		bool passes;
	} rows[] = {
		{"tcp-connection", "tcp",
		 "{'totals': {'packets': 900, 'data_segments': 300}}", true},
		{"tcp-connection", "tcp",
		 "{'totals': {'packets': 900, 'data_segments': 299}}", false},
		{"tcp-connection", "tcp",
		 "{'totals': {'packets': 900, 'data_segments': 300}, "
		 "'connections': [{'src': '10.0.0.1:5', 'dst': '10.0.0.2:80', "
		 "'fwd': {'packets': 9}, 'rev': {'packets': 0}}]}",
		 false},
		{"tcp-connection", "tcp",
		 "{'totals': {'packets': 900, 'data_segments': 300}, "
		 "'connections': [{'src': '127.0.0.1:5', 'dst': "
		 "'127.0.0.1:80'}]}",
		 false},
		{"rdma-queue-pair", "rdma", "{'totals': {'packets': 300}}",
		 true},
		{"rdma-queue-pair", "rdma", "{'totals': {'packets': 299}}",
		 false},
		{"rpc-latency", "rpc", "{'overall': {'transfers': 100}}", true},
		{"rpc-latency", "rpc", "{'overall': {'transfers': 99}}", false},
		{"small-transfers", "sizes",
		 "{'groups': [{'count': 100, 'small_count_share': 0.4, "
		 "'small_time_share': 0.1}]}",
		 true},
		{"small-transfers", "sizes",
		 "{'groups': [{'count': 99, 'small_count_share': 0.4, "
		 "'small_time_share': 0.1}]}",
		 false},
		{"small-transfers", "sizes",
		 "{'groups': [{'count': 100, 'small_count_share': 1.0, "
		 "'small_time_share': 1.0}]}",
		 false},
		{"bursty", "bursts",
		 "{'pending': {'count': 11, 'max': 1.0, 'time_mean': 1.0}, "
		 "'dispersion': [{'window_ms': 10, 'idc': 1.0}]}",
		 true},
		{"bursty", "bursts",
		 "{'pending': {'count': 10, 'max': 1.0, 'time_mean': 1.0}, "
		 "'dispersion': [{'window_ms': 10, 'idc': 1.0}]}",
		 false},
		{"bursty", "bursts",
		 "{'pending': {'count': 11, 'max': 1.0, 'time_mean': 1.0}, "
		 "'dispersion': [{'window_ms': 10, 'idc': null}]}",
		 false},
		{"clock-skew", "pairs", "{'verdict': 'x'}", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_case h;

		hand_case_init(&h);
		hand_doc(&h, "session", "{}");
		hand_side(&h, "session",
			  "{'files': 1, 'inputs': [{'trace': false}]}");
		if (strcmp(rows[i].exhibit, "tcp") != 0)
			hand_body(&h, "tcp", "{'totals': {'packets': 900}}");
		hand_body(&h, rows[i].exhibit, rows[i].body);
		hand_run(&h, rows[i].id);
		if (hand_finding(&h, 0) || !hand_missing(&h) != rows[i].passes)
			fail_msg("row %zu: %s", i,
				 hand_missing(&h) ? hand_missing(&h)
						  : "passed");
		hand_case_fini(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides),
		cmocka_unit_test(repeats_are_no_losses),
		cmocka_unit_test(an_end_is_to_blame),
		cmocka_unit_test(settings_are_to_blame),
		cmocka_unit_test(the_network_is_to_blame),
		cmocka_unit_test(arrows_are_of_what_is_lost),
		cmocka_unit_test(what_is_not_listed_is_not_counted),
		cmocka_unit_test(passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
