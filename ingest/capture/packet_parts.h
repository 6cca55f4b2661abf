/*
 * Between the parts of the decoder: link layer (packet_link.c), IP
 * (packet_ip.c), transport (packet_tcp.c), and what goes through them
 * (packet.c).
 */
#ifndef INGEST_CAPTURE_PACKET_PARTS_H
#define INGEST_CAPTURE_PACKET_PARTS_H

#include <string.h>

#include "ingest/bytes/cursor.h"
#include "ingest/capture/fragment.h"
#include "ingest/capture/packet.h"

enum {
	NA_MAX_TAGS = 8,        /* VLAN and MPLS */
	NA_MAX_TUNNELS = 4,     /* IP headers inside the first */
	NA_MAX_EXTENSIONS = 16, /* IPv6, authentication */
	NA_VXLAN_PORT = 4789,
	NA_GENEVE_PORT = 6081
};

enum { NA_LINK_ETHERNET = 1, NA_LINK_SLL = 113, NA_LINK_SLL2 = 276 };

/* Options of TCP. */
enum {
	NA_TCP_OPT_END,
	NA_TCP_OPT_NOP,
	NA_TCP_OPT_MSS,
	NA_TCP_OPT_SHIFT,
	NA_TCP_OPT_SACK_OK,
	NA_TCP_OPT_SACK,
	NA_TCP_OPT_TIMESTAMPS = 8
};

/* EtherType, and what stands for the PPP and raw kinds. */
enum {
	NA_ETHER_NONE = 0, /* not known, or cut off */
	NA_ETHER_IP4 = 0x0800,
	NA_ETHER_IP6 = 0x86dd,
	NA_ETHER_BRIDGED = 0x6558 /* an Ethernet frame */
};

enum {
	NA_PROTO_HOPOPT = 0,
	NA_PROTO_IP4 = 4,
	NA_PROTO_TCP = 6,
	NA_PROTO_UDP = 17,
	NA_PROTO_IP6 = 41,
	NA_PROTO_ROUTING = 43,
	NA_PROTO_FRAGMENT = 44,
	NA_PROTO_GRE = 47,
	NA_PROTO_AH = 51,
	NA_PROTO_NONE = 59,
	NA_PROTO_DESTINATION = 60,
	NA_PROTO_MOBILITY = 135
};

/* What is not decoded yet: `captured` bytes are there, of `wire`. */
struct na_rest {
	const uint8_t *p;
	/* captured <= wire.  As wide as what reads them: two halves written
	 * apart and read as one would stall on each packet. */
	size_t captured, wire;
};

/* Past n captured bytes; false, and v as it was, if fewer are there. */
static inline bool na_rest_skip(struct na_rest *v, uint32_t n)
{
	if (n > v->captured)
		return false;
	v->p += n;
	v->captured -= n;
	v->wire -= n;
	return true;
}

/* No more than n bytes on the wire. */
static inline void na_rest_clip(struct na_rest *v, uint32_t n)
{
	if (v->wire > n)
		v->wire = n;
	if (v->captured > n)
		v->captured = n;
}

/* Is a header that ends early one that the snap length took? */
static inline bool na_rest_cut(const struct na_rest *v)
{
	return v->captured < v->wire;
}

/* Past the link layer: an EtherType, and the VLAN id in p. */
uint32_t na_packet_link(struct na_packet *p, struct na_rest *v, uint32_t link);
/* Past an Ethernet header with its tags. */
uint32_t na_packet_ethernet(struct na_packet *p, struct na_rest *v);

/* Past one IP header with its extensions, v clipped to what it says; src,
 * dst and ecn of p are set, those of the outermost header too.  The protocol
 * behind it, or -1 with p->kind set if the way ends here. */
int na_packet_ip4(struct na_packet *p, struct na_rest *v,
		  struct na_fragments *fragments, bool outermost);
int na_packet_ip6(struct na_packet *p, struct na_rest *v,
		  struct na_fragments *fragments, bool outermost);

/* Past GRE: an EtherType. */
uint32_t na_packet_gre(struct na_packet *p, struct na_rest *v);

/* Past VXLAN (RFC 7348) or Geneve (RFC 8926) to IP, alone or in an Ethernet
 * frame; NA_ETHER_NONE, and v as it was: it is not there. */
uint32_t na_packet_overlay(struct na_packet *p, struct na_rest *v);

/* The end: kind, ports, payload. */
void na_packet_tcp(struct na_packet *p, const struct na_rest *v);
void na_packet_udp(struct na_packet *p, struct na_rest *v);
/* What of the options is there; one that lies ends them. */
void na_packet_tcp_options(struct na_packet *p, const uint8_t *o, size_t left);

static inline void na_packet_tcp_clear(struct na_packet *p)
{
	p->window_shift = 255;
	p->mss = 0;
	p->sack_permitted = p->has_timestamps = false;
	p->ts_value = p->ts_echo = 0;
	p->n_sack = 0;
}

/* h[0..captured) is a TCP header, whole but for options, and what follows. */
static inline void na_packet_tcp_whole(struct na_packet *p, const uint8_t *h,
				       size_t captured, size_t wire)
{
	size_t size = (h[12] >> 4) * 4u, got;

	na_packet_tcp_clear(p);
	p->kind = NA_PACKET_MALFORMED;
	if (size < 20 || size > wire)
		return;
	p->kind = NA_PACKET_TCP;
	p->src_port = (uint16_t)na_be16(h);
	p->dst_port = (uint16_t)na_be16(h + 2);
	p->seq = na_be32(h + 4);
	p->ack = na_be32(h + 8);
	p->flags = h[13];
	p->window = (uint16_t)na_be16(h + 14);
	got = size < captured ? size : captured;
	/* The usual: two of nothing, then timestamps. */
	if (got == 32 && na_be32(h + 20) == 0x0101080a) {
		p->has_timestamps = true;
		p->ts_value = na_be32(h + 24);
		p->ts_echo = na_be32(h + 28);
	} else if (got > 20) {
		na_packet_tcp_options(p, h + 20, got - 20);
	}
	p->payload = h + got;
	p->payload_bytes = (uint32_t)(wire - size);
	p->payload_captured = (uint32_t)(captured - got);
}

static inline void na_packet_set_address4(struct na_address *a,
					  const uint8_t *from)
{
	uint64_t low = 0; /* one store: who reads it next reads it whole */

	memcpy(&low, from, 4);
	memcpy(a->bytes, &low, 8);
	memset(a->bytes + 8, 0, 8);
	a->family = 4;
}

#endif
