/*
 * Waiting for later devices in collectives inside a slice or between GPUs:
 * executions made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_steps.h"

enum { HOSTS = 4, STEPS = 30, PERIOD_US = 1000 };

static void near(const struct na_value *row, const char *name, double want)
{
	double got = na_real_of(na_get(row, name), NAN);

	if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-12))
		fail_msg("%s is %.12g, not %.12g", name, got, want);
}

static const char *text(const struct na_value *row, const char *name)
{
	return na_text_of(na_get(row, name), "-");
}

static const char *verdict(const struct steps_run *x)
{
	return text(na_result_body(x->d.r), "verdict");
}

static struct hand_row collective(int host, int64_t from_us, int64_t to_us)
{
	/* clang-format off */
	return (struct hand_row){HAND_OP, host, from_us * PS_US, to_us * PS_US,
				 .op_name = "ncclDevKernel_AllReduce",
				 .device = NA_DEVICE_GPU,
				 .op = {.opcode = NA_OPCODE_ALL_REDUCE,
					.channel = -1,
					.network = NA_NET_GPU}};
	/* clang-format on */
}

/* It computes, then is in a collective until the last one came and all of
 * them have transferred. */
static void step(struct steps_run *x, int host, int number, int64_t compute_us,
		 int64_t latest_us, int64_t transfer_us)
{
	int64_t start = PERIOD_US * (int64_t)number;
	int64_t end = start + latest_us + transfer_us;
	/* clang-format off */
	struct hand_row row = {HAND_STEP, host, start * PS_US, end * PS_US,
			       .number = number, .device = NA_DEVICE_GPU};
	/* clang-format on */

	steps_add(x, row);
	row.what = HAND_BUSY;
	row.end_ps = (start + compute_us) * PS_US;
	steps_add(x, row);
	steps_add(x, collective(host, start + compute_us, end));
}

/* The one with most to compute never waits, all others do for it. */
static void late(void **state)
{
	static const int64_t compute[HOSTS] = {300, 320, 700, 310};
	struct steps_run x;

	(void)state;
	steps_init(&x, HOSTS, NULL);
	for (int s = 0; s < STEPS; s++) {
		for (int h = 0; h < HOSTS; h++)
			step(&x, h, s, compute[h], 700, 40);
	}
	steps_ready(&x);
	steps_analyse(&x, 50);
	for (size_t h = 0; h < HOSTS; h++) {
		const struct na_value *row = steps_row(&x, "hosts", h);

		near(row, "waiting_ms", (double)(700 - compute[h]) / 1e3);
		near(row, "exposed_gpu_ms", (double)(740 - compute[h]) / 1e3);
	}
	near(steps_row(&x, "steps", 3), "waiting_ms",
	     (400 + 380 + 0 + 390) / 4e3);
	assert_string_equal(text(steps_row(&x, "stragglers", 0), "host"), "c");
	assert_non_null(strstr(verdict(&x), "c computes"));
	steps_end(&x);
}

/* Nobody is late: some steps are long since their transfers are. */
static void network(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, HOSTS, NULL);
	for (int s = 0; s < STEPS; s++) {
		for (int h = 0; h < HOSTS; h++)
			step(&x, h, s, 300, 300, s % 10 == 4 ? 600 : 100);
	}
	steps_ready(&x);
	steps_analyse(&x, 50);
	for (int s = 0; s < STEPS; s++) {
		const struct na_value *row = steps_row(&x, "steps", (size_t)s);

		near(row, "waiting_ms", 0);
		assert_string_equal(text(row, "cause"),
				    s % 10 == 4 ? "network" : "-");
	}
	assert_int_equal(na_get(na_result_body(x.d.r), "stragglers")->n, 0);
	assert_non_null(strstr(verdict(&x), "(0 % waits for later devices)"));
	steps_end(&x);
}

/* Long for another reason: computing on all of them. */
static void computing(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, HOSTS, NULL);
	for (int s = 0; s < STEPS; s++) {
		for (int h = 0; h < HOSTS; h++)
			step(&x, h, s, s == 7 ? 800 : 300, s == 7 ? 800 : 300,
			     100);
	}
	steps_ready(&x);
	steps_analyse(&x, 50);
	assert_string_equal(text(steps_row(&x, "steps", 7), "cause"), "-");
	steps_end(&x);
}

/* What is hidden by computing is no waiting that counts; and waiting comes
 * first, the transfer last. */
static void hidden(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, 2, NULL);
	for (int h = 0; h < 2; h++) {
		steps_add(&x, (struct hand_row){HAND_STEP, h, 0, 100 * PS_US,
						.number = 1,
						.device = NA_DEVICE_GPU});
		/* Host a waits from 20 to 60, b transfers from 60 to 90. */
		steps_add(&x, collective(h, h ? 60 : 20, 90));
	}
	steps_add(&x, (struct hand_row){HAND_BUSY, 0, 50 * PS_US, 70 * PS_US,
					.device = NA_DEVICE_GPU});
	steps_ready(&x);
	steps_analyse(&x, 1);
	near(steps_row(&x, "hosts", 0), "exposed_ms", 0.05);
	near(steps_row(&x, "hosts", 0), "waiting_ms", 0.03);
	near(steps_row(&x, "hosts", 1), "exposed_ms", 0.03);
	near(steps_row(&x, "hosts", 1), "waiting_ms", 0);
	steps_end(&x);
}

/* Nobody to compare with: not known, and not 0. */
static void alone(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, 1, NULL);
	for (int s = 0; s < 3; s++)
		step(&x, 0, s, 300, 300, 40);
	steps_ready(&x);
	steps_analyse(&x, 1);
	near(steps_row(&x, "hosts", 0), "waiting_ms", NAN);
	near(steps_row(&x, "steps", 0), "waiting_ms", NAN);
	assert_null(strstr(verdict(&x), "later devices"));
	steps_end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late),      cmocka_unit_test(network),
		cmocka_unit_test(computing), cmocka_unit_test(hidden),
		cmocka_unit_test(alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
