/*
 * The third world of the accuracy bench, where it can be reckoned by hand;
 * and that netan reads of its sessions what was written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/answer.h"
#include "tests/accuracy/sync/json.h"
#include "tests/accuracy/sync/session.h"
#include "xplane.pb-c.h"

enum { SEGMENTS = 200, SEGMENT = 65536, HOP = 1000, PATH = 512 };

/* A segment at 100 Gbit/s. */
static const double segment_ns = SEGMENT * 0.08;

/* Four hosts in two racks, links as fast as two NICs, nobody else's load; each
 * step one collective. */
static void hand_plan(struct sy_plan *p, enum sy_pattern pattern)
{
	*p = (struct sy_plan){.n_hosts = 4,
			      .n_racks = 2,
			      .n_spines = 1,
			      .n_devices = 1,
			      .n_steps = 3,
			      .hosts_per_slice = 1,
			      .rack_of = {0, 0, 1, 1},
			      .nic_gbps = 100,
			      .link_gbps = 200,
			      .segment_bytes = SEGMENT,
			      .window_bytes = (int64_t)SEGMENT * SEGMENTS,
			      .hop_ns = HOP,
			      .ack_ns = 2000,
			      .load_ns = 1000000,
			      .timer_ns = 5000000,
			      .n_collectives = 1,
			      .compute_ns = {1000000, 1000000},
			      .late_host = SY_ANY,
			      .late_factor = 1,
			      .bad_clock = SY_ANY};
	p->collectives[0] =
		(struct sy_collective){.pattern = pattern,
				       .bytes = (int64_t)SEGMENT * SEGMENTS};
	assert_true(sy_program_make(&p->collectives[0].program, pattern, 4));
}

static void run(struct sy_run *r, const struct sy_plan *p)
{
	assert_true(sy_run_make(r, p, SY_WITH_ALL));
}

static double took(const struct sy_transfer *t)
{
	return (double)(t->arrival - t->begin);
}

static void near_to(double is, double want, double tolerance)
{
	if (is < want * (1 - tolerance) || is > want * (1 + tolerance))
		fail_msg("%g, not %g", is, want);
}

/* Store and forward: all segments at the first server, the last one at each
 * after it, and the hops. */
static void bytes_over_rate(void **state)
{
	struct sy_plan p;
	struct sy_run r;

	(void)state;
	hand_plan(&p, SY_NEXT);
	run(&r, &p);
	assert_int_equal(r.n_transfers, 9);
	for (size_t i = 0; i < r.n_transfers; i++) {
		const struct sy_transfer *t = &r.transfers[i];
		bool cross = t->spine != SY_ANY;

		assert_int_equal(cross, t->src == 1);
		near_to(took(t),
			(SEGMENTS + (cross ? 2 : 1)) * segment_ns +
				(cross ? 4 : 2) * HOP,
			0.001);
	}
	sy_run_fini(&r);
	sy_plan_fini(&p);
}

/* Every host sends to every other: its NIC moves three times the bytes. */
static void nic_is_shared(void **state)
{
	struct sy_plan p;
	struct sy_run r;
	int64_t begin, end = 0;

	(void)state;
	hand_plan(&p, SY_ALL_TO_ALL);
	p.link_gbps = 1000;
	run(&r, &p);
	begin = r.transfers[0].begin;
	for (size_t i = 0; i < r.per_step[0]; i++)
		end = r.transfers[i].arrival > end ? r.transfers[i].arrival
						   : end;
	assert_in_range(end - begin, (int64_t)(3 * SEGMENTS * segment_ns),
			(int64_t)(6 * SEGMENTS * segment_ns));
	sy_run_fini(&r);
	sy_plan_fini(&p);
}

