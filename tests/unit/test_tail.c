/*
 * Rare events: intervals, tail indices, clustering, and which timers they
 * come from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/samples/sample.h"
#include "netan/stats/tests/tail.h"
#include "netan/stats/tests/tests.h"
#include "netan/stats/time/timers.h"
#include "netan/synth/rng.h"

static bool near(double x, double want, double relative)
{
	return fabs(x - want) <= relative * fabs(want);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void check_hill(size_t n, double share, double want)
{
	double *x = calloc(n, sizeof(*x));

	assert_non_null(x);
	for (size_t i = 0; i < n; i++)
		x[i] = pow((double)(i * 7919 % n + 1), 1.7) / 3;
	qsort(x, n, sizeof(*x), by_value);
	assert_true(near(na_hill(x, n, share), want, 1e-12));
	free(x);
}

static bool check_row(const char *line)
{
	unsigned long long k, n;
	double a, b, ci[2];

	if (sscanf(line, "ci %llu %llu %lf %lf", &k, &n, &a, &b) == 4) {
		na_share_ci(k, n, 0.95, ci);
		if (!near(ci[0], a, 1e-9) || !near(ci[1], b, 1e-9))
			fail_msg("ci %llu of %llu: %.17g %.17g", k, n, ci[0],
				 ci[1]);
	} else if (sscanf(line, "upper %llu %llu %lf %lf", &k, &n, &a, &b) ==
		   4) {
		if (!near(na_binomial_upper(k, n, a), b, 1e-9))
			fail_msg("upper %llu of %llu: %.17g, not %.17g", k, n,
				 na_binomial_upper(k, n, a), b);
	} else if (sscanf(line, "hill %llu %lf %lf", &n, &a, &b) == 3) {
		check_hill((size_t)n, a, b);
	} else {
		return false;
	}
	return true;
}

static void oracle(void **state)
{
	FILE *f = fopen("tests/oracle/tail.tsv", "r");
	char line[200];
	size_t rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		rows += check_row(line);
	fclose(f);
	assert_in_range(rows, 60, 100);
}

static void edges(void **state)
{
	double x[60], ci[2];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		x[i] = 5;
	assert_true(isnan(na_hill(x, 60, 0.05)));
	assert_true(isnan(na_hill(x, 49, 0.05)));
	assert_true(isnan(na_hill(NULL, 0, 0.05)));
	x[0] = -1;
	assert_true(isnan(na_hill(x, 60, 1)));
	na_share_ci(0, 0, 0.95, ci);
	assert_true(isnan(ci[0]) && isnan(ci[1]));
	assert_true(na_binomial_upper(0, 0, 0.5) == 1);
	assert_true(na_binomial_upper(3, 5, 0) == 0);
	assert_true(na_binomial_upper(3, 5, 1) == 1);
}

enum { BINS = 600 };

static void clustering(void **state)
{
	uint64_t events[BINS] = {0}, exposure[BINS];
	struct na_rng rng;
	double sigmas, d;

	(void)state;
	na_rng_seed(&rng, 5);
	/* Independent events among traffic that comes and goes. */
	for (size_t i = 0; i < BINS; i++)
		exposure[i] = i / 50 % 2 ? 3000 : 10;
	for (size_t i = 0; i < 300; i++) {
		size_t at;

		do
			at = na_rng_below(&rng, BINS);
		while (na_rng_below(&rng, 3000) >= exposure[at]);
		events[at]++;
	}
	d = na_dispersion(events, exposure, BINS, &sigmas);
	assert_true(d > 0.6 && d < 1.5 && fabs(sigmas) < 4);
	/* The same number within two periods. */
	memset(events, 0, sizeof(events));
	for (size_t i = 0; i < 300; i++)
		events[(i % 2 ? 60 : 460) + na_rng_below(&rng, 20)]++;
	d = na_dispersion(events, exposure, BINS, &sigmas);
	assert_true(d > 5 && sigmas > 10);
	memset(events, 0, sizeof(events));
	assert_true(isnan(na_dispersion(events, exposure, BINS, &sigmas)));
	assert_true(isnan(na_dispersion(NULL, NULL, 0, &sigmas)));
}

