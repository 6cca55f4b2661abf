/*
 * Packets through the driver into a sink that counts: frames with their
 * endpoints, TCP only where it is wanted, a flood of addresses.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/capture.h"
#include "tests/unit/packet_bytes.h"

enum { NAMES = 70000 };

static struct {
	char (*names)[NA_ADDRESS_BUF];
	uint32_t n_names;
	uint64_t asked; /* for a name */
	struct na_wire_packet last;
	uint64_t frames, connections, transfers, calls, segments;
	uint64_t damaged;
	char warning[256];
	enum na_status answer;
} seen;

static uint32_t on_address(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	assert_true(n < NA_ADDRESS_BUF && strlen(s) == n);
	seen.asked++;
	assert_true(seen.n_names < NAMES);
	memcpy(seen.names[seen.n_names], s, n + 1);
	return seen.n_names++;
}

static uint32_t on_name(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	(void)s;
	(void)n;
	return 0;
}

static enum na_status on_packet(void *ctx, const struct na_wire_packet *w)
{
	(void)ctx;
	assert_true(w->src < seen.n_names && w->dst < seen.n_names);
	seen.last = *w;
	seen.frames++;
	return seen.answer;
}

static enum na_status on_connection(void *ctx, const struct na_connection *c)
{
	(void)ctx;
	(void)c;
	seen.connections++;
	return NA_OK;
}

static enum na_status on_transfer(void *ctx, const struct na_transfer *t)
{
	(void)ctx;
	(void)t;
	seen.transfers++;
	return seen.answer;
}

static enum na_status on_call(void *ctx, const struct na_call *c)
{
	(void)ctx;
	(void)c;
	seen.calls++;
	return NA_OK;
}

static enum na_status on_segment(void *ctx, const struct na_segment *s)
{
	(void)ctx;
	(void)s;
	seen.segments++;
	return NA_OK;
}

static void on_classed(void *ctx, enum na_side side, enum na_style style,
		       enum na_class klass, uint64_t n)
{
	(void)ctx;
	(void)side;
	(void)style;
	(void)klass;
	(void)n;
}

static void on_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	if (why == NA_LEFT_DAMAGED)
		seen.damaged += n;
}

static void on_warn(void *ctx, uint64_t at, const char *text)
{
	(void)ctx;
	(void)at;
	snprintf(seen.warning, sizeof(seen.warning), "%s", text);
}

static const struct na_sink sink = {
	.packet = on_packet,
	.connection = on_connection,
	.transfer = on_transfer,
	.call = on_call,
	.segment = on_segment,
	.address = on_address,
	.name = on_name,
	.classed = on_classed,
	.left_out = on_left_out,
	.warn = on_warn,
};

static struct bytes b;

static struct na_capture *begin(uint32_t wants)
{
	struct na_capture_options o = {
		.wants = wants,
		.segments_of = NA_UNKNOWN_U32,
		.zero_ns = 1000,
		.sink = &sink,
	};
	struct na_capture *c = na_capture_new(&o);
	void *names = seen.names;

	assert_non_null(c);
	memset(&seen, 0, sizeof(seen));
	seen.names = names;
	return c;
}

/* What is in b, as a frame of so many bytes. */
static enum na_status feed(struct na_capture *c, uint32_t link, int64_t time_ns,
			   uint32_t wire)
{
	struct na_record r = {
		.time_ns = time_ns,
		.data = b.p,
		.captured_bytes = (uint32_t)b.n,
		.wire_bytes = wire,
		.link = link,
		.interface = link == 1 ? 0 : 1,
	};

	return na_capture_record(c, &r);
}

static void put_tcp(void)
{
	b.n = 0;
	b_ip4(&b, 40, 6, 1, 0);
	b_tcp(&b, 2, "");
}

static void counts(void **state)
{
	struct na_capture *c = begin(NA_WANT_PACKETS);
	const struct na_capture_counts *n;

	(void)state;
	put_tcp();
	assert_int_equal(feed(c, 101, 3000, 60), NA_OK);
	assert_int_equal(seen.last.time_ps, 2000000);
	assert_int_equal(seen.last.size_bytes, 60);
	assert_string_equal(seen.names[seen.last.src], "10.0.0.1");
	assert_string_equal(seen.names[seen.last.dst], "10.0.0.2");
	/* An outer header: its addresses count. */
	b.n = 0;
	b_ip4(&b, 0, 4, 1, 0);
	b.p[15] = 7;
	b_ip4(&b, 40, 6, 1, 0);
	b_tcp(&b, 2, "");
	assert_int_equal(feed(c, 101, 2000, 60), NA_OK);
	assert_string_equal(seen.names[seen.last.src], "10.0.0.7");
	b.n = 0;
	b_ethernet(&b, 0x0806);
	assert_int_equal(feed(c, 1, 2500, 60), NA_OK);
	assert_string_equal(seen.names[seen.last.src], "non-IP");
	assert_int_equal(seen.last.src, seen.last.dst);
	assert_int_equal(feed(c, 127, 2500, 60), NA_OK);
	b.n = 0;
	b_ip4(&b, 28, 17, 1, 0);
	b_udp(&b, 1, 2, 8);
	assert_int_equal(feed(c, 101, 4000, 28), NA_OK);
	b.p[9] = 1;
	assert_int_equal(feed(c, 101, 4000, 28), NA_OK);
	b.p[6] = 0x20; /* more fragments */
	assert_int_equal(feed(c, 101, 4000, 28), NA_OK);
	b.p[0] = 0x41;
	assert_int_equal(feed(c, 101, 4000, 28), NA_OK);
	assert_int_equal(na_capture_finish(c), NA_OK);
	n = na_capture_counts(c);
	assert_int_equal(n->packets, 8);
	assert_int_equal(seen.frames, 8);
	assert_int_equal(seen.asked, 4);
	assert_int_equal(n->wire_bytes, 4 * 60 + 4 * 28);
	assert_int_equal(n->captured_bytes, 40 + 60 + 14 + 14 + 4 * 28);
	assert_int_equal(n->cut_packets, 3);
	assert_int_equal(n->backward_steps, 1);
	assert_int_equal(n->interfaces, 2);
	assert_int_equal(n->tcp, 2);
	assert_int_equal(n->udp, 1);
	assert_int_equal(n->other_ip, 1);
	assert_int_equal(n->non_ip, 2);
	assert_int_equal(n->malformed, 1);
	assert_int_equal(n->fragments, 1);
	assert_int_equal(n->fragments_lost, 1);
	assert_int_equal(n->connections, 0);
	assert_string_equal(seen.warning,
			    "1 packets of link types that are not decoded "
			    "(the first is 127), counted as non-IP");
	na_capture_free(c);
}

