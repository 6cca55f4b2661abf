/*
 * Pending counts, arrivals and bursts: against brute force in NumPy
 * (tests/oracle/bursts.py), as a whole and joined from parts; and against
 * what theory says of streams that are random or regular.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/samples/sort.h"
#include "netan/stats/time/inflight.h"
#include "netan/synth/rng.h"

enum { ITEMS = 200, BURSTS = 200, NUMBERS = 7 };

struct oracle {
	int64_t starts[ITEMS], ends[ITEMS]; /* ps */
	size_t n;
	double pending[NUMBERS], arrivals[NUMBERS];
	struct na_burst bursts[2][BURSTS]; /* by gap */
	size_t n_bursts[2];
	double period[2];
};

static const int64_t gaps_us[2] = {0, 3};

static double number(char **at)
{
	char *word = strsep(at, "\t\n");

	return strcmp(word, "-") == 0 ? NAN : strtod(word, NULL);
}

static int64_t time_of(char **at)
{
	return strtoll(strsep(at, "\t\n"), NULL, 10) * NA_PS_PER_US;
}

static void read_row(struct oracle *o, const char *what, char *at)
{
	if (strcmp(what, "interval") == 0) {
		assert_true(o->n < ITEMS);
		o->starts[o->n] = time_of(&at);
		o->ends[o->n++] = time_of(&at);
	} else if (strcmp(what, "burst") == 0) {
		size_t g = number(&at) > 0;
		struct na_burst *b = &o->bursts[g][o->n_bursts[g]++];

		b->from_ps = time_of(&at);
		b->to_ps = time_of(&at);
		b->peak = (int64_t)number(&at);
	} else if (strcmp(what, "period") == 0) {
		size_t g = number(&at) > 0;

		o->period[g] = number(&at) * 1e6;
	} else {
		double *to = strcmp(what, "pending") == 0 ? o->pending
							  : o->arrivals;

		for (size_t i = 0; i < NUMBERS; i++)
			to[i] = number(&at);
	}
}

/* The next case; false at the end of the file. */
static bool next(struct oracle *o, FILE *f)
{
	char line[400];

	memset(o, 0, sizeof(*o));
	while (fgets(line, sizeof(line), f)) {
		char *at = line, *what;

		if (line[0] == '#')
			continue;
		what = strsep(&at, "\t\n");
		if (strcmp(what, "end") == 0)
			return true;
		read_row(o, what, at);
	}
	return false;
}

static void same(const char *what, size_t i, double got, double want)
{
	if (isnan(got) && isnan(want))
		return;
	if (!(fabs(got - want) <= 1e-12 * fmax(fabs(want), 1)))
		fail_msg("%s %zu: %.17g, wanted %.17g", what, i, got, want);
}

static void check_hold(const struct na_inflight *f, const double *want)
{
	struct na_hold_stats s;
	double got[NUMBERS];

	if (!na_hold_read(&f->hold, &s)) {
		assert_true(isnan(want[0]));
		return;
	}
	got[0] = s.mean;
	got[1] = s.variance;
	got[2] = (double)s.p50;
	got[3] = (double)s.p90;
	got[4] = (double)s.p99;
	got[5] = (double)s.max;
	got[6] = s.idle;
	for (size_t i = 0; i < NUMBERS; i++)
		same("pending", i, got[i], want[i]);
}

static void check_arrivals(const struct na_inflight *f, const double *want)
{
	struct na_arrival_stats s;

	na_arrivals_read(&f->arrivals, &s);
	for (size_t i = 0; i < NA_WINDOWS; i++)
		same("idc", i, s.idc[i], want[i]);
	same("plain", 0, s.burstiness_plain, want[4]);
	same("finite", 0, s.burstiness, want[5]);
	same("memory", 0, s.memory, want[6]);
}

static void check_bursts(struct na_inflight *f, const struct oracle *o,
			 size_t g)
{
	size_t n;

	assert_int_equal(f->bursts.n, o->n_bursts[g]);
	assert_true(na_bursts_end(&f->bursts, &n));
	assert_int_equal(n, o->n_bursts[g]);
	for (size_t i = 0; i < n; i++) {
		const struct na_burst *a = &f->bursts.longest.v[i];
		const struct na_burst *b = &o->bursts[g][i];

		assert_int_equal(a->from_ps, b->from_ps);
		assert_int_equal(a->to_ps, b->to_ps);
		assert_int_equal(a->peak, b->peak);
	}
	same("period", g, na_bursts_period(&f->bursts), o->period[g]);
}

