/*
 * Sizes, driven through the descriptor on records made by hand, against
 * values from another implementation (tests/oracle/sizes.tsv).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/sizes/state.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_sizes;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define US       INT64_C(1000000)
#define MS       (1000 * US)

struct run {
	struct hand h;
	struct na_scope scope;
	struct sizes_params params;
	struct na_result *r;
};

static void make(struct run *x, size_t sources, const char *const *labels,
		 const struct hand_row *rows, size_t n)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, labels);
	hand_fill(&x->h, rows, n, 7);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->params.small_bytes = 65536;
}

static void end(struct run *x)
{
	na_result_free(x->r);
	hand_fini(&x->h);
}

/* All of it, in blocks of `size` records. */
static void analyse(struct run *x, size_t size)
{
	struct driven d;

	hand_drive(&d, &na_an_sizes, &x->scope, &x->params, size, &x->h.err);
	assert_int_equal(d.status, NA_OK);
	assert_true(na_result_ok(d.r));
	x->r = d.r;
}

static const struct na_value *group(const struct run *x, size_t i)
{
	return value_at(na_get(na_result_body(x->r), "groups"), i);
}

/* One case of the oracle. */
enum { MOST = 1000 };

struct expected {
	char name[64];
	int64_t small_bytes;
	struct hand_row rows[MOST];
	size_t n;
	long wants; /* where the rest of the case is in the file */
};

static bool next_case(FILE *f, struct expected *c)
{
	char line[256];
	long at = ftell(f);

	c->n = 0;
	c->name[0] = '\0';
	while (fgets(line, sizeof(line), f)) {
		long long bytes, us;
		int src, dst;

		if (sscanf(line, "case\t%63s\t%lld", c->name, &bytes) == 2) {
			c->small_bytes = bytes;
		} else if (sscanf(line, "x\t%lld\t%lld\t%d\t%d", &bytes, &us,
				  &src, &dst) == 4) {
			assert_true(c->n < MOST);
			c->rows[c->n] = (struct hand_row){
				HAND_RX,         0,
				1 * MS,          1 * MS + us * US,
				(uint64_t)bytes, 100 + src,
				200 + dst,       .name = "ar"};
			c->n++;
		} else if (line[0] == 'w') {
			c->wants = at;
			return true;
		}
		at = ftell(f);
	}
	return false;
}

static void check_want(const struct run *x, const char *name, const char *want)
{
	const struct na_value *body = na_result_body(x->r);
	const struct na_value *v = na_get(group(x, 0), name);
	double got, value;

	if (strcmp(name, "fixed_us") == 0)
		v = na_get(body, name);
	if (!v)
		fail_msg("there is no %s", name);
	if (strcmp(name, "verdict") == 0) {
		assert_string_equal(na_text_of(v, "-"), want);
		assert_string_equal(na_text_of(na_get(body, name), "-"), want);
		return;
	}
	if (strcmp(want, "-") == 0) {
		assert_int_equal(v->kind, NA_V_NULL);
		return;
	}
	got = na_real_of(v, NAN);
	value = strtod(want, NULL);
	if (!(fabs(got - value) <= 1e-12 * fabs(value)))
		fail_msg("%s is %.17g, not %.17g", name, got, value);
}

static void check_case(const struct run *x, FILE *f)
{
	const struct na_value *bins = na_get(group(x, 0), "histogram");
	size_t n, row = 0, bin = 0;
	const int64_t *cells = na_rows_of(na_get(group(x, 0), "distinct"), &n);
	char line[256], name[64], want[64];

	while (fgets(line, sizeof(line), f) && line[0] != 'c') {
		double from, to, count, bytes;
		long long value, times;

		if (sscanf(line, "want\t%63s\t%63s", name, want) == 2) {
			check_want(x, name, want);
		} else if (sscanf(line, "distinct\t%lld\t%lld", &value,
				  &times) == 2) {
			assert_true(row < n);
			assert_int_equal(cells[2 * row], value);
			assert_int_equal(cells[2 * row + 1], times);
			row++;
		} else if (sscanf(line, "bin\t%lf\t%lf\t%lf\t%lf", &from, &to,
				  &count, &bytes) == 4) {
			const struct na_value *b = value_at(bins, bin++);

			assert_true(na_real_of(na_get(b, "from_bytes"), -1) ==
				    from);
			assert_true(na_real_of(na_get(b, "to_bytes"), -1) ==
				    to);
			assert_true(na_real_of(na_get(b, "count"), -1) ==
				    count);
			assert_true(na_real_of(na_get(b, "bytes"), -1) ==
				    bytes);
		}
	}
	assert_int_equal(row, n);
	assert_int_equal(bin, bins->n);
}

