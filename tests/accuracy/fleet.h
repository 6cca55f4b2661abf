/*
 * Simulated fleets whose culprits are known, as input for the judge.
 *
 * Two generators that share nothing but this header.  The statistical one
 * takes latencies from a formula with noise; the queueing one moves bytes
 * over shared links, event by event, so that its healthy pairs are slowed
 * by contention, dependence and pauses.
 */
#ifndef ACCURACY_FLEET_H
#define ACCURACY_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/judge/judge.h"
#include "tests/accuracy/draw.h"

enum { FL_TRUTHS = 3 };

#define FL_NONE NA_JUDGE_NONE

enum fl_generator { FL_STATISTICAL, FL_QUEUEING, FL_GENERATORS };

enum fl_how {
	FL_SLOW,    /* everything takes longer */
	FL_CAP,     /* less bandwidth: large transfers take longer */
	FL_TAILS,   /* now and then a timeout of 200 ms and more */
	FL_WINDOWS, /* slow in some steps only */
	FL_HOWS
};

enum fl_plan {
	FL_HEALTHY,
	FL_SKEWED, /* healthy; one clock is wrong */
	FL_SINGLE,
	FL_SEVERAL
};

struct fl_case { /* what a fleet is planned to be */
	const char *name;
	enum fl_plan plan;
	enum na_judge_cause kind; /* of FL_SINGLE */
	enum fl_how how;
};

/* A planted fault, and how much of it is in the records. */
struct fl_truth {
	struct na_place who;
	enum fl_how how;
	double factor;     /* as planted */
	double share;      /* FL_TAILS: of what passes */
	uint64_t affected; /* transfers that it touched */
	uint64_t tails;    /* transfers that held a timeout of its making */
	double ratio;      /* median slowdown of the affected */
	bool enough;       /* as many as "well-posed" asks for, and hosts */
	bool well_posed;   /* and slow enough */
};

enum fl_pattern { FL_ALL, FL_RING, FL_BIRING, FL_SPARSE, FL_PATTERNS };

struct fl_pair {
	uint32_t src, dst, locality; /* as fl_locality() */
	size_t n, first;             /* transfers */
};

struct fl_transfer {
	/* By the sender's clock, and to the receiver's; whole, at least 0. */
	double start_us, latency_us;
	/* Start and duration by the sender's clock, without a wait. */
	double own_start_us, own_us;
	float size_bytes;
	uint32_t collective, step;
};

struct fl_fleet {
	enum fl_generator generator;
	const struct fl_case *plan;
	uint64_t seed;
	enum fl_pattern pattern; /* queueing: of most transfers */
	uint32_t n_hosts, n_racks, n_steps, n_collectives;
	uint32_t *rack_of;       /* by host */
	uint32_t racks_per_zone; /* 0: one zone */
	bool one_class;          /* all paths are alike */
	bool waits;              /* latency holds the wait for the receiver */
	struct fl_truth truths[FL_TRUTHS];
	size_t n_truths;
	uint32_t skewed; /* host, or FL_NONE */
	double ahead_us;
	/* Transfers sorted by pair, then end. */
	size_t n_pairs, n_transfers, cap;
	struct fl_pair *pairs;
	struct fl_transfer *transfers;
	struct fl_record *records; /* as made */
};

struct fl_record {
	uint32_t src, dst, collective, step, order;
	double end_us, latency_us, own_us, bytes;
};

/* The cases in their fixed order: fleet i is case i mod *n. */
const struct fl_case *fl_cases(enum fl_generator g, size_t *n);

/* Fleet number `index` of a seed, or of a given case.  False when memory is
 * short; release with fl_fini() in any case. */
bool fl_make(enum fl_generator g, uint64_t seed, uint32_t index,
	     struct fl_fleet *out);
bool fl_make_case(enum fl_generator g, uint64_t seed, const struct fl_case *c,
		  struct fl_fleet *out);
void fl_fini(struct fl_fleet *f);

/* ---- for the generators */

bool fl_statistical(struct fl_fleet *f, struct na_rng *rng);
bool fl_queueing(struct fl_fleet *f, struct na_rng *rng);

bool fl_add(struct fl_fleet *f, const struct fl_record *r);

/* The locality class of a path: in a rack, in a zone, between zones. */
uint32_t fl_locality(const struct fl_fleet *f, uint32_t src, uint32_t dst);

bool fl_is_rack(enum na_judge_cause kind);

/* Does a transfer pass the place of a fault?  (No rack kinds.) */
bool fl_passes(const struct na_place *who, uint32_t src, uint32_t dst);

/* Which hosts and with what; for paths the caller names candidates. */
struct fl_path {
	uint32_t src, dst;
};
void fl_draw_truths(struct fl_fleet *f, struct na_rng *rng,
		    const struct fl_path *paths, size_t n_paths);

/* Steps of a fault that comes and goes: on[n_steps]. */
void fl_draw_windows(struct na_rng *rng, bool *on, uint32_t n_steps);

#endif
