/*
 * Latency, driven through its descriptor on records made by hand; quantiles
 * and intervals against NumPy and SciPy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/latency/state.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_latency;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define US       INT64_C(1000000)
#define MS       INT64_C(1000000000)

struct run {
	struct hand h;
	struct na_scope scope;
	struct driven d;
};

static void make(struct run *x, size_t sources, const struct hand_row *rows,
		 size_t n)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, NULL);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->scope.components = NA_COMP_BIT(NA_COMP_NETWORK);
	hand_fill(&x->h, rows, n, 1000);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

static void by(struct run *x, const char *keys)
{
	assert_int_equal(na_grouping_parse(keys, &x->scope.by, &x->h.err),
			 NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

/* All of it, in blocks of `size` records. */
static void analyse(struct run *x, size_t size)
{
	hand_drive(&x->d, &na_an_latency, &x->scope, NULL, size, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static const struct na_value *group(const struct run *x, size_t i)
{
	return value_at(na_get(na_result_body(x->d.r), "groups"), i);
}

static double real(const struct na_value *v, const char *path)
{
	return na_real_of(na_dig(v, path), NAN);
}

static void near(const struct na_value *v, const char *path, double want)
{
	double got = real(v, path);

	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%s is %.17g, not %.17g", path, got, want);
}

/* ---- against the oracle */

/* As sample() in tests/oracle/latency.py. */
static int64_t sample(int kind, uint64_t i)
{
	uint64_t h = (i * 2654435761u + 12345) % (UINT64_C(1) << 32);

	switch (kind) {
	case 0:
		return 77 * US;
	case 1:
		return US + (int64_t)h;
	case 2:
		return INT64_C(10000000000000000) / (int64_t)(h + 1);
	default:
		return (int64_t)(1 + h % 5000) * US;
	}
}

static void make_sample(struct run *x, int kind, size_t n)
{
	struct hand_row *rows = calloc(n, sizeof(*rows));

	assert_non_null(rows);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct hand_row){HAND_RX,
					    0,
					    (int64_t)i * MS,
					    (int64_t)i * MS + sample(kind, i),
					    1000,
					    101,
					    1,
					    .name = "ar",
					    .action_ps = -1};
	make(x, 1, rows, n);
	free(rows);
}

static void check_end(double got, double want)
{
	if (want < 0 ? !isnan(got) : !(fabs(got - want) <= 1e-12 * want))
		fail_msg("interval ends at %.17g, not %.17g", got, want);
}

static void as_the_oracle(void **state)
{
	static const char *const names[] = {"p50", "p90",   "p95",
					    "p99", "p99_9", "p99_99"};
	FILE *f = fopen("tests/oracle/latency.tsv", "r");
	size_t n, last_n = 0, rows = 0;
	int kind, last_kind = -1;
	double p, q, mean, lower, upper;
	struct run x = {.scope = {.top = 0}};
	char line[300], path[40];

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const double *ends;
		size_t two;

		if (sscanf(line, "%d %zu %lf %lf %lf %lf %lf", &kind, &n, &p,
			   &q, &mean, &lower, &upper) != 7)
			continue;
		if (kind != last_kind || n != last_n) {
			if (last_kind >= 0)
				end(&x);
			make_sample(&x, kind, n);
			analyse(&x, 500);
		}
		last_kind = kind;
		last_n = n;
		snprintf(path, sizeof(path), "%s_us", names[rows % 6]);
		near(group(&x, 0), path, q);
		near(group(&x, 0), "mean_us", mean);
		snprintf(path, sizeof(path), "%s_ci95_us", names[rows % 6]);
		ends = na_reals_of(na_get(group(&x, 0), path), &two);
		assert_true(ends && two == 2);
		check_end(ends[0], lower);
		check_end(ends[1], upper);
		rows++;
	}
	fclose(f);
	end(&x);
	assert_int_equal(rows, 4 * 9 * 6);
}

