/* A whole file again, when all names in it are known. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "ingest/bytes/wire.h"
#include "ingest/transfer_file/file.h"

/* "bytes", and behind it the same packed (na_xf_put_packed()). */
struct packed {
	uint64_t kind, n, bytes;
	struct na_cursor zstd;
};

/* NULL: no memory, or it is not ours. */
static uint8_t *unpacked(const struct packed *x)
{
	size_t left = x->zstd.p ? na_left(&x->zstd) : 0;
	unsigned long long is = ZSTD_getFrameContentSize(x->zstd.p, left);
	uint8_t *p = left && is == x->bytes && is <= XF_MAX_PROGRAM_BYTES
			     ? malloc((size_t)is + 1)
			     : NULL;

	if (p && ZSTD_decompress(p, (size_t)is, x->zstd.p, left) == is)
		return p;
	free(p);
	return NULL;
}

static void hide_packed(struct na_xfer_file *f, const struct na_xf_texts *texts,
			const struct packed *x, struct na_xf_bytes *to)
{
	*to = (struct na_xf_bytes){.p = unpacked(x), .n = (size_t)x->bytes};
	to->cap = to->n;
	to->failed = !to->p;
	if (to->p)
		na_xf_hide(&f->hiding, texts, to);
	else
		to->n = to->cap = 0;
}

static void put_section(struct na_xfer_file *f, const struct na_field *section,
			struct na_xf_bytes *to)
{
	struct na_xf_bytes names;
	struct packed x = {.kind = 0};
	struct na_cursor c = section->body;
	struct na_field g;

	while (na_field_next(&c, &g) == NA_NEXT_FIELD) {
		if (g.tag == NA_TAG(1, NA_W_VARINT))
			x.kind = g.value;
		else if (g.tag == NA_TAG(2, NA_W_VARINT))
			x.n = g.value;
		else if (g.tag == NA_TAG(3, NA_W_VARINT))
			x.bytes = g.value;
		else if (g.tag == NA_TAG(4, NA_W_BYTES))
			x.zstd = g.body;
	}
	if (x.kind != XF_NAMES) {
		na_xf_put_field(to, 1, section->body.p,
				na_left(&section->body));
		return;
	}
	hide_packed(f, na_xf_name_texts, &x, &names);
	na_xf_put_section(to, f->z, XF_NAMES, x.n, &names);
	to->failed |= names.failed;
	na_xf_bytes_fini(&names);
}

static void put_program(struct na_xfer_file *f, const struct na_field *program,
			struct na_xf_bytes *to)
{
	struct na_xf_bytes m = {.p = NULL}, hlo;
	struct packed x = {.kind = 0};
	struct na_cursor c = program->body;
	struct na_field g;

	for (const uint8_t *from = c.p; na_field_next(&c, &g) == NA_NEXT_FIELD;
	     from = c.p) {
		if (g.tag == NA_TAG(3, NA_W_VARINT))
			x.bytes = g.value;
		else if (g.tag == NA_TAG(4, NA_W_BYTES))
			x.zstd = g.body;
		else
			na_xf_put(&m, from, (size_t)(c.p - from));
	}
	hide_packed(f, na_xf_hlo_texts, &x, &hlo);
	na_xf_put_packed(&m, NULL, 3, &hlo);
	to->failed |= hlo.failed;
	na_xf_bytes_fini(&hlo);
	na_xf_put_message(to, 7, &m);
}

/* Fields `own` of a message by `put`, the others as they are. */
static void put_but(struct na_xfer_file *f, struct na_cursor c, uint32_t own,
		    void (*put)(struct na_xfer_file *f,
				const struct na_field *x,
				struct na_xf_bytes *to),
		    struct na_xf_bytes *to)
{
	struct na_field x;

	for (const uint8_t *from = c.p; na_field_next(&c, &x) == NA_NEXT_FIELD;
	     from = c.p) {
		if (x.tag == NA_TAG(own, NA_W_BYTES))
			put(f, &x, to);
		else
			na_xf_put(to, from, (size_t)(c.p - from));
	}
}

static void put_content(struct na_xfer_file *f, const struct na_field *x,
			struct na_xf_bytes *to)
{
	static const struct na_xf_texts texts[] = {{2, na_xf_count_texts},
						   {0, NULL}};
	struct na_xf_bytes m = {.p = NULL};

	put_but(f, x->body, 1, put_section, &m);
	na_xf_hide(&f->hiding, texts, &m);
	na_xf_put_message(to, 5, &m);
}

static void put_source_end(struct na_xfer_file *f, const struct na_field *x,
			   struct na_xf_bytes *to)
{
	struct na_xf_bytes m = {.p = NULL};

	put_but(f, x->body, 7, put_program, &m);
	na_xf_hide(&f->hiding, na_xf_source_texts, &m);
	na_xf_put_message(to, 6, &m);
}

/* Behind its checksum. */
static void put_rest(struct na_xfer_file *f, struct na_cursor c,
		     struct na_xf_bytes *to)
{
	static const struct na_xf_texts texts[] = {{4, na_xf_header_texts},
						   {0, NULL}};
	struct na_field x;

	for (const uint8_t *from = c.p; na_field_next(&c, &x) == NA_NEXT_FIELD;
	     from = c.p) {
		if (x.tag == NA_TAG(1, NA_W_FIXED32))
			continue;
		if (x.tag == NA_TAG(5, NA_W_BYTES))
			put_content(f, &x, to);
		else if (x.tag == NA_TAG(6, NA_W_BYTES))
			put_source_end(f, &x, to);
		else
			na_xf_put(to, from, (size_t)(c.p - from));
	}
	na_xf_hide(&f->hiding, texts, to);
}

enum na_status na_xfer_hide_again(const void *p, size_t n,
				  struct na_pseudonyms *names,
				  na_xfer_write write, void *ctx,
				  uint64_t *bytes, struct na_err *err)
{
	struct na_xfer_file *f = na_xf_begin(write, ctx, names, err);
	enum na_status st = f ? NA_OK : err->status;
	struct na_cursor c = na_cursor_of(p, n);
	struct na_field x;

	while (st == NA_OK && na_field_next(&c, &x) == NA_NEXT_FIELD) {
		struct na_xf_bytes rest = {.p = NULL};

		if (x.tag != NA_TAG(3, NA_W_BYTES))
			continue; /* magic, sync */
		put_rest(f, x.body, &rest);
		st = na_xf_put_block(f, &rest, err);
	}
	if (f)
		*bytes = f->counts.bytes;
	na_xfer_free(f);
	return st;
}
