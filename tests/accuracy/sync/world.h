/*
 * A world of its own to judge netan by: a synchronous job of many slices,
 * simulated event by event, with faults whose place and size are known.
 * It shares nothing with netan but draws of random numbers, so that netan's
 * assumptions are not its own.
 *
 * Hosts in racks; a rack has one up- and one downlink to each spine, and a
 * connection (source, destination, device) takes the spine that its hash
 * names.  Transfers are cut into segments, which queue first come, first
 * served at the sender's NIC, the links and the receiver's NIC.  Collectives
 * are graphs of sends and receives that wait for each other; hosts compute,
 * launch collectives and wait for them.
 *
 * Every draw is a hash of what it is for, never of the order of events:
 * two runs of a plan, with and without its faults, have the same draws.
 * Times are integers of nanoseconds since the job's start, on a true clock;
 * hosts' own clocks come in when a session is written (clock.c).
 */
#ifndef ACCURACY_SYNC_WORLD_H
#define ACCURACY_SYNC_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SY_HOSTS = 32,
	SY_RACKS = 8,
	SY_SPINES = 4,
	SY_DEVICES = 4, /* of a host */
	SY_COLLECTIVES = 8,
	SY_FAULTS = 3,
	SY_ANY = 0xff
};

enum sy_kind {
	SY_HEALTHY,
	SY_CONGESTED, /* oversubscribed links, load of others; no fault */
	SY_CLOCK,     /* one clock is far off; no fault */
	SY_COMPUTE,   /* one host computes slowly */
	SY_INPUT,     /* one host's input comes late */
	SY_TX,        /* a NIC sends slowly */
	SY_RX,        /* a NIC receives slowly */
	SY_FLAP,      /* a NIC is slow 10 to 30 % of the time */
	SY_LOSSY,     /* a NIC loses segments */
	SY_SPINE,     /* one spine, seen from one rack or between two */
	SY_TOR,       /* all up- or all downlinks of a rack */
	SY_TWO,       /* two faults of the six above */
	/* Only when asked for by name. */
	SY_BETWEEN, /* all links from one rack to another, or both ways */
	SY_THREE,   /* three hosts whose NICs are slow both ways */
	SY_KINDS,
	SY_USUAL = SY_BETWEEN /* kinds of a bench of all */
};

/* Where a fault sits. */
enum sy_place {
	SY_SRC,
	SY_DST,
	SY_HOST, /* both sides */
	SY_UPLINK,
	SY_DOWNLINK,
	SY_PATH, /* between two racks */
	SY_PLACES
};

enum sy_how { SY_RATE, SY_SERVICE, SY_LOSS };

struct sy_fault {
	enum sy_kind kind; /* SY_TX to SY_TOR, SY_BETWEEN, SY_THREE */
	enum sy_place place;
	enum sy_how how;
	uint32_t host;         /* SY_SRC, SY_DST, SY_HOST */
	uint32_t rack, toward; /* the others; toward: of SY_PATH */
	uint32_t spine;        /* or SY_ANY */
	double factor;         /* of a rate, or of a segment's service */
	double loss;           /* probability, of a segment */
	int64_t window_ns;     /* on or off for this long; 0: always on */
	double on_share;       /* of windows */
};

enum sy_pattern {
	SY_RING_GATHER,
	SY_RING_SCATTER,
	SY_RING_REDUCE, /* scatter, then gather */
	SY_BIRING_GATHER,
	SY_TREE_REDUCE, /* up a binary tree, and down */
	SY_DIRECT_GATHER,
	SY_DIRECT_REDUCE, /* scatter to all, then gather from all */
	SY_ALL_TO_ALL,
	SY_NEXT,   /* point to point: to the following rank, no wrap */
	SY_ACROSS, /* point to point: halfway around */
	SY_PATTERNS
};

struct sy_move { /* one transfer of a pattern, between ranks */
	uint8_t src, dst;
	bool reduces; /* the receiver adds it up before going on */
	uint16_t phase;
};

/* A send of phase p waits for its rank's receives of phases before p. */
struct sy_program {
	uint32_t n_moves, n_ranks, n_phases;
	struct sy_move *moves; /* by source, then phase */
	uint32_t *send_from;   /* [rank * (phases + 1) + phase] into moves */
	uint32_t *recv_from;   /* the same into recvs */
	uint32_t *recvs;       /* moves by destination, then phase */
};

/* False: no memory.  Release with sy_program_fini() in any case. */
bool sy_program_make(struct sy_program *p, enum sy_pattern pattern,
		     uint32_t n_ranks);
void sy_program_fini(struct sy_program *p);

struct sy_collective {
	enum sy_pattern pattern;
	struct sy_program program;
	int64_t bytes;       /* of each of its transfers */
	uint32_t wait_after; /* which stretch of compute */
	uint32_t number;     /* in its name */
};

struct sy_plan {
	uint64_t seed, key; /* key: of all draws while the job runs */
	enum sy_kind kind;
	uint32_t n_hosts, n_racks, n_spines, n_devices, n_steps;
	uint32_t hosts_per_slice; /* a group has one host of each slice */
	uint32_t rack_of[SY_HOSTS];

