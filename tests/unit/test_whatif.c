/*
 * What steps would take without a culprit's excess, of jobs of three hosts,
 * which send to both others, wait for both, send once more to both, and wait
 * again.  What is right is the same job computed anew without the excess.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/state.h"
#include "netan/methods/whatif/whatif.h"
#include "tests/unit/hand_store.h"

#define US INT64_C(1000000)

enum { HOSTS = 3, STEPS = 6, PHASES = 2, ROWS = 512, TOOK_US = 100 };

struct times { /* us */
	int64_t launch[STEPS][HOSTS], end[STEPS][HOSTS];
	int64_t sent[STEPS][PHASES][HOSTS];
};

struct job {
	struct hand h;
	struct na_scope scope;
	struct hand_row rows[ROWS];
	size_t n;
	int slow_us[STEPS]; /* what host 0 takes longer to send */
	int late_us;        /* host 2 computes so much longer */
	int late_step;      /* in this one alone; 0: in all */
	int also_us;        /* host 1 computes so much longer */
	int ack_us;         /* a send keeps its host so much longer */
	int thinks_us;      /* from the first phase to the second */
	int parts;          /* of a message; 0: one */
	int ahead_us;       /* host 1's clock */
	bool one_by_one;    /* a host sends to one peer, then to the other */
	bool no_ops;
	int launch_late_us; /* its launch is told so much too late */
	struct times t;
};

static int64_t took_us(const struct job *j, int src, int step)
{
	return TOOK_US * (j->one_by_one ? 3 : 1) +
	       (src == 0 ? j->slow_us[step] : 0);
}

static int64_t sent_us(const struct job *j, int src, int dst, int step,
		       int phase)
{
	bool second = j->one_by_one && dst != (src + 1) % HOSTS;

	return j->t.sent[step][phase][src] +
	       (second ? took_us(j, src, step) + j->ack_us : 0);
}

/* When host has all of a phase. */
static int64_t taken_us(const struct job *j, int host, int step, int phase)
{
	int64_t last = j->t.launch[step][host] + 2;

	for (int peer = 0; peer < HOSTS; peer++) {
		int64_t at = took_us(j, peer, step);

		if (peer == host)
			continue;
		at += sent_us(j, peer, host, step, phase);
		last = at > last ? at : last;
	}
	return last;
}

/* And has sent all of it, where that keeps it. */
static int64_t done_us(const struct job *j, int host, int step, int phase)
{
	int64_t own = sent_us(j, host, host, step, phase) +
		      took_us(j, host, step) + j->ack_us;
	int64_t all = taken_us(j, host, step, phase);

	return j->one_by_one && own > all ? own : all;
}

static int64_t late_us(const struct job *j, int host, int step)
{
	bool is = host == 2 && (!j->late_step || step == j->late_step);

	return host == 1 ? j->also_us : is ? j->late_us : 0;
}

static void simulate(struct job *j)
{
	for (int step = 0; step < STEPS; step++) {
		for (int h = 0; h < HOSTS; h++)
			j->t.launch[step][h] = j->t.sent[step][0][h] =
				(step ? j->t.end[step - 1][h] : 1000) + 500 +
				late_us(j, h, step);
		for (int h = 0; h < HOSTS; h++)
			j->t.sent[step][1][h] =
				done_us(j, h, step, 0) + j->thinks_us;
		for (int h = 0; h < HOSTS; h++)
			j->t.end[step][h] = done_us(j, h, step, 1) + 10;
	}
}

/* When a step ends, in the mean of its hosts. */
static double end_us(const struct times *t, int step)
{
	double sum = 0;

	for (int h = 0; h < HOSTS; h++)
		sum += (double)t->end[step][h];
	return sum / HOSTS;
}

static struct hand_row *push(struct job *j, enum hand_what what, int host,
			     int64_t from_us, int64_t to_us)
{
	struct hand_row *r = &j->rows[j->n++];
	int64_t ahead = host == 1 ? j->ahead_us : 0;

	assert_true(j->n <= ROWS);
	*r = (struct hand_row){.what = what,
			       .source = host,
			       .start_ps = (from_us + ahead) * US,
			       .end_ps = (to_us + ahead) * US,
			       .action_ps = NA_UNKNOWN_PS};
	return r;
}

