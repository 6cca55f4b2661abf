#include "tests/unit/packet_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void b_put(struct bytes *b, const void *p, size_t n)
{
	assert_true(n <= sizeof(b->p) - b->n);
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

void b_zero(struct bytes *b, size_t n)
{
	assert_true(n <= sizeof(b->p) - b->n);
	memset(b->p + b->n, 0, n);
	b->n += n;
}

void b_hex(struct bytes *b, const char *hex)
{
	char pair[3] = {0};

	while (*hex) {
		uint8_t x;

		if (*hex == ' ') {
			hex++;
			continue;
		}
		pair[0] = hex[0];
		pair[1] = hex[1];
		x = (uint8_t)strtoul(pair, NULL, 16);
		b_put(b, &x, 1);
		hex += 2;
	}
}

void b_be16(struct bytes *b, uint32_t x)
{
	uint8_t p[2] = {(uint8_t)(x >> 8), (uint8_t)x};

	b_put(b, p, 2);
}

void b_be32(struct bytes *b, uint32_t x)
{
	b_be16(b, x >> 16);
	b_be16(b, x);
}

void b_16(struct bytes *b, uint32_t x)
{
	b_be16(b, b->big ? x : (x & 0xff) << 8 | x >> 8);
}

void b_32(struct bytes *b, uint32_t x)
{
	b_be32(b, b->big ? x : __builtin_bswap32(x));
}

void b_ethernet(struct bytes *b, uint32_t type)
{
	b_hex(b, "020000000001 020000000002");
	b_be16(b, type);
}

void b_ip4(struct bytes *b, uint32_t total, uint32_t protocol, uint32_t id,
	   uint32_t fragment)
{
	b_hex(b, "45 02");
	b_be16(b, total);
	b_be16(b, id);
	b_be16(b, fragment);
	b_be16(b, 64 << 8 | protocol);
	b_hex(b, "0000 0a000001 0a000002");
}

void b_ip6(struct bytes *b, uint32_t length, uint32_t next)
{
	b_hex(b, "60300000");
	b_be16(b, length);
	b_be16(b, next << 8 | 64);
	b_hex(b, "fd000000000000000000000000000001");
	b_hex(b, "fd000000000000000000000000000002");
}

void b_tcp(struct bytes *b, uint32_t flags, const char *options)
{
	size_t at = b->n;

	b_hex(b, "03e8 07d0 00000007 00000009");
	b_be16(b, flags);
	b_hex(b, "0200 0000 0000");
	b_hex(b, options);
	b->p[at + 12] = (uint8_t)((b->n - at) / 4 << 4);
}

void b_udp(struct bytes *b, uint32_t from, uint32_t to, uint32_t length)
{
	b_be16(b, from);
	b_be16(b, to);
	b_be16(b, length);
	b_be16(b, 0);
}

void b_pcap(struct bytes *b, uint32_t magic, uint32_t version,
	    uint32_t snap_bytes, uint32_t link)
{
	b_32(b, magic);
	b_16(b, version >> 16);
	b_16(b, version & 0xffff);
	b_zero(b, 8);
	b_32(b, snap_bytes);
	b_32(b, link);
}

void b_record(struct bytes *b, uint32_t seconds, uint32_t fraction,
	      uint32_t captured, uint32_t wire)
{
	b_32(b, seconds);
	b_32(b, fraction);
	b_32(b, captured);
	b_32(b, wire);
}

void b_block(struct bytes *b, uint32_t type, const struct bytes *body)
{
	size_t pad = -body->n & 3;
	uint32_t length = (uint32_t)(body->n + pad + 12);

	b_32(b, type);
	b_32(b, length);
	b_put(b, body->p, body->n);
	b_zero(b, pad);
	b_32(b, length);
}

static struct bytes *body_like(const struct bytes *b)
{
	struct bytes *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->big = b->big;
	return x;
}

static void wrap(struct bytes *b, uint32_t type, struct bytes *body)
{
	b_block(b, type, body);
	free(body);
}

void b_section(struct bytes *b)
{
	struct bytes *x = body_like(b);

	b_32(x, 0x1a2b3c4d);
	b_16(x, 1);
	b_16(x, 0);
	b_hex(x, "ffffffff ffffffff");
	wrap(b, 0x0a0d0d0a, x);
}

void b_interface(struct bytes *b, uint32_t link, uint32_t snap_bytes,
		 uint32_t resolution, int64_t offset_s)
{
	struct bytes *x = body_like(b);
	uint64_t s = (uint64_t)offset_s;

	b_16(x, link);
	b_16(x, 0);
	b_32(x, snap_bytes);
	if (resolution) {
		uint8_t code[4] = {(uint8_t)resolution, 0, 0, 0};

		b_16(x, 9);
		b_16(x, 1);
		b_put(x, code, 4);
	}
	if (offset_s) {
		b_16(x, 14);
		b_16(x, 8);
		b_32(x, (uint32_t)(b->big ? s >> 32 : s));
		b_32(x, (uint32_t)(b->big ? s : s >> 32));
	}
	b_32(x, 0);
	wrap(b, 1, x);
}

void b_enhanced(struct bytes *b, uint32_t interface, uint64_t units,
		uint32_t captured, uint32_t wire)
{
	struct bytes *x = body_like(b);

	b_32(x, interface);
	b_32(x, (uint32_t)(units >> 32));
	b_32(x, (uint32_t)units);
	b_32(x, captured);
	b_32(x, wire);
	for (uint32_t i = 0; i < captured; i++) {
		uint8_t c = (uint8_t)i;

		b_put(x, &c, 1);
	}
	wrap(b, 6, x);
}
