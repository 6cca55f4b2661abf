#include "tests/unit/talk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <nghttp2/nghttp2.h>

#include "ingest/calls/frames.h"
#include "netan/base/vec.h"

/* Of our own encoder: newest first. */
struct table {
	struct entry {
		char name[24], value[80];
	} e[128];
	size_t n, bytes, max;
};

struct maker {
	struct table tables[2];
	bool index_all;

	struct talk *t;
	struct na_rng *rng;
	nghttp2_hd_deflater *deflaters[2];
	uint32_t pushed;
	size_t headed; /* behind the last HEADERS frame */
};

static uint64_t below(struct maker *m, uint64_t n)
{
	return na_rng_below(m->rng, n);
}

static void add(struct talk *t, int dir, const void *p, size_t n)
{
	assert_true(na_grow(&t->bytes[dir], &t->cap[dir], t->n[dir] + n, 1));
	memcpy(t->bytes[dir] + t->n[dir], p, n);
	t->n[dir] += n;
}

static void frame(struct maker *m, int dir, uint8_t type, uint8_t flags,
		  uint32_t stream, const void *p, size_t n)
{
	uint8_t head[9] = {(uint8_t)(n >> 16),
			   (uint8_t)(n >> 8),
			   (uint8_t)n,
			   type,
			   flags,
			   (uint8_t)(stream >> 24),
			   (uint8_t)(stream >> 16),
			   (uint8_t)(stream >> 8),
			   (uint8_t)stream};
	struct talk *t = m->t;

	add(t, dir, head, sizeof(head));
	if (n)
		add(t, dir, p, n);
	assert_true(na_grow(&t->steps, &t->cap_steps, t->n_steps + 1,
			    sizeof(*t->steps)));
	t->steps[t->n_steps++] = (struct talk_step){(uint8_t)dir, t->n[dir]};
}

static void put_integer(uint8_t **p, uint8_t head, unsigned bits, size_t v)
{
	size_t mask = ((size_t)1 << bits) - 1;

	if (v < mask) {
		*(*p)++ = (uint8_t)(head | v);
		return;
	}
	*(*p)++ = (uint8_t)(head | mask);
	for (v -= mask; v > 127; v >>= 7)
		*(*p)++ = (uint8_t)(128 | (v & 127));
	*(*p)++ = (uint8_t)v;
}

static void put_string(uint8_t **p, const char *s)
{
	size_t n = strlen(s);

	put_integer(p, 0, 7, n);
	memcpy(*p, s, n);
	*p += n;
}

static size_t size_of(const struct entry *e)
{
	return 32 + strlen(e->name) + strlen(e->value);
}

static void shrink(struct table *t, size_t size)
{
	while (t->n && t->bytes > size)
		t->bytes -= size_of(&t->e[--t->n]);
}

static void insert(struct table *t, const char *name, const char *value)
{
	struct entry e;
	size_t size;

	snprintf(e.name, sizeof(e.name), "%s", name);
	snprintf(e.value, sizeof(e.value), "%s", value);
	size = size_of(&e);
	shrink(t, size > t->max ? 0 : t->max - size);
	if (size > t->max)
		return;
	memmove(t->e + 1, t->e, t->n * sizeof(e));
	t->e[0] = e;
	t->n++;
	t->bytes += size;
}

/* libnghttp2's encoder never lets a path into the table.  This one takes
 * everything in, and refers to it wherever it can. */
static size_t index_all(struct maker *m, struct table *t, uint8_t *out,
			const char *const *pairs, size_t n)
{
	uint8_t *p = out;

	if (!below(m, 30)) {
		t->max = (size_t[]){0, 100, 400, 1000, 4096}[below(m, 5)];
		shrink(t, t->max);
		put_integer(&p, 0x20, 5, t->max);
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = pairs[2 * i], *value = pairs[2 * i + 1];
		size_t same = 0, named = 0;
		bool take = below(m, 8);

		for (size_t k = t->n; k--;) {
			if (strcmp(t->e[k].name, name) != 0)
				continue;
			named = 62 + k;
			if (strcmp(t->e[k].value, value) == 0)
				same = named;
		}
		if (same) {
			put_integer(&p, 0x80, 7, same);
			continue;
		}
		put_integer(&p, take ? 0x40 : 0, take ? 6 : 4, named);
		if (!named)
			put_string(&p, name);
		put_string(&p, value);
		if (take)
			insert(t, name, value);
	}
	return (size_t)(p - out);
}

