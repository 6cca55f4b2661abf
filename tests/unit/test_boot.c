/*
 * Resamples of clusters and the tests beside them, against values from
 * another implementation (tests/oracle/diff.tsv); edges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/tests/boot.h"
#include "netan/stats/time/batches.h"

enum { MOST = 20000 };

static const double ps[] = {0.1, 0.5, 0.9, 0.99, 0.999};
enum { PS = 5 };

/* As in the oracle. */
static void sample(struct na_boot_item *x, size_t n, uint64_t s, int kind,
		   size_t units, double shift)
{
	for (size_t i = 0; i < n; i++) {
		double cube;

		s = s * 16807 % 2147483647;
		cube = (double)(s % 97);
		x[i] = (struct na_boot_item){kind == 0
						     ? (double)(s % 100003) / 7
					     : kind == 1 ? (double)(s % 13)
							 : cube * cube * cube,
					     0, 0};
		x[i].value += shift;
		s = s * 16807 % 2147483647;
		x[i].unit = (uint32_t)(s % units);
	}
}

static void sort(struct na_boot_item *x, size_t n)
{
	qsort(x, n, sizeof(*x), na_boot_order);
}

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-8 * fmax(1, fabs(want)))
		fail_msg("%.17g instead of %.17g", got, want);
}

static void check_boot(size_t n, int kind, size_t units, uint64_t turn,
		       const double want[PS + 1])
{
	struct na_boot_item *x = calloc(n, sizeof(*x));
	struct na_boot b = {.x = x, .n = n, .n_units = units};
	double got[PS + 1];

	assert_non_null(x);
	sample(x, n, 12345, kind, units, 0);
	sort(x, n);
	assert_true(na_boot_begin(&b));
	assert_false(b.by_events);
	na_boot_draw(&b, 1, 4, turn, ps, PS, got);
	for (size_t i = 0; i <= PS; i++)
		near(got[i], want[i]);
	na_boot_end(&b);
	free(x);
}

static void check_two(size_t na, size_t nb, int kind, double shift,
		      const double want[4])
{
	static struct na_boot_item a[MOST], b[MOST];
	struct na_two_samples got;

	sample(a, na, 12345, kind, 5, 0);
	sample(b, nb, 777, kind, 5, shift);
	sort(a, na);
	sort(b, nb);
	na_two_samples(a, na, b, nb, &got);
	near(got.ks_d, want[0]);
	near(got.ks_p, want[1]);
	near(got.ad_t, want[2]);
	/* Both interpolate the same seven levels, each in its own way. */
	if (fabs(got.ad_p - want[3]) > 0.06 * want[3])
		fail_msg("p %g instead of %g", got.ad_p, want[3]);
}

static void check_welch(size_t na, size_t nb, int kind, const double want[4])
{
	struct na_boot_item x[16], y[16];
	struct na_batch a[17], b[17];
	struct na_batch_diff got;

	sample(x, na, 12345, kind, 5, 0);
	sample(y, nb, 777, kind, 5, 0);
	for (size_t i = 0; i < na; i++)
		a[i] = (struct na_batch){3 * x[i].value, 3};
	for (size_t i = 0; i < nb; i++)
		b[i] = (struct na_batch){2 * y[i].value, 2};
	a[na] = b[nb] = (struct na_batch){0, 0};
	assert_true(na_batches_compare(a, na + 1, b, nb + 1, &got));
	near(got.diff, want[0]);
	near(got.ci[0], want[1]);
	near(got.ci[1], want[2]);
	near(got.p, want[3]);
}

static void check_span(size_t units, double at, const double want[3])
{
	static struct na_boot_item x[1000];
	struct na_boot_span span;
	double v[1000], ci[2];

	sample(x, 1000, 12345, 0, 5, 0);
	for (size_t i = 0; i < 1000; i++)
		v[i] = x[i].value;
	assert_true(na_boot_span(&span, at, v, 1000, units,
				 units ? (double)units - 1 : 0));
	near(na_boot_p(&span, 0), want[0]);
	na_boot_interval(&span, 0.01, ci);
	near(ci[0], want[1]);
	near(ci[1], want[2]);
}

