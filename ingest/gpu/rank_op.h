/*
 * One rank's part in an operation as every record that tells of it: na_comm,
 * na_op, the action of its kernel, and the transfer, where two ranks are all.
 * Of what tells no times of a kernel or a range: na_comm alone.
 */
#ifndef INGEST_GPU_RANK_OP_H
#define INGEST_GPU_RANK_OP_H

#include "ingest/input.h"

struct na_rank_op {
	/* As it is kept, but for the core: names are those of the sink, the
	 * peer is a rank of the job. */
	struct na_comm comm;
	uint32_t core;
	int32_t rank;          /* in the job; -1 */
	struct na_text name;   /* of the operation, else as `kernel` */
	struct na_text kernel; /* of its kernel, without arguments; n 0: none */
	uint32_t collective;   /* name of the sink: what a transfer is of */
};

/* To the sink what in->wants asks for.  NA_ENOMEM, or what the sink says. */
enum na_status na_rank_op_put(const struct na_input *in,
			      const struct na_sink *sink,
			      const struct na_rank_op *t) NA_MUST_CHECK;

/* What a rank sent to a peer as part of a larger operation, from when it
 * could leave to when it had gone: a transfer, for those who want such. */
struct na_rank_send {
	int64_t from_ps, to_ps;
	uint64_t size_bytes;
	uint32_t group, type; /* names of the sink; NA_UNKNOWN_U32 */
	int32_t rank, peer;   /* in the job; one of them -1: not told */
};
enum na_status na_rank_send_put(const struct na_input *in,
				const struct na_sink *sink,
				const struct na_rank_send *x) NA_MUST_CHECK;

#endif
