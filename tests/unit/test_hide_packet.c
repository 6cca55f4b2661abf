/*
 * --anonymize of one packet: of each kind, addresses and texts that were
 * planted are gone, the decoder reads what it did, and checksums hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/slice/hide.h"
#include "ingest/capture/packet.h"

enum { ROOM = 512, ETHERNET = 1, COOKED = 113 };

/* Planted: 10.7.7.1 and .2, 2001:db8:7::7:1 and :2, 0a:bc:de:07:07:xx. */
static const uint8_t ip4[2][4] = {{10, 7, 7, 1}, {10, 7, 7, 2}};
static const uint8_t ip6[16] = {0x20, 1, 0xd, 0xb8, 0, 7, 7, 7,
				7,    7, 7,   7,    7, 7, 7, 1};
static const uint8_t mac[6] = {0x0a, 0xbc, 0xde, 7, 7, 7};
static const char text[] = "zqsecret";

struct frame {
	uint8_t p[ROOM];
	size_t n;
};

static void put(struct frame *f, const void *p, size_t n)
{
	assert_true(f->n + n <= ROOM);
	memcpy(f->p + f->n, p, n);
	f->n += n;
}

static void put16(struct frame *f, unsigned x)
{
	const uint8_t p[2] = {(uint8_t)(x >> 8), (uint8_t)x};

	put(f, p, 2);
}

static void put_zeros(struct frame *f, size_t n)
{
	static const uint8_t zeros[64];

	put(f, zeros, n);
}

static unsigned sum(const uint8_t *p, size_t n, unsigned long s)
{
	for (size_t i = 0; i < n; i++)
		s += i & 1 ? p[i] : (unsigned long)p[i] << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (unsigned)s;
}

static void set16(uint8_t *p, unsigned x)
{
	p[0] = (uint8_t)(x >> 8);
	p[1] = (uint8_t)x;
}

static void put_ethernet(struct frame *f, unsigned type)
{
	uint8_t other[6];

	memcpy(other, mac, 6);
	other[5]++;
	put(f, mac, 6);
	put(f, other, 6);
	put16(f, type);
}

/* An IPv4 header for `n` more bytes; where it begins. */
static size_t put_ip4(struct frame *f, int protocol, size_t options, size_t n)
{
	size_t at = f->n;

	put16(f, (unsigned)(0x4500 + options / 4 * 0x100));
	put16(f, (unsigned)(20 + options + n));
	put_zeros(f, 4);
	put16(f, 0x4000 + (unsigned)protocol);
	put16(f, 0);
	put(f, ip4[0], 4);
	put(f, ip4[1], 4);
	if (options)
		put(f, text, options);
	set16(f->p + at + 10, ~sum(f->p + at, f->n - at, 0) & 0xffff);
	return at;
}

static size_t put_ip6(struct frame *f, int next, size_t n)
{
	uint8_t other[16];
	size_t at = f->n;

	memcpy(other, ip6, 16);
	other[15]++;
	put16(f, 0x6000);
	put16(f, 0);
	put16(f, (unsigned)n);
	put16(f, (unsigned)next * 256 + 64);
	put(f, ip6, 16);
	put(f, other, 16);
	return at;
}

/* The checksum at `check` of what stands behind `from`, with the addresses of
 * the IP header at `ip`: 0 where it is right. */
static unsigned checked(const struct frame *f, size_t ip, size_t from,
			int protocol)
{
	bool six = f->p[ip] >> 4 == 6;
	unsigned long s = sum(f->p + ip + (six ? 8 : 12), six ? 32 : 8, 0);

	s += (unsigned long)protocol + (f->n - from);
	if (protocol == 1)
		s = 0;
	return ~sum(f->p + from, f->n - from, s) & 0xffff;
}

static void put_tcp(struct frame *f)
{
	static const uint8_t head[] = {
		0x10, 0x00, 0xc3, 0x83, 0, 0, 0, 9, 0, 0, 0, 7, 0x80, 0x18, 1, 0,
		0,    0,    0,    0,
		/* an option of an experiment, another that is read */
		253,  8,    'z',  'q',  's', 'e', 'c', 'r', 4, 2, 1, 1,
	};

	put(f, head, sizeof(head));
	put(f, text, 8);
}

static void put_udp(struct frame *f, unsigned port, size_t n)
{
	put16(f, 4242);
	put16(f, port);
	put16(f, (unsigned)(8 + n));
	put16(f, 0);
}

/* ---- each kind */

static void tcp4(struct frame *f)
{
	size_t ip, at;

	put_ethernet(f, 0x0800);
	ip = put_ip4(f, 6, 8, 40);
	at = f->n;
	put_tcp(f);
	set16(f->p + at + 16, checked(f, ip, at, 6));
}

static void tcp4_tagged(struct frame *f)
{
	put_ethernet(f, 0x8100);
	put16(f, 5);
	put16(f, 0x0800);
	put_ip4(f, 6, 0, 40);
	put_tcp(f);
	put(f, text, 8); /* padding of the frame */
}

