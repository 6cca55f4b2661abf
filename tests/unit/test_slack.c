/*
 * Slack, driven through the descriptor on device planes made by hand, with
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

#include "netan/analyses/slack.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_slack;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define US       INT64_C(1000000)

enum { MOST = 400 };

struct run {
	struct hand h;
	struct na_scope scope;
	struct sl_params params;
	struct driven d;
	struct hand_row rows[MOST];
	size_t n;
	int source, core;
	const char *type; /* of the transfers that follow */
	uint64_t bytes;
	uint32_t group;
	int64_t zero_ns[HAND_SOURCES];
};

static void begin(struct run *x)
{
	memset(x, 0, sizeof(*x));
	x->type = "ALL_REDUCE";
	x->bytes = 8000000;
	x->group = 4;
}

static struct hand_row *push(struct run *x, enum hand_what what, int64_t from,
			     int64_t to)
{
	struct hand_row *row = &x->rows[x->n++];

	assert_true(x->n <= MOST);
	*row = (struct hand_row){.what = what,
				 .source = x->source,
				 .start_ps = from * US,
				 .end_ps = to * US,
				 .src = x->core};
	return row;
}

/* An op "send.5" of a collective; NULL: of none. */
static struct hand_row *op(struct run *x, const char *name, const char *of,
			   int64_t from, int64_t to)
{
	struct hand_row *row = push(x, HAND_OP, from, to);
	bool done = strstr(name, "-done") != NULL;

	row->op_name = name;
	row->name = of;
	row->transfer_type = x->type;
	row->op.network = NA_NET_DCN;
	row->op.opcode = name[0] == 's' ? NA_OPCODE_SEND : NA_OPCODE_RECV;
	row->op.phase = done ? NA_OP_DONE : NA_OP_START;
	row->op.size_bytes = x->bytes + (done ? 0 : 4);
	row->op.group_size = x->group;
	row->op.channel = -1;
	row->op.joined = NA_OPJOIN_GRAPH;
	return row;
}

/* 20 us of overlap, slack 180, observed 250, stall 70. */
static void plain(struct run *x, const char *of, int64_t at)
{
	op(x, "send.1", of, at + 100, at + 110);
	op(x, "recv.1", of, at + 110, at + 115);
	op(x, "send-done.1", of, at + 200, at + 205);
	op(x, "recv-done.1", of, at + 300, at + 350);
}

static void fill(struct run *x, size_t sources, const char *const *labels)
{
	hand_init(&x->h, sources, labels);
	hand_fill(&x->h, x->rows, x->n, 3);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->scope.zero_ns = x->zero_ns;
}

