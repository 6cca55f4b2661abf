/*
 * Clocks of hosts, against offsets that the test plants: what is estimated
 * never is further from the truth than it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/analyses/analysis.h"
#include "netan/base/units.h"
#include "netan/methods/clocks/host_clocks.h"
#include "tests/unit/hand_store.h"

#define US NA_PS_PER_US

enum { MOST_ROWS = 512, ROUNDS = 400 };

struct net { /* hosts of one device each; host h holds device h * 100 */
	struct hand h;
	struct hand_row rows[MOST_ROWS];
	size_t n;
	struct na_host_clocks clocks;
};

static void add_row(struct net *x, struct hand_row r)
{
	assert_true(x->n < MOST_ROWS);
	x->rows[x->n++] = r;
}

/* A transfer that truly takes `ps`, as the clocks of its ends show it. */
static void send(struct net *x, int src, int dst, int64_t ps,
		 const int64_t *ahead_ps)
{
	int64_t seen = (ps + ahead_ps[dst] - ahead_ps[src]) / US * US;
	bool clamped = seen <= 0;
	struct hand_row r = {.what = HAND_RX,
			     .source = dst,
			     .end_ps = 1000000 * US,
			     .src = src * 100,
			     .dst = dst * 100,
			     .size = 1000,
			     .name = "a.1"};

	r.start_ps = r.end_ps - (clamped ? 0 : seen);
	if (clamped)
		r.klass = NA_CLOCK_SKEW;
	add_row(x, r);
}

static void settle(struct net *x, size_t hosts)
{
	hand_init(&x->h, hosts, NULL);
	x->h.filter.instants = true;
	x->h.filter.include_loopback = true;
	hand_fill(&x->h, x->rows, x->n, 7);
	hand_resolve(&x->h, NA_ANCHOR_END);
	x->clocks = (struct na_host_clocks){.store = &x->h.store};
	assert_non_null(
		na_host_clocks_of(&(struct na_scope){.store = &x->h.store},
				  NULL, &x->clocks));
}

static void end(struct net *x)
{
	na_host_clocks_fini(&x->clocks);
	hand_fini(&x->h);
	free(x);
}

static struct net *begin(void)
{
	struct net *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	return x;
}

/* Host h against the first of its group. */
static void assert_holds(const struct net *x, uint32_t h,
			 const int64_t *ahead_ps)
{
	const struct na_host_clocks *c = &x->clocks;
	int64_t truth = ahead_ps[h] - ahead_ps[c->group[h]];

	assert_true(c->group[h] <= h);
	if (c->uncertainty_ps[h] < NA_TIME_MAX)
		assert_true(llabs(c->ahead_ps[h] - truth) <=
			    c->uncertainty_ps[h]);
}

static void planted_offset(void **state)
{
	static const int64_t ahead[] = {0, 30 * US, -20 * US};
	struct net *x = begin();

	(void)state;
	for (int i = 0; i < 5; i++) {
		send(x, 0, 1, (50 + 7 * i) * US, ahead);
		send(x, 1, 0, (90 - 10 * i) * US, ahead);
		send(x, 0, 2, 60 * US, ahead);
		send(x, 2, 0, 60 * US, ahead);
	}
	settle(x, 3);
	/* 80 us there, 20 us back, each up to 1 us more. */
	assert_int_equal(x->clocks.ahead_ps[1], 30 * US);
	assert_int_equal(x->clocks.uncertainty_ps[1], 51 * US);
	assert_int_equal(x->clocks.ahead_ps[2], -20 * US);
	assert_int_equal(x->clocks.uncertainty_ps[0], 0);
	assert_int_equal(x->clocks.group[2], 0);
	assert_int_equal(na_host_clocks_time(&x->clocks, 1, 100 * US), 70 * US);
	assert_int_equal(na_host_clocks_between(&x->clocks, 1, 2), 112 * US);
	assert_int_equal(na_host_clocks_between(&x->clocks, 1, 1), 0);
	end(x);
}

/* 0 and 3 exchange nothing: bounds add up along 0, 1, 2, 3, and the ring's
 * other way is not there. */
static void chain(void **state)
{
	static const int64_t ahead[] = {0, 5 * US, -8 * US, 3 * US};
	struct net *x = begin();

	(void)state;
	for (int h = 0; h < 3; h++) {
		send(x, h, h + 1, 20 * US, ahead);
		send(x, h + 1, h, 20 * US, ahead);
	}
	settle(x, 4);
	assert_int_equal(x->clocks.ahead_ps[3], 3 * US);
	assert_int_equal(x->clocks.uncertainty_ps[3], 63 * US);
	end(x);
}

