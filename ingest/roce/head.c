/*
 * InfiniBand Architecture Specification vol. 1, 9.2 and 9.3 (headers),
 * table 38 (opcodes), 9.7.5.2 (syndromes); annex A17 (RoCEv2).
 */
#include "ingest/roce/head.h"

#include "ingest/bytes/cursor.h"

enum {
	ICRC_BYTES = 4,
	OP_CNP = 0x81,
	BEGINS = NA_ROCE_BEGINS,
	ENDS = NA_ROCE_ENDS,
	ONLY = BEGINS | ENDS
};

enum extension { RETH = 1, IMM = 2, AETH = 4, ATOMIC = 8, ATOMIC_ACK = 16 };

/* The last five bits of the opcode. */
static const struct op {
	uint8_t kind, op, place, extension;
} ops[32] = {
	[0x00] = {NA_ROCE_PART, NA_ROCE_SEND, BEGINS, 0},
	[0x01] = {NA_ROCE_PART, NA_ROCE_SEND, 0, 0},
	[0x02] = {NA_ROCE_PART, NA_ROCE_SEND, ENDS, 0},
	[0x03] = {NA_ROCE_PART, NA_ROCE_SEND_IMM, ENDS, IMM},
	[0x04] = {NA_ROCE_PART, NA_ROCE_SEND, ONLY, 0},
	[0x05] = {NA_ROCE_PART, NA_ROCE_SEND_IMM, ONLY, IMM},
	[0x06] = {NA_ROCE_PART, NA_ROCE_WRITE, BEGINS, RETH},
	[0x07] = {NA_ROCE_PART, NA_ROCE_WRITE, 0, 0},
	[0x08] = {NA_ROCE_PART, NA_ROCE_WRITE, ENDS, 0},
	[0x09] = {NA_ROCE_PART, NA_ROCE_WRITE_IMM, ENDS, IMM},
	[0x0a] = {NA_ROCE_PART, NA_ROCE_WRITE, ONLY, RETH},
	[0x0b] = {NA_ROCE_PART, NA_ROCE_WRITE_IMM, ONLY, RETH | IMM},
	[0x0c] = {NA_ROCE_READ_ASK, NA_ROCE_READ, ONLY, RETH},
	[0x0d] = {NA_ROCE_READ_PART, NA_ROCE_READ, BEGINS, AETH},
	[0x0e] = {NA_ROCE_READ_PART, NA_ROCE_READ, 0, 0},
	[0x0f] = {NA_ROCE_READ_PART, NA_ROCE_READ, ENDS, AETH},
	[0x10] = {NA_ROCE_READ_PART, NA_ROCE_READ, ONLY, AETH},
	[0x11] = {NA_ROCE_ACK, 0, 0, AETH},
	[0x12] = {NA_ROCE_ATOMIC_ACK, 0, 0, AETH | ATOMIC_ACK},
	[0x13] = {NA_ROCE_ATOMIC_ASK, NA_ROCE_COMPARE_SWAP, ONLY, ATOMIC},
	[0x14] = {NA_ROCE_ATOMIC_ASK, NA_ROCE_FETCH_ADD, ONLY, ATOMIC},
	/* The key to invalidate is as long as an immediate. */
	[0x16] = {NA_ROCE_PART, NA_ROCE_SEND_INV, ENDS, IMM},
	[0x17] = {NA_ROCE_PART, NA_ROCE_SEND_INV, ONLY, IMM},
};

/* Which of them a transport knows; a bit for each of the five bits. */
static const uint32_t known[8] = {
	[NA_ROCE_RC] = 0xdfffff,
	[NA_ROCE_UC] = 0xfff,
	[NA_ROCE_UD] = 0x30,
	[NA_ROCE_XRC] = 0xdfffff,
};

static uint32_t extension_bytes(unsigned e)
{
	return (e & RETH ? 16u : 0) + (e & IMM ? 4u : 0) + (e & AETH ? 4u : 0) +
	       (e & ATOMIC ? 28u : 0) + (e & ATOMIC_ACK ? 8u : 0);
}

static uint8_t answer_of(uint8_t syndrome)
{
	switch (syndrome >> 5 & 3) {
	case 0:
		return NA_ROCE_YES;
	case 1:
		return NA_ROCE_RNR;
	case 3:
		return syndrome & 31 ? NA_ROCE_REFUSED : NA_ROCE_NO;
	default:
		return NA_ROCE_UNREAD;
	}
}