static void push_op(struct job *j, int host, enum na_op_phase phase,
		    int64_t from_us, int64_t to_us)
{
	struct hand_row *r = push(j, HAND_OP, host, from_us, to_us);

	r->name = "all-reduce.1";
	r->op_name = phase == NA_OP_DONE ? "recv-done.1" : "recv.1";
	r->op.opcode = NA_OPCODE_RECV;
	r->op.phase = (uint8_t)phase;
	r->op.network = NA_NET_DCN;
}

/* Arrives before its receiver launches, who has posted it nevertheless. */
static bool is_early(const struct job *j, int dst, int step, int phase)
{
	return j->parts && step == j->late_step && dst == 2 && phase == 0;
}

static void push_part(struct job *j, bool sends, int src, int dst, int step,
		      int phase, int part)
{
	int64_t from = sent_us(j, src, dst, step, phase);
	int64_t took = took_us(j, src, step);
	bool early = is_early(j, dst, step, phase);
	int64_t posted = j->t.launch[step][dst], arrived = from + took;
	int64_t taken = early || arrived > posted ? arrived : posted + 2;
	struct hand_row *r = sends ? push(j, HAND_TX, src, from,
					  from + took + j->ack_us)
				   : push(j, HAND_RX, dst, taken - took, taken);

	/* Of host 1's early ones none tells, of host 0's the first does not. */
	if (!sends && !(early && (src == 1 || part == 0)))
		r->action_ps = (taken - posted) * US;
	r->name = "all-reduce.1";
	r->style = NA_STYLE_GRAPH;
	r->size = 4096 + (uint64_t)part;
	r->src = src * 100;
	r->dst = dst * 100;
	r->launch = step + 1;
}

static void push_transfer(struct job *j, bool sends, int src, int dst, int step,
			  int phase)
{
	for (int part = 0; part < (j->parts ? j->parts : 1); part++)
		push_part(j, sends, src, dst, step, phase, part);
}

static void push_step(struct job *j, int host, int step)
{
	int64_t at = j->t.launch[step][host], end = j->t.end[step][host];

	for (int i = 0; i < PHASES * HOSTS; i++) {
		int peer = i % HOSTS, phase = i / HOSTS;

		if (peer == host)
			continue;
		push_transfer(j, true, host, peer, step, phase);
		push_transfer(j, false, peer, host, step, phase);
	}
	push(j, HAND_STEP, host, at - 450, end + 5)->number = step;
	if (j->no_ops)
		return;
	push_op(j, host, NA_OP_START, at - 1 + j->launch_late_us,
		at + j->launch_late_us);
	push_op(j, host, NA_OP_DONE, at + 1 + j->launch_late_us, end);
}

/* na_whatif_free() and hand_fini() in any case. */
static struct na_whatif *make(struct job *j)
{
	struct na_whatif *w;
	struct na_err err;

	simulate(j);
	hand_init(&j->h, HOSTS, NULL);
	for (int host = 0; host < HOSTS; host++)
		for (int step = 0; step < STEPS; step++)
			push_step(j, host, step);
	hand_fill(&j->h, j->rows, j->n, ROWS);
	assert_int_equal(na_store_resolve(&j->h.store, NA_ANCHOR_AUTO, true,
					  &j->h.err),
			 NA_OK);
	j->scope.store = &j->h.store;
	assert_int_equal(na_whatif_make(&j->scope, 0, true, &w, &err), NA_OK);
	return w;
}

static struct na_whatif_cost ask(struct job *j, const struct na_whatif_ask *of)
{
	struct na_whatif *w = make(j);
	struct na_whatif_cost out;

	assert_true(na_whatif_cost(w, of, &out));
	na_whatif_free(w);
	hand_fini(&j->h);
	return out;
}

static const bool nobody[HOSTS + 8];

static struct na_whatif_cost cost(struct job *j, bool in_spells)
{
	static const bool first[HOSTS + 8] = {true};
	static const bool all[HOSTS + 8] = {true, true, true};

	return ask(j, &(struct na_whatif_ask){.from = first,
					      .to = all,
					      .in_spells = in_spells});
}

