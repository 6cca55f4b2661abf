/*
 * The timeline of packets and calls, against sums made here.
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

#define MS INT64_C(1000000000)
enum { PACKETS = 2000, BINS = 50 };

static const char *const ips[] = {"10.0.0.1", "10.0.0.2", "fe80::3"};

struct run {
	struct hand h;
	struct hand_row rows[PACKETS + 2];
	struct na_scope scope;
	struct timeline_params params;
	struct driven d;
};

/* Packets between three addresses over 50 ms, one call among them, and a step
 * of a trace beside them. */
static struct run *make(void)
{
	struct run *x = calloc(1, sizeof(*x));
	struct na_rng rng;

	assert_non_null(x);
	na_rng_seed(&rng, 4);
	for (int i = 0; i < PACKETS; i++) {
		uint64_t at = na_rng_below(&rng, BINS * MS);

		x->rows[i] = (struct hand_row){
			.what = HAND_FRAME,
			.start_ps = i == 0 ? 0 : (int64_t)at,
			.size = 60 + na_rng_below(&rng, 1455),
			.src_ip = ips[na_rng_below(&rng, 3)],
			.dst_ip = ips[na_rng_below(&rng, 3)],
		};
	}
	x->rows[1].start_ps = BINS * MS - 1;
	x->rows[PACKETS] = (struct hand_row){
		.what = HAND_CALL,
		.start_ps = 2 * MS,
		.first_ps = 3 * MS,
		.end_ps = 6 * MS,
		.size = 1000,
		.response = 3000,
		.name = "/a/B",
		.src_ip = ips[0],
		.dst_ip = ips[1],
	};
	x->rows[PACKETS + 1] = (struct hand_row){
		.what = HAND_STEP,
		.start_ps = 10 * MS,
		.end_ps = 20 * MS,
		.number = 3,
	};
	hand_init(&x->h, 1, NULL);
	x->h.filter.clip = true;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->params.bin_ps = MS;
	return x;
}

static void near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.17g, not %.17g", got, want);
}