/* Around a ring of one direction, every host is bounded both ways. */
static void ring(void **state)
{
	static const int64_t ahead[] = {0, 5 * US, -8 * US};
	struct net *x = begin();

	(void)state;
	for (int h = 0; h < 3; h++)
		send(x, h, (h + 1) % 3, 20 * US, ahead);
	settle(x, 3);
	for (uint32_t h = 0; h < 3; h++) {
		assert_int_equal(x->clocks.group[h], 0);
		assert_holds(x, h, ahead);
	}
	end(x);
}

/* Two hosts are bounded by what is between them: by host 0, 1 and 2 would be
 * known to 41 us alone, and their difference be 20 us off. */
static void pairs_of_hosts(void **state)
{
	static const int64_t ahead[] = {0, 5 * US, -8 * US};
	struct net *x = begin();
	int64_t known;

	(void)state;
	for (int h = 0; h < 3; h++) {
		send(x, h, (h + 1) % 3, 20 * US, ahead);
		send(x, (h + 1) % 3, h, 20 * US + (h == 1 ? 2 : 200) * US,
		     ahead);
	}
	settle(x, 3);
	assert_int_equal(na_host_clocks_ahead(&x->clocks, 1, 2, &known),
			 14 * US);
	assert_int_equal(known, 22 * US);
	assert_int_equal(na_host_clocks_ahead(&x->clocks, 2, 1, &known),
			 -14 * US);
	assert_true(na_host_clocks_between(&x->clocks, 1, 2) > 22 * US);
	assert_int_equal(na_host_clocks_ahead(&x->clocks, 2, 2, &known), 0);
	assert_int_equal(known, 0);
	assert_int_equal(na_host_clocks_ahead(&x->clocks, 2, 9, &known), 0);
	assert_true(known == NA_TIME_MAX);
	end(x);
}

/* 2 only sends; 3 and 4 are a group of their own. */
static void groups(void **state)
{
	static const int64_t ahead[] = {0, US, 2 * US, 0, 7 * US};
	struct net *x = begin();

	(void)state;
	send(x, 0, 1, 20 * US, ahead);
	send(x, 1, 0, 20 * US, ahead);
	send(x, 2, 1, 20 * US, ahead);
	send(x, 2, 3, 20 * US, ahead);
	send(x, 3, 4, 20 * US, ahead);
	send(x, 4, 3, 20 * US, ahead);
	settle(x, 5);
	assert_int_equal(x->clocks.group[1], 0);
	assert_int_equal(x->clocks.group[2], 2);
	assert_int_equal(x->clocks.group[3], 3);
	assert_int_equal(x->clocks.group[4], 3);
	assert_true(x->clocks.uncertainty_ps[2] == NA_TIME_MAX);
	assert_int_equal(x->clocks.ahead_ps[4], 7 * US);
	assert_true(na_host_clocks_between(&x->clocks, 0, 4) == NA_TIME_MAX);
	assert_true(na_host_clocks_between(&x->clocks, 0, 2) == NA_TIME_MAX);
	end(x);
}

/* The send of a transfer that ends there at `at` on a true clock; its
 * receive with the latency that the clocks show. */
static void send_both(struct net *x, int src, int dst, int64_t at, int64_t ps,
		      int launch, const int64_t *ahead_ps)
{
	struct hand_row tx = {.what = HAND_TX,
			      .source = src,
			      .src = src * 100,
			      .dst = dst * 100,
			      .size = 1000,
			      .name = "a.1",
			      .launch = launch + 1,
			      .iteration = 1};

	tx.start_ps = at - ps + ahead_ps[src];
	tx.end_ps = at + 5 * US + ahead_ps[src];
	send(x, src, dst, ps, ahead_ps);
	x->rows[x->n - 1].launch = launch + 1;
	x->rows[x->n - 1].iteration = 1;
	x->rows[x->n - 1].end_ps += at + ahead_ps[dst] - 1000000 * US;
	x->rows[x->n - 1].start_ps += at + ahead_ps[dst] - 1000000 * US;
	add_row(x, tx);
}

/* A clock 5 ms behind: nothing that it receives takes longer than 0; but
 * what was sent, and what received, is known. */
static void zeros(void **state)
{
	static const int64_t ahead[] = {0, -5000 * US};
	struct net *x = begin();

	(void)state;
	send(x, 0, 1, 100 * US, ahead);
	send(x, 1, 0, 100 * US, ahead);
	settle(x, 2);
	assert_holds(x, 1, ahead);
	assert_true(x->clocks.uncertainty_ps[1] > 2000 * US);
	end(x);
	x = begin();
	for (int i = 0; i < 100; i++) {
		send_both(x, 0, 1, 1000 * i * US, (100 + i) * US, i, ahead);
		send_both(x, 1, 0, 1000 * i * US, (101 + i) * US, i, ahead);
	}
	settle(x, 2);
	assert_holds(x, 1, ahead);
	assert_true(x->clocks.uncertainty_ps[1] <= 135 * US);
	end(x);
}

