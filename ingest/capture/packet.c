/* The way through one packet, and addresses as text. */
#include "ingest/capture/packet.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "ingest/capture/packet_parts.h"

const char *na_address_print(char *buf, const struct na_address *a)
{
	if (a->family == 4)
		inet_ntop(AF_INET, a->bytes, buf, NA_ADDRESS_BUF);
	else if (a->family == 6)
		inet_ntop(AF_INET6, a->bytes, buf, NA_ADDRESS_BUF);
	else
		snprintf(buf, NA_ADDRESS_BUF, "-");
	return buf;
}

bool na_address_parse(struct na_address *a, const char *text)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, a->bytes) == 1)
		a->family = 4;
	else if (inet_pton(AF_INET6, text, a->bytes) == 1)
		a->family = 6;
	return a->family != 0;
}

uint32_t na_packet_overlay(struct na_packet *p, struct na_rest *v)
{
	struct na_rest in = *v;
	uint32_t type = NA_ETHER_BRIDGED, port, options = 0;

	if (v->captured < 16)
		return NA_ETHER_NONE;
	port = na_be16(v->p + 2);
	if (port == NA_GENEVE_PORT && v->p[8] < 64) { /* version 0 */
		options = v->p[8] * 4u;
		type = na_be16(v->p + 10);
	} else if (port != NA_VXLAN_PORT || !(v->p[8] & 8)) {
		return NA_ETHER_NONE;
	}
	if (!na_rest_skip(&in, 16 + options))
		return NA_ETHER_NONE;
	if (type == NA_ETHER_BRIDGED)
		type = na_packet_ethernet(p, &in);
	if (type != NA_ETHER_IP4 && type != NA_ETHER_IP6)
		return NA_ETHER_NONE;
	*v = in;
	return type;
}

/* What is behind an IP header with this protocol: another one (its
 * EtherType), or the end of the way. */
static uint32_t transport(struct na_packet *p, struct na_rest *v, int protocol)
{
	uint32_t type = NA_ETHER_NONE;

	p->kind = NA_PACKET_OTHER_IP;
	switch (protocol) {
	case NA_PROTO_TCP:
		na_packet_tcp(p, v);
		break;
	case NA_PROTO_UDP:
		type = na_packet_overlay(p, v);
		if (type == NA_ETHER_NONE)
			na_packet_udp(p, v);
		break;
	case NA_PROTO_IP4:
		type = NA_ETHER_IP4;
		break;
	case NA_PROTO_IP6:
		type = NA_ETHER_IP6;
		break;
	case NA_PROTO_GRE:
		type = na_packet_gre(p, v);
		break;
	}
	return type;
}

/* Most packets: TCP on IPv4 without options on Ethernet.  The same as the
 * long way below; false: that one must be gone. */
static inline bool usual(struct na_packet *p, const struct na_record *r)
{
	const uint8_t *ip = r->data + 14;
	size_t captured = r->captured_bytes, wire = r->wire_bytes, total;

	if (r->link != NA_LINK_ETHERNET || captured < 54 ||
	    na_be16(ip - 2) != NA_ETHER_IP4 || ip[0] != 0x45 ||
	    ip[9] != NA_PROTO_TCP || na_be16(ip + 6) & 0x3fff)
		return false;
	total = na_be16(ip + 2);
	if (total < 40)
		return false;
	captured = captured - 14 < total ? captured - 14 : total;
	wire = wire - 14 < total ? wire - 14 : total;
	p->ecn = ip[1] & 3;
	p->ip_id = (uint16_t)na_be16(ip + 4);
	na_packet_set_address4(&p->src, ip + 12);
	na_packet_set_address4(&p->dst, ip + 16);
	na_packet_set_address4(&p->outer_src, ip + 12);
	na_packet_set_address4(&p->outer_dst, ip + 16);
	na_packet_tcp_whole(p, ip + 20, captured - 20, wire - 20);
	return p->kind == NA_PACKET_TCP;
}

void na_packet_decode(struct na_packet *p, const struct na_record *r,
		      struct na_fragments *fragments)
{
	struct na_rest v = {r->data, r->captured_bytes, r->wire_bytes};
	uint32_t type;
	int protocol;

	p->time_ns = r->time_ns;
	p->wire_bytes = r->wire_bytes;
	p->cut = r->captured_bytes < r->wire_bytes;
	p->vlan = 0;
	if (usual(p, r))
		return;
	p->kind = NA_PACKET_NON_IP;
	p->ecn = 0;
	p->ip_id = 0;
	p->src_port = p->dst_port = 0;
	p->payload = NULL;
	p->payload_bytes = p->payload_captured = 0;
	p->outer_src.family = p->outer_dst.family = 0;
	p->src.family = p->dst.family = 0;
	type = na_packet_link(p, &v, r->link);
	for (int level = 0; level <= NA_MAX_TUNNELS; level++) {
		if (type == NA_ETHER_IP4)
			protocol = na_packet_ip4(p, &v, fragments, level == 0);
		else if (type == NA_ETHER_IP6)
			protocol = na_packet_ip6(p, &v, fragments, level == 0);
		else
			return;
		if (protocol < 0)
			return;
		type = transport(p, &v, protocol);
	}
}
