/*
 * Who is to blame: culprits, stragglers and connections written by hand, and
 * the line that comes of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_case.h"
#include "netan/base/vec.h"

static const char *text(const struct na_value *f, const char *name)
{
	return na_text_of(na_dig(f, name), "");
}

#define CULPRIT(more) \
	"{'verdict': 'suspect', 'outcome': 'guilty', 'culprits': [{'kind': " \
	"'src', 'host': 'host-17', 'suspect': 'transmit side of host-17', " \
	"'posterior': 0.99, 'odds': 99.0, 'excess': 2.8, 'channel': 'all', " \
	"'pairs': 31, 'transfers': 900, 'test_next': 'iperf3'" more "}]}"

#define STRAGGLER(host, cause) \
	"{'host': '" host "', 'cause': '" cause "', 'of': 'steps', 'times': " \
	"9, 'tried': 10, 'behind_ms': 40.0, 'lost_ms': 1900.0, " \
	"'cost_ms_per_step': 40.0}"

/* One execution: 1.9 ms of 14 ms its transfers, waiting to be sent and on
 * the way; the rest those of another, and nobody's.  At 2.8x, 1.22 ms of it
 * would not be. */
#define LATE_OF(src, dst) \
	"{'collectives': [], 'total': {'devices': 2, 'stall_us': 28e6, " \
	"'stall_share': 0.1}, 'late': [{'stall_us': 14000.0, 'path': [{'kind': 'd2h', 'host': " \
	"'" src "', 'duration_us': 100.0}, {'kind': 'wait', 'host': '" src \
	"', 'src_host': '" src "', 'src': 's1', 'dst': 's2', " \
	"'duration_us': 1000.0}, {'kind': 'send', 'host': '" src \
	"', 'src_host': '" src "', 'src': 's1', 'dst': 's2', " \
	"'duration_us': 500.0}, {'kind': 'network', 'host': '" dst \
	"', 'src_host': '" src "', 'src': 's1', 'dst': 's2', " \
	"'duration_us': 400.0}, {'kind': 'network', 'host': 'host-9', " \
	"'src_host': 'host-8', 'src': 's8', 'dst': 's9', 'duration_us': " \
	"12000.0}]}]}"

#define STEP      "{'duration_ms': 1200.0},"
#define TEN_STEPS STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP

static void not_guilty(void **state)
{
	struct hand_case h;

	(void)state;
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_slack(&h, "0.1");
	assert_string_equal(hand_verdict(&h), HAND_NOT_GUILTY);
	hand_case_fini(&h);
}

/* The culprit, by how much, the share of late paths that it is, of the stall
 * of one device; its victim is not named. */
static void guilty(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs", CULPRIT(""));
	hand_body(&h, "slack", LATE_OF("host-17", "host-3"));
	hand_body(&h, "steps",
		  "{'steps': [" TEN_STEPS "], 'stragglers': [" STRAGGLER(
			  "host-17",
			  "network") ", " STRAGGLER("host-3",
						    "late_start") "]}");
	assert_string_equal(
		hand_verdict(&h),
		"suspect: transmit side of host-17 (2.8x slower "
		"over 31 pairs), costs about 122 ms a step (median step: "
		"1.2 s); likely");
	assert_int_equal(hand_found(&h, "bad-endpoint", &f), 1);
	assert_string_equal(text(f, "severity"), "error");
	assert_string_equal(text(f, "confidence"), "likely");
	assert_string_equal(
		na_text_of(na_get(na_get(f, "evidence"), "victims")->u.of.first,
			   ""),
		"host-3");
	h.only = NULL;
	f = na_get(hand_judge(&h), "findings")->u.of.first;
	assert_string_equal(text(f, "id"), "bad-endpoint");
	assert_null(f->next);
	/* Asked alone, the straggler tells its own story. */
	assert_int_equal(hand_found(&h, "straggler", &f), 2);
	hand_case_fini(&h);
}

/* "network src host-17", of the accused number i; "" where there is none. */
static const char *accused(struct hand_case *h, size_t i, char buf[200])
{
	const struct na_value *v = na_get(hand_judge(h), "accused")->u.of.first;

	while (v && i--)
		v = v->next;
	buf[0] = '\0';
	if (v)
		snprintf(buf, 200, "%s %s %s", text(v, "cause"),
			 text(v, "kind"), text(v, "host"));
	return buf;
}

static const char *outcome(struct hand_case *h)
{
	return na_text_of(na_get(hand_judge(h), "outcome"), "");
}

/* The outcome follows from who is accused; a cause is accused once, and a
 * suspicion is no accusation. */
