/* TCP (RFC 9293; options: RFC 7323, 2018) and UDP (RFC 768). */
#include "ingest/capture/packet_parts.h"

static void sack_blocks(struct na_packet *p, const uint8_t *o, uint32_t n)
{
	for (; n >= 8 && p->n_sack < NA_MAX_SACK; n -= 8, o += 8) {
		p->sack[p->n_sack].left = na_be32(o);
		p->sack[p->n_sack].right = na_be32(o + 4);
		p->n_sack++;
	}
}

static void option(struct na_packet *p, uint8_t kind, const uint8_t *o,
		   uint32_t n)
{
	bool syn = p->flags & NA_TCP_SYN;

	switch (kind) {
	case NA_TCP_OPT_MSS:
		if (syn && n == 2)
			p->mss = (uint16_t)na_be16(o);
		break;
	case NA_TCP_OPT_SHIFT:
		if (syn && n == 1)
			p->window_shift = o[0];
		break;
	case NA_TCP_OPT_SACK_OK:
		if (syn && n == 0)
			p->sack_permitted = true;
		break;
	case NA_TCP_OPT_SACK:
		sack_blocks(p, o, n);
		break;
	case NA_TCP_OPT_TIMESTAMPS:
		if (n == 8) {
			p->has_timestamps = true;
			p->ts_value = na_be32(o);
			p->ts_echo = na_be32(o + 4);
		}
		break;
	}
}

void na_packet_tcp_options(struct na_packet *p, const uint8_t *o, size_t left)
{
	while (left > 0 && o[0] != NA_TCP_OPT_END) {
		uint32_t n = 1;

		if (o[0] != NA_TCP_OPT_NOP) {
			if (left < 2 || o[1] < 2 || o[1] > left)
				return;
			n = o[1];
			option(p, o[0], o + 2, n - 2);
		}
		o += n;
		left -= n;
	}
}

/* p->kind is OTHER_IP until more is known.  The snap length took some of the
 * fixed header.  Enough for the sequence
 * number is enough to be TCP; a window that is not there is not closed. */
static void cut_header(struct na_packet *p, const struct na_rest *v)
{
	if (v->captured < 8)
		return;
	p->kind = NA_PACKET_TCP;
	p->src_port = (uint16_t)na_be16(v->p);
	p->dst_port = (uint16_t)na_be16(v->p + 2);
	p->seq = na_be32(v->p + 4);
	p->ack = v->captured < 12 ? 0 : na_be32(v->p + 8);
	p->window = v->captured < 16 ? UINT16_MAX
				     : (uint16_t)na_be16(v->p + 14);
	p->flags = v->captured < 14 ? 0 : v->p[13];
	if (v->captured >= 14) {
		uint32_t size = (v->p[12] >> 4) * 4u;

		if (size < 20 || size > v->wire)
			p->kind = NA_PACKET_MALFORMED;
		else
			p->payload_bytes = (uint32_t)(v->wire - size);
	}
}

void na_packet_tcp(struct na_packet *p, const struct na_rest *v)
{
	if (v->captured >= 20) {
		na_packet_tcp_whole(p, v->p, v->captured, v->wire);
	} else {
		na_packet_tcp_clear(p);
		if (na_rest_cut(v))
			cut_header(p, v);
		else
			p->kind = NA_PACKET_MALFORMED;
	}
}

void na_packet_udp(struct na_packet *p, struct na_rest *v)
{
	uint32_t length = 0;

	if (v->captured < 8 && !na_rest_cut(v)) {
		p->kind = NA_PACKET_MALFORMED;
		return;
	}
	if (v->captured < 4) /* no ports */
		return;
	if (v->captured >= 6)
		length = na_be16(v->p + 4);
	p->kind = NA_PACKET_MALFORMED;
	if (v->wire < 8 || (length > 0 && length < 8))
		return;
	p->kind = NA_PACKET_UDP;
	p->src_port = (uint16_t)na_be16(v->p);
	p->dst_port = (uint16_t)na_be16(v->p + 2);
	if (length)
		na_rest_clip(v, length);
	p->payload_bytes = (uint32_t)v->wire - 8;
	if (na_rest_skip(v, 8)) {
		p->payload = v->p;
		p->payload_captured = (uint32_t)v->captured;
	}
}
