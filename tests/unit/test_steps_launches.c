/*
 * Steps where no device plane tells them: launches of programs, from
 * transfers made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_steps.h"

enum { HOSTS = 4, LAUNCHES = 40, FIRST = 500 };

struct job {
	int64_t late_us[HOSTS];  /* before it sends */
	int64_t slow_us[HOSTS];  /* more for what it sends and receives */
	int64_t ahead_us[HOSTS]; /* its clock */
};

static int64_t latency_us(const struct job *j, int from, int to, int launch)
{
	return 100 + (launch * 7 + from * 3 + to) % 5 + j->slow_us[from] +
	       j->slow_us[to];
}

static int64_t start_us(const struct job *j, int host, int launch)
{
	return 10000 * (int64_t)launch + (launch * 3 + host) % 4 +
	       j->late_us[host];
}

static void one(struct steps_run *x, const struct job *j, int launch, int from,
		int to, int64_t latency)
{
	int64_t at = start_us(j, from, launch);
	int64_t end = at + latency;
	/* clang-format off */
	struct hand_row row = {HAND_TX, from,
			       (at + j->ahead_us[from]) * PS_US,
			       (at + 5 + j->ahead_us[from]) * PS_US,
			       latency < 50 ? 10 : 1000, from * 100, to * 100, "ar.1_0",
			       .launch = FIRST + launch + 1, .iteration = 1};
	/* clang-format on */

	steps_add(x, row);
	row.what = HAND_RX;
	row.source = to;
	row.end_ps = (end + j->ahead_us[to]) * PS_US;
	/* What a trace shows: by the clocks of both. */
	row.start_ps = (at + j->ahead_us[from]) * PS_US;
	if (row.start_ps >= row.end_ps) {
		row.start_ps = row.end_ps;
		row.klass = NA_CLOCK_SKEW;
	}
	steps_add(x, row);
}

/* A few bytes come through at once: by these the clocks are known. */
static void transfer(struct steps_run *x, const struct job *j, int launch,
		     int from, int to)
{
	one(x, j, launch, from, to, 20);
	one(x, j, launch, from, to, latency_us(j, from, to, launch));
}

static void run(struct steps_run *x, const struct job *j, size_t block)
{
	steps_init(x, HOSTS, NULL);
	for (int s = 0; s < LAUNCHES; s++) {
		for (int a = 0; a < HOSTS; a++) {
			for (int b = 0; b < HOSTS; b++) {
				if (a != b)
					transfer(x, j, s, a, b);
			}
		}
	}
	steps_ready(x);
	steps_analyse(x, block);
}

static double number(const struct na_value *row, const char *name)
{
	return na_real_of(na_get(row, name), NAN);
}

static void near(const struct na_value *row, const char *name, double want)
{
	if (!(fabs(number(row, name) - want) <= 1e-9))
		fail_msg("%s is %.12g, not %.12g", name, number(row, name),
			 want);
}

static const char *verdict(const struct steps_run *x)
{
	return na_text_of(na_get(na_result_body(x->d.r), "verdict"), "");
}

static size_t listed(const struct steps_run *x, const char *name)
{
	return na_get(na_result_body(x->d.r), name)->n;
}

/* Each launch from its first send to its last end, and what cannot be known
 * is null. */
static void launches(void **state)
{
	static const char *const unknown[] = {
		"compute_ms",     "overlap_ms",     "overlap_share",
		"exposed_ms",     "exposed_dcn_ms", "exposed_ici_ms",
		"exposed_gpu_ms", "waiting_ms",     "idle_ms"};
	const struct job healthy = {{0}, {0}, {0}};
	const struct na_value *row;
	struct steps_run x;

	(void)state;
	run(&x, &healthy, 100);
	assert_int_equal(listed(&x, "steps"), LAUNCHES);
	assert_int_equal(listed(&x, "hosts"), HOSTS);
	assert_int_equal(listed(&x, "stragglers"), 0);
	for (int s = 0; s < LAUNCHES; s++) {
		double sum = 0, least = 1e9, most = 0;

		row = steps_row(&x, "steps", (size_t)s);
		assert_int_equal(na_int_of(na_get(row, "step"), 0), FIRST + s);
		for (int h = 0; h < HOSTS; h++) {
			int64_t end = 0;
			double d;

			for (int o = 0; o < HOSTS; o++) {
				int64_t at = start_us(&healthy, o, s) +
					     latency_us(&healthy, o, h, s);

				end = o != h && at > end ? at : end;
			}
			d = (double)(end - start_us(&healthy, h, s)) / 1e3;
			sum += d;
			least = fmin(least, d);
			most = fmax(most, d);
		}
		near(row, "duration_ms", sum / HOSTS);
		near(row, "spread_ms", most - least);
		for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
			assert_true(isnan(number(row, unknown[i])));
	}
	row = steps_row(&x, "hosts", 0);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		assert_true(isnan(number(row, unknown[i])));
	assert_string_equal(verdict(&x),
			    "no host stands out by its steps (4 hosts); steps "
			    "are program launches: no device plane in these "
			    "traces");
	steps_end(&x);
}

