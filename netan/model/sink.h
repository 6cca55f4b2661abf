/*
 * What a reader calls for each record and each remark.
 *
 * Everything passed is borrowed and valid until the call returns.  A sink
 * belongs to one thread; a reader that works on several blocks at once gets
 * one for each.  Indices in a record (names, endpoints, cores, types) are what
 * the same sink gave for them.  Times are picoseconds since the origin; ends
 * do not come before starts.  Members `input` are for the store to fill in.
 *
 * A record's call fails with NA_ENOMEM, and the reader gives up; what it does
 * not want (na_want) it need not tell, and no call may be NULL but where that
 * is said.  na_part_sink() is the sink of the store; others write transfer
 * files, or look for one record.
 */
#ifndef NETAN_MODEL_SINK_H
#define NETAN_MODEL_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/model/comm.h"
#include "netan/model/device.h"
#include "netan/model/packets.h"
#include "netan/model/queue_pair.h"

/* What an analysis asks readers for; a reader skips the rest unread. */
enum na_want {
	NA_WANT_TRANSFERS = 1,
	NA_WANT_GRAPHS = 2,  /* graph executions */
	NA_WANT_ACTIONS = 4, /* copies, compute, host events */
	NA_WANT_STEPS = 8,
	NA_WANT_KERNELS = 16,
	NA_WANT_COUNTS = 32,  /* count every event of every line */
	NA_WANT_MODULES = 64, /* program executions */
	NA_WANT_CALLS = 128,  /* captures, these four */
	NA_WANT_CONNECTIONS = 256,
	NA_WANT_PACKETS = 512,   /* every packet */
	NA_WANT_SEGMENTS = 1024, /* of the one connection that is drawn */
	NA_WANT_OPS = 2048,      /* device ops that communicate */
	NA_WANT_BUSY = 4096,     /* what devices do else */
	NA_WANT_PROGRAMS = 8192, /* HLO modules: na_reader.program_bytes */
	/* Registrations and copies of the host as records; ACTIONS alone
	 * counts them. */
	NA_WANT_HOST_EVENTS = 16384,
	NA_WANT_COMMS = 32768, /* what ranks of GPU jobs do together */
	/* Of captures, with their marks; and who of a GPU job used them. */
	NA_WANT_QUEUE_PAIRS = 65536,
	NA_WANT_WHOLE = 131072, /* every byte of a packed file stays */
	NA_WANT_AGAIN = 262144  /* its actions may be asked for later */
};

/* What an input tells of ranks: of the same time, an earlier one of these says
 * it better. */
enum na_told {
	NA_TOLD_TRACE,
	NA_TOLD_PLUGIN,  /* of the communication library's profiler */
	NA_TOLD_RECORDER /* what was queued */
};

/* Why left out: docs/methods.md, "Transfers and their classes". */
enum na_reason {
	NA_LEFT_BAD_KEY, /* these five: na_class */
	NA_LEFT_CLOCK_SKEW,
	NA_LEFT_NO_LATENCY,
	NA_LEFT_LOOPBACK,
	NA_LEFT_BAD_DURATION,
	NA_LEFT_AGGREGATED,   /* a count of events without their times */
	NA_LEFT_UNKNOWN_NAME, /* an event that no reader knows */
	NA_LEFT_TOO_FAST,     /* for the rate that was given */
	NA_LEFT_FILTERED,
	NA_LEFT_DAMAGED, /* its bytes break their format */
	NA_N_REASONS
};

struct na_sink {
	void *ctx;
	enum na_status (*transfer)(void *ctx, const struct na_transfer *t);
	enum na_status (*action)(void *ctx, const struct na_action *a);
	enum na_status (*span)(void *ctx, const struct na_span *s);
	enum na_status (*op)(void *ctx, const struct na_op *x);
	/* Ends do not come before starts; of one line, in its order. */
	enum na_status (*busy)(void *ctx, uint32_t core, int64_t start_ps,
			       int64_t end_ps);
	/* From captures. */
	enum na_status (*call)(void *ctx, const struct na_call *c);
	enum na_status (*packet)(void *ctx, const struct na_wire_packet *w);
	enum na_status (*connection)(void *ctx, const struct na_connection *c);
	enum na_status (*segment)(void *ctx, const struct na_segment *s);
	enum na_status (*queue_pair)(void *ctx, const struct na_queue_pair *q);
	enum na_status (*qp_mark)(void *ctx, const struct na_qp_mark *x);
	/* From GPU jobs. */
	enum na_status (*comm)(void *ctx, const struct na_comm *x);
	enum na_status (*qp_use)(void *ctx, const struct na_qp_use *x);

	/* Names and endpoints to indices for the records above;
	 * NA_UNKNOWN_U32 when memory is short (the record call fails then). */
	uint32_t (*name)(void *ctx, const char *s, size_t n);
	uint32_t (*endpoint)(void *ctx, int32_t slice, int32_t device);
	/* A device plane and an op's type for the records above, likewise. */
	uint32_t (*core)(void *ctx, enum na_device_kind kind, int32_t number);
	uint32_t (*op_type)(void *ctx, const struct na_op_type *t);
	/* An endpoint that is an address. */
	uint32_t (*address)(void *ctx, const char *s, size_t n);

	/* NULL (all), or asked where a record tells its collective before the
	 * rest is read: false passes over it, and whatever it would count. */
	bool (*looks_at)(void *ctx, uint32_t collective);
	/* NULL (at any), or asked before much is read, that lies in
	 * [from_ps, to_ps] as far as it is of the collective: false passes over
	 * that, likewise. */
	bool (*looks_within)(void *ctx, uint32_t collective, int64_t from_ps,
			     int64_t to_ps);

	/* One transfer of a class that is counted but not kept as a record. */
	void (*classed)(void *ctx, enum na_side side, enum na_style style,
			enum na_class klass, uint64_t n);
	void (*left_out)(void *ctx, enum na_reason why, uint64_t n);
	/* NULL, or told before such counts who would have read what is counted
	 * (enum na_want bits; 0: everybody), for those who write it down. */
	void (*about)(void *ctx, uint32_t wants);
	void (*unknown_name)(void *ctx, const char *s, size_t n,
			     uint64_t times);
	/* Damage: byte offset in the (inflated) file, and what was lost. */
	void (*warn)(void *ctx, uint64_t at, const char *text);
};

#endif
