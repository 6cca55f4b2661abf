#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "ingest/bytes/wire.h"
#include "netan/base/inputs.h"
#include "netan/base/vec.h"
#include "netan/engine/partial/nap.h"

const char *na_nap_name(const struct na_nap *f, char buf[NA_NAP_NAME_BUF])
{
	if (f->head.shard)
		snprintf(buf, NA_NAP_NAME_BUF, "%.256s (shard %zu of %zu)",
			 f->path, f->head.shard, f->head.shards);
	else
		snprintf(buf, NA_NAP_NAME_BUF, "%.256s%s", f->path,
			 f->head.shards ? " (the plan)" : "");
	return buf;
}

static enum na_status damaged(const struct na_nap *f, uint64_t at,
			      const char *why, struct na_err *err)
{
	char name[NA_NAP_NAME_BUF];

	return na_fail(err, NA_EFORMAT,
		       "%s is damaged at byte %" PRIu64 ": %s; make it again",
		       na_nap_name(f, name), at, why);
}

static enum na_status cannot_read(const struct na_nap *f, struct na_err *err)
{
	struct stat is;

	/* The bytes that were there when it was opened. */
	if (errno == ENODATA && stat(f->path, &is) == 0)
		return na_fail(err, NA_EIO,
			       "%s: truncated while it was read, at byte "
			       "%" PRIu64,
			       f->path, (uint64_t)is.st_size);
	return na_fail(err, NA_EIO, "cannot read %s: %s", f->path,
		       strerror(errno));
}

/* ---- blocks */

static bool read_at(int fd, uint64_t at, uint8_t *p, size_t n)
{
	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)at);

		if (got == 0)
			errno = ENODATA;
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return true;
}

struct raw { /* a block as it stands in the file */
	uint8_t *p;
	size_t n, packed;
	enum nap_kind kind;
};

/* The file without its end: that is read by itself. */
static enum na_status read_raw(const struct na_nap *f, int fd, uint64_t at,
			       struct raw *r, struct na_err *err)
{
	uint64_t left = f->size - NAP_END_BYTES - at;
	uint8_t head[NAP_BLOCK_HEAD];
	size_t body;

	if (left < NAP_BLOCK_HEAD + NAP_CRC_BYTES)
		return damaged(f, at, "a block is cut off", err);
	if (!read_at(fd, at, head, sizeof(head)))
		return cannot_read(f, err);
	r->kind = (enum nap_kind)head[0];
	r->n = na_get32(head + 1, false);
	r->packed = na_get32(head + 5, false);
	body = r->packed ? r->packed : r->n;
	if ((r->kind != NAP_HEAD && r->kind != NAP_BYTES) ||
	    r->n > NA_NAP_BLOCK_BYTES || r->packed >= r->n + !r->packed ||
	    (r->packed && r->n / r->packed > NAP_RATIO))
		return damaged(f, at, "no block begins here", err);
	if (body > left - NAP_BLOCK_HEAD - NAP_CRC_BYTES)
		return damaged(f, at, "a block is longer than the file", err);
	body += NAP_BLOCK_HEAD + NAP_CRC_BYTES;
	r->p = malloc(body);
	if (!r->p)
		return na_fail_nomem(err);
	if (!read_at(fd, at, r->p, body))
		return cannot_read(f, err);
	body -= NAP_CRC_BYTES;
	if (crc32_z(0, r->p, body) != na_get32(r->p + body, false))
		return damaged(f, at, "the checksum of a block is another one",
			       err);
	return NA_OK;
}

static enum na_status unpack(const struct na_nap *f, const struct raw *r,
			     struct na_nap_block *b, struct na_err *err)
{
	const uint8_t *body = r->p + NAP_BLOCK_HEAD;
	size_t n;

	b->p = malloc(r->n + !r->n);
	b->n = r->n;
	if (!b->p)
		return na_fail_nomem(err);
	if (!r->packed) {
		memcpy(b->p, body, r->n);
		return NA_OK;
	}
	n = ZSTD_decompress(b->p, r->n, body, r->packed);
	if (ZSTD_isError(n) || n != r->n)
		return damaged(f, b->at, "a block cannot be unpacked", err);
	return NA_OK;
}

void na_nap_block_free(struct na_nap_block *b)
{
	free(b->p);
	*b = (struct na_nap_block){.of = NULL};
}

static enum na_status load(const struct na_nap *f, int fd, uint64_t at,
			   enum nap_kind kind, struct na_nap_block *b,
			   struct na_err *err)
{
	struct raw r = {.p = NULL};
	enum na_status st;

	na_nap_block_free(b);
	b->at = at;
	st = read_raw(f, fd, at, &r, err);
	if (st == NA_OK && r.kind != kind)
		st = damaged(f, at, "a block of this kind does not belong here",
			     err);
	if (st == NA_OK)
		st = unpack(f, &r, b, err);
	b->next = at + NAP_BLOCK_HEAD + (r.packed ? r.packed : r.n) +
		  NAP_CRC_BYTES;
	b->of = st == NA_OK ? f : NULL;
	free(r.p);
	return st;
}