static void named(const struct job *j, const char *cause, const char *words)
{
	const struct na_value *row;
	struct steps_run x;

	run(&x, j, 33);
	if (listed(&x, "stragglers") != 1) {
		char *t = driven_json(&x.d);
		fail_msg("%s %.3000s", cause, t);
	}
	row = steps_row(&x, "stragglers", 0);
	assert_string_equal(na_text_of(na_get(row, "host"), ""), "c");
	assert_string_equal(na_text_of(na_get(row, "cause"), ""), cause);
	for (size_t s = 0; s < LAUNCHES; s++) {
		row = steps_row(&x, "steps", s);
		assert_string_equal(na_text_of(na_get(row, "slowest_host"), ""),
				    "c");
	}
	assert_non_null(strstr(verdict(&x), words));
	steps_end(&x);
}

/* Who starts late, who has a slow network; also with clocks that differ by
 * more than either. */
static void culprits(void **state)
{
	const int64_t ahead[HOSTS] = {0, 7000, -900, 3};

	(void)state;
	for (int clocks = 0; clocks < 2; clocks++) {
		struct job late = {.late_us = {[2] = 900}};
		struct job slow = {.slow_us = {[2] = 900}};

		for (int h = 0; clocks && h < HOSTS; h++)
			late.ahead_us[h] = slow.ahead_us[h] = ahead[h];
		named(&late, "late_start", "c starts its collectives late");
		named(&slow, "network", "the transfers of c");
	}
}

/* Hosts drift apart by a little of what they compute between launches, and
 * nobody waits: that is no straggler, however short the launches are. */
static void drift(void **state)
{
	const struct job late = {.late_us = {[2] = 200}};
	struct steps_run x;

	(void)state;
	run(&x, &late, 100);
	assert_int_equal(listed(&x, "stragglers"), 0);
	steps_end(&x);
}

/* The same bytes, however the records are cut into blocks. */
static void any_blocks(void **state)
{
	const struct job late = {.late_us = {[1] = 400}};
	static const size_t sizes[] = {1, 7, 100000};
	struct steps_run x;
	char *first;

	(void)state;
	run(&x, &late, 64);
	first = driven_json(&x.d);
	for (size_t i = 0; i < 3; i++) {
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

/* One device plane with steps, and the transfers tell none. */
static void planes_win(void **state)
{
	const struct job healthy = {{0}, {0}, {0}};
	struct steps_run x;

	(void)state;
	steps_init(&x, HOSTS, NULL);
	transfer(&x, &healthy, 0, 0, 1);
	transfer(&x, &healthy, 0, 1, 0);
	steps_wait(&x, 0, 3, 0, 50, 90);
	steps_ready(&x);
	steps_analyse(&x, 5);
	assert_int_equal(listed(&x, "steps"), 1);
	assert_int_equal(na_int_of(na_get(steps_row(&x, "steps", 0), "step"),
				   0),
			 3);
	assert_null(strstr(verdict(&x), "launches"));
	steps_end(&x);
}

/* Older messages have no launch: refused. */
static void no_launch(void **state)
{
	struct steps_run x;

	(void)state;
	steps_init(&x, 2, NULL);
	steps_add(&x, (struct hand_row){HAND_RX, 0, 0, 9 * PS_US, 10, 100, 0,
					"ar.1_0", .number = -1});
	steps_ready(&x);
	steps_analyse(&x, 5);
	assert_int_equal(x.d.used, 0);
	assert_non_null(strstr(na_result_get_word(x.d.r, NA_WORD_EMPTY, ""),
			       "no steps"));
	steps_end(&x);
}

/* Times as far apart as they get, launches that overlap or end first. */
static void extremes(void **state)
{
	static const int64_t ends[][2] = {
		{INT64_MIN, INT64_MIN + 5},
		{INT64_MIN + 5, INT64_MAX},
		{INT64_MAX - 9, INT64_MAX},
		{INT64_MIN, INT64_MAX},
		{-5, 5},
		{0, 5000000000},
		{7, 6000000000},
		{8, 8},
	};
	struct steps_run x;

	(void)state;
	steps_init(&x, 3, NULL);
	for (int h = 0; h < 3; h++) {
		for (int i = 0; i < 24; i++) {
			struct hand_row row = {HAND_RX,
					       h,
					       ends[(i + h) % 8][0],
					       ends[(i + h) % 8][1],
					       10,
					       (h + 1 + i % 2) % 3 * 100,
					       h * 100,
					       "ar.1_0",
					       .launch = i % 5 + 1,
					       .iteration = 1};

			steps_add(&x, row);
			row.what = HAND_TX;
			row.dst = row.src;
			row.src = h * 100;
			steps_add(&x, row);
		}
	}
	steps_ready(&x);
	steps_analyse(&x, 3);
	assert_true(listed(&x, "steps") <= 5);
	steps_end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches),   cmocka_unit_test(culprits),
		cmocka_unit_test(any_blocks), cmocka_unit_test(planes_win),
		cmocka_unit_test(no_launch),  cmocka_unit_test(extremes),
		cmocka_unit_test(drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
