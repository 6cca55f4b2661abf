#include "ingest/capture/slice/bare.h"

enum { HEAD = 8, TAIL = 4 }; /* of a block: type and length, length */

/* Behind the head: what is no option, and which options stay (bits). */
static const struct {
	uint32_t fixed, options;
} shapes[] = {
	[NA_BLOCK_SECTION] = {16, 0},
	[NA_BLOCK_INTERFACE] = {8, 1 << 9 | 1 << 13 | 1 << 14},
	[NA_BLOCK_STATISTICS] = {12, 0x1fc},
	[NA_BLOCK_OTHER] = {0, 0},
	[NA_BLOCK_PACKET] = {0, 0},
};

/* The block that begins at byte `start` of what is written ends. */
static void end_block(struct na_xf_bytes *to, size_t start, bool big)
{
	uint32_t n = (uint32_t)(to->n - start) + TAIL;

	na_cut_add32(to, n, big);
	if (!to->failed)
		na_cut_set32(to->p + start + 4, n, big);
}

void na_cut_bare_record(struct na_xf_bytes *to, const struct na_hide *h,
			const struct na_capfile *f, const uint8_t *from,
			const struct na_record *r)
{
	static const uint8_t padding[4];
	size_t start = to->n, data;

	na_xf_put(to, from, (size_t)(r->data - from));
	data = to->n;
	na_xf_put(to, r->data, r->captured_bytes);
	if (!to->failed && r->captured_bytes)
		na_hide_packet(h, r, to->p + data);
	if (!f->ng)
		return;
	na_xf_put(to, padding, -r->captured_bytes & 3);
	end_block(to, start, f->big);
}

void na_cut_bare_block(struct na_xf_bytes *to, const uint8_t *from, size_t n,
		       const struct na_capfile_block *b)
{
	size_t fixed = HEAD + shapes[b->kind].fixed, start = to->n;
	struct na_cursor c = na_cursor_of(from, n - TAIL);
	struct na_capfile_option o;

	if (!shapes[b->kind].fixed || !na_skip(&c, fixed))
		return;
	na_xf_put(to, from, fixed);
	if (b->kind == NA_BLOCK_SECTION && !to->failed)
		memset(to->p + start + 16, 0xff, 8); /* it is shorter now */
	while (na_capfile_option(&c, b->big, &o)) {
		if (o.code < 32 && shapes[b->kind].options >> o.code & 1)
			na_xf_put(to, o.at, (size_t)(o.end - o.at));
	}
	end_block(to, start, b->big);
}
