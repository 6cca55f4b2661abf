/*
 * What localisation makes of the lives of transfers: a wait for a late
 * receiver, and links that many share.  Each fleet names somebody when the
 * part that knows better is switched off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/methods/localise/localise.h"
#include "netan/synth/rng.h"

enum { HOSTS = 12, IN_RACK = 4, STEPS = 60, STEP_US = 100000, SIZE = 1 << 20 };
enum { PAIRS = HOSTS * HOSTS, LATE = 5, SINK = 7 };

struct fleet {
	struct na_lz_transfer t[PAIRS * STEPS];
	struct na_lz_pair pairs[PAIRS];
	struct na_lz_moment moments[STEPS];
	struct na_lz_result r;
	struct na_rng rng;
	uint32_t step; /* of the transfer that is asked for */
};

/* When a transfer of a step begins, and what it takes, in us. */
typedef void life(struct fleet *f, uint32_t src, uint32_t dst, double *start,
		  double *us);

static double noise(struct fleet *f)
{
	return exp((double)na_rng_normal_q16(&f->rng) / 65536 * 0.1);
}

static void localise(struct fleet *f, life *how, uint64_t off)
{
	struct na_lz_input in = {.n_hosts = HOSTS,
				 .n_moments = STEPS,
				 .pairs = f->pairs,
				 .transfers = f->t,
				 .moments = f->moments,
				 .tick_us = 1,
				 .locality_given = true};
	struct na_lz_options opt = {.off = off};
	struct na_err err = {0};

	memset(f, 0, sizeof(*f));
	na_rng_seed(&f->rng, 3);
	for (uint32_t m = 0; m < STEPS; m++)
		f->moments[m] = (struct na_lz_moment){0, m};
	for (uint32_t p = 0; p < PAIRS; p++) {
		uint32_t src = p / HOSTS, dst = p % HOSTS;
		bool cross = src / IN_RACK != dst / IN_RACK;

		if (src == dst)
			continue;
		f->pairs[in.n_pairs++] = (struct na_lz_pair){
			src, dst, cross, STEPS, in.n_transfers};
		for (uint32_t m = 0; m < STEPS; m++) {
			double start, us;

			f->step = m;
			how(f, src, dst, &start, &us);
			start += (double)m * STEP_US;
			f->t[in.n_transfers++] = (struct na_lz_transfer){
				.latency_us = floor(us),
				.size_bytes = SIZE,
				.tick = (uint32_t)(start + us),
				.moment = m};
		}
	}
	assert_int_equal(na_localise(&in, &opt, &f->r, &err), NA_OK);
}

/* Sends begin when their host enters; they end when both have, and moved. */
static void waits(struct fleet *f, uint32_t src, uint32_t dst, double *start,
		  double *us)
{
	double begun = dst == LATE ? 3000 : 10;

	*start = src == LATE ? 3000 : 10;
	*us = fmax(*start, begun) + 200 * noise(f) - *start;
}

/* All send to one at once, and to the others one after the other, in every
 * second step two at a time. */
static void sinks(struct fleet *f, uint32_t src, uint32_t dst, double *start,
		  double *us)
{
	uint32_t turn = (dst + HOSTS - src) % HOSTS, many = 1;

	if (f->step % 2 && turn > 1) {
		many = 2;
		turn -= turn % 2;
	}
	if (dst == SINK)
		many = HOSTS - 1;
	*start = dst == SINK ? 50000 : turn * 3000;
	*us = many * 200 * noise(f);
}

static void expect_blame(life *how, enum na_lz_part part, uint32_t host)
{
	struct fleet *f = malloc(sizeof(*f));

	assert_non_null(f);
	localise(f, how, 0);
	assert_int_equal(f->r.n_findings, 0);
	na_lz_result_fini(&f->r);
	localise(f, how, UINT64_C(1) << part);
	assert_int_equal(f->r.n_findings, 1);
	assert_int_equal(f->r.findings[0].who.kind, NA_LZ_DST);
	assert_int_equal(f->r.findings[0].who.a, host);
	na_lz_result_fini(&f->r);
	free(f);
}

static void late_receivers_are_no_nics(void **state)
{
	(void)state;
	expect_blame(waits, NA_LZ_PART_WAITS, LATE);
}

static void shared_ports_are_no_nics(void **state)
{
	(void)state;
	expect_blame(sinks, NA_LZ_PART_FLUID, SINK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_receivers_are_no_nics),
		cmocka_unit_test(shared_ports_are_no_nics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
