/*
 * Who is slow from sends, on jobs made by hand: one known fault each, or
 * something that is nobody's fault.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/hand_wire.h"

/* ---- faults that last */

static bool is_of(const struct na_lz_who *who, const struct na_wire_alike *x)
{
	uint32_t src = hand_wire_rack(x->src), dst = hand_wire_rack(x->dst);

	switch (who->kind) {
	case NA_LZ_SRC:
		return x->src == who->a;
	case NA_LZ_DST:
		return x->dst == who->a;
	case NA_LZ_HOST:
		return x->src == who->a || x->dst == who->a;
	case NA_LZ_PAIR:
		return x->src == who->a && x->dst == who->b;
	default:
		return src != dst &&
		       (who->kind == NA_LZ_RACK_UPLINK ? src : dst) == who->a;
	}
}

/* Its own pairs are as slow as it is, and no others. */
static void pairs_agree(const struct hand_wire *j,
			const struct na_lz_finding *f)
{
	size_t own = 0, slow = 0;

	assert_true(j->r.n_alike > HOSTS);
	for (size_t i = 0; i < j->r.n_alike; i++) {
		const struct na_wire_alike *x = &j->r.alike[i];

		if (!is_of(&f->who, x)) {
			assert_false(x->effect > f->effect / 2);
			continue;
		}
		own++;
		slow += x->effect > 0.7 * f->effect;
		if (f->who.kind == NA_LZ_PAIR)
			assert_true(fabs(x->effect - f->effect) < 1e-9);
	}
	assert_true(slow >= f->pairs / 2 && 3 * slow >= own);
}

static void one_culprit(void **state)
{
	static const struct {
		hand_wire_fault *what;
		enum na_lz_kind kind;
		uint32_t a, b;
		enum na_lz_channel channel;
	} rows[] = {
		{hand_wire_slow_tx, NA_LZ_SRC, 5, 0, NA_LZ_ALL},
		{hand_wire_slow_rx, NA_LZ_DST, 6, 0, NA_LZ_ALL},
		{hand_wire_slow_host, NA_LZ_HOST, 9, 0, NA_LZ_ALL},
		{hand_wire_slow_path, NA_LZ_PAIR, 2, 7, NA_LZ_ALL},
		{hand_wire_slow_uplink, NA_LZ_RACK_UPLINK, 1, 0, NA_LZ_ALL},
		{hand_wire_slow_downlink, NA_LZ_RACK_DOWNLINK, 2, 0, NA_LZ_ALL},
		{hand_wire_half_uplink, NA_LZ_RACK_UPLINK, 1, 0, NA_LZ_ALL},
	};
	struct hand_wire j;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct na_lz_finding *f;

		hand_wire_work(&j, STEPS, rows[i].what);
		f = hand_wire_only(&j, rows[i].kind, rows[i].a, rows[i].b,
				   rows[i].channel);
		assert_true(f->effect > log(1.5) && f->effect < log(6));
		assert_int_equal(j.r.timeouts, 0);
		pairs_agree(&j, f);
		hand_wire_end(&j);
	}
}

/* Little, but everywhere; and the same, of what stays in the rack alone or
 * leaves it alone: that is not the port. */
static double mild(double us)
{
	return us + 0.16 * PORT_US;
}

static double mild_rx(const struct hand_wire_move *t, double us)
{
	return t->dst == 6 ? mild(us) : us;
}

static double mild_inside(const struct hand_wire_move *t, double us)
{
	return hand_wire_rack(t->src) == hand_wire_rack(t->dst) ? mild_rx(t, us)
								: us;
}

static double mild_across(const struct hand_wire_move *t, double us)
{
	return hand_wire_rack(t->src) != hand_wire_rack(t->dst) ? mild_rx(t, us)
								: us;
}

static void a_mild_side_is_slow_everywhere(void **state)
{
	const struct na_lz_finding *f;
	struct hand_wire j;

	(void)state;
	hand_wire_work(&j, STEPS, mild_rx);
	f = hand_wire_only(&j, NA_LZ_DST, 6, 0, NA_LZ_ALL);
	assert_true(f->effect > log(1.1) && f->effect < log(1.2));
	hand_wire_end(&j);
	hand_wire_work(&j, STEPS, mild_inside);
	hand_wire_nobody(&j);
	hand_wire_end(&j);
	hand_wire_work(&j, STEPS, mild_across);
	hand_wire_nobody(&j);
	hand_wire_end(&j);
}