/* The same name twice tells nothing; a clock that was set is known as well
 * as latencies say. */
static void doubtful(void **state)
{
	static const int64_t before[] = {0, 10 * US}, set[] = {0, 90000 * US};
	struct net *x = begin();

	(void)state;
	for (int i = 0; i < 4; i++) {
		send_both(x, 0, 1, 1000 * i * US, 100 * US, 1, before);
		send_both(x, 1, 0, 1000 * i * US, 100 * US, 1, before);
	}
	settle(x, 2);
	assert_int_equal(x->clocks.ahead_ps[1], 10 * US);
	assert_int_equal(x->clocks.uncertainty_ps[1], 101 * US);
	end(x);
	x = begin();
	send_both(x, 0, 1, 1000 * US, 100 * US, 1, before);
	send_both(x, 1, 0, 1000 * US, 100 * US, 1, before);
	send_both(x, 1, 0, 9000 * US, 100 * US, 2, set);
	settle(x, 2);
	assert_true(x->clocks.uncertainty_ps[1] <= 101 * US);
	end(x);
}

/* Sends alone, loopback, transfers inside a host and packets tell no clock. */
static void passed_over(void **state)
{
	static const struct hand_row rows[] = {
		{.what = HAND_TX,
		 .source = 0,
		 .start_ps = 0,
		 .end_ps = US,
		 .src = 0,
		 .dst = 100,
		 .size = 1,
		 .name = "a.1"},
		{.what = HAND_RX,
		 .source = 1,
		 .start_ps = 0,
		 .end_ps = US,
		 .src = 100,
		 .dst = 100,
		 .size = 1,
		 .name = "a.1",
		 .klass = NA_LOOPBACK},
		{.what = HAND_RX,
		 .source = 1,
		 .start_ps = 0,
		 .end_ps = US,
		 .src = 100,
		 .dst = 101,
		 .size = 1,
		 .name = "a.1"},
		{.what = HAND_RX,
		 .source = 1,
		 .start_ps = 0,
		 .end_ps = US,
		 .src = 101,
		 .dst = 100,
		 .size = 1,
		 .name = "a.1"},
		{.what = HAND_RX,
		 .source = 1,
		 .start_ps = US,
		 .end_ps = US,
		 .src = 0,
		 .dst = 100,
		 .size = 1,
		 .name = "a.1",
		 .klass = NA_NO_LATENCY},
		{.what = HAND_RX,
		 .source = 1,
		 .start_ps = 0,
		 .end_ps = US,
		 .src = 0,
		 .dst = 100,
		 .size = 1,
		 .name = "a.1",
		 .style = NA_STYLE_CAPTURE},
	};
	struct net *x = begin();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add_row(x, rows[i]);
	settle(x, 2);
	assert_int_equal(x->clocks.pairs.n, 1);
	assert_int_equal(x->clocks.group[1], 1);
	assert_true(x->clocks.uncertainty_ps[1] == NA_TIME_MAX);
	end(x);
}

/* Old messages, of which the event is the end, and 0 is clamped, too. */
static void old_messages(void **state)
{
	static const int64_t ahead[] = {0, 15 * US};
	struct net *x = begin();

	(void)state;
	send(x, 0, 1, 40 * US, ahead);
	send(x, 1, 0, 40 * US, ahead);
	for (size_t i = 0; i < x->n; i++)
		x->rows[i].style = NA_STYLE_MESSAGE;
	settle(x, 2);
	assert_int_equal(x->clocks.ahead_ps[1], 15 * US);
	assert_int_equal(x->clocks.uncertainty_ps[1], 41 * US);
	end(x);
}

static void merged(void **state)
{
	static const int64_t ahead[] = {0, 4 * US};
	struct net *x = begin();
	struct na_host_clocks sum;

	(void)state;
	send(x, 0, 1, 30 * US, ahead);
	send(x, 1, 0, 30 * US, ahead);
	settle(x, 2);
	sum = (struct na_host_clocks){.store = &x->h.store};
	assert_true(na_host_clocks_merge(&sum, &x->clocks));
	assert_true(na_host_clocks_merge(&sum, &x->clocks));
	assert_true(na_host_clocks_settle(&sum));
	assert_int_equal(sum.ahead_ps[1], 4 * US);
	assert_int_equal(sum.uncertainty_ps[1], x->clocks.uncertainty_ps[1]);
	na_host_clocks_fini(&sum);
	end(x);
}