/* Of host 2's own work in steps [from, STEPS). */
static struct na_whatif_cost own_cost(struct job *j, int from, int excess_us,
				      bool at_first)
{
	struct na_whatif_own own[STEPS];
	size_t n = 0;

	for (int i = from; i < STEPS; i++)
		own[n++] = (struct na_whatif_own){i, excess_us * US};
	return ask(j, &(struct na_whatif_ask){.from = nobody,
					      .to = nobody,
					      .own = own,
					      .n_own = n,
					      .host = 2,
					      .at_first = at_first});
}

static void near_ms(double got, double want)
{
	if (!(fabs(got - want) < 1e-6))
		print_error("%.9g, not %.9g ms\n", got, want);
	assert_true(fabs(got - want) < 1e-6);
}

static void slow_always(struct job *j)
{
	for (int i = 0; i < STEPS; i++)
		j->slow_us[i] = 300;
}

/* By the job without it; the median of six steps. */
static struct na_whatif_cost right(const struct job *j)
{
	struct job without = {.late_us = j->late_us,
			      .one_by_one = j->one_by_one};
	double ms[STEPS], before = 0, sum = 0;

	simulate(&without);
	for (int i = 0; i < STEPS; i++) {
		double saved = (end_us(&j->t, i) - end_us(&without.t, i)) /
			       1e3;

		ms[i] = saved - before;
		sum += ms[i];
		before = saved;
	}
	qsort(ms, STEPS, sizeof(*ms), na_order_f64);
	return (struct na_whatif_cost){(ms[STEPS / 2 - 1] + ms[STEPS / 2]) / 2,
				       sum / STEPS, false};
}

static void is_right(struct job *j, bool in_spells)
{
	struct na_whatif_cost x = cost(j, in_spells), want = right(j);

	near_ms(x.median_ms, want.median_ms);
	near_ms(x.mean_ms, want.mean_ms);
}

/* 0.3 ms more, in the second phase as well, but host 0 begins that early. */
static void test_whole_excess(void **state)
{
	struct job j = {.n = 0};

	(void)state;
	slow_always(&j);
	is_right(&j, false);
	near_ms(right(&j).median_ms, 0.3);
}

/* What a launch executes seems to begin 15 us before it: by its order it is
 * still what the wait is for.  Host 0's sends take 400 us instead of 100 in
 * both phases, but it has the first phase of the others 300 us before they have
 * its own, and sends the second that early: 300 us a step. */
static void test_launch_told_late(void **state)
{
	struct job j = {.launch_late_us = 15};
	struct na_whatif_cost x;

	(void)state;
	slow_always(&j);
	x = cost(&j, false);
	near_ms(x.median_ms, 0.3);
	near_ms(x.mean_ms, right(&j).mean_ms);
}

/* What host 2 sends is the next in line.  How long transfers wait for host 2 is
 * known as well as the clocks are. */
static void test_next_in_line(void **state)
{
	struct job j = {.late_us = 120};
	struct na_whatif_cost x;

	(void)state;
	slow_always(&j);
	x = cost(&j, false);
	assert_true(x.median_ms > 0.9 * right(&j).median_ms);
	assert_true(x.median_ms < 1.000001 * right(&j).median_ms);
	assert_true(x.mean_ms > 0.9 * right(&j).mean_ms);
	assert_true(x.mean_ms < 1.000001 * right(&j).mean_ms);
}

/* What waits behind a slow send goes earlier, too, as well as clocks are known:
 * who is slow one way makes them look apart. */
static void test_queue(void **state)
{
	struct job j = {.one_by_one = true};
	struct na_whatif_cost x;

	(void)state;
	slow_always(&j);
	x = cost(&j, false);
	near_ms(right(&j).median_ms, 1.2);
	assert_true(x.median_ms > 0.8 * right(&j).median_ms);
	assert_true(x.median_ms < 1.000001 * right(&j).median_ms);
	assert_false(x.least);
}

/* And where nobody is slow, a queue costs nothing. */
static void test_queue_of_all(void **state)
{
	struct job j = {.one_by_one = true, .late_us = 50};

	(void)state;
	near_ms(cost(&j, false).median_ms, 0);
}