static uint32_t half(uint32_t h)
{
	return h / (HOSTS / 2);
}

static double slow_way(const struct hand_wire_move *t, double us)
{
	return half(t->src) > half(t->dst) ? hand_wire_slower(us) : us;
}

/* One's uplinks are the other's downlinks. */
static void of_two_racks_the_way(void **state)
{
	const struct na_lz_finding *f;
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, slow_way);
	j.in.n_racks = 2;
	for (uint32_t h = 0; h < HOSTS; h++)
		j.rack_of[h] = half(h);
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	f = hand_wire_only(&j, NA_LZ_RACK_PAIR, 1, 0, NA_LZ_ALL);
	assert_int_equal(f->who.b, 0);
	assert_true(f->effect > log(2) && f->effect < log(3));
	hand_wire_end(&j);
}

static double slow_between(const struct hand_wire_move *t, double us)
{
	return half(t->src) != half(t->dst) ? hand_wire_slower(us) : us;
}

/* Nobody stands out where all ways between two racks are slow: it is told that
 * they are. */
static void of_two_racks_all_ways(void **state)
{
	struct hand_wire j;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		hand_wire_begin(&j, STEPS, i ? slow_between : NULL);
		j.in.n_racks = 2;
		for (uint32_t h = 0; h < HOSTS; h++)
			j.rack_of[h] = half(h);
		hand_wire_add_all(&j);
		hand_wire_run(&j);
		assert_int_equal(j.r.n_findings, 0);
		assert_true(i ? j.r.across > log(1.5)
			      : fabs(j.r.across) < log(1.2));
		hand_wire_end(&j);
	}
}

static double mild_path(const struct hand_wire_move *t, double us)
{
	return t->src == 2 && t->dst == 7 ? 1.8 * us : us;
}

/* Too little to be named, and it is said what is slow. */
static void a_mild_path_is_doubted(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_work(&j, STEPS, mild_path);
	assert_int_equal(j.r.n_findings, 0);
	assert_int_equal(j.r.n_slow, 1);
	assert_int_equal(j.r.n_doubts, 1);
	assert_int_equal(j.r.doubts[0].who.kind, NA_LZ_PAIR);
	assert_int_equal(j.r.doubts[0].who.a, 2);
	assert_int_equal(j.r.doubts[0].who.b, 7);
	assert_true(j.r.doubts[0].effect > log(1.5));
	assert_non_null(j.r.doubts[0].against);
	hand_wire_end(&j);
}

static double both_faults(const struct hand_wire_move *t, double us)
{
	return hand_wire_slow_rx(t,
				 hand_wire_slow_rx(t,
						   hand_wire_slow_tx(t, us)));
}

/* The clearer one is named; a milder one in the same collectives looks like
 * its victims, so that it need not be.  Nobody else is. */
static void of_two_culprits_the_clearer(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_work(&j, STEPS, both_faults);
	assert_true(j.r.n_findings > 0);
	for (size_t i = 0; i < j.r.n_findings; i++) {
		const struct na_lz_who *who = &j.r.findings[i].who;

		assert_int_equal(who->kind, i ? NA_LZ_SRC : NA_LZ_DST);
		assert_int_equal(who->a, i ? 5 : 6);
	}
	hand_wire_end(&j);
}

/* ---- several that look like one */

enum { PATHS = 3 };

/* From as many hosts of a rack to as many of the next. */
static double slow_paths(const struct hand_wire_move *t, double us)
{
	return t->src < PATHS && t->dst == t->src + IN_RACK ? us + 4 * PORT_US
							    : us;
}

/* Each is named, and what they share is not. */
static void several_paths_are_no_link(void **state)
{
	struct hand_wire j;
	uint32_t seen = 0;

	(void)state;
	hand_wire_begin(&j, STEPS, slow_paths);
	j.two_devices = true;
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	assert_int_equal(j.r.n_findings, PATHS);
	for (size_t i = 0; i < PATHS; i++) {
		const struct na_lz_who *who = &j.r.findings[i].who;

		assert_int_equal(who->kind, NA_LZ_PAIR);
		assert_int_equal(who->b, who->a + IN_RACK);
		seen |= UINT32_C(1) << who->a;
	}
	assert_int_equal(seen, (1 << PATHS) - 1);
	hand_wire_end(&j);
}

