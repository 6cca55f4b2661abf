/*
 * A made-up HTTP/2 conversation with the truth about its calls: any legal
 * shape of frames, header blocks by libnghttp2's encoder.  It is cut into
 * packets, which a test then repeats, swaps or drops.
 */
#ifndef TESTS_UNIT_TALK_H
#define TESTS_UNIT_TALK_H

#include "ingest/calls.h"
#include "netan/base/strtab.h"
#include "netan/synth/rng.h"

enum { TALK_CALLS = 400, TALK_HEARD = 2000 };

/* Offsets are behind the last byte of what they name, in the bytes of the
 * direction that sends it; SIZE_MAX: never. */
struct talk_call {
	uint32_t stream;
	char path[80];
	size_t asked, answered, ended;
	uint8_t ended_by; /* direction */
	bool reset;
	uint64_t bytes[2];
	uint32_t messages[2];
	int http_status, grpc_status; /* -1: none */
	/* For who makes it. */
	uint8_t phase;
	uint8_t *body[2];
	size_t body_n[2], body_at[2];
};

struct talk {
	uint8_t *bytes[2]; /* [0] the client's */
	size_t n[2], cap[2];
	struct talk_call calls[TALK_CALLS];
	size_t n_calls;
	struct talk_step { /* who spoke, up to where */
		uint8_t dir;
		size_t to;
	} * steps;
	size_t n_steps, cap_steps;
	bool hostile; /* bodies are full of what looks like frames */
};

void talk_make(struct talk *t, struct na_rng *rng, size_t calls, bool hostile);
void talk_fini(struct talk *t);

/* Bytes [from, to) of a direction, in file order. */
struct talk_packet {
	uint8_t dir;
	size_t from, to;
	int64_t at_ns;
	uint64_t ack; /* of the other side's bytes, an offset; 0: none */
};
/* Segments of 1 to max bytes, times that grow.  To be freed. */
struct talk_packet *talk_cut(const struct talk *t, struct na_rng *rng,
			     size_t max, size_t *n);

/* What came out of na_calls. */
struct heard {
	struct na_strtab names;
	struct na_call calls[TALK_HEARD];
	struct na_transfer transfers[TALK_HEARD];
	size_t n_calls, n_transfers;
	struct na_sink sink;
	struct na_capture_counts counts;
	void *state; /* of the connection */
	struct na_calls *reader;
	struct na_tcp_user user;
	uint64_t base[2];
	bool mid_stream;
	uint32_t cut; /* payload is captured up to here; 0: all */
};

void heard_init(struct heard *h, const struct na_call_limits *limits);
/* The connection's SYN and SYN-ACK. */
void heard_syn(struct heard *h);
void heard_packet(struct heard *h, const struct talk *t,
		  const struct talk_packet *x);
/* n bytes of anything; seq as in na_tcp_packet. */
void heard_bytes(struct heard *h, uint8_t dir, uint64_t seq, const uint8_t *p,
		 size_t n, int64_t at_ns, uint32_t marks);
/* The connection ends, counts are taken. */
void heard_close(struct heard *h);
void heard_fini(struct heard *h);

/* [offset]: when all bytes before it had come; -1: never.  To be freed. */
int64_t *talk_complete_ns(const struct talk *t, const struct talk_packet *x,
			  size_t n, uint8_t dir);

#endif