/* ---- head and end */

static char *keep(struct na_nap *f, struct na_cursor c)
{
	struct na_text t = na_text_under(&c);

	return memchr(t.s, 0, t.n) ? NULL
				   : (char *)na_arena_strn(&f->arena, t.s, t.n);
}

static bool add_word(struct na_nap *f, struct na_cursor c, size_t *cap)
{
	size_t n = (size_t)f->head.n_words;
	char *word = keep(f, c);

	if (!word || !na_grow(&f->head.words, cap, n + 2, sizeof(char *)))
		return false;
	f->head.words[n] = word;
	f->head.words[n + 1] = NULL;
	f->head.n_words++;
	return true;
}

static bool take_plan(struct na_nap_head *h, struct na_cursor c)
{
	struct na_text t = na_text_under(&c);

	if (t.n != NA_SHA256_HEX - 1 || memchr(t.s, 0, t.n))
		return false;
	memcpy(h->plan, t.s, t.n);
	h->plan[t.n] = '\0';
	return true;
}

static bool take_field(struct na_nap *f, const struct na_field *x, size_t *cap)
{
	struct na_nap_head *h = &f->head;

	switch (x->tag) {
	case NA_TAG(1, NA_W_BYTES):
		h->version = keep(f, x->body);
		return h->version;
	case NA_TAG(2, NA_W_VARINT):
		h->layout = (uint32_t)x->value;
		return x->value <= UINT32_MAX;
	case NA_TAG(3, NA_W_BYTES):
		return add_word(f, x->body, cap);
	case NA_TAG(4, NA_W_VARINT):
		h->shard = (size_t)x->value;
		return x->value <= NA_NAP_SHARDS;
	case NA_TAG(5, NA_W_VARINT):
		h->shards = (size_t)x->value;
		return x->value <= NA_NAP_SHARDS;
	case NA_TAG(6, NA_W_VARINT):
		h->round = (unsigned)x->value;
		return x->value <= 1;
	case NA_TAG(7, NA_W_BYTES):
		return take_plan(h, x->body);
	default:
		return true;
	}
}

static bool parse_head(struct na_nap *f, const struct na_nap_block *b)
{
	struct na_cursor c = na_cursor_of(b->p, b->n);
	enum na_next next;
	struct na_field x;
	size_t cap = 0;

	while ((next = na_field_next(&c, &x)) == NA_NEXT_FIELD) {
		if (!take_field(f, &x, &cap))
			return false;
	}
	return next == NA_NEXT_END && f->head.version && f->head.n_words >= 2 &&
	       f->head.shards && f->head.shard <= f->head.shards &&
	       (f->head.shard ? f->head.round == !!*f->head.plan
			      : !f->head.round && !*f->head.plan);
}

static enum na_status check_made(const struct na_nap *f, struct na_err *err)
{
	char name[NA_NAP_NAME_BUF];

	if (strcmp(f->head.version, NETAN_VERSION) != 0)
		return na_fail(err, NA_EFORMAT,
			       "%s was written by netan %.40s, and this is "
			       "netan %s: all rounds want one version",
			       na_nap_name(f, name), f->head.version,
			       NETAN_VERSION);
	if (f->head.layout != na_nap_layout())
		return na_fail(err, NA_EFORMAT,
			       "%s was written by a netan %s whose records lie "
			       "in memory in another way than this one's: all "
			       "rounds want one build",
			       na_nap_name(f, name), NETAN_VERSION);
	return NA_OK;
}

static enum na_status read_head(struct na_nap *f, int fd, struct na_err *err)
{
	struct na_nap_block b = {.of = NULL};
	enum na_status st = load(f, fd, NAP_MAGIC_BYTES, NAP_HEAD, &b, err);

	f->at = b.next;
	if (st == NA_OK && !parse_head(f, &b)) {
		f->head.shards = 0;
		st = damaged(f, NAP_MAGIC_BYTES,
			     "its first block says what cannot be", err);
	}
	na_nap_block_free(&b);
	return st == NA_OK ? check_made(f, err) : st;
}

static enum na_status read_end(struct na_nap *f, int fd, struct na_err *err)
{
	char name[NA_NAP_NAME_BUF];
	uint8_t p[NAP_END_BYTES];
	const uint8_t *crc = p + sizeof(p) - NAP_CRC_BYTES;

	if (!read_at(fd, f->size - sizeof(p), p, sizeof(p)))
		return cannot_read(f, err);
	if (p[0] != NAP_END ||
	    crc32_z(0, p, sizeof(p) - NAP_CRC_BYTES) != na_get32(crc, false))
		return na_fail(err, NA_EFORMAT,
			       "%s is unfinished: it ends at byte %" PRIu64
			       " without its end mark; make it again",
			       na_nap_name(f, name), f->size);
	f->messages = na_get64(p + NAP_BLOCK_HEAD, false);
	return NA_OK;
}