/* To most of whom one host sends. */
static double slow_paths_of_one(const struct hand_wire_move *t, double us)
{
	return !t->src && t->dst % 3 == 1 ? us + 4 * PORT_US : us;
}

/* It may as well be the host: none of them is named for itself. */
static void paths_of_one_host_are_not_named(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, slow_paths_of_one);
	j.two_devices = true;
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	for (size_t i = 0; i < j.r.n_findings; i++)
		assert_int_not_equal(j.r.findings[i].who.kind, NA_LZ_PAIR);
	hand_wire_end(&j);
}

/* One of each host of a half, all that it has. */
static double slow_sixth(const struct hand_wire_move *t, double us)
{
	return t->dst == t->src + HOSTS / 2 ? us + 4 * PORT_US : us;
}

/* Those of the odd, of one device each. */
static double slow_hashed(const struct hand_wire_move *t, double us)
{
	return half(t->src) < half(t->dst) &&
			       (t->src + t->dst + (t->collective == SECOND)) % 2
		       ? us + 4 * PORT_US
		       : us;
}

/* One of several links slows some of a pair's connections, and is told with
 * the pairs that are slow; whole pairs are none. */
static void a_link_slows_some_of_each_pair(void **state)
{
	struct hand_wire j;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		hand_wire_begin(&j, STEPS, i ? slow_hashed : slow_sixth);
		j.two_devices = true;
		j.in.n_racks = 2;
		for (uint32_t h = 0; h < HOSTS; h++)
			j.rack_of[h] = half(h);
		hand_wire_add_all(&j);
		hand_wire_run(&j);
		if (i)
			hand_wire_only(&j, NA_LZ_RACK_PAIR, 0, 0, NA_LZ_ALL);
		else
			assert_int_equal(j.r.n_findings, 0);
		hand_wire_end(&j);
	}
}

enum { SOME_HOSTS = 3 };

static bool is_some(uint32_t h)
{
	return h < SOME_HOSTS;
}

/* What a few hosts of the first half send to others, or get from them. */
static double some_send(const struct hand_wire_move *t, double us)
{
	return is_some(t->src) && !is_some(t->dst) ? hand_wire_slower(us) : us;
}

static double some_get(const struct hand_wire_move *t, double us)
{
	return is_some(t->dst) && !is_some(t->src) ? hand_wire_slower(us) : us;
}

/* The same, by their own sides. */
static double some_sides(const struct hand_wire_move *t, double us)
{
	return is_some(t->src) ? hand_wire_slower(us) : us;
}

/* Links between two racks are slow for all of their hosts: for half of them it
 * is these that share something, and they are told. */
static void half_a_rack_is_no_link(void **state)
{
	static const struct {
		hand_wire_fault *what;
		enum na_lz_kind kind;
	} rows[] = {
		{some_send, NA_LZ_SRC},
		{some_get, NA_LZ_DST},
	};
	struct hand_wire j;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct na_wire_group *g = &j.r.group;

		hand_wire_begin(&j, STEPS, rows[i].what);
		j.in.n_racks = 2;
		for (uint32_t h = 0; h < HOSTS; h++)
			j.rack_of[h] = half(h);
		hand_wire_add_all(&j);
		hand_wire_run(&j);
		assert_int_equal(j.r.n_findings, 0);
		assert_int_equal(g->kind, rows[i].kind);
		assert_int_equal(g->n, SOME_HOSTS);
		for (uint32_t h = 0; h < SOME_HOSTS; h++)
			assert_int_equal(g->hosts[h], h);
		assert_true(g->apart);
		assert_true(g->effect > log(1.5) && g->effect < log(3));
		hand_wire_end(&j);
	}
}

static bool is_two(uint32_t h)
{
	return h == 2 || h == 7;
}

static double two_send(const struct hand_wire_move *t, double us)
{
	return is_two(t->src) ? hand_wire_slower(us) : us;
}

static double two_get(const struct hand_wire_move *t, double us)
{
	return is_two(t->dst) ? hand_wire_slower(us) : us;
}

/* A link that two of them share: not between them. */
static double two_by_link(const struct hand_wire_move *t, double us)
{
	return is_two(t->dst) ? us : two_send(t, us);
}

/* And one more by itself. */
static double link_and_one(const struct hand_wire_move *t, double us)
{
	return t->src == 9 ? hand_wire_slower(us) : two_by_link(t, us);
}

