/*
 * The limits of the reference, by their numbers in docs/methods.md, "XProf's
 * numbers, and where netan differs": of each a small trace of which the
 * reference's rule makes a wrong answer, which the test works out beside
 * ours.  Here:
 *
 *	 1 one_device_only         2 means_only      3 unit_slip
 *	 4 host_events             5 whole_microseconds
 *	 9 slice_zero              10, 11 host_side_missing
 *	16 rank_order
 *
 * In test_limits_ops.c: 6, 8, 20 to 24; in test_limits_network.c: 7, 11 to
 * 15, 17 to 19.  More of the same: 13 test_capacity.c; 15 test_host_clocks.c,
 * test_late.c, tests/golden/planted/clocks.sh; 16 test_devices.c (endpoints);
 * 17 test_xspace_host.c (message_classes); 18 test_bursts.c; 22
 * test_slack_random.c; 24 test_join.c, tests/golden/planted/joins.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/limits.h"

/* ---- 1, 2, 3, 4, 5 */

/* 1: what goes wrong on any core but the first is not seen. */
static void one_device_only(void **state)
{
	struct limits_four good = limits_four("psum.1_0", MS, 2 * MS, US);
	struct limits_four bad = limits_four("psum.1_0", MS, MS + 10 * US,
					     5 * MS);
	struct limits_told first = limits_reference(good.ops, 4, "psum.1_0");
	struct hand_job j;

	(void)state;
	limits_begin(&j);
	for (int host = 0; host < 2; host++) {
		hand_trace_host(j.t, host ? "b" : "a");
		limits_device(j.t, 0, good.ops, 4);
		limits_device(j.t, 1, host ? bad.ops : good.ops, 4);
	}
	hand_job_run(&j, "slack", NULL);
	HAND_SAME(limits_row(&j, 0), "occurrences", 4);
	HAND_SAME(limits_row(&j, 0), "devices", 4);
	HAND_SAME(limits_row(&j, 0), "slack_us.min", 7);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", (3 * 997 + 7) / 4.0);
	HAND_SAME(limits_row(&j, 0), "total_stall_us", 3 * 4 + 5003);
	assert_int_equal(first.slack_us, 997);
	assert_int_equal(first.stall_us, 4); /* on either host */
	hand_job_run(&j, "slack", "--by", "host,device", NULL);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", 7);
	assert_string_equal(na_text_of(na_dig(limits_row(&j, 0), "key.device"),
				       ""),
			    "b TPU 1");
	hand_job_end(&j);
}

/* 2: a mean hides one of ten; the mean of two hosts' means weighs ten
 * executions as one; of bytes and names only the last host's stay. */
static void means_only(void **state)
{
	struct hand_op ops[40];
	struct limits_four slow = limits_four("psum.1_0", 50 * MS, 51 * MS, US);
	struct limits_told a, b;
	struct hand_job j;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		int64_t at = MS * (int64_t)(1 + 2 * i);
		struct limits_four x =
			limits_four("psum.1_0", at,
				    at + (i == 7 ? 13 : 103) * US, US);

		memcpy(ops + 4 * i, x.ops, sizeof(x.ops));
	}
	limits_begin(&j);
	hand_trace_host(j.t, "a");
	limits_device(j.t, 0, ops, 40);
	hand_trace_host(j.t, "b");
	hand_op_shape = "f32[2048]";
	limits_device(j.t, 0, slow.ops, 4);
	hand_job_run(&j, "slack", NULL);
	HAND_SAME(limits_row(&j, 0), "occurrences", 11);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean",
		  (9 * 100 + 10 + 997) / 11.0);
	HAND_SAME(limits_row(&j, 0), "slack_us.min", 10);
	HAND_SAME(limits_row(&j, 0), "slack_us.max", 997);
	HAND_SAME(limits_row(&j, 0), "slack_us.p50", 100);
	HAND_SAME(limits_row(&j, 0), "bytes", (10 * 4096 + 8192) / 11.0);
	a = limits_reference(ops, 40, "psum.1_0");
	b = limits_reference(slow.ops, 4, "psum.1_0");
	assert_int_equal(a.slack_us, 91);
	assert_int_equal((a.slack_us + b.slack_us) / 2, 544);
	assert_true(hand_job_real(limits_row(&j, 0), "slack_us.mean") < 174);
	hand_job_run(&j, "slack", "--by", "host", NULL);
	HAND_SAME(hand_job_find(&j, "collectives", "key.host", "a"), "bytes",
		  4096);
	HAND_SAME(hand_job_find(&j, "collectives", "key.host", "b"), "bytes",
		  8192);
	hand_job_end(&j);
}

