/*
 * Calls by hand: floods of everything that could take memory, what begins
 * late, what never ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/calls/frames.h"
#include "tests/unit/heard.h"

/* Bytes of the client, sent as one segment for each call of send(). */
struct client {
	struct heard h;
	uint8_t p[40000];
	size_t n;
	uint64_t seq;
	int64_t now;
};

static struct client *begin(const struct na_call_limits *limits)
{
	struct client *c = malloc(sizeof(*c));

	assert_non_null(c);
	heard_init(&c->h, limits);
	heard_syn(&c->h);
	memcpy(c->p, na_http2_preface, NA_PREFACE_BYTES);
	c->n = NA_PREFACE_BYTES;
	c->seq = 1;
	c->now = 1000;
	return c;
}

static void finish(struct client *c)
{
	heard_fini(&c->h);
	free(c);
}

static void frame(struct client *c, uint8_t type, uint8_t flags,
		  uint32_t stream, const void *p, size_t n)
{
	uint8_t *to = c->p + c->n;

	assert_true(c->n + n + 9 <= sizeof(c->p));
	to[0] = (uint8_t)(n >> 16);
	to[1] = (uint8_t)(n >> 8);
	to[2] = (uint8_t)n;
	to[3] = type;
	to[4] = flags;
	to[5] = (uint8_t)(stream >> 24);
	to[6] = (uint8_t)(stream >> 16);
	to[7] = (uint8_t)(stream >> 8);
	to[8] = (uint8_t)stream;
	if (n)
		memcpy(to + 9, p, n);
	c->n += n + 9;
}

static void send_all(struct client *c)
{
	heard_bytes(&c->h, 0, c->seq, c->p, c->n, c->now += 1000, 0);
	c->seq += c->n;
	c->n = 0;
}

/* :method POST, :path literal; `keep`: into the table. */
static size_t request(uint8_t *out, const char *path, bool keep)
{
	size_t n = strlen(path), at = 0;

	out[at++] = 0x83;
	out[at++] = keep ? 0x44 : 0x04;
	if (n < 127) {
		out[at++] = (uint8_t)n;
	} else {
		out[at++] = 127;
		for (n -= 127; n > 127; n >>= 7)
			out[at++] = (uint8_t)(128 | (n & 127));
		out[at++] = (uint8_t)n;
		n = strlen(path);
	}
	memcpy(out + at, path, n);
	return at + n;
}

static void ask(struct client *c, uint32_t stream, const char *path, bool keep)
{
	uint8_t out[3000];
	size_t n = request(out, path, keep);

	frame(c, NA_FRAME_HEADERS, 5, stream, out, n);
	send_all(c);
}

static const char *method(const struct client *c, size_t i)
{
	return na_strtab_at(&c->h.names, c->h.calls[i].method);
}

static void many_streams(void **state)
{
	struct na_call_limits limits = na_call_limits;
	struct client *c;

	(void)state;
	limits.streams = 16;
	c = begin(&limits);
	for (uint32_t i = 0; i < 1000; i++)
		ask(c, 2 * i + 1, "/a", true);
	assert_int_equal(c->h.n_calls, 1000 - 16);
	heard_close(&c->h);
	assert_int_equal(c->h.n_calls, 1000);
	assert_int_equal(c->h.counts.rpcs, 1000);
	assert_int_equal(c->h.counts.limits_hit, 1000 - 16);
	for (size_t i = 0; i < 1000; i++) {
		assert_int_equal(c->h.calls[i].stream, 2 * i + 1);
		assert_true(c->h.calls[i].end_ps == NA_UNKNOWN_PS);
		assert_int_equal(c->h.transfers[i].klass, NA_NO_LATENCY);
		assert_string_equal(method(c, i), "/a");
	}
	finish(c);
}

