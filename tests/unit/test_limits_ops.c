/*
 * Limits of the reference (test_limits.c says more) in what the ops of a
 * device are:
 *
 *	 6 integer_shares          8 flows_to_the_end
 *	20 first_group, outside_modules             21 no_slack
 *	22 order_of_ops           23 tiny_ops
 *	24 suffixes, no_suffixes, short_names
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/limits.h"

/* ---- 6, 20: bytes */

/* One execution of that type and shape in these groups. */
static void exchange(struct hand_job *j, const char *type, const char *shape,
		     const char *info)
{
	struct limits_four x = limits_four("psum.1_0", MS, 2 * MS, US);

	limits_begin(j);
	hand_op_type = type;
	hand_op_shape = shape;
	hand_op_info = info;
	hand_trace_host(j->t, "a");
	limits_device(j->t, 0, x.ops, 4);
	hand_job_run(j, "slack", NULL);
}

#define EACH2(x)  x x
#define EACH64(x) EACH2(EACH2(EACH2(EACH2(EACH2(EACH2(x))))))
#define THREE \
	"b:0805" \
	"1206" \
	"0a00" \
	"0a00" \
	"0a00"
#define SIXTY_FOUR \
	"b:0805" \
	"128001" EACH64("0a00")
#define UNEVEN \
	"b:0805" \
	"1204" \
	"0a00" \
	"0a00" \
	"1208" EACH2(EACH2("0a00"))

/* 6: (g - 1) / g first is 0 in whole numbers; last it leaves 64 bits. */
static void integer_shares(void **state)
{
	const uint64_t r = 4000, big = UINT64_C(1) << 60;
	uint64_t g = 3;
	struct hand_job j;

	(void)state;
	exchange(&j, "ALL_REDUCE", "f32[1000]", THREE);
	HAND_SAME(limits_row(&j, 0), "bytes", 5333); /* 16000 / 3 */
	assert_int_equal(2 * ((g - 1) / g) * r, 0);
	hand_job_end(&j);
	exchange(&j, "ALL_TO_ALL", "f32[1000]", THREE);
	HAND_SAME(limits_row(&j, 0), "bytes", 2666);
	assert_int_equal((g - 1) / g * r, 0);
	hand_job_end(&j);
	g = 64;
	exchange(&j, "ALL_REDUCE", "f32[1048576,1048576,262144]", SIXTY_FOUR);
	HAND_SAME(limits_row(&j, 0), "bytes", 2 * 63.0 / 64 * 0x1p60);
	assert_true((double)(2 * (g - 1) * big / g) < 0x1p60);
	hand_job_end(&j);
}

/* 20: groups of two and of four: no one number of bytes is right. */
static void first_group(void **state)
{
	struct hand_job j;

	(void)state;
	exchange(&j, "ALL_REDUCE", "f32[1000]", THREE);
	assert_false(na_get(limits_row(&j, 0), "bytes_estimated")->u.flag);
	hand_job_end(&j);
	exchange(&j, "ALL_REDUCE", "f32[1000]", UNEVEN);
	/* As the first group says, 4000, not 6000: and that is told. */
	HAND_SAME(limits_row(&j, 0), "bytes", 4000);
	assert_true(na_get(limits_row(&j, 0), "bytes_estimated")->u.flag);
	hand_job_end(&j);
}

/* 20: ops outside any event of XLA Modules, which a cut trace has. */
static void outside_modules(void **state)
{
	struct hand_op ops[8];
	struct hand_job j;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct limits_four x =
			limits_four("psum.1_0", (1 + 200 * i) * MS,
				    (1 + 200 * i) * MS + 100 * US, US);

		memcpy(ops + 4 * i, x.ops, sizeof(x.ops));
	}
	limits_begin(&j);
	hand_trace_host(j.t, "a");
	limits_device(j.t, 0, ops, 8); /* the run ends at 100 ms */
	hand_job_run(&j, "slack", NULL);
	HAND_SAME(limits_row(&j, 0), "occurrences", 2);
	hand_job_run(&j, "slack", "--reference", NULL);
	HAND_SAME(limits_row(&j, 0), "occurrences", 1);
	HAND_SAME(hand_job_body(&j), "left_out.ops_outside_modules", 4);
	hand_job_end(&j);
}

/* ---- 8, 21, 22, 23, 24: what the ops of a device are */

static void ops_alone(struct hand_job *j, const struct hand_op *ops, size_t n)
{
	limits_begin(j);
	hand_trace_host(j->t, "a");
	limits_device(j->t, 0, ops, n);
	hand_job_run(j, "slack", NULL);
}

/* 8: the recv-done does not say its rendezvous; the map from its recv is
 * never filled there, so nothing ends. */
static void flows_to_the_end(void **state)
{
	struct limits_four x = limits_four("psum.1_0", MS, 2 * MS, 30 * US);
	struct hand_job j;

	(void)state;
	x.ops[2].of = x.ops[3].of = NULL;
	ops_alone(&j, x.ops, 4);
	assert_int_equal(limits_reference(x.ops, 4, "psum.1_0").n, 0);
	HAND_SAME(limits_row(&j, 0), "occurrences", 1);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", 997);
	HAND_SAME(limits_row(&j, 0), "stall_us.mean", 33);
	HAND_SAME(hand_job_body(&j), "joined.graph", 2);
	hand_job_end(&j);
}

