/*
 * rpc, driven through its descriptor on records made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/rpc/state.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_rpc;

#define MS INT64_C(1000000000)
#define US INT64_C(1000000)

struct run {
	struct hand h;
	struct na_scope scope;
	struct rpc_params params;
	struct driven d;
};

static void analyse(struct run *x, const struct hand_row *rows, size_t n,
		    size_t sources, const char *const *labels, size_t block)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, labels);
	x->h.filter.side = NA_RX;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->params.bin_ps = 100 * MS;
	hand_fill(&x->h, rows, n, 7);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	if (labels)
		x->scope.by = (struct na_grouping){{NA_KEY_LABEL}, 1};
	hand_drive(&x->d, &na_an_rpc, &x->scope, &x->params, block, &x->h.err);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static const struct na_value *at(const struct run *x, const char *path)
{
	return na_dig(na_result_body(x->d.r), path);
}

static const char *verdict(const struct run *x)
{
	return na_text_of(at(x, "verdict"), "null");
}

/* A transfer between the hosts of two of four sources. */
static struct hand_row transfer(int64_t end_ps, int64_t latency_ps,
				uint64_t bytes, int src, int dst)
{
	return (struct hand_row){HAND_RX,   dst,         end_ps - latency_ps,
				 end_ps,    bytes,       100 * src,
				 100 * dst, .name = "ar"};
}