static void tcp6(struct frame *f)
{
	static const uint8_t options[16] = {6,   1,   201, 12,  'z', 'q',
					    's', 'e', 'c', 'r', 'e', 't'};
	size_t ip, at;

	put_ethernet(f, 0x86dd);
	ip = put_ip6(f, 60, 56);
	put(f, options, 16);
	at = f->n;
	put_tcp(f);
	set16(f->p + at + 16, checked(f, ip, at, 6));
}

static void udp_cooked(struct frame *f)
{
	size_t ip, at;

	put16(f, 0);
	put16(f, 1);
	put16(f, 6);
	put(f, mac, 6);
	put16(f, 0x7171);
	put16(f, 0x0800);
	ip = put_ip4(f, 17, 0, 16);
	at = f->n;
	put_udp(f, 53, 8);
	put(f, text, 8);
	set16(f->p + at + 6, checked(f, ip, at, 17));
}

static void roce(struct frame *f)
{
	static const uint8_t bth[12] = {4, 0, 255, 255, 0, 0, 0, 17, 0, 0, 0, 3};

	put_ethernet(f, 0x0800);
	put_ip4(f, 17, 0, 32);
	put_udp(f, 4791, 24);
	put(f, bth, 12);
	put(f, text, 8);
	put_zeros(f, 4);
}

static void unreachable(struct frame *f)
{
	size_t ip, at;

	put_ethernet(f, 0x0800);
	ip = put_ip4(f, 1, 0, 44);
	at = f->n;
	put16(f, 0x0301);
	put_zeros(f, 6);
	put_ip4(f, 6, 0, 400);
	put(f, "\x10\x00\xc3\x83\0\0\0\t", 8);
	put(f, text, 8);
	set16(f->p + at + 2, checked(f, ip, at, 1));
}

static void neighbour(struct frame *f)
{
	size_t ip, at;

	put_ethernet(f, 0x86dd);
	ip = put_ip6(f, 58, 32);
	at = f->n;
	put16(f, 0x8700);
	put_zeros(f, 6);
	put(f, ip6, 16);
	put16(f, 0x0101);
	put(f, mac, 6);
	set16(f->p + at + 2, checked(f, ip, at, 58));
}

static void arp(struct frame *f)
{
	static const uint8_t kind[8] = {0, 1, 8, 0, 6, 4, 0, 1};

	put_ethernet(f, 0x0806);
	put(f, kind, 8);
	for (int i = 0; i < 2; i++) {
		put(f, mac, 6);
		put(f, ip4[i], 4);
	}
	put(f, text, 8);
}

static void vxlan(struct frame *f)
{
	static const uint8_t head[8] = {8};

	put_ethernet(f, 0x0800);
	put_ip4(f, 17, 0, 90);
	put_udp(f, 4789, 82);
	put(f, head, 8);
	put_ethernet(f, 0x0800);
	put_ip4(f, 6, 0, 40);
	put_tcp(f);
}

static void gre(struct frame *f)
{
	put_ethernet(f, 0x0800);
	put_ip4(f, 47, 0, 64);
	put16(f, 0);
	put16(f, 0x0800);
	put_ip4(f, 6, 0, 40);
	put_tcp(f);
}

static void fragment(struct frame *f)
{
	size_t ip;

	put_ethernet(f, 0x0800);
	ip = put_ip4(f, 6, 0, 8);
	f->p[ip + 7] = 9; /* eightfold */
	put(f, text, 8);
}

static void lldp(struct frame *f)
{
	put_ethernet(f, 0x88cc);
	put(f, text, 8);
}

static void broken(struct frame *f)
{
	put_ethernet(f, 0x0800);
	put_ip4(f, 6, 0, 40);
	f->p[14] = 0x44;
	put_tcp(f);
}

