/* The way through one packet is the decoder's own (packet_parts.h), header by
 * header over the copy: what it has read is changed behind it. */
#include "ingest/capture/slice/hide.h"

#include "ingest/capture/slice/hide_parts.h"

enum { MAC_BYTES = 6, ETHER_ARP = 0x0806 };
enum { PROTO_ICMP = 1, PROTO_ICMP6 = 58 };

/* What is on the way. */
struct hiding {
	const struct na_hide *of;
	uint8_t *data; /* the copy */
	int level;     /* of IP headers */
	bool first;    /* of a datagram in fragments */
};

static uint8_t *at(const struct hiding *x, const struct na_rest *v)
{
	return x->data + (v->p - x->data);
}

static uint8_t *end_of(const struct hiding *x, const struct na_rest *v)
{
	return at(x, v) + v->captured;
}

/* ---- sums */

uint64_t na_hide_sum(const uint8_t *from, const uint8_t *end)
{
	uint64_t sum = 0;

	for (; end - from >= 2; from += 2)
		sum += na_be16(from);
	return from < end ? sum + ((uint64_t)*from << 8) : sum;
}

static uint32_t folded(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)sum;
}

void na_hide_correct(uint8_t *check, uint64_t before, uint64_t after)
{
	uint32_t sum = ~na_be16(check) & 0xffff;

	sum = folded((uint64_t)sum + folded(after) +
		     (~folded(before) & 0xffff));
	check[0] = (uint8_t)(~sum >> 8);
	check[1] = (uint8_t)~sum;
}

void na_hide_zero(uint8_t *from, const uint8_t *end)
{
	if (from < end)
		memset(from, 0, (size_t)(end - from));
}

/* ---- link layers */

static void hide_macs(const struct na_hide *h, uint8_t *p, const uint8_t *end)
{
	for (int i = 0; i < 2 && end - p >= MAC_BYTES; i++, p += MAC_BYTES)
		na_mask(h->masks, NA_MASKED_ETHERNET, p);
}

/* Eight bytes, of which `n` are the address. */
static void hide_cooked(const struct na_hide *h, uint8_t *p, unsigned n)
{
	if (n == MAC_BYTES)
		na_mask(h->masks, NA_MASKED_ETHERNET, p);
	na_hide_zero(p + (n == MAC_BYTES ? MAC_BYTES : 0), p + 8);
}

/* Its header is whole, and ends there. */
static void hide_link(const struct na_hide *h, uint8_t *p, const uint8_t *end,
		      uint32_t link)
{
	if (link == NA_LINK_ETHERNET)
		hide_macs(h, p, end);
	else if (link == NA_LINK_SLL)
		hide_cooked(h, p + 6, na_be16(p + 4));
	else if (link == NA_LINK_SLL2)
		hide_cooked(h, p + 12, p[11]);
}

/* ---- tunnels */

static void hide_ip(struct hiding *x, struct na_rest *v);

/* What an EtherType says of the rest. */
static void hide_typed(struct hiding *x, struct na_rest *v, uint32_t type)
{
	if (type == NA_ETHER_IP4 || type == NA_ETHER_IP6)
		hide_ip(x, v);
	else if (type == ETHER_ARP)
		na_hide_arp(x->of, at(x, v), end_of(x, v));
	else
		na_hide_zero(at(x, v), end_of(x, v));
}

/* Of Geneve's options stays how long they are. */
static void hide_geneve(uint8_t *p, uint8_t *end)
{
	while (end - p >= 4) {
		uint8_t *next = na_hide_past(p, end, 4 + (p[3] & 31) * 4u);

		na_hide_zero(p + 4, next);
		p = next;
	}
}

/* VXLAN and Geneve, as na_packet_overlay() has seen: their headers are
 * there. */
static void hide_overlay(struct hiding *x, uint8_t *p, struct na_rest *in,
			 uint32_t type)
{
	uint8_t *inner = p + 16;
	bool bridged = true;

	if (na_be16(p + 2) == NA_GENEVE_PORT && p[8] < 64) {
		inner += p[8] * 4u;
		bridged = na_be16(p + 10) == NA_ETHER_BRIDGED;
		hide_geneve(p + 16, inner);
	}
	if (bridged)
		hide_macs(x->of, inner, at(x, in));
	hide_typed(x, in, type);
}

static void hide_gre(struct hiding *x, struct na_rest *v)
{
	uint8_t *p = at(x, v), *end = end_of(x, v);
	struct na_rest in = *v;
	struct na_packet packet = {.vlan = 0};
	uint32_t type = na_packet_gre(&packet, &in), size = 4;
	uint64_t before = na_hide_sum(p, end);

	if (in.p == v->p) { /* its header is not there, or an odd one */
		na_hide_zero(na_hide_past(p, end, 4), end);
		return;
	}
	for (int bit = 0x10; bit <= 0x80; bit <<= 1)
		size += p[0] & bit & 0xb0 ? 4 : 0;
	if (!(p[1] & 7) && na_be16(p + 2) == NA_ETHER_BRIDGED)
		hide_macs(x->of, p + size, at(x, &in));
	hide_typed(x, &in, type);
	if (p[0] & 0x80)
		na_hide_correct(p + 4, before, na_hide_sum(p, end));
}

/* ---- IP and what is in it */

/* Two bytes; NULL: there is none, or it is cut off. */
static uint8_t *checksum_in(int protocol, uint8_t *p, const uint8_t *end)
{
	size_t skip = protocol == NA_PROTO_TCP   ? 16
		      : protocol == NA_PROTO_UDP ? 6
		      : protocol == PROTO_ICMP || protocol == PROTO_ICMP6
			      ? 2
			      : SIZE_MAX / 2;

	if ((size_t)(end - p) < skip + 2 ||
	    (protocol == NA_PROTO_UDP && !na_be16(p + skip)))
		return NULL;
	return p + skip;
}

