/*
 * Queueing fleets: hosts that run a program of collectives over shared
 * links, event by event.
 *
 *	host tx -> rack uplink -> spine -> rack downlink -> host rx
 *
 * A link serves segments first come, first served.  Each pair of hosts has
 * a few connections, each hashed onto one spine; a connection moves one
 * message at a time, a window of segments in flight, so that connections
 * share a link about evenly and a slow receiver holds up nobody else's.
 * A host enters a stage of the program when all that it sent and awaited in
 * the one before is done: one slow transfer makes others late.
 *
 * Whatever is drawn depends on the seed and what it is drawn for, never on
 * the order of events, so that the same run without its fault is the same
 * run.  Times are picoseconds.
 */
#ifndef ACCURACY_QUEUE_H
#define ACCURACY_QUEUE_H

#include "tests/accuracy/fleet.h"

enum { FQ_COLLECTIVES = 5, FQ_SEGMENTS = 16 };

enum fq_kind {
	FQ_ALL_AT_ONCE, /* everybody to everybody */
	FQ_ALL_ROUNDS,  /* the same, one peer after the other */
	FQ_RING,
	FQ_BIRING,
	FQ_SPARSE, /* some partners each */
	FQ_GATHER, /* all to one, then one to all */
	FQ_KINDS
};

struct fq_collective {
	enum fq_kind kind;
	double bytes;
	uint32_t phases, group; /* hosts in blocks of `group` */
	uint32_t degree, root;  /* of SPARSE, of GATHER */
	int64_t gap_ps;         /* mean computing after it */
};

struct fq_message {
	uint32_t src, dst, stage;
	uint16_t segments;
	uint8_t connection, spine;
	float bytes;
};

struct fq_stage {
	uint32_t step, collective;
	bool last; /* of its collective */
};

struct fq_fault {
	uint32_t connection; /* of a pair; FL_NONE: all */
	uint32_t spine;      /* of a rack; FL_NONE: all */
	double ps_per_byte;  /* of a path's own bottleneck */
	bool *on;            /* by step, or NULL: always */
};

enum fq_latency {
	FQ_NO_WAIT,   /* from the first byte on the wire */
	FQ_QUEUED,    /* and the wait in the sender's queue */
	FQ_RENDEZVOUS /* and the wait for the receiver to be ready */
};

struct fq_world {
	struct fl_fleet *f;
	uint32_t n_hosts, n_spines, n_connections, window;
	double segment_bytes, nic_ps_per_byte, spine_ps_per_byte;
	int64_t overhead_ps, near_ps, far_ps;
	double overhead_sigma, jitter_sigma;
	double cross_traffic; /* of others: up to this share of a link */
	enum fq_latency latency;
	bool eager; /* the receiver need not be ready */
	uint32_t straggler;
	double straggler_factor;
	double pause_share; /* of a host's stages */
	uint32_t pauser;    /* pauses more often, or FL_NONE */
	double pauser_factor;
	double loss; /* of a segment, anywhere */
	int64_t buffer_ps;
	double drop; /* of a segment that waits longer than that */
	struct fq_collective colls[FQ_COLLECTIVES];
	struct fq_fault faults[FL_TRUTHS];
	/* The program. */
	struct fq_stage *stages;
	struct fq_message *messages; /* by stage, source */
	uint32_t *first;             /* [stage * n_hosts + host] and one more */
	size_t n_stages, cap_stages, n_messages, cap_messages, cap_first;
	size_t n_first;
};

struct fq_outcome { /* of a message */
	int64_t ready_ps, begun_ps, end_ps, posted_ps;
	uint32_t timeouts;
};

/* queue_program.c */
bool fq_program(struct fq_world *w, uint32_t n_steps);
uint32_t fq_messages_per_step(const struct fq_world *w);

/* queue_run.c: with or without the faults; out[n_messages]. */
bool fq_run(const struct fq_world *w, bool faulty, struct fq_outcome *out);

/* Does a message meet fault i, now?  (Of any kind.) */
bool fq_meets(const struct fq_world *w, size_t i, const struct fq_message *m);

#endif
