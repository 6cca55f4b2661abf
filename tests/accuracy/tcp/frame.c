#include "tests/accuracy/tcp/frame.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum {
	ETHERTYPE_IP4 = 0x0800,
	ETHERTYPE_IP6 = 0x86dd,
	PROTOCOL_TCP = 6,
	IP_LEAST = 20,
	IP6_BYTES = 40,
	TCP_LEAST = 20
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static void put16(uint8_t *p, uint32_t x)
{
	p[0] = (uint8_t)(x >> 8);
	p[1] = (uint8_t)x;
}

static void put32(uint8_t *p, uint32_t x)
{
	put16(p, x >> 16);
	put16(p + 2, x);
}

/* Behind the IP header, which is ip_head long. */
static void look_tcp(const uint8_t *frame, size_t n, size_t ip_head,
		     struct frame_view *out)
{
	const uint8_t *tcp = frame + FRAME_IP + ip_head;
	size_t tcp_head;

	if (out->ip_bytes > n - FRAME_IP || out->ip_bytes < ip_head + TCP_LEAST)
		return;
	tcp_head = (size_t)(tcp[12] >> 4) * 4;
	if (tcp_head < TCP_LEAST || out->ip_bytes < ip_head + tcp_head)
		return;
	out->tcp_at = FRAME_IP + ip_head;
	out->src.port = get16(tcp);
	out->dst.port = get16(tcp + 2);
	out->seq = get32(tcp + 4);
	out->flags = tcp[13];
	out->payload_at = out->tcp_at + tcp_head;
	out->payload = out->ip_bytes - (uint32_t)(ip_head + tcp_head);
	out->tcp = true;
}

static void look_ip4(const uint8_t *frame, size_t n, struct frame_view *out)
{
	const uint8_t *ip = frame + FRAME_IP;
	size_t ip_head = (size_t)(ip[0] & 15) * 4;

	out->ip_bytes = get16(ip + 2);
	out->ip_id = get16(ip + 4);
	memcpy(out->src.address, ip + 12, 4);
	memcpy(out->dst.address, ip + 16, 4);
	if (ip[9] == PROTOCOL_TCP && ip_head >= IP_LEAST)
		look_tcp(frame, n, ip_head, out);
}

static void look_ip6(const uint8_t *frame, size_t n, struct frame_view *out)
{
	const uint8_t *ip = frame + FRAME_IP;

	out->ip_bytes = (uint32_t)get16(ip + 4) + IP6_BYTES;
	out->src.v6 = out->dst.v6 = true;
	memcpy(out->src.address, ip + 8, 16);
	memcpy(out->dst.address, ip + 24, 16);
	if (ip[6] == PROTOCOL_TCP)
		look_tcp(frame, n, IP6_BYTES, out);
}

bool frame_look(const uint8_t *frame, size_t n, struct frame_view *out)
{
	uint16_t type;

	memset(out, 0, sizeof(*out));
	if (n < FRAME_IP)
		return false;
	out->dst_host = frame[5];
	out->src_host = frame[11];
	type = get16(frame + 12);
	if (type == ETHERTYPE_IP4 && n >= FRAME_IP + IP_LEAST)
		look_ip4(frame, n, out);
	else if (type == ETHERTYPE_IP6 && n >= FRAME_IP + IP6_BYTES)
		look_ip6(frame, n, out);
	return true;
}

const char *frame_end_text(const struct frame_end *e, char buf[FRAME_END_BYTES])
{
	char address[INET6_ADDRSTRLEN];

	inet_ntop(e->v6 ? AF_INET6 : AF_INET, e->address, address,
		  sizeof(address));
	snprintf(buf, FRAME_END_BYTES, e->v6 ? "[%s]:%u" : "%s:%u", address,
		 e->port);
	return buf;
}

bool frame_end_same(const struct frame_end *a, const struct frame_end *b)
{
	return a->v6 == b->v6 && a->port == b->port &&
	       memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

/* RFC 1071. */
static uint64_t sum_of(const uint8_t *p, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i + 1 < n; i += 2)
		sum += get16(p + i);
	return n % 2 ? sum + ((uint64_t)p[n - 1] << 8) : sum;
}

static uint32_t folded(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)(~sum & 0xffff);
}

void frame_checksum(uint8_t *frame, const struct frame_view *v)
{
	uint8_t *tcp = frame + v->tcp_at;
	size_t n = v->payload_at + v->payload - v->tcp_at;
	/* Both addresses stand in a row. */
	uint64_t pseudo = v->src.v6 ? sum_of(frame + FRAME_IP + 8, 32)
				    : sum_of(frame + FRAME_IP + 12, 8);

	put16(tcp + 16, 0);
	put16(tcp + 16, folded(pseudo + PROTOCOL_TCP + n + sum_of(tcp, n)));
}

static void checksum_ip(uint8_t *frame)
{
	uint8_t *ip = frame + FRAME_IP;

	put16(ip + 10, 0);
	put16(ip + 10, folded(sum_of(ip, (size_t)(ip[0] & 15) * 4)));
}

void frame_forget_id(uint8_t *frame, size_t n)
{
	const uint8_t *ip = frame + FRAME_IP;

	if (n < FRAME_IP + IP_LEAST || get16(frame + 12) != ETHERTYPE_IP4 ||
	    n < FRAME_IP + (size_t)(ip[0] & 15) * 4)
		return;
	put16(frame + FRAME_IP + 4, 0);
	checksum_ip(frame);
}

/* Length and IP ID of piece i. */
static void set_ip(uint8_t *frame, const struct frame_view *v, uint32_t i)
{
	size_t n = v->payload_at - FRAME_IP + v->payload;
	uint8_t *ip = frame + FRAME_IP;

	if (v->src.v6) {
		put16(ip + 4, (uint32_t)(n - IP6_BYTES));
		return;
	}
	put16(ip + 2, (uint32_t)n);
	put16(ip + 4, v->ip_id + i);
	checksum_ip(frame);
}

void frame_segment(const uint8_t *frame, const struct frame_view *v,
		   uint32_t segment_bytes,
		   void (*emit)(void *arg, const uint8_t *frame, size_t n),
		   void *arg)
{
	static uint8_t cut[FRAME_MAX];

	for (uint32_t at = 0, i = 0; at < v->payload;
	     at += segment_bytes, i++) {
		struct frame_view piece = *v;
		uint8_t *flags = &cut[v->tcp_at + 13];

		piece.payload = v->payload - at;
		if (piece.payload > segment_bytes)
			piece.payload = segment_bytes;
		memcpy(cut, frame, v->payload_at);
		memcpy(cut + v->payload_at, frame + v->payload_at + at,
		       piece.payload);
		set_ip(cut, &piece, i);
		put32(cut + v->tcp_at + 4, v->seq + at);
		if (at + piece.payload < v->payload)
			*flags &= (uint8_t) ~(FRAME_FIN | FRAME_PSH);
		if (at > 0)
			*flags &= (uint8_t)~FRAME_CWR;
		frame_checksum(cut, &piece);
		emit(arg, cut, v->payload_at + piece.payload);
	}
}