/* n transfers with that excess, in ms; 1 ms is expected. */
static void put(struct na_timer_counts *c, const struct na_timer_edges *e,
		size_t n, double ms)
{
	for (size_t i = 0; i < n; i++)
		na_timer_add(c, e, ms, 1);
}

static uint64_t count_of(const struct na_timers *t, double ms)
{
	for (size_t i = 0; i < NA_TIMER_MODES; i++) {
		if (t->modes[i].ms == ms)
			return t->modes[i].count;
	}
	fail_msg("no mode of %g ms", ms);
	return 0;
}

static void modes(void **state)
{
	struct na_timer_edges e;
	struct na_timer_counts c = {.n = 0};
	struct na_timers t;

	(void)state;
	na_timer_edges_init(&e);
	na_timers_judge(&c, &e, &t);
	assert_true(t.kind == NA_TAIL_NONE && !t.tail);
	put(&c, &e, 1000, 0.1);
	put(&c, &e, 2, 201);
	na_timers_judge(&c, &e, &t);
	assert_true(t.kind == NA_TAIL_FEW && t.tail == 2);
	put(&c, &e, 1, 190); /* both ends belong to it */
	put(&c, &e, 1, 250);
	put(&c, &e, 1, 410);
	put(&c, &e, 1, 630);  /* 200 + 400 */
	put(&c, &e, 1, 1450); /* 200 + 400 + 800 */
	put(&c, &e, 2, 1010);
	na_timers_judge(&c, &e, &t);
	assert_true(t.kind == NA_TAIL_TIMER);
	assert_int_equal(t.tail, 9);
	assert_int_equal(t.matched, 9);
	assert_int_equal(t.gap, 0);
	assert_int_equal(count_of(&t, 200), 4);
	assert_int_equal(count_of(&t, 400), 1);
	assert_int_equal(count_of(&t, 600), 1);
	assert_int_equal(count_of(&t, 1400), 1);
	assert_int_equal(count_of(&t, 1000), 2);
	assert_int_equal(count_of(&t, 800), 0);
	/* Two of nine between 50 and 180 ms: a continuous tail. */
	put(&c, &e, 2, 70);
	na_timers_judge(&c, &e, &t);
	assert_true(t.kind == NA_TAIL_HEAVY && t.gap == 2);
}

static void lower_modes(void **state)
{
	struct na_timer_edges e;
	struct na_timer_counts c = {.n = 0}, ack = {.n = 0}, both;
	struct na_timers t;

	(void)state;
	na_timer_edges_init(&e);
	put(&c, &e, 2, 10.5);
	na_timers_judge(&c, &e, &t);
	assert_int_equal(count_of(&t, 10), 0);
	put(&c, &e, 5, 10.5);
	put(&c, &e, 3, 21);
	put(&c, &e, 3, 41);
	na_timers_judge(&c, &e, &t);
	assert_int_equal(count_of(&t, 10), 7);
	assert_int_equal(count_of(&t, 20), 3);
	assert_int_equal(count_of(&t, 40), 3);
	assert_true(t.modes[3].cause == NA_TIMER_LOW_RTO);
	assert_true(t.kind == NA_TAIL_NONE);
	/* 40 ms alone. */
	put(&ack, &e, 5, 40.5);
	na_timers_judge(&ack, &e, &t);
	assert_int_equal(count_of(&t, 40), 5);
	assert_true(t.modes[3].cause == NA_TIMER_ACK);
	/* Merged is whole. */
	both = c;
	na_timer_merge(&both, &ack);
	na_timers_judge(&both, &e, &t);
	assert_int_equal(count_of(&t, 40), 8);
	assert_int_equal(both.n, c.n + ack.n);
	/* Nothing stands out of a slope. */
	for (double ms = 2; ms < 45; ms *= 1.02)
		put(&ack, &e, 1, ms);
	na_timers_judge(&ack, &e, &t);
	assert_int_equal(count_of(&t, 40), 0);
}

