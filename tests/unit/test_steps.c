/*
 * Steps driven through their descriptor on records made by hand: what fills
 * a step, who is slowest, and why.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_steps.h"

enum { HOSTS = 4, STEPS = 40 };

static void is(const struct na_value *row, const char *name, double want)
{
	double got = na_real_of(na_get(row, name), NAN);

	if (isnan(want) ? !isnan(got)
			: !(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
		fail_msg("%s is %.17g, not %.17g", name, got, want);
}

static void says(const struct na_value *row, const char *name, const char *want)
{
	const char *got = na_text_of(na_get(row, name), "(null)");

	if (strcmp(got, want) != 0)
		fail_msg("%s is %s, not %s", name, got, want);
}

static struct hand_row dcn(int64_t from_us, int64_t to_us, const char *name,
			   enum na_opcode opcode, enum na_op_phase phase)
{
	return (struct hand_row){HAND_OP,
				 0,
				 from_us * PS_US,
				 to_us * PS_US,
				 .name = "ar.1_0",
				 .op_name = name,
				 .op = {.opcode = (uint8_t)opcode,
					.phase = (uint8_t)phase,
					.channel = 3,
					.network = NA_NET_DCN}};
}

static struct hand_row busy(int64_t from_us, int64_t to_us)
{
	return (struct hand_row){HAND_BUSY, 0, from_us * PS_US, to_us * PS_US,
				 .src = 0};
}

/* clang-format off */
static struct hand_row ici(int64_t from_us, int64_t to_us, const char *name,
			   const char *start_op, enum na_op_phase phase)
{
	return (struct hand_row){
		HAND_OP, 0, from_us * PS_US, to_us * PS_US, .op_name = name,
		.start_op = start_op,
		.op = {.opcode = NA_OPCODE_ALL_REDUCE, .phase = (uint8_t)phase,
		       .channel = -1, .network = NA_NET_ICI}};
}
/* clang-format on */

/* A DCN collective in flight over [30, 90), an ICI one over [92, 99). */
static void parts(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, 1, NULL);
	steps_add(&x,
		  (struct hand_row){HAND_STEP, 0, 0, 100 * PS_US, .number = 7});
	steps_add(&x, busy(0, 30));
	steps_add(&x, dcn(30, 32, "send.1", NA_OPCODE_SEND, NA_OP_START));
	steps_add(&x, dcn(32, 33, "recv.1", NA_OPCODE_RECV, NA_OP_START));
	steps_add(&x, busy(35, 60));
	steps_add(&x, dcn(60, 62, "send-done.1", NA_OPCODE_SEND, NA_OP_DONE));
	steps_add(&x, ici(62, 70, "all-reduce.9", NULL, NA_OP_WHOLE));
	steps_add(&x, dcn(80, 90, "recv-done.1", NA_OPCODE_RECV, NA_OP_DONE));
	steps_add(&x, ici(92, 93, "all-reduce-start.2", NULL, NA_OP_START));
	steps_add(&x, busy(93, 97));
	steps_add(&x, ici(98, 99, "all-reduce-done.5", "all-reduce-start.2",
			  NA_OP_DONE));
	steps_ready(&x);
	steps_analyse(&x, 100);
	assert_int_equal(x.d.used, 1);
	for (size_t i = 0; i < 2; i++) {
		const struct na_value *row =
			steps_row(&x, i ? "hosts" : "steps", 0);

		is(row, i ? "mean_ms" : "duration_ms", 0.1);
		is(row, "compute_ms", 0.059);
		is(row, "overlap_ms", 0.029);
		is(row, "overlap_share", 29.0 / 67);
		is(row, "exposed_ms", 0.025);
		is(row, "exposed_dcn_ms", 0.015);
		is(row, "exposed_ici_ms", 0.010);
		is(row, "exposed_gpu_ms", 0);
		is(row, "idle_ms", 0.016);
	}
	is(steps_row(&x, "steps", 0), "step", 7);
	says(steps_row(&x, "steps", 0), "slowest_host", "(null)");
	steps_end(&x);
}

