/*
 * Who is slow from sends, on jobs made by hand: a ring, exchanges, a tree;
 * one known fault each, or something that is nobody's fault.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/base/vec.h"
#include "netan/methods/wire/wire.h"
#include "netan/synth/rng.h"

enum { HOSTS = 12, IN_RACK = 4, RACKS = HOSTS / IN_RACK, STEPS = 12 };
enum { EXCHANGE, SECOND, RING, TREE, OTHER, COLLECTIVES };

#define BASE_US  50.0
#define RATE     12500.0 /* bytes in a us: 100 Gbit/s */
#define CHUNK    16e6
#define TURN_US  12000.0
#define STEP_US  2e6
#define PART_US  (STEP_US / COLLECTIVES)
#define SLOW     2.5 /* of a faulty port's rate */
#define PORT_US  (CHUNK / RATE)
#define AHEAD_US 1000.0 /* a clock */

struct transfer {
	uint32_t src, dst, step, collective, turn;
	double start_us, took_us;
};

/* What it takes, from what it would. */
typedef double fault(const struct transfer *t, double us);

struct job {
	struct na_wire_input in;
	NA_VEC(struct na_wire_row) rows;
	struct na_wire_connection connections[HOSTS * HOSTS];
	uint32_t rack_of[HOSTS], collective_of[COLLECTIVES];
	fault *what;
	bool able;
	struct na_wire_result r;
};

static uint32_t rack(uint32_t h)
{
	return h / IN_RACK;
}

/* -1 to 1, of the transfer alone. */
static double noise(const struct transfer *t)
{
	struct na_rng rng;

	na_rng_seed(&rng,
		    (((t->src * HOSTS + t->dst) * UINT64_C(64) + t->step) *
			     COLLECTIVES +
		     t->collective) *
				    64 +
			    t->turn);
	return (double)na_rng_below(&rng, 2001) / 1000 - 1;
}

static void begin(struct job *j, uint32_t steps, fault *what)
{
	memset(j, 0, sizeof(*j));
	j->what = what;
	for (uint32_t h = 0; h < HOSTS; h++)
		j->rack_of[h] = rack(h);
	for (uint32_t c = 0; c < COLLECTIVES; c++)
		j->collective_of[c] = c;
	for (uint32_t i = 0; i < HOSTS * HOSTS; i++)
		j->connections[i] = (struct na_wire_connection){i / HOSTS,
								i % HOSTS};
	j->in = (struct na_wire_input){.n_hosts = HOSTS,
				       .n_racks = RACKS,
				       .n_connections = HOSTS * HOSTS,
				       .n_cells = COLLECTIVES,
				       .n_steps = steps,
				       .n_collectives = COLLECTIVES,
				       .connections = j->connections,
				       .collective_of = j->collective_of,
				       .rack_of = j->rack_of};
}

static void put(struct job *j, struct transfer t)
{
	t.took_us *= exp(0.03 * noise(&t));
	if (j->what)
		t.took_us = j->what(&t, t.took_us);
	assert_true(
		na_add(&j->rows, ((struct na_wire_row){
					 .start_us = t.start_us,
					 .took_us = t.took_us,
					 .size_bytes = (float)CHUNK,
					 .connection = t.src * HOSTS + t.dst,
					 .cell = t.collective,
					 .step = t.step,
				 })));
}

static double at_us(uint32_t step, uint32_t collective, uint32_t turn)
{
	return step * STEP_US + collective * PART_US + turn * TURN_US;
}

/* One at a time through each port. */
static void add(struct job *j, uint32_t step, uint32_t collective,
		uint32_t turn, uint32_t src, uint32_t dst)
{
	put(j, (struct transfer){src, dst, step, collective, turn,
				 at_us(step, collective, turn),
				 BASE_US + PORT_US});
}

static void add_exchange(struct job *j, uint32_t step, uint32_t collective)
{
	for (uint32_t turn = 1; turn < HOSTS; turn++) {
		for (uint32_t h = 0; h < HOSTS; h++)
			add(j, step, collective, turn, h, (h + turn) % HOSTS);
	}
}

