/*
 * One Ethernet frame with TCP in IPv4 or IPv6, as the wire sees it: what rules ask
 * for, and how a super-packet of a sender that leaves segmentation to its
 * NIC becomes the frames that a cable would carry.
 */
#ifndef ACCURACY_TCP_FRAME_H
#define ACCURACY_TCP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FRAME_MAX = 66000,
	FRAME_IP = 14, /* offset of the IP header: no VLAN tags here */
	FRAME_FIN = 1,
	FRAME_SYN = 2,
	FRAME_RST = 4,
	FRAME_PSH = 8,
	FRAME_CWR = 0x80
};

struct frame_end {
	bool v6;
	uint8_t address[16]; /* of IPv4 the first 4 */
	uint16_t port;
};

struct frame_view {
	bool tcp;                    /* else only the hosts are known */
	unsigned src_host, dst_host; /* last byte of the MAC address */
	struct frame_end src, dst;
	uint16_t ip_id;    /* 0 in IPv6 */
	uint32_t ip_bytes; /* with its header */
	uint32_t seq;
	uint8_t flags;
	size_t tcp_at;     /* offset of the TCP header */
	size_t payload_at; /* <= n */
	uint32_t payload;  /* bytes behind the TCP header */
};

/* "10.9.0.1:7000", "[fd00:9::1]:7000"; returns buf. */
enum { FRAME_END_BYTES = 64 };
const char *frame_end_text(const struct frame_end *e,
			   char buf[FRAME_END_BYTES]);
bool frame_end_same(const struct frame_end *a, const struct frame_end *b);

/* False: too short to have MAC addresses. */
bool frame_look(const uint8_t *frame, size_t n, struct frame_view *out);

/* Computes the TCP checksum anew; for frames with .tcp. */
void frame_checksum(uint8_t *frame, const struct frame_view *v);

/* The IP ID of an IPv4 frame is 0 then, and its checksum right. */
void frame_forget_id(uint8_t *frame, size_t n);

/*
 * Cuts a super-packet into frames of up to segment_bytes of payload as RFC
 * 9293 senders do: IP ID and sequence number go up, FIN and PSH are on the
 * last one, CWR is on the first one; checksums are right.  emit() gets each.
 */
void frame_segment(const uint8_t *frame, const struct frame_view *v,
		   uint32_t segment_bytes,
		   void (*emit)(void *arg, const uint8_t *frame, size_t n),
		   void *arg);

#endif
