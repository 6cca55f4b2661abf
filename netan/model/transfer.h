/*
 * The records that readers produce and analyses consume.  Values of fixed
 * size; names are 32-bit indices into a string table; a field that may be
 * missing has a named "unknown" that is not zero.
 *
 * Times are picoseconds since the origin (int64_t, 106 days either way).  A
 * name is an index into na_names.strings, an endpoint into na_names.endpoints:
 * of the part while it is read, of the store afterwards.  Which kinds there
 * are, and where each lies: records.def.  Words: docs/methods.md, "Words" and
 * "Transfers and their classes".
 */
#ifndef NETAN_MODEL_TRANSFER_H
#define NETAN_MODEL_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/scan.h"

#define NA_UNKNOWN_U32   UINT32_MAX
#define NA_UNKNOWN_I32   INT32_MIN
#define NA_UNKNOWN_PS    INT64_MIN
#define NA_SLICE_DEVICES 100000 /* device id = slice * this + device */

enum na_side { NA_RX, NA_TX };

/* First that applies, in the order in which they are checked. */
enum na_class {
	NA_BAD_KEY,      /* who sent to whom cannot be read */
	NA_BAD_DURATION, /* negative, or beyond what times can hold */
	NA_NO_LATENCY,   /* nobody says how long it took */
	NA_CLOCK_SKEW,   /* 0: it would arrive before it was sent */
	NA_LOOPBACK,     /* not on the network between hosts or slices */
	NA_VALID,
	NA_N_CLASSES
};

/* Which generation of trace (or which capture method) a record is from. */
enum na_style {
	NA_STYLE_GRAPH,
	NA_STYLE_MESSAGE,
	NA_STYLE_CAPTURE,  /* a call or a RoCE message, from packets */
	NA_STYLE_ESTIMATE, /* from packets: by direction changes and gaps */
	NA_N_STYLES
};

/* What is timed: docs/methods.md, "Words". */
enum na_component {
	NA_COMP_NETWORK, /* transport latency of receives */
	NA_COMP_RECEIVE, /* the actions behind transfers */
	NA_COMP_SEND,
	NA_COMP_D2H,
	NA_COMP_H2D,
	NA_COMP_COMPUTE,
	NA_COMP_GRAPH,
	NA_COMP_KERNEL,
	NA_COMP_RPC, /* captures: request to end of response */
	NA_N_COMPONENTS
};
#define NA_COMP_BIT(c) (UINT32_C(1) << (c))

/*
 * One movement of bytes.  For receives start = end - transport latency; for
 * sends start = end - action duration (no network latency is known there).
 * start == end: without a usable duration (clock_skew, no_latency).
 * Style MESSAGE: end is the event's own time until the anchor is resolved,
 * and action_ps the event's own duration.
 */
struct na_transfer {
	int64_t start_ps, end_ps;
	int64_t action_ps; /* NA_UNKNOWN_PS: not recorded */
	uint64_t size_bytes;
	uint32_t src, dst;   /* endpoints */
	uint32_t collective; /* a name */
	uint32_t launch;
	uint32_t step; /* na_store fills it in */
	uint32_t type; /* a name */
	uint32_t iteration;
	int32_t chunk;
	uint32_t input;             /* na_store fills it in */
	int8_t level;               /* DCN topology level; -1 unknown */
	uint8_t side, klass, style; /* enums above */
	uint8_t component; /* NA_COMP_NETWORK, or NA_COMP_RPC: both ways */
};

/* In an initializer: what no packet tells of a transfer. */
#define NA_TRANSFER_OF_CAPTURE \
	.action_ps = NA_UNKNOWN_PS, .launch = NA_UNKNOWN_U32, \
	.iteration = NA_UNKNOWN_U32, .chunk = NA_UNKNOWN_I32, \
	.step = NA_UNKNOWN_U32, .level = -1, .side = NA_RX

