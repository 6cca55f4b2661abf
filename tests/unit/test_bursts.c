/*
 * Bursts and pending counts, driven through their descriptor on records made
 * by hand.  The arithmetic below them is tests/unit/test_inflight.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/bursts/state.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_bursts;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       INT64_C(1000000000)

struct run {
	struct hand h;
	struct na_scope scope;
	struct bursts_params params;
	struct driven d;
};

static void make(struct run *x, size_t sources, const char *const *labels,
		 const struct hand_row *rows, size_t n)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, labels);
	x->h.filter.clip = true;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	hand_fill(&x->h, rows, n, 7);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

static void analyse(struct run *x, size_t size)
{
	hand_drive(&x->d, &na_an_bursts, &x->scope, &x->params, size,
		   &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static const struct na_value *row(const struct run *x, const char *list,
				  size_t i)
{
	return value_at(na_get(na_result_body(x->d.r), list), i);
}

static size_t rows_of(const struct run *x, const char *list)
{
	return na_get(na_result_body(x->d.r), list)->n;
}

static const char *word(const struct run *x, const char *path)
{
	return na_text_of(na_dig(na_result_body(x->d.r), path), "");
}

static void is(const char *what, double got, double want)
{
	if (isnan(want) ? !isnan(got)
			: !(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
		fail_msg("%s is %.17g, not %.17g", what, got, want);
}

static void body_is(const struct run *x, const char *path, double want)
{
	is(path, driven_real(&x->d, path), want);
}

static void row_is(const struct na_value *v, const char *path, double want)
{
	is(path, na_real_of(na_dig(v, path), NAN), want);
}

/* Two bursts: [0, 4) with two at once, and [6, 8). */
/* clang-format off */
static const struct hand_row few[] = {
	{ HAND_RX, 0, 0, 3 * MS, 3000, 201, 1, .name = "ar" },
	{ HAND_RX, 0, MS, 4 * MS, 5000, 301, 1, .name = "ag" },
	{ HAND_RX, 1, 6 * MS, 8 * MS, 400, 401, 101, .name = "ar" },
};
/* clang-format on */

static void by_hand(void **state)
{
	const struct na_value *b, *last;
	struct run x;

	(void)state;
	make(&x, 2, NULL, few, COUNT(few));
	analyse(&x, 100);
	assert_string_equal(word(&x, "pending_of"), "transfers");
	body_is(&x, "pending.time_mean", 1);
	body_is(&x, "pending.p50", 1);
	body_is(&x, "pending.p90", 2);
	body_is(&x, "pending.p99", 2);
	body_is(&x, "pending.max", 2);
	body_is(&x, "pending.idle_share", 0.25);
	body_is(&x, "pending.variance", 0.5);
	body_is(&x, "pending.peak_to_mean", 2);
	body_is(&x, "pending.span_s", 0.008);
	body_is(&x, "pending.count", 3);
	body_is(&x, "bursts_total", 2);
	body_is(&x, "burst_share", 0.75);
	body_is(&x, "burst_distance_ms", 6);
	body_is(&x, "step_period_ms", NAN);
	/* Gaps 1 and 5 ms: r = 2 / 3. */
	body_is(&x, "burstiness_plain", (2. / 3 - 1) / (2. / 3 + 1));
	body_is(&x, "memory", NAN);
	assert_string_equal(word(&x, "verdict"), "unknown");
	b = row(&x, "bursts", 0);
	row_is(b, "from_s", 0);
	row_is(b, "to_s", 0.004);
	row_is(b, "transfers", 2);
	row_is(b, "bytes", 8000);
	row_is(b, "max_overlap", 2);
	row_is(b, "mean_gbps", 0.016);
	last = na_get(b, "last");
	assert_int_equal(last->n, 2);
	row_is(value_at(last, 0), "end_s", 0.003);
	assert_string_equal(na_text_of(na_get(value_at(last, 1), "src"), ""),
			    "s3d1");
	row_is(value_at(last, 1), "latency_us", 3000);
	row_is(row(&x, "bursts", 1), "transfers", 1);
	assert_int_equal(rows_of(&x, "hosts"), 2);
	row_is(row(&x, "hosts", 0), "pending.time_mean", 0.75);
	row_is(row(&x, "hosts", 1), "pending.time_mean", 0.25);
	row_is(row(&x, "hosts", 1), "pending.idle_share", 0.75);
	assert_int_equal(x.d.used, 3);
	assert_int_equal(x.d.last_ps, 8 * MS);
	end(&x);
}