/* ---- by hand */

static void edges(void **state)
{
	struct run x;

	(void)state;
	make(&x, 1, NULL, 0);
	analyse(&x, 5);
	assert_int_equal(na_get(na_result_body(x.d.r), "groups")->n, 1);
	assert_int_equal(na_int_of(na_get(group(&x, 0), "count"), -1), 0);
	assert_true(isnan(real(group(&x, 0), "p50_us")));
	assert_true(isnan(real(group(&x, 0), "mean_us")));
	assert_int_equal(na_get(group(&x, 0), "few_samples")->n, 6);
	assert_int_equal(na_get(group(&x, 0), "slowest")->n, 0);
	end(&x);

	make(&x, 1, NULL, 0);
	by(&x, "host,component");
	analyse(&x, 5);
	assert_int_equal(na_get(na_result_body(x.d.r), "groups")->n, 0);
	end(&x);

	make_sample(&x, 3, 1);
	analyse(&x, 5);
	assert_true(real(group(&x, 0), "tail_ratio") == 1);
	assert_true(real(group(&x, 0), "min_us") ==
		    real(group(&x, 0), "max_us"));
	end(&x);
}

/* Times as far apart as they can be, and a latency of all there is. */
static void extremes(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, INT64_MIN + 1, INT64_MAX - 1, UINT64_MAX, 101, 1,
		  .name = "ar", .action_ps = INT64_MAX },
		{ HAND_RX, 0, -5, 5, 0, 101, 1, .name = "ar",
		  .action_ps = INT64_MAX },
		{ HAND_RX, 0, INT64_MIN + 1, INT64_MIN + 2, 1, 101, 1,
		  .name = "ar", .action_ps = 3 * MS },
	};
	/* clang-format on */
	struct run x;

	(void)state;
	make(&x, 1, rows, COUNT(rows));
	analyse(&x, 2);
	assert_true(real(group(&x, 0), "max_us") == (double)INT64_MAX / 1e6);
	assert_true(real(group(&x, 0), "min_us") == 1e-6);
	assert_int_equal(na_int_of(na_dig(group(&x, 0), "split.receives"), 0),
			 3);
	end(&x);
}

/* Ties: by end, source, destination, then as they came. */
static void slowest_in_order(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 20 * MS, 23 * MS, 1, 101, 1, .name = "e" },
		{ HAND_RX, 0, 10 * MS, 13 * MS, 1, 102, 1, .name = "c" },
		{ HAND_RX, 0, 10 * MS, 13 * MS, 1, 101, 2, .name = "b" },
		{ HAND_RX, 0, 10 * MS, 13 * MS, 2, 101, 1, .name = "a" },
		{ HAND_RX, 0, 20 * MS, 23 * MS, 1, 101, 1, .name = "f" },
		{ HAND_RX, 0, 50 * MS, 54 * MS, 1, 101, 1, .name = "first" },
		{ HAND_RX, 0, 20 * MS, 21 * MS, 1, 101, 1, .name = "last" },
	};
	static const char *const want[] = {"first", "a", "b", "c", "e", "f",
					   "last"};
	/* clang-format on */

	(void)state;
	for (size_t size = 1; size < 8; size++) {
		const struct na_value *list;
		struct run x;

		make(&x, 1, rows, COUNT(rows));
		analyse(&x, size);
		list = na_get(group(&x, 0), "slowest");
		assert_int_equal(list->n, COUNT(want));
		for (size_t i = 0; i < COUNT(want); i++)
			assert_string_equal(na_text_of(na_get(value_at(list, i),
							      "collective"),
						       ""),
					    want[i]);
		near(value_at(list, 0), "latency_us", 4000);
		near(value_at(list, 0), "time_s", .054);
		near(value_at(list, 0), "residual", log(4.0 / 3));
		end(&x);
	}
}