static void who_is_accused(void **state)
{
	struct hand_case h;
	char buf[200];

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs", CULPRIT(""));
	hand_body(&h, "slack", LATE_OF("host-17", "host-3"));
	hand_body(&h, "rpc",
		  "{'verdict': 'RTO-like', 'modes': [{'latency_ms': 200, "
		  "'cause': 'retransmission timeout', 'count': 9, 'share': "
		  "0.01, 'hosts': ['host-17']}]}");
	hand_body(&h, "steps",
		  "{'stragglers': [" STRAGGLER("host-3", "input") "]}");
	assert_string_equal(outcome(&h), "guilty");
	assert_string_equal(accused(&h, 0, buf), "network src host-17");
	assert_string_equal(accused(&h, 1, buf), "input host host-3");
	assert_string_equal(accused(&h, 2, buf), "");
	hand_case_fini(&h);
	/* Somebody's own work leaves the network what it is. */
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_slack(&h, "0.1");
	hand_body(&h, "steps",
		  "{'stragglers': [" STRAGGLER("host-3", "computation") "]}");
	assert_string_equal(outcome(&h), "not_guilty");
	assert_string_equal(accused(&h, 0, buf), "compute host host-3");
	hand_case_fini(&h);
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_slack(&h, "0.1");
	hand_body(&h, "steps",
		  "{'stragglers': [" STRAGGLER("host-3", "network") "]}");
	assert_string_equal(outcome(&h), "cannot_tell");
	assert_string_equal(accused(&h, 0, buf), "");
	hand_case_fini(&h);
}

/* Findings of every kind tell facts, two or three where there is as much to
 * tell. */
static void facts(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs", CULPRIT(", 'excess_ci95': #[2.5, 3.1]"));
	hand_body(&h, "slack", LATE_OF("host-17", "host-3"));
	assert_int_equal(hand_found(&h, "bad-endpoint", &f), 1);
	f = na_get(f, "evidence_text");
	assert_int_equal(f->n, 2);
	assert_string_equal(na_text_of(f->u.of.first, ""),
			    "its 900 transfers take 2.80 times as long as "
			    "usual (95 %: 2.50 to 3.10)");
	assert_string_equal(
		na_text_of(f->u.of.first->next, ""),
		"its transfers are 13.6 % of the critical paths of the slowest "
		"collectives");
	hand_case_fini(&h);
}

#define OF(kind, ends, more) \
	"{'verdict': 'suspect', 'culprits': [{'kind': '" kind "', " ends \
	", 'suspect': 'it', 'excess': 2.8, 'channel': 'all', 'pairs': 9, " \
	"'transfers': 900, 'test_next': 'iperf3'" more "}]}"

/* Whose transfers they are depends on the culprit's side; one that is slow
 * now and then says nothing of all executions. */
static void costs(void **state)
{
	static const struct {
		const char *pairs;
		bool told;
	} all[] = {
		{OF("src", "'host': 'a'", ""), true},
		{OF("dst", "'host': 'a'", ""), false},
		{OF("dst", "'host': 'b'", ""), true},
		{OF("src", "'host': 'b'", ""), false},
		{OF("host", "'host': 'b'", ""), true},
		{OF("pair", "'src_host': 'a', 'dst_host': 'b'", ""), true},
		{OF("pair", "'src_host': 'b', 'dst_host': 'a'", ""), false},
		{OF("rack_uplink", "'hosts': ['a', 'c']", ""), true},
		{OF("rack_downlink", "'hosts': ['a', 'c']", ""), false},
		{OF("src", "'host': 'a'", ", 'intermittent': true"), false},
	};
	struct hand_case h;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		hand_healthy(&h);
		hand_body(&h, "pairs", all[i].pairs);
		hand_body(&h, "slack", LATE_OF("a", "b"));
		assert_int_equal(strstr(hand_verdict(&h), ", costs 1.22 s") !=
					 NULL,
				 all[i].told);
		hand_case_fini(&h);
	}
}

/* Where another host's own slowness costs half as much, it is told, too. */
static void besides(void **state)
{
	struct hand_case h;
	char json[500];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		hand_healthy(&h);
		hand_body(&h, "pairs", CULPRIT(""));
		hand_body(&h, "slack", LATE_OF("host-17", "host-3"));
		snprintf(json, sizeof(json),
			 "{'stragglers': [" STRAGGLER(
				 "host-17",
				 "network") ", {'host': 'host-3', 'cause': "
					    "'input', 'of': 'steps', 'times': "
					    "9, 'tried': 10, 'behind_ms': "
					    "40.0, 'lost_ms': %s}]}",
			 i ? "620.0" : "600.0");
		hand_body(&h, "steps", json);
		assert_int_equal(strstr(hand_verdict(&h),
					"; steps wait for host-3's input or "
					"host, too, costs 620 ms") != NULL,
				 i);
		hand_case_fini(&h);
	}
}

