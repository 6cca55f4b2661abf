/*
 * What plugins of NCCL's profiler interface tell, as records: operations of
 * the ranks of one process, what they sent, and by which queue pairs.
 *
 * Ranks are those of a communicator, and nobody says how many it has.  The
 * one with the highest rank, own or peer's, is taken for the whole job: its
 * ranks are the job's.  A process may have several of them.
 *
 * Sources: NVIDIA/nccl plugins/profiler/README.md; docs/formats.md, "GPU
 * jobs".
 */
#ifndef INGEST_PROFILER_PROFILER_H
#define INGEST_PROFILER_PROFILER_H

#include "ingest/input.h"
#include "netan/base/vec.h"

/* Stamps above this are since 1970: the year 2001. */
#define NA_PROFILED_EPOCH_NS INT64_C(1000000000000000000)

struct na_profiled_comm {
	uint64_t hash;
	int64_t rank, highest; /* own rank; of any */
	bool several;          /* own ranks */
};

/* What a survey finds, and a reader's state begins with. */
struct na_profiled {
	NA_VEC(struct na_profiled_comm) comms;
	size_t world; /* of comms */
	int64_t first_ns;
	bool has_first;
	uint64_t n_untimed;          /* operations that do not say when */
	NA_VEC(const char *) blocks; /* where each begins */
	size_t next;
	const char *end; /* of the last one */
};

/* One operation of one rank.  Numbers that are not told are -1. */
struct na_profiled_op {
	struct na_text name, type; /* as they stand; type n 0: not told */
	uint64_t comm;
	int64_t rank, peer, sequence;
	int64_t count_bytes; /* of a rank's buffer, without its peers' shares */
	int64_t start_ns, end_ns;
};

/* ---- survey.  False: no memory */

bool na_profiled_saw(struct na_profiled *p, uint64_t comm, int64_t rank,
		     int64_t peer);
void na_profiled_at(struct na_profiled *p, int64_t ns);
/* A block may begin at s. */
bool na_profiled_border(struct na_profiled *p, const char *s);
/* Rank, clock and devices of the input; `setting` makes operations say when
 * they run. */
void na_profiled_settle(struct na_input *in, const struct na_profiled *p,
			const char *setting);
/* Its blocks, as struct na_reader has it, and the end of its memory. */
enum na_status na_profiled_cut(struct na_input *in, struct na_block *b,
			       struct na_err *err);
void na_profiled_close(struct na_input *in);

/* ---- records of one block */

struct na_profiled_reading {
	const struct na_input *in;
	const struct na_profiled *p;
	const struct na_sink *sink;
	bool grouped;
	uint64_t comm; /* whose name is `group` */
	uint32_t group;
	int32_t rank; /* whose core is `core`; -1: nobody's yet */
	uint32_t core;
};

/* What is sent by a rank to a peer, within an operation. */
struct na_profiled_sent {
	int64_t peer; /* of the operation's communicator */
	int64_t from_ns, to_ns, bytes;
	const char *type;
};

/* The operation, with its transfer where peer and size are told.  Without
 * its rank or times it is counted as left out. */
enum na_status na_profiled_put(struct na_profiled_reading *r,
			       const struct na_profiled_op *op) NA_MUST_CHECK;
enum na_status
na_profiled_put_sent(struct na_profiled_reading *r,
		     const struct na_profiled_op *op,
		     const struct na_profiled_sent *x) NA_MUST_CHECK;
/* What went over a queue pair, `qp` being its own number, either way. */
enum na_status na_profiled_put_qp(struct na_profiled_reading *r,
				  const struct na_profiled_op *op,
				  const struct na_profiled_sent *x, int64_t qp,
				  bool sends) NA_MUST_CHECK;

#endif
