/*
 * The simulated job: what runs (the program), and what happened when (the
 * log).  Times are picoseconds of a true clock that starts with the job;
 * host-side instants are whole nanoseconds.
 *
 * Network model: each host has LANES lanes each way, each a share of the
 * link.  A transfer holds one lane at both ends from its start to its end,
 * and takes at least bytes / lane rate, so that the transfers a host has in
 * flight can never add up to more than its link.  Waiting for a lane, for
 * the receiver to post its buffer, or for the copy out of the device
 * happens before the start and is no part of the latency.
 */
#ifndef NETAN_SYNTH_JOB_JOB_H
#define NETAN_SYNTH_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/vec.h"
#include "netan/synth/job/fault.h"
#include "netan/synth/rng.h"
#include "netan/synth/synth.h"

enum na_coll_kind {
	NA_COLL_ONE_TO_ONE,
	NA_COLL_ALL_GATHER,
	NA_COLL_ALL_REDUCE,
	NA_COLL_ALL_TO_ALL,
	NA_COLL_REDUCE_SCATTER
};

struct na_coll {
	char name[48]; /* rendezvous: "all-reduce.12_0" */
	enum na_coll_kind kind;
	uint64_t bytes;     /* what one device puts in */
	uint64_t out_bytes; /* what it gets back */
	uint32_t phases;    /* rounds of sending */
	uint32_t number;    /* suffix of its ops: "send.12" */
	int64_t channel;    /* of send; recv has the next */
	int64_t stall_ps;   /* planted: its copy back takes so much longer */
	bool ring, small_slack, looped;
	bool whole; /* planted: a share is sent in one piece */
};

/* One execution of a collective within a step. */
struct na_slot {
	uint32_t coll, iteration;
};

enum na_op_kind {
	NA_OP_COMPUTE,
	NA_OP_RECV,
	NA_OP_SEND,
	NA_OP_SEND_DONE,
	NA_OP_RECV_DONE,
	NA_OP_ICI, /* a collective inside the slice, whole or in two */
	NA_OP_ICI_START,
	NA_OP_ICI_DONE
};

/* A collective between the devices of a slice. */
struct na_ici {
	uint64_t bytes, input_bytes; /* of its result, and of what goes in */
	int64_t channel, mean_ps;
	uint32_t number; /* "all-reduce.501" */
	uint32_t n_groups, group_size, stride;
	bool gather, split;
};

struct na_op {
	enum na_op_kind kind;
	uint32_t slot;   /* DCN; ICI...: which na_ici */
	uint32_t fusion; /* COMPUTE: which one */
	int64_t mean_ps;
};

struct na_graph { /* one execution on one device */
	uint32_t dev;
	uint32_t waiting; /* first transfer that came early */
	uint32_t phase;   /* phase that is being received */
	uint32_t sends_left, reduces, n_sends, n_recvs;
	bool started, done;
	int64_t start_ps, end_ps;
	int64_t d2h_start_ps, d2h_end_ps, h2d_start_ps, h2d_end_ps;
};

struct na_xfer {
	uint32_t src_dev, dst_dev; /* numbers over the whole job */
	uint32_t src_graph, dst_graph;
	uint32_t phase, chunk, next;
	uint32_t entries; /* chunks told in one message */
	bool tail;
	uint64_t bytes;
	int64_t start_ps, end_ps, acked_ps;
};

struct na_reduce {
	uint32_t graph;
	int64_t start_ps, end_ps;
};

struct na_op_event {
	uint32_t op, step;
	int64_t start_ps, dur_ps;
};

struct na_span {
	int64_t start_ps, end_ps;
};

struct na_dev {
	uint32_t host, slice, in_slice, local;
	NA_VEC(struct na_op_event) ops;
	struct na_span *steps; /* n_steps of them */
};

/* What --without leaves out. */
enum na_without {
	NA_WITHOUT_HLO,
	NA_WITHOUT_LONG_NAMES,
	NA_WITHOUT_STEPS,
	NA_WITHOUT_MODULES,
	NA_WITHOUT_DCN_INFO,
	NA_WITHOUT_DONE_RENDEZVOUS,
	NA_WITHOUT_CHANNELS,
	NA_WITHOUT_RUN_IDS,
	NA_WITHOUT_LOCAL_IDS,
	NA_WITHOUT_INPUTS,
	NA_N_WITHOUT
};
const char *na_without_offered(size_t k); /* NULL behind the last */

