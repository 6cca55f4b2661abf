/*
 * Each check just below and just above its limits, over results written by
 * hand.
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

/* One exhibit, one check: how many findings. */
static size_t found(const char *id, const char *name, const char *json,
		    double capacity_gbps)
{
	struct hand_case h;
	size_t n;

	hand_case_init(&h);
	h.capacity_gbps = capacity_gbps;
	hand_body(&h, name, json);
	n = hand_found(&h, id, NULL);
	hand_case_fini(&h);
	return n;
}

#define SLACK_ROW(small, share) \
	"{'collectives': [{'collective': 'ar.1', 'send_op': 'send.1', " \
	"'recv_op': 'recv-done.1', 'slack_us': {'mean': 1.0}, 'observed_us': " \
	"{'mean': 100.0}, 'total_stall_us': 4e6, 'stall_share': " share \
	", 'slack_small': " small "}], 'total': {'devices': 4, 'stall_us': " \
	"8e6, 'stall_share': 0.2}}"

static void slack_small(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	assert_int_equal(found("slack-small", "slack",
			       SLACK_ROW("true", "0.0099"), 0),
			 0);
	assert_int_equal(found("slack-small", "slack",
			       SLACK_ROW("false", "0.5"), 0),
			 0);
	/* Steps that are not known do not excuse. */
	assert_int_equal(found("slack-small", "slack",
			       SLACK_ROW("true", "null"), 0),
			 1);
	hand_case_init(&h);
	hand_body(&h, "slack", SLACK_ROW("true", "0.01"));
	assert_int_equal(hand_found(&h, "slack-small", &f), 1);
	assert_string_equal(text(f, "severity"), "warning");
	assert_string_equal(text(f, "confidence"), "certain");
	assert_true(na_real_of(na_get(f, "lost_s"), 0) == 1.0);
	assert_non_null(strstr(text(f, "title"), "send.1 and recv-done.1"));
	assert_string_equal(text(f, "command"),
			    "netan slack --sort stall 'a b'");
	h.limits.slack_stall = 0.02;
	assert_int_equal(hand_found(&h, "slack-small", &f), 0);
	hand_case_fini(&h);
}

/* A candidate remarks and accuses nobody; another check may. */
static void candidates(void **state)
{
	struct na_check check = {.id = "new", .maturity = NA_CANDIDATE};
	const struct na_finding said = {
		.check = &check,
		.severity = NA_SEV_ERROR,
		.cause = NA_CAUSE_NETWORK,
		.who = {.kind = "src", .host = "a"},
		.suspicion = true,
	};
	struct na_finding f = said;

	(void)state;
	na_finding_limit(&f);
	assert_int_equal(f.severity, NA_SEV_INFO);
	assert_int_equal(f.cause, NA_CAUSE_NONE);
	assert_null(f.who.host);
	assert_false(f.suspicion);
	check.maturity = NA_STABLE;
	f = said;
	na_finding_limit(&f);
	assert_int_equal(f.severity, NA_SEV_ERROR);
	assert_int_equal(f.cause, NA_CAUSE_NETWORK);
	assert_string_equal(f.who.host, "a");
	assert_true(f.suspicion);
}

#define STALLED(share, path) \
	"{'collectives': [{'collective': 'ar.1', 'total_stall_us': 4e6, " \
	"'stall_share': " share "}], 'total': {'devices': 4}, 'late': " \
	"[{'cause': 'words', 'from_s': 1.0, 'to_s': 2.0, 'shares': " path \
	"}]}"

/* Slack enough, and still stalled: whose path it is decides. */
static void stalls(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	assert_int_equal(found("slack-small", "slack",
			       STALLED("0.099", "{'h2d': 0.9}"), 0),
			 0);
	hand_case_init(&h);
	hand_body(&h, "slack", STALLED("0.1", "{'network': 0.4, 'h2d': 0.6}"));
	assert_int_equal(hand_found(&h, "slack-small", &f), 1);
	assert_string_equal(text(f, "severity"), "warning");
	hand_case_fini(&h);
	hand_case_init(&h);
	hand_body(&h, "slack", STALLED("0.1", "{'network': 0.6, 'h2d': 0.4}"));
	assert_int_equal(hand_found(&h, "slack-small", &f), 1);
	assert_string_equal(text(f, "severity"), "info");
	hand_case_fini(&h);
}