/* TCP is followed for those who ask, frames told to those who ask. */
static void wants(void **state)
{
	static const struct {
		uint32_t wants;
		uint64_t frames, connections;
	} rows[] = {
		{0, 0, 0},
		{NA_WANT_COUNTS, 0, 0},
		{NA_WANT_PACKETS, 1, 0},
		{NA_WANT_CONNECTIONS, 0, 1},
		{NA_WANT_CONNECTIONS | NA_WANT_PACKETS, 1, 1},
	};

	(void)state;
	put_tcp();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_capture *c = begin(rows[i].wants);

		assert_int_equal(feed(c, 101, 3000, 40), NA_OK);
		assert_int_equal(na_capture_finish(c), NA_OK);
		assert_int_equal(seen.frames, rows[i].frames);
		assert_int_equal(seen.connections, rows[i].connections);
		assert_int_equal(na_capture_counts(c)->tcp, 1);
		na_capture_free(c);
	}
}

static void far_times(void **state)
{
	static const int64_t rows[] = {INT64_MIN, INT64_MAX,
				       INT64_MAX / 1000 + 2000};
	struct na_capture *c = begin(NA_WANT_PACKETS);

	(void)state;
	put_tcp();
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(feed(c, 101, rows[i], 40), NA_OK);
	assert_int_equal(na_capture_finish(c), NA_OK);
	assert_int_equal(seen.frames, 0);
	assert_int_equal(seen.damaged, 3);
	na_capture_free(c);
}

static void flood(void **state)
{
	struct na_capture *c = begin(NA_WANT_PACKETS);
	enum { ADDRESSES = 1 << 16, MORE = 1000 };

	(void)state;
	put_tcp();
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < ADDRESSES + MORE; i++) {
			b.p[13] = (uint8_t)(i >> 16);
			b.p[14] = (uint8_t)(i >> 8);
			b.p[15] = (uint8_t)i;
			assert_int_equal(feed(c, 101, 3000, 40), NA_OK);
		}
	/* the last are "other"; those known stay known */
	assert_string_equal(seen.names[seen.last.src], "other");
	b.p[13] = b.p[14] = 0;
	b.p[15] = 5;
	assert_int_equal(feed(c, 101, 3000, 40), NA_OK);
	assert_string_equal(seen.names[seen.last.src], "10.0.0.5");
	assert_int_equal(seen.asked, ADDRESSES + 1);
	assert_int_equal(na_capture_finish(c), NA_OK);
	assert_true(na_capture_counts(c)->limits_hit >= 2 * MORE);
	na_capture_free(c);
}

static void refusal(void **state)
{
	struct na_capture *c = begin(NA_WANT_PACKETS);

	(void)state;
	put_tcp();
	seen.answer = NA_ENOMEM;
	assert_int_equal(feed(c, 101, 3000, 40), NA_ENOMEM);
	na_capture_free(c);
}

/* What is told as the last connections close may be refused, too. */
static void refusal_at_the_end(void **state)
{
	struct na_capture *c = begin(NA_WANT_TRANSFERS);

	(void)state;
	b.n = 0;
	b_ip4(&b, 45, 6, 1, 0);
	b_tcp(&b, NA_TCP_ACK, "");
	b_zero(&b, 5);
	assert_int_equal(feed(c, 101, 3000, 45), NA_OK);
	seen.answer = NA_ENOMEM;
	assert_int_equal(na_capture_finish(c), NA_ENOMEM);
	assert_int_equal(seen.transfers, 1);
	na_capture_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(wants),
		cmocka_unit_test(far_times),
		cmocka_unit_test(flood),
		cmocka_unit_test(refusal),
		cmocka_unit_test(refusal_at_the_end),
	};
	int rc;

	seen.names = calloc(NAMES, sizeof(*seen.names));
	rc = seen.names
		     ? cmocka_run_group_tests_name("capture", tests, NULL, NULL)
		     : 1;
	free(seen.names);
	return rc;
}