static size_t deflate(struct maker *m, int dir, uint8_t *out, size_t cap,
		      const char *const *pairs, size_t n)
{
	nghttp2_nv nv[16];
	ssize_t len;

	assert_true(n <= 16);
	if (m->index_all)
		return index_all(m, &m->tables[dir], out, pairs, n);
	for (size_t i = 0; i < n; i++) {
		nv[i] = (nghttp2_nv){(uint8_t *)(uintptr_t)pairs[2 * i],
				     (uint8_t *)(uintptr_t)pairs[2 * i + 1],
				     strlen(pairs[2 * i]),
				     strlen(pairs[2 * i + 1]),
				     below(m, 20) ? NGHTTP2_NV_FLAG_NONE
						  : NGHTTP2_NV_FLAG_NO_INDEX};
	}
	if (!below(m, 30))
		nghttp2_hd_deflate_change_table_size(
			m->deflaters[dir],
			(size_t[]){0, 100, 400, 1000, 4096}[below(m, 5)]);
	len = nghttp2_hd_deflate_hd(m->deflaters[dir], out, cap, nv, n);
	assert_true(len >= 0);
	return (size_t)len;
}

/* A header block in one frame or several, with padding and priority. */
static void block(struct maker *m, int dir, uint8_t type, uint32_t stream,
		  bool ends, const uint8_t *p, size_t n)
{
	uint8_t buf[5000] = {0}, flags = ends ? 1 : 0;
	size_t at = 0, pad = 0, k = below(m, 4) || !n ? n : below(m, n);

	if (!below(m, 5)) {
		flags |= 8;
		pad = below(m, 40);
		buf[at++] = (uint8_t)pad;
	}
	if (type == NA_FRAME_HEADERS && !below(m, 5)) {
		flags |= 32;
		at += 5;
	}
	if (type == NA_FRAME_PUSH_PROMISE) {
		buf[at + 3] = (uint8_t)(m->pushed += 2);
		at += 4;
	}
	memcpy(buf + at, p, k);
	memset(buf + at + k, 0, pad);
	frame(m, dir, type, k == n ? flags | 4 : flags, stream, buf,
	      at + k + pad);
	m->headed = m->t->n[dir];
	while (k < n) {
		size_t more = 1 + below(m, n - k);

		frame(m, dir, NA_FRAME_CONTINUATION, k + more == n ? 4 : 0,
		      stream, p + k, more);
		k += more;
	}
}

static void headers(struct maker *m, int dir, uint32_t stream, bool ends,
		    const char *const *pairs, size_t n)
{
	uint8_t out[4096];
	size_t len = deflate(m, dir, out, sizeof(out), pairs, n);

	block(m, dir, NA_FRAME_HEADERS, stream, ends, out, len);
}

/* Frames between calls. */
static void noise(struct maker *m)
{
	static const uint8_t zero[64],
		settings[12] = {0, 3, 0, 0, 1, 0, 0, 4, 0, 1, 0, 0};
	int dir = (int)below(m, 2);
	uint8_t out[600];
	uint32_t some = m->t->n_calls
				? m->t->calls[below(m, m->t->n_calls)].stream
				: 1;

	switch (below(m, 8)) {
	case 0:
		frame(m, dir, NA_FRAME_PING, (uint8_t)below(m, 2), 0, zero, 8);
		break;
	case 1:
		frame(m, dir, NA_FRAME_WINDOW_UPDATE, 0, 0, "\0\0\1\1", 4);
		break;
	case 2:
		frame(m, dir, NA_FRAME_SETTINGS, 0, 0, settings, 12);
		break;
	case 3:
		frame(m, dir, NA_FRAME_SETTINGS, 1, 0, NULL, 0);
		break;
	case 4:
		frame(m, dir, NA_FRAME_PRIORITY, 0, some, zero, 5);
		break;
	case 5: /* a type that nobody knows */
		frame(m, dir, 0x10 + (uint8_t)below(m, 9), 0xff, some, zero,
		      below(m, 64));
		break;
	case 6: {
		const char *pairs[] = {":method", "GET",     ":path",
				       "/pushed", "x-wrong", "/wrong"};
		size_t len = deflate(m, 1, out, sizeof(out), pairs, 3);

		block(m, 1, NA_FRAME_PUSH_PROMISE, some, false, out, len);
		break;
	}
	case 7:
		frame(m, dir, NA_FRAME_WINDOW_UPDATE, 0, some, "\0\0\1\1", 4);
		break;
	}
}