/* How many are slow by themselves; -1: anybody but those hosts is found. */
static int own_sides(const struct hand_wire *j, enum na_lz_kind kind,
		     bool (*may_be)(uint32_t h))
{
	int own = 0;

	for (size_t i = 0; i < j->r.n_findings; i++) {
		const struct na_lz_finding *f = &j->r.findings[i];

		if (f->who.kind != kind || !may_be(f->who.a))
			return -1;
		own += f->is_own;
		assert_true(f->has_equals);
	}
	return own;
}

static bool is_two_or_one(uint32_t h)
{
	return is_two(h) || h == 9;
}

/* What several hosts send to each other tells their own sides from a link that
 * they share, with or without racks; of those that may share one, with racks
 * that know of none nobody is named. */
static void what_they_send_each_other_tells(void **state)
{
	static const struct {
		hand_wire_fault *what;
		enum na_lz_kind kind;
		int own;
		size_t of_racks; /* found */
	} rows[] = {
		{two_send, NA_LZ_SRC, 2, 2},
		{two_get, NA_LZ_DST, 2, 2},
		{some_sides, NA_LZ_SRC, 3, 3},
		{two_by_link, NA_LZ_SRC, 0, 0},
		{link_and_one, NA_LZ_SRC, 1, 1},
	};
	struct hand_wire j;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		bool racks = i % 2;

		hand_wire_begin(&j, STEPS, rows[i / 2].what);
		j.in.n_racks = racks ? RACKS : 0;
		hand_wire_add_all(&j);
		hand_wire_run(&j);
		assert_int_equal(own_sides(&j, rows[i / 2].kind,
					   rows[i / 2].what == some_sides
						   ? is_some
						   : is_two_or_one),
				 rows[i / 2].own);
		if (racks)
			assert_int_equal(j.r.n_findings, rows[i / 2].of_racks);
		hand_wire_end(&j);
	}
}

static bool is_of_rack(uint32_t h)
{
	return hand_wire_rack(h) == 1;
}

static double rack_sends(const struct hand_wire_move *t, double us)
{
	return is_of_rack(t->src) ? hand_wire_slower(us) : us;
}

static double rack_gets(const struct hand_wire_move *t, double us)
{
	return is_of_rack(t->dst) ? hand_wire_slower(us) : us;
}

/* What a rack's hosts send to each other crosses their switch: all of them
 * slow, there too, are no reason to name each. */
static void all_of_a_rack_share_its_switch(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, rack_sends);
	j.in.n_racks = 0;
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	assert_int_equal(own_sides(&j, NA_LZ_SRC, is_of_rack), 0);
	hand_wire_end(&j);
	hand_wire_work(&j, STEPS, rack_sends);
	hand_wire_only(&j, NA_LZ_RACK_UPLINK, 1, 0, NA_LZ_ALL);
	hand_wire_end(&j);
	hand_wire_work(&j, STEPS, rack_gets);
	hand_wire_only(&j, NA_LZ_RACK_DOWNLINK, 1, 0, NA_LZ_ALL);
	hand_wire_end(&j);
}

static double slow_block(const struct hand_wire_move *t, double us)
{
	return half(t->src) < half(t->dst) ? hand_wire_slower(us) : us;
}

/* Of racks that are slow alike none is named, nor a host in them; it is told
 * which blocks they are of, where these are known. */
static void equal_racks_share_a_block(void **state)
{
	enum { SMALL = 3 };
	struct hand_wire j;

	(void)state;
	for (size_t blocks = 0; blocks <= 2; blocks += 2) {
		hand_wire_begin(&j, STEPS, slow_block);
		j.in.n_racks = HOSTS / SMALL;
		j.in.n_blocks = blocks;
		for (uint32_t h = 0; h < HOSTS; h++) {
			j.rack_of[h] = h / SMALL;
			j.block_of[h] = half(h);
		}
		hand_wire_add_all(&j);
		hand_wire_run(&j);
		hand_wire_nobody(&j);
		assert_int_equal(j.r.block.kind,
				 blocks ? NA_LZ_RACK_PAIR : NA_LZ_KINDS);
		assert_true(!blocks || (half(j.r.block.a) == 0 &&
					half(j.r.block.b) == 1 &&
					j.r.block_effect > log(1.5)));
		hand_wire_end(&j);
	}
}