	double nic_gbps, link_gbps, oversubscription;
	int64_t segment_bytes, window_bytes;
	int64_t segment_ns;    /* fixed work of a NIC for a segment */
	double noise_ns;       /* mean delay of a segment at the receiver */
	int64_t hop_ns;        /* propagation and switching */
	int64_t ack_ns;        /* from arrival to the sender's knowledge */
	bool spray;            /* each transfer hashed, not each connection */
	double load, nic_load; /* of others: mean share of links, of NICs */
	int64_t load_ns;       /* for this long at one level */
	int64_t buffer_ns; /* queue from which segments may be lost; 0: none */
	double loss;       /* of any segment, by nobody's fault */
	int64_t timer_ns;  /* retransmission timeout */

	uint32_t n_collectives;
	struct sy_collective collectives[SY_COLLECTIVES];
	int64_t compute_ns[SY_COLLECTIVES + 1]; /* collective k is launched
						   after stretch k */
	double jitter;      /* sigma of the logarithm of compute */
	double pause;       /* probability of a pause, of a host and step */
	bool posts_in_turn; /* a receive is posted when its phase comes,
			       else all at launch */

	bool old_style;     /* host messages in place of action graphs */
	bool latency_waits; /* latency ends when the receiver took it */
	bool local_end;     /* a send ends when its last byte left */
	double clock_us;    /* clocks are off by up to this */
	int64_t offset_ns[SY_HOSTS];
	double drift_ppm[SY_HOSTS];
	uint32_t bad_clock; /* of SY_CLOCK, else SY_ANY */

	uint32_t late_host; /* SY_COMPUTE, SY_INPUT; else SY_ANY */
	double late_factor; /* SY_COMPUTE: of its compute */
	int64_t late_ns;    /* SY_INPUT */
	double late_share;  /* of steps */
	bool infeed;        /* input is waited for on the device */

	struct sy_fault faults[SY_FAULTS];
	uint32_t n_faults;
};

/* Session number `seed` of a kind.  False: no memory; release in any case. */
bool sy_plan_make(struct sy_plan *p, enum sy_kind kind, uint64_t seed);
void sy_plan_fini(struct sy_plan *p);

const char *sy_kind_name(enum sy_kind kind);
const char *sy_place_name(enum sy_place place);    /* as netan calls it */
const char *sy_type_name(enum sy_pattern pattern); /* ALL_REDUCE, ... */

/* Uniform in [0, 1), a function of its arguments. */
double sy_draw(const struct sy_plan *p, uint32_t what, uint64_t a, uint64_t b);

/* What is drawn. */
enum sy_what {
	SY_D_SPINE,
	SY_D_LOAD,
	SY_D_FAULT_ON,
	SY_D_LOSS,
	SY_D_FAST,
	SY_D_OVERFLOW,
	SY_D_COMPUTE,
	SY_D_PAUSE,
	SY_D_LATE,
	SY_D_GAP,
	SY_D_RECEIVE,
	SY_D_COPY,
	SY_D_START,
	SY_D_STAMP,
	SY_D_NOISE,
	SY_D_REDUCE
};

/* ---- what happened */

struct sy_transfer {
	uint8_t src, dst, device, spine; /* spine: SY_ANY in a rack */
	uint8_t collective;
	uint16_t phase;
	uint32_t step, move;
	int64_t bytes;
	int64_t begin;     /* the send action starts */
	int64_t sent;      /* its first segment was handed to the NIC */
	int64_t left;      /* its last byte left the NIC */
	int64_t landed;    /* its last segment arrived, maybe behind others */
	int64_t arrival;   /* all its bytes are handed over */
	int64_t acked;     /* the sender knows */
	int64_t posted;    /* the receive action starts */
	int64_t taken;     /* and ends */
	int64_t reduced;   /* and what it brought is added up; else 0 */
	uint16_t timeouts; /* of all causes */
	uint16_t caused[SY_FAULTS]; /* of these, by fault */
	/* while it moves */
	uint32_t n_segments, arrived, next;
};

struct sy_graph { /* a collective's execution on a device */
	int64_t launch, copied_out, copy_in, copied_in, end;
	/* while it runs */
	uint16_t phase;
	bool out;
	uint32_t sends_left, recvs_left;
};

struct sy_day {                    /* a host's step */
	int64_t start, end, input; /* input: from when, to start of compute */
	int64_t input_end;
	int64_t compute_from[SY_COLLECTIVES + 1];
	int64_t compute_to[SY_COLLECTIVES + 1];
	int64_t launch[SY_COLLECTIVES];
	int64_t wait_from[SY_COLLECTIVES], wait_to[SY_COLLECTIVES];
};

struct sy_run {
	const struct sy_plan *plan;
	uint32_t faults; /* bit i: with fault i; bit SY_FAULTS: late host */
	size_t n_transfers, n_graphs;
	struct sy_transfer *transfers;
	struct sy_graph *graphs;      /* see sy_graph_of() */
	struct sy_day *days;          /* [step * hosts + host] */
	size_t first[SY_COLLECTIVES]; /* transfers of collective k */
	size_t per_step[SY_COLLECTIVES];
};

enum { SY_WITH_ALL = (1 << (SY_FAULTS + 1)) - 1 };

/* Runs the plan with these of its faults.  False: no memory.  Release with
 * sy_run_fini() in any case. */
bool sy_run_make(struct sy_run *r, const struct sy_plan *p, uint32_t faults);
void sy_run_fini(struct sy_run *r);

struct sy_graph *sy_graph_of(const struct sy_run *r, uint32_t step,
			     uint32_t collective, uint32_t host,
			     uint32_t device);

/* Does a transfer pass the place of a fault? */
bool sy_passes(const struct sy_fault *f, const struct sy_plan *p,
	       const struct sy_transfer *t);

#endif