/* gRPC messages of one way of a call. */
static void body(struct maker *m, struct talk_call *c, int way)
{
	size_t n = below(m, 4), cap = 0, hostile = m->t->hostile ? 10 : 256;

	c->messages[way] = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		size_t len = below(m, 3) ? below(m, 60)
					 : below(m, m->t->max_body);
		uint8_t *p;

		assert_true(na_grow(&c->body[way], &cap,
				    c->body_n[way] + len + 5, 1));
		p = c->body[way] + c->body_n[way];
		memset(p, 0, len + 5);
		p[2] = (uint8_t)(len >> 16);
		p[3] = (uint8_t)(len >> 8);
		p[4] = (uint8_t)len;
		c->body_n[way] += len + 5;
		/* Bytes that look like frames are in bodies, too. */
		for (size_t k = 5; k < len + 5; k++)
			p[k] = (uint8_t)(m->t->hostile && below(m, 3)
						 ? 0
						 : below(m, hostile));
	}
	c->bytes[way] = c->body_n[way];
}

static void data(struct maker *m, struct talk_call *c, int way)
{
	uint8_t buf[16384] = {0}, flags = 0;
	size_t left = c->body_n[way] - c->body_at[way], at = 0, pad = 0, k;
	bool last;

	k = below(m, 3) ? left : below(m, left + 1);
	k = k > 16000 ? 16000 : k;
	last = k == left && (way == 0 || c->phase == 9);
	if (!below(m, 4)) {
		flags |= 8;
		pad = below(m, 256);
		buf[at++] = (uint8_t)pad;
	}
	if (k)
		memcpy(buf + at, c->body[way] + c->body_at[way], k);
	c->body_at[way] += k;
	frame(m, way, NA_FRAME_DATA, flags | (last ? 1 : 0), c->stream, buf,
	      at + k + pad);
}

static void request(struct maker *m, struct talk_call *c)
{
	char more[2][40];
	const char *pairs[] = {
		":method", "POST",     ":scheme",      "http",
		":path",   c->path,    ":authority",   "server:1",
		"te",      "trailers", "content-type", "application/grpc",
		more[0],   more[1],    "referer",      "/wrong/referer"};

	snprintf(more[0], sizeof(more[0]), "x-%d", (int)below(m, 12));
	snprintf(more[1], sizeof(more[1]), "/wrong/%d", (int)below(m, 40));
	headers(m, 0, c->stream, !c->body_n[0], pairs, 8);
	c->asked = m->headed;
}

static void new_call(struct maker *m)
{
	struct talk *t = m->t;
	struct talk_call *c = &t->calls[t->n_calls++];

	*c = (struct talk_call){
		.stream = (uint32_t)(2 * t->n_calls - 1),
		.asked = SIZE_MAX,
		.answered = SIZE_MAX,
		.ended = SIZE_MAX,
		.http_status = -1,
		.grpc_status = -1,
		.phase = 1,
	};
	if (below(m, 5))
		snprintf(c->path, sizeof(c->path), "/pkg.Service/Method%d",
			 (int)below(m, 15));
	else
		snprintf(c->path, sizeof(c->path), "/pkg.Long.Service/M%zu",
			 t->n_calls);
	body(m, c, 0);
	body(m, c, 1);
	request(m, c);
}

static void ended(struct talk_call *c, int dir, size_t at, bool reset)
{
	c->ended = at;
	c->ended_by = (uint8_t)dir;
	c->reset = reset;
	c->phase = 0;
	/* What was not sent does not count. */
}

static void cancel(struct maker *m, struct talk_call *c)
{
	int dir = (int)below(m, 2);

	frame(m, dir, NA_FRAME_RST_STREAM, 0, c->stream, "\0\0\0\10", 4);
	for (int w = 0; w < 2; w++) {
		c->bytes[w] = c->body_at[w];
		c->messages[w] = 0;
		for (size_t at = 0; at + 5 <= c->body_at[w];) {
			c->messages[w]++;
			at += 5 + ((size_t)c->body[w][at + 2] << 16 |
				   (size_t)c->body[w][at + 3] << 8 |
				   c->body[w][at + 4]);
		}
	}
	ended(c, dir, SIZE_MAX, true);
}

/* The next thing that happens to a call.  Phases: 1 request body; 2 maybe
 * 1xx; 3 response headers; 4 body; 5 trailers; 9 body without trailers. */