/* A NIC is slow within its block, too, and blocks do not hide it. */
static void blocks_hide_nobody(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, hand_wire_slow_rx);
	j.in.n_racks = HOSTS / 2;
	j.in.n_blocks = 2;
	for (uint32_t h = 0; h < HOSTS; h++) {
		j.rack_of[h] = h / 2;
		j.block_of[h] = half(h);
	}
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	hand_wire_only(&j, NA_LZ_DST, 6, 0, NA_LZ_ALL);
	assert_int_equal(j.r.block.kind, NA_LZ_KINDS);
	hand_wire_end(&j);
}

/* ---- now and then */

enum { MANY = 24 };

static bool in_spell(uint32_t step)
{
	return step % 8 == 2 || step % 8 == 3 || step % 8 == 6;
}

static double both_sides_at_times(const struct hand_wire_move *t, double us)
{
	return in_spell(t->step) ? hand_wire_slow_host(t, us) : us;
}

static double one_side_at_times(const struct hand_wire_move *t, double us)
{
	return in_spell(t->step) ? hand_wire_slow_tx(t, us) : us;
}

/* Its two ends are slow alike, and neither is so with others. */
static double one_path_at_times(const struct hand_wire_move *t, double us)
{
	return in_spell(t->step) ? hand_wire_slow_path(t, us) : us;
}

static void now_and_then(void **state)
{
	const struct na_lz_finding *f;
	struct hand_wire j;

	(void)state;
	hand_wire_work(&j, MANY, both_sides_at_times);
	f = hand_wire_only(&j, NA_LZ_HOST, 9, 0, NA_LZ_WINDOW);
	assert_true(f->intermittent);
	assert_int_equal(f->n_windows, 9);
	for (size_t i = 0; i < f->n_windows; i++)
		assert_true(in_spell(f->windows[i].step));
	hand_wire_end(&j);
	hand_wire_work(&j, MANY, one_side_at_times);
	hand_wire_only(&j, NA_LZ_SRC, 5, 0, NA_LZ_WINDOW);
	hand_wire_end(&j);
	hand_wire_work(&j, MANY, one_path_at_times);
	assert_int_equal(j.r.n_findings, 0);
	hand_wire_end(&j);
}

/* The order of a collective, or who waits in it: no port. */
static double one_collective_at_times(const struct hand_wire_move *t, double us)
{
	return t->collective == EXCHANGE ? one_side_at_times(t, us) : us;
}

static void one_collective_alone_is_no_port(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_work(&j, MANY, one_collective_at_times);
	assert_int_equal(j.r.n_findings, 0);
	assert_true(j.r.suspects > 0);
	assert_int_equal(j.r.clearest[0].one_in, 1);
	hand_wire_end(&j);
}

/* Of so many rows steps are left out: how many it is slow in is of the rest. */
static void steps_left_out_are_told(void **state)
{
	const struct na_wire_row nothing = {.took_us = NAN};
	const struct na_wire_suspect *x;
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, 2 * MANY, one_collective_at_times);
	hand_wire_add_all(&j);
	while (j.rows.n <= NA_WIRE_MOST_ROWS)
		assert_true(na_add(&j.rows, nothing));
	hand_wire_run(&j);
	x = &j.r.clearest[0];
	assert_true(j.r.suspects > 0);
	assert_int_equal(x->one_in, 2);
	assert_true(x->n_steps > 0);
	for (size_t i = 0; i < x->n_steps && i < NA_WIRE_SHOWN; i++)
		assert_true(x->steps[i] % 2 == 0 && in_spell(x->steps[i]));
	hand_wire_end(&j);
}

/* It meets another crowd than the others do. */
static void who_begins_late_is_not_named(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, MANY, one_side_at_times);
	hand_wire_add_all(&j);
	for (size_t i = 0; i < j.rows.n; i++) {
		struct na_wire_row *r = &j.rows.v[i];

		if (j.in.connections[r->connection].src == 5 &&
		    in_spell(r->step))
			r->start_us += r->took_us / 2;
	}
	hand_wire_run(&j);
	assert_int_equal(j.r.n_findings, 0);
	assert_true(j.r.suspects > 0);
	hand_wire_end(&j);
}

/* ---- timers */

static double rx_loses(const struct hand_wire_move *t, double us)
{
	return t->dst == 4 && hand_wire_is_lost(t) ? us + hand_wire_timer_us
						   : us;
}

/* Each host once. */
static double all_lose(const struct hand_wire_move *t, double us)
{
	return t->collective == EXCHANGE && t->turn == 3 && t->src == t->step
		       ? us + hand_wire_timer_us
		       : us;
}

