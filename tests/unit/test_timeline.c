/*
 * The timeline, driven through its descriptor on records made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/timeline/state.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_timeline;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       INT64_C(1000000000)

struct run {
	struct hand h;
	struct na_scope scope;
	struct timeline_params params;
	struct driven d;
};

static void begin(struct run *x, size_t sources)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, NULL);
	x->h.filter.clip = true;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->params.bin_ps = MS;
}

/* All of it, in blocks of `size` records. */
static void analyse(struct run *x, size_t size)
{
	hand_drive(&x->d, &na_an_timeline, &x->scope, &x->params, size,
		   &x->h.err);
}

static void end(struct run *x)
{
	na_result_free(x->d.r);
	hand_fini(&x->h);
}

static void make(struct run *x, size_t sources, const struct hand_row *rows,
		 size_t n)
{
	begin(x, sources);
	hand_fill(&x->h, rows, n, 7);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

static double real(const struct run *x, const char *path)
{
	return na_real_of(na_dig(na_result_body(x->d.r), path), NAN);
}

static void series(const struct run *x, const char *name, const double *want,
		   size_t n)
{
	size_t found;
	const double *got = na_reals_of(na_get(na_result_body(x->d.r), name),
					&found);

	if (found != n)
		fail_msg("%s: %zu bins", name, found);
	for (size_t i = 0; i < n; i++) {
		if (fabs(got[i] - want[i]) > 1e-9 * (1 + fabs(want[i])))
			fail_msg("%s[%zu] is %g, not %g", name, i, got[i],
				 want[i]);
	}
}

/* 1 ms of 1 Gbit/s are 125 000 bytes. */
/* clang-format off */
static const struct hand_row few[] = {
	{ HAND_RX, 0, 0, 2 * MS, 500000, 101, 1, .name = "ar" },
	{ HAND_RX, 0, MS, 2 * MS, 125000, 101, 1, .name = "ag" },
	{ HAND_RX, 0, 3 * MS, 3 * MS, 1000, 101, 1, .name = "ar",
	  .klass = NA_CLOCK_SKEW },
	{ HAND_TX, 1, MS / 2, 3 * MS / 2, 250000, 101, 1, .name = "ar" },
};
/* clang-format on */

static void by_hand(void **state)
{
	struct run x;

	(void)state;
	make(&x, 2, few, COUNT(few));
	analyse(&x, 100);
	assert_int_equal(x.d.status, NA_OK);
	series(&x, "time_s", (double[]){0, .001, .002, .003}, 4);
	series(&x, "rx_gbps", (double[]){2, 3, 0, 0.008}, 4);
	series(&x, "tx_gbps", (double[]){1, 1, 0, 0}, 4);
	series(&x, "rx_outstanding_bytes", (double[]){500000, 625000, 0, 0}, 4);
	series(&x, "tx_outstanding_bytes", (double[]){125000, 125000, 0, 0}, 4);
	series(&x, "pending", (double[]){1, 2, 0, 0}, 4);
	series(&x, "pending_max", (double[]){1, 2, 0, 0}, 4);
	assert_string_equal(
		na_text_of(na_get(na_result_body(x.d.r), "pending_of"), ""),
		"transfers");
	assert_true(real(&x, "rx_bytes") == 626000);
	assert_true(real(&x, "tx_bytes") == 250000);
	assert_true(real(&x, "instant_bytes") == 1000);
	assert_true(real(&x, "instants") == 1);
	assert_true(fabs(real(&x, "rx_peak_gbps") - 3) < 1e-12);
	/* Over the 3 ms from the first start to the last end. */
	assert_true(fabs(real(&x, "rx_mean_gbps") - 626e3 * 8 / 3e-3 / 1e9) <
		    1e-12);
	assert_true(isnan(real(&x, "capacity_gbps")));
	end(&x);
}

static void clipped(void **state)
{
	struct run x;

	(void)state;
	make(&x, 2, few, COUNT(few));
	x.h.filter.from_ps = MS / 2;
	x.h.filter.to_ps = 3 * MS / 2;
	x.params.bin_ps = MS / 2;
	analyse(&x, 100);
	series(&x, "time_s", (double[]){.0005, .001}, 2);
	series(&x, "rx_gbps", (double[]){2, 3}, 2);
	series(&x, "tx_gbps", (double[]){2, 2}, 2);
	assert_true(real(&x, "rx_bytes") == 312500);
	assert_true(real(&x, "tx_bytes") == 250000);
	assert_true(real(&x, "instants") == 0);
	end(&x);
}

static void graphs_are_pending(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 0, MS, 125000, 101, 1, .name = "ar" },
		{ HAND_GRAPH, 0, 0, 2 * MS, 5, 1, 0, .name = "ar" },
		{ HAND_GRAPH, 0, 2 * MS, 3 * MS, 5, 1, 0, .name = "ag" },
		{ HAND_GRAPH, 0, MS / 2, MS, 5, 1, 0, .name = "rs" },
		{ HAND_GRAPH, 0, MS, MS, 5, 1, 0, .name = "no length" },
	};
	/* clang-format on */
	struct run x;

	(void)state;
	make(&x, 1, rows, COUNT(rows));
	analyse(&x, 2);
	series(&x, "pending", (double[]){1.5, 1, 1}, 3);
	series(&x, "pending_max", (double[]){2, 1, 1}, 3);
	series(&x, "rx_gbps", (double[]){1, 0, 0}, 3);
	assert_string_equal(
		na_text_of(na_get(na_result_body(x.d.r), "pending_of"), ""),
		"collectives");
	end(&x);
}