static bool check_row(const char *line)
{
	unsigned long long n, units, turn;
	double w[PS + 1], at;
	int kind;

	if (sscanf(line, "boot %llu %d %llu %llu %lf %lf %lf %lf %lf %lf", &n,
		   &kind, &units, &turn, &w[0], &w[1], &w[2], &w[3], &w[4],
		   &w[5]) == 10)
		check_boot(n, kind, units, turn, w);
	else if (sscanf(line, "two %llu %llu %d %lf %lf %lf %lf %lf", &n,
			&units, &kind, &at, &w[0], &w[1], &w[2], &w[3]) == 8)
		check_two(n, units, kind, at, w);
	else if (sscanf(line, "welch %llu %llu %d %lf %lf %lf %lf", &n, &units,
			&kind, &w[0], &w[1], &w[2], &w[3]) == 7)
		check_welch(n, units, kind, w);
	else if (sscanf(line, "span %llu %lf %lf %lf %lf", &units, &at, &w[0],
			&w[1], &w[2]) == 5)
		check_span(units, at, w);
	else
		return false;
	return true;
}

static void oracle(void **state)
{
	FILE *f = fopen("tests/oracle/diff.tsv", "r");
	char line[400];
	size_t rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		rows += check_row(line);
	fclose(f);
	assert_int_equal(rows, 15 + 6 + 4 + 4);
}

/* What is weighted: as if each value stood there so many times. */
static void weights(void **state)
{
	static struct na_boot_item x[3000], y[3000];
	static double weight[3000];
	struct na_boot plain = {.x = x, .n_units = 12};
	struct na_boot dense = {.x = y, .weight = weight, .n_units = 12};
	double a[PS + 1], b[PS + 1];

	(void)state;
	sample(y, 1000, 99, 0, 12, 0);
	sort(y, 1000);
	for (size_t i = 0; i < 1000; i++) {
		y[i].kind = (uint32_t)i;
		weight[i] = (double)(1 + i % 3);
		for (size_t k = 0; k <= i % 3; k++)
			x[plain.n++] = y[i];
	}
	dense.n = 1000;
	assert_true(na_boot_begin(&plain) && na_boot_begin(&dense));
	near(dense.total, (double)plain.n);
	near(dense.mean, plain.mean);
	for (uint64_t turn = 0; turn < 20; turn++) {
		na_boot_draw(&plain, 1, 0, turn, ps, PS, a);
		na_boot_draw(&dense, 1, 0, turn, ps, PS, b);
		near(b[PS], a[PS]);
		/* Ranks are of values there, of weights here: a step of each
		 * is not the same. */
		for (size_t i = 0; i < PS; i++)
			assert_true(fabs(a[i] - b[i]) < 60);
	}
	na_boot_end(&plain);
	na_boot_end(&dense);
}

/* Of few units events are drawn: median, spread and tails as the theory of
 * order statistics has them. */
static void events(void **state)
{
	static struct na_boot_item x[1001];
	struct na_boot b = {.x = x, .n = 1001, .n_units = 0};
	double p = 0.5, out[2], sum = 0, squares = 0, mean = 0;

	(void)state;
	for (size_t i = 0; i < 1001; i++)
		x[i] = (struct na_boot_item){(double)i, 0, 0};
	assert_true(na_boot_begin(&b));
	assert_true(b.by_events);
	for (uint64_t t = 0; t < 4000; t++) {
		na_boot_draw(&b, 7, 0, t, &p, 1, out);
		sum += out[0];
		squares += (out[0] - 500) * (out[0] - 500);
		mean += out[1];
	}
	near(na_boot_quantile(&b, 0.5), 500);
	assert_true(fabs(sum / 4000 - 500) < 1);
	/* sqrt(p (1 - p) n) = 15.8 */
	assert_true(fabs(sqrt(squares / 4000) - 15.8) < 0.8);
	assert_true(fabs(mean / 4000 - 500) < 1);
	na_boot_end(&b);
}

static void holm(void **state)
{
	const double p[] = {0.01, 0.04, NAN, 0.03, 0.005};
	double alpha[5];
	bool rejected[5];

	(void)state;
	assert_true(na_holm(p, 5, 0.05, alpha, rejected));
	/* 0.005 < 0.0125, 0.01 < 0.01667, 0.03 > 0.025: no further. */
	assert_true(rejected[4] && rejected[0]);
	assert_false(rejected[3] || rejected[1] || rejected[2]);
	near(alpha[4], 0.0125);
	near(alpha[0], 0.05 / 3);
	near(alpha[3], 0.025);
	near(alpha[1], 0.025);
	near(alpha[2], 0.05);
	assert_true(na_holm(p, 0, 0.05, alpha, rejected));
}