static void losses(void **state)
{
	static const double timers_us[] = {5000, 200000};
	struct hand_wire j;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct na_lz_finding *f;

		hand_wire_timer_us = timers_us[i];
		hand_wire_work(&j, STEPS, hand_wire_tx_loses);
		f = hand_wire_only(&j, NA_LZ_SRC, 4, 0, NA_LZ_RATE);
		assert_true(f->loses_packets);
		assert_int_equal(f->tails, 7);
		assert_int_equal(f->episodes, 7);
		assert_int_equal(j.r.timeouts, 0);
		assert_int_equal(j.r.n_late, 7);
		for (size_t k = 0; k < j.r.n_late; k++)
			assert_int_equal(j.r.late[k].src, 4);
		hand_wire_end(&j);
		hand_wire_work(&j, STEPS, rx_loses);
		f = hand_wire_only(&j, NA_LZ_DST, 4, 0, NA_LZ_RATE);
		assert_int_equal(f->episodes, 7);
		hand_wire_end(&j);
		hand_wire_work(&j, STEPS, all_lose);
		assert_int_equal(j.r.n_findings, 0);
		assert_int_equal(j.r.timeouts, STEPS);
		assert_int_equal(j.r.n_late, 0);
		hand_wire_end(&j);
	}
}

/* By what a timer adds, and always. */
static double slow_by_a_timer(const struct hand_wire_move *t, double us)
{
	return t->src < 2 && t->dst == t->src + IN_RACK ? us + 5000 : us;
}

static void what_is_always_slow_waits_for_no_timer(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_work(&j, STEPS, slow_by_a_timer);
	hand_wire_nobody(&j);
	assert_int_equal(j.r.n_slow, 2);
	hand_wire_end(&j);
}

/* ---- nobody's hand_wire_fault */

/* A burst on one connection: each waits for those before it. */
static void add_burst(struct hand_wire *j, uint32_t step)
{
	for (uint32_t i = 0; i < 8; i++)
		hand_wire_put(j, (struct hand_wire_move){
					 3, 8, step, OTHER, 0,
					 hand_wire_at_us(step, OTHER, 0),
					 BASE_US + (i + 1) * PORT_US});
	for (uint32_t h = 0; h < HOSTS; h++) {
		for (uint32_t i = 0; i < 8; i++) {
			if (h != 3)
				hand_wire_add(j, step, OTHER, i + 1, h,
					      (h + 5) % HOSTS);
		}
	}
}

static void a_burst_waits_for_itself(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, NULL);
	hand_wire_add_all(&j);
	for (uint32_t step = 0; step < STEPS; step++)
		add_burst(&j, step);
	hand_wire_run(&j);
	hand_wire_nobody(&j);
	hand_wire_end(&j);
}

/* What goes to host 0 arrives in twos: each gets half of its port. */
static void add_crowd(struct hand_wire *j, uint32_t step, uint32_t collective)
{
	for (uint32_t turn = 1; turn < HOSTS; turn++) {
		for (uint32_t h = 0; h < HOSTS; h++) {
			if ((h + turn) % HOSTS)
				hand_wire_add(j, step, collective, turn, h,
					      (h + turn) % HOSTS);
		}
	}
	for (uint32_t h = 1; h < HOSTS; h++) {
		uint32_t turn = HOSTS + h / 2;
		double shares = h > 1 ? 2 : 1;

		hand_wire_put(j,
			      (struct hand_wire_move){
				      h, 0, step, collective, turn,
				      hand_wire_at_us(step, collective, turn),
				      BASE_US + shares * PORT_US});
	}
}

static void a_crowded_port_is_not_slow(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++) {
		hand_wire_add_ring(&j, step);
		hand_wire_add_tree(&j, step);
		add_crowd(&j, step, EXCHANGE);
		add_crowd(&j, step, SECOND);
	}
	hand_wire_run(&j);
	hand_wire_nobody(&j);
	assert_true(j.r.strongest < 1);
	hand_wire_end(&j);
}

/* Not even where the tree is all there is. */
static void a_root_sends_more(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++)
		hand_wire_add_tree(&j, step);
	hand_wire_run(&j);
	hand_wire_nobody(&j);
	hand_wire_end(&j);
}

static void the_healthy_are_left_alone(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_work(&j, STEPS, NULL);
	hand_wire_nobody(&j);
	assert_true(j.r.strongest < 0.67);
	assert_int_equal(j.r.suspects, 0);
	assert_int_equal(j.r.n_slow, 0);
	hand_wire_end(&j);
}

