/*
 * rdma, driven through its descriptor on queue pairs made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/fake_rdma.h"

static const struct na_value *row(const struct fake_rdma *x, size_t k)
{
	const struct na_value *v = na_dig(na_result_body(x->d.r),
					  "queue_pairs");

	assert_non_null(v);
	v = v->u.of.first;
	while (v && k--)
		v = v->next;
	assert_non_null(v);
	return v;
}

static void says(const struct fake_rdma *x, size_t k, const char *verdict)
{
	assert_string_equal(na_text_of(na_get(row(x, k), "verdict"), "null"),
			    verdict);
}

/* One of each, in whatever order: the worst first. */
static void verdicts_in_order(void **state)
{
	struct na_queue_pair q[9];
	struct fake_rdma x;

	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		q[i] = fake_healthy(i);
	q[1].timeouts = q[1].repeats = q[1].needed = 1;
	q[1].silent_ns = q[1].longest_silent_ns = 67 * FAKE_MS_NS;
	q[2].repeats = 40;
	q[2].needed = 2;
	q[2].naks_sequence = 2;
	q[2].recovery_ns = FAKE_MS_NS;
	q[3].naks_rnr = 3;
	q[3].repeats = 3;
	q[3].rnr_ns = 2 * FAKE_MS_NS;
	q[4].cnps = 100;
	q[4].slowed_ns = 200 * FAKE_MS_NS;
	q[5].answers = 0;
	q[6].missing = 20;
	q[6].needed = q[6].repeats = 3;
	q[7].packets = 49;
	q[8].ce_marks = 60; /* and nobody answers marks */
	fake_begin(&x, q, 9);
	fake_analyse(&x, 2);
	assert_int_equal(x.d.status, NA_OK);
	says(&x, 0, "timeout");
	says(&x, 1, "receiver_not_ready");
	says(&x, 2, "loss");
	says(&x, 3, "congested");
	says(&x, 4, "congested");
	assert_int_equal(driven_real(&x.d, "totals.verdicts.cannot_tell"), 3);
	assert_int_equal(driven_real(&x.d, "totals.verdicts.healthy"), 1);
	assert_int_equal(driven_real(&x.d, "totals.needed_repeats"), 6);
	assert_int_equal(x.d.severity, NA_SEV_ERROR);
	assert_true(fabs(na_number_at(row(&x, 1), "lost_ms") - 2) < 1e-9);
	fake_end(&x);
}

/* Those that wait when the window ends, or the capture: behind the latter nobody
 * knows. */
static void wait_at_the_end(void **state)
{
	static const char *const said[] = {
		"an answer is due, and no packet follows for the last 30 "
		"ms: a timeout",
		"an answer is due, and no packet follows for the last 20 "
		"ms: a timeout, or an answer that takes longer"};
	struct na_queue_pair q[3];
	struct fake_rdma x;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		q[i] = fake_healthy(i);
	q[0].stalled_ns = 20 * FAKE_MS_NS;
	q[1].stalled_ns = 30 * FAKE_MS_NS;
	q[1].stall_resent = 1;
	q[2].packets = 49;
	fake_begin(&x, q, 3);
	fake_analyse(&x, 1);
	for (size_t k = 0; k < 2; k++) {
		const struct na_value *v = na_get(row(&x, k), "evidence");

		says(&x, k, "cannot_tell");
		assert_string_equal(na_text_of(v->u.of.first, ""), said[k]);
		assert_true(na_get(row(&x, k), "stalled_sent_again")->u.flag ==
			    !k);
	}
	assert_null(na_get(row(&x, 2), "stalled_sent_again"));
	assert_string_equal(na_text_at(na_result_body(x.d.r), "verdict"),
			    "3 queue pairs: 2 wait for an answer at the end, 1 "
			    "too little to tell");
	fake_end(&x);
}

/* A timeout that costs less than what was lost besides is not the verdict. */
static void costliest(void **state)
{
	struct na_queue_pair q = fake_healthy(0);
	struct fake_rdma x;

	(void)state;
	q.repeats = 50;
	q.needed = 9;
	q.timeouts = 1;
	q.silent_ns = FAKE_MS_NS;
	q.recovery_ns = 3 * FAKE_MS_NS;
	fake_begin(&x, &q, 1);
	fake_analyse(&x, 1);
	says(&x, 0, "loss");
	fake_end(&x);
	/* Some of it as often as the capture misses something. */
	q.recovery_ns = q.silent_ns = 0;
	q.timeouts = 0;
	q.missing = 10;
	fake_begin(&x, &q, 1);
	fake_analyse(&x, 1);
	says(&x, 0, "cannot_tell");
	fake_end(&x);
}