/* Kernels of several streams run at once: a collective that hides. */
static void hidden(void **state)
{
	struct steps_run x;
	const struct na_value *row;

	(void)state;
	steps_init(&x, 1, NULL);
	/* clang-format off */
	steps_add(&x, (struct hand_row){HAND_STEP, 0, 0, 100 * PS_US,
					.number = 1, .device = NA_DEVICE_GPU});
	steps_add(&x, (struct hand_row){HAND_BUSY, 0, 20 * PS_US, 30 * PS_US,
					.device = NA_DEVICE_GPU});
	steps_add(&x, (struct hand_row){HAND_OP, 0, 10 * PS_US, 120 * PS_US,
					.op_name = "ncclDevKernel_AllReduce",
					.device = NA_DEVICE_GPU,
					.op = {.opcode = NA_OPCODE_ALL_REDUCE,
					       .channel = -1,
					       .network = NA_NET_GPU}});
	/* Busy on several streams at once counts once; outside the step,
	 * not at all. */
	steps_add(&x, (struct hand_row){HAND_BUSY, 0, 25 * PS_US, 45 * PS_US,
					.device = NA_DEVICE_GPU});
	steps_add(&x, (struct hand_row){HAND_BUSY, 0, 95 * PS_US, 130 * PS_US,
					.device = NA_DEVICE_GPU});
	/* clang-format on */
	steps_ready(&x);
	steps_analyse(&x, 3);
	row = steps_row(&x, "steps", 0);
	is(row, "compute_ms", 0.030);
	is(row, "overlap_ms", 0.030);
	is(row, "exposed_ms", 0.060);
	is(row, "exposed_gpu_ms", 0.060);
	is(row, "idle_ms", 0.010);
	steps_end(&x);
}

/* Everyone waits for host c, whose input or computing is late. */
static void job(struct steps_run *x, int late, int64_t compute_us,
		int64_t gap_us)
{
	steps_init(x, HOSTS, NULL);
	for (int s = 0; s < STEPS; s++) {
		int64_t start = 1000 * s, end = start + 990;

		for (int h = 0; h < HOSTS; h++) {
			int64_t own = 600 + (s * 7 + h * 3) % 5;

			if (h != late)
				steps_wait(x, h, s, start, own, end);
			else
				steps_wait(x, h, s, start + gap_us,
					   own + compute_us, end);
		}
	}
	steps_ready(x);
	steps_analyse(x, 64);
}

static void culprit(void **state)
{
	const struct na_value *row;
	struct steps_run x;

	(void)state;
	job(&x, 2, 300, 0);
	assert_int_equal(na_get(na_result_body(x.d.r), "stragglers")->n, 1);
	row = steps_row(&x, "stragglers", 0);
	says(row, "host", "c");
	says(row, "cause", "computation");
	says(row, "kind", "slow_step");
	says(row, "of", "steps");
	is(row, "share", 1);
	is(row, "expected_share", 1.0 / HOSTS);
	assert_true(na_real_of(na_get(row, "posterior"), 0) > 0.9);
	assert_int_equal(x.d.severity, NA_SEV_ERROR);
	row = steps_row(&x, "hosts", 2);
	is(row, "slowest_share", 1);
	says(row, "cause", "computation");
	is(row, "mean_ms", 0.99);
	assert_non_null(
		strstr(na_text_of(na_get(na_result_body(x.d.r), "verdict"), ""),
		       "c computes"));
	for (size_t s = 0; s < STEPS; s++)
		says(steps_row(&x, "steps", s), "slowest_host", "c");
	steps_end(&x);

	job(&x, 1, 0, 250);
	row = steps_row(&x, "stragglers", 0);
	says(row, "host", "b");
	says(row, "cause", "input");
	/* The first step has none before it: its gap is not known. */
	is(row, "tried", STEPS);
	assert_true(na_real_of(na_get(row, "times"), 0) >= STEPS - 1);
	steps_end(&x);

	job(&x, -1, 0, 0);
	assert_int_equal(na_get(na_result_body(x.d.r), "stragglers")->n, 0);
	assert_int_equal(x.d.severity, NA_SEV_NONE);
	steps_end(&x);
}

static void transfer(struct steps_run *x, int src, int dst, int64_t from_us,
		     int64_t us)
{
	struct hand_row t = {.what = HAND_RX, .size = 4096, .name = "ar.1_0"};

	t.source = dst;
	t.start_ps = from_us * PS_US;
	t.end_ps = (from_us + us) * PS_US;
	t.src = src * 100;
	t.dst = dst * 100;
	steps_add(x, t);
}

/* One host a little late; the transfers of another take far longer, and the
 * late one waits for them too.  The first step shows the clocks. */
static void network_first(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, HOSTS, NULL);
	for (int s = 0; s < STEPS; s++) {
		int64_t start = 10000 * s;

		for (int h = 0; h < HOSTS; h++) {
			steps_wait(&x, h, s, start, h == 2 ? 6200 : 6000,
				   start + 9900);
			for (int k = 0; k < HOSTS; k++) {
				if (k != h)
					transfer(&x, k, h, start + 6000,
						 s && (h == 1 || k == 1) ? 3000
									 : 50);
			}
		}
	}
	steps_ready(&x);
	steps_analyse(&x, 64);
	for (size_t s = 1; s < STEPS; s++) {
		says(steps_row(&x, "steps", s), "slowest_host", "b");
		says(steps_row(&x, "steps", s), "cause", "network");
	}
	steps_end(&x);
}