static const struct {
	const char *name;
	void (*make)(struct frame *f);
	uint32_t link;
	int protocol; /* whose checksum is right; 0: none is */
} kinds[] = {
	{"tcp4", tcp4, ETHERNET, 6},
	{"tcp4_tagged", tcp4_tagged, ETHERNET, 0},
	{"tcp6", tcp6, ETHERNET, 6},
	{"udp_cooked", udp_cooked, COOKED, 17},
	{"roce", roce, ETHERNET, 0},
	{"unreachable", unreachable, ETHERNET, 1},
	{"neighbour", neighbour, ETHERNET, 58},
	{"arp", arp, ETHERNET, 0},
	{"vxlan", vxlan, ETHERNET, 0},
	{"gre", gre, ETHERNET, 0},
	{"fragment", fragment, ETHERNET, 0},
	{"lldp", lldp, ETHERNET, 0},
	{"broken", broken, ETHERNET, 0},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* ---- what is looked at */

static struct na_record record_of(const struct frame *f, uint32_t link,
				  size_t captured)
{
	return (struct na_record){.data = f->p,
				  .captured_bytes = (uint32_t)captured,
				  .wire_bytes = (uint32_t)f->n,
				  .link = link};
}

static void hide(struct na_masks *m, const struct frame *f, uint32_t link,
		 size_t captured, struct frame *to)
{
	const struct na_hide h = {.masks = m};
	struct na_record r = record_of(f, link, captured);

	*to = *f;
	na_hide_packet(&h, &r, to->p);
}

static bool holds(const struct frame *f, size_t n, const void *what, size_t k)
{
	return memmem(f->p, n, what, k) != NULL;
}

static void nothing_left(const char *name, const struct frame *f, size_t n)
{
	bool left = holds(f, n, "zqs", 3) || holds(f, n, ip4[0], 4) ||
		    holds(f, n, ip4[1], 4) || holds(f, n, ip6, 15) ||
		    holds(f, n, mac, 5);

	if (left)
		print_error("%s, %zu bytes: a name is left\n", name, n);
	assert_false(left);
}

static void read_alike(const struct frame *a, const struct frame *b,
		       uint32_t link, size_t n)
{
	struct na_record x = record_of(a, link, n), y = record_of(b, link, n);
	struct na_packet p, q;

	na_packet_decode(&p, &x, NULL);
	na_packet_decode(&q, &y, NULL);
	assert_int_equal(p.kind, q.kind);
	assert_int_equal(p.vlan, q.vlan);
	assert_int_equal(p.src.family, q.src.family);
	assert_int_equal(p.outer_src.family, q.outer_src.family);
	assert_int_equal(p.src_port, q.src_port);
	assert_int_equal(p.dst_port, q.dst_port);
	assert_int_equal(p.payload_bytes, q.payload_bytes);
	assert_int_equal(p.payload_captured, q.payload_captured);
	if (p.kind != NA_PACKET_TCP)
		return;
	assert_int_equal(p.seq, q.seq);
	assert_int_equal(p.flags, q.flags);
	assert_int_equal(p.window, q.window);
	assert_int_equal(p.sack_permitted, q.sack_permitted);
}

static struct na_masks *told(void)
{
	struct na_masks *m = na_masks_new();
	struct frame f, to;

	assert_non_null(m);
	for (size_t i = 0; i < KINDS; i++) {
		f.n = 0;
		kinds[i].make(&f);
		hide(m, &f, kinds[i].link, f.n, &to);
	}
	assert_true(na_masks_settle(m));
	return m;
}

static void test_nothing_is_left(void **state)
{
	struct na_masks *m = told();
	struct frame f, to;

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		f.n = 0;
		kinds[i].make(&f);
		/* Whole, and as a snap length cuts it; an address that is cut
		 * through is none. */
		for (size_t n = f.n; n; n--) {
			hide(m, &f, kinds[i].link, n, &to);
			nothing_left(kinds[i].name, &to, n);
			read_alike(&f, &to, kinds[i].link, n);
			assert_memory_equal(f.p + n, to.p + n, f.n - n);
		}
	}
	na_masks_free(m);
}

static void test_checksums(void **state)
{
	struct na_masks *m = told();
	struct frame f, to;

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		size_t ip = kinds[i].link == ETHERNET ? 14 : 16, from;

		if (!kinds[i].protocol)
			continue;
		f.n = 0;
		kinds[i].make(&f);
		hide(m, &f, kinds[i].link, f.n, &to);
		from = ip + (to.p[ip] >> 4 == 4 ? (to.p[ip] & 15) * 4u : 40);
		if (to.p[ip] >> 4 == 4)
			assert_int_equal(sum(to.p + ip, from - ip, 0), 0xffff);
		if (to.p[ip] >> 4 == 6 && to.p[ip + 6] == 60)
			from += 16;
		assert_int_equal(checked(&to, ip, from, kinds[i].protocol), 0);
		/* What is wrong stays so. */
		f.p[f.n - 1] ^= 1;
		hide(m, &f, kinds[i].link, f.n, &to);
		assert_int_not_equal(
			checked(&to, ip, from, kinds[i].protocol), 0);
	}
	na_masks_free(m);
}

/* ---- addresses */

static void mask(struct na_masks *m, const char *address, char *to)
{
	struct na_address a;

	assert_true(na_address_parse(&a, address));
	na_mask(m, a.family == 4 ? NA_MASKED_IP4 : NA_MASKED_IP6, a.bytes);
	na_address_print(to, &a);
}

static void test_masks(void **state)
{
	static const char *const row[][2] = {
		{"10.9.0.1", "198.18.100.102"},
		{"10.10.0.1", "198.18.100.100"},
		/* Taken: somebody is called so. */
		{"198.18.100.101", "198.18.100.103"},
		{"224.0.0.251", "239.100.100.100"},
		{"127.0.0.1", "127.0.0.1"},
		{"0.0.0.0", "0.0.0.0"},
		{"fe80::1", "2001:db8::1000:1000"},
		{"ff02::1:ff00:1", "ff0e::1000:1000"},
		{"::1", "::1"},
	};
	struct na_masks *m = na_masks_new();
	char to[NA_ADDRESS_BUF];

	(void)state;
	assert_non_null(m);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		mask(m, row[i][0], to);
	assert_true(na_masks_settle(m));
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
			mask(m, row[i][0], to);
			assert_string_equal(to, row[i][1]);
		}
	}
	na_masks_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_left),
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