/* One source says so, and the better one names nobody. */
static void only_steps(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		hand_healthy(&h);
		if (i)
			hand_quiet_pairs(&h);
		else
			hand_body(&h, "pairs",
				  "{'verdict': 'too few pairs to localise'}");
		if (!i)
			hand_side(&h, "pairs", "{'too_few': true}");
		hand_slack(&h, "0.1");
		hand_body(&h, "steps",
			  "{'stragglers': [" STRAGGLER("b", "network") "]}");
		f = na_get(hand_judge(&h), "findings")->u.of.first;
		assert_string_equal(text(f, "id"), "straggler");
		assert_string_equal(text(f, "severity"),
				    i ? "info" : "warning");
		assert_string_equal(
			hand_verdict(&h),
			"cannot tell: the transfers of one host take longest, "
			"but no test names its network");
		hand_case_fini(&h);
	}
}

/* Starts are compared between clocks. */
static void late_start(void **state)
{
	static const struct {
		const char *one_clock, *cause, *severity;
	} x[] = {
		{"true", "late_start", "warning"},
		{"false", "late_start", "info"},
		{"false", "computation", "warning"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
		struct hand_case h;
		const struct na_value *f;
		char json[400];

		hand_case_init(&h);
		hand_body(&h, "session", "{}");
		snprintf(json, sizeof(json), "{'files': 4, 'one_clock': %s}",
			 x[i].one_clock);
		hand_side(&h, "session", json);
		snprintf(json, sizeof(json),
			 "{'stragglers': [{'host': 'b', 'cause': '%s', 'of': "
			 "'collectives', 'times': 9, 'tried': 10}]}",
			 x[i].cause);
		hand_body(&h, "steps", json);
		assert_int_equal(hand_found(&h, "straggler", &f), 1);
		assert_string_equal(text(f, "severity"), x[i].severity);
		hand_case_fini(&h);
	}
}

#define LATE(cause, ms) \
	"{'duration_ms': 100.0, 'slowest_host': 'b', 'cause': '" cause \
	"', 'behind_ms': " ms ", 'lost_ms': " ms \
	", 'from_s': 1.0, 'to_s': 2.0}"
#define HOSTS "'hosts': [{'host': 'a'}, {'host': 'b'}]"

/* A few steps that wait long for one host are no habit, yet they cost. */
static void now_and_then(void **state)
{
	static const struct {
		const char *steps;
		size_t found;
	} x[] = {
		{LATE("input", "4.9") "," LATE("input", "5.0") "," LATE("input",
									"5.0"),
		 0},
		{LATE("input", "5.0") "," LATE("input", "5.0") "," LATE("input",
									"5.0"),
		 1},
		{LATE("computation",
		      "5.0") "," LATE("input", "9.0") "," LATE("input", "9.0"),
		 0},
		{LATE("network", "9.0") "," LATE("network",
						 "9.0") "," LATE("network",
								 "9.0"),
		 0},
	};
	char json[900];
	const struct na_value *f;
	struct hand_case h;

	(void)state;
	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
		hand_healthy(&h);
		hand_quiet_pairs(&h);
		hand_slack(&h, "0.1");
		snprintf(json, sizeof(json), "{'steps': [%s], " HOSTS "}",
			 x[i].steps);
		hand_body(&h, "steps", json);
		assert_int_equal(hand_found(&h, "straggler", &f), x[i].found);
		if (x[i].found)
			assert_string_equal(hand_verdict(&h), HAND_NOT_GUILTY
					    "; steps wait for b's input or "
					    "host, costs at most 5 ms a step "
					    "(median step: 100 ms)");
		hand_case_fini(&h);
	}
	/* Told once. */
	hand_healthy(&h);
	hand_body(&h, "steps",
		  "{'steps': [" LATE("input", "9.0") "," LATE(
			  "input",
			  "9.0") "," LATE("input",
					  "9.0") "], " HOSTS
						 ", 'stragglers': [" STRAGGLER(
							 "b", "input") "]}");
	assert_int_equal(hand_found(&h, "straggler", &f), 1);
	hand_case_fini(&h);
}

static void alternatives(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs",
		  CULPRIT(", 'alternatives': [{'kind': 'pair', 'src_host': "
			  "'host-17', 'dst_host': 'host-2'}]"));
	hand_slack(&h, "0.1");
	assert_int_equal(hand_found(&h, "bad-endpoint", &f), 1);
	assert_string_equal(text(f, "severity"), "warning");
	assert_string_equal(text(f, "confidence"), "possible");
	assert_non_null(
		strstr(hand_verdict(&h),
		       "possible cause: transmit side of host-17 or path "
		       "host-17 -> host-2 (2.8x slower"));
	assert_string_equal(outcome(&h), "one_of");
	hand_case_fini(&h);
}