/* The same bytes, however the records are cut into blocks. */
static void any_blocks(void **state)
{
	static const size_t sizes[] = {1, 2, 17, 1000};
	struct steps_run x;
	char *first;

	(void)state;
	job(&x, 2, 300, 0);
	first = driven_json(&x.d);
	for (size_t i = 0; i < 4; i++) {
		char *other;

		driven_end(&x.d);
		steps_analyse(&x, sizes[i]);
		other = driven_json(&x.d);
		assert_string_equal(first, other);
		free(other);
	}
	free(first);
	steps_end(&x);
}

static void program(struct steps_run *x, int host, int64_t from_us,
		    int64_t to_us, const char *name, int run)
{
	steps_add(x, (struct hand_row){HAND_MODULE, host, from_us * PS_US,
				       to_us * PS_US, .name = name,
				       .number = run});
}

/* No Steps line: runs of the program with most time, joined by run id where
 * that joins what runs at once, else by order. */
static void programs(void **state)
{
	struct steps_run x;

	(void)state;
	for (int alike = 0; alike < 2; alike++) {
		steps_init(&x, 2, NULL);
		for (int h = 0; h < 2; h++) {
			program(&x, h, 0, 50, "init", 1);
			/* The second host was captured a step later. */
			for (int s = alike ? h : 0; s < 20; s++)
				program(&x, h, 100 + 100 * s, 190 + 100 * s,
					"train",
					alike ? 10 + s : 10 + s + 77 * h);
		}
		steps_ready(&x);
		steps_analyse(&x, 9);
		assert_int_equal(na_get(na_result_body(x.d.r), "steps")->n, 20);
		is(steps_row(&x, "steps", 0), "step", alike ? 10 : 0);
		is(steps_row(&x, "steps", 0), "hosts", alike ? 1 : 2);
		is(steps_row(&x, "steps", 1), "hosts", 2);
		is(steps_row(&x, "steps", 1), "spread_ms", 0);
		is(steps_row(&x, "steps", 1), "gap_ms", alike ? 0.005 : 0.01);
		steps_end(&x);
	}
}

static void filters(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, 1, NULL);
	for (int s = 0; s < 10; s++)
		steps_wait(&x, 0, s, 100 * s, 50, 100 * s + 90);
	steps_ready(&x);
	x.h.filter.first_step = 3;
	x.h.filter.last_step = 5;
	steps_analyse(&x, 9);
	assert_int_equal(na_get(na_result_body(x.d.r), "steps")->n, 3);
	is(steps_row(&x, "steps", 0), "step", 3);
	/* The step before is left out, but was there. */
	is(steps_row(&x, "steps", 0), "gap_ms", 0.01);
	driven_end(&x.d);
	x.h.filter.first_step = x.h.filter.last_step = -1;
	x.h.filter.from_ps = 190 * PS_US;
	x.h.filter.to_ps = 490 * PS_US;
	steps_analyse(&x, 9);
	assert_int_equal(na_get(na_result_body(x.d.r), "steps")->n, 3);
	is(steps_row(&x, "steps", 0), "step", 1);
	steps_end(&x);
}

/* What is used and what the filters leave out add up to what is there. */
static void left_out(void **state)
{
	static const char *glob = "b";
	struct na_text_list names = {&glob, 1, 1};
	struct steps_run x;

	(void)state;
	steps_init(&x, 3, NULL);
	for (int h = 0; h < 3; h++) {
		for (int s = 0; s < 10; s++)
			steps_wait(&x, h, s, 100 * s, 50, 100 * s + 90);
		/* Of other hosts, no reason of its own. */
		steps_wait(&x, h, -1, 2000, 50, 2090);
	}
	steps_ready(&x);
	x.h.filter.host = &names;
	steps_analyse(&x, 9);
	assert_int_equal(x.d.used, 10);
	assert_int_equal(na_result_about(x.d.r)->filtered, 22);
	assert_int_equal(na_result_about(x.d.r)->left_out, 23);
	driven_end(&x.d);
	x.h.filter.first_step = 3;
	x.h.filter.last_step = 5;
	steps_analyse(&x, 9);
	assert_int_equal(x.d.used, 3);
	assert_int_equal(na_result_about(x.d.r)->filtered, 29);
	x.h.filter.host = NULL;
	steps_end(&x);
}

