/*
 * A PyTorch job over NCCL: ranks on hosts, in tensor, pipeline and data
 * parallel groups.  A collective begins on a rank when that rank has come
 * to it, and ends on all of its group together, a transfer after the last
 * one came.  What is simulated is written as profilers and recorders would
 * have: kineto.c, recorder.c, inspector.c.
 *
 * Ranks are numbered as Megatron does: tensor first, then data, then
 * pipeline.  All times are ps since the job's start on one true clock; a
 * host's own clock is ahead of it by ahead_ps.
 */
#ifndef NETAN_SYNTH_PYTORCH_PYTORCH_H
#define NETAN_SYNTH_PYTORCH_PYTORCH_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/vec.h"
#include "netan/base/wire_out.h"
#include "netan/synth/job/fault.h"
#include "netan/synth/rng.h"
#include "netan/synth/synth.h"

/* In the order in which a job makes its groups. */
enum na_torch_role {
	NA_ROLE_WORLD,
	NA_ROLE_TENSOR,
	NA_ROLE_PIPELINE,
	NA_ROLE_DATA,
	NA_N_ROLES
};

enum na_torch_kind {
	NA_TORCH_ALL_REDUCE,
	NA_TORCH_ALL_GATHER,
	NA_TORCH_REDUCE_SCATTER,
	NA_TORCH_SEND,
	NA_TORCH_RECV
};

/* What each format calls an operation. */
struct na_torch_names {
	const char *collective; /* Kineto */
	const char *recorder;   /* profiling_name, without "nccl:" */
	const char *inspector;
	const char *kernel;
};
extern const struct na_torch_names na_torch_names[];

/* One operation of the program of a pipeline stage. */
struct na_torch_op {
	int role; /* enum na_torch_role */
	enum na_torch_kind kind;
	uint32_t ordinal; /* among the instances of its group in a step */
	uint32_t count;   /* among the rank's operations of its group there */
	uint32_t peer;    /* stage, of a send or receive */
	int64_t gap_ps;   /* computing before it */
	uint64_t in, out; /* elements */
};

struct na_torch_program {
	NA_VEC(struct na_torch_op) ops;
	uint32_t counts[NA_N_ROLES]; /* operations of a step */
};

struct na_torch_role_info {
	uint32_t size, groups;
	uint32_t first_name; /* the first group's number among all */
	uint32_t pg_id;      /* a rank's number of its group */
	uint32_t per_step;   /* instances of a group in a step */
};

/* One execution of an operation by its group, or by two ranks of it. */
struct na_torch_instance {
	int64_t first_ps, last_ps, end_ps, transfer_ps;
	uint32_t arrived, last_rank;
	bool done, poisoned; /* who came did not call the same */
};

/* A rank's part in an operation; its index is step * ops + op. */
struct na_torch_event {
	int64_t arrive_ps, end_ps;
	enum { NA_TORCH_UNSEEN, NA_TORCH_ENQUEUED, NA_TORCH_DONE } state;
};

struct na_torch_kernel {
	int64_t start_ps, dur_ps;
	uint32_t step, op; /* it computes before that operation */
};

struct na_torch_rank {
	struct na_torch_event *events;
	NA_VEC(struct na_torch_kernel) kernels;
	int64_t *step_ps; /* n_steps + 1 bounds */
	int64_t now_ps, stream_ps[NA_N_ROLES];
	uint32_t at; /* index of the event that comes next */
	struct na_torch_instance *sending;
	struct na_rng rng;
	bool queued, halted, arrived;
	const struct na_fault *hang; /* that was planted here */
	uint32_t hang_event;
};

/* What --without leaves out of the files. */
enum na_torch_without {
	NA_TORCH_WITHOUT_SEQ,
	NA_TORCH_WITHOUT_KERNEL_ARGS,
	NA_TORCH_WITHOUT_DISTRIBUTED,
	NA_TORCH_WITHOUT_FRAMES,
	NA_TORCH_N_WITHOUT
};