/* Thirty receives of 1 ms; then what is slow, and whose it is. */
static void whose_wait(void **state)
{
	struct hand_row rows[33];
	const struct na_value *split;
	struct run x;

	(void)state;
	for (int i = 0; i < 30; i++)
		rows[i] = (struct hand_row){
			HAND_RX, 0, i * 10 * MS,  i * 10 * MS + MS, 1000,
			101,     1, .name = "ar", .action_ps = MS};
	/* Under way for all of its 8 ms. */
	rows[30] = (struct hand_row){
		HAND_RX, 0, 401 * MS,       409 * MS,           1,
		101,     1, .name = "slow", .action_ps = 8 * MS};
	/* Posted at 400 ms, sent at 409 ms: the link was busy meanwhile. */
	rows[31] = (struct hand_row){HAND_RX,
				     0,
				     409 * MS,
				     410 * MS,
				     1,
				     101,
				     2,
				     .name = "queued",
				     .action_ps = 10 * MS};
	/* Posted at 500 ms, sent at 519 ms: nothing was under way. */
	rows[32] = (struct hand_row){HAND_RX,
				     0,
				     519 * MS,
				     520 * MS,
				     1,
				     101,
				     1,
				     .name = "late",
				     .action_ps = 20 * MS};
	make(&x, 1, rows, 33);
	analyse(&x, 7);
	split = na_get(na_result_body(x.d.r), "split");
	assert_int_equal(na_int_of(na_get(split, "receives"), 0), 33);
	assert_int_equal(na_int_of(na_get(split, "slow"), 0), 3);
	assert_int_equal(na_int_of(na_get(split, "slow_network"), 0), 2);
	assert_int_equal(na_int_of(na_get(split, "slow_waiting"), 0), 1);
	near(split, "slow_over_us", 3000);
	near(split, "under_way_share", 40.0 / 68);
	assert_true(fabs(real(split, "queued_share") - 8.0 / 68) < 1e-3);
	assert_true(fabs(real(split, "waiting_share") - 20.0 / 68) < 1e-3);
	assert_true(real(split, "unposted_share") == 0);
	assert_string_equal(na_text_of(na_get(split, "part"), ""), "network");
	end(&x);
}

static void fixed_cost_and_bandwidth(void **state)
{
	struct hand_row rows[120];
	struct run x;

	(void)state;
	for (int i = 0; i < 120; i++) {
		uint64_t bytes = UINT64_C(1024) << (i % 12);

		/* 40 us, and 10 Gbit/s: 800 ps for a byte. */
		rows[i] = (struct hand_row){
			HAND_RX,
			0,
			i * MS,
			i * MS + 40 * US + (int64_t)bytes * 800,
			bytes,
			101,
			1,
			.name = "ar",
			.action_ps = -1};
	}
	make(&x, 1, rows, 120);
	analyse(&x, 50);
	assert_true(fabs(real(group(&x, 0), "fixed_us") - 40) < 1e-6);
	assert_true(fabs(real(group(&x, 0), "bandwidth_gbps") - 10) < 1e-6);
	assert_true(fabs(real(group(&x, 0), "residual_p99")) < 0.0051);
	assert_string_equal(na_text_of(na_get(group(&x, 0), "tail"), ""),
			    "sizes");
	end(&x);
	make(&x, 1, rows, 120);
	by(&x, "size");
	analyse(&x, 50);
	assert_int_equal(na_get(na_result_body(x.d.r), "groups")->n, 12);
	assert_true(isnan(real(group(&x, 0), "fixed_us")));
	end(&x);
}

/* ---- whatever the data */

static const char *const names[] = {"ar", "ag", "rs", "a2a", "cp"};

