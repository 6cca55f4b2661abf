/* Who is slow from sends: too little of them, in any order, and strange. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/synth/rng.h"
#include "tests/unit/hand_wire.h"

/* ---- little, and strange */

static void few_say_nothing(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, NA_WIRE_MIN_STEPS - 1, hand_wire_slow_tx);
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	assert_false(j.able);
	assert_int_equal(j.r.n_findings, 0);
	assert_null(j.r.power);
	hand_wire_end(&j);
	hand_wire_begin(&j, STEPS, hand_wire_slow_tx);
	hand_wire_run(&j);
	assert_false(j.able);
	hand_wire_end(&j);
	hand_wire_begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++) {
		hand_wire_add(&j, step, RING, 0, 0, 1);
		hand_wire_add(&j, step, RING, 0, 1, 2);
		hand_wire_add(&j, step, RING, 0, 2, 0);
	}
	j.in.n_hosts = 3;
	hand_wire_run(&j);
	assert_false(j.able);
	hand_wire_end(&j);
}

static void shuffle(struct hand_wire *j)
{
	struct na_rng rng;

	na_rng_seed(&rng, 7);
	for (size_t i = j->rows.n; i > 1; i--) {
		size_t k = (size_t)na_rng_below(&rng, i);
		struct na_wire_row r = j->rows.v[i - 1];

		j->rows.v[i - 1] = j->rows.v[k];
		j->rows.v[k] = r;
	}
}

static void order_does_not_matter(void **state)
{
	static hand_wire_fault *const faults[] = {hand_wire_slow_host,
						  hand_wire_half_uplink,
						  hand_wire_slow_path,
						  hand_wire_tx_loses};
	struct hand_wire a, b;

	(void)state;
	hand_wire_timer_us = 200000;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		hand_wire_work(&a, STEPS, faults[i]);
		hand_wire_begin(&b, STEPS, faults[i]);
		hand_wire_add_all(&b);
		shuffle(&b);
		hand_wire_run(&b);
		assert_int_equal(a.r.n_findings, b.r.n_findings);
		for (size_t k = 0; k < a.r.n_findings; k++) {
			const struct na_lz_finding *f = &a.r.findings[k];
			const struct na_lz_finding *g = &b.r.findings[k];

			assert_memory_equal(&f->who, &g->who, sizeof(f->who));
			assert_true(fabs(f->effect - g->effect) < 1e-5);
			assert_int_equal(f->transfers, g->transfers);
		}
		for (size_t k = 0; k < a.r.n_power; k++)
			assert_memory_equal(&a.r.power[k].factor,
					    &b.r.power[k].factor,
					    sizeof(double));
		hand_wire_end(&a);
		hand_wire_end(&b);
	}
}

/* Times that cannot be are left out, however many. */
static void strange_values(void **state)
{
	static const double times[] = {NAN, INFINITY, -INFINITY, -1, 1e300};
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, hand_wire_slow_tx);
	hand_wire_add_all(&j);
	for (size_t n = j.rows.n, i = 0; i < 2 * n; i++) {
		struct na_wire_row r = j.rows.v[i / 2];
		double x = times[i % 5];

		if (i % 2 && (isnan(x) || fabs(x) > 1e15))
			r.start_us = x;
		else
			r.took_us = x;
		if (i % 7 == 0)
			r.size_bytes = i % 2 ? NAN : -1;
		assert_true(na_add(&j.rows, r));
	}
	hand_wire_run(&j);
	hand_wire_only(&j, NA_LZ_SRC, 5, 0, NA_LZ_ALL);
	hand_wire_end(&j);
	hand_wire_begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++)
		hand_wire_add(&j, step, RING, 0, 0, 1);
	for (size_t i = 0; i < j.rows.n; i++)
		j.rows.v[i].took_us = NAN;
	hand_wire_run(&j);
	assert_false(j.able);
	hand_wire_end(&j);
}

static double any_time(struct na_rng *rng)
{
	static const double odd[] = {0,   0.5,      1,    1e12,  -1,
				     NAN, INFINITY, 1e15, 1e-300};

	return na_rng_below(rng, 5)
		       ? (double)na_rng_below(rng, 100000)
		       : odd[na_rng_below(rng, sizeof(odd) / sizeof(odd[0]))];
}

static void any_input(struct na_rng *rng)
{
	struct hand_wire j;
	size_t n = (size_t)na_rng_below(rng, 300);

	hand_wire_begin(&j, (uint32_t)na_rng_below(rng, 9), NULL);
	j.in.n_hosts = na_rng_below(rng, HOSTS + 1);
	j.in.n_racks = na_rng_below(rng, RACKS + 1);
	j.in.two_clocks = na_rng_below(rng, 2);
	for (uint32_t h = 0; h < HOSTS && j.in.n_racks; h++)
		j.rack_of[h] = (uint32_t)na_rng_below(rng, j.in.n_racks);
	for (size_t i = 0; i < n && j.in.n_hosts && j.in.n_steps; i++) {
		uint32_t src = (uint32_t)na_rng_below(rng, j.in.n_hosts);
		uint32_t dst = (uint32_t)na_rng_below(rng, j.in.n_hosts);

		assert_true(na_add(
			&j.rows,
			((struct na_wire_row){
				.start_us = any_time(rng),
				.took_us = any_time(rng),
				.size_bytes = (float)na_rng_below(
					rng, UINT64_C(1)
						     << na_rng_below(rng, 40)),
				.connection = src * HOSTS + dst,
				.cell = (uint32_t)na_rng_below(rng,
							       COLLECTIVES),
				.step = (uint32_t)na_rng_below(rng,
							       j.in.n_steps),
			})));
	}
	hand_wire_run(&j);
	hand_wire_end(&j);
}

static void any_input_is_survived(void **state)
{
	struct na_rng rng;

	(void)state;
	na_rng_seed(&rng, 3);
	for (int i = 0; i < 3000; i++)
		any_input(&rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_say_nothing),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(strange_values),
		cmocka_unit_test(any_input_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
