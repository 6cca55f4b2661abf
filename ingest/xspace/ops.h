/*
 * What event types of device planes are: decided once for each, while a
 * file is surveyed (na_xs_event_type.kind), and told again when the first of
 * its events comes in a block.
 */
#ifndef INGEST_XSPACE_OPS_H
#define INGEST_XSPACE_OPS_H

#include "ingest/hlo/line.h"
#include "ingest/xspace/xspace.h"

/* na_xs_event_type.kind of TPU planes and of GPU planes */
enum na_xs_op_kind { XS_OP_NONE, XS_OP_BUSY, XS_OP_TALKS, XS_OP_CONTAINER };

/* An event type of a TPU plane.  Texts are borrowed: from the file, or from
 * the values that were used to read it. */
struct na_xs_op {
	enum na_xs_op_kind kind;
	struct na_text name; /* "recv-done.7" */
	struct na_text category, info;
	struct na_hlo_line line; /* where parsed */
	bool parsed;             /* its name is an HLO instruction */
	uint8_t opcode, phase, network;
};

/* Index of a name; NA_UNKNOWN_U32 of an empty one. */
uint32_t na_xs_op_name(const struct na_sink *sink, struct na_text t);
/* "jit_step(123)": the part before the id */
struct na_text na_xs_module_name(struct na_text t);

/* As na_xs_event_times(), and no longer than NA_OP_MAX_PS; else false, and it
 * is counted. */
bool na_xs_op_times(const struct na_xs_read *r, const struct na_xs_event *e,
		    int64_t *start_ps, int64_t *end_ps);
/* A time of the block's device; an execution of an op of that type. */
enum na_status na_xs_busy(struct na_xs_read *r, int64_t start_ps,
			  int64_t end_ps) NA_MUST_CHECK;
enum na_status na_xs_talks(struct na_xs_read *r, uint32_t type,
			   int64_t start_ps, int64_t end_ps) NA_MUST_CHECK;

#endif
