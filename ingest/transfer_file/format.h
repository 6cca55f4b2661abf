/*
 * netan's transfer file, for those who write and read it: numbers and
 * tables of ingest/proto/netan.proto, which describes it.
 */
#ifndef INGEST_TRANSFER_FILE_FORMAT_H
#define INGEST_TRANSFER_FILE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "netan/model/device.h"
#include "netan/model/packets.h"

#define XF_MAGIC "\x7a\x0fnetan transfers"
enum { XF_MAGIC_BYTES = 17, XF_SYNC_BYTES = 9, XF_VERSION = 1 };
#define XF_SYNC "\x11\x89ntn\r\n\x1a\n"

/* Who writes it. */
#define XF_PROGRAM "netan " NETAN_VERSION

enum {
	XF_BLOCK_RECORDS = 32768,    /* a writer ends a block there, */
	XF_BLOCK_BYTES = 8 << 20,    /* and where rows or names are so long */
	XF_MAX_RECORDS = 1 << 20,    /* a reader believes no more */
	XF_MAX_RAW_BYTES = 32 << 20, /* of a section unpacked; of all rows */
	XF_MAX_PROGRAM_BYTES = 512 << 20
};

enum na_xf_section {
	XF_TRANSFER = 1,
	XF_SHADOW, /* the action behind the transfer before it */
	XF_ACTION,
	XF_SPAN,
	XF_CALL,
	XF_PACKET,
	XF_CONNECTION,
	XF_OP_TYPE,
	XF_OP,
	XF_BUSY,      /* a run of them, of one device */
	XF_BUSY_TIME, /* one of a run: not in the order */
	XF_COMM,
	XF_N_KINDS,
	XF_NAMES = 32,
	XF_ORDER = 33
};

enum na_xf_mode { XF_CONSTANT, XF_RAW, XF_DELTA };

enum na_xf_type {
	XF_I64,
	XF_U64,
	XF_U32,
	XF_I32,
	XF_U16,
	XF_I16,
	XF_U8,
	XF_I8
};
enum na_xf_role { XF_PLAIN, XF_NAME, XF_ENDPOINT };

struct na_xf_field {
	uint16_t number, offset;
	uint8_t type, role;
};

/* An action with its texts as names; times as in the file. */
struct na_xf_action {
	int64_t duration_ps;
	uint64_t size_bytes;
	uint32_t device, collective, type, launch, iteration;
	int32_t local_device_id, num_actions, action_index, chunk, level;
	int64_t send_channel_id, recv_channel_id, run_id;
	int64_t slack_us, transmission_budget_us, delay_budget_us;
	int64_t activation_to_receive_us;
	uint32_t
		texts[5]; /* name, inputs, operation, action_type, hlo_module */
	uint32_t thread;  /* name + 1; 0: none, as in files without it */
	uint8_t kind, style;
};

/* An execution of a device op; its type is a row of the block. */
struct na_xf_op {
	int64_t duration_ps;
	uint32_t type;
	int32_t number;
	uint8_t device;
};

/* The times that follow each other on one device: each of the `n` next rows
 * of XF_BUSY_TIME begins so long after the end of the one before (the first:
 * after the run's time). */
struct na_xf_busy {
	uint64_t n;
	int32_t number;
	uint8_t device;
};

struct na_xf_busy_time {
	int64_t gap_ps, length_ps;
};

/* A rank's part in an operation; its core is that rank. */
struct na_xf_comm {
	int64_t duration_ps, sequence;
	uint64_t size_bytes;
	uint32_t group, group_size, type, stream;
	int32_t peer, rank;
	uint16_t purpose;
	uint8_t operation, source;
};

/* Of each kind of record: its struct's size and its fields.  Structs hold
 * times as the file does: start_ps is the duration (see the .proto). */
struct na_xf_kind {
	size_t size;
	const struct na_xf_field *fields;
	size_t n_fields;
};
extern const struct na_xf_kind na_xf_kinds[XF_N_KINDS];

/* The counts of a capture, by the numbers they have in the file. */
enum { XF_CAPTURE_COUNTS = 34 };
_Static_assert(sizeof(struct na_capture_counts) == XF_CAPTURE_COUNTS * 8,
	       "a count more: na_xf_capture and message CaptureCounts need it");
extern const struct na_xf_kind na_xf_capture;

/* What stands for "unknown" in a field of this type; 0: nothing does. */
int64_t na_xf_unknown(enum na_xf_type type);
int64_t na_xf_load(const void *record, const struct na_xf_field *f);
/* Into the field of n records, one behind the other. */
void na_xf_store(void *records, size_t size, const struct na_xf_field *f,
		 const int64_t *v, size_t n);

/* What an action after this transfer is compared with. */
void na_xf_shadow_of(const struct na_transfer *t, struct na_xf_action *a);
/* sign 1: a += b, sign -1: a -= b, in the fields that are compared. */
void na_xf_shadow_add(struct na_xf_action *a, const struct na_xf_action *b,
		      int sign);

#endif
