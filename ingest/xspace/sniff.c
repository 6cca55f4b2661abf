/*
 * Is this an XSpace?  docs/formats.md, "XSpace"; the first bytes of other
 * formats, pcapng among them, were tried before.
 */
#include <string.h>

#include "ingest/xspace/xspace.h"

const char na_xs_damaged_by_text[] =
	"a binary file damaged by a text conversion (many U+FFFD "
	"replacement characters); copy it again as binary";

/* Bytes that are no UTF-8 become EF BF BD when a file passes through a
 * text conversion. */
bool na_xs_text_damaged(const uint8_t *head, size_t n)
{
	size_t triples = 0, at = 0;
	const uint8_t *p;

	while (n - at >= 3 && (p = memchr(head + at, 0xef, n - at - 2))) {
		triples += p[1] == 0xbf && p[2] == 0xbd;
		at = (size_t)(p - head) + 1;
	}
	return n >= 64 && triples * 3 * 100 > n;
}

static bool plane_tag(uint8_t tag)
{
	return tag == NA_TAG(1, NA_W_VARINT) ||
	       ((tag & 7) == NA_W_BYTES && tag >> 3 >= 2 && tag >> 3 <= 6);
}

/* What tells an XSpace from a HloProto, which also begins with 0a: the
 * first field of the first plane is no string.  A field may reach beyond
 * the bytes at hand; its tag must be a plane's all the same. */
static bool plane_body(struct na_cursor c)
{
	struct na_field f;

	for (int i = 0; i < 3 && c.p != c.end; i++) {
		if (i == 0 && !plane_tag(*c.p))
			return false;
		if (na_field_next(&c, &f) != NA_NEXT_FIELD)
			return plane_tag(*c.p);
		if (f.tag == NA_TAG(2, NA_W_BYTES) &&
		    memchr(f.body.p, 0, na_left(&f.body)))
			return false;
	}
	return true;
}

static bool space_tag(uint8_t tag)
{
	return tag == 0x0a || tag == 0x12 || tag == 0x1a || tag == 0x22;
}

/* Any field may follow the first: unknown ones are skipped. */
static bool any_tag(uint8_t tag)
{
	unsigned wire = tag & 7;

	return tag >= 8 && (wire <= NA_W_BYTES || wire == NA_W_FIXED32);
}

/* A text may begin with a newline, which is the tag of a plane; but no
 * plane is without control characters: its name's tag is one. */
static bool all_text(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (head[i] < 0x20 && !(head[i] >= '\t' && head[i] <= '\r'))
			return false;
	}
	return true;
}

enum na_sniff na_xs_sniff(const uint8_t *head, size_t n, uint64_t size,
			  const char **why)
{
	struct na_cursor c = na_cursor_of(head, n);
	uint64_t length;

	(void)size;
	if (!n || !space_tag(head[0]) || all_text(head, n))
		return NA_SNIFF_NO;
	if (na_xs_text_damaged(head, n)) {
		*why = na_xs_damaged_by_text;
		return NA_SNIFF_DAMAGED;
	}
	na_skip(&c, 1);
	if (!na_varint(&c, &length))
		return NA_SNIFF_NO;
	if (head[0] != 0x0a)
		return length < na_left(&c) && !any_tag(c.p[length])
			       ? NA_SNIFF_NO
			       : NA_SNIFF_YES;
	/* Damage behind a good first plane is the survey's to report. */
	na_clip(&c, length);
	return plane_body(c) ? NA_SNIFF_YES : NA_SNIFF_NO;
}