static void init(struct na_inflight *f, const struct oracle *o,
		 const struct na_run *runs, size_t n, size_t g)
{
	int64_t first, last;

	assert_true(na_runs_span(runs, n, &first, &last));
	na_inflight_init(f, first, last);
	f->bursts.gap_ps = gaps_us[g] * NA_PS_PER_US;
	f->bursts.keep = o->n ? o->n : 1;
	f->bursts.distances = true;
}

/* The bins of the oracle's bins, by looking at every one. */
static void check_bins(const struct na_inflight *f, const struct oracle *o)
{
	const struct na_bins *b = f->bins;

	for (size_t k = 0; k < b->n; k++) {
		int64_t lo = (b->first + (int64_t)k) * b->bin_ps;
		int64_t hi = lo + b->bin_ps;
		double sum = 0;

		for (size_t i = 0; i < o->n; i++) {
			int64_t from = o->starts[i] > lo ? o->starts[i] : lo;
			int64_t to = o->ends[i] < hi ? o->ends[i] : hi;

			sum += to > from ? (double)(to - from) : 0;
		}
		same("mean", k, f->mean[k], sum / (double)b->bin_ps);
		assert_true(f->least[k] <= f->mean[k] + 1e-9);
		assert_true(f->most[k] >= f->mean[k] - 1e-9);
	}
}

/* Over bins, in so many parts, joined in order. */
static void in_parts(const struct oracle *o, const struct na_run *runs,
		     size_t n_runs, size_t g, size_t parts)
{
	struct na_inflight all, part;
	struct na_bins b;
	double *x;

	init(&all, o, runs, n_runs, g);
	b = na_bins_over(all.first_ps, all.last_ps, true,
			 1 + (all.last_ps - all.first_ps) / 37);
	x = calloc(3 * b.n, sizeof(*x));
	assert_non_null(x);
	for (size_t i = 0; i < parts; i++) {
		init(&part, o, runs, n_runs, g);
		part.bins = &b;
		part.mean = x;
		part.least = x + b.n;
		part.most = x + 2 * b.n;
		assert_true(na_inflight_sweep(&part, runs, n_runs,
					      b.n * i / parts,
					      b.n * (i + 1) / parts));
		assert_true(na_inflight_join(&all, &part));
		na_inflight_fini(&part);
	}
	all.bins = &b;
	all.mean = x;
	all.least = x + b.n;
	all.most = x + 2 * b.n;
	check_bins(&all, o);
	check_hold(&all, o->pending);
	check_arrivals(&all, o->arrivals);
	check_bursts(&all, o, g);
	na_inflight_fini(&all);
	free(x);
}

static void check_case(const struct oracle *o, size_t n_runs)
{
	int64_t starts[ITEMS], ends[ITEMS], tmp[ITEMS];
	struct na_run runs[4];

	memcpy(starts, o->starts, sizeof(starts));
	memcpy(ends, o->ends, sizeof(ends));
	for (size_t i = 0; i < n_runs; i++) {
		size_t from = o->n * i / n_runs;
		size_t n = o->n * (i + 1) / n_runs - from;

		na_sort_i64(starts + from, tmp, n);
		na_sort_i64(ends + from, tmp, n);
		runs[i] = (struct na_run){starts + from, ends + from, n};
	}
	for (size_t g = 0; g < 2; g++) {
		struct na_inflight f;

		init(&f, o, runs, n_runs, g);
		assert_true(na_inflight_sweep(&f, runs, n_runs, 0, 0));
		check_hold(&f, o->pending);
		check_arrivals(&f, o->arrivals);
		check_bursts(&f, o, g);
		na_inflight_fini(&f);
		for (size_t parts = 1; parts < 20; parts += 3)
			in_parts(o, runs, n_runs, g, parts);
	}
}