static void edges(void **state)
{
	struct na_boot_item x[2] = {{5, 0, 0}, {5, 1, 0}};
	struct na_boot none = {.x = NULL}, one = {.x = x, .n = 1};
	struct na_batch batch[2] = {{1, 1}, {1, 1}}, empty[2] = {{0, 0}};
	struct na_batch_diff d;
	struct na_boot_span s;
	struct na_two_samples two;
	double out[PS + 1], v[4] = {NAN, NAN, NAN, 1};

	(void)state;
	assert_true(na_boot_begin(&none));
	assert_true(isnan(na_boot_quantile(&none, 0.5)));
	na_boot_draw(&none, 1, 0, 0, ps, PS, out);
	assert_true(isnan(out[0]) && isnan(out[PS]));
	na_boot_end(&none);
	assert_true(na_boot_begin(&one));
	near(na_boot_quantile(&one, 0.999), 5);
	na_boot_draw(&one, 1, 0, 0, ps, PS, out);
	near(out[0], 5);
	near(out[PS], 5);
	na_boot_end(&one);
	assert_false(na_boot_span(&s, 1, v, 4, 0, 0));
	v[2] = 1;
	assert_true(na_boot_span(&s, 1, v, 4, 0, 0));
	near(na_boot_p(&s, 1), 1);
	near(na_boot_p(&s, 0), 0);
	na_two_samples(x, 2, x, 0, &two);
	assert_true(isnan(two.ks_d) && isnan(two.ad_p));
	na_two_samples(x, 2, x, 2, &two);
	near(two.ks_d, 0);
	assert_true(isnan(two.ad_t));
	assert_false(na_batches_compare(batch, 1, batch, 2, &d));
	assert_false(na_batches_compare(batch, 2, empty, 2, &d));
	assert_true(na_batches_compare(batch, 2, batch, 2, &d));
	near(d.p, 1);
}

/* Pairs of units, counted by hand: units of A hold 0 1, 2 3, ..., those of B
 * the same and `more`. */
static void pairs_of_units(struct na_boot_item *x, struct na_boot *b,
			   double more)
{
	for (uint32_t i = 0; i < 16; i++)
		x[i] = (struct na_boot_item){i + more, i / 2, 0};
	*b = (struct na_boot){.x = x, .n = 16, .n_units = 8};
	assert_true(na_boot_begin(b));
}

static void apart(void **state)
{
	struct na_boot_item x[16], y[16];
	struct na_boot a, b;

	(void)state;
	pairs_of_units(x, &a, 0);
	pairs_of_units(y, &b, 0);
	near(na_boot_apart(&a, &b, NAN), 0.5);
	near(na_boot_apart(&a, &b, 7), 0.5);
	na_boot_end(&b);
	/* Means 0.5, 2.5 ... 14.5 and 5 more: a unit of B is above that of A
	 * unless it comes three or more before it: 5 + 4 + ... + 1 pairs. */
	pairs_of_units(y, &b, 5);
	near(na_boot_apart(&a, &b, NAN), (64 - 15.0) / 64);
	near(na_boot_apart(&b, &a, NAN), 15.0 / 64);
	/* Beyond 9.5: 3 of A's, 5 of B's and a half of one; who has none and
	 * who has all are alike. */
	near(na_boot_apart(&a, &b, 9.5), (5 * (5 + 1.5) + 5 + 2 * 2.5) / 64);
	na_boot_end(&b);
	pairs_of_units(y, &b, 100);
	near(na_boot_apart(&a, &b, 50), 1);
	na_boot_end(&b);
	b = (struct na_boot){.x = y, .n = 16, .n_units = 0};
	assert_true(na_boot_begin(&b));
	assert_true(isnan(na_boot_apart(&a, &b, 1)));
	na_boot_end(&b);
	na_boot_end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oracle), cmocka_unit_test(weights),
		cmocka_unit_test(events), cmocka_unit_test(holm),
		cmocka_unit_test(edges),  cmocka_unit_test(apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