struct na_torch_job {
	const struct na_synth_config *cfg;
	struct na_fault *faults;
	size_t n_faults;
	uint32_t n_hosts, n_ranks, n_steps, stages, micros;
	struct na_torch_role_info roles[NA_N_ROLES];
	struct na_torch_program *programs; /* by stage */
	struct na_torch_rank *ranks;
	struct na_torch_instance *instances[NA_N_ROLES];
	int64_t *ahead_ps; /* by host */
	int64_t start_unix_ns, end_ps;
	uint32_t without; /* bits of enum na_torch_without */
	int differs;      /* of a mismatch: an enum na_torch_differs */
	/* It hangs in its last step; hosts wait for each send and receive;
	 * dumps hold only what is unfinished. */
	bool hangs, waits_p2p, only_active;
};

enum na_torch_differs { NA_DIFFERS_OPERATION, NA_DIFFERS_SIZE };

/* ---- program.c: who does what with whom */

NA_MUST_CHECK enum na_status na_torch_program(struct na_torch_job *job,
					      struct na_err *err);
uint32_t na_torch_stage(const struct na_torch_job *job, uint32_t rank);
uint32_t na_torch_host(const struct na_torch_job *job, uint32_t rank);
/* The group of a role that a rank is in, its place there, and back. */
uint32_t na_torch_group(const struct na_torch_job *job, int role,
			uint32_t rank);
uint32_t na_torch_place(const struct na_torch_job *job, int role,
			uint32_t rank);
uint32_t na_torch_member(const struct na_torch_job *job, int role,
			 uint32_t group, uint32_t place);
const char *na_torch_role_name(int role);
/* The number that is a group's name. */
uint32_t na_torch_group_name(const struct na_torch_job *job, int role,
			     uint32_t group);
/* "[0, 1, 2]"; at most `most` of them, then "...". */
void na_torch_ranks(struct na_wire *w, const struct na_torch_job *job, int role,
		    uint32_t group, uint32_t most);
const struct na_torch_op *na_torch_op(const struct na_torch_job *job,
				      uint32_t rank, uint32_t event);
struct na_torch_instance *na_torch_instance(const struct na_torch_job *job,
					    uint32_t rank, uint32_t event);
/* 1 for the first of its group; sends and receives count by rank. */
uint32_t na_torch_sequence(const struct na_torch_job *job, uint32_t rank,
			   uint32_t event);
/* The rank at the other end of a send or receive. */
uint32_t na_torch_peer(const struct na_torch_job *job, uint32_t rank,
		       const struct na_torch_op *op);
static inline bool na_torch_p2p(const struct na_torch_op *op)
{
	return op->kind >= NA_TORCH_SEND;
}
/* Of a planted mismatch, what the rank called instead. */
struct na_torch_op na_torch_called(const struct na_torch_job *job,
				   uint32_t rank, uint32_t event);

/* ---- sim.c */

NA_MUST_CHECK enum na_status na_torch_run(struct na_torch_job *job,
					  struct na_err *err);
const struct na_fault *na_torch_fault(const struct na_torch_job *job,
				      enum na_fault_kind kind, uint32_t target);
bool na_torch_is_hang(enum na_fault_kind kind);
static inline uint32_t na_torch_n_ops(const struct na_torch_job *job,
				      uint32_t rank)
{
	return (uint32_t)job->programs[na_torch_stage(job, rank)].ops.n;
}
/* On the clock of a rank's host, ns since 1970. */
int64_t na_torch_unix_ns(const struct na_torch_job *job, uint32_t rank,
			 int64_t ps);

/* ---- what is written of a rank; *events counts */

enum { NA_TORCH_FIRST_PID = 4000 };

void na_torch_kineto(struct na_wire *w, const struct na_torch_job *job,
		     uint32_t rank, uint64_t *events);
void na_torch_recorder(struct na_wire *w, const struct na_torch_job *job,
		       uint32_t rank, uint64_t *events);
void na_torch_recorder_json(struct na_wire *w, const struct na_torch_job *job,
			    uint32_t rank, uint64_t *events);
void na_torch_inspector(struct na_wire *w, const struct na_torch_job *job,
			uint32_t rank, uint64_t *events);
NA_MUST_CHECK enum na_status na_torch_truth(const struct na_torch_job *job,
					    const char *path, uint64_t *bytes,
					    struct na_err *err);

/* pytorch.c: all of it. */
NA_MUST_CHECK enum na_status na_synth_pytorch(const struct na_synth_config *cfg,
					      struct na_synth_report *report,
					      struct na_err *err);

#endif