static double clock_ahead(const struct hand_wire_move *t, double us)
{
	return us + (t->dst == 3) * AHEAD_US - (t->src == 3) * AHEAD_US;
}

static void clocks_are_no_ports(void **state)
{
	struct hand_wire j;

	(void)state;
	hand_wire_begin(&j, STEPS, clock_ahead);
	j.in.two_clocks = true;
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	hand_wire_nobody(&j);
	assert_true(j.r.two_clocks);
	hand_wire_end(&j);
	/* A slow port is still seen. */
	hand_wire_begin(&j, STEPS, hand_wire_slow_tx);
	j.in.two_clocks = true;
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	hand_wire_only(&j, NA_LZ_SRC, 5, 0, NA_LZ_ALL);
	hand_wire_end(&j);
}

/* ---- what would have been named */

static struct {
	uint32_t host;
	enum na_lz_kind side;
	double factor;
} planted;

static double plant(const struct hand_wire_move *t, double us)
{
	uint32_t h = planted.side == NA_LZ_SRC ? t->src : t->dst;
	double n = t->collective == TREE ? (us - BASE_US) / PORT_US : 1;

	return h == planted.host
		       ? us + (planted.factor - 1) * PORT_US * round(n)
		       : us;
}

static bool is_found(bool two_clocks)
{
	struct hand_wire j;
	bool found;

	hand_wire_begin(&j, STEPS, plant);
	j.in.two_clocks = two_clocks;
	hand_wire_add_all(&j);
	hand_wire_run(&j);
	found = j.r.n_findings == 1 &&
		j.r.findings[0].who.kind == planted.side &&
		j.r.findings[0].who.a == planted.host;
	hand_wire_end(&j);
	return found;
}

/* What would have been named is named, and all that is hand_wire_slower, too. */
static void power_is_kept(void **state)
{
	static const double more[] = {1, 1.5, 2, 3};
	struct hand_wire j;

	(void)state;
	for (int clocks = 0; clocks < 2; clocks++) {
		hand_wire_begin(&j, STEPS, NULL);
		j.in.two_clocks = clocks;
		hand_wire_add_all(&j);
		hand_wire_run(&j);
		assert_int_equal(j.r.n_power, 2 * HOSTS);
		for (size_t i = 0; i < j.r.n_power; i++) {
			const struct na_lz_power *p = &j.r.power[i];

			assert_true(p->factor > 1 &&
				    p->factor <= (clocks ? 4 : 2));
			assert_true((p->factor > 2) == (*p->why != 0));
			planted.host = p->host;
			planted.side = p->side;
			for (size_t k = 0; k < 4 && i % 5 < 2; k++) {
				planted.factor = p->factor * more[k];
				assert_true(is_found(clocks));
			}
		}
		hand_wire_end(&j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_culprit),
		cmocka_unit_test(a_mild_side_is_slow_everywhere),
		cmocka_unit_test(of_two_racks_the_way),
		cmocka_unit_test(of_two_racks_all_ways),
		cmocka_unit_test(a_mild_path_is_doubted),
		cmocka_unit_test(of_two_culprits_the_clearer),
		cmocka_unit_test(several_paths_are_no_link),
		cmocka_unit_test(paths_of_one_host_are_not_named),
		cmocka_unit_test(a_link_slows_some_of_each_pair),
		cmocka_unit_test(half_a_rack_is_no_link),
		cmocka_unit_test(what_they_send_each_other_tells),
		cmocka_unit_test(all_of_a_rack_share_its_switch),
		cmocka_unit_test(equal_racks_share_a_block),
		cmocka_unit_test(blocks_hide_nobody),
		cmocka_unit_test(now_and_then),
		cmocka_unit_test(one_collective_alone_is_no_port),
		cmocka_unit_test(steps_left_out_are_told),
		cmocka_unit_test(who_begins_late_is_not_named),
		cmocka_unit_test(losses),
		cmocka_unit_test(what_is_always_slow_waits_for_no_timer),
		cmocka_unit_test(a_burst_waits_for_itself),
		cmocka_unit_test(a_crowded_port_is_not_slow),
		cmocka_unit_test(a_root_sends_more),
		cmocka_unit_test(the_healthy_are_left_alone),
		cmocka_unit_test(clocks_are_no_ports),
		cmocka_unit_test(power_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
