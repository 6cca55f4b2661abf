/* Routes as `ip` shows them and as the kernel tells them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/host/routes.h"

struct parsed {
	struct na_routes r;
	struct na_arena a;
	struct na_err err;
	enum na_status st;
};

static void parse(struct parsed *p, const char *text)
{
	memset(p, 0, sizeof(*p));
	memset(&p->a, 0, sizeof(p->a));
	p->st = na_routes_parse(&p->r, &p->a, text, strlen(text), &p->err);
}

static void fini(struct parsed *p)
{
	free(p->r.items);
	na_arena_fini(&p->a);
}

static void of_ip(void **state)
{
	struct parsed p;
	const struct na_route *x;

	(void)state;
	parse(&p, "default via 10.0.0.1 dev eth0 proto dhcp src 10.0.0.7 "
		  "metric 100 rto_min lock 5ms \n"
		  "10.0.0.0/24 dev eth0 proto kernel scope link linkdown\n"
		  "local 10.0.0.7 dev eth0 table local proto kernel\n"
		  "blackhole 192.168.0.0/16\n"
		  "10.1.0.9 dev eth1 table 100 rto_min 1.5s\n"
		  "default dev eth1 metric 1024 pref medium\n"
		  "10.2.0.0/16 via inet6 fe80::1 dev eth1");
	assert_int_equal(p.st, NA_OK);
	assert_int_equal(p.r.n, 7);
	assert_int_equal(p.r.odd, 0);
	x = p.r.items;
	assert_string_equal(x[0].dst, "default");
	assert_string_equal(x[0].via, "10.0.0.1");
	assert_string_equal(x[0].dev, "eth0");
	assert_string_equal(x[0].src, "10.0.0.7");
	assert_int_equal(x[0].metric, 100);
	assert_int_equal(x[0].rto_min_us, 5000);
	assert_false(x[0].unlocked);
	assert_int_equal(x[0].family, 4);
	assert_true(x[1].down);
	assert_true(x[1].rto_min_us == NA_NOT_KNOWN);
	assert_int_equal(x[2].kind, NA_ROUTE_OTHER);
	assert_int_equal(x[3].kind, NA_ROUTE_OTHER);
	assert_string_equal(x[4].table, "100");
	assert_int_equal(x[4].rto_min_us, 1500000);
	assert_int_equal(x[5].family, 6);
	assert_int_equal(x[6].family, 4);
	assert_string_equal(x[6].via, "fe80::1");
	fini(&p);
}

static void next_hops_belong_to_the_line_above(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "default rto_min lock 5ms\n"
		  "\tnexthop via 10.0.0.1 dev eth0 weight 1\n"
		  "\tnexthop via 10.1.0.1 dev eth1 weight 1\n"
		  "10.0.0.0/8 dev eth2\n");
	assert_int_equal(p.r.n, 2);
	assert_int_equal(p.r.items[0].hops, 2);
	assert_string_equal(p.r.items[0].dev, "eth0");
	assert_string_equal(p.r.items[1].dev, "eth2");
	assert_string_equal(p.r.items[0].next_hops,
			    "nexthop via 10.0.0.1 dev eth0 weight 1 "
			    "nexthop via 10.1.0.1 dev eth1 weight 1");
	assert_null(p.r.items[1].next_hops);
	fini(&p);
	/* `ip -o`; a next hop of the other family. */
	parse(&p, "10.0.0.0/8 metric 5\\\tnexthop via inet6 fe80::1 dev a "
		  "weight 2\\\tnexthop dev b onlink linkdown\n");
	assert_int_equal(p.r.items[0].hops, 2);
	assert_string_equal(p.r.items[0].next_hops,
			    "nexthop via inet6 fe80::1 dev a weight 2 "
			    "nexthop dev b onlink");
	assert_false(p.r.items[0].down); /* one of them is up */
	fini(&p);
	parse(&p, "default\n\tnexthop dev a linkdown\n\tnexthop dev b dead\n"
		  "10.0.0.0/8 dev c\n");
	assert_true(p.r.items[0].down);
	assert_null(p.r.items[0].next_hops);
	assert_false(p.r.items[1].down);
	fini(&p);
}

/* What ip would have to be told besides, is not told at all. */
static void next_hops_that_cannot_be_told(void **state)
{
	static const char *const rows[] = {
		"default\n\tnexthop dev a\n\tnexthop encap mpls 3 dev b\n",
		"default nhid 7\n\tnexthop dev a\n\tnexthop dev b\n",
		"default\n\tnexthop\n\tnexthop\n",
	};
	char many[4000] = "default\n";
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(&p, rows[i]);
		assert_int_equal(p.r.items[0].hops, 2);
		assert_null(p.r.items[0].next_hops);
		fini(&p);
	}
	for (int i = 0; i < 100; i++)
		strcat(many, "\tnexthop dev ethernet\n");
	parse(&p, many);
	assert_int_equal(p.r.items[0].hops, 100);
	assert_null(p.r.items[0].next_hops);
	fini(&p);
}

