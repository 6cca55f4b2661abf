/* Collectives against another implementation (tests/oracle/collectives.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_collectives;

#define US INT64_C(1000000)

enum { MOST = 256, NAME = 16, HOSTS = 4 };

struct run {
	struct hand h;
	struct na_scope scope;
	struct driven d;
	struct hand_row rows[MOST];
	char names[MOST][NAME];
	size_t n;
	size_t block;
};

/* A host tells of its slice. */
static void add_row(struct run *x, const char *line)
{
	struct hand_row *row = &x->rows[x->n];
	char *name = x->names[x->n++];
	long long start, end, bytes;
	bool graph = line[0] == 'g';
	int n;

	assert_true(x->n <= MOST);
	*row = (struct hand_row){.what = graph ? HAND_GRAPH : HAND_RX,
				 .name = name};
	n = graph ? sscanf(line, "g %15s %d %lld %lld %lld", name, &row->src,
			   &start, &end, &bytes)
		  : sscanf(line, "r %15s %d %d %lld %lld %lld", name, &row->src,
			   &row->dst, &start, &end, &bytes);
	assert_int_equal(n, graph ? 5 : 6);
	row->source = (graph ? row->src : row->dst) / 100;
	row->start_ps = start * US;
	row->end_ps = end * US;
	row->size = (uint64_t)bytes;
}

static void analyse(struct run *x)
{
	hand_init(&x->h, HOSTS, NULL);
	hand_fill(&x->h, x->rows, x->n, 5);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	hand_drive(&x->d, &na_an_collectives, &x->scope, NULL, x->block,
		   &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void compare(const struct run *x, const char *line)
{
	const struct na_value *v = na_dig(na_result_body(x->d.r),
					  "collectives");
	char name[NAME], member[32];
	double want, got = NAN;

	assert_int_equal(sscanf(line, "want %15s %31s %lf", name, member,
				&want),
			 3);
	for (v = na_items(v); v; v = v->next) {
		if (strcmp(na_text_of(na_get(v, "collective"), ""), name) == 0)
			got = na_real_of(na_get(v, member), NAN);
	}
	if (isnan(got) != isnan(want) || fabs(got - want) > 1e-12 * fabs(want))
		fail_msg("%s of %s is %.15g, not %.15g", member, name, got,
			 want);
}

static void as_numpy_says(void **state)
{
	FILE *f = fopen("tests/oracle/collectives.tsv", "r");
	struct run x = {.n = 0};
	size_t cases = 0;
	bool done = false;
	char line[128];

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == 'c') {
			x = (struct run){.block = 1 + 7 * cases++};
			done = false;
		} else if (line[0] == 'g' || line[0] == 'r') {
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
	assert_int_equal(cases, 4);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_numpy_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
