#include "netan/cli/commands/slice_out.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "netan/engine/parallel.h"

enum { GZIP_WINDOW = 15 + 16, CHUNK_BYTES = 1 << 18 };

struct na_slice_zip {
	z_stream z;
	uint8_t out[CHUNK_BYTES];
};

static bool is_packed(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && strcmp(name + n - 3, ".gz") == 0;
}

enum na_status na_slice_out_begin(struct na_slice_out *o, FILE *stream,
				  const char *name, struct na_err *err)
{
	*o = (struct na_slice_out){.stream = stream, .name = name};
	if (!is_packed(name))
		return NA_OK;
	o->zip = calloc(1, sizeof(*o->zip));
	if (o->zip && deflateInit2(&o->zip->z, 6, Z_DEFLATED, GZIP_WINDOW, 8,
				   Z_DEFAULT_STRATEGY) == Z_OK)
		return NA_OK;
	free(o->zip);
	o->zip = NULL;
	return na_fail_nomem(err);
}

void na_slice_out_drop(struct na_slice_out *o)
{
	if (o->zip)
		deflateEnd(&o->zip->z);
	free(o->zip);
	o->zip = NULL;
}

/* Through memory of our own: where the input is mapped, and lost by now, the
 * system would not write it. */
static bool put_part(struct na_slice_out *o, const uint8_t *p, size_t n)
{
	memcpy(o->part, p, n);
	return fwrite(o->part, 1, n, o->stream) == n;
}

static enum na_status put_plain(struct na_slice_out *o, const void *bytes,
				size_t n, struct na_err *err)
{
	const uint8_t *p = bytes;
	size_t part;
	bool ok = true;

	o->bytes += n;
	for (; ok && n; n -= part, p += part) {
		part = n < sizeof(o->part) ? n : sizeof(o->part);
		ok = put_part(o, p, part);
	}
	if (ok)
		return NA_OK;
	if (errno == EPIPE) {
		clearerr(o->stream);
		return na_fail(err, NA_END, "closed");
	}
	return na_fail(err, NA_EIO, "cannot write %s: %s", o->name,
		       strerror(errno));
}

/* zlib counts in 32 bits. */
static enum na_status put_packed(struct na_slice_out *o, const uint8_t *p,
				 size_t n, bool last, struct na_err *err)
{
	struct na_slice_zip *x = o->zip;
	enum na_status st = NA_OK;

	do {
		size_t part = n < CHUNK_BYTES ? n : CHUNK_BYTES;

		memcpy(&x->z.next_in, &p, sizeof(p));
		x->z.avail_in = (uInt)part;
		do {
			x->z.next_out = x->out;
			x->z.avail_out = CHUNK_BYTES;
			deflate(&x->z, last ? Z_FINISH : Z_NO_FLUSH);
			st = put_plain(o, x->out, CHUNK_BYTES - x->z.avail_out,
				       err);
		} while (st == NA_OK && !x->z.avail_out);
		p += part;
		n -= part;
	} while (st == NA_OK && n);
	return st;
}

enum na_status na_slice_out_put(void *ctx, const void *p, size_t n,
				struct na_err *err)
{
	struct na_slice_out *o = ctx;

	if (na_interrupted())
		return na_fail(err, NA_END, "interrupted");
	return o->zip ? put_packed(o, p, n, false, err)
		      : put_plain(o, p, n, err);
}

enum na_status na_slice_out_finish(struct na_slice_out *o, struct na_err *err)
{
	static const uint8_t nothing;
	enum na_status st = NA_OK;

	if (o->zip)
		st = put_packed(o, &nothing, 0, true, err);
	na_slice_out_drop(o);
	return st;
}