/* Who computes late makes its transfers look slow. */
static void slow_itself(void **state)
{
	struct hand_case h;
	const struct na_value *f;
	char buf[200];

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs", CULPRIT(", 'one_clock': false"));
	hand_slack(&h, "0.1");
	hand_body(&h, "steps",
		  "{'steps': [{'duration_ms': 3000.0}], 'hosts': [{'host': "
		  "'host-17', 'steps': 10, 'compute_ms': 80.0}, {'host': 'b', "
		  "'steps': 10, 'compute_ms': 40.0}], 'stragglers': "
		  "[" STRAGGLER("host-17", "computation") "]}");
	assert_string_equal(
		hand_verdict(&h),
		"steps wait for host-17's own computation, costs 40 ms a step "
		"(median step: 3 s); network: cannot tell: transfers of a host "
		"look slow, and may only wait for its own slow work");
	assert_string_equal(accused(&h, 0, buf), "compute host host-17");
	assert_string_equal(accused(&h, 1, buf), "");
	assert_int_equal(hand_found(&h, "bad-endpoint", &f), 1);
	assert_string_equal(text(f, "severity"), "warning");
	assert_int_equal(hand_found(&h, "straggler", &f), 1);
	assert_non_null(strstr(text(f, "title"), "computes 2.00 times"));
	hand_case_fini(&h);
	/* What the sender's clock timed to the acknowledgement is no wait. */
	hand_healthy(&h);
	hand_body(&h, "pairs", CULPRIT(", 'one_clock': true"));
	hand_slack(&h, "0.1");
	hand_body(&h, "steps",
		  "{'stragglers': [" STRAGGLER("host-17", "computation") "]}");
	assert_string_equal(outcome(&h), "guilty");
	assert_string_equal(accused(&h, 0, buf), "network src host-17");
	assert_string_equal(accused(&h, 1, buf), "compute host host-17");
	hand_case_fini(&h);
}

static void cannot_tell(void **state)
{
	struct hand_case h;

	(void)state;
	/* Transfers take longest at a host, and no pair stands out. */
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_slack(&h, "0.1");
	hand_body(&h, "steps",
		  "{'stragglers': [" STRAGGLER("host-1", "network") "]}");
	assert_string_equal(hand_verdict(&h),
			    "cannot tell: the transfers of one host take "
			    "longest, but no test names its network");
	hand_case_fini(&h);

	/* The same, in under 1 % of the time of the steps. */
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_slack(&h, "0.1");
	hand_body(&h, "steps",
		  "{'steps': [{'duration_ms': 191000.0}], 'stragglers': "
		  "[" STRAGGLER("host-1", "network") "]}");
	assert_string_equal(hand_verdict(&h), HAND_NOT_GUILTY);
	hand_case_fini(&h);

	hand_healthy(&h);
	hand_body(&h, "pairs", "{'verdict': 'too few pairs to localise (2)'}");
	hand_side(&h, "pairs", "{'too_few': true}");
	hand_slack(&h, "0.01");
	assert_string_equal(
		hand_verdict(&h),
		"cannot tell: too few pairs to localise (2): trace more "
		"hosts at once");
	hand_case_fini(&h);

	/* Nobody waits: that acquits nobody. */
	hand_healthy(&h);
	hand_body(&h, "pairs", "{'verdict': 'too few pairs to localise (2)'}");
	hand_side(&h, "pairs", "{'too_few': true}");
	hand_slack(&h, "0.009");
	assert_string_equal(
		hand_verdict(&h),
		"cannot tell: too few pairs to localise (2): trace more hosts "
		"at once; it hardly matters: devices wait 0.900 % of their "
		"steps for communication");
	hand_side(&h, "session", "{'damaged': 1, 'refused': 1}");
	assert_string_equal(
		hand_verdict(&h),
		"cannot tell: 2 of 5 inputs are damaged or "
		"unreadable: copy or capture them again; it hardly matters: "
		"devices wait "
		"0.900 % of their steps for communication");
	hand_case_fini(&h);

	/* No pairs, no packets. */
	hand_healthy(&h);
	assert_string_equal(
		hand_verdict(&h),
		"cannot tell: these inputs have no network transfers");
	hand_quiet_pairs(&h);
	assert_string_equal(hand_verdict(&h), HAND_NOT_GUILTY);
	h.only = "small-transfers";
	assert_string_equal(
		hand_verdict(&h),
		"cannot tell: some network checks were not requested");
	hand_case_fini(&h);
}

static const char *with_transfers(struct hand_case *h, const char *count)
{
	char json[100];

	hand_case_init(h);
	hand_doc(h, "session", "{'coverage': {'used': 5000}}");
	hand_side(h, "session", "{'one_clock': true, 'files': 4}");
	hand_body(h, "rpc", "{'verdict': 'steady', 'modes': []}");
	hand_quiet_pairs(h);
	snprintf(json, sizeof(json), "{'groups': [{'count': %s}]}", count);
	hand_body(h, "sizes", json);
	return hand_verdict(h);
}

static void few_transfers(void **state)
{
	struct hand_case h;

	(void)state;
	assert_string_equal(with_transfers(&h, "99"),
			    "cannot tell: 99 transfers are too few to judge");
	hand_case_fini(&h);
	assert_string_equal(with_transfers(&h, "100"), HAND_NOT_GUILTY);
	hand_case_fini(&h);
}

