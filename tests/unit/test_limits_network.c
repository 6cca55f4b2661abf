/*
 * Limits of the reference (test_limits.c says more) in what the network
 * carried:
 *
 *	 7 no_size                 11 numbers_of_any_kind
 *	12 no_latency              13 fast_networks
 *	14 one_loopback            15 two_clocks
 *	17 sends_and_classes       18 before_the_capture, touching
 *	19 few_stragglers, long_bursts
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/methods/clocks/host_clocks.h"
#include "tests/unit/limits.h"

#define MEGA    "/device:CUSTOM:Megascale Trace"
#define KEY     "device_100001_gid_psum.1_0$l1^i0"
#define RECEIVE "MegaScale: Communication Transport Receive"
#define SEND    "MegaScale: Communication Transport Send"
#define S       (1000 * MS)

static void graphs(struct hand_job *j)
{
	limits_begin(j);
	hand_trace_host(j->t, "a");
	hand_trace_plane(j->t, MEGA);
	hand_trace_line(j->t, "actions");
}

static void messages(struct hand_job *j)
{
	limits_begin(j);
	hand_trace_host(j->t, "a");
	hand_trace_plane(j->t, "/host:CPU");
	hand_trace_line(j->t, "worker/1");
}

/* Of the older kind, from device 0 of slice `src` to device 0 of slice
 * `dst`; size NULL: it does not say. */
static void message(struct hand_job *j, const char *name, int src, int dst,
		    int64_t end_ns, int64_t us, const char *size)
{
	char from[16], to[16], took[24];

	snprintf(from, sizeof(from), "i:%d", src);
	snprintf(to, sizeof(to), "i:%d", dst);
	snprintf(took, sizeof(took), "i:%d", (int)us);
	hand_trace_event(j->t, name, end_ns, 0, "dcn_label", "s:psum.1_0",
			 "dcn_source_slice_id", from,
			 "dcn_source_per_slice_device_id", "i:0",
			 "dcn_destination_slice_id", to,
			 "dcn_destination_per_slice_device_id", "i:1",
			 "duration_us", took,
			 size ? "payload_size_bytes" : NULL, size, NULL);
}

static double left_out(const struct hand_job *j, const char *what)
{
	char path[80];

	snprintf(path, sizeof(path), "coverage.left_out.%s", what);
	return hand_job_real(na_result_doc(j->r), path);
}

/* 7: an absent size is 0 there, and never the -1 that is looked for. */
static void no_size(void **state)
{
	const uint64_t absent = 0;
	struct hand_job j;

	(void)state;
	messages(&j);
	message(&j, RECEIVE, 2, 1, 100 * US, 50, "i:1000");
	message(&j, RECEIVE, 2, 1, 200 * US, 70, NULL);
	hand_job_run(&j, "latency", NULL);
	assert_int_equal(j.d.used, 1);
	assert_true(left_out(&j, "bad_key") == 1);
	assert_true(absent != (uint64_t)-1);
	hand_job_end(&j);
}

/* 11: int64 where the reference reads uint64 alone, and no number at all. */
static void numbers_of_any_kind(void **state)
{
	static const char *const values[] = {"u:50", "i:50", "u:50"};
	uint64_t strict = 0;
	struct hand_job j;

	(void)state;
	graphs(&j);
	for (size_t i = 0; i < COUNT(values); i++) {
		hand_trace_receive(j.t, KEY, (int64_t)(1 + i) * MS, values[i],
				   "s200001->100001d|$c0=1000");
		strict += values[i][0] == 'u';
	}
	hand_job_run(&j, "timeline", NULL);
	HAND_SAME(hand_job_body(&j), "rx_bytes", 3000);
	HAND_SAME(hand_job_body(&j), "instants", 0);
	assert_int_equal(strict, 2);
	hand_job_end(&j);
}

