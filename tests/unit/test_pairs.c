/*
 * pairs, driven through its descriptor on records made by hand: what is
 * counted, at which level, and that blocks and threads change nothing.  Who
 * is found is the localisation's own test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/pairs/state.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_pairs;

#define US INT64_C(1000000)

enum { TRANSFERS = 3000, HOSTS = 8 };

struct run {
	struct hand h;
	struct na_scope scope;
	struct pairs_params params;
	struct driven d;
};

static void begin(struct run *x, size_t sources, const char *const *labels)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, labels);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
}

static void analyse(struct run *x, size_t block)
{
	hand_drive(&x->d, &na_an_pairs, &x->scope, &x->params, block,
		   &x->h.err);
	if (x->d.status != NA_OK)
		fail_msg("%s", x->h.err.text);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static uint64_t draw(uint64_t *state, uint64_t n)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (*state >> 33) % n;
}

/* The transfers of tests/oracle/pairs.py: two devices on each host. */
static struct hand_row next(uint64_t *state, int64_t at_us)
{
	struct hand_row r = {.what = HAND_RX, .name = "all-reduce.1"};
	int src = (int)draw(state, 16), dst = (int)draw(state, 16);
	int64_t us;

	r.src = src / 2 * 100 + src % 2;
	r.dst = dst / 2 * 100 + dst % 2;
	r.source = dst / 2;
	r.size = UINT64_C(1) << (10 + draw(state, 12));
	us = 20 + (int64_t)draw(state, 5000);
	if (draw(state, 40) == 0) {
		r.klass = NA_CLOCK_SKEW;
		us = 0;
	}
	r.end_ps = at_us * US;
	r.start_ps = (at_us - us) * US;
	return r;
}

static void fill(struct run *x)
{
	static struct hand_row rows[TRANSFERS];
	uint64_t state = 1;

	for (size_t i = 0; i < TRANSFERS; i++)
		rows[i] = next(&state, 10000 + 7 * (int64_t)i);
	hand_fill(&x->h, rows, TRANSFERS, 11);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

static const struct na_value *list_of(const struct run *x, const char *name)
{
	const struct na_value *v = na_get(na_result_body(x->d.r), name);

	assert_non_null(v);
	assert_int_equal(v->kind, NA_V_LIST);
	return v;
}

static const char *text(const struct na_value *row, const char *name)
{
	return na_text_of(na_get(row, name), "");
}

static double real(const struct na_value *row, const char *name)
{
	return na_real_of(na_get(row, name), NAN);
}

static const struct na_value *find_pair(const struct run *x, const char *src,
					const char *dst)
{
	const struct na_value *v = na_items(list_of(x, "pairs"));

	while (v && (strcmp(text(v, "src"), src) != 0 ||
		     strcmp(text(v, "dst"), dst) != 0))
		v = v->next;
	return v;
}

static bool near(double got, double want)
{
	return want < 0 ? isnan(got) : fabs(got - want) <= 1e-12 * want;
}

/* Every row of the oracle is a pair, and every pair a row. */
static void check_oracle(const struct run *x, const char *level)
{
	FILE *f = fopen("tests/oracle/pairs.tsv", "r");
	char line[200], of[16], src[16], dst[16];
	size_t rows = 0;
	long n, clamped, bytes;
	double p50, p99;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const struct na_value *v;

		if (sscanf(line, "%15s %15s %15s %ld %ld %ld %lf %lf", of, src,
			   dst, &n, &clamped, &bytes, &p50, &p99) != 8 ||
		    strcmp(of, level) != 0)
			continue;
		rows++;
		v = find_pair(x, src, dst);
		assert_non_null(v);
		assert_int_equal(na_int_of(na_get(v, "count"), -1), n);
		assert_int_equal(na_int_of(na_get(v, "clock_skew"), -1),
				 clamped);
		assert_int_equal(na_int_of(na_get(v, "bytes"), -1), bytes);
		if (!near(real(v, "p50_us"), p50) ||
		    !near(real(v, "p99_us"), p99))
			fail_msg("%s%s", line, "has other quantiles");
	}
	fclose(f);
	assert_int_equal(list_of(x, "pairs")->n, rows);
	assert_true(rows > 50);
}