static bool same(double x, double y)
{
	return (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-12 * fabs(y);
}

static void windows(void **state)
{
	struct hand_row rows[700];
	const double *count, *p50, *p99, *max, *time;
	size_t bins, k = 0;
	char line[200];
	struct run x;
	FILE *f = fopen("tests/oracle/rpc.tsv", "r");

	(void)state;
	assert_non_null(f);
	for (int64_t i = 0; i < 700; i++) {
		int64_t end_us = 100000 + (i * i * 37 + i * 1009) % 2000000;
		int64_t m = i * 7919 % 997;

		end_us += end_us > 1500000 ? 300000 : 0;
		rows[i] = transfer(end_us * US, (10 + m * m / 50) * US, 1000, 1,
				   0);
	}
	analyse(&x, rows, 700, 4, NULL, 50);
	assert_int_equal(x.d.status, NA_OK);
	time = na_reals_of(at(&x, "time_s"), &bins);
	count = na_reals_of(at(&x, "count"), NULL);
	p50 = na_reals_of(at(&x, "p50_us"), NULL);
	p99 = na_reals_of(at(&x, "p99_us"), NULL);
	max = na_reals_of(at(&x, "max_us"), NULL);
	while (fgets(line, sizeof(line), f)) {
		double bin, want[4];

		if (sscanf(line, "%lf %lf %lf %lf %lf", &bin, &want[0],
			   &want[1], &want[2], &want[3]) != 5)
			continue;
		assert_true(k < bins);
		assert_true(fabs(time[k] - bin / 10) < 1e-12);
		assert_true(count[k] == want[0]);
		assert_true(same(p50[k], want[1]));
		assert_true(same(p99[k], want[2]));
		assert_true(same(max[k], want[3]));
		k++;
	}
	fclose(f);
	assert_int_equal(k, bins);
	end(&x);
}

/* A few transfers of every kind that has no latency, and too few. */
static void few(void **state)
{
	struct hand_row rows[3] = {
		transfer(5 * MS, 2 * MS, 100, 1, 0),
		transfer(5 * MS, 2 * MS, 100, 1, 0),
		transfer(950 * MS, 2 * MS, 0, 0, 1),
	};
	struct run x;

	(void)state;
	analyse(&x, NULL, 0, 1, NULL, 10);
	assert_int_equal(x.d.status, NA_OK);
	assert_int_equal(x.d.used, 0);
	assert_int_equal(at(&x, "verdict")->kind, NA_V_NULL);
	end(&x);
	for (size_t n = 1; n <= 3; n++) {
		analyse(&x, rows, n, 4, NULL, 10);
		assert_int_equal(x.d.status, NA_OK);
		assert_int_equal(x.d.used, n);
		assert_string_equal(verdict(&x), "steady");
		assert_true(driven_real(&x.d, "overall.p99_us") == 2000);
		assert_int_equal(at(&x, "time_s")->n, n < 3 ? 1 : 10);
		end(&x);
	}
	rows[0].klass = NA_CLOCK_SKEW;
	rows[0].start_ps = rows[0].end_ps;
	rows[1].klass = NA_NO_LATENCY;
	analyse(&x, rows, 2, 4, NULL, 10);
	assert_int_equal(x.d.used, 0);
	end(&x);
}

enum { N = 4000 };

static double uniform(struct na_rng *r)
{
	return ((double)(na_rng_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

/* Four hosts for four seconds; sizes up to 1 MiB on 10 Gbit/s with some
 * scatter. */
static void healthy(struct hand_row rows[N], struct na_rng *r)
{
	for (int i = 0; i < N; i++) {
		uint64_t bytes = UINT64_C(1) << na_rng_below(r, 21);
		double us = (50 + (double)bytes * 8e-4) *
			    exp(0.3 * (uniform(r) + uniform(r) - 1));
		int src = (int)na_rng_below(r, 4);
		int dst = (src + 1 + (int)na_rng_below(r, 3)) % 4;

		rows[i] = transfer((int64_t)i * MS + 1, (int64_t)(us + 1) * US,
				   bytes, src, dst);
	}
}

static void later(struct hand_row *row, double ms)
{
	row->start_ps -= (int64_t)(ms * 1e9);
}

static const struct na_value *first_mode(const struct run *x)
{
	return at(x, "modes")->u.of.first;
}

static void timeouts(void **state)
{
	struct hand_row rows[N];
	const struct na_value *m;
	struct na_rng r;
	struct run x;
	size_t late = 0;

	(void)state;
	na_rng_seed(&r, 3);
	healthy(rows, &r);
	for (size_t i = 0; i < N; i++) {
		if (rows[i].src == 100 && i % 16 == 0) {
			later(&rows[i], late % 4 ? 200 : 600);
			late++;
		}
	}
	analyse(&x, rows, N, 4, NULL, 333);
	assert_string_equal(verdict(&x), "RTO-like");
	assert_true(driven_real(&x.d, "tail.count") == (double)late);
	m = first_mode(&x);
	assert_true(na_real_of(na_get(m, "latency_ms"), 0) == 200);
	assert_true(na_real_of(na_get(m, "count"), 0) ==
		    (double)(late - (late + 3) / 4));
	assert_true(na_real_of(na_get(m->next, "latency_ms"), 0) == 600);
	assert_int_equal(na_get(m, "hosts")->n, 1);
	assert_string_equal(na_text_of(na_get(m, "hosts")->u.of.first, ""),
			    "b");
	assert_true(fabs(driven_real(&x.d, "expected.fixed_us") - 50) < 10);
	assert_true(fabs(driven_real(&x.d, "expected.bandwidth_gbps") - 10) <
		    2);
	end(&x);
}

/* The same tail while the receiver's link is idle, and while it is full. */
static void load(void **state)
{
	struct hand_row rows[N];
	struct na_rng r;

	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		struct run x;

		na_rng_seed(&r, 9);
		healthy(rows, &r);
		for (int i = 0; i < N; i++) {
			bool quiet = i / 500 % 2;

			rows[i].size = quiet ? 1000 : 1 << 20;
			rows[i].start_ps = rows[i].end_ps -
					   (quiet ? 60 : 900) * US;
			if (i % 500 == 490 && quiet == !busy)
				later(&rows[i], 201);
		}
		analyse(&x, rows, N, 4, NULL, 500);
		assert_string_equal(verdict(&x), "RTO-like");
		assert_string_equal(
			na_text_of(na_dig(first_mode(&x), "load.state"), ""),
			busy ? "busy" : "idle");
		end(&x);
	}
}

static void says(const struct run *x, const char *want, const char *words)
{
	const char *message = na_result_get_word(x->d.r, NA_WORD_MESSAGE, "");

	assert_string_equal(verdict(x), want);
	if (!strstr(message, words))
		fail_msg("\"%s\" lacks \"%s\"", message, words);
}

/* One in fifty is far slower than its size asks for, and none is 100 ms late:
 * the picture has as many of them marked as are told. */
static void slow_for_their_size(void **state)
{
	struct hand_row rows[N];
	struct na_rng r;
	struct run x;
	const struct na_value *cloud;
	size_t n = 0, marked = 0;
	const double *slow;

	(void)state;
	na_rng_seed(&r, 31);
	healthy(rows, &r);
	for (int i = 7; i < N; i += 50)
		later(&rows[i], 30 + i % 40);
	analyse(&x, rows, N, 4, NULL, 500);
	says(&x, "steady", "The slowest 1 % take ");
	says(&x, "steady", "; none is 100 ms late: p50 ");
	cloud = na_get(na_result_side(x.d.r), "scatter");
	slow = na_reals_of(na_get(cloud, "point_slow"), &n);
	for (size_t i = 0; i < n; i++)
		marked += slow[i] > 0;
	assert_true(marked > N / 200 && marked <= N / 50);
	end(&x);
}

/* Every verdict, and the sentence that goes with it. */
static void verdicts(void **state)
{
	static const struct {
		double first_ms, second_ms, all_ms;
		const char *verdict, *words;
	} cases[] = {
		{0, 0, 0, "steady", "No transfer is 100 ms late: p50 "},
		{0, 0, 15, "constantly high", "High all the time: p50 "},
		{40.4, 40.9, 0, "delayed-ACK-like",
		 "20 transfers (0.50 %) late by 40 ms, like delayed"},
		{10.2, 20.7, 0, "low-RTO-like", " ms, like TCP "},
		{205, 1003, 0, "RTO-like",
		 "20 transfers (0.50 %) late by 200 and 1000 ms, like TCP "},
		{130, 300, 0, "heavy tail, no timer signature",
		 "no timer signature: 20 transfers (0.50 %) more than"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct hand_row rows[N];
		struct na_rng r;
		struct run x;

		na_rng_seed(&r, 31);
		healthy(rows, &r);
		for (int i = 0; i < N; i++) {
			later(&rows[i], cases[k].all_ms);
			if (rows[i].size < 65536 || i % 200 == 7)
				rows[i].size /= 64;
			if (i % 200 == 7)
				later(&rows[i], i % 400 == 7
							? cases[k].first_ms
							: cases[k].second_ms);
		}
		analyse(&x, rows, N, 4, NULL, 500);
		says(&x, cases[k].verdict, cases[k].words);
		end(&x);
	}
}

/* The same bytes for any block size. */
static void blocks(void **state)
{
	static const size_t sizes[] = {1, 100, N};
	struct hand_row rows[N];
	char *text[3];
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 4);
	healthy(rows, &r);
	for (size_t i = 0; i < N; i += 100)
		later(&rows[i], (double)(i / 100 * 10));
	for (size_t i = 0; i < 3; i++) {
		struct run x;

		analyse(&x, rows, 600, 4, NULL, sizes[i]);
		text[i] = driven_json(&x.d);
		end(&x);
	}
	assert_string_equal(text[0], text[1]);
	assert_string_equal(text[0], text[2]);
	for (size_t i = 0; i < 3; i++)
		free(text[i]);
}

static void runs(void **state)
{
	static const char *const labels[] = {"old", "new"};
	struct hand_row rows[N];
	const struct na_value *groups;
	struct na_rng r;
	struct run x;

	(void)state;
	na_rng_seed(&r, 4);
	healthy(rows, &r);
	for (int i = 0; i < N; i++) {
		rows[i].source = i >= 1000;
		if (i % 100 == 0 && i >= 1000)
			later(&rows[i], 205);
	}
	analyse(&x, rows, N, 2, labels, 500);
	assert_int_equal(x.d.status, NA_OK);
	groups = at(&x, "groups");
	assert_int_equal(groups->n, 2);
	/* The one with more transfers first. */
	assert_string_equal(na_text_of(na_dig(groups->u.of.first, "key.label"),
				       ""),
			    "new");
	assert_string_equal(na_text_of(na_get(groups->u.of.first, "verdict"),
				       ""),
			    "RTO-like");
	assert_string_equal(na_text_of(na_get(groups->u.of.last, "verdict"),
				       ""),
			    "steady");
	assert_true(na_real_of(na_dig(groups->u.of.last, "overall.transfers"),
			       0) == 1000);
	end(&x);
}

/* Through the analysis, with the expectation it finds itself: timeouts are
 * found, and are not found in tails of another kind. */
static void bars(void **state)
{
	enum { DRAWS = 60, FEW = 1000 };
	struct hand_row rows[N];
	size_t right = 0, wrong = 0, alike = 0;
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 77);
	for (int i = 0; i < DRAWS; i++) {
		double scale = exp(uniform(&r) * 8);
		double alpha = 1.5 + 1.5 * uniform(&r);
		struct run x;

		healthy(rows, &r);
		for (int k = 0; k < 8; k++)
			later(&rows[k * 100 + 50], k % 3 ? 200 : 400);
		analyse(&x, rows, FEW, 4, NULL, 500);
		right += strcmp(verdict(&x), "RTO-like") == 0;
		end(&x);
		healthy(rows, &r);
		for (int k = 0; k < N; k++) {
			double by = scale * pow(uniform(&r), -1 / alpha);
			double us =
				(double)(rows[k].end_ps - rows[k].start_ps) /
				1e6;

			rows[k].start_ps -= (int64_t)(fmin(us * by, 1e9) * 1e6);
		}
		analyse(&x, rows, N, 4, NULL, 500);
		wrong += strcmp(verdict(&x), "RTO-like") == 0;
		alike += at(&x, "alike") != NULL;
		end(&x);
	}
	print_message("right %zu, wrong %zu, alike %zu of %d\n", right, wrong,
		      alike, DRAWS);
	assert_true(alike * 100 <= DRAWS * 2);
	assert_true(right * 100 >= DRAWS * 97);
	assert_true(wrong * 100 <= DRAWS * 2);
}

/* Few that wait alike are told where the verdict denies a timer: five at 40 ms
 * beside others that are nearly as late, three at 200 ms; not two, nor where
 * some lie just below. */
static void few_alike(void **state)
{
	static const struct {
		int at, spread;
		double at_ms, from_ms, step_ms; /* the spread */
		const char *verdict, *words;
		double told; /* alike.latency_ms, about; 0: none */
	} cases[] = {
		{5, 3, 41, 12, 5, "steady",
		 "; 5 transfers late by 41.0 ms alike, few", 41},
		{4, 3, 41, 12, 5, "steady", "as usual for their size; none",
		 0},
		{5, 3, 41, 30, 3, "steady", "as usual for their size; none",
		 0},
		{3, 2, 202, 130, 5, "heavy tail, no timer signature",
		 "perhaps of a timer: 5 transfers (0.50 %) more than 100 ms "
		 "late, 3 of them by 202 ms alike, few", 202},
		{2, 1, 202, 130, 0, "heavy tail, no timer signature",
		 "no timer signature: 3 ", 0},
		{3, 3, 202, 130, 5, "heavy tail, no timer signature",
		 "no timer signature: 6 ", 0},
		{3, 2, 202, 170, 5, "heavy tail, no timer signature",
		 "no timer signature: 5 ", 0},
		/* As long as they are, not as a timer would be. */
		{3, 2, 4950, 130, 5, "heavy tail, no timer signature",
		 "3 of them by 4950 ms alike", 4950},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct hand_row rows[N];
		struct na_rng r;
		struct run x;

		na_rng_seed(&r, 5);
		healthy(rows, &r);
		/* So many that the slowest 1 % are late in any case. */
		for (int i = 0; i < 20; i++)
			later(&rows[i * 40 + 21], 3);
		for (int i = 0; i < 1000; i++)
			rows[i].size /= 64;
		for (int i = 0; i < cases[k].at; i++)
			later(&rows[i * 97 + 13], cases[k].at_ms);
		for (int i = 0; i < cases[k].spread; i++)
			later(&rows[i * 89 + 17],
			      cases[k].from_ms + cases[k].step_ms * i);
		analyse(&x, rows, 1000, 4, NULL, 500);
		says(&x, cases[k].verdict, cases[k].words);
		assert_true(fabs(na_real_of(at(&x, "alike.latency_ms"), 0) -
				 cases[k].told) <= 1);
		if (cases[k].told > 0) {
			assert_true(driven_real(&x.d, "alike.count") ==
				    cases[k].at);
			assert_false(at(&x, "alike.nothing_sent_again")
					     ->u.flag);
		}
		end(&x);
	}
}

/* Times and sizes at the ends of what numbers hold. */
static void hostile(void **state)
{
	struct hand_row rows[] = {
		transfer(5 * MS, 1, UINT64_MAX, 1, 0),
		transfer(-7 * MS, 2 * MS, UINT64_MAX, 1, 0),
		transfer(INT64_MAX, 2 * MS, 1, 0, 1),
		transfer(INT64_MIN + MS, 1, 1, 0, 1),
		transfer(INT64_MAX, INT64_MAX, 0, 0, 1),
	};
	struct run x;
	char *text;

	(void)state;
	for (size_t n = 1; n <= 5; n++) {
		analyse(&x, rows, n, 4, NULL, 2);
		/* Far apart they take too many bins. */
		assert_true(x.d.status == NA_OK ||
			    (n > 2 && x.d.status == NA_EUSAGE));
		text = driven_json(&x.d);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf"));
		free(text);
		end(&x);
	}
}

/* A clock that is ahead, or behind, is no timer, whatever it is off by; nor
 * does it hide the timeouts of the other hosts. */
static void constant(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct hand_row rows[N];
		struct na_rng r;
		struct run x;
		size_t late = 0, lost = 0;
		bool sends = k & 1, lossy = k & 2;

		na_rng_seed(&r, 12);
		healthy(rows, &r);
		for (int i = 0; i < N; i++) {
			int host = sends ? rows[i].src : rows[i].dst;

			if (host == 200) {
				later(&rows[i], 205);
				late++;
			} else if (lossy && i % 150 == 0) {
				later(&rows[i], 201);
				lost++;
			}
		}
		analyse(&x, rows, N, 4, NULL, 333);
		says(&x, lossy ? "RTO-like" : "constantly high",
		     sends ? "Nearly all that c sends is late by 205 ms"
			   : "Nearly all that c receives is late by 205 ms");
		assert_true(driven_real(&x.d, "tail.count") ==
			    (double)(late + lost));
		assert_true(driven_real(&x.d, "tail.constant") == (double)late);
		if (lossy)
			assert_true(driven_real(&x.d, "tail.matched") ==
				    (double)lost);
		else
			assert_null(first_mode(&x));
		end(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),  cmocka_unit_test(few),
		cmocka_unit_test(timeouts), cmocka_unit_test(load),
		cmocka_unit_test(verdicts), cmocka_unit_test(blocks),
		cmocka_unit_test(slow_for_their_size),
		cmocka_unit_test(few_alike),
		cmocka_unit_test(runs),     cmocka_unit_test(bars),
		cmocka_unit_test(hostile),  cmocka_unit_test(constant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