/* 12: bytes that came, though nobody knows how long they took. */
static void no_latency(void **state)
{
	static const char *const latency[] = {"u:50", NULL, "u:50"};
	uint64_t kept = 0;
	struct hand_job j;

	(void)state;
	graphs(&j);
	for (size_t i = 0; i < COUNT(latency); i++) {
		hand_trace_receive(j.t, KEY, (int64_t)(1 + i) * MS, latency[i],
				   "s200001->100001d|$c0=1000");
		kept += latency[i] ? 1000 : 0;
	}
	hand_job_run(&j, "timeline", NULL);
	HAND_SAME(hand_job_body(&j), "rx_bytes", 3000);
	HAND_SAME(hand_job_body(&j), "instants", 1);
	HAND_SAME(hand_job_body(&j), "instant_bytes", 1000);
	assert_int_equal(kept, 2000);
	hand_job_end(&j);
}

/* 13: 300 Gbit/s is no error on 400 Gbit/s; the capacity is an option. */
static void fast_networks(void **state)
{
	const double gbps = 37500000 * 8.0 / (1000 * 1000);
	struct hand_job j;

	(void)state;
	graphs(&j);
	hand_trace_receive(j.t, KEY, 2 * MS, "u:1000",
			   "s200001->100001d|$c0=37500000");
	hand_trace_receive(j.t, KEY, 3 * MS, "u:1000",
			   "s200001->100001d|$c0=12500000");
	hand_job_run(&j, "timeline", "--capacity", "400Gbps", NULL);
	HAND_SAME(hand_job_body(&j), "rx_bytes", 50000000);
	HAND_SAME(hand_job_body(&j), "capacity_gbps", 400);
	HAND_SAME(hand_job_body(&j), "rx_mean_gbps", 200);
	hand_job_run(&j, "timeline", "--max-rate", "200Gbps", NULL);
	HAND_SAME(hand_job_body(&j), "rx_bytes", 12500000);
	assert_true(gbps == 300); /* > 200: not in its bandwidth */
	hand_job_end(&j);
}

/* 14: two devices of one slice are no network in the older kind, and one in
 * the newer: here both can be had with, and both are counted. */
static void one_loopback(void **state)
{
	struct hand_job newer, older;
	const int src = 100000, dst = 100001;
	bool device_rule = src == dst,
	     slice_rule = src / 100000 == dst / 100000;

	(void)state;
	graphs(&newer);
	hand_trace_receive(newer.t, KEY, 2 * MS, "u:1000",
			   "s100000->100001d|$c0=1000");
	hand_trace_receive(newer.t, KEY, 3 * MS, "u:1000",
			   "s200000->100001d|$c0=1000");
	messages(&older);
	message(&older, RECEIVE, 1, 1, 2 * MS, 1000, "i:1000");
	message(&older, RECEIVE, 2, 1, 3 * MS, 1000, "i:1000");
	hand_job_run(&newer, "latency", "--include-loopback", NULL);
	hand_job_run(&older, "latency", "--include-loopback", NULL);
	assert_int_equal(newer.d.used, 2);
	assert_int_equal(older.d.used, 2);
	hand_job_run(&older, "latency", NULL);
	assert_int_equal(older.d.used, 1);
	assert_true(left_out(&older, "loopback") == 1);
	assert_true(device_rule != slice_rule);
	hand_job_end(&newer);
	hand_job_end(&older);
}

/* A transfer that leaves at `at` and takes 50 us, in true time, as the sender
 * and the receiver tell it. */
static void sent(struct hand_trace *t, int src, int dst, int64_t at_ns,
		 int64_t ahead_ns)
{
	char key[80], buffers[80];

	snprintf(key, sizeof(key), "s:device_%d_gid_psum.1_0$l1^i%d", src,
		 (int)(at_ns / MS));
	snprintf(buffers, sizeof(buffers), "s:s%d->%dd|$c0=1000", src, dst);
	hand_trace_event(t, "NetworkSend END", at_ns + ahead_ns, 0, "graph_key",
			 key, "action_duration_ns", "i:100", "buffer_sizes",
			 buffers, NULL);
}

