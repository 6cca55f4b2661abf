/*
 * The timeline against another implementation that looks at every microsecond
 * (tests/oracle/timeline.py).
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
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_timeline;

#define US INT64_C(1000000)

enum { MOST = 256, LINE = 1 << 16 };

struct run {
	struct hand h;
	struct na_scope scope;
	struct timeline_params params;
	struct driven d;
	struct hand_row rows[MOST];
	size_t n;
	size_t block;
};

static void add_row(struct run *x, const char *line)
{
	struct hand_row *row = &x->rows[x->n++];
	long long start, end, bytes;
	char side[3];

	assert_true(x->n <= MOST);
	*row = (struct hand_row){.name = "ar"};
	assert_int_equal(sscanf(line, "t %2s %lld %lld %lld %d %d", side,
				&start, &end, &bytes, &row->src, &row->dst),
			 6);
	row->what = strcmp(side, "rx") == 0 ? HAND_RX : HAND_TX;
	row->start_ps = start * US;
	row->end_ps = end * US;
	row->size = (uint64_t)bytes;
}

static void analyse(struct run *x)
{
	hand_init(&x->h, 1, NULL);
	x->h.filter.clip = true;
	x->h.filter.side = -1;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	hand_fill(&x->h, x->rows, x->n, 5);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	hand_drive(&x->d, &na_an_timeline, &x->scope, &x->params, x->block,
		   &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void compare(const struct run *x, char *line)
{
	const char *name = strtok(line + strlen("want"), "\t\n"), *cell;
	const struct na_value *v = na_get(na_result_body(x->d.r), name);
	double one = na_real_of(v, NAN);
	size_t n = 1, i = 0;
	const double *got = &one;

	if (v && v->kind != NA_V_REAL && v->kind != NA_V_INT)
		got = na_reals_of(v, &n);
	for (; (cell = strtok(NULL, "\t\n")); i++) {
		double want = strtod(cell, NULL);

		if (i >= n || !(fabs(got[i] - want) <= 1e-8 * fabs(want)))
			fail_msg("%s[%zu] of %zu is %.12g, not %.12g", name, i,
				 n, i < n ? got[i] : (double)NAN, want);
	}
	assert_int_equal(i, n);
}

static void every_microsecond(void **state)
{
	FILE *f = fopen("tests/oracle/timeline.tsv", "r");
	char *line = malloc(LINE);
	struct run x = {.n = 0};
	size_t cases = 0;
	bool done = false;

	(void)state;
	assert_non_null(f);
	assert_non_null(line);
	while (fgets(line, LINE, f)) {
		if (strncmp(line, "case", 4) == 0) {
			x = (struct run){.block = 1 + 7 * cases++};
			x.params.bin_ps = strtoll(line + 4, NULL, 10) * US;
			done = false;
		} else if (line[0] == 't') {
			add_row(&x, line);
		} else if (line[0] == 'w') {
			if (!done)
				analyse(&x);
			done = true;
			compare(&x, line);
		} else {
			driven_end(&x.d);
			hand_fini(&x.h);
		}
	}
	assert_int_equal(cases, 6);
	free(line);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_microsecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
