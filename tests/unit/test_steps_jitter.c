/*
 * Hosts and ranks whose steps jitter: the one that is truly late is named, and
 * one that is last in half of the steps by no more than jitter is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/synth/rng.h"
#include "tests/unit/hand_steps.h"

enum { STEP_US = 20000, LATE = 1, OWN_US = 5000, JOBS = 40 };

struct job {
	int ranks, steps;
	int64_t jitter_us, late_us;
	/* What the LATE rank, and rank `step` beside it, take longer; or NULL. */
	const int64_t *own_us, *other_us;
};

static int64_t own_us(const struct job *j, int rank, int step, struct na_rng *r)
{
	int64_t us = OWN_US + na_rng_normal_q16(r) * j->jitter_us / 65536;

	if (rank == LATE)
		return us + j->late_us + (j->own_us ? j->own_us[step] : 0);
	return us + (j->other_us && rank == LATE + 1 + step % 5
			     ? j->other_us[step]
			     : 0);
}

/* Who is named: -1 nobody, -2 several. */
static int named(const struct job *j, bool of_ranks, uint64_t seed)
{
	const struct na_value *row;
	struct steps_run x;
	struct na_rng r;
	int out = -1;

	na_rng_seed(&r, seed);
	steps_init(&x, (size_t)j->ranks, NULL);
	for (int i = 0; i < j->steps; i++) {
		for (int k = 0; k < j->ranks; k++)
			steps_wait(&x, k, i, INT64_C(25000) * i,
				   own_us(j, k, i, &r),
				   INT64_C(25000) * i + STEP_US);
	}
	steps_ready(&x);
	for (size_t i = 0; i < x.h.store.n_hosts; i++)
		x.h.store.hosts[i].of_ranks = of_ranks;
	steps_analyse(&x, 100000);
	for (size_t i = 0; (row = steps_row(&x, "stragglers", i)); i++) {
		const char *host = na_text_of(na_get(row, "host"), "");

		out = i ? -2 : host[0] - 'a';
	}
	steps_end(&x);
	return out;
}

/* Last in 6 of 10, where each other one is late in two or less: by 10 us, but
 * none of these is late as often. */
static void by_a_hair(void **state)
{
	static const int64_t hers[] = {910, 0, 910, 910, 0,
				       910, 0, 910, 0,   910};
	static const int64_t others[] = {900, 900, 900, 900, 900,
					 900, 900, 900, 900, 900};
	const struct job j = {8, 10, 0, 0, hers, others};

	(void)state;
	assert_int_equal(named(&j, false, 1), LATE);
	assert_int_equal(named(&j, true, 1), LATE);
}

/* A machine with more to do than CPUs: now this one sleeps, now that one. */
static void sleepy(void **state)
{
	static const int64_t hers[] = {300,  0, 900,  2000, 0,
				       4000, 0, 7000, 0,    3000};
	static const int64_t others[] = {0, 3000, 0, 0,    5000,
					 0, 2000, 0, 6000, 0};
	const struct job j = {8, 10, 20, 0, hers, others};

	(void)state;
	assert_int_equal(named(&j, false, 1), -1);
	assert_int_equal(named(&j, true, 1), -1);
}

/* 3 % of the step at 1 % jitter; and nobody, where nobody is late. */
static void beyond_jitter(void **state)
{
	static const struct job jobs[] = {
		{8, 10, STEP_US / 100, 3 * STEP_US / 100, NULL, NULL},
		{4, 20, STEP_US / 100, 3 * STEP_US / 100, NULL, NULL},
		{8, 20, STEP_US / 100, 3 * STEP_US / 100, NULL, NULL},
		{8, 10, STEP_US / 100, 0, NULL, NULL},
		{4, 10, STEP_US / 25, 0, NULL, NULL},
		{8, 20, STEP_US / 25, 0, NULL, NULL},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(jobs) / sizeof(jobs[0]); k++) {
		int want = jobs[k].late_us ? LATE : -1;
		int right = 0, wrong = 0;

		for (uint64_t i = 0; i < JOBS; i++) {
			int got = named(&jobs[k], true, 7919 * (k + 1) + i);

			right += got == want;
			wrong += got != want && got != -1;
		}
		print_message("%d ranks, %d steps, late by %d us: %d of %d "
			      "right, %d wrong\n",
			      jobs[k].ranks, jobs[k].steps,
			      (int)jobs[k].late_us, right, JOBS, wrong);
		assert_int_equal(wrong, 0);
		assert_true(20 * right >= 18 * JOBS);
	}
}

/* There is no jitter of others: who is always last is named. */
static void of_two(void **state)
{
	const struct job j = {2, 20, 20, 600, NULL, NULL};

	(void)state;
	assert_int_equal(named(&j, true, 1), LATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_a_hair),
		cmocka_unit_test(sleepy),
		cmocka_unit_test(beyond_jitter),
		cmocka_unit_test(of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
