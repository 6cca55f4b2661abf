/*
 * Packets and captures byte by byte.  Everything is appended; lengths and
 * protocol numbers are what the caller says, so that they may lie.
 */
#ifndef TESTS_UNIT_PACKET_BYTES_H
#define TESTS_UNIT_PACKET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t p[1 << 18];
	size_t n;
	bool big; /* order of b_16, b_32 */
};

void b_put(struct bytes *b, const void *p, size_t n);
void b_zero(struct bytes *b, size_t n);
void b_hex(struct bytes *b, const char *hex); /* blanks are passed over */
void b_16(struct bytes *b, uint32_t x);
void b_32(struct bytes *b, uint32_t x);
void b_be16(struct bytes *b, uint32_t x);
void b_be32(struct bytes *b, uint32_t x);

void b_ethernet(struct bytes *b, uint32_t type);
/* 10.0.0.1 to 10.0.0.2, 20 bytes; `fragment` is flags and offset. */
void b_ip4(struct bytes *b, uint32_t total, uint32_t protocol, uint32_t id,
	   uint32_t fragment);
/* fd00::1 to fd00::2, 40 bytes. */
void b_ip6(struct bytes *b, uint32_t length, uint32_t next);
/* Port 1000 to 2000, seq 7, ack 9, window 512; n bytes of options (hex). */
void b_tcp(struct bytes *b, uint32_t flags, const char *options);
void b_udp(struct bytes *b, uint32_t from, uint32_t to, uint32_t length);

/* Capture files, in b->big's order. */
void b_pcap(struct bytes *b, uint32_t magic, uint32_t version,
	    uint32_t snap_bytes, uint32_t link);
void b_record(struct bytes *b, uint32_t seconds, uint32_t fraction,
	      uint32_t captured, uint32_t wire);
/* A block around what `body` has; padded. */
void b_block(struct bytes *b, uint32_t type, const struct bytes *body);
void b_section(struct bytes *b);
/* resolution 0: no such option; offset_s likewise. */
void b_interface(struct bytes *b, uint32_t link, uint32_t snap_bytes,
		 uint32_t resolution, int64_t offset_s);
void b_enhanced(struct bytes *b, uint32_t interface, uint64_t units,
		uint32_t captured, uint32_t wire);

#endif