enum na_action_kind {
	NA_ACT_GRAPH, /* whole execution on the host */
	NA_ACT_D2H,
	NA_ACT_H2D,
	NA_ACT_COMPUTE,
	NA_ACT_SEND,
	NA_ACT_RECEIVE,      /* the actions behind transfers */
	NA_ACT_KERNEL,       /* GPU collective kernel */
	NA_ACT_REGISTRATION, /* host memory registration */
	NA_ACT_COPY,         /* host copy: zero-copy lost */
	NA_N_ACTIONS
};

/*
 * One node of a collective's host-side graph, or the graph itself, with
 * every stat the trace gives for it.  Strings are borrowed for the call.
 */
struct na_action {
	enum na_action_kind kind;
	enum na_style style;
	int64_t start_ps, end_ps;  /* start = end - true duration */
	uint64_t size_bytes;       /* input_size; 0 where it is not told */
	uint32_t device;           /* endpoint; NA_UNKNOWN_U32 */
	uint32_t collective, type; /* names; NA_UNKNOWN_U32 */
	uint32_t launch, iteration;
	int32_t local_device_id, num_actions, action_index, chunk, level;
	int64_t send_channel_id, recv_channel_id, run_id;
	int64_t slack_us, transmission_budget_us, delay_budget_us;
	int64_t activation_to_receive_us;
	struct na_text name, inputs, operation, action_type, hlo_module, thread;
};

/* In an initializer: what no GPU kernel tells. */
#define NA_ACTION_OF_KERNEL \
	.kind = NA_ACT_KERNEL, .device = NA_UNKNOWN_U32, \
	.collective = NA_UNKNOWN_U32, .type = NA_UNKNOWN_U32, \
	.launch = NA_UNKNOWN_U32, .iteration = NA_UNKNOWN_U32, \
	.chunk = NA_UNKNOWN_I32, .local_device_id = -1, .num_actions = -1, \
	.action_index = -1, .level = -1, .send_channel_id = -1, \
	.recv_channel_id = -1, .run_id = -1, .slack_us = NA_UNKNOWN_PS, \
	.transmission_budget_us = NA_UNKNOWN_PS, \
	.delay_budget_us = NA_UNKNOWN_PS, \
	.activation_to_receive_us = NA_UNKNOWN_PS

/* What a thread of the host did that a transfer may have to wait for. */
struct na_host_event {
	int64_t start_ps, end_ps;
	uint64_t size_bytes;   /* 0 where it is not told */
	uint32_t name, thread; /* names; NA_UNKNOWN_U32 */
	uint32_t input;        /* na_store fills it in */
	uint8_t kind;          /* NA_ACT_REGISTRATION or NA_ACT_COPY */
};

static inline bool na_is_host_event(unsigned kind)
{
	return kind == NA_ACT_REGISTRATION || kind == NA_ACT_COPY;
}

/* A training step or a program execution on one device plane. */
enum na_span_kind { NA_SPAN_STEP, NA_SPAN_MODULE };

/* By what a step was told; of its pieces the last of these. */
enum na_step_told {
	NA_STEP_BY_EVENT, /* its own */
	NA_STEP_BY_GROUP,
	/* Markers of the host: by the launches of kernels, or by time. */
	NA_STEP_BY_LAUNCH,
	NA_STEP_BY_TIME
};

struct na_span {
	enum na_span_kind kind;
	int64_t start_ps, end_ps;
	int64_t number; /* step number, run id; -1 unknown */
	uint32_t name;
	int32_t plane;  /* n of /device:TPU:n */
	uint32_t input; /* na_store fills it in */
	uint32_t core;  /* index of na_core; na_store fills it in */
	uint8_t device; /* enum na_device_kind */
	uint8_t told;   /* of a step: enum na_step_told */
	/* Of a step: a part of it, from one event; the store joins those of
	 * one device and `whole`. */
	bool piece;
	int64_t whole; /* which step, as numbers may come again */
};

/* Two pieces of one step. */
static inline void na_span_join(struct na_span *to, const struct na_span *x)
{
	if (x->start_ps < to->start_ps)
		to->start_ps = x->start_ps;
	if (x->end_ps > to->end_ps)
		to->end_ps = x->end_ps;
	if (x->told > to->told)
		to->told = x->told;
}

#endif
