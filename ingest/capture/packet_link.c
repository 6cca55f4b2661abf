/*
 * Link layers: what stands in front of IP, down to an EtherType.
 * Numbers from tcpdump.org/linktypes.html.
 */
#include "ingest/capture/packet_parts.h"

enum {
	LINK_NULL = 0,
	LINK_PPP = 9,
	LINK_RAW_BSD = 12,
	LINK_RAW_OPENBSD = 14,
	LINK_PPP_HDLC = 50,
	LINK_RAW = 101,
	LINK_C_HDLC = 104,
	LINK_LOOP = 108,
	LINK_IP4 = 228,
	LINK_IP6 = 229
};

enum {
	ETHER_VLAN = 0x8100,
	ETHER_QINQ = 0x88a8,
	ETHER_QINQ_OLD = 0x9100,
	ETHER_QINQ_OLDER = 0x9200,
	ETHER_MPLS = 0x8847,
	ETHER_MPLS_MULTI = 0x8848,
	ETHER_PPPOE = 0x8864,
	ETHER_LENGTH_TOP = 1500 /* below: IEEE 802.3 length, then LLC */
};

/* By the version in its first byte. */
static uint32_t raw_ip(const struct na_rest *v)
{
	if (v->captured == 0)
		return NA_ETHER_NONE;
	return v->p[0] >> 4 == 4   ? NA_ETHER_IP4
	       : v->p[0] >> 4 == 6 ? NA_ETHER_IP6
				   : NA_ETHER_NONE;
}

static uint32_t mpls(struct na_rest *v)
{
	for (int i = 0; i < NA_MAX_TAGS && v->captured >= 4; i++) {
		bool bottom = v->p[2] & 1;

		na_rest_skip(v, 4);
		if (bottom)
			return raw_ip(v);
	}
	return NA_ETHER_NONE;
}

/* Address and control may be there; the protocol has one or two bytes. */
static uint32_t ppp(struct na_rest *v)
{
	uint32_t protocol;

	if (v->captured >= 2 && v->p[0] == 0xff && v->p[1] == 3)
		na_rest_skip(v, 2);
	if (v->captured >= 1 && (v->p[0] & 1)) {
		protocol = v->p[0];
		na_rest_skip(v, 1);
	} else if (v->captured >= 2) {
		protocol = na_be16(v->p);
		na_rest_skip(v, 2);
	} else {
		return NA_ETHER_NONE;
	}
	return protocol == 0x21   ? NA_ETHER_IP4
	       : protocol == 0x57 ? NA_ETHER_IP6
				  : NA_ETHER_NONE;
}

/* Past the tags that begin with `type`. */
static uint32_t tags(struct na_packet *p, struct na_rest *v, uint32_t type)
{
	for (int i = 0; i <= NA_MAX_TAGS; i++) {
		switch (type) {
		case ETHER_VLAN:
		case ETHER_QINQ:
		case ETHER_QINQ_OLD:
		case ETHER_QINQ_OLDER:
			if (v->captured < 4)
				return NA_ETHER_NONE;
			if (!p->vlan)
				p->vlan = (uint16_t)(na_be16(v->p) & 0xfff);
			type = na_be16(v->p + 2);
			na_rest_skip(v, 4);
			break;
		case ETHER_MPLS:
		case ETHER_MPLS_MULTI:
			return mpls(v);
		case ETHER_PPPOE:
			return na_rest_skip(v, 6) ? ppp(v) : NA_ETHER_NONE;
		default:
			if (type > ETHER_LENGTH_TOP)
				return type;
			break;
		}
		if (type > ETHER_LENGTH_TOP) /* behind a tag */
			continue;
		/* LLC and SNAP: aa aa 03, organisation 0, EtherType */
		if (v->captured < 8 ||
		    memcmp(v->p, "\xaa\xaa\x03\0\0\0", 6) != 0)
			return NA_ETHER_NONE;
		type = na_be16(v->p + 6);
		na_rest_skip(v, 8);
	}
	return type;
}