static void draw_rows(struct hand_row *rows, size_t n, uint64_t seed)
{
	struct na_rng r;

	na_rng_seed(&r, seed);
	for (size_t i = 0; i < n; i++) {
		int64_t at = (int64_t)na_rng_below(&r, 500 * (uint64_t)MS);
		int64_t ps = (int64_t)
			na_rng_below(&r, (uint64_t)US << na_rng_below(&r, 14));

		rows[i] = (struct hand_row){
			(enum hand_what)na_rng_below(&r, 3),
			(int)(i * 3 / n),
			at,
			at + ps,
			na_rng_below(&r, UINT64_C(1) << na_rng_below(&r, 30)),
			101 + (int)na_rng_below(&r, 3),
			1 + (int)na_rng_below(&r, 3),
			.name = names[na_rng_below(&r, 5)],
			.action_ps = (int64_t)na_rng_below(&r, 9 * MS) - MS};
	}
}

/* Blocks of one record, of three, or all in one: the same bytes. */
static void blocks_do_not_matter(void **state)
{
	enum { N = 600 };
	static const char *const keys[] = {NULL, "component", "pair,component",
					   "collective,size,host"};
	static const size_t sizes[] = {1, 3, 64, 1000};
	static struct hand_row rows[N];

	(void)state;
	for (uint64_t seed = 1; seed < 4; seed++) {
		draw_rows(rows, N, seed);
		for (size_t k = 0; k < COUNT(keys); k++) {
			char *want = NULL;

			for (size_t i = 0; i < COUNT(sizes); i++) {
				struct run x;
				char *text;

				make(&x, 3, rows, N);
				x.scope.components =
					NA_COMP_BIT(NA_N_COMPONENTS) - 1;
				if (keys[k])
					by(&x, keys[k]);
				x.scope.top = 7;
				analyse(&x, sizes[i]);
				text = driven_json(&x.d);
				end(&x);
				if (want)
					assert_string_equal(want, text);
				else
					want = strdup(text);
				free(text);
			}
			free(want);
		}
	}
}

/* One group's numbers fit together. */
static uint64_t check_group(const struct na_value *g)
{
	static const char *const up[] = {"min_us",    "p50_us", "p90_us",
					 "p95_us",    "p99_us", "p99_9_us",
					 "p99_99_us", "max_us"};
	const double *share, *us;
	size_t n;

	for (size_t i = 0; i + 1 < COUNT(up); i++)
		assert_true(real(g, up[i]) <= real(g, up[i + 1]));
	assert_true(real(g, "min_us") <= real(g, "mean_us") * (1 + 1e-12));
	assert_true(real(g, "mean_us") <= real(g, "max_us") * (1 + 1e-12));
	us = na_reals_of(na_get(g, "ccdf_us"), &n);
	share = na_reals_of(na_get(g, "ccdf_share"), &n);
	assert_true(us && share && n > 0 && n <= LATENCY_CURVE_MAX);
	assert_true(us[0] == real(g, "max_us") &&
		    us[n - 1] == real(g, "min_us") && share[n - 1] == 1);
	for (size_t i = 1; i < n; i++)
		assert_true(us[i] < us[i - 1] && share[i] > share[i - 1]);
	return (uint64_t)na_int_of(na_get(g, "count"), 0);
}

/* Groups share out all of it, whatever the key and --top. */
static void groups_add_up(void **state)
{
	enum { N = 2000 };
	static const char *const keys[] = {"host",       "src",
					   "dst",        "pair",
					   "collective", "size",
					   "step",       "device",
					   "component",  "size,pair"};
	static struct hand_row rows[N];
	uint64_t all;
	struct run x;

	(void)state;
	draw_rows(rows, N, 9);
	make(&x, 3, rows, N);
	x.scope.components = NA_COMP_BIT(NA_N_COMPONENTS) - 1;
	analyse(&x, 77);
	all = check_group(group(&x, 0));
	assert_true(all > N);
	end(&x);
	for (size_t k = 0; k < COUNT(keys); k++) {
		const struct na_value *g;
		uint64_t sum = 0;

		make(&x, 3, rows, N);
		x.scope.components = NA_COMP_BIT(NA_N_COMPONENTS) - 1;
		by(&x, keys[k]);
		x.scope.top = 3;
		analyse(&x, 100);
		for (g = group(&x, 0); g; g = g->next)
			sum += check_group(g);
		assert_int_equal(sum, all);
		end(&x);
	}
}

