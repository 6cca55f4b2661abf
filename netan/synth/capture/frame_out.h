/*
 * Captured frames into a pcap or pcapng file: Ethernet, IPv4, TCP or UDP
 * with right checksums, cut to the snap length, nanosecond time.
 *
 * Payload is either bytes or the pattern: a long stream of known bytes, of
 * which every place has its checksum at hand, so that a full packet costs
 * one copy.
 */
#ifndef NETAN_SYNTH_CAPTURE_FRAME_OUT_H
#define NETAN_SYNTH_CAPTURE_FRAME_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/synth/out_file.h"

enum { NA_FRAME_OPTIONS = 40, NA_FRAME_PATTERN = 1 << 16 };

struct na_frame_end {
	uint8_t mac[6];
	uint8_t ip[4];
	uint16_t port;
};

struct na_frame_tcp {
	uint32_t seq, ack;
	uint16_t window;
	uint8_t flags;
	uint8_t n_options; /* a multiple of 4 */
	uint8_t options[NA_FRAME_OPTIONS];
};

struct na_frame_data {
	const uint8_t *bytes; /* NULL: the pattern from place `at` */
	uint64_t at;
	uint32_t n;
};

struct na_frames;

NA_MUST_CHECK enum na_status na_frames_open(struct na_frames **f,
					    const char *path, int pack, bool ng,
					    uint32_t snaplen,
					    struct na_err *err);
/* Completes the file; *bytes is its size.  Frees f whatever happens. */
NA_MUST_CHECK enum na_status
na_frames_finish(struct na_frames *f, uint64_t *bytes, struct na_err *err);
void na_frames_abandon(struct na_frames *f); /* NULL is fine */

NA_MUST_CHECK enum na_status na_frames_tcp(struct na_frames *f, int64_t time_ns,
					   const struct na_frame_end *src,
					   const struct na_frame_end *dst,
					   const struct na_frame_tcp *t,
					   const struct na_frame_data *data,
					   struct na_err *err);

/* `head` stands before the data; the checksum is none (0), as adapters that
 * send RoCE leave it.  ecn: the IP header's two bits. */
NA_MUST_CHECK enum na_status na_frames_udp(struct na_frames *f, int64_t time_ns,
					   const struct na_frame_end *src,
					   const struct na_frame_end *dst,
					   const uint8_t *head, size_t n_head,
					   uint32_t n_data, uint8_t ecn,
					   struct na_err *err);

/* So far. */
struct na_frame_sums {
	uint64_t frames, wire_bytes, captured_bytes;
};
const struct na_frame_sums *na_frames_sums(const struct na_frames *f);

/* A number of so many bytes in network order; returns what is behind it. */
static inline uint8_t *na_put_be(uint8_t *p, uint64_t v, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--)
		*p++ = (uint8_t)(v >> (8 * i));
	return p;
}

#endif
