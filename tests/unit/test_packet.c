/*
 * Packets made by hand through every link layer, IP with extensions
 * and tunnels, TCP with options, at every captured length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/fragment.h"
#include "tests/unit/packet_bytes.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct bytes b;

/* Decodes the first `captured` bytes of b in a block of just that size, as
 * of a frame of `wire`.  Payload is compared before the block goes. */
static struct na_packet decode_cut(uint32_t link, size_t captured, size_t wire,
				   struct na_fragments *f)
{
	uint8_t *block = malloc(captured);
	struct na_record r = {
		.time_ns = 77,
		.data = block,
		.captured_bytes = (uint32_t)captured,
		.wire_bytes = (uint32_t)wire,
		.link = link,
	};
	struct na_packet p;
	uint32_t sum = 0;

	assert_true(block || !captured);
	if (captured)
		memcpy(block, b.p, captured);
	memset(&p, 0xa5, sizeof(p));
	na_packet_decode(&p, &r, f);
	assert_int_equal(p.time_ns, 77);
	assert_int_equal(p.wire_bytes, wire);
	assert_int_equal(p.cut, captured < wire);
	assert_true(p.payload_captured <= p.payload_bytes || !p.payload);
	for (uint32_t i = 0; i < p.payload_captured; i++)
		sum += p.payload[i];
	assert_true(sum <= 255 * p.payload_captured);
	if (p.kind == NA_PACKET_TCP)
		assert_true(p.n_sack <= NA_MAX_SACK);
	free(block);
	return p;
}

static struct na_packet decode(uint32_t link)
{
	return decode_cut(link, b.n, b.n, NULL);
}

/* IPv4, TCP with timestamps, 4 bytes of payload: 56 bytes. */
static void put_ip4_tcp(void)
{
	b_ip4(&b, 56, 6, 1, 0);
	b_tcp(&b, 0x18, "0101080a 00000011 00000022");
	b_hex(&b, "deadbeef");
}

static void put_ip6_tcp(void)
{
	b_ip6(&b, 24, 6);
	b_tcp(&b, 0x18, "");
	b_hex(&b, "deadbeef");
}

static void is_tcp(const struct na_packet *p, const char *src, const char *dst)
{
	struct na_address a, z;

	assert_true(na_address_parse(&a, src) && na_address_parse(&z, dst));
	assert_int_equal(p->kind, NA_PACKET_TCP);
	assert_memory_equal(&p->src, &a, sizeof(a));
	assert_memory_equal(&p->dst, &z, sizeof(z));
	assert_int_equal(p->src_port, 1000);
	assert_int_equal(p->dst_port, 2000);
	assert_int_equal(p->seq, 7);
	assert_int_equal(p->ack, 9);
	assert_int_equal(p->window, 512);
	assert_int_equal(p->flags, NA_TCP_PSH | NA_TCP_ACK);
	assert_int_equal(p->payload_bytes, 4);
}

static void is_ip4(const struct na_packet *p)
{
	is_tcp(p, "10.0.0.1", "10.0.0.2");
	assert_int_equal(p->ecn, 2);
}

static void is_ip6(const struct na_packet *p)
{
	is_tcp(p, "fd00::1", "fd00::2");
	assert_int_equal(p->ecn, 3);
}