static size_t full(const char *regions, const struct na_value **f,
		   struct hand_case *h)
{
	char json[800];

	hand_case_init(h);
	h->capacity_gbps = 100;
	snprintf(json, sizeof(json), "{'saturated': [%s]}", regions);
	hand_body(h, "timeline", json);
	hand_doc(h, "timeline", "{'duration_s': 10.0}");
	return hand_found(h, "bandwidth-bound", f);
}

#define REGION(side, from, to) \
	"{'host': 'a', 'side': '" side "', 'from_s': " from ", 'to_s': " to \
	", 'mean_gbps': 95.0}"

static void bandwidth_regions(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	/* 0.5 of 10 s is the limit; two sides do not add up. */
	assert_int_equal(full(REGION("rx", "1.0", "1.5"), &f, &h), 0);
	hand_case_fini(&h);
	assert_int_equal(full(REGION("rx", "1.0", "1.4") "," REGION("tx", "1.0",
								    "1.4"),
			      &f, &h),
			 0);
	hand_case_fini(&h);
	assert_int_equal(full(REGION("rx", "1.0", "1.4") "," REGION("rx", "5.0",
								    "5.2"),
			      &f, &h),
			 1);
	assert_string_equal(text(f, "severity"), "warning");
	assert_true(na_real_of(na_get(f, "from_s"), 0) == 1.0);
	assert_true(na_real_of(na_get(f, "to_s"), 0) == 5.2);
	assert_non_null(strstr(text(f, "title"), "receives at capacity"));
	/* Nobody claims it without a capacity. */
	h.capacity_gbps = 0;
	assert_int_equal(hand_found(&h, "bandwidth-bound", &f), 0);
	assert_non_null(strstr(
		text(na_get(na_result_body(h.judged), "not_run")->u.of.first,
		     "missing"),
		"--capacity RATE"));
	hand_case_fini(&h);
}

/* Of a job with a collective that stalls for that share of the steps, and no
 * saturated region; the severity, "" where nothing is found. */
static const char *cannot_hide(const char *bound, const char *share)
{
	struct hand_case h;
	const struct na_value *f;
	char json[500];
	const char *severity = "";

	hand_case_init(&h);
	h.capacity_gbps = 100;
	hand_body(&h, "timeline", "{'saturated': []}");
	hand_doc(&h, "timeline", "{'duration_s': 10.0}");
	snprintf(json, sizeof(json),
		 "{'collectives': [{'collective': 'ar.1', 'required_gbps': "
		 "30.0, 'devices_per_host': 4, 'total_stall_us': 2e6, "
		 "'stall_share': %s, 'bandwidth_bound': %s}], 'total': "
		 "{'devices': 2}}",
		 share, bound);
	hand_body(&h, "slack", json);
	/* What does not fit behind computation fills no link. */
	assert_int_equal(hand_found(&h, "bandwidth-bound", &f), 0);
	if (hand_found(&h, "cannot-hide", &f)) {
		assert_non_null(strstr(
			na_text_of(na_get(f, "evidence_text")->u.of.first, ""),
			"120 Gbit/s"));
		severity = strcmp(text(f, "severity"), "info") == 0 ? "info"
								    : "warning";
	}
	hand_case_fini(&h);
	return severity;
}

static void needs_more_than_there_is(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	assert_string_equal(cannot_hide("false", "0.2"), "");
	assert_string_equal(cannot_hide("true", "0.009"), "");
	assert_string_equal(cannot_hide("true", "0.01"), "info");
	assert_string_equal(cannot_hide("true", "0.049"), "info");
	assert_string_equal(cannot_hide("true", "0.05"), "warning");
	/* A full link is the reason, and told by another check. */
	assert_int_equal(full(REGION("rx", "1.0", "1.6"), &f, &h), 1);
	hand_body(&h, "slack",
		  "{'collectives': [{'collective': 'ar.1', 'required_gbps': "
		  "30.0, 'devices_per_host': 4, 'total_stall_us': 2e6, "
		  "'stall_share': 0.2, 'bandwidth_bound': true}], 'total': "
		  "{'devices': 2}}");
	assert_int_equal(hand_found(&h, "cannot-hide", &f), 0);
	hand_case_fini(&h);
}