static void add_ring(struct job *j, uint32_t step)
{
	for (uint32_t turn = 0; turn < HOSTS - 1; turn++) {
		for (uint32_t h = 0; h < HOSTS; h++)
			add(j, step, RING, turn, h, (h + 1) % HOSTS);
	}
}

/* To the children: those of the root go out at once, each at a share of its
 * port; deeper ones are alone. */
static void add_tree(struct job *j, uint32_t step)
{
	enum { CHILDREN = 3 };

	for (uint32_t h = 1; h < HOSTS; h++) {
		uint32_t parent = (h - 1) / CHILDREN;
		uint32_t first = parent * CHILDREN + 1;
		uint32_t n = HOSTS - first < CHILDREN ? HOSTS - first
						      : CHILDREN;

		put(j, (struct transfer){parent, h, step, TREE, 0,
					 at_us(step, TREE, parent),
					 BASE_US + n * PORT_US});
	}
}

static void run(struct job *j)
{
	struct na_err err = {0};

	j->in.rows = j->rows.v;
	j->in.n_rows = j->rows.n;
	assert_int_equal(na_wire(&j->in, &j->able, &j->r, &err), NA_OK);
	for (size_t i = 0; i < j->r.n_findings; i++) {
		const struct na_lz_finding *f = &j->r.findings[i];

		assert_true(isfinite(f->effect) && isfinite(f->ci_low));
		assert_true(isfinite(f->ci_high) && f->ci_low <= f->ci_high);
		assert_true(f->p_value >= 0 && f->p_value <= 1);
		assert_true(f->who.a < j->in.n_hosts);
	}
}

static void add_all(struct job *j)
{
	for (uint32_t step = 0; step < j->in.n_steps; step++) {
		add_exchange(j, step, EXCHANGE);
		add_exchange(j, step, SECOND);
		add_ring(j, step);
		add_tree(j, step);
	}
}

static void work(struct job *j, uint32_t steps, fault *what)
{
	begin(j, steps, what);
	add_all(j);
	run(j);
	assert_true(j->able);
}

static void end(struct job *j)
{
	na_wire_result_fini(&j->r);
	na_vec_free(&j->rows);
}

static const struct na_lz_finding *only(const struct job *j,
					enum na_lz_kind kind, uint32_t a,
					uint32_t b, enum na_lz_channel channel)
{
	const struct na_lz_finding *f = j->r.findings;

	assert_int_equal(j->r.n_findings, 1);
	assert_int_equal(f->who.kind, kind);
	assert_int_equal(f->who.a, a);
	if (kind == NA_LZ_PAIR)
		assert_int_equal(f->who.b, b);
	assert_int_equal(f->channel, channel);
	return f;
}

static void nobody(const struct job *j)
{
	assert_true(j->able);
	assert_int_equal(j->r.n_findings, 0);
	assert_int_equal(j->r.timeouts, 0);
}

/* ---- faults that last */

static double slower(double us)
{
	return us + (SLOW - 1) * PORT_US;
}

static double slow_tx(const struct transfer *t, double us)
{
	return t->src == 5 ? slower(us) : us;
}

static double slow_rx(const struct transfer *t, double us)
{
	return t->dst == 6 ? slower(us) : us;
}

static double slow_host(const struct transfer *t, double us)
{
	return t->src == 9 || t->dst == 9 ? slower(us) : us;
}

static double slow_path(const struct transfer *t, double us)
{
	return t->src == 2 && t->dst == 7 ? us + 4 * PORT_US : us;
}

static double slow_uplink(const struct transfer *t, double us)
{
	return rack(t->src) == 1 && rack(t->dst) != 1 ? slower(us) : us;
}

static double slow_downlink(const struct transfer *t, double us)
{
	return rack(t->dst) == 2 && rack(t->src) != 2 ? slower(us) : us;
}