struct na_job {
	const struct na_synth_config *cfg;
	struct na_fault *faults;
	size_t n_faults;
	uint32_t n_hosts, n_slices, n_devs, n_steps, n_ops, n_colls, n_slots;
	uint32_t n_fusions, n_icis;
	uint32_t without; /* bits of enum na_without */
	uint64_t program_id;
	int64_t start_unix_ns; /* wall clock at 0 ps */
	int64_t *ahead_ns;     /* by host: clock error */
	int64_t *lead_ns;      /* by host: capture began before 0 */
	int64_t *late_ps;      /* by host, then step: its input was late */
	struct na_coll *colls;
	struct na_slot *slots;
	struct na_ici *icis;
	struct na_gpu *gpu; /* gpu.h; NULL for other jobs */
	struct na_op *ops;  /* program of a step */
	struct na_dev *devs;
	struct na_graph *graphs; /* by step, then slot, then device */
	struct na_xfer *xfers;
	struct na_reduce *reduces;
	size_t n_xfers, cap_xfers, n_reduces, cap_reduces;
	int64_t end_ps; /* when the last device stopped */
};

NA_MUST_CHECK enum na_status na_job_init(struct na_job *job,
					 const struct na_synth_config *cfg,
					 struct na_err *err);
void na_job_fini(struct na_job *job);

/* Where what makes the job and its hosts is drawn, and noise begins. */
void na_job_repeat(const struct na_job *job, struct na_rng *rng);

/* The first device of a host whose plane is written. */
uint32_t na_job_first_plane(const struct na_job *job);

bool na_job_without(const struct na_job *job, enum na_without what);

/* "send", "recv-done", "fusion" ...; of the data-center network, or not of
 * any. */
const char *na_hlo_opcode(enum na_op_kind kind);
/* "all-reduce-start" ..., and with its number. */
const char *na_ici_opcode(const struct na_ici *c, enum na_op_kind kind);
void na_ici_name(const struct na_ici *c, enum na_op_kind kind, char *buf,
		 size_t size);

/* program.c: the collectives and the ops of one step. */
NA_MUST_CHECK enum na_status
na_program_build(struct na_job *job, struct na_rng *rng, struct na_err *err);

/* sim.c: fills devs[].ops, steps, graphs, xfers and reduces. */
NA_MUST_CHECK enum na_status na_sim_run(struct na_job *job, struct na_rng *rng,
					struct na_err *err);

/* Of the data-center network. */
static inline bool na_op_is_dcn(enum na_op_kind kind)
{
	return kind >= NA_OP_RECV && kind <= NA_OP_RECV_DONE;
}

/* slice * 100000 + device in the slice. */
int64_t na_dev_id(const struct na_dev *dev);

/* Phases of the first half of an all-reduce, and of a reduce-scatter, add
 * what came to what is there. */
bool na_phase_reduces(const struct na_coll *c, uint32_t phase);

/* What a device sends one peer in a phase, in how many pieces, to how many. */
uint64_t na_coll_share(const struct na_job *job, const struct na_coll *c);
uint32_t na_coll_pieces(const struct na_job *job, const struct na_coll *c);
uint32_t na_coll_peers(const struct na_job *job, const struct na_coll *c);

/* "ALL_REDUCE" and the like. */
const char *na_coll_type(enum na_coll_kind kind);

/* The first fault of a kind on a host, or NULL. */
const struct na_fault *na_job_fault(const struct na_job *job,
				    enum na_fault_kind kind, uint32_t host);

/* Step, slot and collective of a graph. */
uint32_t na_graph_step(const struct na_job *job, size_t graph);
uint32_t na_graph_slot(const struct na_job *job, size_t graph);
const struct na_coll *na_graph_coll(const struct na_job *job, size_t graph);

/* The graph at share i / n of the executions of a host's first device: where
 * the i-th of n things that a fault plants goes. */
uint32_t na_graph_at(const struct na_job *job, uint32_t host, int64_t i,
		     int64_t n);

/* Faults that plant receives. */
enum { NA_EXTRA_KINDS = 3 };
extern const enum na_fault_kind na_extra_kinds[NA_EXTRA_KINDS];

/* "host-3"; buf holds 32 bytes. */
const char *na_host_name(char *buf, uint32_t host);

/*
 * What the receiver's clock and the sender's stamp make of a latency, in
 * whole microseconds; a clock behind the sender's cannot show less than 0.
 */
int64_t na_seen_latency_us(const struct na_job *job, const struct na_xfer *x);

/* True time to the time base of a host's file. */
int64_t na_host_time(const struct na_job *job, uint32_t host, int64_t ps);

#endif
