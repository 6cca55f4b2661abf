/*
 * The headers of one RoCEv2 packet: base transport header, the extension
 * header that its opcode asks for, and how many bytes of a message are left.
 *
 *	BTH 12: opcode 8, solicited.migrated.pad 2.version 4, partition 16,
 *	        reserved 8, destination queue pair 24, ack.reserved 8, PSN 24
 *	DETH 8 (UD), XRCETH 4 (XRC requests), RETH 16, AtomicETH 28, AETH 4,
 *	AtomicAckETH 8, immediate 4, invalidate 4
 *	payload, pad 0..3, ICRC 4
 */
#ifndef INGEST_ROCE_HEAD_H
#define INGEST_ROCE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first three bits of the opcode. */
enum na_roce_transport {
	NA_ROCE_RC = 0,
	NA_ROCE_UC = 1,
	NA_ROCE_UD = 3,
	NA_ROCE_XRC = 5
};

enum na_roce_kind {
	NA_ROCE_OTHER,    /* reserved opcodes, the unused RD transport */
	NA_ROCE_PART,     /* of a SEND or WRITE */
	NA_ROCE_READ_ASK, /* READ request */
	NA_ROCE_READ_PART,
	NA_ROCE_ATOMIC_ASK,
	NA_ROCE_ATOMIC_ACK,
	NA_ROCE_ACK, /* and NAK */
	NA_ROCE_CONGESTION
};

/* What a message is, once its last packet tells. */
enum na_roce_op {
	NA_ROCE_SEND,
	NA_ROCE_SEND_IMM,
	NA_ROCE_SEND_INV,
	NA_ROCE_WRITE,
	NA_ROCE_WRITE_IMM,
	NA_ROCE_READ,
	NA_ROCE_COMPARE_SWAP,
	NA_ROCE_FETCH_ADD
};

enum { NA_ROCE_BEGINS = 1, NA_ROCE_ENDS = 2 }; /* both: Only */

/* NO: a sequence error; REFUSED: the other NAKs. */
enum na_roce_answer {
	NA_ROCE_YES,
	NA_ROCE_RNR,
	NA_ROCE_NO,
	NA_ROCE_REFUSED,
	NA_ROCE_UNREAD
};

struct na_roce_head {
	uint8_t transport, kind, op, place; /* enums above */
	uint8_t answer;     /* ACK, by its syndrome; UNREAD: cut away */
	bool asks;          /* for an answer */
	uint32_t dest_qp;   /* 24 bits */
	uint32_t source_qp; /* UD; 0 */
	uint32_t psn;       /* 24 bits */
	uint32_t bytes;     /* of the message in this packet */
	uint32_t dma_bytes; /* READ request: what it asks for; 0 cut away */
};

/* `n` bytes of UDP payload, of which `captured` are at p.  False: too short
 * for what the opcode asks, or cut before the end of the base header. */
bool na_roce_head_read(struct na_roce_head *h, const uint8_t *p,
		       uint32_t captured, uint32_t n);

/* How many of these `captured` bytes are headers that are read: not what a
 * message brings, an immediate or operands. */
size_t na_roce_head_bytes(const uint8_t *p, size_t captured);

/* "SEND_IMM", "UC_WRITE", "UD_SEND", "READ" ... */
const char *na_roce_op_name(unsigned transport, unsigned op);

#endif
