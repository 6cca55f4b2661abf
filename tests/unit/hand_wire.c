/* Jobs made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/synth/rng.h"
#include "tests/unit/hand_wire.h"

uint32_t hand_wire_rack(uint32_t h)
{
	return h / IN_RACK;
}

/* -1 to 1, of the transfer alone. */
static double noise(const struct hand_wire_move *t)
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

void hand_wire_begin(struct hand_wire *j, uint32_t steps, hand_wire_fault *what)
{
	memset(j, 0, sizeof(*j));
	j->what = what;
	for (uint32_t h = 0; h < HOSTS; h++)
		j->rack_of[h] = hand_wire_rack(h);
	for (uint32_t c = 0; c < COLLECTIVES; c++)
		j->collective_of[c] = c;
	for (uint32_t i = 0; i < 2 * HOSTS * HOSTS; i++)
		j->connections[i] = (struct na_wire_connection){
			i / HOSTS % HOSTS, i % HOSTS};
	j->in = (struct na_wire_input){.n_hosts = HOSTS,
				       .n_racks = RACKS,
				       .n_connections = 2 * HOSTS * HOSTS,
				       .n_cells = COLLECTIVES,
				       .n_steps = steps,
				       .n_collectives = COLLECTIVES,
				       .connections = j->connections,
				       .collective_of = j->collective_of,
				       .rack_of = j->rack_of,
				       .block_of = j->block_of};
}

void hand_wire_put(struct hand_wire *j, struct hand_wire_move t)
{
	uint32_t device = j->two_devices && t.collective == SECOND;
	uint32_t way = (device * HOSTS + t.src) * HOSTS + t.dst;

	t.took_us *= exp(0.03 * noise(&t));
	if (j->what)
		t.took_us = j->what(&t, t.took_us);
	assert_true(
		na_add(&j->rows, ((struct na_wire_row){
					 .start_us = t.start_us,
					 .took_us = t.took_us,
					 .size_bytes = (float)CHUNK,
					 .connection = way,
					 .cell = t.collective,
					 .step = t.step,
				 })));
}

double hand_wire_at_us(uint32_t step, uint32_t collective, uint32_t turn)
{
	return step * STEP_US + collective * PART_US + turn * TURN_US;
}

/* One at a time through each port. */
void hand_wire_add(struct hand_wire *j, uint32_t step, uint32_t collective,
		   uint32_t turn, uint32_t src, uint32_t dst)
{
	hand_wire_put(j,
		      (struct hand_wire_move){src, dst, step, collective, turn,
					      hand_wire_at_us(step, collective,
							      turn),
					      BASE_US + PORT_US});
}

void hand_wire_add_exchange(struct hand_wire *j, uint32_t step,
			    uint32_t collective)
{
	for (uint32_t turn = 1; turn < HOSTS; turn++) {
		for (uint32_t h = 0; h < HOSTS; h++)
			hand_wire_add(j, step, collective, turn, h,
				      (h + turn) % HOSTS);
	}
}

void hand_wire_add_ring(struct hand_wire *j, uint32_t step)
{
	for (uint32_t turn = 0; turn < HOSTS - 1; turn++) {
		for (uint32_t h = 0; h < HOSTS; h++)
			hand_wire_add(j, step, RING, turn, h, (h + 1) % HOSTS);
	}
}

/* To the children: those of the root go out at once, each at a share of its
 * port; deeper ones are alone. */
void hand_wire_add_tree(struct hand_wire *j, uint32_t step)
{
	enum { CHILDREN = 3 };

	for (uint32_t h = 1; h < HOSTS; h++) {
		uint32_t parent = (h - 1) / CHILDREN;
		uint32_t first = parent * CHILDREN + 1;
		uint32_t n = HOSTS - first < CHILDREN ? HOSTS - first
						      : CHILDREN;

		hand_wire_put(j, (struct hand_wire_move){
					 parent, h, step, TREE, 0,
					 hand_wire_at_us(step, TREE, parent),
					 BASE_US + n * PORT_US});
	}
}

void hand_wire_run(struct hand_wire *j)
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

void hand_wire_add_all(struct hand_wire *j)
{
	for (uint32_t step = 0; step < j->in.n_steps; step++) {
		hand_wire_add_exchange(j, step, EXCHANGE);
		hand_wire_add_exchange(j, step, SECOND);
		hand_wire_add_ring(j, step);
		hand_wire_add_tree(j, step);
	}
}

void hand_wire_work(struct hand_wire *j, uint32_t steps, hand_wire_fault *what)
{
	hand_wire_begin(j, steps, what);
	hand_wire_add_all(j);
	hand_wire_run(j);
	assert_true(j->able);
}

void hand_wire_end(struct hand_wire *j)
{
	na_wire_result_fini(&j->r);
	na_vec_free(&j->rows);
}

const struct na_lz_finding *hand_wire_only(const struct hand_wire *j,
					   enum na_lz_kind kind, uint32_t a,
					   uint32_t b,
					   enum na_lz_channel channel)
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

void hand_wire_nobody(const struct hand_wire *j)
{
	assert_true(j->able);
	assert_int_equal(j->r.n_findings, 0);
	assert_int_equal(j->r.timeouts, 0);
}

double hand_wire_slower(double us)
{
	return us + (SLOW - 1) * PORT_US;
}

double hand_wire_slow_tx(const struct hand_wire_move *t, double us)
{
	return t->src == 5 ? hand_wire_slower(us) : us;
}

double hand_wire_slow_rx(const struct hand_wire_move *t, double us)
{
	return t->dst == 6 ? hand_wire_slower(us) : us;
}

double hand_wire_slow_host(const struct hand_wire_move *t, double us)
{
	return t->src == 9 || t->dst == 9 ? hand_wire_slower(us) : us;
}

double hand_wire_slow_path(const struct hand_wire_move *t, double us)
{
	return t->src == 2 && t->dst == 7 ? us + 4 * PORT_US : us;
}

double hand_wire_slow_uplink(const struct hand_wire_move *t, double us)
{
	return hand_wire_rack(t->src) == 1 && hand_wire_rack(t->dst) != 1
		       ? hand_wire_slower(us)
		       : us;
}

double hand_wire_slow_downlink(const struct hand_wire_move *t, double us)
{
	return hand_wire_rack(t->dst) == 2 && hand_wire_rack(t->src) != 2
		       ? hand_wire_slower(us)
		       : us;
}

/* Half of the rack's connections hash to the bad link. */
double hand_wire_half_uplink(const struct hand_wire_move *t, double us)
{
	return hand_wire_rack(t->src) == 1 && hand_wire_rack(t->dst) != 1 &&
			       (t->src + t->dst) % 2
		       ? us + 3 * PORT_US
		       : us;
}

double hand_wire_timer_us;

/* Seven transfers in seven steps, to other hosts each. */
bool hand_wire_is_lost(const struct hand_wire_move *t)
{
	return t->collective == EXCHANGE && t->step >= 2 && t->step < 9 &&
	       t->turn == t->step;
}

double hand_wire_tx_loses(const struct hand_wire_move *t, double us)
{
	return t->src == 4 && hand_wire_is_lost(t) ? us + hand_wire_timer_us
						   : us;
}
