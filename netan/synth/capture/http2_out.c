#include "netan/synth/capture/http2_out.h"

#include <stdio.h>
#include <string.h>

#include "netan/synth/capture/frame_out.h"

enum {
	DATA = 0,
	HEADERS = 1,
	SETTINGS = 4,
	WINDOW_UPDATE = 8,
	END_STREAM = 1,
	ACK = 1,
	END_HEADERS = 4,
	HEAD_BYTES = 9,
	FRAME_BYTES = 16384, /* of payload, what a peer takes at first */
	STATIC_ENTRIES = 61,
	/* Of the static table, whole or by name. */
	METHOD_POST = 3,
	PATH = 4,
	AUTHORITY = 1,
	SCHEME_HTTP = 6,
	STATUS_200 = 8,
	CONTENT_TYPE = 31
};

static void frame(struct na_wire *w, uint32_t n, unsigned type, unsigned flags,
		  uint32_t stream)
{
	uint8_t h[HEAD_BYTES];

	na_put_be(h, n << 8, 4);
	h[3] = (uint8_t)type;
	h[4] = (uint8_t)flags;
	na_put_be(h + 5, stream, 4);
	na_wire_raw(w, h, sizeof(h));
}

static void setting(struct na_wire *w, unsigned id, uint32_t v)
{
	uint8_t b[6] = {0, (uint8_t)id};

	na_put_be(b + 2, v, 4);
	na_wire_raw(w, b, sizeof(b));
}

void na_h2_window(struct na_wire *w, uint32_t bytes)
{
	uint8_t b[4];

	na_put_be(b, bytes, 4);
	frame(w, 4, WINDOW_UPDATE, 0, 0);
	na_wire_raw(w, b, 4);
}

void na_h2_hello(struct na_wire *w, bool client)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

	if (client)
		na_wire_raw(w, preface, sizeof(preface) - 1);
	frame(w, 12, SETTINGS, 0, 0);
	setting(w, 3, 1000);      /* MAX_CONCURRENT_STREAMS */
	setting(w, 4, INT32_MAX); /* INITIAL_WINDOW_SIZE */
	na_h2_window(w, INT32_MAX - 65535);
}

void na_h2_settings_ack(struct na_wire *w)
{
	frame(w, 0, SETTINGS, ACK, 0);
}

/* ---- header blocks */

static void byte(struct na_wire *w, unsigned b)
{
	uint8_t x = (uint8_t)b;

	na_wire_raw(w, &x, 1);
}

/* Shorter than 127 bytes. */
static void string(struct na_wire *w, const char *s)
{
	byte(w, (unsigned)strlen(s));
	na_wire_raw(w, s, strlen(s));
}

/* Indexed, or a literal that goes into the table; `index`: of the name in
 * the static table, or 0. */
static void header(struct na_wire *w, struct na_h2_table *t, unsigned index,
		   const char *name, const char *value)
{
	char entry[sizeof(t->entries[0])];

	snprintf(entry, sizeof(entry), "%s\n%s", name, value);
	for (unsigned i = 0; i < t->n; i++) {
		if (strcmp(t->entries[i], entry) != 0)
			continue;
		/* The newest has the lowest number. */
		byte(w, 0x80 | (STATIC_ENTRIES + (t->n - i)));
		return;
	}
	byte(w, 0x40 | index);
	if (!index)
		string(w, name);
	string(w, value);
	memcpy(t->entries[t->n++ % NA_H2_ENTRIES], entry, sizeof(entry));
}

/* A literal that changes each time: not for the table. */
static void header_once(struct na_wire *w, const char *name, const char *value)
{
	byte(w, 0);
	string(w, name);
	string(w, value);
}

/* Headers in one frame: the length is put in when it is known. */
static size_t begin_headers(struct na_wire *w, unsigned flags, uint32_t stream)
{
	size_t at = w->n;

	frame(w, 0, HEADERS, flags | END_HEADERS, stream);
	return at;
}

static void end_headers(struct na_wire *w, size_t at)
{
	size_t n = w->n - at - HEAD_BYTES;

	if (w->failed)
		return;
	w->p[at + 1] = (uint8_t)(n >> 8);
	w->p[at + 2] = (uint8_t)n;
}

void na_h2_request(struct na_wire *w, struct na_h2_table *t, uint32_t stream,
		   const char *path, uint32_t timeout_ms)
{
	size_t at = begin_headers(w, 0, stream);
	char timeout[16];

	snprintf(timeout, sizeof(timeout), "%um", timeout_ms);
	byte(w, 0x80 | SCHEME_HTTP);
	byte(w, 0x80 | METHOD_POST);
	header(w, t, AUTHORITY, ":authority", "coordinator:50051");
	header(w, t, PATH, ":path", path);
	header(w, t, 0, "te", "trailers");
	header(w, t, CONTENT_TYPE, "content-type", "application/grpc");
	header(w, t, 0, "user-agent", "grpc-c++/1.60.0");
	header_once(w, "grpc-timeout", timeout);
	end_headers(w, at);
}

void na_h2_response(struct na_wire *w, struct na_h2_table *t, uint32_t stream)
{
	size_t at = begin_headers(w, 0, stream);

	byte(w, 0x80 | STATUS_200);
	header(w, t, CONTENT_TYPE, "content-type", "application/grpc");
	header(w, t, 0, "grpc-accept-encoding", "identity");
	end_headers(w, at);
}

void na_h2_trailers(struct na_wire *w, struct na_h2_table *t, uint32_t stream,
		    unsigned status, bool alone)
{
	size_t at = begin_headers(w, END_STREAM, stream);
	char text[16];

	if (alone) {
		byte(w, 0x80 | STATUS_200);
		header(w, t, CONTENT_TYPE, "content-type", "application/grpc");
	}
	snprintf(text, sizeof(text), "%u", status);
	header(w, t, 0, "grpc-status", text);
	if (status)
		header_once(w, "grpc-message", "planted");
	end_headers(w, at);
}

/* ---- messages */

/* A message's compression flag and length, and a protobuf message that is
 * one field of bytes (tag, length in five bytes), so that readers agree. */
static void put_prefix(struct na_wire *w, uint32_t n)
{
	uint8_t head[11] = {0};
	uint32_t rest = n - 6;

	na_put_be(head + 1, n, 4);
	head[5] = 0x0a;
	for (int i = 6; i < 10; i++, rest >>= 7)
		head[i] = (uint8_t)(0x80 | (rest & 127));
	head[10] = (uint8_t)rest;
	na_wire_raw(w, head, sizeof(head));
}

static void fill(struct na_wire *w, uint32_t n)
{
	if (!na_wire_room(w, n))
		return;
	memset(w->p + w->n, 'x', n);
	w->n += n;
}

void na_h2_message(struct na_wire *w, uint32_t stream, uint32_t n,
		   enum na_h2_end end)
{
	uint32_t left = n + 5;

	while (left) {
		uint32_t take = left < FRAME_BYTES ? left : FRAME_BYTES;
		bool last = take == left && end == NA_H2_LAST;

		frame(w, take, DATA, last ? END_STREAM : 0, stream);
		if (left == n + 5) {
			put_prefix(w, n);
			fill(w, take - 11);
		} else {
			fill(w, take);
		}
		left -= take;
	}
}