/* Clocks that are 3.7 ms apart change nothing. */
static void test_clocks(void **state)
{
	struct job j = {.late_us = 120, .ahead_us = 3700};

	(void)state;
	slow_always(&j);
	is_right(&j, false);
}

/* One step of six: nothing in the median. */
static void test_now_and_then(void **state)
{
	struct job j = {.slow_us = {0, 0, 300}};

	(void)state;
	is_right(&j, true);
	near_ms(right(&j).median_ms, 0);
	near_ms(right(&j).mean_ms, 0.05);
}

/* Parts of a message arrive together, and for one that waits for its receiver
 * the others do not arrive again. */
static void test_parts(void **state)
{
	struct job j = {.parts = 3, .late_us = 200, .late_step = 3};

	(void)state;
	near_ms(cost(&j, false).median_ms, 0);
}

static void test_nobody_slow(void **state)
{
	struct job j = {.late_us = 50};

	(void)state;
	near_ms(cost(&j, false).median_ms, 0);
}

/* Without the ops that wait nothing says what a step waits for. */
static void test_no_path(void **state)
{
	struct job j = {.no_ops = true};

	(void)state;
	slow_always(&j);
	assert_true(isnan(cost(&j, false).median_ms));
}

/* Host 2 launches 60 us after the others.  Its sends arrive 100 us later,
 * those of the others' second phase 100 us after that, and a step takes 500 +
 * 60 + 100 + 100 + 10 us, 710 without.  What came before its first launch
 * nothing tells. */
static void test_own(void **state)
{
	struct job j = {.late_us = 60};
	struct na_whatif_cost x = own_cost(&j, 0, 60, true);

	(void)state;
	near_ms(x.median_ms, 0.06);
	near_ms(x.mean_ms, (STEPS - 1) * 0.06 / STEPS);
	assert_false(x.least);
}

/* Of all that it does in a step, which is 554 us until the launch, 2 us beside
 * its wait and 5 us behind it, as much of each.  What is beside the wait is
 * hidden in it, and what is behind it in that of the next step. */
static void test_own_of_all(void **state)
{
	struct job j = {.late_us = 60};
	struct na_whatif_cost x = own_cost(&j, 0, 60, false);

	(void)state;
	near_ms(x.median_ms, 0.06 * (554 + 5) / 561);
}

/* Host 1 is 40 us late, and the others wait for it then. */
static void test_own_behind_another(void **state)
{
	struct job j = {.late_us = 60, .also_us = 40};

	(void)state;
	near_ms(own_cost(&j, 0, 60, true).median_ms, 0.02);
}

/* In two of six steps: their numbers count, not their order. */
static void test_own_now_and_then(void **state)
{
	struct job j = {.late_us = 60};
	struct na_whatif_cost x = own_cost(&j, STEPS - 2, 60, true);

	(void)state;
	near_ms(x.median_ms, 0);
	near_ms(x.mean_ms, 2 * 0.06 / STEPS);
}

/* Of the second phase: what its sends wait by themselves. */
static int64_t idle_us(struct job *j)
{
	struct na_whatif *w = make(j);
	int64_t most = 0;

	for (size_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		if (w->rounds.keys[m->round].b == 1)
			most = w->idle_ps[m->turn] / US;
	}
	na_whatif_free(w);
	hand_fini(&j->h);
	return most;
}

/* A reduction before the second phase is the device's own. */
static void test_idle(void **state)
{
	struct job j = {.thinks_us = 250};

	(void)state;
	assert_int_equal(idle_us(&j), 250);
}

/* Where each send of the second phase waits until another one of its host is
 * gone, the least of these waits is none of the device. */
static void test_idle_in_queues(void **state)
{
	struct job j = {.one_by_one = true, .ack_us = 900};

	(void)state;
	slow_always(&j);
	assert_int_equal(idle_us(&j), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_excess),
		cmocka_unit_test(test_launch_told_late),
		cmocka_unit_test(test_next_in_line),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_queue_of_all),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_now_and_then),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_nobody_slow),
		cmocka_unit_test(test_no_path),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_own_of_all),
		cmocka_unit_test(test_own_behind_another),
		cmocka_unit_test(test_own_now_and_then),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_in_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