static void many_names(void **state)
{
	struct na_call_limits limits = na_call_limits;
	struct client *c;
	char path[1100];

	(void)state;
	limits.names = 8;
	c = begin(&limits);
	for (uint32_t i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "/path/%u", i);
		ask(c, 2 * i + 1, path, false);
	}
	ask(c, 41, "/path/7", false);
	memset(path, 'x', 1099);
	path[0] = '/';
	path[1099] = '\0';
	ask(c, 43, path, false);
	heard_close(&c->h);
	for (uint32_t i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "/path/%u", i);
		assert_string_equal(method(c, i), i < 8 ? path : "other");
	}
	assert_string_equal(method(c, 20), "/path/7");
	assert_string_equal(method(c, 21), "other");
	assert_int_equal(c->h.counts.limits_hit, 13);
	finish(c);
}

static const uint8_t zero[16384];

static void endless_block(void **state)
{
	struct client *c = begin(&na_call_limits);

	(void)state;
	frame(c, NA_FRAME_HEADERS, 0, 1, "\x83\x44\x02/a", 5);
	send_all(c);
	for (int i = 0; i < 200; i++) {
		frame(c, NA_FRAME_CONTINUATION, 0, 1, zero, sizeof(zero));
		send_all(c);
	}
	frame(c, NA_FRAME_CONTINUATION, 4, 1, zero, sizeof(zero));
	send_all(c);
	ask(c, 3, "/b", true);
	/* The table is lost: the index is not known. */
	frame(c, NA_FRAME_HEADERS, 5, 5, "\x83\xbf", 2);
	frame(c, NA_FRAME_HEADERS, 5, 7, "\x83\xbe", 2);
	send_all(c);
	heard_close(&c->h);
	assert_int_equal(c->h.counts.limits_hit, 1);
	assert_int_equal(c->h.n_calls, 4);
	assert_string_equal(method(c, 0), "/a");
	assert_string_equal(method(c, 1), "/b");
	assert_int_equal(c->h.calls[2].method, NA_UNKNOWN_U32);
	assert_string_equal(method(c, 3), "/b");
	finish(c);
}

/* The end of a block is not captured, nor where frames begin again: its
 * beginning says whose call it is. */
static void cut_block(void **state)
{
	struct client *c = begin(&na_call_limits);

	(void)state;
	frame(c, NA_FRAME_HEADERS, 1, 1, "\x83\x44\x02/a", 5);
	c->h.cut = (uint32_t)c->n + 20;
	frame(c, NA_FRAME_CONTINUATION, 0, 1, zero, 100);
	frame(c, NA_FRAME_CONTINUATION, 4, 1, zero, 8);
	send_all(c);
	heard_close(&c->h);
	assert_int_equal(c->h.n_calls, 1);
	assert_string_equal(method(c, 0), "/a");
	finish(c);
}

/* Tables of many connections: the least recently used are forgotten. */
static void many_tables(void **state)
{
	struct na_call_limits limits = na_call_limits;
	void *states[64] = {NULL};
	struct client *c;
	size_t unknown = 0;

	(void)state;
	limits.tables_bytes = 30000;
	c = begin(&limits);
	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < 64; i++) {
			char path[20];

			snprintf(path, sizeof(path), "/c%u", i);
			c->h.state = states[i];
			c->h.connection = i;
			c->seq = k ? 10000 : 1;
			c->n = 0;
			if (!k) {
				heard_syn(&c->h);
				memcpy(c->p, na_http2_preface,
				       NA_PREFACE_BYTES);
				c->n = NA_PREFACE_BYTES;
				ask(c, 1, path, true);
				frame(c, 0x20, 0, 1, zero, 10000 - c->seq - 9);
				send_all(c);
				assert_int_equal(c->seq, 10000);
			} else {
				frame(c, NA_FRAME_HEADERS, 5, 3, "\x83\xbe", 2);
				send_all(c);
			}
			states[i] = c->h.state;
		}
	}
	for (uint32_t i = 0; i < 64; i++) {
		c->h.state = states[i];
		c->h.connection = i;
		c->h.user.close(c->h.user.ctx, &c->h.state, i);
	}
	na_calls_counts(c->h.reader, &c->h.counts);
	assert_int_equal(c->h.n_calls, 128);
	for (size_t i = 0; i < 128; i++) {
		char path[20];

		snprintf(path, sizeof(path), "/c%u", c->h.calls[i].connection);
		if (c->h.calls[i].method == NA_UNKNOWN_U32)
			unknown++;
		else
			assert_string_equal(method(c, i), path);
	}
	assert_in_range(unknown, 1, 64);
	assert_true(c->h.counts.limits_hit >= unknown);
	assert_int_equal(c->h.counts.http2_connections, 64);
	finish(c);
}