static void what_is_not_of_ip(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "hello\n10.0.0.0/8 dev eth0 rto_min 5\nworld\n");
	assert_int_equal(p.st, NA_OK);
	assert_int_equal(p.r.n, 1);
	assert_true(p.r.items[0].rto_min_us == NA_NOT_KNOWN);
	assert_int_equal(p.r.odd, 3); /* two lines, and a time without unit */
	fini(&p);
	parse(&p, "10.0.0.0/8 rto_min unlocked 5 rto_min lock 5ms\n");
	assert_int_equal(p.r.odd, 1);
	assert_int_equal(p.r.items[0].rto_min_us, 5000);
	assert_false(p.r.items[0].unlocked);
	fini(&p);
	parse(&p, "Kernel IP routing table\n");
	assert_int_equal(p.st, NA_EFORMAT);
	fini(&p);
	parse(&p, " [ {\"dst\":\"default\"} ]\n[\n");
	assert_int_equal(p.st, NA_EFORMAT);
	assert_non_null(strstr(p.err.text, "JSON"));
	fini(&p);
	parse(&p, "");
	assert_int_equal(p.st, NA_OK);
	fini(&p);
}

static void written_and_read_again(void **state)
{
	struct parsed p, q;
	const char *text;
	size_t n;

	(void)state;
	parse(&p, "default via fe80::1 dev eth0 metric 1024 rto_min lock 5ms\n"
		  "default dev eth1 rto_min unlocked 1ms\n"
		  "\tnexthop dev a onlink\n\tnexthop via ::1 dev b linkdown\n"
		  "default nhid 7\n\tnexthop dev a\n\tnexthop dev b\n");
	text = na_routes_text(&p.r, &p.a, &n);
	assert_string_equal(text, "default via fe80::1 dev eth0 metric 1024 "
				  "rto_min lock 5000us pref medium\n"
				  "default via ::1 dev eth1 rto_min unlocked "
				  "1000us pref medium\n"
				  "\tnexthop dev a onlink nexthop via ::1 dev "
				  "b\n"
				  "default dev a\n\tnexthop\n\tnexthop\n");
	parse(&q, text);
	assert_int_equal(q.r.n, 3);
	assert_string_equal(q.r.items[1].next_hops, p.r.items[1].next_hops);
	assert_null(q.r.items[2].next_hops);
	assert_true(q.r.items[1].unlocked);
	assert_int_equal(q.r.items[1].hops, 2);
	fini(&p);
	fini(&q);
}

static void more_than_are_kept(void **state)
{
	size_t n = NA_ROUTES_MAX + 2, at = 0;
	char *text = malloc(n * 24);
	struct parsed p;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, "10.0.0.1 dev eth0\n");
	parse(&p, text);
	assert_int_equal(p.r.n, NA_ROUTES_MAX);
	assert_int_equal(p.r.left_out, 2);
	fini(&p);
	free(text);
}

/* ---- of the kernel; by hand, in the host's byte order */

struct bytes {
	uint8_t b[512];
	size_t n;
};

static void u16(struct bytes *o, unsigned v)
{
	uint16_t x = (uint16_t)v;

	memcpy(o->b + o->n, &x, sizeof(x));
	o->n += sizeof(x);
}

static void u32(struct bytes *o, uint32_t v)
{
	memcpy(o->b + o->n, &v, sizeof(v));
	o->n += sizeof(v);
}

static void attribute(struct bytes *o, unsigned type, uint32_t v)
{
	u16(o, 8);
	u16(o, type);
	u32(o, v);
}

static size_t begin(struct bytes *o, unsigned type)
{
	size_t at = o->n;

	u32(o, 0);
	u16(o, type);
	u16(o, 2); /* several parts */
	u32(o, 1);
	u32(o, 0);
	return at;
}

static void end(struct bytes *o, size_t at)
{
	uint32_t n = (uint32_t)(o->n - at);

	memcpy(o->b + at, &n, sizeof(n));
}

enum { ROUTE = 24, DONE = 3, REFUSED = 2 };

static void put_route(struct bytes *o, uint32_t locks, uint32_t rto_ms)
{
	size_t at = begin(o, ROUTE);
	static const uint8_t head[12] = {2, 0, 0, 0, 254, 3, 0, 1};

	memcpy(o->b + o->n, head, 12);
	o->n += 12;
	attribute(o, 5, 0x0100000a); /* 10.0.0.1, in network order */
	attribute(o, 4, 2);
	u16(o, 20); /* metrics: locks, rto_min */
	u16(o, 8);
	attribute(o, 1, locks);
	attribute(o, 13, rto_ms);
	end(o, at);
}