static void received(struct hand_trace *t, int src, int dst, int64_t at_ns,
		     int64_t src_ahead_ns, int64_t dst_ahead_ns)
{
	int64_t us = 50 + (dst_ahead_ns - src_ahead_ns) / US;
	char key[80], buffers[80], latency[32];

	snprintf(key, sizeof(key), "device_%d_gid_psum.1_0$l1^i%d", dst,
		 (int)(at_ns / MS));
	snprintf(buffers, sizeof(buffers), "s%d->%dd|$c0=1000", src, dst);
	snprintf(latency, sizeof(latency), "u:%d", (int)(us > 0 ? us : 0));
	hand_trace_receive(t, key, at_ns + 50 * US + dst_ahead_ns, latency,
			   buffers);
}

static void settle(const struct hand_job *j, struct na_host_clocks *c)
{
	memset(c, 0, sizeof(*c));
	c->store = &j->s.store;
	assert_non_null(
		na_host_clocks_of(&(struct na_scope){.store = &j->s.store},
				  NULL, c));
}

/* 15: b's clock is 10 ms ahead.  The reference drops one direction, and the
 * other's mean is 10.05 ms instead of 50 us. */
static void two_clocks(void **state)
{
	const int64_t ahead_ns = 10 * MS;
	struct na_host_clocks c;
	struct hand_job j;

	(void)state;
	graphs(&j);
	for (int i = 1; i < 9; i++) {
		sent(j.t, 100001, 200001, i * MS, 0);
		received(j.t, 200001, 100001, i * MS + 300 * US, ahead_ns, 0);
	}
	hand_trace_host(j.t, "b");
	hand_trace_plane(j.t, MEGA);
	hand_trace_line(j.t, "actions");
	for (int i = 1; i < 9; i++) {
		sent(j.t, 200001, 100001, i * MS + 300 * US, ahead_ns);
		received(j.t, 100001, 200001, i * MS, 0, ahead_ns);
	}
	hand_job_run(&j, "latency", NULL);
	assert_int_equal(j.d.used, 8);
	HAND_SAME(hand_job_row(&j, "groups", 0), "mean_us", 10050);
	hand_job_run(&j, "timeline", NULL);
	settle(&j, &c);
	assert_int_equal(c.n_hosts, 2);
	assert_true(llabs(c.ahead_ps[1] - ahead_ns * 1000) <=
		    c.uncertainty_ps[1]);
	assert_true(c.uncertainty_ps[1] < 51 * US * 1000);
	na_host_clocks_fini(&c);
	hand_job_end(&j);
}

/* 17: sends, and how many of what was left out. */
static void sends_and_classes(void **state)
{
	struct hand_job j;

	(void)state;
	messages(&j);
	message(&j, RECEIVE, 2, 1, 1 * MS, 50, "i:1000");
	message(&j, RECEIVE, 2, 1, 2 * MS, 0, "i:1000");
	message(&j, RECEIVE, 1, 1, 3 * MS, 50, "i:1000");
	message(&j, RECEIVE, -1, 1, 4 * MS, 50, "i:1000");
	message(&j, SEND, 1, 2, 5 * MS, 50, "i:700");
	hand_job_run(&j, "latency", NULL);
	assert_int_equal(j.d.used, 1);
	assert_true(left_out(&j, "clock_skew") == 1);
	assert_true(left_out(&j, "loopback") == 1);
	assert_true(left_out(&j, "bad_key") == 1);
	hand_job_run(&j, "timeline", NULL);
	HAND_SAME(hand_job_body(&j), "tx_bytes", 700);
	hand_job_end(&j);
}

/* 18: a message that began before the capture did. */
static void before_the_capture(void **state)
{
	const uint64_t end_ns = 10000, took_ns = 50000;
	struct hand_job j;
	double from;

	(void)state;
	messages(&j);
	message(&j, RECEIVE, 2, 1, (int64_t)end_ns, (int64_t)took_ns / 1000,
		"i:1000");
	hand_job_run(&j, "bursts", NULL);
	from = hand_job_real(hand_job_row(&j, "bursts", 0), "from_s");
	HAND_SAME(hand_job_row(&j, "bursts", 0), "to_s", 1e-5);
	assert_true(from == -4e-5);
	assert_true(end_ns - took_ns > UINT64_MAX / 2);
	hand_job_end(&j);
}