static void empty(void **state)
{
	/* clang-format off */
	static const struct hand_row graph[] = {
		{ HAND_GRAPH, 0, 0, 2 * MS, 5, 1, 0, .name = "ar" },
	};
	/* clang-format on */
	struct run x;

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		make(&x, 1, graph, n);
		x.params.bin_ps = 0;
		analyse(&x, 5);
		assert_int_equal(x.d.status, NA_OK);
		series(&x, "rx_gbps", NULL, 0);
		series(&x, "pending_max", NULL, 0);
		assert_true(real(&x, "rx_bytes") == 0);
		assert_true(isnan(real(&x, "rx_mean_gbps")));
		assert_true(isnan(real(&x, "bin_s")));
		end(&x);
	}
}

static void groups(void **state)
{
	static const struct {
		const char *by;
		size_t top, n;
		const char *key[3];
		double bytes[3];
	} rows[] = {
		{"host", 0, 2, {"a", "b"}, {626000, 250000}},
		{"collective", 0, 2, {"ar", "ag"}, {751000, 125000}},
		{"collective", 1, 2, {"ar", "rest"}, {751000, 125000}},
		{"collective", 2, 2, {"ar", "ag"}, {751000, 125000}},
		{"src", 0, 1, {"s1d1"}, {876000}},
		{"host,collective",
		 2,
		 3,
		 {"a", "b", "rest"},
		 {501000, 250000, 125000}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct na_value *list;
		struct run x;

		make(&x, 2, few, COUNT(few));
		assert_int_equal(na_grouping_parse(rows[i].by, &x.scope.by,
						   &x.h.err),
				 NA_OK);
		x.scope.top = rows[i].top;
		analyse(&x, 1 + i % 3);
		list = na_get(na_result_body(x.d.r), "series");
		assert_int_equal(list->n, rows[i].n);
		for (size_t k = 0; k < rows[i].n; k++) {
			const struct na_value *g = value_at(list, k);
			const struct na_value *key = na_get(g, "key");

			assert_string_equal(na_text_of(value_at(key, 0), ""),
					    rows[i].key[k]);
			assert_true(
				na_real_of(na_get(g, "rx_bytes"), 0) +
					na_real_of(na_get(g, "tx_bytes"), 0) ==
				rows[i].bytes[k]);
		}
		end(&x);
	}
}

static void saturated(void **state)
{
	struct hand_row rows[3] = {
		{HAND_RX, 0, 2 * MS, 6 * MS, 500000, 101, 1, .name = "ar"},
		{HAND_RX, 0, 0, 10 * MS, 125000, 101, 1, .name = "ar"},
		{HAND_TX, 1, 0, 10 * MS, 125000, 101, 1, .name = "ar"},
	};
	const struct na_value *list;
	struct run x;

	(void)state;
	make(&x, 2, rows, 3);
	x.params.capacity = "1.2Gbps";
	analyse(&x, 2);
	list = na_get(na_result_body(x.d.r), "saturated");
	assert_int_equal(list->n, 1);
	assert_string_equal(na_text_of(na_get(value_at(list, 0), "host"), ""),
			    "a");
	assert_string_equal(na_text_of(na_get(value_at(list, 0), "side"), ""),
			    "rx");
	assert_true(fabs(na_real_of(na_get(value_at(list, 0), "from_s"), 0) -
			 .002) < 1e-12);
	assert_true(fabs(na_real_of(na_get(value_at(list, 0), "to_s"), 0) -
			 .006) < 1e-12);
	assert_true(fabs(na_real_of(na_get(value_at(list, 0), "mean_gbps"), 0) -
			 1.1) < 1e-9);
	end(&x);
	make(&x, 2, rows, 3);
	x.params.capacity = "fast";
	analyse(&x, 2);
	assert_int_equal(x.d.status, NA_EUSAGE);
	end(&x);
}

/* A link that is full with what is sent leads, and does not hide behind 0 %. */
static void what_is_full_leads(void **state)
{
	struct hand_row rows[3] = {
		{HAND_TX, 0, 2 * MS, 6 * MS, 500000, 101, 1, .name = "ar"},
		{HAND_TX, 0, 0, 10 * MS, 125000, 101, 1, .name = "ar"},
		{HAND_RX, 1, 0, 10 * MS, 125000, 101, 1, .name = "ar"},
	};
	struct run x;

	(void)state;
	for (int rx = 0; rx < 2; rx++) {
		for (int i = 0; rx && i < 3; i++)
			rows[i].what = rows[i].what == HAND_RX ? HAND_TX
							       : HAND_RX;
		make(&x, 2, rows, 3);
		x.params.capacity = "1.2Gbps";
		analyse(&x, 2);
		assert_non_null(strstr(
			na_result_get_word(x.d.r, NA_WORD_MESSAGE, ""),
			rx ? "Receive throughput" : "Send throughput"));
		end(&x);
	}
}

static void too_many_bins(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, INT64_MIN + 5, INT64_MIN + 9, 1, 101, 1,
		  .name = "ar" },
		{ HAND_RX, 0, INT64_MAX - 9, INT64_MAX - 5, 1, 101, 1,
		  .name = "ar" },
	};
	/* clang-format on */
	struct run x;

	(void)state;
	make(&x, 1, rows, 2);
	analyse(&x, 1);
	assert_int_equal(x.d.status, NA_EUSAGE);
	assert_non_null(strstr(x.h.err.text, "--bin"));
	end(&x);
	/* Left to choose, it finds a width for any span. */
	make(&x, 1, rows, 2);
	x.params.bin_ps = 0;
	analyse(&x, 1);
	assert_int_equal(x.d.status, NA_OK);
	assert_true(real(&x, "rx_bytes") == 2);
	end(&x);
}

