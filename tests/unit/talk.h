/*
 * A made-up HTTP/2 conversation with the truth about its calls: any legal
 * shape of frames, header blocks by libnghttp2's encoder.  It is cut into
 * packets, which a test then repeats, swaps or drops.
 */
#ifndef TESTS_UNIT_TALK_H
#define TESTS_UNIT_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/synth/rng.h"

enum { TALK_CALLS = 400 };

/* Offsets are behind the last byte of the frame that they name (HEADERS, not
 * its CONTINUATION), in the bytes of the direction that sends it; SIZE_MAX:
 * never. */
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
	size_t max_body;
};

/* Messages of up to max_body bytes. */
void talk_make(struct talk *t, struct na_rng *rng, size_t calls,
	       size_t max_body, bool hostile);
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

/* [offset]: when all bytes before it had come; -1: never.  To be freed. */
int64_t *talk_complete_ns(const struct talk *t, const struct talk_packet *x,
			  size_t n, uint8_t dir);

#endif