#define CONNECTION(verdict, lost) \
	"{'src': 'a:1', 'dst': 'b:2', 'from_s': 1.0, 'to_s': 2.0, 'verdict': " \
	"'" verdict "', 'lost_ms': " lost ", 'evidence': ['words']}"

static void connections(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_body(
		&h, "tcp",
		"{'connections_used': 9, 'connections': [" CONNECTION("timeout_bound", "400.0") ", " CONNECTION(
			"timeout_bound",
			"300.0") ", " CONNECTION("receiver_too_slow",
						 "900.0") ", " CONNECTION("sender_idle",
									  "0.0") ", " CONNECTION("healthy",
												 "0.0") "], 'totals': {'verdicts': {'timeout_bound': 3, "
													"'receiver_too_slow': 1}}}");
	assert_int_equal(hand_found(&h, "tcp-connection", &f), 2);
	assert_string_equal(text(f, "severity"), "error");
	assert_true(na_real_of(na_get(f, "lost_s"), 0) == 0.4);
	assert_int_equal(na_int_of(na_dig(f, "evidence.connections"), 0), 3);
	assert_string_equal(text(f->next, "severity"), "warning");
	assert_string_equal(
		hand_verdict(&h),
		"suspect: the network loses packets (3 of 9 "
		"connections are silent in retransmission timeouts, "
		"the worst a:1 -> b:2), costs 400 ms on the worst connection; "
		"likely; larger cost: b does not read what it "
		"receives, costs 900 ms on a:1 -> b:2");
	hand_case_fini(&h);
	hand_healthy(&h);
	hand_quiet_pairs(&h);
	hand_body(&h, "tcp",
		  "{'connections_used': 1, 'connections': [" CONNECTION(
			  "receiver_too_slow", "900.0") "]}");
	assert_string_equal(hand_verdict(&h), HAND_NOT_GUILTY
			    "; b does not read what it receives");
	hand_case_fini(&h);
}

/* Where the capture missed as much as seems lost, of few packets, neither is
 * proven; many packets, or fewer holes, leave no doubt. */