/* Half of the rack's connections hash to the bad link. */
static double half_uplink(const struct transfer *t, double us)
{
	return rack(t->src) == 1 && rack(t->dst) != 1 && (t->src + t->dst) % 2
		       ? us + 3 * PORT_US
		       : us;
}

static void one_culprit(void **state)
{
	static const struct {
		fault *what;
		enum na_lz_kind kind;
		uint32_t a, b;
		enum na_lz_channel channel;
	} rows[] = {
		{slow_tx, NA_LZ_SRC, 5, 0, NA_LZ_ALL},
		{slow_rx, NA_LZ_DST, 6, 0, NA_LZ_ALL},
		{slow_host, NA_LZ_HOST, 9, 0, NA_LZ_ALL},
		{slow_path, NA_LZ_PAIR, 2, 7, NA_LZ_ALL},
		{slow_uplink, NA_LZ_RACK_UPLINK, 1, 0, NA_LZ_ALL},
		{slow_downlink, NA_LZ_RACK_DOWNLINK, 2, 0, NA_LZ_ALL},
		{half_uplink, NA_LZ_RACK_UPLINK, 1, 0, NA_LZ_ALL},
	};
	struct job j;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct na_lz_finding *f;

		work(&j, STEPS, rows[i].what);
		f = only(&j, rows[i].kind, rows[i].a, rows[i].b,
			 rows[i].channel);
		assert_true(f->effect > log(1.5) && f->effect < log(6));
		assert_int_equal(j.r.timeouts, 0);
		end(&j);
	}
}

static double both_faults(const struct transfer *t, double us)
{
	return slow_rx(t, slow_rx(t, slow_tx(t, us)));
}

/* The clearer one is named; a milder one in the same collectives looks like
 * its victims, so that it need not be.  Nobody else is. */
static void of_two_culprits_the_clearer(void **state)
{
	struct job j;

	(void)state;
	work(&j, STEPS, both_faults);
	assert_true(j.r.n_findings > 0);
	for (size_t i = 0; i < j.r.n_findings; i++) {
		const struct na_lz_who *who = &j.r.findings[i].who;

		assert_int_equal(who->kind, i ? NA_LZ_SRC : NA_LZ_DST);
		assert_int_equal(who->a, i ? 5 : 6);
	}
	end(&j);
}

/* ---- now and then */

enum { MANY = 24 };

static bool in_spell(uint32_t step)
{
	return step % 8 == 2 || step % 8 == 3 || step % 8 == 6;
}

static double both_sides_at_times(const struct transfer *t, double us)
{
	return in_spell(t->step) ? slow_host(t, us) : us;
}

static double one_side_at_times(const struct transfer *t, double us)
{
	return in_spell(t->step) ? slow_tx(t, us) : us;
}

static void now_and_then(void **state)
{
	const struct na_lz_finding *f;
	struct job j;

	(void)state;
	work(&j, MANY, both_sides_at_times);
	f = only(&j, NA_LZ_HOST, 9, 0, NA_LZ_WINDOW);
	assert_true(f->intermittent);
	assert_int_equal(f->n_windows, 9);
	for (size_t i = 0; i < f->n_windows; i++)
		assert_true(in_spell(f->windows[i].step));
	end(&j);
	work(&j, MANY, one_side_at_times);
	nobody(&j);
	assert_true(j.r.suspects > 0);
	end(&j);
}

/* ---- timers */

static double timer_us;

/* Seven transfers in seven steps, to other hosts each. */
static bool is_lost(const struct transfer *t)
{
	return t->collective == EXCHANGE && t->step >= 2 && t->step < 9 &&
	       t->turn == t->step;
}

static double tx_loses(const struct transfer *t, double us)
{
	return t->src == 4 && is_lost(t) ? us + timer_us : us;
}

static double rx_loses(const struct transfer *t, double us)
{
	return t->dst == 4 && is_lost(t) ? us + timer_us : us;
}

