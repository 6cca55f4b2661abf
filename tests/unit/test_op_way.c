/* Executions that are one on several devices: in step, what needs no sorting is
 * the same as what is sorted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/methods/matches/impl.h"
#include "netan/synth/rng.h"

enum { CORES = 5, MOST = 12, ROUNDS = 4000 };

struct made {
	struct na_core cores[CORES];
	struct na_store store;
	struct na_scope scope;
	struct na_op_match match;
};

static void init(struct made *m)
{
	*m = (struct made){.store.devices.cores = m->cores,
			   .store.devices.n_cores = CORES,
			   .scope.store = &m->store,
			   .match.scope = &m->scope};
	for (uint32_t i = 0; i < CORES; i++)
		m->cores[i].input = i / 2;
}

/* The same again, where nothing may be taken as being in step. */
static void copy(struct na_op_pieces *to, const struct na_op_pieces *from)
{
	*to = (struct na_op_pieces){.longest = SIZE_MAX / 16};
	assert_true(na_append(to, from->v, from->n));
	assert_true(na_append(&to->from, from->from.v, from->from.n));
}

static void fini(struct na_op_pieces *p)
{
	na_vec_free(p);
	na_vec_free(&p->from);
	na_vec_free(&p->row);
}

/* Executions 100 apart, `tangle` in 16 of them unlike the others: another run,
 * a while later, long, or not there. */
static void make(struct na_op_pieces *p, struct na_rng *rng, uint64_t tangle)
{
	*p = (struct na_op_pieces){.longest = 0};
	for (uint32_t core = 0; core < CORES; core++) {
		int64_t n = na_rng_below(rng, 4) ? MOST : MOST - 1;
		uint32_t in_all = 0;

		for (int64_t i = 0; i < n; i++) {
			int odd = na_rng_below(rng, 16) < tangle
					  ? (int)na_rng_below(rng, 4)
					  : -1;
			struct na_op_piece x = {
				.start_ps = 100 * i +
					    (int64_t)na_rng_below(rng, 20) +
					    (odd == 1 ? 60 : 0),
				.number = i / 3 + (odd == 0),
				.core = core,
				.in_run = (uint32_t)(i % 3),
				.in_all = in_all,
			};

			x.end_ps = x.start_ps + 40 + (odd == 2 ? 90 : 0);
			if (odd == 3)
				continue;
			if (!in_all++)
				assert_true(na_add(&p->from, p->n));
			assert_true(na_add(p, x));
			if (in_all > p->longest)
				p->longest = in_all;
		}
	}
	assert_true(na_room(&p->row, p->from.n));
}

/* Whether it was in step. */
static bool compare(const struct made *m, struct na_op_pieces *p)
{
	struct na_op_pieces q;
	enum na_op_way way, sorted;
	const struct na_op_piece *x, *y;
	size_t at = 0, then = 0, n = 0, k = 0;

	copy(&q, p);
	way = na_op_way_of(&m->match, p);
	sorted = na_op_way_of(&m->match, &q);
	assert_int_equal(way == NA_OP_IN_STEP ? NA_OP_BY_RUN : way, sorted);
	do {
		x = na_op_next(p, way, &at, &n);
		y = na_op_next(&q, sorted, &then, &k);
		assert_int_equal(x != NULL, y != NULL);
		if (x)
			assert_int_equal(n, k);
		for (size_t i = 0; x && i < n; i++)
			assert_memory_equal(&x[i], &y[i], sizeof(*x));
	} while (x);
	fini(&q);
	return way == NA_OP_IN_STEP;
}

static void in_step_is_as_sorted(void **state)
{
	struct na_rng rng;
	struct made m;
	size_t in_step = 0;

	(void)state;
	init(&m);
	na_rng_seed(&rng, 17);
	for (int i = 0; i < ROUNDS; i++) {
		struct na_op_pieces p;

		make(&p, &rng, i % 4 ? 1 : 0);
		in_step += compare(&m, &p);
		fini(&p);
	}
	/* All of the even ones; few of the others. */
	assert_in_range(in_step, ROUNDS / 4, ROUNDS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_step_is_as_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
