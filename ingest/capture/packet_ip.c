/*
 * IPv4 (RFC 791) and IPv6 with its extension headers (RFC 8200, 4302, 2675).
 *
 * Lengths are those of the IP header, where it has one that fits: behind it
 * may be padding of the link layer.  A length of 0 is what offload leaves of
 * packets too large for the field (IPv4: to be segmented by the card; IPv6:
 * BIG TCP): then the frame's length counts.
 */
#include "ingest/capture/packet_parts.h"

static int ended(struct na_packet *p, enum na_packet_kind kind)
{
	p->kind = kind;
	return -1;
}

/* A header that is not there whole. */
static int short_header(struct na_packet *p, const struct na_rest *v)
{
	return ended(p,
		     na_rest_cut(v) ? NA_PACKET_OTHER_IP : NA_PACKET_MALFORMED);
}

static inline void set_address6(struct na_address *a, const uint8_t *from)
{
	memcpy(a->bytes, from, 16);
	a->family = 6;
}

/* True: v is the whole datagram now. */
static bool put_together(struct na_packet *p, struct na_rest *v,
			 struct na_fragments *fragments, struct na_fragment *x)
{
	size_t n;

	p->kind = NA_PACKET_FRAGMENT;
	if (!fragments)
		return false;
	x->src = p->src;
	x->dst = p->dst;
	x->data = v->p;
	x->captured = v->captured;
	x->wire = v->wire;
	x->time_ns = p->time_ns;
	if (!na_fragments_add(fragments, x, &v->p, &n))
		return false;
	v->captured = v->wire = (uint32_t)n;
	return true;
}

/* The protocol behind extension headers, IPv6's and authentication. */
static int extensions(struct na_packet *p, struct na_rest *v, uint8_t next,
		      struct na_fragments *fragments)
{
	for (int i = 0; i < NA_MAX_EXTENSIONS; i++) {
		struct na_fragment x = {0};
		uint32_t size;

		switch (next) {
		case NA_PROTO_HOPOPT:
		case NA_PROTO_ROUTING:
		case NA_PROTO_DESTINATION:
		case NA_PROTO_MOBILITY:
		case NA_PROTO_AH:
		case NA_PROTO_FRAGMENT:
			break;
		default:
			return next;
		}
		if (v->captured < 8)
			return short_header(p, v);
		size = next == NA_PROTO_AH         ? (v->p[1] + 2u) * 4
		       : next == NA_PROTO_FRAGMENT ? 8
						   : (v->p[1] + 1u) * 8;
		if (next == NA_PROTO_FRAGMENT) {
			x.offset = na_be16(v->p + 2) & 0xfff8;
			x.more = v->p[3] & 1;
			x.id = na_be32(v->p + 4);
			x.protocol = v->p[0];
		}
		next = v->p[0];
		if (!na_rest_skip(v, size))
			return short_header(p, v);
		/* A fragment that is all there is needs no other. */
		if ((x.offset || x.more) && !put_together(p, v, fragments, &x))
			return -1;
	}
	return ended(p, NA_PACKET_MALFORMED);
}

int na_packet_ip4(struct na_packet *p, struct na_rest *v,
		  struct na_fragments *fragments, bool outermost)
{
	uint32_t size, total, offset;
	struct na_fragment x;
	const uint8_t *h = v->p;
	int protocol;

	if (v->captured < 20)
		return short_header(p, v);
	size = (h[0] & 15) * 4u;
	total = na_be16(h + 2);
	if (h[0] >> 4 == 6) /* the version counts, not who said IPv4 */
		return na_packet_ip6(p, v, fragments, outermost);
	if (h[0] >> 4 != 4 || size < 20 || (total && total < size))
		return ended(p, NA_PACKET_MALFORMED);
	if (total)
		na_rest_clip(v, total);
	p->ecn = h[1] & 3;
	p->ip_id = (uint16_t)na_be16(h + 4);
	na_packet_set_address4(&p->src, h + 12);
	na_packet_set_address4(&p->dst, h + 16);
	if (outermost) {
		na_packet_set_address4(&p->outer_src, h + 12);
		na_packet_set_address4(&p->outer_dst, h + 16);
	}
	if (!na_rest_skip(v, size))
		return short_header(p, v);
	offset = na_be16(h + 6);
	protocol = h[9];
	if (offset & 0x3fff) {
		x = (struct na_fragment){
			.id = na_be16(h + 4),
			.protocol = h[9],
			.offset = (offset & 0x1fff) * 8,
			.more = offset & 0x2000,
		};
		if (!put_together(p, v, fragments, &x))
			return -1;
	}
	return protocol == NA_PROTO_AH
		       ? extensions(p, v, NA_PROTO_AH, fragments)
		       : protocol;
}

/* The jumbo payload option among hop-by-hop options; 0: none. */
static uint32_t jumbo(const struct na_rest *v)
{
	uint32_t size, i = 2;

	if (v->captured < 8)
		return 0;
	size = (v->p[1] + 1u) * 8;
	if (size > v->captured)
		return 0;
	while (i + 2 <= size) {
		uint32_t n = v->p[i + 1];

		if (v->p[i] == 0) { /* one byte of padding */
			i++;
			continue;
		}
		if (v->p[i] == 0xc2 && n == 4 && i + 6 <= size)
			return na_be32(v->p + i + 2);
		i += 2 + n;
	}
	return 0;
}

int na_packet_ip6(struct na_packet *p, struct na_rest *v,
		  struct na_fragments *fragments, bool outermost)
{
	const uint8_t *h = v->p;
	uint32_t length;

	if (v->captured < 40)
		return short_header(p, v);
	if (h[0] >> 4 != 6)
		return ended(p, NA_PACKET_MALFORMED);
	length = na_be16(h + 4);
	p->ecn = h[1] >> 4 & 3;
	p->ip_id = 0;
	set_address6(&p->src, h + 8);
	set_address6(&p->dst, h + 24);
	if (outermost) {
		set_address6(&p->outer_src, h + 8);
		set_address6(&p->outer_dst, h + 24);
	}
	na_rest_skip(v, 40);
	if (length == 0 && h[6] == NA_PROTO_HOPOPT)
		length = jumbo(v);
	if (length)
		na_rest_clip(v, length);
	if (h[6] == NA_PROTO_TCP || h[6] == NA_PROTO_UDP)
		return h[6];
	return extensions(p, v, h[6], fragments);
}