static void as_numpy_says(void **state)
{
	FILE *f = fopen("tests/oracle/bursts.tsv", "r");
	size_t cases = 0;
	struct oracle o;

	(void)state;
	assert_non_null(f);
	for (; next(&o, f); cases++)
		check_case(&o, 1 + cases % 4);
	fclose(f);
	assert_int_equal(cases, 60);
}

static void read_stream(const int64_t *at, size_t n,
			struct na_arrival_stats *out)
{
	struct na_arrivals a;

	na_arrivals_init(&a, at[0], at[n - 1]);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && at[k] == at[i]; k++)
			;
		na_arrivals_add(&a, at[i], (int64_t)(k - i));
	}
	na_arrivals_read(&a, out);
}

static void random_is_neutral(void **state)
{
	enum { N = 10000 };
	static int64_t at[N];
	struct na_arrival_stats s;
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 11);
	for (int round = 0; round < 20; round++) {
		/* Uniform points are a Poisson stream of known count. */
		for (size_t i = 0; i < N; i++)
			at[i] = (int64_t)
				na_rng_below(&r, 10 * (uint64_t)NA_PS_PER_S);
		{
			static int64_t tmp[N];

			na_sort_i64(at, tmp, N);
		}
		read_stream(at, N, &s);
		assert_true(fabs(s.burstiness) < 0.03);
		assert_true(fabs(s.memory) < 0.05);
		for (size_t i = 0; i < NA_WINDOWS; i++) {
			if (s.windows[i] >= 999)
				assert_true(fabs(s.idc[i] - 1) <
					    4 * sqrt(2 / (double)s.windows[i]));
		}
	}
}

static void regular_is_minus_one(void **state)
{
	static int64_t at[5000];
	struct na_arrival_stats s;

	(void)state;
	for (size_t n = 3; n <= 5000; n += 1 + n / 3) {
		for (size_t i = 0; i < n; i++)
			at[i] = (int64_t)i * 333333333;
		read_stream(at, n, &s);
		assert_true(fabs(s.burstiness + 1) < 1e-3);
		assert_true(s.burstiness_plain == -1);
		assert_true(isnan(s.memory));
	}
}

/* As many simultaneous starts as times that are far apart. */
static void extremes(void **state)
{
	struct na_arrival_stats s;
	struct na_arrivals a;

	(void)state;
	na_arrivals_init(&a, INT64_MIN, INT64_MAX);
	na_arrivals_read(&a, &s);
	assert_true(isnan(s.burstiness) && isnan(s.idc[0]));
	na_arrivals_add(&a, INT64_MIN, 1000000000);
	na_arrivals_add(&a, 0, 1);
	na_arrivals_add(&a, INT64_MAX, 1000000000);
	na_arrivals_read(&a, &s);
	assert_true(s.burstiness > 0.99 && s.burstiness <= 1);
	assert_true(isfinite(s.memory) && fabs(s.memory) <= 1);
	for (size_t i = 0; i < NA_WINDOWS; i++)
		assert_true(isfinite(s.idc[i]) && s.idc[i] > 1e6);
	/* All at once. */
	na_arrivals_init(&a, 5, 5);
	na_arrivals_add(&a, 5, 7);
	na_arrivals_read(&a, &s);
	assert_true(isnan(s.burstiness) && isnan(s.memory));
}

/* The longest survive however many there are; the earlier of equals. */
static void longest_are_kept(void **state)
{
	struct na_bursts b = {.keep = 3};
	size_t n;

	(void)state;
	for (int64_t i = 0; i < 1000; i++)
		assert_true(na_bursts_add(&b, i * 100, i * 100 + 1 + i % 10,
					  1 + i % 7));
	assert_int_equal(b.n, 1000);
	assert_int_equal(b.busy_ps, 5500);
	assert_true(na_bursts_end(&b, &n));
	assert_int_equal(n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(b.longest.v[i].from_ps, 900 + 1000 * i);
	na_bursts_fini(&b);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_numpy_says),
		cmocka_unit_test(random_is_neutral),
		cmocka_unit_test(regular_is_minus_one),
		cmocka_unit_test(extremes),
		cmocka_unit_test(longest_are_kept),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