/* 3: the mean time of recv is divided by a million twice. */
static void unit_slip(void **state)
{
	struct limits_four x = limits_four("psum.1_0", MS, 2 * MS, US);
	struct limits_told r;
	struct hand_job j;

	(void)state;
	x.ops[1].ns = 70 * US;
	r = limits_reference(x.ops, 4, "psum.1_0");
	limits_begin(&j);
	hand_trace_host(j.t, "a");
	limits_device(j.t, 0, x.ops, 4);
	hand_job_run(&j, "slack", NULL);
	HAND_SAME(limits_row(&j, 0), "recv_us", 70);
	hand_job_run(&j, "slack", "--reference", NULL);
	HAND_SAME(limits_row(&j, 0), "recv_us", 70);
	assert_int_equal(r.recv_us, 70);
	assert_true(r.recv_shown_us == 0);
	hand_job_end(&j);
}

static void graph_of(struct hand_trace *t, int device, const char *name,
		     int launch, int64_t from, int64_t to)
{
	char key[80];

	snprintf(key, sizeof(key), "device_%d_gid_%s$l%d^i0", device, name,
		 launch);
	hand_trace_graph(t, key, from, to - from);
}

/* 4: host stall over all occurrences, where only some have an execution on
 * the host. */
static void host_events(void **state)
{
	struct hand_op ops[16];
	const int64_t host_stall_us = 20, with_graph = 2, all = 4;
	struct hand_job j;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct limits_four x = limits_four("psum.1_0", (1 + i) * MS,
						   (1 + i) * MS + 100 * US,
						   30 * US);

		memcpy(ops + 4 * i, x.ops, sizeof(x.ops));
	}
	limits_begin(&j);
	hand_trace_host(j.t, "a");
	limits_device(j.t, 0, ops, 16);
	hand_trace_plane(j.t, "/device:CUSTOM:Megascale Trace");
	hand_trace_line(j.t, "graphs");
	for (int i = 0; i < 2; i++)
		graph_of(j.t, 100000, "psum.1_0", i, (1 + i) * MS + 5 * US,
			 (1 + i) * MS + 120 * US);
	hand_job_run(&j, "slack", NULL);
	HAND_SAME(limits_row(&j, 0), "host_stall_us", (double)host_stall_us);
	HAND_SAME(limits_row(&j, 0), "graphs", (double)with_graph);
	HAND_SAME(hand_job_body(&j), "total.without_graph",
		  (double)(all - with_graph));
	/* The combiner's mean, and its count of host events. */
	assert_int_equal(host_stall_us * with_graph / all, 10);
	assert_int_equal(with_graph * all, 8);
	hand_job_end(&j);
}

/* 5: ops of 400 ns, and means of whole microseconds. */
static void whole_microseconds(void **state)
{
	struct hand_op ops[8];
	struct limits_told r;
	struct hand_job j;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct limits_four x =
			limits_four("psum.1_0", (1 + i) * MS,
				    (1 + i) * MS + 2600 + 900 * i, 400);

		for (int k = 0; k < 3; k++)
			x.ops[k].ns = 400;
		memcpy(ops + 4 * i, x.ops, sizeof(x.ops));
	}
	r = limits_reference(ops, 8, "psum.1_0");
	limits_begin(&j);
	hand_trace_host(j.t, "a");
	limits_device(j.t, 0, ops, 8);
	hand_job_run(&j, "slack", NULL);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", 1.85); /* 1.4 and 2.3 */
	HAND_SAME(limits_row(&j, 0), "stall_us.mean", 1.6);
	HAND_SAME(limits_row(&j, 0), "recv_done_us", 0.4);
	HAND_SAME(limits_row(&j, 0), "observed_us.mean", 3.45);
	HAND_SAME(limits_row(&j, 0), "total_stall_us", 3.2);
	assert_int_equal(r.slack_us, 1);
	assert_int_equal(r.stall_us, 1);
	assert_int_equal(r.observed_us, 3);
	hand_job_run(&j, "slack", "--reference", NULL);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", (double)r.slack_us);
	HAND_SAME(limits_row(&j, 0), "stall_us.mean", (double)r.stall_us);
	HAND_SAME(limits_row(&j, 0), "observed_us.mean", (double)r.observed_us);
	hand_job_end(&j);
}

/* ---- 9, 10, 11, 16: the host's side */

/* The reference's device: the last five of six digits or more; -1: none. */
static int last_five(const char *key)
{
	const char *p = key + strlen("device_");
	size_t n = strspn(p, "0123456789");

	return n < 6 ? -1 : atoi(p + n - 5);
}

/* Two devices of one host, of slices 0 and 2, whose graphs end 7 us after
 * and 11 us before their recv-done begins. */