/* Each host once. */
static double all_lose(const struct transfer *t, double us)
{
	return t->collective == EXCHANGE && t->turn == 3 && t->src == t->step
		       ? us + timer_us
		       : us;
}

static void losses(void **state)
{
	static const double timers_us[] = {5000, 200000};
	struct job j;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct na_lz_finding *f;

		timer_us = timers_us[i];
		work(&j, STEPS, tx_loses);
		f = only(&j, NA_LZ_SRC, 4, 0, NA_LZ_RATE);
		assert_true(f->loses_packets);
		assert_int_equal(f->tails, 7);
		assert_int_equal(f->episodes, 7);
		assert_int_equal(j.r.timeouts, 0);
		end(&j);
		work(&j, STEPS, rx_loses);
		f = only(&j, NA_LZ_DST, 4, 0, NA_LZ_RATE);
		assert_int_equal(f->episodes, 7);
		end(&j);
		work(&j, STEPS, all_lose);
		assert_int_equal(j.r.n_findings, 0);
		assert_int_equal(j.r.timeouts, STEPS);
		end(&j);
	}
}

/* ---- nobody's fault */

/* A burst on one connection: each waits for those before it. */
static void add_burst(struct job *j, uint32_t step)
{
	for (uint32_t i = 0; i < 8; i++)
		put(j, (struct transfer){3, 8, step, OTHER, 0,
					 at_us(step, OTHER, 0),
					 BASE_US + (i + 1) * PORT_US});
	for (uint32_t h = 0; h < HOSTS; h++) {
		for (uint32_t i = 0; i < 8; i++) {
			if (h != 3)
				add(j, step, OTHER, i + 1, h, (h + 5) % HOSTS);
		}
	}
}

static void a_burst_waits_for_itself(void **state)
{
	struct job j;

	(void)state;
	begin(&j, STEPS, NULL);
	add_all(&j);
	for (uint32_t step = 0; step < STEPS; step++)
		add_burst(&j, step);
	run(&j);
	nobody(&j);
	end(&j);
}

/* What goes to host 0 arrives in twos: each gets half of its port. */
static void add_crowd(struct job *j, uint32_t step, uint32_t collective)
{
	for (uint32_t turn = 1; turn < HOSTS; turn++) {
		for (uint32_t h = 0; h < HOSTS; h++) {
			if ((h + turn) % HOSTS)
				add(j, step, collective, turn, h,
				    (h + turn) % HOSTS);
		}
	}
	for (uint32_t h = 1; h < HOSTS; h++) {
		uint32_t turn = HOSTS + h / 2;
		double shares = h > 1 ? 2 : 1;

		put(j, (struct transfer){h, 0, step, collective, turn,
					 at_us(step, collective, turn),
					 BASE_US + shares * PORT_US});
	}
}

static void a_crowded_port_is_not_slow(void **state)
{
	struct job j;

	(void)state;
	begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++) {
		add_ring(&j, step);
		add_tree(&j, step);
		add_crowd(&j, step, EXCHANGE);
		add_crowd(&j, step, SECOND);
	}
	run(&j);
	nobody(&j);
	assert_true(j.r.strongest < 1);
	end(&j);
}

/* Not even where the tree is all there is. */
static void a_root_sends_more(void **state)
{
	struct job j;

	(void)state;
	begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++)
		add_tree(&j, step);
	run(&j);
	nobody(&j);
	end(&j);
}

static void the_healthy_are_left_alone(void **state)
{
	struct job j;

	(void)state;
	work(&j, STEPS, NULL);
	nobody(&j);
	assert_true(j.r.strongest < 0.67);
	assert_int_equal(j.r.suspects, 0);
	assert_int_equal(j.r.slow_connections, 0);
	end(&j);
}

static double clock_ahead(const struct transfer *t, double us)
{
	return us + (t->dst == 3) * AHEAD_US - (t->src == 3) * AHEAD_US;
}