struct edge {
	int64_t at;
	int active;
};

/* The reference's: edges by time, equal ones as they came. */
static int bursts_as_they_come(const struct edge *sorted, size_t n)
{
	int active = 0, bursts = 0;

	for (size_t i = 0; i < n; i++) {
		active += sorted[i].active;
		bursts += active == 0;
	}
	return bursts;
}

/* 18: one ends when the next starts: one burst, in whatever order. */
static void touching(void **state)
{
	static const struct edge in_order[] = {{0, 1},
					       {50, -1},
					       {50, 1},
					       {100, -1}};
	static const struct edge turned[] = {{0, 1},
					     {50, 1},
					     {50, -1},
					     {100, -1}};
	struct hand_job j;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		messages(&j);
		for (int i = 0; i < 2; i++)
			message(&j, RECEIVE, 2, 1,
				MS + (i != turn ? 100 : 50) * US, 50, "i:1000");
		hand_job_run(&j, "bursts", NULL);
		HAND_SAME(hand_job_body(&j), "bursts_total", 1);
		HAND_SAME(hand_job_row(&j, "bursts", 0), "transfers", 2);
		hand_job_end(&j);
	}
	assert_int_not_equal(bursts_as_they_come(in_order, 4),
			     bursts_as_they_come(turned, 4));
}

/* 19: after a burst of five, one of two has two stragglers, not four. */
static void few_stragglers(void **state)
{
	int slots[4] = {0}, stale = 0, n = 0;
	struct hand_job j;

	(void)state;
	messages(&j);
	for (int i = 0; i < 5; i++, n++) {
		message(&j, RECEIVE, 2, 1, MS + i * US, 50, "i:1000");
		slots[n % 4] = 1;
	}
	for (int i = 0; i < 2; i++, n++) {
		message(&j, RECEIVE, 3, 1, 5 * MS + i * US, 50, "i:1000");
		slots[n % 4] = 2;
	}
	for (int i = 0; i < 4; i++)
		stale += slots[i] == 1;
	hand_job_run(&j, "bursts", NULL);
	HAND_SAME(hand_job_row(&j, "bursts", 0), "transfers", 5);
	assert_int_equal(na_get(hand_job_row(&j, "bursts", 0), "last")->n, 4);
	HAND_SAME(hand_job_row(&j, "bursts", 1), "transfers", 2);
	assert_int_equal(na_get(hand_job_row(&j, "bursts", 1), "last")->n, 2);
	assert_int_equal(stale, 2);
	hand_job_end(&j);
}

/* 19: a burst of 5 s in ns does not fit 32 bits. */
static void long_bursts(void **state)
{
	const uint64_t ns = 5 * (uint64_t)S;
	struct hand_job j;

	(void)state;
	messages(&j);
	message(&j, RECEIVE, 2, 1, 6 * S, 5 * S / US, "i:1000");
	message(&j, RECEIVE, 2, 1, 7 * S, 500000, "i:1000");
	hand_job_run(&j, "bursts", "--by", "collective", NULL);
	HAND_SAME(hand_job_row(&j, "bursts", 0), "from_s", 1);
	HAND_SAME(hand_job_row(&j, "bursts", 0), "to_s", 6);
	HAND_SAME(hand_job_row(&j, "groups", 0), "bursts", 2);
	HAND_SAME(hand_job_row(&j, "groups", 0), "burst_share", 5.5 / 6);
	assert_true((uint32_t)ns < (uint64_t)S);
	hand_job_end(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_size),
		cmocka_unit_test(numbers_of_any_kind),
		cmocka_unit_test(no_latency),
		cmocka_unit_test(fast_networks),
		cmocka_unit_test(one_loopback),
		cmocka_unit_test(two_clocks),
		cmocka_unit_test(sends_and_classes),
		cmocka_unit_test(before_the_capture),
		cmocka_unit_test(touching),
		cmocka_unit_test(few_stragglers),
		cmocka_unit_test(long_bursts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