static void hide_udp(struct hiding *x, struct na_rest *v)
{
	struct na_packet p = {.vlan = 0};
	struct na_rest in = *v;
	uint32_t type = na_packet_overlay(&p, &in);

	if (type != NA_ETHER_NONE)
		hide_overlay(x, at(x, v), &in, type);
	else
		na_hide_udp(at(x, v), end_of(x, v));
}

static void hide_content(struct hiding *x, struct na_rest *v, int protocol)
{
	uint8_t *p = at(x, v), *end = end_of(x, v);

	switch (protocol) {
	case NA_PROTO_TCP:
		na_hide_tcp(x->of, p, end, v->wire, !x->first);
		break;
	case NA_PROTO_UDP:
		hide_udp(x, v);
		break;
	case PROTO_ICMP:
		na_hide_icmp(x->of, p, end);
		break;
	case PROTO_ICMP6:
		na_hide_icmp6(x->of, p, end);
		break;
	case NA_PROTO_IP4:
	case NA_PROTO_IP6:
		hide_ip(x, v);
		break;
	case NA_PROTO_GRE:
		hide_gre(x, v);
		break;
	default:
		na_hide_zero(p, end);
	}
}

/* IPv4's ICMP alone does not sum up addresses. */
static void hide_transport(struct hiding *x, struct na_rest *v, int protocol,
			   const struct na_hide_ends *ends)
{
	uint8_t *p = at(x, v), *end = end_of(x, v);
	uint8_t *check = checksum_in(protocol, p, end);
	uint64_t before = na_hide_sum(p, end), after;

	hide_content(x, v, protocol);
	if (!check)
		return;
	after = na_hide_sum(p, end);
	if (protocol != PROTO_ICMP) {
		before += ends->before;
		after += ends->after;
	}
	na_hide_correct(check, before, after);
	if (protocol == NA_PROTO_UDP && !na_be16(check))
		check[0] = check[1] = 0xff; /* 0 says that there is none */
}

void na_hide_ends(const struct na_hide *h, uint8_t *ip, struct na_hide_ends *e)
{
	bool four = ip[0] >> 4 == 4;
	size_t size = four ? 4 : 16;
	uint8_t *src = ip + (four ? 12 : 8), *end = src + 2 * size;
	enum na_masked kind = four ? NA_MASKED_IP4 : NA_MASKED_IP6;

	e->before = na_hide_sum(src, end);
	na_mask(h->masks, kind, src);
	na_mask(h->masks, kind, src + size);
	e->after = na_hide_sum(src, end);
}

/* A header with what belongs to it, up to `body`. */
static void hide_header(const struct hiding *x, uint8_t *p, uint8_t *body,
			struct na_hide_ends *ends)
{
	uint8_t *options;
	uint64_t before;

	if (p[0] >> 4 == 6) {
		na_hide_ends(x->of, p, ends);
		na_hide_extensions(p[6], p + 40, body);
		return;
	}
	options = na_hide_past(p, body, (p[0] & 15) * 4u);
	before = na_hide_sum(p, options);
	na_hide_ends(x->of, p, ends);
	na_hide_ip_options(p + 20, options);
	na_hide_correct(p + 10, before, na_hide_sum(p, options));
	na_hide_extensions(p[9], options, body);
}

/* What follows the first fragment's header; -1: it is another fragment. */
static int in_fragment(const uint8_t *p, const uint8_t *body)
{
	if (p[0] >> 4 == 4)
		return na_be16(p + 6) & 0x1fff ? -1 : p[9];
	return na_be16(body - 6) & 0xfff8 ? -1 : body[-8];
}

/* Of a header that makes no sense, or is not whole, what is no address. */
static void hide_broken(uint8_t *p, uint8_t *end)
{
	size_t keep = p < end && p[0] >> 4 == 6 ? 8 : 12;

	na_hide_zero(na_hide_past(p, end, keep), end);
}

static void hide_ip(struct hiding *x, struct na_rest *v)
{
	uint8_t *p = at(x, v), *end = end_of(x, v), *body;
	struct na_packet packet = {.vlan = 0};
	struct na_hide_ends ends;
	int protocol;

	if (x->level++ > NA_MAX_TUNNELS) {
		na_hide_zero(p, end);
		return;
	}
	protocol = v->captured && p[0] >> 4 == 6
			   ? na_packet_ip6(&packet, v, NULL, false)
			   : na_packet_ip4(&packet, v, NULL, false);
	if (!packet.src.family) {
		hide_broken(p, end);
		return;
	}
	body = at(x, v);
	if (protocol < 0 && packet.kind == NA_PACKET_FRAGMENT) {
		protocol = in_fragment(p, body);
		x->first = true;
	}
	if (body == p) /* options that are not whole */
		body = na_hide_past(p, end, p[0] >> 4 == 4 ? 20 : 40);
	hide_header(x, p, body, &ends);
	if (protocol >= 0 && body == at(x, v)) {
		hide_transport(x, v, protocol, &ends);
		body = end_of(x, v);
	}
	na_hide_zero(body, end);
}

void na_hide_packet(const struct na_hide *h, const struct na_record *r,
		    uint8_t *data)
{
	struct na_rest v = {data, r->captured_bytes, r->wire_bytes};
	struct hiding x = {.of = h, .data = data};
	struct na_packet p = {.vlan = 0};
	uint32_t type = na_packet_link(&p, &v, r->link);

	if (v.p != data)
		hide_link(h, data, v.p, r->link);
	hide_typed(&x, &v, type);
}