static void clocks_are_no_ports(void **state)
{
	struct job j;

	(void)state;
	begin(&j, STEPS, clock_ahead);
	j.in.two_clocks = true;
	add_all(&j);
	run(&j);
	nobody(&j);
	assert_true(j.r.two_clocks);
	end(&j);
	/* A slow port is still seen. */
	begin(&j, STEPS, slow_tx);
	j.in.two_clocks = true;
	add_all(&j);
	run(&j);
	only(&j, NA_LZ_SRC, 5, 0, NA_LZ_ALL);
	end(&j);
}

/* ---- what would have been named */

static struct {
	uint32_t host;
	enum na_lz_kind side;
	double factor;
} planted;

static double plant(const struct transfer *t, double us)
{
	uint32_t h = planted.side == NA_LZ_SRC ? t->src : t->dst;
	double n = t->collective == TREE ? (us - BASE_US) / PORT_US : 1;

	return h == planted.host
		       ? us + (planted.factor - 1) * PORT_US * round(n)
		       : us;
}

static bool is_found(bool two_clocks)
{
	struct job j;
	bool found;

	begin(&j, STEPS, plant);
	j.in.two_clocks = two_clocks;
	add_all(&j);
	run(&j);
	found = j.r.n_findings == 1 &&
		j.r.findings[0].who.kind == planted.side &&
		j.r.findings[0].who.a == planted.host;
	end(&j);
	return found;
}

/* What would have been named is named, and all that is slower, too. */
static void power_is_kept(void **state)
{
	static const double more[] = {1, 1.5, 2, 3};
	struct job j;

	(void)state;
	for (int clocks = 0; clocks < 2; clocks++) {
		begin(&j, STEPS, NULL);
		j.in.two_clocks = clocks;
		add_all(&j);
		run(&j);
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
		end(&j);
	}
}

/* ---- little, and strange */

static void few_say_nothing(void **state)
{
	struct job j;

	(void)state;
	begin(&j, NA_WIRE_MIN_STEPS - 1, slow_tx);
	add_all(&j);
	run(&j);
	assert_false(j.able);
	assert_int_equal(j.r.n_findings, 0);
	assert_null(j.r.power);
	end(&j);
	begin(&j, STEPS, slow_tx);
	run(&j);
	assert_false(j.able);
	end(&j);
	begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++) {
		add(&j, step, RING, 0, 0, 1);
		add(&j, step, RING, 0, 1, 2);
		add(&j, step, RING, 0, 2, 0);
	}
	j.in.n_hosts = 3;
	run(&j);
	assert_false(j.able);
	end(&j);
}

static void shuffle(struct job *j)
{
	struct na_rng rng;

	na_rng_seed(&rng, 7);
	for (size_t i = j->rows.n; i > 1; i--) {
		size_t k = (size_t)na_rng_below(&rng, i);
		struct na_wire_row r = j->rows.v[i - 1];

		j->rows.v[i - 1] = j->rows.v[k];
		j->rows.v[k] = r;
	}
}

static void order_does_not_matter(void **state)
{
	static fault *const faults[] = {slow_host, half_uplink, slow_path,
					tx_loses};
	struct job a, b;

	(void)state;
	timer_us = 200000;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		work(&a, STEPS, faults[i]);
		begin(&b, STEPS, faults[i]);
		add_all(&b);
		shuffle(&b);
		run(&b);
		assert_int_equal(a.r.n_findings, b.r.n_findings);
		for (size_t k = 0; k < a.r.n_findings; k++) {
			const struct na_lz_finding *f = &a.r.findings[k];
			const struct na_lz_finding *g = &b.r.findings[k];

			assert_memory_equal(&f->who, &g->who, sizeof(f->who));
			assert_true(fabs(f->effect - g->effect) < 1e-5);
			assert_int_equal(f->transfers, g->transfers);
		}
		for (size_t k = 0; k < a.r.n_power; k++)
			assert_memory_equal(&a.r.power[k].factor,
					    &b.r.power[k].factor,
					    sizeof(double));
		end(&a);
		end(&b);
	}
}