/* Silences of 2 ms; touching transfers make one burst. */
static void gaps(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 0, MS, 8, 201, 1, .name = "ar" },
		{ HAND_RX, 0, MS, 2 * MS, 8, 201, 1, .name = "ar" },
		{ HAND_RX, 0, 4 * MS, 5 * MS, 8, 201, 1, .name = "ar" },
	};
	static const struct { int64_t gap; double n; } want[] = {
		{0, 2}, {2 * MS - 1, 2}, {2 * MS, 1}, {3 * MS, 1},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		struct run x;

		make(&x, 1, NULL, rows, COUNT(rows));
		x.params.gap_ps = want[i].gap;
		analyse(&x, 1);
		body_is(&x, "bursts_total", want[i].n);
		body_is(&x, "burst_share", 0.6);
		row_is(row(&x, "bursts", 0), "transfers",
		       want[i].n == 1 ? 3 : 2);
		row_is(row(&x, "bursts", 0), "max_overlap", 1);
		end(&x);
	}
}

static void collectives_are_pending(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 0, MS, 125000, 201, 1, .name = "ar" },
		{ HAND_GRAPH, 0, 0, 2 * MS, 5, 1, 0, .name = "ar" },
		{ HAND_GRAPH, 0, 2 * MS, 4 * MS, 5, 1, 0, .name = "ag" },
		{ HAND_GRAPH, 0, MS, 2 * MS, 5, 1, 0, .name = "rs" },
		{ HAND_GRAPH, 0, MS, MS, 5, 1, 0, .name = "no length" },
	};
	/* clang-format on */
	struct run x;

	(void)state;
	make(&x, 1, NULL, rows, COUNT(rows));
	analyse(&x, 2);
	assert_string_equal(word(&x, "pending_of"), "collectives");
	body_is(&x, "pending.time_mean", 1.25);
	body_is(&x, "pending.max", 2);
	body_is(&x, "pending.count", 4);
	body_is(&x, "pending.idle_share", 0);
	body_is(&x, "bursts_total", 1);
	body_is(&x, "burst_share", 1);
	row_is(row(&x, "levels", 0), "share", 0);
	row_is(row(&x, "levels", 2), "share", 0.25);
	end(&x);
}

/* The part inside [2, 7) ms; what began before did not arrive in it. */
static void clipped(void **state)
{
	struct run x;

	(void)state;
	make(&x, 2, NULL, few, COUNT(few));
	x.h.filter.from_ps = 2 * MS;
	x.h.filter.to_ps = 7 * MS;
	analyse(&x, 2);
	body_is(&x, "pending.time_mean", 0.8);
	body_is(&x, "pending.idle_share", 0.4);
	body_is(&x, "pending.max", 2);
	body_is(&x, "pending.span_s", 0.005);
	body_is(&x, "burstiness", NAN);
	row_is(row(&x, "bursts", 0), "from_s", 0.002);
	row_is(row(&x, "bursts", 0), "to_s", 0.004);
	/* 1 / 3 of 3000 and 2 / 3 of 5000, to a millionth of a byte. */
	assert_true(fabs(na_real_of(na_get(row(&x, "bursts", 0), "bytes"), 0) -
			 1000 - 10000. / 3) < 1e-5);
	row_is(row(&x, "bursts", 1), "bytes", 200);
	row_is(value_at(na_get(row(&x, "bursts", 1), "last"), 0), "end_s",
	       0.008);
	end(&x);
	/* What ends where the window begins is not in it. */
	make(&x, 2, NULL, few, COUNT(few));
	x.h.filter.from_ps = 4 * MS;
	analyse(&x, 2);
	body_is(&x, "bursts_total", 1);
	body_is(&x, "pending.count", 1);
	end(&x);
}

static void of_no_length(void **state)
{
	struct hand_row rows[] = {
		{HAND_RX, 0, 5, 5, 10, 201, 1, .name = "ar"},
		{HAND_RX, 0, 5, 5, 10, 201, 1, .name = "ar"},
		{HAND_RX, 0, 0, 8, 10, 201, 1, .name = "ar"},
	};

	(void)state;
	for (size_t n = 0; n <= 3; n++) {
		struct run x;

		make(&x, 1, NULL, rows, n);
		analyse(&x, 1);
		body_is(&x, "pending.count", (double)n);
		body_is(&x, "pending.time_mean", n == 3 ? 1 : NAN);
		body_is(&x, "pending.max", n == 3 ? 1 : NAN);
		body_is(&x, "burst_share", n == 3 ? 1 : NAN);
		body_is(&x, "bursts_total", n == 3);
		body_is(&x, "memory", NAN);
		if (n == 3)
			row_is(row(&x, "bursts", 0), "transfers", 3);
		assert_string_equal(word(&x, "verdict"), "unknown");
		end(&x);
	}
}

