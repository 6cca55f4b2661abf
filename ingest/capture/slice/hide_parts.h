/*
 * Between the parts of what hides a packet: the way through it (hide.c), TCP,
 * UDP and options (hide_tcp.c), ARP, ICMP and what is like it (hide_icmp.c).
 * All work on bytes [from, end) of the copy.
 */
#ifndef INGEST_CAPTURE_SLICE_HIDE_PARTS_H
#define INGEST_CAPTURE_SLICE_HIDE_PARTS_H

#include "ingest/capture/slice/hide.h"
#include "ingest/capture/packet_parts.h"

/* Sum of 16-bit words (RFC 1071), an odd byte padded; not folded. */
uint64_t na_hide_sum(const uint8_t *from, const uint8_t *end);
/* The checksum at `at` of what summed up to `before` and does to `after`:
 * right stays right, wrong stays wrong (RFC 1624). */
void na_hide_correct(uint8_t *at, uint64_t before, uint64_t after);

void na_hide_zero(uint8_t *from, const uint8_t *end);
static inline uint8_t *na_hide_past(uint8_t *from, uint8_t *end, size_t n)
{
	return (size_t)(end - from) < n ? end : from + n;
}

/* The addresses of an IP header that is there whole, and what they add to
 * checksums of what is inside. */
struct na_hide_ends {
	uint64_t before, after;
};
void na_hide_ends(const struct na_hide *h, uint8_t *ip,
		  struct na_hide_ends *e);
/* IPv4's options, TCP's; extension headers, of which `next` is the first. */
void na_hide_ip_options(uint8_t *from, uint8_t *end);
void na_hide_tcp_options(uint8_t *from, uint8_t *end);
void na_hide_extensions(uint8_t next, uint8_t *from, uint8_t *end);

/* A segment of which `wire` bytes were sent; `last`: no tunnel or fragment
 * that h->stays does not know. */
void na_hide_tcp(const struct na_hide *h, uint8_t *from, uint8_t *end,
		 size_t wire, bool last);
void na_hide_udp(uint8_t *from, uint8_t *end);

void na_hide_arp(const struct na_hide *h, uint8_t *from, uint8_t *end);
void na_hide_icmp(const struct na_hide *h, uint8_t *from, uint8_t *end);
void na_hide_icmp6(const struct na_hide *h, uint8_t *from, uint8_t *end);

#endif