#define MODE(count, cause) \
	"{'verdict': 'RTO-like', 'modes': [{'latency_ms': 200, 'cause': '" cause \
	"', 'count': " count ", 'share': 0.01, 'hosts': ['a'], " \
	"'first_s': 1.0, 'last_s': 2.0}]}"

static void rpc_modes(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	assert_int_equal(found("rpc-latency", "rpc",
			       MODE("2", "retransmission timeout"), 0),
			 0);
	hand_case_init(&h);
	hand_body(&h, "rpc", MODE("3", "retransmission timeout"));
	assert_int_equal(hand_found(&h, "rpc-latency", &f), 1);
	assert_string_equal(text(f, "severity"), "warning");
	assert_string_equal(text(f, "confidence"), "possible");
	assert_non_null(strstr(text(f, "remedy"), "rto_min 5ms"));
	assert_non_null(
		strstr(hand_verdict(&h), "cannot tell: packets seem lost"));
	/* Of packets TCP is the witness, and late calls are none. */
	hand_body(&h, "tcp", "{'connections': [], 'totals': {'packets': 900}}");
	assert_int_equal(hand_found(&h, "rpc-latency", &f), 0);
	assert_string_equal(
		hand_verdict(&h),
		"Network looks healthy: no retransmission in 900 packets "
		"(enough to detect 0.333 % loss, or 3.33 % in bursts of 10)");
	hand_case_fini(&h);
	hand_case_init(&h);
	hand_body(&h, "rpc", MODE("3", "delayed acknowledgement"));
	assert_int_equal(hand_found(&h, "rpc-latency", &f), 1);
	assert_non_null(strstr(text(f, "remedy"), "TCP_NODELAY"));
	assert_null(strstr(hand_verdict(&h), "suspect: "));
	hand_case_fini(&h);
}

/* A tail is the quantile that it is, knows of the link what a capacity tells,
 * and points to a host that others wait for before it does to settings. */
static void rpc_tail(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	hand_healthy(&h);
	hand_body(&h, "rpc", "{'overall': {'transfers': 15525}}");
	hand_side(&h, "rpc", "{'times_p50': 0.5, 'times_p99': 6.0}");
	assert_int_equal(hand_found(&h, "rpc-latency", &f), 1);
	assert_non_null(strstr(text(f, "title"), "the slowest 1 % of 15"));
	assert_non_null(
		strstr(text(f, "title"), "at least 12.0 times the usual time"));
	assert_non_null(strstr(text(f, "title"),
			       "(--capacity shows whether links were full)"));
	assert_non_null(strstr(text(f, "remedy"), "netan sysctl"));
	h.capacity_gbps = 100;
	assert_int_equal(hand_found(&h, "rpc-latency", &f), 1);
	assert_non_null(
		strstr(text(f, "title"), "while the link was not full"));
	hand_body(&h, "steps",
		  "{'stragglers': [{'host': 'host-3', 'cause': 'computation', "
		  "'of': 'steps', 'times': 9, 'tried': 10, 'behind_ms': 40.0, "
		  "'lost_ms': 1900.0, 'cost_ms_per_step': 40.0}]}");
	h.only = NULL;
	f = na_get(hand_judge(&h), "findings")->u.of.first;
	while (f && strcmp(text(f, "id"), "rpc-latency") != 0)
		f = f->next;
	assert_non_null(strstr(text(f, "remedy"), "fix host-3"));
	assert_null(strstr(text(f, "remedy"), "sysctl"));
	hand_case_fini(&h);
}

/* Of "host-a", which costs 40 ms at most, and "host-b": whose stands first. */
static void stands_first(const char *host, const char *found_ms)
{
	static const char *const row =
		"{'stragglers': [{'host': 'host-a', 'cause': 'computation', "
		"'of': 'steps', 'times': 9, 'tried': 10, 'behind_ms': 40.0, "
		"'lost_ms': 400.0, 'cost_ms_per_step': 40.0, 'cost_is': "
		"'at most'}, {'host': 'host-b', 'cause': 'computation', 'of': "
		"'steps', 'times': 9, 'tried': 10, 'behind_ms': 40.0, "
		"'lost_ms': 400.0, 'cost_ms_per_step': %s}]}";
	struct hand_case h;
	char json[600];

	hand_healthy(&h);
	snprintf(json, sizeof(json), row, found_ms);
	hand_body(&h, "steps", json);
	hand_run(&h, "straggler");
	assert_non_null(strstr(text(hand_finding(&h, 0), "title"), host));
	assert_non_null(hand_finding(&h, 1));
	hand_case_fini(&h);
}