static void slow_sender_doubles_its_own(void **state)
{
	struct sy_plan p;
	struct sy_run with, without;
	struct sy_truth t;

	(void)state;
	hand_plan(&p, SY_ACROSS);
	p.n_steps = 40;
	p.n_faults = 1;
	p.faults[0] = (struct sy_fault){.kind = SY_TX,
					.place = SY_SRC,
					.host = 2,
					.rack = SY_ANY,
					.factor = 2};
	run(&with, &p);
	assert_true(sy_run_make(&without, &p, 0));
	assert_true(sy_truth_make(&t, &with));
	assert_true(t.effects[0].visible);
	assert_int_equal(t.effects[0].own, 40);
	assert_true(t.effects[0].median > 1.95 && t.effects[0].median <= 2);
	for (size_t i = 0; i < with.n_transfers; i++)
		if (with.transfers[i].src != 2)
			near_to(took(&with.transfers[i]),
				took(&without.transfers[i]), 0.01);
	/* Hosts 0 and 2 wait for each other: of the cycle through both steps
	 * one half is slow. */
	near_to(t.effects[0].cost_ms, SEGMENTS * segment_ns / 2e6, 0.05);
	sy_run_fini(&with);
	sy_run_fini(&without);
	sy_plan_fini(&p);
}

/* A loss of the last segments is found by the timer alone. */
static void losses_wait_for_the_timer(void **state)
{
	struct sy_plan p;
	struct sy_run r;
	struct sy_truth t;
	uint32_t timeouts = 0;

	(void)state;
	hand_plan(&p, SY_ACROSS);
	p.collectives[0].bytes = SEGMENT;
	p.n_steps = 60;
	p.n_faults = 1;
	p.faults[0] = (struct sy_fault){.kind = SY_LOSSY,
					.place = SY_DST,
					.how = SY_LOSS,
					.host = 1,
					.rack = SY_ANY,
					.factor = 1,
					.loss = 0.3};
	run(&r, &p);
	for (size_t i = 0; i < r.n_transfers; i++) {
		const struct sy_transfer *one = &r.transfers[i];

		timeouts += one->timeouts;
		assert_int_equal(one->caused[0], one->timeouts);
		assert_true(one->timeouts == 0 || one->dst == 1);
		/* The next one of the connection waits behind it. */
		assert_int_equal(one->timeouts > 0 ||
					 (i >= 4 &&
					  one[-4].arrival > one->begin),
				 took(one) > 1e5);
		if (one->timeouts > 0)
			assert_true(took(one) > (double)p.timer_ns);
	}
	assert_true(sy_truth_make(&t, &r));
	assert_true(t.effects[0].visible);
	assert_int_equal(t.effects[0].timeouts, timeouts);
	sy_run_fini(&r);
	sy_plan_fini(&p);
}

static void latency_is_by_two_clocks(void **state)
{
	struct sy_plan p;
	struct sy_run r;
	const struct sy_transfer *t;
	uint64_t true_us;

	(void)state;
	hand_plan(&p, SY_ACROSS);
	run(&r, &p);
	t = &r.transfers[0];
	true_us = (uint64_t)(t->arrival - t->begin) / 1000;
	assert_int_equal(sy_latency_us(&r, t), true_us);
	p.offset_ns[t->dst] = 50000;
	assert_int_equal(sy_latency_us(&r, t), true_us + 50);
	p.offset_ns[t->src] = 1000000000;
	assert_int_equal(sy_latency_us(&r, t), 0);
	sy_run_fini(&r);
	sy_plan_fini(&p);
}

/* ---- any session */

static void check_order(const struct sy_run *r, const struct sy_transfer *t)
{
	const struct sy_graph *src = sy_graph_of(r, t->step, t->collective,
						 t->src, t->device);
	const struct sy_graph *dst = sy_graph_of(r, t->step, t->collective,
						 t->dst, t->device);

	assert_true(src->launch < src->copied_out);
	assert_true(src->copied_out <= t->begin && t->begin < t->left);
	assert_true(t->left < t->arrival && t->arrival < t->acked);
	assert_true(dst->launch <= t->posted);
	assert_true(t->arrival < t->taken && t->posted < t->taken);
	assert_true(t->taken <= dst->copy_in);
	assert_true(dst->copy_in < dst->copied_in);
	assert_true(dst->copied_in <= dst->end);
}