static void groups(void **state)
{
	static const struct {
		const char *by;
		size_t top, n;
		const char *key[3];
		double bytes[3], mean[3];
	} want[] = {
		{"collective", 0, 2, {"ag", "ar"}, {5000, 3400}, {.375, .625}},
		{"collective",
		 1,
		 2,
		 {"ag", "rest"},
		 {5000, 3400},
		 {.375, .625}},
		{"host", 0, 2, {"a", "b"}, {8000, 400}, {.75, .25}},
		{"host,src", 1, 2, {"a", "rest"}, {5000, 3400}, {.375, .625}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		struct run x;

		make(&x, 2, NULL, few, COUNT(few));
		assert_int_equal(na_grouping_parse(want[i].by, &x.scope.by,
						   &x.h.err),
				 NA_OK);
		x.scope.top = want[i].top;
		analyse(&x, 1 + i % 3);
		assert_int_equal(rows_of(&x, "groups"), want[i].n);
		for (size_t k = 0; k < want[i].n; k++) {
			const struct na_value *g = row(&x, "groups", k);

			assert_string_equal(
				na_text_of(value_at(na_get(g, "key"), 0), ""),
				want[i].key[k]);
			row_is(g, "bytes", want[i].bytes[k]);
			row_is(g, "pending.time_mean", want[i].mean[k]);
		}
		end(&x);
	}
}

/* Every burst is known, the longest are listed, in order of time. */
static void longest_are_listed(void **state)
{
	enum { N = 50 };
	struct hand_row rows[N];
	struct run x;

	(void)state;
	for (int i = 0; i < N; i++)
		rows[i] = (struct hand_row){
			HAND_RX,     0,
			i * 10 * MS, i * 10 * MS + (1 + i % 7) * MS,
			8,           201,
			1,           .name = "ar"};
	make(&x, 1, NULL, rows, N);
	x.scope.top = 7;
	analyse(&x, 3);
	body_is(&x, "bursts_total", N);
	body_is(&x, "burst_distance_ms", 10);
	assert_int_equal(rows_of(&x, "bursts"), 7);
	for (size_t i = 0; i < 7; i++)
		row_is(row(&x, "bursts", i), "from_s",
		       (double)(6 + 7 * i) * 0.01);
	/* Ten starts or more, one every 10 ms. */
	body_is(&x, "burstiness", -1);
	assert_string_equal(word(&x, "verdict"), "regular");
	end(&x);
}

/* Ten steps of 100 ms, each with a burst of 20 at its start. */
static void verdicts(void **state)
{
	enum { STEPS = 10, EACH = 20 };
	struct hand_row rows[STEPS * (EACH + 1)];
	struct na_rng r;
	struct run x;
	size_t n = 0;

	(void)state;
	na_rng_seed(&r, 5);
	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * 100 * MS;

		rows[n++] = (struct hand_row){HAND_STEP, 0, at, at + 100 * MS,
					      .number = i};
		for (int k = 0; k < EACH; k++) {
			int64_t start =
				at +
				(int64_t)na_rng_below(&r, 10 * (uint64_t)MS);

			rows[n++] = (struct hand_row){HAND_RX, 0,
						      start,   start + 4 * MS,
						      8,       201,
						      1,       .name = "ar"};
		}
	}
	make(&x, 1, NULL, rows, n);
	analyse(&x, 11);
	assert_string_equal(word(&x, "verdict"), "step_bursts");
	body_is(&x, "step_period_ms", 100);
	assert_true(fabs(driven_real(&x.d, "burst_period_ms") - 100) < 5);
	assert_true(fabs(driven_real(&x.d, "burst_distance_ms") - 100) < 10);
	end(&x);
	/* The same without steps to compare with; then at random. */
	for (size_t i = 0; i < n; i++)
		rows[i].what = HAND_RX;
	make(&x, 1, NULL, rows, n);
	analyse(&x, 11);
	assert_string_equal(word(&x, "verdict"), "bursty");
	end(&x);
	for (size_t i = 0; i < n; i++) {
		rows[i].start_ps = (int64_t)na_rng_below(&r,
							 1000 * (uint64_t)MS);
		rows[i].end_ps = rows[i].start_ps + MS;
	}
	make(&x, 1, NULL, rows, n);
	analyse(&x, 11);
	assert_string_equal(word(&x, "verdict"), "steady");
	end(&x);
}

static void runs_apart(void **state)
{
	static const char *const labels[] = {"x", "y"};
	struct run x;

	(void)state;
	make(&x, 2, labels, few, COUNT(few));
	assert_int_equal(na_grouping_parse("label", &x.scope.by, &x.h.err),
			 NA_OK);
	analyse(&x, 2);
	assert_int_equal(rows_of(&x, "groups"), 2);
	/* Over the time of each run alone. */
	row_is(row(&x, "groups", 0), "pending.time_mean", 1.5);
	row_is(row(&x, "groups", 1), "pending.time_mean", 1);
	assert_string_equal(word(&x, "verdict"), "unknown");
	end(&x);
}