static FILE *open_oracle(void)
{
	const char *root = getenv("NETAN_ROOT");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/oracle/sizes.tsv",
		 root ? root : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

static void oracle(void **state)
{
	struct expected *c = calloc(1, sizeof(*c));
	FILE *f = open_oracle();
	size_t cases = 0;

	(void)state;
	assert_non_null(c);
	while (next_case(f, c)) {
		long next = c->wants;
		char line[256];

		for (size_t size = 1; size < 2000; size = size * 5 + 2) {
			struct run x;

			make(&x, 1, NULL, c->rows, c->n);
			x.params.small_bytes = c->small_bytes;
			analyse(&x, size);
			fseek(f, c->wants, SEEK_SET);
			check_case(&x, f);
			end(&x);
		}
		cases++;
		/* The next case begins with the line that ended this one. */
		fseek(f, next, SEEK_SET);
		while (fgets(line, sizeof(line), f) && line[0] != 'c')
			next = ftell(f);
		fseek(f, next, SEEK_SET);
	}
	assert_true(cases >= 10);
	fclose(f);
	free(c);
}

enum { N = 400 };

static void draw(struct hand_row rows[N])
{
	static const char *const names[] = {"ar", "ag", "rs", "a2a", "cp"};
	struct na_rng r;

	na_rng_seed(&r, 4);
	for (size_t i = 0; i < N; i++) {
		int64_t at = (int64_t)na_rng_below(&r, 50 * (uint64_t)MS);
		uint64_t size =
			na_rng_below(&r, UINT64_C(1) << na_rng_below(&r, 25));

		rows[i] = (struct hand_row){
			i % 5 ? HAND_RX : HAND_GRAPH,
			(int)(i * 3 / N),
			at,
			at + 1 + (int64_t)na_rng_below(&r, 3 * (uint64_t)MS),
			size,
			101 + (int)na_rng_below(&r, 3),
			1 + (int)na_rng_below(&r, 3),
			.name = names[na_rng_below(&r, COUNT(names))]};
	}
}

/* Blocks of one record, of three, or all in one: the same bytes. */
static void blocks_do_not_matter(void **state)
{
	static const char *const bys[] = {"", "collective", "pair,size",
					  "host,transfer_type"};
	static const size_t sizes[] = {1000, 1, 3, 50};
	struct hand_row rows[N];

	(void)state;
	draw(rows);
	for (size_t k = 0; k < COUNT(bys); k++) {
		char *first = NULL;

		for (size_t i = 0; i < COUNT(sizes); i++) {
			struct run x;
			char *text;

			make(&x, 3, NULL, rows, N);
			assert_int_equal(na_grouping_parse(bys[k], &x.scope.by,
							   &x.h.err),
					 NA_OK);
			x.scope.top = k == 2 ? 4 : 0;
			analyse(&x, sizes[i]);
			text = driven_json(&(struct driven){.r = x.r});
			if (first)
				assert_string_equal(text, first);
			else
				first = strdup(text);
			free(text);
			end(&x);
		}
		free(first);
	}
}

/* Sums of rows, of distinct sizes and of classes are those of the whole,
 * and the order of the input does not matter. */
static void conserved(void **state)
{
	static const char *const bys[] = {"", "collective", "src,dst", "size"};
	struct hand_row rows[N], back[N];

	(void)state;
	draw(rows);
	for (size_t i = 0; i < N; i++) {
		back[i] = rows[N - 1 - i];
		back[i].source = rows[i].source; /* inputs come in order */
	}
	for (size_t k = 0; k < 2 * COUNT(bys); k++) {
		const struct na_value *total, *list;
		double sums[6] = {0};
		struct run x;

		make(&x, 3, NULL, k % 2 ? back : rows, N);
		assert_int_equal(na_grouping_parse(bys[k / 2], &x.scope.by,
						   &x.h.err),
				 NA_OK);
		x.scope.top = k < 4 ? 0 : 2;
		analyse(&x, 17);
		total = na_get(na_result_body(x.r), "total");
		list = na_get(na_result_body(x.r), "groups");
		for (const struct na_value *g = list->u.of.first; g;
		     g = g->next) {
			size_t n;
			const int64_t *cell = na_rows_of(na_get(g, "distinct"),
							 &n);
			const struct na_value *bin =
				na_get(g, "histogram")->u.of.first;

			sums[0] += na_real_of(na_get(g, "count"), NAN);
			sums[1] += na_real_of(na_get(g, "bytes"), NAN);
			for (; n; n--, cell += 2) {
				sums[2] += (double)cell[1];
				sums[3] += (double)cell[0] * (double)cell[1];
			}
			for (; bin; bin = bin->next) {
				sums[4] += na_real_of(na_get(bin, "count"),
						      NAN);
				sums[5] += na_real_of(na_get(bin, "bytes"),
						      NAN);
			}
		}
		for (size_t i = 0; i < 6; i++)
			assert_true(sums[i] ==
				    na_real_of(na_get(total, i % 2 ? "bytes"
								   : "count"),
					       NAN));
		end(&x);
	}
}

static void executions_and_steps(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_STEP, 0, 0, 10 * MS, .number = 1 },
		{ HAND_STEP, 0, 10 * MS, 20 * MS, .number = 2 },
		{ HAND_RX, 0, MS, 2 * MS, 100, 101, 1, .name = "ar" },
		{ HAND_RX, 0, MS, 3 * MS, 100, 101, 1, .name = "ar" },
		{ HAND_RX, 0, 11 * MS, 12 * MS, 100, 101, 1, .name = "ag" },
		{ HAND_RX, 0, 21 * MS, 22 * MS, 100, 101, 1, .name = "ag" },
		{ HAND_GRAPH, 0, 0, 4 * MS, 5, 1, 0, .name = "ar" },
		{ HAND_GRAPH, 0, 0, 4 * MS, 5, 1, 0, .name = "idle" },
	};
	/* clang-format on */
	struct run x;

	(void)state;
	make(&x, 1, NULL, rows, COUNT(rows));
	analyse(&x, 3);
	assert_true(na_real_of(na_get(group(&x, 0), "executions"), 0) == 2);
	assert_true(na_real_of(na_get(group(&x, 0), "transfers_per_execution"),
			       0) == 2);
	assert_true(na_real_of(na_get(group(&x, 0), "transfers_per_step"), 0) ==
		    1.5);
	end(&x);
	make(&x, 1, NULL, rows, COUNT(rows));
	assert_int_equal(na_grouping_parse("collective", &x.scope.by, &x.h.err),
			 NA_OK);
	analyse(&x, 3);
	/* What runs without a transfer has no row. */
	assert_int_equal(na_get(na_result_body(x.r), "groups")->n, 2);
	assert_true(na_real_of(na_get(group(&x, 0), "transfers_per_execution"),
			       0) == 2);
	assert_int_equal(na_get(group(&x, 1), "transfers_per_execution")->kind,
			 NA_V_NULL);
	end(&x);
}