static void damaged_capture(void **state)
{
	static const struct {
		int segments, holes;
		const char *said;
	} all[] = {
		{12, 5, "cannot tell: 5 of 12 packets seem lost"},
		{12, 4, "suspect: path a -> b loses packets (5 of 12 data"},
		{12, 0, "suspect: path a -> b loses packets (5 of 12 data"},
		{50, 5, "suspect: path a -> b loses packets (5 of 50 data"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct hand_case h;
		char tcp[600];

		snprintf(tcp, sizeof(tcp),
			 "{'connections_used': 1, 'connections': [{'src': "
			 "'a:1', 'dst': 'b:2', 'src_host': 'a', 'dst_host': "
			 "'b', 'verdict': 'network_loss', "
			 "'lost_ms': 5.0, 'fwd': {'packets': 60, 'loses': "
			 "true, 'data_packets': %d, "
			 "'needed_retransmissions': 5, 'capture_holes': %d}, "
			 "'rev': {'packets': 9}}]}",
			 all[i].segments, all[i].holes);
		hand_healthy(&h);
		hand_quiet_pairs(&h);
		hand_body(&h, "tcp", tcp);
		assert_int_equal(strncmp(hand_verdict(&h), all[i].said,
					 strlen(all[i].said)),
				 0);
		hand_case_fini(&h);
	}
}

/* A peer that never answers may be down: nobody is convicted; who is not known
 * to be of the traces leaves their hosts acquitted. */
static void unanswered(void **state)
{
	static const struct {
		const char *host, *said;
	} cases[] = {
		{"a", "cannot tell: b never answers or acknowledges again"},
		{"z",
		 "cannot tell: of the captures, which cannot be joined "
		 "with the traces: b never answers or acknowledges "
		 "again; network of the traces' hosts looks healthy: a NIC "
		 "1.30x slower than usual would have been detected on all 4 "
		 "transmit and receive sides" HAND_NO_LINKS},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(cases); i++) {
		const struct na_value *f;
		struct hand_case h;
		char tcp[400];

		snprintf(tcp, sizeof(tcp),
			 "{'connections_used': 2, 'connections': [{'src': "
			 "'a:1', 'dst': 'b:2', 'src_host': '%s', 'dst_host': "
			 "'b', 'verdict': 'peer_vanished', 'lost_ms': 9000, "
			 "'fwd': {'packets': 3, 'gone': true}, 'rev': "
			 "{'packets': 0}}]}",
			 cases[i].host);
		hand_healthy(&h);
		hand_quiet_pairs(&h);
		hand_body(&h, "tcp", tcp);
		assert_int_equal(hand_found(&h, "tcp-connection", &f), 1);
		assert_string_equal(text(f, "title"),
				    "b never answers or acknowledges again: 1 "
				    "of 2 connections is not answered any "
				    "more, a:1 -> b:2");
		assert_string_equal(hand_verdict(&h), cases[i].said);
		hand_case_fini(&h);
	}
}

/* Packets tell enough where transfers do not, where they are so many that a
 * loss of 1 % would have shown. */
static void few_packets(void **state)
{
	static const struct {
		int packets;
		const char *said;
	} cases[] = {
		{49, "cannot tell: 49 packets are too few to judge: capture "
		     "for longer"},
		{50,
		 "cannot tell: no retransmission in 50 packets, too few to "
		 "detect a loss below 6.00 %: capture 300 or more"},
		{299,
		 "cannot tell: no retransmission in 299 packets, too few to "
		 "detect a loss below 1.00 %: capture 300 or more"},
		{300,
		 "Network looks healthy: no retransmission in 300 packets "
		 "(enough to detect 1.00 % loss, or 10.0 % in bursts of 10)"}};

	(void)state;
	for (size_t i = 0; i < NA_LEN(cases); i++) {
		struct hand_case h;
		char json[100];

		hand_case_init(&h);
		hand_side(&h, "session", "{'one_clock': true, 'files': 1}");
		snprintf(json, sizeof(json),
			 "{'connections': [], 'totals': {'packets': %d}}",
			 cases[i].packets);
		hand_body(&h, "tcp", json);
		assert_string_equal(hand_verdict(&h), cases[i].said);
		hand_case_fini(&h);
	}
}

/* Of connections without bulk and round trips. */
#define LOOKED \
	"; also checked: rate (not compared: needs four hosts that send " \
	"ten segments in a row), delay and queues (no round trip is known)"

/* What became of data is not in the captures: nobody is acquitted, but where it
 * is too little to matter, or told by itself. */
static void open_ends(void **state)
{
	static const char acquits[] =
		"Network looks healthy: no retransmission in 500 data segments "
		"(enough to detect 0.600 % loss, or 6.00 % in bursts of 10)" LOOKED;
	static const char begins[] =
		"cannot tell: the capture starts in the middle of connections, "
		"and the first data of 1 of them may be retransmissions: start "
		"it before they do, or capture for longer";
	static const struct {
		double from_s;
		int segments;
		const char *way, *peer, *end, *said;
	} cases[] = {
		{0, 500, "", "'packets': 9", "open", acquits},
		{0, 500, "'open_retransmissions': 2,", "'packets': 9", "open",
		 "cannot tell: 2 packets were sent again, without an ACK until "
		 "the end: capture for longer"},
		{0, 500, "'open_retransmissions': 2,", "'packets': 9", "rst",
		 acquits},
		{0, 500, "'mid_stream': true,", "'packets': 0", "open",
		 acquits}, /* the peer's SYN was seen */
		{0, 500, "'mid_stream': true,",
		 "'packets': 0, 'mid_stream': true", "open",
		 "cannot tell: the data of 1 connection has no answer until the "
		 "end: capture for longer"},
		{0.004, 300, "'mid_stream': true,",
		 "'packets': 9, 'mid_stream': true", "open",
		 "Network looks healthy: no retransmission in 300 data segments "
		 "(enough to detect 1.00 % loss, or 10.0 % in bursts of 10)" LOOKED},
		{0.006, 300, "'mid_stream': true,",
		 "'packets': 9, 'mid_stream': true", "open", begins},
		{0.006, 500, "'mid_stream': true,",
		 "'packets': 9, 'mid_stream': true", "open", acquits}};

	(void)state;
	for (size_t i = 0; i < NA_LEN(cases); i++) {
		struct hand_case h;
		char json[700];

		hand_case_init(&h);
		hand_side(&h, "session", "{'one_clock': true, 'files': 1}");
		snprintf(json, sizeof(json),
			 "{'connections': [{'src': 'c:1', 'dst': 'd:2', "
			 "'verdict': 'healthy', 'from_s': 0, "
			 "'fwd': {'packets': 9, 'bytes': 9}, "
			 "'rev': {'packets': 9, 'bytes': 0}}, "
			 "{'src': 'a:1', 'dst': 'b:2', 'verdict': 'healthy', "
			 "'from_s': %g, 'end': '%s', "
			 "'fwd': {%s 'packets': 9, 'bytes': 9}, "
			 "'rev': {%s, 'bytes': 0}}], "
			 "'totals': {'packets': %d, 'data_segments': %d}}",
			 cases[i].from_s, cases[i].end, cases[i].way,
			 cases[i].peer, cases[i].segments, cases[i].segments);
		hand_body(&h, "tcp", json);
		assert_string_equal(hand_verdict(&h), cases[i].said);
		hand_case_fini(&h);
	}
}

/* A wait that reaches beyond what is looked at acquits nobody, also where
 * nothing passes in it; it is a timeout where the data was sent again. */
static void stalls_at_the_end(void **state)
{
	static const struct {
		const char *verdict, *more, *said;
		int packets;
	} cases[] = {
		{"cannot_tell", "'stalled_ms': 150, 'stalled_sent_again': true",
		 "cannot tell: 1 connection stalls: unacknowledged data is "
		 "outstanding at the end, for 150 ms (a retransmission "
		 "timeout): use a longer window, or capture "
		 "for longer",
		 0},
		{"cannot_tell",
		 "'stalled_ms': 150, 'stalled_sent_again': false",
		 "cannot tell: 1 connection stalls: unacknowledged data is "
		 "outstanding at the end, for 150 ms (a retransmission timeout, "
		 "or a slow ACK): use a longer window, or capture for longer",
		 0},
		{"healthy", "'stalled_ms': null",
		 "Network looks healthy: no retransmission in 500 data segments "
		 "(enough to detect 0.600 % loss, or 6.00 % in bursts of 10)" LOOKED,
		 500}};

	(void)state;
	for (size_t i = 0; i < NA_LEN(cases); i++) {
		struct hand_case h;
		char json[500];

		hand_case_init(&h);
		hand_side(&h, "session", "{'one_clock': true, 'files': 1}");
		snprintf(json, sizeof(json),
			 "{'connections': [{'src': 'c:1', 'dst': 'd:2', "
			 "'verdict': '%s', 'from_s': 0, "
			 "'fwd': {%s, 'packets': %d, 'bytes': 0}, "
			 "'rev': {'packets': %d, 'bytes': 0}}], "
			 "'totals': {'packets': %d, 'data_segments': %d}}",
			 cases[i].verdict, cases[i].more, cases[i].packets,
			 cases[i].packets, cases[i].packets, cases[i].packets);
		hand_body(&h, "tcp", json);
		assert_string_equal(hand_verdict(&h), cases[i].said);
		hand_case_fini(&h);
	}
}

/* Between two hosts nobody else can have lost what one path did, from five
 * losses on; of several hosts, and where timeouts explain as much, it is possible. */
static void one_path_of_two_hosts(void **state)
{
	static const struct {
		int events;
		const char *verdict, *more, *confidence;
	} cases[] = {
		{4, "network_loss", "", "possible"},
		{5, "network_loss", "", "likely"},
		{9, "timeout_bound", "", "possible"},
		{10, "timeout_bound", "", "likely"},
		{5, "network_loss",
		 ", {'src': 'c:1', 'dst': 'b:3', 'verdict': 'healthy', 'fwd': "
		 "{'data_segments': 90}, 'rev': {}}",
		 "possible"},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(cases); i++) {
		struct hand_case h;
		const struct na_value *f;
		char json[600];

		hand_case_init(&h);
		hand_side(&h, "session", "{'one_clock': true, 'files': 1}");
		snprintf(json, sizeof(json),
			 "{'connections': [{'src': 'a:1', 'dst': 'b:2', "
			 "'verdict': '%s', 'lost_ms': 900, 'fwd': "
			 "{'needed_retransmissions': 32, 'loss_events': %d, "
			 "'lost_data_segments': 32, 'data_segments': 240, "
			 "'loses': true}, 'rev': {}}%s]}",
			 cases[i].verdict, cases[i].events, cases[i].more);
		hand_body(&h, "tcp", json);
		assert_true(hand_found(&h, "tcp-connection", &f) >= 1);
		assert_string_equal(text(f, "confidence"), cases[i].confidence);
		hand_case_fini(&h);
	}
}

/* Notifications for which senders were hardly slowed down, and marks that nobody
 * answers, accuse nobody; but what they cost is not known, and nobody is
 * acquitted. */
static void congestion_that_costs_little(void **state)
{
	static const struct {
		const char *verdict;
		int needed, lost_ms, cnps, slowed_ms, marks;
		const char *said;
	} cases[] = {
		{"congested", 0, 0, 8, 300, 9,
		 "suspect: congestion on path a -> b (1 of 1 queue pair is "
		 "slowed down by congestion notifications, a -> b); likely"},
		{"congested", 0, 0, 8, 5, 9,
		 "cannot tell: 8 congestion notifications, and their cost is "
		 "unknown: capture for longer"},
		{"congested", 0, 0, 3, 300, 9,
		 "cannot tell: 3 congestion notifications, and their cost is "
		 "unknown: capture for longer"},
		{"congested", 0, 0, 0, 0, 40,
		 "cannot tell: 40 congestion marks, and their cost is unknown: "
		 "capture for longer"},
		{"loss", 3, 2, 0, 0, 0,
		 "Network looks healthy: 3 of 500 packets retransmitted"},
		{"loss", 3, 0, 0, 0, 0,
		 "cannot tell: 3 lost RoCEv2 packets, and their cost is "
		 "unknown: capture for longer"},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(cases); i++) {
		struct hand_case h;
		char json[600];

		hand_case_init(&h);
		hand_side(&h, "session", "{'one_clock': true, 'files': 1}");
		snprintf(json, sizeof(json),
			 "{'queue_pairs': [{'src': 'a', 'dst': 'b', 'qp': 1, "
			 "'verdict': '%s', 'from_s': 0, 'to_s': 1, 'answers': "
			 "9, 'packets': 500, 'lost_ms': %d, 'slowed_ms': %d, "
			 "'cnps': %d, 'ecn_marks': %d, 'repeats': {'needed': "
			 "%d}}], 'queue_pairs_used': 1, 'totals': {'packets': "
			 "500, 'needed_repeats': %d}}",
			 cases[i].verdict, cases[i].lost_ms, cases[i].slowed_ms,
			 cases[i].cnps, cases[i].marks, cases[i].needed,
			 cases[i].needed);
		hand_body(&h, "rdma", json);
		assert_string_equal(hand_verdict(&h), cases[i].said);
		hand_case_fini(&h);
	}
}

/* Three segments and one in a hundred make an error of a warning. */
static void much_lost(void **state)
{
	(void)state;
	for (int n = 2; n < 4; n++) {
		struct hand_case h;
		const struct na_value *f;
		char json[300];

		hand_healthy(&h);
		snprintf(json, sizeof(json),
			 "{'connections': [{'src': 'a:1', 'dst': 'b:2', "
			 "'verdict': 'network_loss', 'lost_ms': 1.0, 'fwd': "
			 "{'needed_retransmissions': %d, 'data_packets': "
			 "300}}]}",
			 n);
		hand_body(&h, "tcp", json);
		assert_int_equal(hand_found(&h, "tcp-connection", &f), 1);
		assert_string_equal(text(f, "severity"),
				    n == 3 ? "error" : "warning");
		hand_case_fini(&h);
	}
}

/* What is likelier than no fault and not named: nobody is accused, nobody
 * acquitted. */
static void undecided(void **state)
{
	struct hand_case h;
	const struct na_value *f;
	char buf[200];

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs",
		  "{'verdict': 'x', 'outcome': 'cannot_tell', 'culprits': [], "
		  "'undecided': [{'what': 'it may be slow (odds 3 to 1 against "
		  "no fault)', 'needs': 'more steps', 'n_pairs': 7}]}");
	hand_slack(&h, "0.1");
	assert_int_equal(hand_found(&h, "bad-endpoint", &f), 1);
	assert_string_equal(text(f, "severity"), "info");
	assert_string_equal(text(f, "remedy"), "more steps");
	h.only = NULL;
	assert_string_equal(hand_verdict(&h),
			    "cannot tell: it may be slow (odds 3 to 1 against "
			    "no fault); to decide: more steps");
	assert_string_equal(outcome(&h), "cannot_tell");
	assert_string_equal(accused(&h, 0, buf), "");
	hand_case_fini(&h);
}