/* Times that cannot be are left out, however many. */
static void strange_values(void **state)
{
	static const double times[] = {NAN, INFINITY, -INFINITY, -1, 1e300};
	struct job j;

	(void)state;
	begin(&j, STEPS, slow_tx);
	add_all(&j);
	for (size_t n = j.rows.n, i = 0; i < 2 * n; i++) {
		struct na_wire_row r = j.rows.v[i / 2];
		double x = times[i % 5];

		if (i % 2 && (isnan(x) || fabs(x) > 1e15))
			r.start_us = x;
		else
			r.took_us = x;
		if (i % 7 == 0)
			r.size_bytes = i % 2 ? NAN : -1;
		assert_true(na_add(&j.rows, r));
	}
	run(&j);
	only(&j, NA_LZ_SRC, 5, 0, NA_LZ_ALL);
	end(&j);
	begin(&j, STEPS, NULL);
	for (uint32_t step = 0; step < STEPS; step++)
		add(&j, step, RING, 0, 0, 1);
	for (size_t i = 0; i < j.rows.n; i++)
		j.rows.v[i].took_us = NAN;
	run(&j);
	assert_false(j.able);
	end(&j);
}

static double any_time(struct na_rng *rng)
{
	static const double odd[] = {0,   0.5,      1,    1e12,  -1,
				     NAN, INFINITY, 1e15, 1e-300};

	return na_rng_below(rng, 5)
		       ? (double)na_rng_below(rng, 100000)
		       : odd[na_rng_below(rng, sizeof(odd) / sizeof(odd[0]))];
}

static void any_input(struct na_rng *rng)
{
	struct job j;
	size_t n = (size_t)na_rng_below(rng, 300);

	begin(&j, (uint32_t)na_rng_below(rng, 9), NULL);
	j.in.n_hosts = na_rng_below(rng, HOSTS + 1);
	j.in.n_racks = na_rng_below(rng, RACKS + 1);
	j.in.two_clocks = na_rng_below(rng, 2);
	for (uint32_t h = 0; h < HOSTS && j.in.n_racks; h++)
		j.rack_of[h] = (uint32_t)na_rng_below(rng, j.in.n_racks);
	for (size_t i = 0; i < n && j.in.n_hosts && j.in.n_steps; i++) {
		uint32_t src = (uint32_t)na_rng_below(rng, j.in.n_hosts);
		uint32_t dst = (uint32_t)na_rng_below(rng, j.in.n_hosts);

		assert_true(na_add(
			&j.rows,
			((struct na_wire_row){
				.start_us = any_time(rng),
				.took_us = any_time(rng),
				.size_bytes = (float)na_rng_below(
					rng, UINT64_C(1)
						     << na_rng_below(rng, 40)),
				.connection = src * HOSTS + dst,
				.cell = (uint32_t)na_rng_below(rng,
							       COLLECTIVES),
				.step = (uint32_t)na_rng_below(rng,
							       j.in.n_steps),
			})));
	}
	run(&j);
	end(&j);
}

static void any_input_is_survived(void **state)
{
	struct na_rng rng;

	(void)state;
	na_rng_seed(&rng, 3);
	for (int i = 0; i < 3000; i++)
		any_input(&rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_culprit),
		cmocka_unit_test(of_two_culprits_the_clearer),
		cmocka_unit_test(now_and_then),
		cmocka_unit_test(losses),
		cmocka_unit_test(a_burst_waits_for_itself),
		cmocka_unit_test(a_crowded_port_is_not_slow),
		cmocka_unit_test(a_root_sends_more),
		cmocka_unit_test(the_healthy_are_left_alone),
		cmocka_unit_test(clocks_are_no_ports),
		cmocka_unit_test(power_is_kept),
		cmocka_unit_test(few_say_nothing),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(strange_values),
		cmocka_unit_test(any_input_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