/* 21: the largest int where there is no slack; shown as a rate it is
 * neither, and what needs 2.2 Tbit/s would come behind it. */
static void no_slack(void **state)
{
	struct limits_four none = limits_four("none.1_0", MS, MS + 3 * US, US);
	struct limits_four tight = limits_four("tight.2_0", 3 * MS,
					       3 * MS + 4 * US, US);
	struct hand_op ops[8];
	struct limits_told r;
	struct hand_job j;

	(void)state;
	memcpy(ops, none.ops, sizeof(none.ops));
	memcpy(ops + 4, tight.ops, sizeof(tight.ops));
	for (int i = 4; i < 8; i++)
		ops[i].channel += 10;
	r = limits_reference(ops, 8, "none.1_0");
	hand_op_shape = "f32[1024]";
	limits_begin(&j);
	hand_op_shape = "f32[1073741824]"; /* 34 Gbit in 1 us */
	hand_trace_host(j.t, "a");
	limits_device(j.t, 0, ops, 8);
	hand_job_run(&j, "slack", "--sort", "required", "--capacity", "400Gbps",
		     NULL);
	assert_string_equal(na_text_of(na_get(limits_row(&j, 0), "collective"),
				       ""),
			    "none.1_0");
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", 0);
	assert_true(isnan(hand_job_real(limits_row(&j, 0), "required_gbps")));
	assert_true(na_get(limits_row(&j, 0), "bandwidth_bound")->u.flag);
	HAND_SAME(limits_row(&j, 1), "required_gbps", 8 * 4294967296.0 / 1000);
	assert_int_equal(r.slack_us, 0); /* printed as INT32_MAX Gbit/s ... */
	assert_true(hand_job_real(limits_row(&j, 1), "required_gbps") <
		    (double)INT32_MAX);
	hand_job_end(&j);
}

/* 22: recv before its send, send-done behind the recv-done; and ops of
 * others that fill more than the gap. */
static void order_of_ops(void **state)
{
	static const struct hand_op ops[] = {
		{"recv.1", "a.1_0", "x.1", 2, 0 * US, 40 * US, 0},
		{"send.1", "a.1_0", "x.1", 1, 50 * US, 5 * US, 0},
		{"recv-done.1", "a.1_0", "recv.1", 2, 200 * US, 10 * US, 0},
		{"send-done.1", "a.1_0", "send.1", 1, 210 * US, 80 * US, 0},
		{"recv.1", "a.1_0", "x.1", 2, 1000 * US, 40 * US, 0},
		{"send.1", "a.1_0", "x.1", 1, 1050 * US, 5 * US, 0},
		{"recv-done.1", "a.1_0", "recv.1", 2, 1200 * US, 10 * US, 0},
		{"send-done.1", "a.1_0", "send.1", 1, 1210 * US, 80 * US, 0},
	};
	/* On two queues: b's recv-done runs while c is in flight. */
	static const struct hand_op over[] = {
		{"send.1", "c.1_0", "x.1", 1, 0, 10 * US, 0},
		{"recv.1", "c.1_0", "x.1", 2, 5 * US, 90 * US, 0},
		{"send-done.1", "c.1_0", "send.1", 1, 6 * US, 30 * US, 0},
		{"recv-done.1", "c.1_0", "recv.1", 2, 100 * US, 10 * US, 0},
	};
	struct limits_told r = limits_reference(ops, 8, "a.1_0");
	struct hand_job j;

	(void)state;
	ops_alone(&j, ops, 8);
	HAND_SAME(limits_row(&j, 0), "occurrences", 2);
	HAND_SAME(limits_row(&j, 0), "stall_us.min", 135);
	HAND_SAME(limits_row(&j, 0), "stall_us.max", 135);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", 145);
	assert_int_equal(r.stall_us, 15); /* of 135 */
	hand_job_end(&j);
	ops_alone(&j, over, 4);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", -30);
	HAND_SAME(hand_job_body(&j), "total.negative_slack", 1);
	assert_true(limits_reference(over, 4, "c.1_0").slack_us >
		    UINT64_MAX / 2000);
	hand_job_end(&j);
}

/* 23: ops below a nanosecond are ops. */
static void tiny_ops(void **state)
{
	enum { N = 200 };
	static struct hand_op ops[4 * N];
	uint64_t hidden = 0;
	struct hand_job j;

	(void)state;
	for (int i = 0; i < N; i++) {
		struct limits_four x = limits_four("psum.1_0", MS + i * 10 * US,
						   MS + i * 10 * US + 5 * US,
						   0);

		for (int k = 0; k < 4; k++) {
			x.ops[k].ns = 0;
			x.ops[k].ps = 500;
			hidden += x.ops[k].ns < 1;
		}
		memcpy(ops + 4 * i, x.ops, sizeof(x.ops));
	}
	ops_alone(&j, ops, COUNT(ops));
	HAND_SAME(limits_row(&j, 0), "occurrences", N);
	HAND_SAME(limits_row(&j, 0), "stall_us.mean", 0.002);
	HAND_SAME(limits_row(&j, 0), "total_stall_us", 0.4);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", 5 - 0.0015);
	assert_int_equal(hidden, 4 * N); /* "800 events are hidden" */
	assert_int_equal(limits_reference(ops, COUNT(ops), "psum.1_0").stall_us,
			 0);
	hand_job_end(&j);
}

