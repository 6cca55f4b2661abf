/*
 * Jobs made by hand, as na_wire() takes them: a ring, exchanges, a tree, of
 * hosts in racks; a fault, if any, changes what each transfer takes.
 */
#ifndef TESTS_UNIT_HAND_WIRE_H
#define TESTS_UNIT_HAND_WIRE_H

#include "netan/base/vec.h"
#include "netan/methods/wire/wire.h"

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

struct hand_wire_move {
	uint32_t src, dst, step, collective, turn;
	double start_us, took_us;
};

/* What it takes, from what it would. */
typedef double hand_wire_fault(const struct hand_wire_move *t, double us);

struct hand_wire {
	struct na_wire_input in;
	NA_VEC(struct na_wire_row) rows;
	struct na_wire_connection connections[2 * HOSTS * HOSTS];
	uint32_t rack_of[HOSTS], block_of[HOSTS], collective_of[COLLECTIVES];
	hand_wire_fault *what;
	bool two_devices; /* SECOND is of another one than the rest */
	bool able;
	struct na_wire_result r;
};

uint32_t hand_wire_rack(uint32_t h);
void hand_wire_begin(struct hand_wire *j, uint32_t steps,
		     hand_wire_fault *what);
void hand_wire_put(struct hand_wire *j, struct hand_wire_move t);
double hand_wire_at_us(uint32_t step, uint32_t collective, uint32_t turn);
void hand_wire_add(struct hand_wire *j, uint32_t step, uint32_t collective,
		   uint32_t turn, uint32_t src, uint32_t dst);
void hand_wire_add_exchange(struct hand_wire *j, uint32_t step,
			    uint32_t collective);
void hand_wire_add_ring(struct hand_wire *j, uint32_t step);
void hand_wire_add_tree(struct hand_wire *j, uint32_t step);
void hand_wire_run(struct hand_wire *j);
void hand_wire_add_all(struct hand_wire *j);
void hand_wire_work(struct hand_wire *j, uint32_t steps, hand_wire_fault *what);
void hand_wire_end(struct hand_wire *j);
const struct na_lz_finding *hand_wire_only(const struct hand_wire *j,
					   enum na_lz_kind kind, uint32_t a,
					   uint32_t b,
					   enum na_lz_channel channel);
void hand_wire_nobody(const struct hand_wire *j);
double hand_wire_slower(double us);
double hand_wire_slow_tx(const struct hand_wire_move *t, double us);
double hand_wire_slow_rx(const struct hand_wire_move *t, double us);
double hand_wire_slow_host(const struct hand_wire_move *t, double us);
double hand_wire_slow_path(const struct hand_wire_move *t, double us);
double hand_wire_slow_uplink(const struct hand_wire_move *t, double us);
double hand_wire_slow_downlink(const struct hand_wire_move *t, double us);
double hand_wire_half_uplink(const struct hand_wire_move *t, double us);
bool hand_wire_is_lost(const struct hand_wire_move *t);
double hand_wire_tx_loses(const struct hand_wire_move *t, double us);
extern double hand_wire_timer_us; /* what a lost one waits for */

#endif