/* What a culprit costs at most counts half. */
static void upper_bounds(void **state)
{
	(void)state;
	stands_first("host-b", "40.0");
	stands_first("host-b", "25.0");
	stands_first("host-a", "15.0");
	stands_first("host-a", "null");
}

/* Of a mode of 5 ms at host-1: severity; "" without a finding. */
static const char *clocked(const char *offsets, const char *side)
{
	static const char *const words[] = {"info", "warning"};
	struct hand_case h;
	const struct na_value *f;
	char json[300];
	const char *s = "";

	hand_case_init(&h);
	hand_body(&h, "rpc",
		  "{'verdict': 'low-RTO-like', 'modes': [{'count': 40, "
		  "'latency_ms': 5.0, 'cause': 'retransmission timeout, "
		  "lowered minimum', 'hosts': ['host-1'], 'share': 0.1}]}");
	hand_body(&h, "session", "{}");
	hand_side(&h, "session", side);
	snprintf(json, sizeof(json), "{'clock_offsets': [%s]}", offsets);
	hand_body(&h, "pairs", json);
	if (hand_found(&h, "rpc-latency", &f))
		s = words[strcmp(text(f, "severity"), words[0]) != 0];
	if (strcmp(s, "info") == 0)
		assert_null(strstr(hand_verdict(&h), "suspect: "));
	hand_case_fini(&h);
	return s;
}

#define AHEAD(host, us) "{'host': '" host "', 'ahead_us': " us "}"

/* Clocks that differ by as much make transfers late, too. */
static void rpc_clocks(void **state)
{
	static const char agree[] = "{'clock_skew': 0, 'receives': 1000}";
	static const char differ[] = "{'clock_skew': 2, 'receives': 1000}";

	(void)state;
	assert_string_equal(clocked("", agree), "warning");
	assert_string_equal(clocked("", differ), "info");
	assert_string_equal(clocked(AHEAD("host-1", "5000.0"), differ), "");
	assert_string_equal(clocked(AHEAD("host-1", "-5000.0"), differ), "");
	assert_string_equal(clocked(AHEAD("host-1", "500.0"), differ),
			    "warning");
	assert_string_equal(clocked(AHEAD("host-2", "5000.0"), differ),
			    "warning");
	assert_string_equal(clocked(AHEAD("host-1",
					  "3000.0") ", " AHEAD("host-2",
							       "-2000.0"),
				    differ),
			    "");
}

static size_t ratio(double p99, const char *saturated, const char *pairs)
{
	struct hand_case h;
	char json[300];
	size_t n;

	hand_case_init(&h);
	hand_body(&h, "rpc", "{'verdict': 'steady', 'modes': []}");
	snprintf(json, sizeof(json), "{'times_p50': 0.5, 'times_p99': %.2f}",
		 p99);
	hand_side(&h, "rpc", json);
	hand_body(&h, "timeline", saturated);
	hand_doc(&h, "timeline", "{'duration_s': 10.0}");
	hand_body(&h, "pairs", pairs);
	n = hand_found(&h, "rpc-latency", NULL);
	hand_case_fini(&h);
	return n;
}

static void rpc_ratio(void **state)
{
	(void)state;
	assert_int_equal(ratio(5.00, "{}", "{}"), 0);
	/* Of each side for itself: the others have room then. */
	assert_int_equal(
		ratio(5.01,
		      "{'saturated': [" REGION("rx", "1.0",
					       "1.4") ", " REGION("tx", "1.0",
								  "1.4") "]}",
		      "{}"),
		1);
	assert_int_equal(ratio(5.01, "{}", "{}"), 1);
	assert_int_equal(
		ratio(5.01, "{'saturated': [" REGION("rx", "1.0", "1.6") "]}",
		      "{}"),
		0);
	assert_int_equal(
		ratio(5.01, "{'saturated': [" REGION("rx", "1.0", "1.4") "]}",
		      "{}"),
		1);
	assert_int_equal(ratio(5.01, "{}",
			       "{'clock_offsets': [{'host': 'a'}]}"),
			 0);
}

