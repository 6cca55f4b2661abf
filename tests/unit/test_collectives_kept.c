/* Sums of a row in 64 bits, and those that need more; members and how often
 * they execute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "netan/analyses/collectives/state.h"

static void push(struct coll_state *s)
{
	struct coll_kept *x = na_push(&s->kept);

	assert_non_null(x);
	x->type = NA_UNKNOWN_U32;
}

static void what_does_not_fit_lies_beside(void **state)
{
	struct coll_sums more = {.bytes = UINT64_MAX,
				 .time_ps = INT64_MAX,
				 .moved = {1, UINT64_MAX},
				 .executions = UINT32_MAX - 1,
				 .transfers = {7, 0},
				 .type = NA_UNKNOWN_U32},
			 sum;
	struct coll_state s = {.n_transfers = 0};

	(void)state;
	push(&s);
	push(&s);
	assert_true(na_collectives_keep(&s, 1, &more));
	assert_int_equal(s.wide.n, 0);
	sum = na_collectives_kept(&s, 1);
	assert_true(sum.bytes == more.bytes && sum.time_ps == INT64_MAX);
	more.type = 5;
	for (int i = 0; i < 2; i++)
		assert_true(na_collectives_keep(&s, 1, &more));
	assert_int_equal(s.wide.n, 1);
	sum = na_collectives_kept(&s, 1);
	assert_true(sum.bytes == (na_i128)UINT64_MAX * 3);
	assert_true(sum.time_ps == (na_i128)INT64_MAX * 3);
	assert_true(sum.moved[0] == 3 &&
		    sum.moved[1] == (na_i128)UINT64_MAX * 3);
	assert_true(sum.executions == (uint64_t)(UINT32_MAX - 1) * 3);
	assert_int_equal(sum.transfers[0], 21);
	assert_int_equal(sum.type, 5);
	assert_int_equal(na_collectives_kept(&s, 0).executions, 0);
	na_vec_free(&s.kept);
	na_vec_free(&s.wide);
}

static void members_are_found_again(void **state)
{
	struct coll_members m = {.n = 0};

	(void)state;
	for (uint32_t i = 0; i < 3000; i++) {
		struct coll_member *x =
			na_collectives_member(&m, i % 1000, i / 1000);

		assert_non_null(x);
		assert_true(na_collectives_executes(x, i));
	}
	assert_int_equal(m.n, 3000);
	assert_int_equal(na_collectives_member(&m, 17, 2)->executions, 2017);
	assert_int_equal(m.n, 3000);
	na_collectives_members_fit(&m); /* whoever asks all the same is told */
	assert_int_equal(na_collectives_member(&m, 18, 1)->executions, 1018);
	assert_int_equal(na_collectives_member(&m, 400, 0)->executions, 400);
	assert_int_equal(m.n, 3000);
	na_collectives_members_fini(&m);
}

static void more_than_it_can_count_is_refused(void **state)
{
	struct coll_member m = {.executions = 1};

	(void)state;
	assert_true(na_collectives_executes(&m, COLL_EXECUTIONS_MAX - 1));
	assert_false(na_collectives_executes(&m, 1));
	assert_int_equal(m.executions, COLL_EXECUTIONS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_lies_beside),
		cmocka_unit_test(members_are_found_again),
		cmocka_unit_test(more_than_it_can_count_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
