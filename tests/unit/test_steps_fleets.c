/*
 * Are stragglers named, and healthy fleets left alone?  One host late by
 * three times the scaled MAD in half of 30 instances of a collective, or of
 * 30 steps, is named in 75 % of fleets; nobody is in 98 % of healthy ones.
 * NETAN_FLEETS=N tries N fleets of each kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/synth/rng.h"
#include "tests/unit/hand_steps.h"

enum { INSTANCES = 30, FLEETS = 40, LATE = 2 };

#define SIGMA_US   200
#define LATE_SIGMA 3 /* 3 MAD, scaled */

struct fleet {
	int hosts;
	bool late, transfers; /* in when transfers start; in computing */
};

static int64_t normal_us(struct na_rng *r, int64_t sigma_us)
{
	return na_rng_normal_q16(r) * sigma_us / 65536;
}

static void send(struct steps_run *x, int i, int src, int dst, int64_t from_us,
		 int64_t latency_us)
{
	struct hand_row t = {HAND_TX,
			     src,
			     from_us * PS_US,
			     (from_us + latency_us + 20) * PS_US,
			     4096,
			     src * 100,
			     dst * 100,
			     "all-gather.1_0",
			     .launch = i + 1,
			     .iteration = 1};

	t.action_ps = t.end_ps - t.start_ps;
	steps_add(x, t);
	t.what = HAND_RX;
	t.source = dst;
	t.end_ps = (from_us + latency_us) * PS_US;
	t.action_ps = NA_UNKNOWN_PS;
	steps_add(x, t);
}

/* Every host sends to every other, once it is ready; a step each. */
static void instance(struct steps_run *x, const struct fleet *f, int i,
		     struct na_rng *r)
{
	int64_t base = INT64_C(30000) * i, end = base + 25000;

	for (int h = 0; h < f->hosts; h++) {
		int64_t ready = 5000 + normal_us(r, SIGMA_US);

		if (f->late && h == LATE && i % 2)
			ready += SIGMA_US * LATE_SIGMA;
		/* The late sender's device shows nothing: its host is late. */
		steps_wait(x, h, i, base, f->transfers ? 25000 : ready, end);
		for (int k = 0; f->transfers && k < f->hosts; k++) {
			if (k != h)
				send(x, i, h, k, base + ready,
				     100 + llabs(normal_us(r, 30)));
		}
	}
}

/* Named: 1 the late one alone, 0 nobody, -1 somebody else. */
static int named(const struct fleet *f, uint64_t seed)
{
	const struct na_value *row;
	struct steps_run x;
	struct na_rng r;
	int out = 0;

	na_rng_seed(&r, seed);
	steps_init(&x, (size_t)f->hosts, NULL);
	/* Devices that live in each host. */
	for (int h = 0; f->transfers && h < f->hosts; h++)
		steps_add(&x, (struct hand_row){HAND_GRAPH, h, 0, PS_US,
						.src = h * 100,
						.name = "all-gather.1_0"});
	for (int i = 0; i < INSTANCES; i++)
		instance(&x, f, i, &r);
	steps_ready(&x);
	steps_analyse(&x, 100000);
	for (size_t i = 0; (row = steps_row(&x, "stragglers", i)); i++)
		out = strcmp(na_text_of(na_get(row, "host"), ""), "c") == 0 &&
				      f->late && out >= 0
			      ? 1
			      : -1;
	steps_end(&x);
	return out;
}

static void rates(void **state)
{
	/* clang-format off */
	static const struct fleet fleets[] = {
		{4, false, true}, {8, false, true}, {8, true, true},
		{4, false, false}, {8, false, false}, {8, true, false},
		{6, true, true}, {6, true, false}, {6, false, true},
	};
	/* clang-format on */
	const char *many = getenv("NETAN_FLEETS");
	int n = many ? atoi(many) : FLEETS;

	(void)state;
	for (size_t k = 0; k < sizeof(fleets) / sizeof(fleets[0]); k++) {
		const struct fleet *f = &fleets[k];
		int right = 0, other = 0;

		for (int i = 0; i < n; i++) {
			int got = named(f, (uint64_t)(1000 * k + 1) * 7919 +
						   (uint64_t)i);

			right += got == (f->late ? 1 : 0);
			other += got < 0;
		}
		print_message("%d hosts, %s, %s: %d of %d right, %d wrong\n",
			      f->hosts, f->transfers ? "starts" : "computing",
			      f->late ? "one late" : "healthy", right, n,
			      other);
		assert_true(50 * right >= (f->late ? 38 : 49) * n);
		assert_true(50 * other <= n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rates)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
