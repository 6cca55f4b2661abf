/*
 * A store filled by hand, through the sink that readers use: rows of
 * transfers, graph executions and steps, in parts of any number of rows.
 */
#ifndef TESTS_UNIT_HAND_STORE_H
#define TESTS_UNIT_HAND_STORE_H

#include "netan/model/store.h"

/*
 * HAND_ACTION: `number` is its enum na_action_kind.
 * HAND_FRAME: a packet at start_ps.  HAND_CALL: a call and its transfer;
 * `number` is its HTTP status (0: unknown), `grpc` its gRPC status, `name` its
 * method, end_ps NA_UNKNOWN_PS where nobody answered (no transfer then).
 * src_ip, dst_ip: endpoints are addresses.
 * HAND_STEP, HAND_MODULE (`name` its program), HAND_OP, HAND_BUSY: of the
 * device plane src.  An op has the type `op`, whose names are in op_name,
 * `name` (its rendezvous), transfer_type, module and start_op.
 */
enum hand_what {
	HAND_RX,
	HAND_TX,
	HAND_GRAPH,
	HAND_STEP,
	HAND_ACTION,
	HAND_FRAME,
	HAND_CALL,
	HAND_MODULE,
	HAND_OP,
	HAND_BUSY
};

struct hand_row {
	enum hand_what what;
	int source;
	int64_t start_ps, end_ps;
	uint64_t size;
	int src, dst;     /* slice * 100 + device; graph: src */
	const char *name; /* collective; step: NULL */
	int number;       /* of a step; its plane is src */
	enum na_style style;
	enum na_class klass; /* 0: valid; HAND_BAD_KEY */
	int64_t action_ps;
	const char *src_ip, *dst_ip;
	enum na_component component;
	int64_t first_ps;  /* of a call */
	uint64_t response; /* of a call: its bytes; `size` are the request's */
	int grpc;          /* of a call: gRPC status + 1; 0: no gRPC */
	uint8_t reset;     /* of a call: enum na_call_reset */
	struct na_op_type op; /* of an op: its numbers */
	const char *op_name, *transfer_type, *module, *start_op, *kernel;
	enum na_device_kind device; /* kind of the plane */
	int launch, iteration;      /* of a transfer, 1 more; 0: unknown */
	int local;                  /* of a graph: local_device_id + 1 */
	const char *thread;         /* of an action on a host's thread */
	bool piece;                 /* of a step: one of several */
};
#define HAND_BAD_KEY NA_N_CLASSES

enum { HAND_SOURCES = 8 };

struct hand {
	struct na_source sources[HAND_SOURCES];
	struct na_filter filter;
	struct na_store store;
	struct na_err err;
};

/* Hosts "a", "b", ... of one run; labels[i] NULL or equal: one run. */
void hand_init(struct hand *h, size_t n_sources, const char *const *labels);
/* Rows in order; a new part begins with each source and after `block`. */
void hand_fill(struct hand *h, const struct hand_row *rows, size_t n,
	       size_t block);
void hand_resolve(struct hand *h, enum na_anchor anchor);
void hand_fini(struct hand *h);

/* In every member; what lies between them is anything. */
void hand_same_transfer(const struct na_transfer *a,
			const struct na_transfer *b);

#endif