enum { MANY = 400 };

static void at_random(struct hand_row *rows, uint64_t seed)
{
	static const char *const names[] = {"ar", "ag", "rs"};
	struct na_rng r;

	na_rng_seed(&r, seed);
	for (size_t i = 0; i < MANY; i++) {
		int64_t at = (int64_t)na_rng_below(&r, 50 * (uint64_t)MS);
		int64_t length = (int64_t)na_rng_below(&r, (uint64_t)MS / 4);

		rows[i] = (struct hand_row){seed % 2 && i % 5 == 0 ? HAND_GRAPH
								   : HAND_RX,
					    (int)(i * 3 / MANY),
					    at - at % 1000,
					    at + (i % 9 ? length : 0),
					    na_rng_below(&r, 1 << 22),
					    101 + (int)na_rng_below(&r, 3),
					    1 + (int)na_rng_below(&r, 3),
					    .name = names[na_rng_below(&r, 3)]};
	}
}

/* Blocks of one record, of seven, or all in one: the same bytes. */
static void blocks_do_not_matter(void **state)
{
	static const size_t sizes[] = {1, 7, 64, 1000};
	static struct hand_row rows[MANY];

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		char *text[COUNT(sizes)];

		at_random(rows, seed);
		for (size_t k = 0; k < COUNT(sizes); k++) {
			struct run x;

			make(&x, 3, NULL, rows, MANY);
			if (seed > 2)
				x.h.filter.from_ps = 3 * MS + 7;
			if (seed > 1)
				assert_int_equal(na_grouping_parse(
							 "collective,host",
							 &x.scope.by, &x.h.err),
						 NA_OK);
			x.scope.top = 8;
			analyse(&x, sizes[k]);
			text[k] = driven_json(&x.d);
			end(&x);
		}
		for (size_t k = 1; k < COUNT(sizes); k++)
			assert_string_equal(text[0], text[k]);
		for (size_t k = 0; k < COUNT(sizes); k++)
			free(text[k]);
	}
}

/* The order of the records of a host does not matter, and none is lost. */
static void order_does_not_matter(void **state)
{
	static struct hand_row rows[MANY];
	char *text[2];
	struct na_rng r;

	(void)state;
	at_random(rows, 2);
	na_rng_seed(&r, 3);
	for (size_t k = 0; k < 2; k++) {
		double transfers = 0, bytes = 0, want = 0;
		struct run x;

		make(&x, 3, NULL, rows, MANY);
		x.params.gap_ps = 60 * MS;
		analyse(&x, 50);
		for (size_t i = 0; i < MANY; i++)
			want += (double)rows[i].size;
		for (size_t i = 0; i < rows_of(&x, "bursts"); i++) {
			const struct na_value *b = row(&x, "bursts", i);

			transfers += na_real_of(na_get(b, "transfers"), 0);
			bytes += na_real_of(na_get(b, "bytes"), 0);
		}
		is("transfers", transfers, MANY);
		is("bytes", bytes, want);
		text[k] = driven_json(&x.d);
		end(&x);
		for (size_t i = MANY; i > 1; i--) {
			size_t j = (size_t)na_rng_below(&r, i);
			struct hand_row swap = rows[j];

			if (rows[j].source != rows[i - 1].source)
				continue;
			rows[j] = rows[i - 1];
			rows[i - 1] = swap;
		}
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

static void the_ends_of_time(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, INT64_MIN + 5, INT64_MIN + 9, 1, 201, 1,
		  .name = "ar" },
		{ HAND_RX, 0, INT64_MIN + 7, INT64_MAX - 9, 1, 201, 1,
		  .name = "ar" },
		{ HAND_RX, 0, INT64_MAX - 9, INT64_MAX, 1, 201, 1,
		  .name = "ar" },
	};
	/* clang-format on */
	struct run x;
	char *text;

	(void)state;
	make(&x, 1, NULL, rows, 3);
	analyse(&x, 1);
	body_is(&x, "bursts_total", 1);
	body_is(&x, "pending.max", 2);
	text = driven_json(&x.d);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	free(text);
	end(&x);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(gaps),
		cmocka_unit_test(collectives_are_pending),
		cmocka_unit_test(clipped),
		cmocka_unit_test(of_no_length),
		cmocka_unit_test(groups),
		cmocka_unit_test(longest_are_listed),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(runs_apart),
		cmocka_unit_test(blocks_do_not_matter),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(the_ends_of_time),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