/* Which of the ops, by the number behind its name, a -done belongs to. */
static const char *by_suffix(const struct hand_op *ops, size_t n,
			     const char *start, const char *done)
{
	const char *suffix = strchr(done, '.') ? strchr(done, '.') : "";

	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(ops[i].name, ".");

		if (len == strlen(start) &&
		    memcmp(ops[i].name, start, len) == 0 &&
		    strcmp(ops[i].name + len, suffix) == 0)
			return ops[i].of;
	}
	return NULL;
}

/* 24: the compiler numbers -done ops as it likes. */
static void suffixes(void **state)
{
	static const struct hand_op ops[] = {
		{"send.1", "a.1_0", "x.1", 0, 0 * US, US, 0},
		{"recv.1", "a.1_0", "x.1", 0, 1 * US, US, 0},
		{"send.2", "b.2_0", "x.2", 0, 2 * US, US, 0},
		{"recv.2", "b.2_0", "x.2", 0, 3 * US, US, 0},
		{"send-done.1", NULL, "send.2", 0, 100 * US, US, 0},
		{"recv-done.1", NULL, "recv.2", 0, 101 * US, 9 * US, 0},
		{"send-done.2", NULL, "send.1", 0, 900 * US, US, 0},
		{"recv-done.2", NULL, "recv.1", 0, 901 * US, US, 0},
	};
	struct hand_job j;

	(void)state;
	ops_alone(&j, ops, 8);
	HAND_SAME(limits_of(&j, "a.1_0"), "observed_us.mean", 902);
	HAND_SAME(limits_of(&j, "a.1_0"), "stall_us.mean", 4);
	HAND_SAME(limits_of(&j, "b.2_0"), "observed_us.mean", 108);
	HAND_SAME(limits_of(&j, "b.2_0"), "stall_us.mean", 12);
	HAND_SAME(hand_job_body(&j), "joined.graph", 4);
	assert_string_equal(by_suffix(ops, 8, "recv", "recv-done.1"), "a.1_0");
	hand_job_end(&j);
}

/* 24: names without a number share the id 0; then the channel tells. */
static void no_suffixes(void **state)
{
	static const struct hand_op ops[] = {
		{"send", "a.1_0", "x.1", 5, 0 * US, US, 0},
		{"recv", "a.1_0", "x.1", 6, 1 * US, US, 0},
		{"send.x", "b.2_0", "x.2", 7, 2 * US, US, 0},
		{"recv.x", "b.2_0", "x.2", 8, 3 * US, US, 0},
		{"send-done", NULL, NULL, 7, 100 * US, US, 0},
		{"recv-done", NULL, NULL, 8, 101 * US, 9 * US, 0},
		{"send-done.x", NULL, NULL, 5, 900 * US, US, 0},
		{"recv-done.x", NULL, NULL, 6, 901 * US, US, 0},
	};
	struct hand_job j;

	(void)state;
	ops_alone(&j, ops, 8);
	HAND_SAME(limits_of(&j, "a.1_0"), "observed_us.mean", 902);
	HAND_SAME(limits_of(&j, "b.2_0"), "observed_us.mean", 108);
	HAND_SAME(hand_job_body(&j), "joined.channel", 4);
	assert_string_equal(by_suffix(ops, 8, "recv", "recv-done"), "a.1_0");
	hand_job_end(&j);
}

/* 24, and bytes: a recv-done of which the trace has but the short name gets
 * its collective by its number, and its bytes from the recv, whose shape
 * holds 4 bytes of context. */
static void short_names(void **state)
{
	struct limits_four x = limits_four("psum.1_0", MS, 2 * MS, US);
	struct hand_job j;

	(void)state;
	limits_begin(&j);
	hand_trace_host(j.t, "a");
	limits_device(j.t, 0, x.ops, 2);
	hand_trace_event(j.t, "send-done.1", 2 * MS - US, US, NULL);
	hand_trace_event(j.t, "recv-done.1", 2 * MS, US, NULL);
	hand_job_run(&j, "slack", NULL);
	HAND_SAME(hand_job_body(&j), "joined.suffix", 2);
	HAND_SAME(limits_row(&j, 0), "slack_us.mean", 997);
	HAND_SAME(limits_row(&j, 0), "bytes", 4096);
	hand_job_end(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integer_shares),
		cmocka_unit_test(first_group),
		cmocka_unit_test(outside_modules),
		cmocka_unit_test(flows_to_the_end),
		cmocka_unit_test(no_slack),
		cmocka_unit_test(order_of_ops),
		cmocka_unit_test(tiny_ops),
		cmocka_unit_test(suffixes),
		cmocka_unit_test(no_suffixes),
		cmocka_unit_test(short_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
