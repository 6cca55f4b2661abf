/*
 * Slack: which ops are one execution, on device planes made by hand, with
 * truths worked out by hand, in whole microseconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_slack.h"

static void one_execution(void **state)
{
	struct run x;
	struct hand_row *graph;
	const struct na_value *v;

	(void)state;
	begin(&x);
	push(&x, HAND_STEP, 0, 1000)->number = 7;
	graph = push(&x, HAND_GRAPH, 102, 345);
	graph->name = "ar_0";
	plain(&x, "ar_0", 0);
	fill(&x, 1, NULL);
	analyse(&x, 5);
	v = row(&x, 0);
	assert_int_equal(rows(&x), 1);
	assert_string_equal(na_text_of(na_get(v, "collective"), ""), "ar_0");
	assert_string_equal(na_text_of(na_get(v, "send_op"), ""), "send.1");
	assert_string_equal(na_text_of(na_get(v, "recv_op"), ""),
			    "recv-done.1");
	SAME(v, "occurrences", 1);
	SAME(v, "devices", 1);
	SAME(v, "slack_us.mean", 180);
	SAME(v, "slack_us.p50", 180);
	SAME(v, "observed_us.mean", 250);
	SAME(v, "stall_us.mean", 70);
	SAME(v, "send_us", 10);
	SAME(v, "send_done_us", 5);
	SAME(v, "recv_us", 5);
	SAME(v, "recv_done_us", 50);
	SAME(v, "host_stall_us", 45);
	SAME(v, "total_stall_us", 70);
	SAME(v, "stall_share", 0.07);
	/* 2 * 3 / 4 of 8 MB: 96 Mbit in 180 us, and in 243 us. */
	SAME(v, "bytes", 12000000);
	assert_true(fabs(real(v, "required_gbps") - 96000.0 / 180) < 1e-9);
	assert_true(fabs(real(v, "achieved_gbps") - 96000.0 / 243) < 1e-9);
	assert_int_equal(x.d.used, 1);
	assert_int_equal(x.d.first_ps, 100 * US);
	assert_int_equal(x.d.last_ps, 350 * US);
	SAME(na_result_body(x.d.r), "joined.graph", 4);
	end(&x);
}

/* Two in flight at once: ops of the one are no slack of the other. */
static void overlapping(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	op(&x, "send.1", "a_0", 0, 10);
	op(&x, "recv.1", "a_0", 10, 12);
	op(&x, "send.2", "b_0", 20, 24);
	op(&x, "recv.2", "b_0", 24, 30);
	op(&x, "recv-done.1", "a_0", 100, 160); /* 60 of b's time */
	op(&x, "send-done.1", "a_0", 160, 161);
	op(&x, "send-done.2", "b_0", 161, 163);
	op(&x, "recv-done.2", "b_0", 163, 170);
	fill(&x, 1, NULL);
	analyse(&x, 3);
	/* a: 100 - 0 - (10 + 2 + 4 + 6); the send-done after the recv-done
	 * is its own. */
	v = row(&x, 0);
	SAME(v, "slack_us.mean", 78);
	SAME(v, "observed_us.mean", 160);
	SAME(v, "stall_us.mean", 73);
	SAME(v, "send_done_us", 1);
	/* b is in flight from 20 to 170. */
	assert_string_equal(na_text_of(na_get(na_get(v, "overlaps")->u.of.first,
					      "collective"),
				       ""),
			    "b_0");
	SAME(na_get(v, "overlaps")->u.of.first, "share", 140.0 / 160);
	/* b: 163 - 20 - (4 + 6 + 60 + 1 + 2) */
	v = row(&x, 1);
	SAME(v, "slack_us.mean", 70);
	SAME(v, "stall_us.mean", 19);
	SAME(na_get(v, "overlaps")->u.of.first, "share", 140.0 / 150);
	end(&x);
}

/* Limit 22: where the compiler puts the recv first, the reference forgets
 * it; a send-done behind the recv-done it gives to the next. */