static void analyse(struct run *x, size_t block)
{
	hand_fill(&x->h, x->rows, PACKETS + 2, 100);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	hand_drive(&x->d, &na_an_timeline, &x->scope, &x->params, block,
		   &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
	free(x);
}

static const double *series(const struct run *x, const char *name)
{
	size_t n;
	const double *v = na_reals_of(na_get(na_result_body(x->d.r), name), &n);

	assert_int_equal(n, BINS);
	return v;
}

/* Bytes of each bin as from the rows, of those that `of` is the end of; NULL:
 * all. */
static void expect(const struct run *x, const char *name, const char *src,
		   const char *dst)
{
	const double *got = series(x, name);
	double want[BINS] = {0};

	for (int i = 0; i < PACKETS; i++) {
		const struct hand_row *w = &x->rows[i];

		if ((!src || strcmp(src, w->src_ip) == 0) &&
		    (!dst || strcmp(dst, w->dst_ip) == 0))
			want[w->start_ps / MS] += (double)w->size;
	}
	for (int k = 0; k < BINS; k++)
		near(got[k] * 1e9 * 1e-3 / 8, want[k], 1e-6);
}

static void every_byte_on_the_wire_in_its_bin(void **state)
{
	struct run *x = make();
	uint64_t all = 0;

	(void)state;
	analyse(x, 77);
	for (int i = 0; i < PACKETS; i++)
		all += x->rows[i].size;
	expect(x, "rx_gbps", NULL, NULL);
	expect(x, "tx_gbps", "", "");
	near(driven_real(&x->d, "rx_bytes"), (double)all, 0);
	near(driven_real(&x->d, "instant_bytes"), 0, 0);
	assert_int_equal(x->d.used, PACKETS);
	end(x);
}

static void calls_are_pending_and_outstanding(void **state)
{
	struct run *x = make();
	const double *pending, *most, *out;

	(void)state;
	analyse(x, 1000);
	pending = series(x, "pending");
	most = series(x, "pending_max");
	out = series(x, "rx_outstanding_bytes");
	for (int k = 0; k < BINS; k++) {
		bool on = k >= 2 && k < 6;

		near(pending[k], on, 1e-12);
		near(most[k], on, 1e-12);
		near(out[k], on ? 4000 : 0, 1e-9);
	}
	end(x);
}

static void a_host_receives_and_sends(void **state)
{
	static const char *host[] = {"10.0.0.2"};
	const struct na_text_list list = {.items = host, .n = 1};
	struct run *x = make();

	(void)state;
	x->h.filter.host = &list;
	x->h.filter.from_ps = 0;
	analyse(x, 300);
	expect(x, "rx_gbps", NULL, "10.0.0.2");
	expect(x, "tx_gbps", "10.0.0.2", NULL);
	end(x);
}

static void only_while_a_step_runs(void **state)
{
	struct run *x = make();
	uint64_t want = 0;

	(void)state;
	x->h.filter.first_step = x->h.filter.last_step = 3;
	analyse(x, 300);
	for (int i = 0; i < PACKETS; i++) {
		int64_t at = x->rows[i].start_ps;

		want += at >= 10 * MS && at < 20 * MS ? x->rows[i].size : 0;
	}
	near(driven_real(&x->d, "rx_bytes"), (double)want, 0);
	end(x);
}

static void groups_add_up(void **state)
{
	struct run *x = make();
	const struct na_value *row;
	double sum = 0;

	(void)state;
	x->scope.by = (struct na_grouping){{NA_KEY_DST}, 1};
	analyse(x, 300);
	row = na_get(na_result_body(x->d.r), "series")->u.of.first;
	for (; row; row = row->next) {
		const char *dst = na_text_of(na_dig(row, "key.dst"), "");
		double want = 0;

		for (int i = 0; i < PACKETS; i++)
			want += strcmp(dst, x->rows[i].dst_ip) == 0
					? (double)x->rows[i].size
					: 0;
		near(na_real_of(na_get(row, "rx_bytes"), -1), want, 0);
		sum += want;
	}
	near(driven_real(&x->d, "rx_bytes"), sum, 0);
	end(x);
}

static void a_full_link_is_saturated(void **state)
{
	struct run *x = make();
	const struct na_value *list;
	bool found[2] = {false, false};

	(void)state;
	/* 10 ms from 20 ms on, 1 Gbit/s from one address to another. */
	for (int i = 2; i < 1002; i++)
		x->rows[i] = (struct hand_row){
			.what = HAND_FRAME,
			.start_ps = 20 * MS + (i - 2) * (MS / 100),
			.size = 1250,
			.src_ip = "10.0.0.9",
			.dst_ip = "10.0.0.8",
		};
	x->params.capacity = "1Gbps";
	analyse(x, 300);
	list = na_get(na_result_body(x->d.r), "saturated");
	for (const struct na_value *v = list->u.of.first; v; v = v->next) {
		bool tx = strcmp(na_text_of(na_get(v, "side"), ""), "tx") == 0;

		assert_string_equal(na_text_of(na_get(v, "host"), ""),
				    tx ? "10.0.0.9" : "10.0.0.8");
		near(na_real_of(na_get(v, "from_s"), 0), 0.02, 1e-12);
		near(na_real_of(na_get(v, "to_s"), 0), 0.03, 1e-12);
		found[tx] = true;
	}
	assert_true(found[0] && found[1]);
	end(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_on_the_wire_in_its_bin),
		cmocka_unit_test(calls_are_pending_and_outstanding),
		cmocka_unit_test(a_host_receives_and_sends),
		cmocka_unit_test(only_while_a_step_runs),
		cmocka_unit_test(groups_add_up),
		cmocka_unit_test(a_full_link_is_saturated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