/* Steps that overlap, come twice, have no number or end before they begin. */
static void odd(void **state)
{
	static const struct {
		int64_t from, to;
		int number;
	} rows[] = {{0, 100, 1},    {90, 200, 2},  {200, 300, 2}, {310, 305, 4},
		    {320, 400, -1}, {400, 500, 5}, {400, 520, 6}};
	struct steps_run x;

	(void)state;
	steps_init(&x, 1, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		steps_add(&x,
			  (struct hand_row){HAND_STEP, 0, rows[i].from * PS_US,
					    rows[i].to * PS_US,
					    .number = rows[i].number});
	steps_add(&x,
		  (struct hand_row){HAND_BUSY, 0, 0, 600 * PS_US, .src = 0});
	steps_ready(&x);
	steps_analyse(&x, 2);
	assert_int_equal(na_get(na_result_body(x.d.r), "steps")->n, 3);
	is(steps_row(&x, "steps", 0), "compute_ms", 0.09);
	is(steps_row(&x, "steps", 1), "compute_ms", 0.11);
	is(steps_row(&x, "steps", 2), "step", 6);
	is(steps_row(&x, "steps", 2), "compute_ms", 0.12);
	assert_true(driven_real(&x.d, "device_steps.repeated") == 1);
	assert_true(driven_real(&x.d, "device_steps.unnamed") == 1);
	assert_true(driven_real(&x.d, "device_steps.cut") == 2);
	steps_end(&x);
}

/* Times as far apart as they get. */
static void extremes(void **state)
{
	static const int64_t ends[][2] = {{INT64_MIN, INT64_MIN + 5},
					  {INT64_MIN + 5, INT64_MAX},
					  {INT64_MAX - 9, INT64_MAX},
					  {INT64_MIN, INT64_MAX},
					  {-5, 5}};
	struct steps_run x;

	(void)state;
	steps_init(&x, 3, NULL);
	for (int h = 0; h < 3; h++) {
		for (int i = 0; i < 5; i++) {
			struct hand_row row = {HAND_STEP, h, ends[i][0],
					       ends[i][1], .number = i};

			steps_add(&x, row);
			row.what = HAND_OP;
			row.op_name = row.name = "ar.1_0";
			row.op.opcode = i % 2 ? NA_OPCODE_SEND : NA_OPCODE_RECV;
			row.op.phase = i % 2 ? NA_OP_START : NA_OP_DONE;
			steps_add(&x, row);
			row.what = HAND_RX;
			row.launch = row.iteration = 1;
			row.src = (h + 1) % 3 * 100;
			row.dst = h * 100;
			steps_add(&x, row);
			row.what = HAND_TX;
			row.src = h * 100;
			row.dst = (h + 1) % 3 * 100;
			steps_add(&x, row);
		}
		steps_add(&x, (struct hand_row){HAND_BUSY, h, -7, 3, .src = 0});
	}
	steps_ready(&x);
	steps_analyse(&x, 3);
	assert_true(x.d.used > 0);
	steps_end(&x);
}

static void nothing(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, 2, NULL);
	steps_add(&x, busy(0, 10));
	steps_ready(&x);
	steps_analyse(&x, 2);
	assert_int_equal(x.d.used, 0);
	assert_non_null(strstr(na_result_get_word(x.d.r, NA_WORD_EMPTY, ""),
			       "no steps"));
	steps_end(&x);
}

static void changes(void **state)
{
	struct steps_run x;
	const struct na_value *row;

	(void)state;
	steps_init(&x, 3, NULL);
	for (int s = 0; s < 60; s++) {
		/* All from step 20 on; b beside the others from step 40 on. */
		int64_t length = s < 20 ? 800 : 1000;

		for (int h = 0; h < 3; h++)
			steps_wait(&x, h, s, 2000 * s,
				   500 + (h == 1 && s >= 40 ? 120 : 0),
				   2000 * s + length);
	}
	steps_ready(&x);
	steps_analyse(&x, 100);
	assert_int_equal(na_get(na_result_body(x.d.r), "changes")->n, 2);
	row = steps_row(&x, "changes", 0);
	says(row, "kind", "change");
	says(row, "host", "(null)");
	is(row, "step", 20);
	is(row, "from_ms", 0.8);
	is(row, "to_ms", 1.0);
	row = steps_row(&x, "changes", 1);
	says(row, "host", "b");
	is(row, "step", 40);
	is(row, "to_ms", na_real_of(na_get(row, "from_ms"), 0) + 0.12);
	steps_end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),      cmocka_unit_test(hidden),
		cmocka_unit_test(culprit),    cmocka_unit_test(network_first),
		cmocka_unit_test(any_blocks), cmocka_unit_test(programs),
		cmocka_unit_test(filters),    cmocka_unit_test(left_out),
		cmocka_unit_test(odd),        cmocka_unit_test(extremes),
		cmocka_unit_test(nothing),    cmocka_unit_test(changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