static void recv_first(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	for (int i = 0; i < 3; i++) {
		int64_t at = 1000 * i;

		push(&x, HAND_MODULE, at, at + 990)->name = "m";
		op(&x, "recv.1", "a_0", at + 1, at + 3);
		op(&x, "send.1", "a_0", at + 5, at + 9);
		op(&x, "recv-done.1", "a_0", at + 105, at + 115);
		op(&x, "send-done.1", "a_0", at + 120, at + 121 + i);
	}
	fill(&x, 1, NULL);
	analyse(&x, 2);
	v = row(&x, 0);
	SAME(v, "occurrences", 3);
	SAME(v, "slack_us.mean", 96);
	SAME(v, "stall_us.mean", 2 + 4 + 10 + 2);
	SAME(v, "stall_us.min", 17);
	SAME(v, "stall_us.max", 19);
	SAME(v, "recv_us", 2);
	x.params.reference = true;
	analyse(&x, 2);
	v = row(&x, 0);
	/* Of each send: itself and the recv-done. */
	SAME(v, "stall_us.mean", 14);
	SAME(v, "slack_us.mean", 96);
	end(&x);
}

/* A loop that sends the next before it has received the last. */
static void pipelined(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	push(&x, HAND_MODULE, 0, 5000)->name = "m";
	op(&x, "send.1", "a_0", 0, 1);
	op(&x, "recv.1", "a_0", 1, 2);
	for (int i = 1; i < 10; i++) {
		op(&x, "send.1", "a_0", 100 * i, 100 * i + 1);
		op(&x, "recv.1", "a_0", 100 * i + 1, 100 * i + 2);
		op(&x, "recv-done.1", "a_0", 100 * i + 50, 100 * i + 60);
		op(&x, "send-done.1", "a_0", 100 * i + 60, 100 * i + 61);
	}
	op(&x, "recv-done.1", "a_0", 1050, 1060);
	op(&x, "send-done.1", "a_0", 1060, 1061);
	fill(&x, 1, NULL);
	analyse(&x, 100);
	v = row(&x, 0);
	SAME(v, "occurrences", 10);
	/* 150 us from each send to its recv-done; meanwhile its own two ops,
	 * the next send and recv, and (but the first) the done ops of the
	 * one before; the last has no next. */
	SAME(v, "slack_us.p50", 150 - 4 - 11);
	SAME(v, "slack_us.max", 150 - 4);
	SAME(v, "observed_us.min", 160);
	SAME(v, "observed_us.max", 160);
	SAME(v, "stall_us.min", 13);
	SAME(v, "stall_us.max", 13);
	end(&x);
}

/* Limit 24: the -done knows its operand, whatever its number. */
static void by_operand(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	op(&x, "send.1", "a_0", 0, 1);
	op(&x, "recv.1", "a_0", 1, 2);
	op(&x, "send.2", "a_0", 10, 11);
	op(&x, "recv.2", "a_0", 11, 12);
	/* The second one is done first. */
	op(&x, "recv-done.1", "a_0", 50, 52)->start_op = "recv.2";
	op(&x, "send-done.1", "a_0", 52, 53)->start_op = "send.2";
	op(&x, "recv-done.2", "a_0", 200, 202)->start_op = "recv.1";
	op(&x, "send-done.2", "a_0", 202, 203)->start_op = "send.1";
	fill(&x, 1, NULL);
	analyse(&x, 100);
	v = row(&x, 0);
	SAME(v, "occurrences", 2);
	SAME(v, "observed_us.min", 42);
	SAME(v, "observed_us.max", 202);
	SAME(v, "slack_us.min", 50 - 10 - 2);
	SAME(v, "slack_us.max", 200 - 4 - 3);
	end(&x);
}

/* The trace begins and ends within executions; a run of the program that
 * lost its recv-done does not upset the next. */
static void cut_edges(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	push(&x, HAND_MODULE, 0, 400)->name = "m";
	op(&x, "recv.1", "a_0", 0, 1);
	op(&x, "recv-done.1", "a_0", 90, 95);
	op(&x, "send-done.1", "a_0", 95, 96);
	plain(&x, "a_0", 0);
	push(&x, HAND_MODULE, 1000, 1400)->name = "m";
	op(&x, "send.1", "a_0", 1100, 1110);
	push(&x, HAND_MODULE, 2000, 2400)->name = "m";
	plain(&x, "a_0", 2000);
	op(&x, "send.3", NULL, 2360, 2361);
	push(&x, HAND_MODULE, 3000, 3400)->name = "m";
	op(&x, "send.1", "a_0", 3100, 3110);
	fill(&x, 1, NULL);
	analyse(&x, 4);
	v = row(&x, 0);
	SAME(v, "occurrences", 2);
	SAME(v, "slack_us.min", 180);
	SAME(v, "slack_us.max", 180);
	SAME(v, "recv_us", 5);
	assert_true(body(&x, "left_out.recv_done_before_send") == 1);
	assert_true(body(&x, "left_out.unfinished") == 2);
	assert_true(body(&x, "left_out.stray_ops") == 2); /* recv, send-done */
	assert_true(body(&x, "left_out.ops_without_collective") == 1);
	end(&x);
}