static void sums_and_quantiles(void **state)
{
	static const int levels[] = {PAIRS_DEVICE, PAIRS_HOST, PAIRS_AUTO};
	static const char *const names[] = {"device", "host", "host"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct run x;

		begin(&x, HOSTS, NULL);
		x.params.level = levels[i];
		fill(&x);
		analyse(&x, 100);
		check_oracle(&x, names[i]);
		assert_string_equal(text(na_result_body(x.d.r), "level"),
				    names[i]);
		end(&x);
	}
}

static void blocks_change_nothing(void **state)
{
	static const size_t sizes[] = {TRANSFERS, 1, 7, 500};
	char *want = NULL;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct run x;
		char *got;

		begin(&x, HOSTS, NULL);
		fill(&x);
		analyse(&x, sizes[i]);
		got = driven_json(&x.d);
		if (want)
			assert_string_equal(got, want);
		free(want);
		want = got;
		end(&x);
	}
	free(want);
}

/* Back to front, with other sources first: the same judgement. */
static bool backwards(void *ctx, size_t n, void (*job)(void *arg, size_t i),
		      void *arg)
{
	++*(size_t *)ctx;
	while (n-- > 0)
		job(arg, n);
	return true;
}

static void threads_change_nothing(void **state)
{
	struct run x, y;
	size_t calls = 0;
	char *a, *b;

	(void)state;
	begin(&x, HOSTS, NULL);
	fill(&x);
	analyse(&x, 100);
	a = driven_json(&x.d);
	end(&x);
	begin(&y, HOSTS, NULL);
	y.scope.parallel = backwards;
	y.scope.parallel_ctx = &calls;
	fill(&y);
	analyse(&y, 100);
	b = driven_json(&y.d);
	end(&y);
	assert_true(calls > 0);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

/* Of one file the devices are the ends; a source without a file is a host
 * of its own. */
static void hosts_without_files(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{HAND_RX, 0, 0, 100 * US, 1000, 100, 0, .name = "ar"},
		{HAND_RX, 0, 0, 300 * US, 1000, 100, 0, .name = "ar"},
		{HAND_RX, 0, 0, 200 * US, 1000, 201, 1, .name = "ar"},
		{HAND_RX, 0, 0, 50 * US, 1000, 0, 1, .name = "ar"},
	};
	/* clang-format on */
	const struct na_value *v;
	struct run x;

	(void)state;
	begin(&x, 1, NULL);
	hand_fill(&x.h, rows, 4, 2);
	hand_resolve(&x.h, NA_ANCHOR_AUTO);
	analyse(&x, 3);
	assert_string_equal(text(na_result_body(x.d.r), "level"), "device");
	assert_int_equal(list_of(&x, "pairs")->n, 3);
	v = find_pair(&x, "s1d0", "s0d0");
	assert_non_null(v);
	assert_string_equal(text(v, "src_host"), "s1d0");
	assert_string_equal(text(v, "dst_host"), "a");
	assert_true(real(v, "p50_us") == 200);
	/* Two devices of one host: listed, never judged. */
	v = find_pair(&x, "s0d0", "s0d1");
	assert_non_null(v);
	assert_true(isnan(real(v, "excess")));
	assert_true(isnan(real(v, "expected_us")));
	assert_int_equal(list_of(&x, "culprits")->n, 0);
	assert_non_null(
		strstr(text(na_result_body(x.d.r), "verdict"), "too few"));
	assert_int_equal(x.d.used, 4);
	assert_true(x.d.first_ps == 0 && x.d.last_ps == 300 * US);
	end(&x);
}

/* Clamped transfers alone: a pair without statistics. */
static void clamped_only(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{HAND_RX, 0, 9 * US, 9 * US, 1000, 100, 0, .name = "ar",
		 .klass = NA_CLOCK_SKEW},
		{HAND_RX, 1, 0, 8 * US, 1000, 0, 100, .name = "ar"},
	};
	/* clang-format on */
	const struct na_value *v;
	struct run x;

	(void)state;
	begin(&x, 2, NULL);
	hand_fill(&x.h, rows, 2, 2);
	hand_resolve(&x.h, NA_ANCHOR_AUTO);
	analyse(&x, 1);
	v = find_pair(&x, "b", "a");
	assert_non_null(v);
	assert_int_equal(na_int_of(na_get(v, "count"), -1), 0);
	assert_int_equal(na_int_of(na_get(v, "clock_skew"), -1), 1);
	assert_true(isnan(real(v, "p50_us")));
	assert_int_equal(x.d.used, 1);
	assert_true(x.d.last_ps == 8 * US);
	end(&x);
}