static void links(void **state)
{
	static const struct {
		uint32_t link;
		int family, vlan;
		const char *head;
	} rows[] = {
		{1, 4, 0, "020000000001 020000000002 0800"},
		{1, 6, 0, "020000000001 020000000002 86dd"},
		{1, 4, 200, "020000000001 020000000002 8100 60c8 0800"},
		{1, 6, 7, "020000000001 020000000002 88a8 0007 8100 0009 86dd"},
		{1, 4, 7, "020000000001 020000000002 9100 0007 9200 0009 0800"},
		{1, 4, 0, "020000000001 020000000002 0040 aaaa03000000 0800"},
		{1, 4, 5,
		 "020000000001 020000000002 8100 0005 0040 "
		 "aaaa03000000 0800"},
		{1, 4, 0, "020000000001 020000000002 8847 00010040 00010140"},
		{1, 6, 0, "020000000001 020000000002 8848 00010140"},
		{1, 4, 0, "020000000001 020000000002 8864 1100 0001 0000 0021"},
		{1, 6, 0, "020000000001 020000000002 8864 1100 0001 0000 0057"},
		{12, 4, 0, ""},
		{14, 6, 0, ""},
		{101, 4, 0, ""},
		{101, 6, 0, ""},
		{228, 4, 0, ""},
		{229, 6, 0, ""},
		{113, 4, 0, "0000 0001 0006 020000000001 0000 0800"},
		{113, 6, 3, "0000 0001 0006 020000000001 0000 8100 0003 86dd"},
		{276, 4, 0, "0800 0000 00000002 0001 00 06 020000000001 0000"},
		{276, 6, 0, "86dd 0000 00000002 0001 00 06 020000000001 0000"},
		{0, 4, 0, "02000000"},
		{0, 4, 0, "00000002"},
		{0, 6, 0, "0a000000"},
		{0, 6, 0, "0000001c"},
		{0, 6, 0, "18000000"},
		{0, 6, 0, "1e000000"},
		{0, 6, 0, "0000001e"},
		{108, 4, 0, "00000002"},
		{108, 6, 0, "00000018"},
		{9, 4, 0, "ff03 0021"},
		{9, 6, 0, "0057"},
		{9, 4, 0, "21"},
		{50, 4, 0, "ff03 0021"},
		{104, 4, 0, "0f00 0800"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_packet p;
		size_t head;

		b.n = 0;
		b_hex(&b, rows[i].head);
		head = b.n;
		if (rows[i].family == 4)
			put_ip4_tcp();
		else
			put_ip6_tcp();
		b_zero(&b, 10); /* padding is no payload */
		p = decode(rows[i].link);
		if (rows[i].family == 4)
			is_ip4(&p);
		else
			is_ip6(&p);
		assert_int_equal(p.vlan, rows[i].vlan);
		assert_memory_equal(&p.outer_src, &p.src, sizeof(p.src));
		assert_memory_equal(&p.outer_dst, &p.dst, sizeof(p.dst));
		assert_true(na_packet_link_known(rows[i].link));
		/* cut anywhere in front of IP: not IP, and no read too far */
		for (size_t n = 0; n < head; n++)
			assert_int_equal(
				decode_cut(rows[i].link, n, b.n, NULL).kind,
				rows[i].link == 228 || rows[i].link == 229
					? NA_PACKET_OTHER_IP
					: NA_PACKET_NON_IP);
	}
	assert_false(na_packet_link_known(127));
	assert_int_equal(decode(127).kind, NA_PACKET_NON_IP);
}

static void not_ip(void **state)
{
	static const struct {
		uint32_t link;
		const char *hex;
	} rows[] = {
		{1, "ffffffffffff 020000000002 0806 00010800"},
		{1, "0180c2000000 020000000002 0026 424203 0000 00000000"},
		{113, "0000 0001 0006 020000000001 0000 0004 424203"},
		{113, "0000 0001 0006 020000000001 0000 0806 0001"},
		{0, "07000000 45"},
		{101, "55000000"},
		{9, "ff03 c021 01"},
		{1, "020000000001 020000000002 8100 0001 8100 0001 8100 0001"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_packet p;

		b.n = 0;
		b_hex(&b, rows[i].hex);
		p = decode(rows[i].link);
		assert_int_equal(p.kind, NA_PACKET_NON_IP);
		assert_int_equal(p.outer_src.family, 0);
		assert_int_equal(p.src.family, 0);
	}
}

static void extension_headers(void **state)
{
	static const struct {
		uint32_t first, bytes;
		const char *hex;
	} rows[] = {
		{0, 8, "0600 010400000000"},
		{60, 16, "0601 010c 000000000000000000000000"},
		{43, 8, "0600 000000000000"},
		{0, 24,
		 "2b00 010400000000 3c00 000000000000 0600 010400000000"},
		{51, 24,
		 "0604 0000 00000001 00000002 "
		 "000000000000000000000000"},
		{44, 8, "0600 0000 00000001"}, /* a fragment that is all */
		{135, 8, "0600 010400000000"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_packet p;

		b.n = 0;
		b_ip6(&b, rows[i].bytes + 24, rows[i].first);
		b_hex(&b, rows[i].hex);
		assert_int_equal(b.n, 40 + rows[i].bytes);
		b_tcp(&b, 0x18, "");
		b_hex(&b, "deadbeef");
		p = decode(229);
		is_ip6(&p);
	}
	/* Authentication in IPv4. */
	b.n = 0;
	b_ip4(&b, 68, 51, 1, 0);
	b_hex(&b, "0604 0000 00000001 00000002 000000000000000000000000");
	b_tcp(&b, 0x18, "");
	b_hex(&b, "deadbeef");
	struct na_packet p = decode(228);

	is_ip4(&p);
	/* Headers without end. */
	b.n = 0;
	b_ip6(&b, 8 * 40, 60);
	for (int i = 0; i < 40; i++)
		b_hex(&b, "3c00 000000000000");
	assert_int_equal(decode(229).kind, NA_PACKET_MALFORMED);
}

/* Lengths of 0, too long, too short. */
static void lengths(void **state)
{
	struct na_packet p;

	(void)state;
	/* Offload: no length, 70000 bytes of payload. */
	for (int six = 0; six < 2; six++) {
		b.n = 0;
		b_ethernet(&b, six ? 0x86dd : 0x0800);
		if (six)
			b_ip6(&b, 0, 6);
		else
			b_ip4(&b, 0, 6, 1, 0);
		b_tcp(&b, 0x18, "");
		b_zero(&b, 70000);
		p = decode(1);
		assert_int_equal(p.kind, NA_PACKET_TCP);
		assert_int_equal(p.payload_bytes, 70000);
		assert_int_equal(p.payload_captured, 70000);
		p = decode_cut(1, 96, b.n, NULL);
		assert_int_equal(p.payload_bytes, 70000);
		assert_int_equal(p.payload_captured, six ? 22 : 42);
	}
	/* Jumbo payload option; behind it padding. */
	b.n = 0;
	b_ip6(&b, 0, 0);
	b_hex(&b, "0600 c204 00011178");
	b_tcp(&b, 0x18, "");
	b_zero(&b, 70100);
	p = decode(229);
	assert_int_equal(p.kind, NA_PACKET_TCP);
	assert_int_equal(p.payload_bytes, 70008 - 8 - 20);
	/* The frame is 16 bytes longer than the packet; and it says so. */
	b.n = 0;
	put_ip4_tcp();
	p = decode_cut(228, b.n, b.n + 16, NULL);
	is_ip4(&p);
	assert_int_equal(p.payload_captured, 4);
	assert_true(p.cut);
	/* The packet claims more than the frame has. */
	b.n = 0;
	b_ip4(&b, 1500, 6, 1, 0);
	b_tcp(&b, 0x18, "");
	b_hex(&b, "deadbeef");
	p = decode(228);
	is_ip4(&p);
	/* Less than its own header; header of 16 bytes; of 60 in 56. */
	b.n = 0;
	put_ip4_tcp();
	b.p[3] = 19;
	assert_int_equal(decode(228).kind, NA_PACKET_MALFORMED);
	b.p[3] = 56;
	b.p[0] = 0x44;
	assert_int_equal(decode(228).kind, NA_PACKET_MALFORMED);
	b.p[0] = 0x4f;
	assert_int_equal(decode(228).kind, NA_PACKET_MALFORMED);
	b.p[0] = 0x45;
	b.p[20 + 12] = 0x40; /* TCP header of 16 */
	assert_int_equal(decode(228).kind, NA_PACKET_MALFORMED);
	b.p[20 + 12] = 0xf0; /* of 60 */
	assert_int_equal(decode(228).kind, NA_PACKET_MALFORMED);
	b.p[20 + 12] = 0x90; /* of 36: all of it */
	p = decode(228);
	assert_int_equal(p.kind, NA_PACKET_TCP);
	assert_int_equal(p.payload_bytes, 0);
}

static void udp(void **state)
{
	struct na_packet p;

	(void)state;
	b.n = 0;
	b_ip4(&b, 40, 17, 1, 0);
	b_udp(&b, 53, 4791, 18);
	b_zero(&b, 20);
	p = decode(228);
	assert_int_equal(p.kind, NA_PACKET_UDP);
	assert_int_equal(p.src_port, 53);
	assert_int_equal(p.dst_port, 4791);
	assert_int_equal(p.payload_bytes, 10); /* as UDP says */
	b.p[25] = 0;
	assert_int_equal(decode(228).payload_bytes, 12); /* as IP says */
	b.p[25] = 99;
	assert_int_equal(decode(228).payload_bytes, 12);
	b.p[25] = 7;
	assert_int_equal(decode(228).kind, NA_PACKET_MALFORMED);
	b.p[25] = 18;
	assert_int_equal(decode_cut(228, 23, 48, NULL).kind,
			 NA_PACKET_OTHER_IP);
	p = decode_cut(228, 25, 48, NULL);
	assert_int_equal(p.kind, NA_PACKET_UDP);
	assert_int_equal(p.dst_port, 4791);
	assert_int_equal(p.payload_bytes, 12);
	assert_null(p.payload);
	p = decode_cut(228, 30, 48, NULL);
	assert_int_equal(p.kind, NA_PACKET_UDP);
	assert_int_equal(p.payload_bytes, 10);
	assert_int_equal(p.payload_captured, 2);
	b.p[3] = 27;
	assert_int_equal(decode(228).kind, NA_PACKET_MALFORMED);
	b.p[9] = 1; /* ICMP */
	assert_int_equal(decode(228).kind, NA_PACKET_OTHER_IP);
}

static void options(void **state)
{
	static const struct {
		uint32_t flags;
		const char *hex;
		uint32_t mss, shift, sack_ok, stamps, sacks;
	} rows[] = {
		{2, "020405b4 0402 080a 0000000b 0000000c 01 030307", 1460, 7,
		 1, 1, 0},
		{0x12, "02040550 01 03030e 0101 0402", 1360, 14, 1, 0, 0},
		/* only a SYN has these */
		{0x10, "020405b4 0402 0101 030307 01", 0, 255, 0, 0, 0},
		{0x10, "0101 080a 0000000b 0000000c", 0, 255, 0, 1, 0},
		{0x10,
		 "0101 080a 0000000b 0000000c 0101 0512 00000064 000000c8 "
		 "0000012c 00000190",
		 0, 255, 0, 1, 2},
		{0x10,
		 "0101 0522 00000064 000000c8 00000003 00000004 00000005 "
		 "00000006 00000007 00000008",
		 0, 255, 0, 0, 4},
		{0x10, "00 080a 0000000b 0000000c 00", 0, 255, 0, 0, 0},
		/* lengths that lie end them, the packet stays */
		{2, "0204 05b4 0800 0000", 1460, 255, 0, 0, 0},
		{2, "0204 05b4 0801 0000", 1460, 255, 0, 0, 0},
		{2, "0204 05b4 08ff 0000", 1460, 255, 0, 0, 0},
		{2, "0204 05b4 010101 08", 1460, 255, 0, 0, 0},
		{2, "0205 05b4 00 030407 00 000000", 0, 255, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_packet p;

		b.n = 0;
		b_ip4(&b, 0, 6, 1, 0);
		b_tcp(&b, rows[i].flags, rows[i].hex);
		assert_int_equal(b.n % 4, 0);
		p = decode(228);
		assert_int_equal(p.kind, NA_PACKET_TCP);
		assert_int_equal(p.mss, rows[i].mss);
		assert_int_equal(p.window_shift, rows[i].shift);
		assert_int_equal(p.sack_permitted, rows[i].sack_ok);
		assert_int_equal(p.has_timestamps, rows[i].stamps);
		assert_int_equal(p.ts_value, rows[i].stamps ? 11 : 0);
		assert_int_equal(p.ts_echo, rows[i].stamps ? 12 : 0);
		assert_int_equal(p.n_sack, rows[i].sacks);
		assert_int_equal(p.payload_bytes, 0);
		if (rows[i].sacks == 2) {
			assert_int_equal(p.sack[0].left, 100);
			assert_int_equal(p.sack[1].right, 400);
		}
	}
}

/* One packet at every captured length: TCP as soon as the sequence number is
 * there, its payload as long as the header's length is known. */
static void snapped(void **state)
{
	(void)state;
	b.n = 0;
	put_ip4_tcp();
	for (size_t n = 0; n < b.n; n++) {
		struct na_packet p = decode_cut(228, n, b.n, NULL);

		assert_int_equal(p.kind,
				 n < 28 ? NA_PACKET_OTHER_IP : NA_PACKET_TCP);
		assert_int_equal(p.src.family, n < 20 ? 0 : 4);
		if (n < 28)
			continue;
		assert_int_equal(p.src_port, 1000);
		assert_int_equal(p.seq, 7);
		assert_int_equal(p.ack, n < 32 ? 0 : 9);
		assert_int_equal(p.flags, n < 34 ? 0 : 0x18);
		assert_int_equal(p.window, n < 36 ? 65535 : 512);
		assert_int_equal(p.payload_bytes, n < 34 ? 0 : 4);
		assert_int_equal(p.payload_captured, n < 52 ? 0 : n - 52);
		assert_int_equal(p.has_timestamps, n >= 52);
	}
	/* The same, but that was all there ever was. */
	for (size_t n = 0; n < 52; n++)
		assert_int_equal(decode_cut(228, n, n, NULL).kind,
				 NA_PACKET_MALFORMED);
}

static void tunnels(void **state)
{
	static const struct {
		uint32_t protocol;
		const char *head;
		int inner;
	} rows[] = {
		{4, "", 4},
		{41, "", 6},
		{47, "0000 0800", 4},
		{47, "b000 86dd 00000000 00000005 00000006", 6},
		{47, "2000 6558 00000005 020000000001 020000000002 0800", 4},
		{47, "3081 880b 00180001 00000001 00000001 ff03 0057", 6},
		{47, "0000 8100 0004 0800", 4},
		{17,
		 "1000 12b5 0000 0000 08000000 00000700 "
		 "020000000001 020000000002 86dd",
		 6},
		{17,
		 "1000 17c1 0000 0000 0200 6558 00000700 "
		 "0102030405060708 020000000001 020000000002 0800",
		 4},
		{17, "1000 17c1 0000 0000 0000 86dd 00000700", 6},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_address src, dst;
		struct na_packet p;

		b.n = 0;
		b_ip4(&b, 0, rows[i].protocol, 1, 0);
		memcpy(b.p + 12, "\xc0\0\2\1\xc0\0\2\2", 8);
		b_hex(&b, rows[i].head);
		if (rows[i].inner == 4)
			put_ip4_tcp();
		else
			put_ip6_tcp();
		p = decode(228);
		if (rows[i].inner == 4)
			is_ip4(&p);
		else
			is_ip6(&p);
		assert_true(na_address_parse(&src, "192.0.2.1"));
		assert_true(na_address_parse(&dst, "192.0.2.2"));
		assert_memory_equal(&p.outer_src, &src, sizeof(src));
		assert_memory_equal(&p.outer_dst, &dst, sizeof(dst));
		for (size_t n = 0; n < b.n; n++)
			decode_cut(228, n, b.n, NULL);
	}
	/* As deep as one likes: what is in the fifth is not looked at. */
	for (int depth = 0; depth < 40; depth++) {
		struct na_packet p;

		b.n = 0;
		for (int i = 0; i < depth; i++)
			b_ip4(&b, 0, 4, 1, 0);
		put_ip4_tcp();
		p = decode(228);
		assert_int_equal(p.kind, depth > 4 ? NA_PACKET_OTHER_IP
						   : NA_PACKET_TCP);
	}
	/* GRE with something else in it; UDP to the VXLAN port without it. */
	b.n = 0;
	b_ip4(&b, 0, 47, 1, 0);
	b_hex(&b, "0000 0806 0000");
	assert_int_equal(decode(228).kind, NA_PACKET_OTHER_IP);
	b.n = 0;
	b_ip4(&b, 0, 17, 1, 0);
	b_udp(&b, 1, 4789, 0);
	b_hex(&b, "08000000 00000700 020000000001 020000000002 0806 0000");
	assert_int_equal(decode(228).kind, NA_PACKET_UDP);
}

static void addresses(void **state)
{
	static const char *const rows[] = {
		"0.0.0.0",           "255.1.2.3",      "::",     "::1",
		"2001:db8::1:0:0:1", "::ffff:1.2.3.4", "fe80::1"};
	static const char *const bad[] = {"",    "1.2.3", "1.2.3.4.5",
					  ":::", "host",  "1.2.3.4/8"};
	char buf[NA_ADDRESS_BUF];
	struct na_address a;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(na_address_parse(&a, rows[i]));
		assert_string_equal(na_address_print(buf, &a), rows[i]);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(na_address_parse(&a, bad[i]));
}

/* Any byte of a deep packet changed, at full length and cut. */
static void changed_bytes(void **state)
{
	struct na_fragments *f = na_fragments_new();
	static const uint8_t values[] = {0,    1,    4,    6,    0x11,
					 0x29, 0x2c, 0x2f, 0x45, 0x60,
					 0x7f, 0x80, 0xff};

	(void)state;
	assert_non_null(f);
	b.n = 0;
	b_ethernet(&b, 0x8100);
	b_hex(&b, "0005 0800");
	b_ip4(&b, 0, 47, 1, 0);
	b_hex(&b, "2000 86dd 00000005");
	b_ip6(&b, 0, 0);
	b_hex(&b, "2b00 c204 00000040 0600 000000000000");
	b_tcp(&b, 2, "020405b4 0402 080a 0000000b 0000000c 01 030307");
	b_zero(&b, 5);
	for (size_t at = 0; at < b.n; at++)
		for (size_t v = 0; v < COUNT(values); v++) {
			uint8_t was = b.p[at];

			b.p[at] = values[v];
			decode_cut(1, b.n, b.n, f);
			decode_cut(1, b.n - 9, b.n, f);
			decode_cut(1, at, b.n, f);
			b.p[at] = was;
		}
	na_fragments_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links),
		cmocka_unit_test(not_ip),
		cmocka_unit_test(extension_headers),
		cmocka_unit_test(lengths),
		cmocka_unit_test(udp),
		cmocka_unit_test(options),
		cmocka_unit_test(snapped),
		cmocka_unit_test(tunnels),
		cmocka_unit_test(addresses),
		cmocka_unit_test(changed_bytes),
	};

	return cmocka_run_group_tests_name("packet", tests, NULL, NULL);
}
