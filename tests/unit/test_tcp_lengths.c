/*
 * Loss by length: a sender that waits for each ACK, on a wire that loses by
 * chance or by size.  Which of it the tracker's counts and the verdict tell.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "netan/analyses/tcp/state.h"
#include "netan/stats/tests/tests.h"
#include "tests/unit/hand_tcp.h"

enum { ISN = 1000, PEER = 5000, RTT_US = 10000, RTO_US = 250000, TRIES = 3 };

struct wire {
	struct hand_tcp h;
	uint64_t seed;
	uint32_t next, hi;
	double chance;             /* of loss */
	uint32_t most;             /* longer ones are lost; 0: none */
	uint32_t piece;            /* after TRIES in vain; 0: as they are */
	uint32_t sent[2], lost[2]; /* short, long */
	uint32_t again;
};

static double draw(struct wire *w)
{
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(w->seed >> 11) / 9007199254740992.0;
}

/* Did it arrive? */
static bool send_once(struct wire *w, uint32_t seq, uint32_t n)
{
	bool is_long = w->most && n > w->most;
	bool lost = is_long || draw(w) < w->chance;

	hand_data(&w->h, 100, 0, seq, PEER + 1, n);
	w->sent[is_long]++;
	if ((int32_t)(w->hi - seq) > 0)
		w->again++;
	else
		w->hi = seq + n;
	w->lost[is_long] += lost;
	if (!lost)
		hand_ack(&w->h, RTT_US, 1, PEER + 1, seq + n);
	return !lost;
}

static void send_all(struct wire *w, uint32_t n)
{
	uint32_t end = w->next + n, left = n;

	for (int i = 0; w->next != end; i++) {
		if (w->piece && i >= TRIES)
			left = end - w->next < w->piece ? end - w->next
							: w->piece;
		if (send_once(w, w->next, left))
			w->next += left;
		else
			w->h.now_us += RTO_US;
	}
}

/* `lengths`: drawn from, n of them; `count` writes. */
static struct tcp_row run(struct wire *w, const uint32_t *lengths, size_t n,
			  int count)
{
	struct tcp_row row = {.c = NULL};

	hand_start(&w->h, NULL);
	hand_shake(&w->h, ISN, PEER, RTT_US);
	w->next = w->hi = ISN + 1;
	for (int i = 0; i < count; i++)
		send_all(w, lengths[(size_t)(draw(w) * (double)n)]);
	hand_end(&w->h);
	row.c = &w->h.conn[0];
	na_tcp_judge(&row);
	return row;
}

static const uint32_t sizes[] = {60, 200, 700, 1100, 1400, 1448};

static void by_chance(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct wire w = {.seed = seed,
				 .chance = 0.02 * (double)(seed % 20)};
		struct tcp_row row = run(&w, sizes, 6, 150);

		assert_false(na_tcp_black_hole(&row, 0));
		hand_free(&w.h);
	}
}

/* One that never passes is found whatever the others lose by chance. */
static void by_size(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct wire w = {.seed = seed,
				 .chance = 0.01 * (double)(seed % 10),
				 .most = 1300,
				 .piece = 500};
		struct tcp_row row = run(&w, sizes, 6, 60);
		const struct na_direction *d = &row.c->dir[0];

		assert_true(na_tcp_black_hole(&row, 0));
		assert_false(na_tcp_black_hole(&row, 1));
		assert_int_equal(d->short_most, 1100);
		assert_int_equal(d->long_least, 1400);
		assert_int_equal(d->long_lost, d->long_sent);
		/* All from the first that was lost on, less than what was kept. */
		assert_true(d->long_sent >= w.sent[1] - 1 - d->long_sent / 10);
		assert_true(d->long_sent <= w.sent[1]);
		assert_true(d->short_sent <= w.sent[0]);
		assert_true(d->short_lost <= w.lost[0]);
		assert_int_equal(d->needed, w.again);
		assert_int_equal(d->needed + d->needless + d->open_again,
				 w.again);
		hand_free(&w.h);
	}
}

/* There is nothing to compare, however much is lost. */
static void of_one_length(void **state)
{
	static const uint32_t one[] = {1448};
	struct wire w = {.seed = 7, .chance = 0.6};
	struct tcp_row row = run(&w, one, 1, 100);

	(void)state;
	assert_int_equal(row.c->dir[0].length_cuts, 0);
	assert_true(row.c->dir[0].needed > 50);
	assert_false(na_tcp_black_hole(&row, 0));
	hand_free(&w.h);
}

/* Long ones arrived, then the path was gone for a while, and the sender went
 * on with small ones, as it does where it looks for the MTU. */
static void of_a_pause(void **state)
{
	struct wire w = {.seed = 3};

	(void)state;
	hand_start(&w.h, NULL);
	hand_shake(&w.h, ISN, PEER, RTT_US);
	w.next = w.hi = ISN + 1;
	for (int i = 0; i < 20; i++)
		send_all(&w, 1448);
	w.most = 1000;
	w.piece = 500;
	for (int i = 0; i < 5; i++)
		send_all(&w, 1448);
	for (int i = 0; i < 100; i++)
		send_all(&w, 500);
	hand_end(&w.h);
	assert_int_equal(w.h.conn[0].dir[0].needed, w.again);
	assert_false(
		na_tcp_black_hole(&(struct tcp_row){.c = &w.h.conn[0]}, 0));
	hand_free(&w.h);
}

/* More lengths than are told apart, and more packets than are kept. */
static void of_many(void **state)
{
	static uint32_t many[400];
	struct wire w = {.seed = 11, .most = 9000, .piece = 800};
	struct tcp_row row;

	(void)state;
	for (uint32_t i = 0; i < 400; i++)
		many[i] = 100 + 30 * i;
	row = run(&w, many, 400, 800);
	assert_true(na_tcp_black_hole(&row, 0));
	assert_true(row.c->dir[0].short_most <= 9000);
	assert_true(row.c->dir[0].long_least > 9000);
	hand_free(&w.h);
}

static double choose(int n, int k)
{
	double x = 1;

	for (int i = 1; i <= k; i++)
		x = x * (n - k + i) / i;
	return k < 0 || k > n ? 0 : x;
}

/* Against the sum over all draws. */
static void fisher(void **state)
{
	(void)state;
	for (int all = 1; all <= 24; all++)
		for (int n = 0; n <= all; n++)
			for (int m = 0; m <= all; m++)
				for (int k = 0; k <= n && k <= m; k++) {
					double sum = 0, p;

					for (int x = k; x <= n && x <= m; x++)
						sum += choose(m, x) *
						       choose(all - m, n - x) /
						       choose(all, n);
					p = na_fisher_upper((uint64_t)k,
							    (uint64_t)n,
							    (uint64_t)m,
							    (uint64_t)all);
					if (k * all <= n * m)
						sum = 1;
					assert_true(fabs(p - sum) <=
						    1e-9 * sum);
				}
	assert_true(na_fisher_upper(UINT32_MAX, UINT32_MAX, UINT32_MAX,
				    2 * (uint64_t)UINT32_MAX) == 0);
	assert_true(na_fisher_upper(5, 3, 9, 20) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_chance),     cmocka_unit_test(by_size),
		cmocka_unit_test(of_one_length), cmocka_unit_test(of_a_pause),
		cmocka_unit_test(of_many),       cmocka_unit_test(fisher),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