static void nothing_at_all(void **state)
{
	struct run x;

	(void)state;
	begin(&x, 2, NULL);
	hand_resolve(&x.h, NA_ANCHOR_AUTO);
	analyse(&x, 1);
	assert_int_equal(list_of(&x, "pairs")->n, 0);
	assert_int_equal(list_of(&x, "culprits")->n, 0);
	assert_int_equal(na_get(na_result_body(x.d.r), "verdict")->kind,
			 NA_V_NULL);
	assert_int_equal(x.d.severity, NA_SEV_NONE);
	assert_int_equal(x.d.used, 0);
	end(&x);
}

enum { LAPS = 40, FLEET = HOSTS * (HOSTS - 1) * LAPS };

/* All to all, two devices a host; five of six transfers are those of device
 * 0.  What leaves device `slow` (slice * 100 + device; 1: both) of host 3
 * takes five times as long. */
static void fill_fleet(struct run *x, int slow)
{
	static struct hand_row rows[FLEET];
	uint64_t state = 9;
	size_t n = 0;

	for (int lap = 0; lap < LAPS; lap++) {
		for (int k = 0; k < HOSTS * (HOSTS - 1); k++) {
			int src = k / (HOSTS - 1), dst = k % (HOSTS - 1);
			int device = draw(&state, 6) == 0;
			int64_t us = 200 + (int64_t)draw(&state, 60);
			int64_t at = 1000 * (int64_t)n + 100000;
			struct hand_row *r = &rows[n++];

			dst += dst >= src;
			if (src == 3 && (slow == 1 || slow == 300 + device))
				us *= 5;
			*r = (struct hand_row){
				.what = HAND_RX,
				.source = dst,
				.end_ps = at * US,
				.start_ps = (at - us) * US,
				.size = 65536,
				.src = src * 100 + device,
				.dst = dst * 100 + device,
				.name = lap % 2 ? "ar" : "ag",
			};
		}
	}
	hand_fill(&x->h, rows, FLEET, 50);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

/* On two clocks a clock that is fitted wrong moves half of the excess to the
 * other side: the host, or either side of it. */
static void one_device_or_all(void **state)
{
	static const struct {
		int slow, level;
		const char *kind, *endpoint, *outcome;
	} cases[] = {
		{300, PAIRS_HOST, "src", "s3d0", "guilty"},
		{1, PAIRS_HOST, "host", "", "one_of"},
		{1, PAIRS_DEVICE, "host", "", "one_of"},
		{300, PAIRS_DEVICE, "host", "s3d0", "one_of"},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct na_value *list;
		struct run x;

		begin(&x, HOSTS, NULL);
		x.params.level = cases[i].level;
		fill_fleet(&x, cases[i].slow);
		analyse(&x, 64);
		list = list_of(&x, "culprits");
		assert_int_equal(list->n, 1);
		list = na_items(list);
		assert_string_equal(text(list, "kind"), cases[i].kind);
		assert_string_equal(text(list, "host"), "d");
		assert_string_equal(text(list, "endpoint"), cases[i].endpoint);
		assert_in_range(real(list, "excess"), 2, 5);
		assert_string_equal(text(na_result_body(x.d.r), "outcome"),
				    cases[i].outcome);
		end(&x);
	}
}

/* Where every host sends to one other alone, and receivers time it, a slow path
 * could be either of its ends, or a clock that is off: nobody is named. */
static void a_ring_cannot_tell(void **state)
{
	static struct hand_row rows[HOSTS * LAPS];
	const struct na_value *list;
	uint64_t seed = 4;
	struct run x;

	(void)state;
	begin(&x, HOSTS, NULL);
	for (int i = 0; i < HOSTS * LAPS; i++) {
		int src = i % HOSTS, dst = (src + 1) % HOSTS;
		int64_t us = 200 + (int64_t)draw(&seed, 60);
		int64_t at = 1000 * i + 100000;

		if (src == 3)
			us *= 6;
		rows[i] = (struct hand_row){
			.what = HAND_RX,
			.source = dst,
			.end_ps = at * US,
			.start_ps = (at - us) * US,
			.size = 65536,
			.src = src * 100,
			.dst = dst * 100,
			.name = "ar",
		};
	}
	hand_fill(&x.h, rows, HOSTS * LAPS, 50);
	hand_resolve(&x.h, NA_ANCHOR_AUTO);
	analyse(&x, 64);
	list = list_of(&x, "culprits");
	assert_int_equal(list->n, 0);
	assert_string_equal(text(na_result_body(x.d.r), "outcome"),
			    "cannot_tell");
	end(&x);
}

/* Labelled runs stand side by side: pairs of one never meet the other. */
static void runs_apart(void **state)
{
	static const char *const labels[] = {"old", "old", "new", "new"};
	/* clang-format off */
	static const struct hand_row rows[] = {
		{HAND_RX, 0, 0, 100 * US, 1000, 100, 0, .name = "ar"},
		{HAND_RX, 1, 0, 110 * US, 1000, 0, 100, .name = "ar"},
		{HAND_RX, 2, 0, 900 * US, 1000, 100, 0, .name = "ar"},
		{HAND_RX, 3, 0, 910 * US, 1000, 0, 100, .name = "ar"},
	};
	/* clang-format on */
	struct run x;
	size_t n[2] = {0, 0};

	(void)state;
	begin(&x, 4, labels);
	hand_fill(&x.h, rows, 4, 1);
	hand_resolve(&x.h, NA_ANCHOR_AUTO);
	analyse(&x, 2);
	for (const struct na_value *v = na_items(list_of(&x, "pairs")); v;
	     v = v->next) {
		bool newer = strcmp(text(v, "label"), "new") == 0;

		n[newer]++;
		assert_int_equal(na_int_of(na_get(v, "count"), 0), 1);
		assert_true((real(v, "p50_us") > 500) == newer);
	}
	assert_int_equal(n[0], 2);
	assert_int_equal(n[1], 2);
	assert_non_null(
		strstr(text(na_result_body(x.d.r), "verdict"), ". new: "));
	end(&x);
}

static void groups_are_refused(void **state)
{
	struct run x;

	(void)state;
	begin(&x, 2, NULL);
	x.scope.by.keys[x.scope.by.n++] = NA_KEY_STEP;
	hand_resolve(&x.h, NA_ANCHOR_AUTO);
	hand_drive(&x.d, &na_an_pairs, &x.scope, &x.params, 1, &x.h.err);
	assert_int_equal(x.d.status, NA_EUSAGE);
	end(&x);
}

/* A block with one transfer of a pair, as if it stood for so many. */
static void count(void *state, uint32_t n)
{
	struct pairs_state block;
	struct na_transfer t = {
		.src = 0,
		.dst = 1,
		.collective = NA_UNKNOWN_U32,
		.step = NA_UNKNOWN_U32,
		.size_bytes = 1,
		.end_ps = US,
	};

	assert_int_equal(na_an_pairs.fork(&block, state, 0), NA_OK);
	assert_int_equal(na_an_pairs.add_transfer(&block, &t), NA_OK);
	assert_int_equal(block.sums.n, 1);
	block.sums.v[0].n = n;
	assert_int_equal(na_an_pairs.merge(state, &block, 0), NA_OK);
	na_an_pairs.fini(&block);
}

static enum na_status count_twice(uint32_t n, uint32_t more)
{
	struct pairs_state s = {.pass = 0};
	struct run x;
	enum na_status st;

	begin(&x, HOSTS, NULL);
	fill(&x);
	assert_int_equal(
		na_an_pairs.open(&s, &x.scope, &x.params, &x.h.err), NA_OK);
	count(&s, n);
	count(&s, more);
	st = na_an_pairs.turn(&s, 0, &x.h.err);
	if (st != NA_OK)
		assert_non_null(strstr(x.h.err.text, "4294967295 transfers"));
	na_an_pairs.fini(&s);
	end(&x);
	return st;
}

static void more_than_it_can_count(void **state)
{
	(void)state;
	assert_int_equal(count_twice(UINT32_MAX - 1, 1), NA_OK);
	assert_int_equal(count_twice(UINT32_MAX, 1), NA_EUSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_quantiles),
		cmocka_unit_test(blocks_change_nothing),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(hosts_without_files),
		cmocka_unit_test(clamped_only),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(one_device_or_all),
		cmocka_unit_test(a_ring_cannot_tell),
		cmocka_unit_test(runs_apart),
		cmocka_unit_test(groups_are_refused),
		cmocka_unit_test(more_than_it_can_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