uint32_t na_packet_ethernet(struct na_packet *p, struct na_rest *v)
{
	uint32_t type;

	if (v->captured < 14)
		return NA_ETHER_NONE;
	type = na_be16(v->p + 12);
	na_rest_skip(v, 14);
	if (type == NA_ETHER_IP4 || type == NA_ETHER_IP6)
		return type;
	return tags(p, v, type);
}

/* A protocol family in the byte order of who wrote the file, or in network
 * order; AF_INET is 2 everywhere, AF_INET6 is not. */
static uint32_t loopback(struct na_rest *v)
{
	uint32_t family;

	if (v->captured < 4)
		return NA_ETHER_NONE;
	family = na_be32(v->p);
	if (family > 0xffff)
		family = __builtin_bswap32(family);
	na_rest_skip(v, 4);
	switch (family) {
	case 2:
		return NA_ETHER_IP4;
	case 10: /* Linux */
	case 23: /* Windows */
	case 24: /* NetBSD, OpenBSD */
	case 28: /* FreeBSD */
	case 30: /* macOS */
		return NA_ETHER_IP6;
	}
	return NA_ETHER_NONE;
}

/* `size` bytes of header, the EtherType at `at`. */
static uint32_t typed(struct na_packet *p, struct na_rest *v, uint32_t size,
		      uint32_t at)
{
	uint32_t type;

	if (v->captured < size)
		return NA_ETHER_NONE;
	type = na_be16(v->p + at);
	na_rest_skip(v, size);
	/* Small numbers are no lengths here, but kinds of frames. */
	return type > ETHER_LENGTH_TOP ? tags(p, v, type) : NA_ETHER_NONE;
}

bool na_packet_link_known(uint32_t link)
{
	switch (link) {
	case LINK_NULL:
	case NA_LINK_ETHERNET:
	case LINK_PPP:
	case LINK_RAW_BSD:
	case LINK_RAW_OPENBSD:
	case LINK_PPP_HDLC:
	case LINK_RAW:
	case LINK_C_HDLC:
	case LINK_LOOP:
	case NA_LINK_SLL:
	case LINK_IP4:
	case LINK_IP6:
	case NA_LINK_SLL2:
		return true;
	}
	return false;
}

uint32_t na_packet_link(struct na_packet *p, struct na_rest *v, uint32_t link)
{
	switch (link) {
	case NA_LINK_ETHERNET:
		return na_packet_ethernet(p, v);
	case NA_LINK_SLL:
		return typed(p, v, 16, 14);
	case NA_LINK_SLL2:
		return typed(p, v, 20, 0);
	case LINK_NULL:
	case LINK_LOOP:
		return loopback(v);
	case LINK_RAW:
	case LINK_RAW_BSD:
	case LINK_RAW_OPENBSD:
		return raw_ip(v);
	case LINK_IP4:
		return NA_ETHER_IP4;
	case LINK_IP6:
		return NA_ETHER_IP6;
	case LINK_PPP:
	case LINK_PPP_HDLC:
		return ppp(v);
	case LINK_C_HDLC:
		return typed(p, v, 4, 2);
	}
	return NA_ETHER_NONE;
}

/* RFC 2784, 2890; version 1 (RFC 2637) carries PPP. */
uint32_t na_packet_gre(struct na_packet *p, struct na_rest *v)
{
	uint32_t flags, type, size = 4;

	if (v->captured < 4)
		return NA_ETHER_NONE;
	flags = na_be16(v->p);
	type = na_be16(v->p + 2);
	if ((flags & 7) > 1 || (flags & 0x4000)) /* routing: obsolete */
		return NA_ETHER_NONE;
	size += flags & 0x8000 ? 4 : 0; /* checksum */
	size += flags & 0x2000 ? 4 : 0; /* key */
	size += flags & 0x1000 ? 4 : 0; /* sequence number */
	if ((flags & 7) == 1)
		size += flags & 0x0080 ? 4 : 0; /* acknowledgement */
	if (!na_rest_skip(v, size))
		return NA_ETHER_NONE;
	if ((flags & 7) == 1)
		return ppp(v);
	if (type == NA_ETHER_BRIDGED)
		return na_packet_ethernet(p, v);
	return type > ETHER_LENGTH_TOP ? tags(p, v, type) : NA_ETHER_NONE;
}