static int64_t draw(uint64_t *state, int64_t n)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (int64_t)((*state >> 33) % (uint64_t)n);
}

/* Random networks: some pairs one way only, some clocks far off. */
static void never_wrong(void **state)
{
	uint64_t seed = 7;
	size_t known = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		int hosts = 2 + (int)draw(&seed, 7);
		int64_t ahead[HAND_SOURCES];
		struct net *x = begin();

		for (int h = 0; h < hosts; h++)
			ahead[h] = draw(&seed, 400 * US) - 200 * US;
		for (int i = 0; i < hosts * 6; i++) {
			int src = (int)draw(&seed, hosts);
			int dst = (int)draw(&seed, hosts);

			if (src != dst && draw(&seed, 2))
				send(x, src, dst, 1 + draw(&seed, 300 * US),
				     ahead);
			else if (src != dst)
				send_both(x, src, dst, draw(&seed, 9000 * US),
					  1 + draw(&seed, 300 * US),
					  (int)draw(&seed, 9), ahead);
		}
		settle(x, (size_t)hosts);
		for (uint32_t h = 0; h < (uint32_t)hosts; h++) {
			assert_holds(x, h, ahead);
			known += x->clocks.uncertainty_ps[h] < NA_TIME_MAX;
		}
		end(x);
	}
	assert_true(known > ROUNDS);
}

/* Both ways equally fast: known better than the fastest transfer, and the
 * microsecond that is cut off. */
static void symmetric(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		int64_t ahead[2] = {0, draw(&seed, 80 * US) - 40 * US};
		int64_t least = 41 * US + draw(&seed, 100 * US);
		struct net *x = begin();

		for (int i = 0; i < 5; i++) {
			int64_t ps = least + (i ? draw(&seed, 500 * US) : 0);

			send(x, 0, 1, ps, ahead);
			send(x, 1, 0, ps, ahead);
		}
		settle(x, 2);
		assert_holds(x, 1, ahead);
		assert_true(x->clocks.uncertainty_ps[1] <= least + US);
		end(x);
	}
}

/* Once for all who look at every transfer; by itself for who does not. */
static void shared(void **state)
{
	static const int64_t ahead[] = {0, 30 * US};
	struct net *x = begin();
	struct na_shared_clocks all;
	struct na_scope scope = {.store = &x->h.store, .clocks = &all};
	struct na_host_clocks own = {.store = &x->h.store};
	struct na_bound_filter bound;
	const struct na_host_clocks *c;

	(void)state;
	send(x, 0, 1, 50 * US, ahead);
	send(x, 1, 0, 90 * US, ahead);
	settle(x, 2);
	na_shared_clocks_init(&all);
	x->h.filter.side = -1;
	assert_true(na_filter_bind(&bound, &x->h.filter, &x->h.store));
	c = na_host_clocks_of(&scope, &bound, &own);
	assert_ptr_equal(c, &all.clocks);
	assert_int_equal(c->ahead_ps[1], x->clocks.ahead_ps[1]);
	assert_int_equal(c->uncertainty_ps[1], x->clocks.uncertainty_ps[1]);
	assert_ptr_equal(na_host_clocks_of(&scope, NULL, &own), c);
	assert_null(own.group);
	na_filter_unbind(&bound);
	x->h.filter.from_ps = 2000000 * US;
	assert_true(na_filter_bind(&bound, &x->h.filter, &x->h.store));
	c = na_host_clocks_of(&scope, &bound, &own);
	assert_ptr_equal(c, &own);
	assert_int_equal(c->uncertainty_ps[1], NA_TIME_MAX);
	na_host_clocks_fini(&own);
	scope.clocks = NULL;
	assert_ptr_equal(na_host_clocks_of(&scope, NULL, &own), &own);
	assert_int_equal(own.ahead_ps[1], x->clocks.ahead_ps[1]);
	na_host_clocks_fini(&own);
	na_filter_unbind(&bound);
	na_shared_clocks_fini(&all);
	end(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_offset),
		cmocka_unit_test(chain),
		cmocka_unit_test(ring),
		cmocka_unit_test(pairs_of_hosts),
		cmocka_unit_test(groups),
		cmocka_unit_test(zeros),
		cmocka_unit_test(doubtful),
		cmocka_unit_test(passed_over),
		cmocka_unit_test(old_messages),
		cmocka_unit_test(merged),
		cmocka_unit_test(never_wrong),
		cmocka_unit_test(symmetric),
		cmocka_unit_test(shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
