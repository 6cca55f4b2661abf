/*
 * The mechanism behind the queueing fleets, where it can be reckoned by
 * hand: four hosts, no weather, no noise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/accuracy/queue.h"

enum { HOSTS = 4, SEGMENTS = 4, STEPS = 3, ROOM = 200 };

static const double ps_per_byte = 100, bytes = 400000; /* 40 us a link */

struct rig {
	struct fl_fleet fleet;
	struct fq_world w;
	uint32_t racks[HOSTS];
	struct fq_outcome out[ROOM];
};

static void set_up(struct rig *r, enum fq_kind kind)
{
	memset(r, 0, sizeof(*r));
	r->racks[2] = r->racks[3] = 1;
	r->fleet = (struct fl_fleet){.generator = FL_QUEUEING,
				     .n_hosts = HOSTS,
				     .n_racks = 2,
				     .n_collectives = 1,
				     .rack_of = r->racks};
	r->w = (struct fq_world){.f = &r->fleet,
				 .n_hosts = HOSTS,
				 .n_spines = 1,
				 .n_connections = 1,
				 .window = SEGMENTS,
				 .segment_bytes = bytes / (SEGMENTS - 0.5),
				 .nic_ps_per_byte = ps_per_byte,
				 .spine_ps_per_byte = ps_per_byte,
				 .overhead_ps = 1000,
				 .straggler = FL_NONE,
				 .pauser = FL_NONE,
				 .colls[0] = {.kind = kind,
					      .bytes = bytes,
					      .phases = 1,
					      .group = HOSTS,
					      .gap_ps = 1000000000}};
}

static void run(struct rig *r, bool faulty)
{
	if (!r->w.n_messages)
		assert_true(fq_program(&r->w, STEPS));
	assert_true(r->w.n_messages <= ROOM);
	assert_true(fq_run(&r->w, faulty, r->out));
	for (size_t i = 0; i < r->w.n_messages; i++) {
		const struct fq_outcome *o = &r->out[i];

		assert_true(o->posted_ps <= o->ready_ps &&
			    o->ready_ps <= o->begun_ps &&
			    o->begun_ps < o->end_ps);
	}
}

static void tear_down(struct rig *r)
{
	free(r->w.stages);
	free(r->w.messages);
	free(r->w.first);
}

static double took_us(const struct rig *r, size_t i)
{
	return (double)(r->out[i].end_ps - r->out[i].begun_ps) / 1e6;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 0.1;
}

/* 40 us on the sender's link, and the last quarter over each further one:
 * one more in a rack, three between racks. */
static void ring_alone(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, FQ_RING);
	run(&r, false);
	assert_int_equal(r.w.n_messages, STEPS * HOSTS);
	for (size_t i = 0; i < r.w.n_messages; i++) {
		bool far = r.racks[r.w.messages[i].src] !=
			   r.racks[r.w.messages[i].dst];

		assert_true(near(took_us(&r, i), far ? 70 : 50));
	}
	tear_down(&r);
}

/* A third of the rate at one end: that message alone, and both ends. */
static void slow_side(void **state)
{
	static const struct {
		struct na_place who;
		double us[HOSTS]; /* from 0, 1, 2, 3 to the next */
	} rows[] = {
		/* the sender's link: 120, and the last quarters */
		{{NA_JUDGE_SRC, 0, 0}, {130, 70, 50, 70}},
		{{NA_JUDGE_SRC, 1, 0}, {50, 150, 50, 70}},
		/* the receiver's: the first quarter, then 120 */
		{{NA_JUDGE_DST, 1, 0}, {130, 70, 50, 70}},
		{{NA_JUDGE_HOST, 1, 0}, {130, 150, 50, 70}},
		{{NA_JUDGE_PAIR, 2, 3}, {50, 70, 140, 70}},
		{{NA_JUDGE_RACK_UPLINK, 0, 0}, {50, 150, 50, 70}},
		{{NA_JUDGE_RACK_DOWNLINK, 0, 0}, {50, 70, 50, 150}},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct rig r;

		set_up(&r, FQ_RING);
		r.fleet.n_truths = 1;
		r.fleet.truths[0] = (struct fl_truth){.who = rows[k].who,
						      .how = FL_CAP,
						      .factor = 3};
		r.w.faults[0] = (struct fq_fault){FL_NONE, FL_NONE, 0,
						  NULL};
		if (rows[k].who.cause == NA_JUDGE_PAIR)
			r.w.faults[0].ps_per_byte = 3 * ps_per_byte;
		run(&r, true);
		for (size_t i = 0; i < r.w.n_messages; i++)
			assert_true(near(took_us(&r, i),
					 rows[k].us[r.w.messages[i].src]));
		run(&r, false);
		assert_true(near(took_us(&r, 0), 50));
		tear_down(&r);
	}
}

/* Three to one: the receiver's link is busy for three times as long. */
static void incast(void **state)
{
	struct rig r;
	double last = 0;

	(void)state;
	set_up(&r, FQ_GATHER);
	r.w.colls[0].root = 1;
	r.w.colls[0].phases = 2;
	run(&r, false);
	assert_int_equal(r.w.n_messages, STEPS * 2 * (HOSTS - 1));
	for (size_t i = 0; i < HOSTS - 1; i++) {
		assert_int_equal(r.w.messages[i].dst, 1);
		last = fmax(last, (double)r.out[i].end_ps / 1e6);
	}
	/* All start within a millisecond; the slowest waits for no less. */
	assert_true(last >= 120);
	tear_down(&r);
}

/* Every segment of a window's steps is lost once or more: 200 ms and more,
 * in those steps only. */
static void timeouts_in_windows(void **state)
{
	static bool on[STEPS] = {false, true, false};
	struct rig r;
	uint64_t timeouts = 0;

	(void)state;
	set_up(&r, FQ_RING);
	r.fleet.n_truths = 1;
	r.fleet.truths[0] = (struct fl_truth){.who = {NA_JUDGE_SRC, 2, 0},
					      .how = FL_TAILS,
					      .share = 0.7};
	r.w.faults[0] = (struct fq_fault){FL_NONE, FL_NONE, 0, on};
	run(&r, true);
	for (size_t i = 0; i < r.w.n_messages; i++) {
		const struct fq_message *m = &r.w.messages[i];
		bool meets = m->src == 2 && r.w.stages[m->stage].step == 1;

		assert_int_equal(fq_meets(&r.w, 0, m), meets);
		assert_true(meets || r.out[i].timeouts == 0);
		assert_int_equal(took_us(&r, i) >= 200e3,
				 r.out[i].timeouts > 0);
		timeouts += r.out[i].timeouts;
	}
	assert_true(timeouts > 0);
	tear_down(&r);
}

/* One host computes for longer: its messages are late, none takes longer,
 * but a latency that holds the wait does. */
static void late_host(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, FQ_RING);
	r.w.straggler = 3;
	r.w.straggler_factor = 5;
	run(&r, false);
	for (size_t i = HOSTS; i < r.w.n_messages; i++) {
		bool to_it = r.w.messages[i].dst == 3;
		double wait = (double)(r.out[i].ready_ps - r.out[i].posted_ps);

		assert_true(took_us(&r, i) < 71);
		assert_true(!to_it || wait > 3e9);
	}
	tear_down(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_alone),
		cmocka_unit_test(slow_side),
		cmocka_unit_test(incast),
		cmocka_unit_test(timeouts_in_windows),
		cmocka_unit_test(late_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
