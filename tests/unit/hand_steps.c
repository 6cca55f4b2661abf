#include "tests/unit/hand_steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/vec.h"

extern const struct na_analysis na_an_steps;

void steps_init(struct steps_run *x, size_t hosts, const char *const *labels)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, hosts, labels);
	x->h.filter.side = -1;
	x->h.filter.instants = true;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
}

void steps_add(struct steps_run *x, struct hand_row row)
{
	assert_true(na_grow(&x->rows, &x->cap, x->n + 1, sizeof(*x->rows)));
	x->rows[x->n++] = row;
}

void steps_wait(struct steps_run *x, int host, int number, int64_t start_us,
		int64_t compute_us, int64_t end_us)
{
	int64_t start = start_us * PS_US, end = end_us * PS_US;
	int64_t done = start + compute_us * PS_US;

	steps_add(x, (struct hand_row){HAND_STEP, host, start, end,
				       .number = number});
	steps_add(x, (struct hand_row){HAND_BUSY, host, start, done, .src = 0});
	if (done < end)
		steps_add(x, (struct hand_row){
				     HAND_OP, host, done, end,
				     .op_name = "all-reduce.1",
				     .op = {.opcode = NA_OPCODE_ALL_REDUCE,
					    .channel = -1,
					    .network = NA_NET_ICI}});
}

/* Rows of a host stand together, as in its file. */
static int by_source(const void *a, const void *b)
{
	const struct hand_row *x = a, *y = b;

	if (x->source != y->source)
		return x->source - y->source;
	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

void steps_ready(struct steps_run *x)
{
	qsort(x->rows, x->n, sizeof(*x->rows), by_source);
	hand_fill(&x->h, x->rows, x->n, 100000);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

void steps_analyse(struct steps_run *x, size_t block)
{
	hand_drive(&x->d, &na_an_steps, &x->scope, NULL, block, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

void steps_end(struct steps_run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
	free(x->rows);
}

const struct na_value *steps_row(const struct steps_run *x, const char *list,
				 size_t i)
{
	const struct na_value *v = na_get(na_result_body(x->d.r), list);

	v = na_items(v);
	while (v && i--)
		v = v->next;
	return v;
}