/* A send waits for what its rank received in the phases before. */
static void check_waits(const struct sy_run *r, size_t first, size_t moves)
{
	for (size_t i = first; i < first + moves; i++)
		for (size_t j = first; j < first + moves; j++) {
			const struct sy_transfer *a = &r->transfers[i];
			const struct sy_transfer *b = &r->transfers[j];
			int64_t done = a->reduced ? a->reduced : a->taken;

			if (a->dst == b->src && a->phase < b->phase)
				assert_true(done <= b->begin);
		}
}

static void nothing_comes_before_its_cause(void **state)
{
	(void)state;
	for (int pattern = 0; pattern < SY_PATTERNS; pattern++) {
		struct sy_plan p;
		struct sy_run r;

		hand_plan(&p, (enum sy_pattern)pattern);
		p.posts_in_turn = pattern % 2;
		p.jitter = 0.1;
		p.load = 0.2;
		p.loss = 0.001;
		run(&r, &p);
		for (size_t i = 0; i < r.n_transfers; i++)
			check_order(&r, &r.transfers[i]);
		for (size_t i = 0; i < r.n_transfers; i += r.per_step[0])
			check_waits(&r, i, r.per_step[0]);
		sy_run_fini(&r);
		sy_plan_fini(&p);
	}
}

/* What a rank has when a pattern is done: its own part, and what came. */
static void patterns_move_what_they_say(void **state)
{
	static const struct {
		enum sy_pattern pattern;
		uint32_t moves, phases;
	} rows[] = {{SY_RING_GATHER, 42, 6},   {SY_RING_SCATTER, 42, 6},
		    {SY_RING_REDUCE, 84, 12},  {SY_BIRING_GATHER, 42, 3},
		    {SY_TREE_REDUCE, 12, 4},   {SY_DIRECT_GATHER, 42, 1},
		    {SY_DIRECT_REDUCE, 84, 2}, {SY_ALL_TO_ALL, 42, 1},
		    {SY_NEXT, 6, 1},           {SY_ACROSS, 7, 1}};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct sy_program c;

		assert_true(sy_program_make(&c, rows[i].pattern, 7));
		assert_int_equal(c.n_moves, rows[i].moves);
		assert_int_equal(c.n_phases, rows[i].phases);
		for (uint32_t m = 0; m < c.n_moves; m++)
			assert_true(c.moves[m].src != c.moves[m].dst);
		sy_program_fini(&c);
	}
}

/* A step's parts fill it, and steps follow each other. */
static void parts_fill_the_step(void **state)
{
	struct sy_plan p;
	struct sy_run r;

	(void)state;
	hand_plan(&p, SY_RING_REDUCE);
	run(&r, &p);
	for (uint32_t s = 0; s < p.n_steps; s++)
		for (uint32_t h = 0; h < p.n_hosts; h++) {
			const struct sy_day *d = &r.days[s * p.n_hosts + h];

			assert_true(d->start == d->compute_from[0]);
			assert_true(d->launch[0] == d->compute_to[0]);
			assert_true(s == 0 || d->start > d[-4].end);
			near_to((double)(d->compute_to[0] - d->start +
					 d->wait_to[0] - d->wait_from[0] +
					 d->compute_to[1] - d->compute_from[1]),
				(double)(d->end - d->start), 0.001);
		}
	sy_run_fini(&r);
	sy_plan_fini(&p);
}

/* ---- netan reads it */

static double number(const struct sy_json *j, const char *key)
{
	j = sy_json_get(j, key);
	assert_non_null(j);
	return j->number;
}

static void remove_all(const struct sy_plan *p, const char *dir)
{
	static const char *const beside[] = {".csv", ".truth.json",
					     ".info.json"};
	char path[2 * PATH], name[SY_NAME];

	for (uint32_t h = 0; h < p->n_hosts; h++) {
		sy_host_name(h, name);
		snprintf(path, sizeof(path), "%s/%s.xplane.pb", dir, name);
		unlink(path);
	}
	rmdir(dir);
	for (size_t i = 0; i < NA_LEN(beside); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, beside[i]);
		unlink(path);
	}
}

