#include "ingest/calls/bare.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/pseudonyms.h"
#include "netan/base/scan.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

enum { BLANK = 'x' };

/* Bytes that stay, from `seq` of their direction on: n from byte `at` of the
 * pool. */
struct kept {
	uint64_t seq;
	size_t at, n;
};

/* Zeros in the pool, until the block is known. */
struct piece {
	size_t at, n;
};

/* One direction of a connection. */
struct way {
	NA_VEC(struct kept) kept; /* in order */
	NA_VEC(struct piece) pieces; /* of the header block that is open */
	NA_VEC(uint8_t) pool;
};

/* A packet whose payload begins there. */
struct segment {
	uint64_t packet, seq;
	uint32_t connection;
	uint8_t dir;
};

struct connection {
	struct way ways[2];
};

struct na_bare {
	struct na_pseudonyms *names;
	struct na_calls_watch watch;
	NA_VEC(struct connection *) connections; /* by number; NULL: none */
	NA_VEC(struct segment) segments;
	size_t next; /* of these */
	uint64_t packet;
	/* What is read now. */
	struct way *way;
	const uint8_t *from;
	uint64_t seq;
	/* A header block: as it is read, as it is written; its last field. */
	const uint8_t *block;
	NA_VEC(uint8_t) out;
	size_t name, value, end;
	bool failed;
};

/* ---- what stays */

static void drop_way(struct way *w)
{
	na_vec_free(&w->kept);
	na_vec_free(&w->pieces);
	na_vec_free(&w->pool);
}

static void drop_connection(struct na_bare *b, uint32_t i)
{
	struct connection *c = i < b->connections.n ? b->connections.v[i]
						    : NULL;

	if (!c)
		return;
	drop_way(&c->ways[0]);
	drop_way(&c->ways[1]);
	free(c);
	b->connections.v[i] = NULL;
	b->way = NULL;
}

/* Of p, or zeros.  Later ones count: frames are followed by their form
 * first. */
static void keep(struct na_bare *b, uint64_t seq, const uint8_t *p, size_t n)
{
	struct way *w = b->way;

	while (w->kept.n && w->kept.v[w->kept.n - 1].seq >= seq)
		w->kept.n--;
	if (w->kept.n) {
		struct kept *last = &w->kept.v[w->kept.n - 1];

		if (last->n > seq - last->seq)
			last->n = (size_t)(seq - last->seq);
	}
	if (!na_add(&w->kept, ((struct kept){seq, w->pool.n, n})) ||
	    !na_room(&w->pool, n)) {
		b->failed = true;
		return;
	}
	if (p)
		memcpy(w->pool.v + w->pool.n, p, n);
	else
		memset(w->pool.v + w->pool.n, 0, n);
	w->pool.n += n;
}

static uint64_t seq_at(const struct na_bare *b, const uint8_t *p)
{
	return b->seq + (uint64_t)(p - b->from);
}

static void matters(void *ctx, const uint8_t *end, const uint8_t *p, size_t n)
{
	struct na_bare *b = ctx;

	if (b->way && n && !b->failed)
		keep(b, seq_at(b, end) - n, p, n);
}

/* ---- header blocks */

static void piece(void *ctx, const uint8_t *p, size_t n)
{
	struct na_bare *b = ctx;

	if (!b->way || b->failed)
		return;
	if (!p)
		b->way->pieces.n = 0;
	else if (!na_add(&b->way->pieces,
			 ((struct piece){b->way->pool.n, n})))
		b->failed = true;
	else
		keep(b, seq_at(b, p), NULL, n);
}

static void block(void *ctx, const uint8_t *p, size_t n)
{
	struct na_bare *b = ctx;

	b->block = p;
	b->out.n = 0;
	if (!na_append(&b->out, p, n))
		b->failed = true;
}

/* A string, whose length stands before it (RFC 7541, section 5.2): the same
 * length, and no Huffman code. */
static void write_string(uint8_t *from, const uint8_t *end, const char *text)
{
	size_t n = text ? strlen(text) : 0, size;
	uint8_t *s = from;

	if (s == end)
		return;
	if ((*s++ & 127) == 127) {
		while (s < end && *s++ & 128)
			;
	}
	*from &= 127;
	size = (size_t)(end - s);
	n = n < size ? n : size;
	if (n)
		memcpy(s, text, n);
	memset(s + n, BLANK, size - n);
}

static void place(void *ctx, const uint8_t *name, const uint8_t *value,
		  const uint8_t *end)
{
	struct na_bare *b = ctx;

	b->end = 0;
	if (b->failed || !name)
		return;
	b->name = (size_t)(name - b->block);
	b->value = (size_t)(value - b->block);
	b->end = (size_t)(end - b->block);
	write_string(b->out.v + b->name, b->out.v + b->value, NULL);
	write_string(b->out.v + b->value, b->out.v + b->end, NULL);
}

/* As they were in the block. */
static void restore(struct na_bare *b, size_t from, size_t to)
{
	memcpy(b->out.v + from, b->block + from, to - from);
}

static bool names_nobody(struct na_text name)
{
	static const char *const words[] = {
		":method",
		":scheme",
		":status",
		":path",
		":authority",
		"content-type",
		"content-length",
		"te",
		"user-agent",
		"grpc-status",
		"grpc-message",
		"grpc-encoding",
		"grpc-accept-encoding",
		"grpc-timeout",
		"accept-encoding",
	};

	for (size_t i = 0; i < NA_LEN(words); i++) {
		if (na_text_is(name, words[i]))
			return true;
	}
	return false;
}