/* The client gives up; what the server had sent by then is the end. */
static void given_up(void **state)
{
	static const uint8_t answer[] = {0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88, 0, 0,
					 4, 3, 0, 0, 0, 0, 5, 0, 0, 0,    0};
	struct client *c = begin(&na_call_limits);

	(void)state;
	ask(c, 1, "/late", true);
	ask(c, 3, "/never", true);
	ask(c, 5, "/refused", true);
	frame(c, NA_FRAME_RST_STREAM, 0, 1, "\0\0\0\10", 4);
	frame(c, NA_FRAME_RST_STREAM, 0, 3, "\0\0\0\10", 4);
	send_all(c);
	heard_bytes(&c->h, 1, 1, answer, sizeof(answer), 9000, 0);
	heard_close(&c->h);
	assert_int_equal(c->h.n_calls, 3);
	assert_string_equal(method(c, 0), "/late");
	assert_true(c->h.calls[0].first_ps == 9000000);
	assert_true(c->h.calls[0].end_ps == 9000000);
	assert_int_equal(c->h.calls[0].http_status, 200);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(c->h.calls[i].reset,
				 i == 1 ? NA_RESET_BY_SERVER
					: NA_RESET_BY_CLIENT);
		assert_true(!i || c->h.calls[i].end_ps == NA_UNKNOWN_PS);
	}
	assert_string_equal(method(c, 1), "/refused");
	assert_string_equal(method(c, 2), "/never");
	finish(c);
}

/* HTTP/1.1 asks for h2c, the preface comes later. */
static void upgraded(void **state)
{
	static const char get[] = "GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n",
			  ok[] = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
	struct client *c = begin(&na_call_limits);
	uint8_t preface[NA_PREFACE_BYTES];

	(void)state;
	memcpy(preface, c->p, sizeof(preface));
	c->n = sizeof(get) - 1;
	memcpy(c->p, get, c->n);
	send_all(c);
	heard_bytes(&c->h, 1, 1, (const uint8_t *)ok, sizeof(ok) - 1,
		    c->now += 1000, 0);
	c->n = sizeof(preface);
	memcpy(c->p, preface, c->n);
	ask(c, 3, "/late", true);
	heard_bytes(&c->h, 1, sizeof(ok),
		    (const uint8_t *)"\0\0\1\1\5\0\0\0\3\x88", 10,
		    c->now += 1000, 0);
	heard_close(&c->h);
	assert_int_equal(c->h.counts.http2_connections, 1);
	assert_int_equal(c->h.n_calls, 1);
	assert_string_equal(method(c, 0), "/late");
	assert_int_equal(c->h.calls[0].http_status, 200);
	assert_int_equal(c->h.calls[0].end_ps - c->h.calls[0].start_ps,
			 1000 * 1000);
	finish(c);
}

/* Connections that carry nothing take no memory. */
static void only_syns(void **state)
{
	struct client *c = begin(&na_call_limits);
	void *before = c->h.state;

	(void)state;
	heard_bytes(&c->h, 1, 1, c->p, 0, 5000, 0);
	assert_ptr_equal(before, c->h.state);
	heard_close(&c->h);
	assert_int_equal(c->h.n_transfers, 0);
	finish(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_streams),  cmocka_unit_test(many_names),
		cmocka_unit_test(endless_block), cmocka_unit_test(many_tables),
		cmocka_unit_test(cut_block),     cmocka_unit_test(given_up),
		cmocka_unit_test(upgraded),      cmocka_unit_test(only_syns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
