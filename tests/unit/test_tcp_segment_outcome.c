/* What became of packets of a direction, by length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "members.h"
#include "netan/analyses/tcp/segment_outcome.h"
#include "netan/result/emit.h"

enum { LONG = 2000, LAST_PS = 1000000 };

static void sent(struct tcp_outcomes *f, int64_t at_ps, uint64_t seq,
		 uint32_t bytes, uint16_t marks)
{
	const struct na_segment x = {.time_ps = at_ps,
				     .seq = seq,
				     .size_bytes = bytes,
				     .marks = marks};

	na_tcp_outcomes_sent(f, &x, at_ps <= LAST_PS);
}

static void acked(struct tcp_outcomes *f, uint64_t ack, uint64_t from,
		  uint64_t to)
{
	const struct na_segment x = {.ack = ack,
				     .n_sack = to > 0,
				     .sack_from = from,
				     .sack_to = to};

	na_tcp_outcomes_acked(f, &x);
}

static void holds(struct tcp_outcomes *f, int64_t long_arrived,
		  int64_t long_lost, int64_t short_arrived, int64_t short_lost,
		  size_t rows)
{
	struct na_result *r = na_result_new();
	const struct na_value *x;

	na_tcp_outcomes_end(f);
	na_tcp_outcomes_put(r, na_result_body(r), f);
	x = na_get(na_result_get_body(r), M_fates);
	assert_int_equal(na_count_at(x, M_long_least), LONG);
	assert_int_equal(na_count_at(x, M_long_arrived), long_arrived);
	assert_int_equal(na_count_at(x, M_long_lost), long_lost);
	assert_int_equal(na_count_at(x, M_short_arrived), short_arrived);
	assert_int_equal(na_count_at(x, M_short_lost), short_lost);
	assert_int_equal(na_get(x, M_packets)->n, rows);
	na_result_free(r);
	na_tcp_outcomes_free(f);
}

static struct tcp_outcomes *fresh(void)
{
	struct tcp_outcomes *f = na_tcp_outcomes_new(LONG, 0, LAST_PS);

	assert_non_null(f);
	return f;
}

/* A long one dies, its halves arrive; a short one is told by a block. */
static void halves_arrive(void **state)
{
	struct tcp_outcomes *f = fresh();

	(void)state;
	sent(f, 0, 1, 2000, 0);
	sent(f, 10000, 2001, 1000, 0);
	acked(f, 1, 2001, 3001);
	sent(f, 20000, 1, 1000, NA_SEG_RETRANSMIT);
	sent(f, 30000, 1001, 1000, NA_SEG_RETRANSMIT);
	acked(f, 3001, 0, 0);
	holds(f, 0, 1, 3, 0, 4);
}

/* One half that arrived is not sent again: the card had cut it. */
static void a_half_arrived(void **state)
{
	struct tcp_outcomes *f = fresh();

	(void)state;
	sent(f, 0, 1, 2000, 0);
	sent(f, 20000, 1001, 1000, NA_SEG_RETRANSMIT);
	acked(f, 2001, 0, 0);
	holds(f, 1, 0, 1, 0, 2);
}

/* Sent again for nothing; and what nobody tells. */
static void in_vain_or_open(void **state)
{
	struct tcp_outcomes *f = fresh();

	(void)state;
	sent(f, 0, 1, 2000, 0);
	acked(f, 2001, 0, 0);
	sent(f, 10000, 1, 2000, NA_SEG_RETRANSMIT | NA_SEG_SPURIOUS);
	sent(f, 20000, 2001, 500, 0);
	holds(f, 1, 0, 0, 0, 3);
}

/* More than are kept; and what is not drawn. */
static void bounded(void **state)
{
	struct tcp_outcomes *f = fresh();

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		sent(f, (int64_t)(i * 20), 1 + 1000 * (i % 3), 1000, 0);
	holds(f, 0, 0, 0, 50001, 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_arrive),
		cmocka_unit_test(a_half_arrived),
		cmocka_unit_test(in_vain_or_open),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