static void two_slices(struct hand_job *j, const char *kind)
{
	struct limits_four x = limits_four("psum.1_0", MS, 2 * MS, 30 * US);
	char local[2][8];

	limits_begin(j);
	hand_trace_host(j->t, "a");
	limits_device(j->t, 0, x.ops, 4);
	limits_device(j->t, 1, x.ops, 4);
	hand_trace_plane(j->t, "/device:CUSTOM:Megascale Trace");
	hand_trace_line(j->t, "graphs");
	snprintf(local[0], sizeof(local[0]), "%s:0", kind);
	snprintf(local[1], sizeof(local[1]), "%s:1", kind);
	hand_trace_event(j->t, "device_3_gid_psum.1_0", MS, MS + 7 * US,
			 "graph_key", "s:device_3_gid_psum.1_0$l1^i0",
			 "local_device_id", local[0], NULL);
	hand_trace_event(j->t, "device_200003_gid_psum.1_0", MS, MS - 11 * US,
			 "graph_key", "s:device_200003_gid_psum.1_0$l1^i0",
			 "local_device_id", local[1], NULL);
}

/* 9: slice 0 has no six digits, and the slice is not looked at. */
static void slice_zero(void **state)
{
	struct hand_job j;

	(void)state;
	two_slices(&j, "i");
	hand_job_run(&j, "slack", "--by", "device", NULL);
	HAND_SAME(hand_job_find(&j, "collectives", "key.device", "s0d3"),
		  "host_stall_us", 7);
	HAND_SAME(hand_job_find(&j, "collectives", "key.device", "s2d3"),
		  "host_stall_us", -11);
	assert_int_equal(last_five("device_3_gid_psum.1_0$l1^i0"), -1);
	assert_int_equal(last_five("device_200003_gid_psum.1_0$l1^i0"),
			 last_five("device_100003_gid_psum.1_0$l1^i0"));
	hand_job_end(&j);
}

/* 10: there, without the host's plane, host stall is always "-"; 11: and a
 * number of another kind is no number. */
static void host_side_missing(void **state)
{
	static const char *const kinds[] = {"i", "u"};
	struct hand_job j;

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		two_slices(&j, kinds[i]);
		hand_job_run(&j, "slack", NULL);
		HAND_SAME(limits_row(&j, 0), "host_stall_us", -2);
		HAND_SAME(limits_row(&j, 0), "graphs", 2);
		hand_job_run(&j, "collectives", NULL);
		HAND_SAME(limits_of(&j, "psum.1_0"), "executions", 2);
		HAND_SAME(limits_of(&j, "psum.1_0"), "participants", 2);
		hand_job_end(&j);
	}
}

/* 16: the plane of the first device is not there: by rank its execution
 * would be that of the second. */
static void rank_order(void **state)
{
	static const struct {
		int id;
		const char *local;
		int64_t end;
	} graphs[] = {{100000, "i:0", 2 * MS - 500 * US},
		      {100001, "i:1", 2 * MS + 7 * US}};
	struct limits_four x = limits_four("psum.1_0", MS, 2 * MS, 30 * US);
	struct hand_job j;
	char key[120], name[80];

	(void)state;
	for (int told = 0; told < 2; told++) {
		limits_begin(&j);
		hand_trace_host(j.t, "a");
		limits_device(j.t, 1, x.ops, 4);
		hand_trace_plane(j.t, "/device:CUSTOM:Megascale Trace");
		hand_trace_line(j.t, "graphs");
		for (int i = 0; i < 2; i++) {
			snprintf(name, sizeof(name), "device_%d_gid_psum.1_0",
				 graphs[i].id);
			snprintf(key, sizeof(key), "s:%s$l1^i0", name);
			hand_trace_event(j.t, name, MS, graphs[i].end - MS,
					 "graph_key", key,
					 told ? "local_device_id" : NULL,
					 graphs[i].local, NULL);
		}
		hand_job_run(&j, "slack", "--by", "device", NULL);
		if (told)
			HAND_SAME(limits_row(&j, 0), "host_stall_us", 7);
		else /* better none than another device's */
			assert_true(isnan(hand_job_real(limits_row(&j, 0),
							"host_stall_us")));
		hand_job_end(&j);
	}
	/* By rank: the smallest id, of TPU:0, to the only plane. */
	assert_int_equal((graphs[0].end - 2 * MS) / US, -500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_only),
		cmocka_unit_test(means_only),
		cmocka_unit_test(unit_slip),
		cmocka_unit_test(host_events),
		cmocka_unit_test(whole_microseconds),
		cmocka_unit_test(slice_zero),
		cmocka_unit_test(host_side_missing),
		cmocka_unit_test(rank_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