/* What host 10.0.0.3 sends is lost, and the others' is not. */
static void sides_of_hosts(void **state)
{
	struct na_queue_pair q[12];
	struct fake_rdma x;
	const struct na_value *v;

	(void)state;
	for (uint32_t i = 0; i < 12; i++) {
		q[i] = fake_healthy(i);
		q[i].src = i % 4;
		q[i].dst = (i + 1 + i / 4) % 4;
		q[i].needed = q[i].repeats = q[i].src == 3 ? 10 : 0;
		q[i].loss_events = q[i].needed;
	}
	fake_begin(&x, q, 12);
	fake_analyse(&x, 5);
	v = na_dig(na_result_body(x.d.r), "hosts");
	assert_non_null(v);
	assert_int_equal(v->n, 8);
	v = v->u.of.first;
	assert_string_equal(na_text_at(v, "host"), "10.0.0.3");
	assert_string_equal(na_text_at(v, "side"), "src");
	assert_int_equal(na_number_at(v, "needed_repeats"), 30);
	assert_int_equal(na_number_at(v, "packets"), 3000);
	assert_true(na_number_at(v, "p_value") < 1e-9);
	for (v = v->next; v; v = v->next)
		assert_true(na_number_at(v, "p_value") > 0.05);
	fake_end(&x);
}

static void notifications_in_time(void **state)
{
	struct na_queue_pair q = fake_healthy(7);
	struct fake_rdma x;
	const struct na_value *v;

	(void)state;
	q.cnps = 8;
	fake_begin(&x, &q, 1);
	fake_mark(&x, 7, NA_QP_CNP, 0, 3);
	fake_mark(&x, 7, NA_QP_CNP, 500, 5);
	fake_mark(&x, 7, NA_QP_DATA, 500, 900);
	fake_mark(&x, 6, NA_QP_CNP, 1, 99); /* another's */
	x.scope.segments = fake_segments;
	fake_analyse(&x, 1);
	v = na_get(row(&x, 0), "cnp_per_s");
	assert_int_equal(v->n, 2);
	/* In hundredths of its second. */
	assert_true(fabs(na_number_at(v->u.of.first, "rate") - 300) < 1e-3);
	v = v->u.of.first->next;
	assert_true(fabs(na_number_at(v, "time_s") - 0.5) < 1e-9);
	assert_true(fabs(na_number_at(v, "rate") - 500) < 1e-3);
	v = na_dig(na_result_body(x.d.r), "sequence.marks");
	assert_int_equal(v->n, 3);
	fake_end(&x);
}

/* Blocks of any size, the same bytes. */
static void blocks_do_not_matter(void **state)
{
	struct na_queue_pair q[20];
	char *first = NULL;

	(void)state;
	for (uint32_t i = 0; i < 20; i++) {
		q[i] = fake_healthy(i);
		q[i].repeats = q[i].needed = i % 3;
		q[i].recovery_ns = i % 5 * FAKE_MS_NS;
	}
	for (size_t block = 1; block < 25; block += 4) {
		struct fake_rdma x;
		char *json;

		fake_begin(&x, q, 20);
		fake_analyse(&x, block);
		json = driven_json(&x.d);
		if (first) {
			assert_string_equal(first, json);
			free(json);
		} else {
			first = json;
		}
		fake_end(&x);
	}
	free(first);
}

static void no_such_row(void **state)
{
	struct na_queue_pair q = fake_healthy(0);
	struct fake_rdma x;

	(void)state;
	fake_begin(&x, &q, 1);
	x.scope.segments = fake_segments;
	x.params.queue_pair = 2;
	fake_analyse(&x, 1);
	assert_int_equal(x.d.status, NA_EUSAGE);
	assert_non_null(strstr(x.h.err.text, "the table has 1 row"));
	fake_end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_in_order),
		cmocka_unit_test(wait_at_the_end),
		cmocka_unit_test(costliest),
		cmocka_unit_test(sides_of_hosts),
		cmocka_unit_test(notifications_in_time),
		cmocka_unit_test(blocks_do_not_matter),
		cmocka_unit_test(no_such_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