/* The trace begins between a recv and its send; the loop's next recv, after
 * the recv-done, is not that execution's. */
static void cut_in_loop(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	push(&x, HAND_MODULE, 0, 400)->name = "m";
	op(&x, "send.1", "a_0", 10, 20);
	op(&x, "send-done.1", "a_0", 30, 31);
	op(&x, "recv-done.1", "a_0", 100, 110);
	op(&x, "recv.1", "a_0", 200, 240);
	op(&x, "send.1", "a_0", 240, 250);
	op(&x, "send-done.1", "a_0", 260, 261);
	op(&x, "recv-done.1", "a_0", 300, 310);
	fill(&x, 1, NULL);
	analyse(&x, 2);
	v = row(&x, 0);
	SAME(v, "occurrences", 2);
	SAME(v, "stall_us.min", 21);
	SAME(v, "stall_us.max", 61);
	end(&x);
}

/* Limit 22 again: a slack below 0 keeps its sign. */
static void negative(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	op(&x, "send.1", "a_0", 0, 10);
	op(&x, "recv.1", "a_0", 10, 20);
	op(&x, "send.2", "b_0", 12, 112); /* beside it */
	op(&x, "recv-done.1", "a_0", 60, 70);
	fill(&x, 1, NULL);
	analyse(&x, 4);
	v = row(&x, 0);
	SAME(v, "slack_us.mean", 60 - 10 - 10 - 100);
	NOTHING(v, "required_gbps");
	assert_true(body(&x, "total.negative_slack") == 1);
	SAME(v, "send_done_us", 0);
	assert_int_equal(x.d.severity, NA_SEV_WARNING);
	end(&x);
}

/* Blocks of any size, and a trace whose ops are out of order. */
static void any_split(void **state)
{
	static const size_t sizes[] = {1, 2, 5, 11, 400};
	struct run x;
	char *first = NULL;

	(void)state;
	begin(&x);
	for (int i = 0; i < 60; i++) {
		x.source = i >= 30;
		x.core = i % 3;
		plain(&x, i % 2 ? "a_0" : "b_0", 137 * (60 - i));
		push(&x, HAND_GRAPH, 137 * (60 - i) + 50,
		     137 * (60 - i) + 300 + i)
			->name = i % 2 ? "a_0" : "b_0";
		x.rows[x.n - 1].src = x.source * 100 + x.core;
	}
	fill(&x, 2, NULL);
	x.scope.by = (struct na_grouping){{NA_KEY_DEVICE}, 1};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		char *text;

		analyse(&x, sizes[i]);
		text = driven_json(&x.d);
		if (first)
			assert_string_equal(first, text);
		else
			first = strdup(text);
		free(text);
	}
	free(first);
	end(&x);
}

/* Times at the ends of what fits, and far more open sends than are kept. */
static void hostile(void **state)
{
	struct run x;

	(void)state;
	begin(&x);
	for (int i = 0; i < 90; i++)
		op(&x, "send.1", "a_0", i, i + 1);
	for (int i = 0; i < 90; i++)
		op(&x, "recv-done.1", "a_0", 100 + i, 101 + i);
	op(&x, "send.1", "b_0", 0, 0)->start_ps = NA_TIME_MIN;
	op(&x, "recv-done.1", "b_0", 0, 0)->end_ps = NA_TIME_MAX - 1;
	push(&x, HAND_STEP, 0, 0)->start_ps = NA_TIME_MIN;
	x.rows[x.n - 1].end_ps = NA_TIME_MAX;
	fill(&x, 1, NULL);
	analyse(&x, 4);
	assert_int_equal(x.d.used, SL_OPEN_MAX + 1);
	x.params.reference = true;
	analyse(&x, 4);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_execution), cmocka_unit_test(overlapping),
		cmocka_unit_test(recv_first),    cmocka_unit_test(pipelined),
		cmocka_unit_test(by_operand),    cmocka_unit_test(cut_edges),
		cmocka_unit_test(cut_in_loop),   cmocka_unit_test(negative),
		cmocka_unit_test(any_split),     cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests_name("slack", tests, NULL, NULL);
}
