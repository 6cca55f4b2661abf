#include "ingest/bytes/inflate.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct na_inflate {
	enum na_packing packing;
	bool ended; /* between members */
	struct inflate_state *gzip;
	ZSTD_DStream *zstd;
};

enum na_packing na_packing_of(const uint8_t *head, size_t n)
{
	if (n >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return NA_GZIP;
	if (n >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0)
		return NA_ZSTD;
	return NA_PLAIN;
}

const char *na_packing_name(enum na_packing p)
{
	return p == NA_GZIP ? "gzip" : p == NA_ZSTD ? "zstd" : NULL;
}

static void restart_gzip(struct inflate_state *s)
{
	isal_inflate_init(s);
	s->crc_flag = ISAL_GZIP; /* header, trailer and checksum */
}

struct na_inflate *na_inflate_new(enum na_packing p)
{
	struct na_inflate *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->packing = p;
	if (p == NA_GZIP) {
		z->gzip = calloc(1, sizeof(*z->gzip));
		if (z->gzip)
			restart_gzip(z->gzip);
	} else {
		z->zstd = ZSTD_createDStream();
	}
	if (!z->gzip && !z->zstd) {
		free(z);
		return NULL;
	}
	return z;
}

void na_inflate_free(struct na_inflate *z)
{
	if (!z)
		return;
	free(z->gzip);
	ZSTD_freeDStream(z->zstd);
	free(z);
}

bool na_inflate_at_end(const struct na_inflate *z)
{
	return z->ended;
}

static uint32_t clamp32(size_t n)
{
	return n > (1u << 30) ? 1u << 30 : (uint32_t)n;
}

static const char *gzip_problem(int code)
{
	switch (code) {
	case ISAL_INVALID_WRAPPER:
		return "not a gzip header";
	case ISAL_INCORRECT_CHECKSUM:
		return "checksum does not match";
	case ISAL_INVALID_LOOKBACK:
		return "reference before the start";
	default:
		return "invalid block";
	}
}

static enum na_status step_gzip(struct na_inflate *z, const uint8_t **in,
				const uint8_t *in_end, uint8_t *out, size_t n,
				size_t *made, struct na_err *err)
{
	struct inflate_state *s = z->gzip;
	const uint8_t *p = *in;
	int code;

	if (z->ended) {
		if (p == in_end || *p != 0x1f)
			return NA_END; /* padding behind the last member */
		restart_gzip(s);
		z->ended = false;
	}
	/* ISA-L takes a mutable pointer and does not write to it. */
	memcpy(&s->next_in, &p, sizeof(p));
	s->avail_in = clamp32((size_t)(in_end - p));
	s->next_out = out;
	s->avail_out = clamp32(n);
	code = isal_inflate(s);
	*in = s->next_in;
	*made = (size_t)(s->next_out - out);
	if (code < 0 || code == ISAL_NEED_DICT)
		return na_fail(err, NA_EFORMAT, "gzip: %s", gzip_problem(code));
	z->ended = s->block_state == ISAL_BLOCK_FINISH;
	return NA_OK;
}

static enum na_status step_zstd(struct na_inflate *z, const uint8_t **in,
				const uint8_t *in_end, uint8_t *out, size_t n,
				size_t *made, struct na_err *err)
{
	ZSTD_inBuffer src = {*in, (size_t)(in_end - *in), 0};
	ZSTD_outBuffer dst = {out, n, 0};
	size_t code;

	if (z->ended && *in == in_end)
		return NA_END;
	code = ZSTD_decompressStream(z->zstd, &dst, &src);
	*in += src.pos;
	*made = dst.pos;
	if (ZSTD_isError(code))
		return na_fail(err, NA_EFORMAT, "zstd: %s",
			       ZSTD_getErrorName(code));
	z->ended = code == 0;
	return NA_OK;
}

enum na_status na_inflate_step(struct na_inflate *z, const uint8_t **in,
			       const uint8_t *in_end, uint8_t *out, size_t n,
			       size_t *made, struct na_err *err)
{
	*made = 0;
	if (z->packing == NA_GZIP)
		return step_gzip(z, in, in_end, out, n, made, err);
	return step_zstd(z, in, in_end, out, n, made, err);
}

bool na_inflate_small(const uint8_t *p, size_t left, char *out, size_t *n)
{
	struct na_inflate *z;
	struct na_err err = {.status = NA_OK};
	const uint8_t *end = p + left;
	size_t made = 0;
	bool ok;

	if (na_packing_of(p, left) != NA_GZIP)
		return false;
	z = na_inflate_new(NA_GZIP);
	if (!z)
		return false;
	ok = na_inflate_step(z, &p, end, (uint8_t *)out, *n, &made, &err) ==
		     NA_OK &&
	     na_inflate_at_end(z);
	na_inflate_free(z);
	*n = made;
	return ok;
}
