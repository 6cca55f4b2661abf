/*
 * What RoCEv2 did on one queue pair of a capture, one way: what one sender
 * put on the wire for one queue pair of one destination, requests and READ
 * responses, and what came back for it (ACKs, NAKs, congestion
 * notifications).  How it is told: ingest/roce/trail.h.
 *
 * Times are picoseconds since the origin, unless the name says another unit.
 */
#ifndef NETAN_MODEL_QUEUE_PAIR_H
#define NETAN_MODEL_QUEUE_PAIR_H

#include <stdint.h>

#include "netan/model/transfer.h"

enum na_qp_service { NA_QP_RELIABLE, NA_QP_UNRELIABLE, NA_QP_DATAGRAM };

struct na_queue_pair {
	uint32_t id;        /* order of first packets in the input */
	uint32_t src, dst;  /* endpoints: sender of the data, the other */
	uint32_t qp;        /* the destination's number, 24 bits */
	uint32_t source_qp; /* the sender's own; NA_UNKNOWN_U32 */
	uint32_t input;     /* na_store fills it in */
	uint8_t service;    /* enum na_qp_service */
	uint8_t evicted;    /* told early, to bound memory */
	uint8_t clipped;    /* of a window only what is in it was counted */
	int64_t from_ps, to_ps;
	uint64_t packets, bytes; /* with data or a request; payload */
	uint64_t repeated_bytes, messages;
	uint64_t answers; /* ACKs, NAKs, READ responses seen for it; of
			     responses: those whose request was seen */
	uint64_t psn_gaps;
	uint64_t missing; /* packets in them that never came, acknowledged */
	uint64_t repeats, needed, reordered;
	uint64_t loss_events; /* of the needed: one for each packet, however
				 often it had to be sent */
	uint64_t naks_sequence, naks_rnr, naks_other;
	uint64_t timeouts;
	uint64_t ce_marks, cnps;
	/* Silent before a timeout's repeat; sending again what had been sent
	 * before; waiting for a receiver that was not ready; within
	 * NA_QP_SLOWED_NS behind a congestion notification. */
	int64_t silent_ns, longest_silent_ns;
	int64_t recovery_ns, rnr_ns, slowed_ns;
	/* At the end, of the window or of the capture: an answer is due, and
	 * nobody says anything, for so long; a timeout if it was sent again
	 * behind the window. */
	int64_t stalled_ns;
	uint8_t stall_resent;
	/* First packet of a message to its acknowledgement; -1: none. */
	uint64_t latencies;
	int64_t latency_p50_ns, latency_p99_ns, latency_max_ns;
};

/* What a rank of a GPU job used a queue pair of its own for, once, as the
 * profiler of its communication library tells it. */
struct na_qp_use {
	int64_t start_ps, end_ps;
	int64_t sequence; /* of its group's operation; -1 */
	uint64_t size_bytes;
	uint32_t qp;        /* the rank's own number */
	uint32_t group;     /* a name; NA_UNKNOWN_U32 */
	int32_t rank, peer; /* in the job; -1 */
	uint32_t input;     /* na_store fills it in */
	uint8_t operation;  /* enum na_opcode */
	uint8_t sends;      /* the rank, to its peer */
};

/* DCQCN (Zhu et al., SIGCOMM 2015, 5): the rate comes back in five rounds of
 * fast recovery and then by small steps, each some 55 us and more: a
 * millisecond behind a notification the sender is still slower. */
#define NA_QP_SLOWED_NS INT64_C(1000000)

/* What happened in one column of time, `width_ps` wide; columns are as
 * narrow as the room for them lets them be. */
enum na_qp_mark_kind {
	NA_QP_DATA,
	NA_QP_REPEAT,
	NA_QP_NAK,
	NA_QP_RNR,
	NA_QP_CNP,
	NA_QP_CE,
	NA_QP_MARKS
};

struct na_qp_mark {
	int64_t time_ps, width_ps;
	int64_t psn_from, psn_to; /* the last one; from the first PSN seen */
	uint32_t queue_pair;      /* na_queue_pair.id */
	uint32_t count;           /* packets */
	uint32_t input;           /* na_store fills it in */
	uint8_t kind;             /* enum na_qp_mark_kind */
};

#endif