struct item {
	uint64_t hash, value;
};

static uint64_t sum_of(const struct na_sample *s)
{
	const struct item *x = (const void *)s->items;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += na_mix_u64(7, x[i].value);
	return sum;
}

/* The same sample forwards, backwards, and in parts. */
static void sampling(void **state)
{
	enum { N = 20000, MAX = 1000 };
	struct na_sample s[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		na_sample_init(&s[i], sizeof(struct item), MAX);
	for (uint64_t i = 0; i < N; i++) {
		struct item x = {na_mix_u64(1, i), i};
		struct item y = {na_mix_u64(1, N - 1 - i), N - 1 - i};

		assert_true(na_sample_add(&s[0], &x));
		assert_true(na_sample_add(&s[1], &y));
		assert_true(na_sample_add(&s[2 + i % 2], &x));
	}
	assert_true(na_sample_merge(&s[2], &s[3]));
	assert_in_range(s[0].n, MAX / 3, MAX);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(s[i].n, s[0].n);
		assert_int_equal(s[i].shift, s[0].shift);
		assert_true(sum_of(&s[i]) == sum_of(&s[0]));
	}
	for (size_t i = 0; i < 4; i++)
		na_sample_fini(&s[i]);
}

/* A uniform number in (0, 1), and a standard normal. */
static double uniform(struct na_rng *r)
{
	return ((double)(na_rng_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct na_rng *r)
{
	return sqrt(-2 * log(uniform(r))) * cos(2 * M_PI * uniform(r));
}

/* One sample of 1000 to 20 000 latencies in ms with a median of `median`;
 * alpha > 0: Pareto, else log-normal.  Timeouts for the first `late`. */
static enum na_tail_kind sample(struct na_rng *r, double median, double sigma,
				double alpha, size_t late)
{
	static const double waits[] = {200, 200, 200, 400, 600, 1000};
	size_t n = 1000 + na_rng_below(r, 19000);
	struct na_timer_counts c = {.n = 0};
	struct na_timer_edges e;
	struct na_timers t;

	na_timer_edges_init(&e);
	for (size_t i = 0; i < n; i++) {
		double x = alpha > 0 ? median * pow(2 * uniform(r), -1 / alpha)
				     : median * exp(sigma * normal(r));

		if (i < late)
			x += waits[na_rng_below(r, 6)];
		na_timer_add(&c, &e, x - median, median);
	}
	na_timers_judge(&c, &e, &t);
	return t.kind;
}

static void log_uniform(struct na_rng *r, double *x, double from, double to)
{
	*x = from * exp(uniform(r) * log(to / from));
}

/* The bars of the method: 97 % right, 2 % wrong. */
static void bars(void **state)
{
	enum { DRAWS = 400 };
	size_t right = 0, normals = 0, paretos = 0;
	struct na_rng r;
	double median;

	(void)state;
	na_rng_seed(&r, 42);
	for (size_t i = 0; i < DRAWS; i++) {
		log_uniform(&r, &median, 0.02, 2);
		right += sample(&r, median, 0.8 * uniform(&r), 0,
				8 + na_rng_below(&r, 30)) == NA_TAIL_TIMER;
		log_uniform(&r, &median, 0.02, 2000);
		normals += sample(&r, median, uniform(&r), 0, 0) ==
			   NA_TAIL_TIMER;
		log_uniform(&r, &median, 0.02, 2000);
		paretos += sample(&r, median, 0, 1.5 + 1.5 * uniform(&r), 0) ==
			   NA_TAIL_TIMER;
	}
	print_message("timeouts found %zu, log-normal %zu, Pareto %zu of %d\n",
		      right, normals, paretos, DRAWS);
	assert_true(right * 100 >= DRAWS * 97);
	assert_true(normals * 100 <= DRAWS * 2);
	assert_true(paretos * 100 <= DRAWS * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oracle),      cmocka_unit_test(edges),
		cmocka_unit_test(clustering),  cmocka_unit_test(modes),
		cmocka_unit_test(lower_modes), cmocka_unit_test(sampling),
		cmocka_unit_test(bars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