static void go_on(struct maker *m, struct talk_call *c)
{
	const char *head[] = {":status",          "200",    "content-type",
			      "application/grpc", "x-path", "/wrong/x"};
	const char *tail[] = {"grpc-status", "0", "grpc-message", "/wrong/m"};

	if (c->phase > 1 && !below(m, 40)) {
		cancel(m, c);
		return;
	}
	switch (c->phase) {
	case 1:
		if (c->body_at[0] < c->body_n[0])
			data(m, c, 0);
		if (c->body_at[0] == c->body_n[0])
			c->phase = 2;
		return;
	case 2:
		if (!below(m, 6))
			headers(m, 1, c->stream, false,
				(const char *[]){":status", "103"}, 1);
		c->phase = 3;
		return;
	case 3:
		c->http_status = 200;
		if (!below(m, 5)) { /* trailers only */
			const char *both[] = {":status", "200", "grpc-status",
					      "5"};

			headers(m, 1, c->stream, true, both, 2);
			c->grpc_status = 5;
			c->bytes[1] = c->messages[1] = 0;
			c->answered = m->headed;
			ended(c, 1, m->headed, false);
			return;
		}
		headers(m, 1, c->stream, false, head, 3);
		c->answered = m->headed;
		c->phase = below(m, 3) ? 4 : 9;
		return;
	case 4:
		if (c->body_at[1] < c->body_n[1])
			data(m, c, 1);
		else
			c->phase = 5;
		return;
	case 5:
		headers(m, 1, c->stream, true, tail, 2);
		c->grpc_status = 0;
		ended(c, 1, m->headed, false);
		return;
	case 9:
		data(m, c, 1);
		if (c->body_at[1] == c->body_n[1])
			ended(c, 1, m->t->n[1], false);
	}
}

void talk_make(struct talk *t, struct na_rng *rng, size_t calls,
	       size_t max_body, bool hostile)
{
	struct maker m = {.t = t,
			  .rng = rng,
			  .tables = {{.max = 4096}, {.max = 4096}},
			  .index_all = na_rng_below(rng, 2)};
	size_t open = 0;

	memset(t, 0, sizeof(*t));
	t->hostile = hostile;
	t->max_body = max_body;
	assert_true(calls <= TALK_CALLS);
	for (int i = 0; i < 2; i++)
		assert_int_equal(nghttp2_hd_deflate_new(&m.deflaters[i], 4096),
				 0);
	add(t, 0, na_http2_preface, NA_PREFACE_BYTES);
	frame(&m, 0, NA_FRAME_SETTINGS, 0, 0, NULL, 0);
	frame(&m, 1, NA_FRAME_SETTINGS, 0, 0, NULL, 0);
	for (;;) {
		open = 0;
		for (size_t i = 0; i < t->n_calls; i++)
			open += t->calls[i].phase != 0;
		if (!open && t->n_calls == calls)
			break;
		if (!below(&m, 5)) {
			noise(&m);
		} else if (t->n_calls < calls &&
			   (open < 6 ? !below(&m, 3) : !open)) {
			new_call(&m);
		} else if (open) {
			size_t k = below(&m, open), i = 0;

			while (!t->calls[i].phase || k--)
				i++;
			go_on(&m, &t->calls[i]);
		}
	}
	for (int i = 0; i < 2; i++)
		nghttp2_hd_deflate_del(m.deflaters[i]);
}

void talk_fini(struct talk *t)
{
	for (int i = 0; i < 2; i++)
		free(t->bytes[i]);
	for (size_t i = 0; i < t->n_calls; i++) {
		free(t->calls[i].body[0]);
		free(t->calls[i].body[1]);
	}
	free(t->steps);
}

/* ---- packets */

struct talk_packet *talk_cut(const struct talk *t, struct na_rng *rng,
			     size_t max, size_t *n)
{
	struct talk_packet *x = NULL;
	size_t sent[2] = {0}, cap = 0;
	int64_t now = 1000;

	*n = 0;
	for (size_t i = 0; i < t->n_steps; i++) {
		uint8_t d = t->steps[i].dir;

		/* Frames of one side may share a packet. */
		if (i + 1 < t->n_steps && t->steps[i + 1].dir == d &&
		    na_rng_below(rng, 2))
			continue;
		while (sent[d] < t->steps[i].to) {
			size_t k = 1 + na_rng_below(rng, max);
			size_t left = t->steps[i].to - sent[d];

			k = k < left ? k : left;
			now += 1 + (int64_t)na_rng_below(rng, 900);
			assert_true(na_grow(&x, &cap, *n + 1, sizeof(*x)));
			x[(*n)++] = (struct talk_packet){d, sent[d],
							 sent[d] + k, now,
							 sent[!d]};
			sent[d] += k;
		}
	}
	return x;
}

int64_t *talk_complete_ns(const struct talk *t, const struct talk_packet *x,
			  size_t n, uint8_t dir)
{
	size_t size = t->n[dir] + 1;
	int64_t *at = malloc(size * sizeof(*at));

	assert_non_null(at);
	at[0] = 0;
	for (size_t i = 1; i < size; i++)
		at[i] = -1;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = x[i].from; x[i].dir == dir && k < x[i].to; k++)
			at[k + 1] = at[k + 1] < 0 ? x[i].at_ns : at[k + 1];
	}
	for (size_t i = 1; i < size; i++) {
		if (at[i - 1] < 0 || at[i] < 0)
			at[i] = -1;
		else if (at[i] < at[i - 1])
			at[i] = at[i - 1];
	}
	return at;
}