static enum na_status look_at(struct na_nap *f, int fd, struct na_err *err)
{
	uint8_t magic[NAP_MAGIC_BYTES];
	struct stat info;
	enum na_status st;

	if (fstat(fd, &info) != 0)
		return cannot_read(f, err);
	f->size = info.st_size > 0 ? (uint64_t)info.st_size : 0;
	if (!S_ISREG(info.st_mode) || f->size < sizeof(magic))
		return na_fail(err, NA_EFORMAT,
			       "%s is no file that netan partial wrote",
			       f->path);
	if (!read_at(fd, 0, magic, sizeof(magic)))
		return cannot_read(f, err);
	if (memcmp(magic, NAP_MAGIC, sizeof(magic)) != 0)
		return na_fail(err, NA_EFORMAT,
			       "%s is no file that netan partial wrote",
			       f->path);
	if (f->size < NAP_MAGIC_BYTES + NAP_END_BYTES)
		return na_fail(err, NA_EFORMAT,
			       "%s is unfinished: it ends at byte %" PRIu64
			       " without its end mark; make it again",
			       f->path, f->size);
	st = read_head(f, fd, err);
	return st == NA_OK ? read_end(f, fd, err) : st;
}

enum na_status na_nap_open(struct na_nap *f, const char *path,
			   struct na_err *err)
{
	enum na_status st;
	int fd;

	*f = (struct na_nap){.path = path};
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cannot_read(f, err);
	na_inputs_add(fd);
	st = look_at(f, fd, err);
	close(fd);
	return st;
}

void na_nap_forget(struct na_nap *f)
{
	free(f->head.words);
	f->head.words = NULL;
	f->head.n_words = 0;
	f->head.version = NULL;
	na_arena_fini(&f->arena);
}

void na_nap_close(struct na_nap *f)
{
	na_nap_forget(f);
	*f = (struct na_nap){.path = NULL};
}

/* ---- messages */

/* The block of the next byte into b; NA_END: there is none. */
static enum na_status at_next(struct na_nap *f, struct na_nap_block *b,
			      struct na_err *err)
{
	enum na_status st = NA_OK;
	int fd = -1;

	for (;;) {
		if (f->at == f->size - NAP_END_BYTES) {
			st = NA_END;
			break;
		}
		if (b->of != f || b->at != f->at) {
			fd = fd < 0 ? open(f->path, O_RDONLY | O_CLOEXEC) : fd;
			st = fd < 0 ? cannot_read(f, err)
				    : load(f, fd, f->at, NAP_BYTES, b, err);
		}
		if (st != NA_OK || f->used < b->n)
			break;
		f->at = b->next;
		f->used = 0;
	}
	if (fd >= 0)
		close(fd);
	return st;
}

static enum na_status cut_off(const struct na_nap *f, struct na_err *err)
{
	return damaged(f, f->at, "a message is cut off", err);
}

static enum na_status take(struct na_nap *f, struct na_nap_block *b,
			   uint8_t *to, size_t n, struct na_err *err)
{
	while (n) {
		enum na_status st = at_next(f, b, err);
		size_t some;

		if (st != NA_OK)
			return st == NA_END ? cut_off(f, err) : st;
		some = b->n - (size_t)f->used;
		if (some > n)
			some = n;
		memcpy(to, b->p + f->used, some);
		f->used += some;
		to += some;
		n -= some;
	}
	return NA_OK;
}

static enum na_status take_length(struct na_nap *f, struct na_nap_block *b,
				  uint64_t *n, struct na_err *err)
{
	uint8_t v[10];
	size_t k = 0;
	struct na_cursor c;

	do {
		enum na_status st = take(f, b, &v[k], 1, err);

		if (st != NA_OK)
			return st;
	} while (v[k++] & 0x80 && k < sizeof(v));
	c = na_cursor_of(v, k);
	/* The blocks that are left hold no more. */
	if (!na_varint(&c, n) || *n > (f->size - f->at) * NAP_RATIO)
		return damaged(f, f->at, "a message is longer than the file",
			       err);
	return NA_OK;
}

enum na_status na_nap_next(struct na_nap *f, struct na_nap_block *b, void **p,
			   size_t *n, struct na_err *err)
{
	enum na_status st = at_next(f, b, err);
	uint64_t length = 0;

	*p = NULL;
	if (st == NA_END && f->heard != f->messages)
		return damaged(f, f->at, "it holds not all of its messages",
			       err);
	if (st == NA_OK)
		st = take_length(f, b, &length, err);
	if (st != NA_OK)
		return st;
	*p = malloc(length + !length);
	if (!*p)
		return na_fail_nomem(err);
	*n = (size_t)length;
	f->heard++;
	st = take(f, b, *p, *n, err);
	if (st != NA_OK) {
		free(*p);
		*p = NULL;
	}
	return st;
}