static void nothing(void **state)
{
	struct run x;

	(void)state;
	make(&x, 1, NULL, NULL, 0);
	analyse(&x, 3);
	assert_int_equal(na_get(na_result_body(x.r), "groups")->n, 1);
	assert_true(na_real_of(na_get(group(&x, 0), "count"), 1) == 0);
	assert_int_equal(na_get(group(&x, 0), "gini")->kind, NA_V_NULL);
	assert_int_equal(na_get(na_result_body(x.r), "verdict")->kind,
			 NA_V_NULL);
	end(&x);
}

/* Two packets of a hostile capture lie further apart than int64_t reaches. */
static void far_apart(void **state)
{
	struct hand_row rows[20];
	struct run x;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		rows[i] = (struct hand_row){.src = 1,
					    .dst = 2,
					    .size = 100,
					    .start_ps = INT64_MIN / 2 - 9,
					    .end_ps = INT64_MAX / 2 + 9};
	make(&x, 1, NULL, rows, 20);
	analyse(&x, 3);
	assert_true(na_real_of(na_get(group(&x, 0), "count"), 0) == 20);
	assert_true(na_real_of(na_get(group(&x, 0), "fixed_cost_share"), -1) >
		    0);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oracle),
		cmocka_unit_test(far_apart),
		cmocka_unit_test(blocks_do_not_matter),
		cmocka_unit_test(conserved),
		cmocka_unit_test(executions_and_steps),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