/* Latencies between clocks that differ say nothing about slack; what is
 * observed on one device does. */
static void slack_clocks(void **state)
{
	static const struct {
		const char *skewed, *slack_us;
		size_t found;
	} x[] = {
		{"0", "5.0", 1},
		{"0", "4.9", 1},
		{"2", "5.0", 0},
		{"2", "4.9", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
		struct hand_case h;
		char json[400];

		hand_case_init(&h);
		snprintf(json, sizeof(json),
			 "{'collectives': [{'collective': 'ar.1', 'slack_us': "
			 "{'mean': %s}, 'observed_us': {'mean': 100.0}, "
			 "'total_stall_us': 4e6, 'stall_share': 0.2, "
			 "'slack_small': true}], 'total': {'devices': 4}}",
			 x[i].slack_us);
		hand_body(&h, "slack", json);
		hand_body(&h, "session", "{}");
		snprintf(json, sizeof(json),
			 "{'clock_skew': %s, 'receives': 1000}", x[i].skewed);
		hand_side(&h, "session", json);
		assert_int_equal(hand_found(&h, "slack-small", NULL),
				 x[i].found);
		hand_case_fini(&h);
	}
}

static void small_transfers(void **state)
{
	(void)state;
	assert_int_equal(found("small-transfers", "sizes",
			       "{'groups': [{'small_count_share': 0.51, "
			       "'small_time_share': 0.25}]}",
			       0),
			 0);
	assert_int_equal(found("small-transfers", "sizes",
			       "{'groups': [{'small_count_share': 0.5, "
			       "'small_time_share': 0.9}]}",
			       0),
			 0);
	assert_int_equal(found("small-transfers", "sizes",
			       "{'groups': [{'small_count_share': 0.51, "
			       "'small_time_share': 0.26}]}",
			       0),
			 1);
}

/* What nobody waits for is a remark. */
static const char *severity(const char *id, const char *name, const char *json,
			    const char *slack)
{
	static const char *const words[] = {"info", "warning", "error"};
	struct hand_case h;
	const struct na_value *f;
	const char *s = "";

	hand_case_init(&h);
	hand_body(&h, name, json);
	if (slack)
		hand_body(&h, "slack", slack);
	assert_int_equal(hand_found(&h, id, &f), 1);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		s = strcmp(text(f, "severity"), words[i]) ? s : words[i];
	hand_case_fini(&h);
	return s;
}

#define WAITS(share) "{'total': {'stall_share': " share "}}"

static void small_cost(void **state)
{
	static const char many[] = "{'groups': [{'small_count_share': 0.6, "
				   "'small_time_share': 0.5}]}";

	(void)state;
	assert_string_equal(severity("small-transfers", "sizes", many, NULL),
			    "warning");
	assert_string_equal(severity("small-transfers", "sizes", many,
				     WAITS("0.01")),
			    "warning");
	assert_string_equal(severity("small-transfers", "sizes", many,
				     WAITS("0.0099")),
			    "info");
}

#define BURSTS(of, idc, max) \
	"{'pending_of': '" of "', 'dispersion': [{'window_ms': 1, 'idc': " \
	"99.0}, {'window_ms': 10, 'idc': " idc "}], 'pending': " \
	"{'time_mean': 2.0, 'max': " max "}}"

static void bursty(void **state)
{
	(void)state;
	assert_int_equal(found("bursty", "bursts",
			       BURSTS("collectives", "10.0", "100.0"), 0),
			 0);
	assert_int_equal(found("bursty", "bursts",
			       BURSTS("collectives", "10.1", "16.0"), 0),
			 0);
	for (size_t i = 0; i < 8; i++) {
		bool planned = i & 1, waits = i & 2, known = i & 4;

		assert_string_equal(
			severity("bursty", "bursts",
				 planned ? BURSTS("collectives", "10.1", "16.1")
					 : BURSTS("transfers", "10.1", "16.1"),
				 !known  ? NULL
				 : waits ? WAITS("0.01")
					 : WAITS("0.0099")),
			planned && waits && known ? "warning" : "info");
	}
}

#define BUSY(least) \
	"{'pending_of': 'collectives', 'dispersion': [], 'bin_s': 1.0, " \
	"'time_s': #[0, 1, 2, 3, 4, 5, 6, 7], 'pending_min': #[" least \
	"], 'steps': [{'step': 0, 'from_s': 0.0, 'to_s': 4.0}, " \
	"{'step': 1, 'from_s': 4.0, 'to_s': 8.0}]}"

/* More than half of the steps. */
static void never_idle(void **state)
{
	(void)state;
	assert_int_equal(found("bursty", "bursts",
			       BUSY("1, 1, 1, 1, 0, 1, 1, 1"), 0),
			 0);
	assert_int_equal(found("bursty", "bursts",
			       BUSY("1, 1, 1, 1, 1, 1, 1, 1"), 0),
			 1);
}

static void clock_skew(void **state)
{
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	for (int n = 10; n < 12; n++) {
		char json[80];

		hand_case_init(&h);
		snprintf(json, sizeof(json),
			 "{'receives': 10000, 'clock_skew': %d}", n);
		hand_side(&h, "session", json);
		hand_body(&h, "pairs", "{'clock_offsets': []}");
		assert_int_equal(hand_found(&h, "clock-skew", &f), n == 11);
		hand_case_fini(&h);
	}
	hand_case_init(&h);
	hand_side(&h, "session", "{'receives': 10000, 'clock_skew': 0}");
	hand_body(&h, "pairs",
		  "{'clock_offsets': [{'host': 'a', 'ahead_us': -40.0, "
		  "'uncertainty_us': 2.0}]}");
	assert_int_equal(hand_found(&h, "clock-skew", &f), 1);
	assert_string_equal(text(f, "severity"), "info");
	assert_string_equal(text(f, "title"),
			    "the clock of a is 40 us behind (+/- 2 us)");
	hand_case_fini(&h);
}

static size_t quality(const char *doc, const char *side,
		      const struct na_value **f, struct hand_case *h)
{
	hand_case_init(h);
	hand_doc(h, "session", doc);
	hand_side(h, "session", side);
	return hand_found(h, "trace-quality", f);
}

static void trace_quality(void **state)
{
	static const char whole[] = "{'one_clock': true, 'files': 1}";
	struct hand_case h;
	const struct na_value *f;

	(void)state;
	assert_int_equal(quality("{'inputs': [{'path': 'a', 'format': "
				 "'xspace', 'warnings': []}], 'coverage': "
				 "{'used': 990, 'left_out': {'loopback': 9}}}",
				 whole, &f, &h),
			 0);
	hand_case_fini(&h);
	/* One in a hundred is the limit. */
	assert_int_equal(quality("{'coverage': {'used': 990, 'left_out': "
				 "{'bad_key': 10}}}",
				 whole, &f, &h),
			 1);
	assert_string_equal(text(f, "severity"), "info");
	hand_case_fini(&h);
	assert_int_equal(quality("{'coverage': {'used': 990, 'left_out': "
				 "{'bad_key': 11}}}",
				 whole, &f, &h),
			 1);
	assert_string_equal(text(f, "severity"), "warning");
	hand_case_fini(&h);
	assert_int_equal(quality("{'inputs': [{'path': 'a', 'format': null, "
				 "'warnings': ['a: no']}, {'path': 'b', "
				 "'format': 'pcap', 'warnings': ['cut']}], "
				 "'coverage': {'devices_not_here': 3}}",
				 "{'one_clock': false, 'files': 2, 'inputs': "
				 "[{'path': 'b', 'trace': true, 'devices': 0, "
				 "'damaged': true}]}",
				 &f, &h),
			 5);
	hand_case_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slack_small),
		cmocka_unit_test(candidates),
		cmocka_unit_test(stalls),
		cmocka_unit_test(bandwidth_regions),
		cmocka_unit_test(needs_more_than_there_is),
		cmocka_unit_test(rpc_modes),
		cmocka_unit_test(rpc_tail),
		cmocka_unit_test(upper_bounds),
		cmocka_unit_test(rpc_ratio),
		cmocka_unit_test(small_transfers),
		cmocka_unit_test(small_cost),
		cmocka_unit_test(rpc_clocks),
		cmocka_unit_test(slack_clocks),
		cmocka_unit_test(bursty),
		cmocka_unit_test(never_idle),
		cmocka_unit_test(clock_skew),
		cmocka_unit_test(trace_quality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