/* Blocks of one record, of three, or all in one: the same bytes. */
static void blocks_do_not_matter(void **state)
{
	enum { N = 300 };
	static struct hand_row rows[N];
	static const char *const names[] = {"ar", "ag", "rs", "a2a", "cp"};
	char *text[4];
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 4);
	for (size_t i = 0; i < N; i++) {
		int64_t at = (int64_t)na_rng_below(&r, 50 * (uint64_t)MS);

		rows[i] = (struct hand_row){
			(enum hand_what)na_rng_below(&r, 3),
			(int)(i * 3 / N),
			at,
			at + (int64_t)na_rng_below(&r, 3 * (uint64_t)MS),
			na_rng_below(&r, 1 << 22),
			101 + (int)na_rng_below(&r, 3),
			1 + (int)na_rng_below(&r, 3),
			.name = names[na_rng_below(&r, 5)]};
		if (na_rng_below(&r, 9) == 0)
			rows[i].end_ps = rows[i].start_ps;
	}
	for (size_t k = 0; k < 4; k++) {
		static const size_t sizes[] = {1, 3, 64, 1000};
		struct run x;

		make(&x, 3, rows, N);
		x.params.capacity = "3Gbps";
		x.h.filter.from_ps = 2 * MS + 7;
		assert_int_equal(na_grouping_parse("collective,host",
						   &x.scope.by, &x.h.err),
				 NA_OK);
		x.scope.top = 6;
		analyse(&x, sizes[k]);
		assert_int_equal(x.d.status, NA_OK);
		text[k] = driven_json(&x.d);
		end(&x);
	}
	for (size_t k = 1; k < 4; k++)
		assert_string_equal(text[0], text[k]);
	for (size_t k = 0; k < 4; k++)
		free(text[k]);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(clipped),
		cmocka_unit_test(graphs_are_pending),
		cmocka_unit_test(empty),
		cmocka_unit_test(groups),
		cmocka_unit_test(saturated),
		cmocka_unit_test(what_is_full_leads),
		cmocka_unit_test(too_many_bins),
		cmocka_unit_test(blocks_do_not_matter),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