/* Requests of extended reliable connections name their receive queue. */
static bool has_xrceth(unsigned transport, const struct op *op)
{
	return transport == NA_ROCE_XRC &&
	       (op->kind == NA_ROCE_PART || op->kind == NA_ROCE_READ_ASK ||
		op->kind == NA_ROCE_ATOMIC_ASK);
}

/* What of the extension headers was captured. */
static void read_extensions(struct na_roce_head *h, struct na_cursor *c,
			    const struct op *op)
{
	struct na_cursor x;

	if (h->transport == NA_ROCE_UD && na_sub(c, 8, &x))
		h->source_qp = na_be24(x.p + 5);
	if (has_xrceth(h->transport, op) && !na_skip(c, 4))
		return;
	if (op->kind == NA_ROCE_READ_ASK && na_sub(c, 16, &x))
		h->dma_bytes = na_be32(x.p + 12);
	if (op->extension & AETH && na_sub(c, 4, &x))
		h->answer = answer_of(x.p[0]);
}

bool na_roce_head_read(struct na_roce_head *h, const uint8_t *p,
		       uint32_t captured, uint32_t n)
{
	struct na_cursor c = na_cursor_of(p, captured < n ? captured : n), bth;
	const struct op *op;
	uint32_t taken;

	if (n < 12 + ICRC_BYTES || !na_sub(&c, 12, &bth))
		return false;
	*h = (struct na_roce_head){
		.transport = bth.p[0] >> 5,
		.dest_qp = na_be24(bth.p + 5),
		.psn = na_be24(bth.p + 9),
		.answer = NA_ROCE_UNREAD,
	};
	if (bth.p[0] == OP_CNP) {
		h->kind = NA_ROCE_CONGESTION;
		return true;
	}
	if (!(known[h->transport] >> (bth.p[0] & 31) & 1))
		return true;
	op = &ops[bth.p[0] & 31];
	taken = 12 + ICRC_BYTES + (bth.p[1] >> 4 & 3u) +
		extension_bytes(op->extension);
	if (h->transport == NA_ROCE_UD)
		taken += 8;
	if (has_xrceth(h->transport, op))
		taken += 4;
	if (taken > n)
		return false;
	h->kind = op->kind;
	h->asks = bth.p[8] >> 7 || op->kind == NA_ROCE_READ_ASK ||
		  op->kind == NA_ROCE_ATOMIC_ASK;
	h->op = op->op;
	h->place = op->place;
	h->bytes = n - taken;
	read_extensions(h, &c, op);
	return true;
}

size_t na_roce_head_bytes(const uint8_t *p, size_t captured)
{
	const struct op *op;
	size_t n = 12;

	if (!captured || p[0] == OP_CNP ||
	    !(known[p[0] >> 5] >> (p[0] & 31) & 1))
		return n;
	op = &ops[p[0] & 31];
	n += extension_bytes(op->extension & (RETH | AETH));
	n += p[0] >> 5 == NA_ROCE_UD ? 8 : 0;
	return n + (has_xrceth(p[0] >> 5, op) ? 4 : 0);
}

const char *na_roce_op_name(unsigned transport, unsigned op)
{
	static const char *const names[][8] = {
		{"SEND", "SEND_IMM", "SEND_INV", "WRITE", "WRITE_IMM", "READ",
		 "COMPARE_SWAP", "FETCH_ADD"},
		{"UC_SEND", "UC_SEND_IMM", NULL, "UC_WRITE", "UC_WRITE_IMM"},
		{"UD_SEND", "UD_SEND_IMM"},
		{"XRC_SEND", "XRC_SEND_IMM", "XRC_SEND_INV", "XRC_WRITE",
		 "XRC_WRITE_IMM", "XRC_READ", "XRC_COMPARE_SWAP",
		 "XRC_FETCH_ADD"},
	};

	unsigned row = transport == NA_ROCE_UC    ? 1
		       : transport == NA_ROCE_UD  ? 2
		       : transport == NA_ROCE_XRC ? 3
						  : 0;

	/* A queue pair that changes its transport has no name for it. */
	return names[row][op & 7] ? names[row][op & 7] : names[0][op & 7];
}