static void analyse(struct run *x, size_t size)
{
	driven_end(&x->d);
	hand_drive(&x->d, &na_an_slack, &x->scope, &x->params, size, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static const struct na_value *row(const struct run *x, size_t i)
{
	const struct na_value *list = na_get(na_result_body(x->d.r),
					     "collectives");
	const struct na_value *v = list ? list->u.of.first : NULL;

	while (v && i--)
		v = v->next;
	assert_non_null(v);
	return v;
}

static double real(const struct na_value *v, const char *path)
{
	return na_real_of(na_dig(v, path), NAN);
}

#define SAME(v, path, want) \
	do { \
		double got_ = real(v, path); \
		if (got_ != (want)) \
			print_error("%s: %.17g\n", path, got_); \
		assert_true(got_ == (want)); \
	} while (0)
#define NOTHING(v, path) assert_true(isnan(real(v, path)))

static size_t rows(const struct run *x)
{
	return na_get(na_result_body(x->d.r), "collectives")->n;
}

static double body(const struct run *x, const char *path)
{
	return driven_real(&x->d, path);
}

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

static void transmitted(void **state)
{
	static const struct {
		const char *type;
		uint32_t group;
		uint64_t r;
		double want; /* -1: unknown */
		bool estimate;
	} of[] = {
		{"ONE_TO_ONE", 1, 1000, 1000, false},
		{"ONE_TO_ONE", 0, 1000, 1000, false},
		{"ALL_GATHER", 4, 1000, 750, false},
		{"REDUCE_SCATTER", 4, 1000, 3000, false},
		{"ALL_REDUCE", 4, 1000, 1500, false},
		{"ALL_REDUCE", 3, 1000, 1333, false},
		{"ALL_TO_ALL", 2, 1001, 500, false},
		{"RAGGED_ALL_TO_ALL", 4, 1000, 750, true},
		{"ALL_REDUCE", 0, 1000, -1, false},
		{"ALL_REDUCE", 4, NA_UNKNOWN_U64 - 4, -1, false},
		{"ALL_REDUCE", 2, UINT64_C(1) << 62, 4611686018427387904.0,
		 false},
		{"SOMETHING", 4, 1000, -1, false},
		{NULL, 4, 1000, -1, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(of); i++) {
		struct run x;
		const struct na_value *v;

		begin(&x);
		x.type = of[i].type;
		x.group = of[i].group;
		x.bytes = of[i].r;
		plain(&x, "a_0", 0);
		if (of[i].want < 0 && of[i].r > UINT64_C(1) << 62) {
			for (size_t k = 0; k < x.n; k++)
				x.rows[k].op.size_bytes = NA_UNKNOWN_U64;
		}
		fill(&x, 1, NULL);
		analyse(&x, 4);
		v = row(&x, 0);
		if (of[i].want < 0) {
			NOTHING(v, "bytes");
			NOTHING(v, "required_gbps");
		} else {
			SAME(v, "bytes", of[i].want);
			assert_true(na_get(v, "bytes_estimated")->u.flag ==
				    of[i].estimate);
		}
		end(&x);
	}
}

/* Limits 1, 9 and 16: all cores of all hosts, slice 0 as well, by what the
 * trace says of the device; grouped. */
static void devices(void **state)
{
	struct run x;
	struct na_grouping *by = &x.scope.by;

	(void)state;
	begin(&x);
	for (int source = 0; source < 2; source++) {
		for (int core = 0; core < 2; core++) {
			struct hand_row *g;

			x.source = source;
			x.core = core;
			g = push(&x, HAND_GRAPH, 100, 310 + 10 * core);
			g->src = source * 100 + core;
			g->name = "a_0";
			g->local = 2 - core; /* the other way round */
			push(&x, HAND_STEP, 0, 1000)->number = 3;
			plain(&x, "a_0", source * 2);
			x.rows[x.n - 1].end_ps += (source * 2 + core) * US;
		}
	}
	fill(&x, 2, NULL);
	analyse(&x, 3);
	SAME(row(&x, 0), "devices", 4);
	SAME(row(&x, 0), "occurrences", 4);
	SAME(row(&x, 0), "devices_per_host", 2);
	SAME(row(&x, 0), "stall_us.mean", 71.5);
	SAME(row(&x, 0), "stall_share", 286.0 / 4000);
	*by = (struct na_grouping){{NA_KEY_DEVICE}, 1};
	analyse(&x, 3);
	assert_int_equal(rows(&x), 4);
	/* Most stall first: core 1 of host b is device 0 there. */
	assert_string_equal(na_text_of(na_dig(row(&x, 0), "key.device"), ""),
			    "s1d0");
	SAME(row(&x, 0), "stall_us.mean", 73);
	SAME(row(&x, 0), "host_stall_us", 310 - 302);
	SAME(row(&x, 3), "host_stall_us", 320 - 300);
	SAME(row(&x, 3), "stall_share", 0.07);
	SAME(row(&x, 3), "devices_per_host", 2);
	*by = (struct na_grouping){{NA_KEY_HOST, NA_KEY_STEP}, 2};
	analyse(&x, 3);
	assert_int_equal(rows(&x), 2);
	assert_string_equal(na_text_of(na_dig(row(&x, 0), "key.host"), ""),
			    "b");
	assert_string_equal(na_text_of(na_dig(row(&x, 0), "key.step"), ""),
			    "3");
	*by = (struct na_grouping){{NA_KEY_SRC}, 1};
	driven_end(&x.d);
	hand_drive(&x.d, &na_an_slack, &x.scope, &x.params, 3, &x.h.err);
	assert_int_equal(x.d.status, NA_EUSAGE);
	end(&x);
}

static void window(void **state)
{
	static const char *glob = "b*";
	struct na_text_list names = {&glob, 1, 1};
	struct run x;

	(void)state;
	begin(&x);
	for (int i = 0; i < 4; i++) {
		push(&x, HAND_STEP, 1000 * i, 1000 * i + 1000)->number = i;
		plain(&x, "a_0", 1000 * i);
		op(&x, "send.2", "b_0", 1000 * i + 400, 1000 * i + 410);
		/* Ends with the step. */
		op(&x, "recv-done.2", "b_0", 1000 * i + 900, 1000 * i + 1000);
	}
	fill(&x, 1, NULL);
	x.h.filter.from_ps = 1350 * US;
	x.h.filter.to_ps = 3350 * US;
	analyse(&x, 4);
	assert_int_equal(x.d.used, 4);
	assert_true(body(&x, "left_out.outside_window") == 4);
	assert_true(body(&x, "total.step_time_us") == 2000);
	x.h.filter.from_ps = NA_TIME_MIN;
	x.h.filter.to_ps = NA_TIME_MAX;
	x.h.filter.first_step = 1;
	x.h.filter.last_step = 2;
	analyse(&x, 4);
	assert_int_equal(x.d.used, 4);
	assert_true(body(&x, "total.step_time_us") == 2000);
	x.h.filter.first_step = x.h.filter.last_step = -1;
	x.h.filter.collective = &names;
	analyse(&x, 4);
	assert_int_equal(rows(&x), 1);
	assert_int_equal(x.d.used, 4);
	SAME(row(&x, 0), "slack_us.mean", 490);
	x.h.filter.collective = NULL;
	end(&x);
}

/* XProf's integers: device 0, inside program runs, ns and us cut off. */
static void reference(void **state)
{
	struct run x;
	const struct na_value *v;

	(void)state;
	begin(&x);
	x.zero_ns[0] = 5000000000700;
	push(&x, HAND_MODULE, 50, 900)->name = "m";
	plain(&x, "a_0", 0);
	x.rows[x.n - 1].end_ps += 999999;   /* 50.999999 us */
	x.rows[x.n - 1].start_ps += 400999; /* 300.400999 us */
	x.rows[x.n - 4].start_ps += 250999; /* 100.250999 us */
	push(&x, HAND_MODULE, 1000, 1900)->name = "m";
	plain(&x, "a_0", 1000);
	plain(&x, "a_0", 5000); /* in no run */
	x.core = 1;
	push(&x, HAND_MODULE, 50, 900)->name = "m";
	plain(&x, "a_0", 0);
	fill(&x, 1, NULL);
	x.params.reference = true;
	analyse(&x, 4);
	v = row(&x, 0);
	SAME(v, "occurrences", 2);
	SAME(v, "devices", 1);
	/* First: recv-done at 300 400 ns, send at 100 250, ops 9 749, 5 000
	 * and 5 000: 180 401 ns; second: 180 us. */
	SAME(v, "slack_us.mean", 180);
	NOTHING(v, "slack_us.p50");
	/* Stall 9 749 + 5 000 + 5 000 + 50 599: 70 348 ns. */
	SAME(v, "stall_us.mean", 70);
	/* The microseconds begin at 300 ns: 350.999 is of 351 (.699), 100.250
	 * of 100 (.950); the second has 250. */
	SAME(v, "observed_us.mean", 250);
	SAME(v, "send_us", 9);
	SAME(v, "recv_done_us", 50);
	SAME(v, "total_stall_us", 140);
	assert_true(body(&x, "left_out.ops_outside_modules") == 4);
	end(&x);
}

static void bound(void **state)
{
	struct run x;

	(void)state;
	begin(&x);
	push(&x, HAND_STEP, 0, 1000)->number = 1;
	plain(&x, "a_0", 0); /* needs 533 Gbit/s */
	fill(&x, 1, NULL);
	x.params.capacity = "1000Gbps";
	analyse(&x, 4);
	assert_false(na_get(row(&x, 0), "bandwidth_bound")->u.flag);
	x.params.capacity = "500Gbps";
	analyse(&x, 4);
	assert_true(na_get(row(&x, 0), "bandwidth_bound")->u.flag);
	assert_string_equal(na_text_of(na_get(na_result_body(x.d.r), "verdict"),
				       ""),
			    "bandwidth_bound");
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
		cmocka_unit_test(negative),      cmocka_unit_test(transmitted),
		cmocka_unit_test(devices),       cmocka_unit_test(window),
		cmocka_unit_test(reference),     cmocka_unit_test(bound),
		cmocka_unit_test(any_split),     cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests_name("slack", tests, NULL, NULL);
}