/* Hosts a to d send to each other in turn; d's clock is `ahead` of the rest's.
 * Each message takes 100 us. */
static void skewed(struct run *x, int64_t ahead_ps, size_t n)
{
	struct hand_row *rows = calloc(n, sizeof(*rows));
	size_t k = 0;

	assert_non_null(rows);
	for (int to = 0; to < 4; to++) {
		for (size_t i = 0; i < n / 4; i++) {
			int from = (to + 1 + (int)(i % 3)) % 4;
			int64_t end_ps = (int64_t)(i + 1) * MS;
			int64_t ps = 100 * US + (to == 3 ? ahead_ps : 0) -
				     (from == 3 ? ahead_ps : 0);
			bool early = ps <= 0;

			rows[k++] =
				(struct hand_row){HAND_RX,
						  to,
						  early ? end_ps : end_ps - ps,
						  end_ps,
						  1000,
						  100 * from + 1,
						  100 * to + 1,
						  .name = "ar",
						  .klass = early ? NA_CLOCK_SKEW
								 : NA_VALID,
						  .action_ps = early ? 0 : ps};
		}
	}
	make(x, 4, rows, k);
	analyse(x, 7);
	free(rows);
}

static bool says(const struct run *x, const char *text)
{
	return strstr(na_result_get_word(x->d.r, NA_WORD_MESSAGE, ""), text);
}

/* Which clock is off is named, in words that claim no tail and no network;
 * a clock_skew record is counted, but is no latency. */
static void clock_that_is_off(void **state)
{
	struct run x;

	(void)state;
	skewed(&x, 10 * MS, 480);
	assert_int_equal(na_int_of(na_get(group(&x, 0), "count"), -1), 360);
	near(group(&x, 0), "min_us", 100);
	assert_true(says(&x, "the clock of d is ahead of others', 120 of 120"));
	assert_false(says(&x, "network,") || says(&x, "tail"));
	end(&x);
	skewed(&x, -10 * MS, 480);
	assert_true(says(&x, "the clock of d is behind others', 120 of 120"));
	end(&x);
	skewed(&x, 50 * US, 480);
	assert_false(says(&x, "clock"));
	end(&x);
	/* Of 19 nothing is said. */
	skewed(&x, 10 * MS, 76);
	assert_false(says(&x, "clock"));
	end(&x);
}

/* The tail of a group with a lower p99 is told, too. */
static void tails_of_groups(void **state)
{
	enum { N = 4000 };
	static struct hand_row rows[N];
	struct run x;

	(void)state;
	for (int i = 0; i < N; i++) {
		int to = i < N / 2;
		int64_t ps = to ? (i < 4 ? 200 * MS : MS) : 3 * MS;

		rows[i] = (struct hand_row){HAND_RX,
					    to,
					    (int64_t)i * MS,
					    (int64_t)i * MS + ps,
					    1000,
					    201,
					    100 * to + 1,
					    .name = "ar",
					    .action_ps = -1};
	}
	make(&x, 2, rows, N);
	by(&x, "host");
	analyse(&x, 100);
	assert_true(says(&x, "3 ms (a)"));
	assert_true(says(&x, "long tail: b alone, max 200 ms"));
	end(&x);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_oracle),
		cmocka_unit_test(edges),
		cmocka_unit_test(extremes),
		cmocka_unit_test(slowest_in_order),
		cmocka_unit_test(whose_wait),
		cmocka_unit_test(fixed_cost_and_bandwidth),
		cmocka_unit_test(blocks_do_not_matter),
		cmocka_unit_test(groups_add_up),
		cmocka_unit_test(clock_that_is_off),
		cmocka_unit_test(tails_of_groups),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