static const char *dev_name(unsigned index, char buf[64])
{
	snprintf(buf, 64, "dev%u", index);
	return buf;
}

static enum na_status take(struct parsed *p, const void *b, size_t n)
{
	memset(p, 0, sizeof(*p));
	memset(&p->a, 0, sizeof(p->a));
	p->st = na_routes_message(&p->r, &p->a, b, n, dev_name, &p->err);
	return p->st;
}

static void of_the_kernel(void **state)
{
	struct bytes o = {.n = 0};
	struct parsed p;

	(void)state;
	put_route(&o, UINT32_C(1) << 13, 5);
	put_route(&o, 0, 7);
	assert_int_equal(take(&p, o.b, o.n), NA_OK);
	assert_int_equal(p.r.n, 2);
	assert_string_equal(p.r.items[0].dst, "default");
	assert_string_equal(p.r.items[0].dev, "dev2");
	assert_int_equal(p.r.items[0].rto_min_us, 5000);
	assert_false(p.r.items[0].unlocked);
	assert_int_equal(p.r.items[1].rto_min_us, 7000);
	assert_true(p.r.items[1].unlocked);
	fini(&p);
	end(&o, begin(&o, DONE));
	assert_int_equal(take(&p, o.b, o.n), NA_END);
	fini(&p);
	/* -13: not permitted */
	o.n = 0;
	begin(&o, REFUSED);
	u32(&o, (uint32_t)-13);
	end(&o, 0);
	assert_int_equal(take(&p, o.b, o.n), NA_EIO);
	assert_non_null(strstr(p.err.text, "ermission"));
	fini(&p);
}

/* Two next hops: by a gateway, and by one of the other family. */
static void put_hops(struct bytes *o)
{
	size_t at = begin(o, ROUTE);
	static const uint8_t head[12] = {2, 0, 0, 0, 254, 3, 0, 1};

	memcpy(o->b + o->n, head, 12);
	o->n += 12;
	u16(o, 4 + 16 + 32); /* RTA_MULTIPATH */
	u16(o, 9);
	u16(o, 16);
	u16(o, 0); /* flags; one less than the weight */
	u32(o, 2);
	attribute(o, 5, 0x0100000a);
	u16(o, 32);
	u16(o, 4 | 2 << 8); /* RTNH_F_ONLINK; weight 3 */
	u32(o, 3);
	u16(o, 4 + 2 + 16); /* RTA_VIA: AF_INET6 fe80::1, and padding */
	u16(o, 18);
	u16(o, 10);
	memset(o->b + o->n, 0, 18);
	o->b[o->n] = 0xfe;
	o->b[o->n + 1] = 0x80;
	o->b[o->n + 15] = 1;
	o->n += 18;
	end(o, at);
}

static void next_hops_of_the_kernel(void **state)
{
	struct bytes o = {.n = 0};
	struct parsed p;

	(void)state;
	put_hops(&o);
	assert_int_equal(take(&p, o.b, o.n), NA_OK);
	assert_int_equal(p.r.n, 1);
	assert_int_equal(p.r.items[0].hops, 2);
	assert_string_equal(p.r.items[0].next_hops,
			    "nexthop via 10.0.0.1 dev dev2 weight 1 "
			    "nexthop via inet6 fe80::1 dev dev3 weight 3 "
			    "onlink");
	assert_string_equal(p.r.items[0].via, "10.0.0.1");
	assert_string_equal(p.r.items[0].dev, "dev2");
	fini(&p);
}

/* Every prefix, in a block of its own size, and every byte made large. */
static void damage(struct bytes o)
{
	struct parsed p;

	for (size_t i = 1; i < o.n; i++) {
		uint8_t *cut = malloc(i);

		assert_non_null(cut);
		memcpy(cut, o.b, i);
		assert_int_equal(take(&p, cut, i), NA_EFORMAT);
		fini(&p);
		free(cut);
	}
	for (size_t i = 0; i < o.n; i++) {
		uint8_t was = o.b[i];

		o.b[i] = 0xff;
		take(&p, o.b, o.n);
		assert_true(p.r.n + p.r.odd <= 1);
		fini(&p);
		o.b[i] = was;
	}
}

static void damaged_messages(void **state)
{
	struct bytes one = {.n = 0}, several = {.n = 0};

	(void)state;
	put_route(&one, UINT32_C(1) << 13, 5);
	damage(one);
	put_hops(&several);
	damage(several);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_ip),
		cmocka_unit_test(next_hops_belong_to_the_line_above),
		cmocka_unit_test(next_hops_that_cannot_be_told),
		cmocka_unit_test(what_is_not_of_ip),
		cmocka_unit_test(written_and_read_again),
		cmocka_unit_test(more_than_are_kept),
		cmocka_unit_test(of_the_kernel),
		cmocka_unit_test(next_hops_of_the_kernel),
		cmocka_unit_test(damaged_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