static bool stays(struct na_text name)
{
	return names_nobody(name) && !na_text_is(name, ":authority") &&
	       !na_text_is(name, "user-agent") &&
	       !na_text_is(name, "grpc-message");
}

/* What stands for it, to be freed; NULL: no memory. */
static char *shown(const struct na_bare *b, const char *text)
{
	const char *query = strchr(text, '?');
	struct na_str s = {.s = NULL};
	char *before, *whole = NULL;

	if (!query)
		return na_pseudonyms_replace(b->names, text);
	before = strndup(text, (size_t)(query - text));
	if (before)
		whole = na_pseudonyms_replace(b->names, before);
	if (whole)
		na_str_addf(&s, "%s?%s", whole,
			    na_pseudonym(b->names, NA_ALIAS_PATH, query));
	free(before);
	free(whole);
	if (s.failed) {
		free(s.s);
		return NULL;
	}
	return s.s;
}

static void field(void *ctx, const uint8_t *name, size_t name_n,
		  const uint8_t *value, size_t value_n)
{
	struct na_text called = na_text_n((const char *)name, name_n);
	struct na_bare *b = ctx;
	char *text, *hidden;

	if (b->failed || b->end == 0)
		return;
	if (names_nobody(called))
		restore(b, b->name, b->value);
	if (!stays(called))
		return;
	text = strndup((const char *)value, value_n);
	hidden = text ? shown(b, text) : NULL;
	if (!hidden)
		b->failed = true;
	else if (strlen(text) == value_n && strcmp(text, hidden) == 0)
		restore(b, b->value, b->end);
	else
		write_string(b->out.v + b->value, b->out.v + b->end, hidden);
	free(text);
	free(hidden);
}

static void block_over(void *ctx)
{
	struct na_bare *b = ctx;
	size_t done = 0;

	b->end = 0;
	for (size_t i = 0; b->way && !b->failed && i < b->way->pieces.n; i++) {
		const struct piece *x = &b->way->pieces.v[i];
		size_t n = b->out.n - done < x->n ? b->out.n - done : x->n;

		if (n)
			memcpy(b->way->pool.v + x->at, b->out.v + done, n);
		done += n;
	}
	if (b->way)
		b->way->pieces.n = 0;
}

/* ---- connections */

static void reads(void *ctx, uint32_t i, uint8_t dir, uint64_t seq,
		  const uint8_t *p)
{
	struct na_bare *b = ctx;
	struct connection **c = na_vec_at(&b->connections, i);

	if (c && !*c)
		*c = na_calloc(1, sizeof(**c));
	b->failed |= !c || !*c;
	b->way = b->failed ? NULL : &(*c)->ways[dir];
	b->from = p;
	b->seq = seq;
}

static void segment(void *ctx, uint32_t connection, uint8_t dir, uint64_t seq)
{
	struct na_bare *b = ctx;
	struct segment x = {b->packet, seq, connection, dir};

	if (!na_add(&b->segments, x))
		b->failed = true;
}

static void over(void *ctx, uint32_t connection, bool http2)
{
	if (!http2)
		drop_connection(ctx, connection);
}

struct na_bare *na_bare_new(struct na_pseudonyms *names)
{
	struct na_bare *b = na_calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->names = names;
	b->watch = (struct na_calls_watch){b,     matters, piece,   block,
					   place, field,   block_over,
					   reads, segment, over};
	return b;
}

void na_bare_free(struct na_bare *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->connections.n; i++)
		drop_connection(b, i);
	na_vec_free(&b->connections);
	na_vec_free(&b->segments);
	na_vec_free(&b->out);
	free(b);
}

const struct na_calls_watch *na_bare_watch(struct na_bare *b)
{
	return &b->watch;
}

void na_bare_next(struct na_bare *b)
{
	b->packet++;
	while (b->next < b->segments.n &&
	       b->segments.v[b->next].packet < b->packet)
		b->next++;
}

bool na_bare_again(struct na_bare *b)
{
	b->packet = 0;
	b->next = 0;
	return !b->failed;
}

void na_bare_put(const struct na_bare *b, uint8_t *to, size_t n)
{
	const struct segment *x = b->next < b->segments.n
					  ? &b->segments.v[b->next]
					  : NULL;
	const struct connection *c =
		x && x->packet == b->packet &&
				x->connection < b->connections.n
			? b->connections.v[x->connection]
			: NULL;
	const struct way *w;
	size_t i;

	if (!c)
		return;
	w = &c->ways[x->dir];
	i = NA_BOUND(k, 0, w->kept.n,
		     w->kept.v[k].seq + w->kept.v[k].n > x->seq);
	for (; i < w->kept.n && w->kept.v[i].seq < x->seq + n; i++) {
		const struct kept *y = &w->kept.v[i];
		uint64_t from = y->seq > x->seq ? y->seq : x->seq,
			 end = y->seq + y->n;

		end = end < x->seq + n ? end : x->seq + n;
		if (from < end)
			memcpy(to + (from - x->seq),
			       w->pool.v + y->at + (from - y->seq),
			       (size_t)(end - from));
	}
}