static void check_info(const struct sy_run *r, const struct sy_truth *t,
		       const char *dir)
{
	struct sy_json *said = sy_netan("netan", "info", dir, false);
	const struct sy_json *totals = sy_json_get(sy_json_get(said, "result"),
						   "totals");
	bool old = r->plan->old_style;

	assert_non_null(totals);
	for (const struct sy_json *i = sy_json_first(said, "inputs"); i;
	     i = i->next)
		assert_null(sy_json_first(i, "warnings"));
	assert_true(number(totals, "transfers_rx") == (double)t->transfers);
	assert_true(number(totals, "transfers_tx") == (double)t->transfers);
	assert_true(number(totals, "clock_skew") == (double)t->zeros);
	assert_true(number(totals, "valid") ==
		    (double)(t->transfers - t->zeros));
	assert_true(number(totals, "graphs") ==
		    (old ? 0 : (double)r->n_graphs));
	assert_true(number(totals, "d2h") == (double)r->n_graphs);
	sy_json_free(said);
}

/* The second opinion on the bytes: the generated protobuf code. */
static void check_planes(const struct sy_plan *p, uint32_t host,
			 const char *dir)
{
	char path[2 * PATH], name[SY_NAME];
	static uint8_t bytes[1 << 20];
	Netan__Xplane__XSpace *space;
	size_t n;
	FILE *f;

	sy_host_name(host, name);
	snprintf(path, sizeof(path), "%s/%s.xplane.pb", dir, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	assert_in_range(n, 1, sizeof(bytes) - 1);
	space = netan__xplane__xspace__unpack(NULL, n, bytes);
	assert_non_null(space);
	assert_string_equal(space->hostnames[0], name);
	assert_int_equal(space->n_planes,
			 p->n_devices + (p->old_style ? 2 : 3));
	assert_string_equal(space->planes[0]->name, "/device:TPU:0");
	assert_int_equal(space->planes[0]->n_lines, 3);
	assert_int_equal(space->planes[0]->lines[0]->n_events, p->n_steps);
	netan__xplane__xspace__free_unpacked(space, NULL);
}

static void check_truth(const struct sy_run *r, const struct sy_truth *t,
			const char *dir)
{
	char path[2 * PATH], text[8192];
	struct sy_json *j;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s.truth.json", dir);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	j = sy_json_read(text);
	assert_non_null(j);
	assert_true(number(j, "transfers") == (double)t->transfers);
	assert_true(number(j, "zero_latencies") == (double)t->zeros);
	assert_true(number(sy_json_first(j, "collectives"),
			   "transfers_per_step") == (double)r->per_step[0]);
	assert_non_null(sy_json_first(j, "clocks"));
	assert_null(sy_json_first(j, "faults"));
	sy_json_free(j);
}

static void netan_counts_what_was_written(void **state)
{
	(void)state;
	for (int old = 0; old < 2; old++) {
		char dir[PATH];
		struct sy_plan p;
		struct sy_run r;
		struct sy_truth t;

		snprintf(dir, sizeof(dir), "%s/sync-XXXXXX",
			 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
		assert_non_null(mkdtemp(dir));
		hand_plan(&p, SY_RING_REDUCE);
		p.old_style = old == 1;
		p.offset_ns[1] = 5000000;
		run(&r, &p);
		assert_true(sy_truth_make(&t, &r));
		assert_true(t.zeros > 0);
		assert_true(sy_session_write(&r, &t, dir));
		check_info(&r, &t, dir);
		check_truth(&r, &t, dir);
		for (uint32_t h = 0; h < p.n_hosts; h++)
			check_planes(&p, h, dir);
		remove_all(&p, dir);
		sy_run_fini(&r);
		sy_plan_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_over_rate),
		cmocka_unit_test(nic_is_shared),
		cmocka_unit_test(slow_sender_doubles_its_own),
		cmocka_unit_test(losses_wait_for_the_timer),
		cmocka_unit_test(latency_is_by_two_clocks),
		cmocka_unit_test(nothing_comes_before_its_cause),
		cmocka_unit_test(patterns_move_what_they_say),
		cmocka_unit_test(parts_fill_the_step),
		cmocka_unit_test(netan_counts_what_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