/* By severity, then by cost. */
static void order(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "pairs", CULPRIT(""));
	hand_body(&h, "slack",
		  "{'collectives': [{'collective': 'x', 'send_op': 's', "
		  "'recv_op': 'r', 'slack_us': {'mean': 1.0}, 'observed_us': "
		  "{'mean': 9.0}, 'total_stall_us': 4e6, 'stall_share': 0.2, "
		  "'slack_small': true}], 'total': {'devices': 1, 'stall_us': "
		  "4e6, 'stall_share': 0.2}}");
	hand_body(&h, "steps",
		  "{'stragglers': [" STRAGGLER("host-9", "input") "]}");
	f = na_get(hand_judge(&h), "findings")->u.of.first;
	assert_string_equal(text(f, "id"), "bad-endpoint");
	/* The stall is what the straggler costs: it has no cost beside it. */
	assert_string_equal(text(f->next, "id"), "straggler");
	assert_string_equal(text(f->next->next, "id"), "slack-small");
	assert_true(isnan(
		na_real_of(na_get(f->next->next, "cost_ms_per_step"), NAN)));
	assert_int_equal(h.worst, NA_SEV_ERROR);
	hand_case_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_guilty),
		cmocka_unit_test(guilty),
		cmocka_unit_test(who_is_accused),
		cmocka_unit_test(facts),
		cmocka_unit_test(costs),
		cmocka_unit_test(besides),
		cmocka_unit_test(late_start),
		cmocka_unit_test(only_steps),
		cmocka_unit_test(now_and_then),
		cmocka_unit_test(alternatives),
		cmocka_unit_test(slow_itself),
		cmocka_unit_test(cannot_tell),
		cmocka_unit_test(few_transfers),
		cmocka_unit_test(connections),
		cmocka_unit_test(damaged_capture),
		cmocka_unit_test(unanswered),
		cmocka_unit_test(few_packets),
		cmocka_unit_test(open_ends),
		cmocka_unit_test(stalls_at_the_end),
		cmocka_unit_test(congestion_that_costs_little),
		cmocka_unit_test(one_path_of_two_hosts),
		cmocka_unit_test(much_lost),
		cmocka_unit_test(undecided),
		cmocka_unit_test(order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
