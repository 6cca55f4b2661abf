#include "ingest/capture/write.h"

#include <string.h>

/* Little-endian whatever the machine: the same packets, the same bytes. */
static uint8_t *u16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	return p + 2;
}

static uint8_t *u32(uint8_t *p, uint32_t v)
{
	return u16(u16(p, v & 0xffff), v >> 16);
}

static uint8_t *option(uint8_t *p, uint32_t code, const void *value, size_t n)
{
	p = u16(u16(p, code), (uint32_t)n);
	memcpy(p, value, n);
	memset(p + n, 0, 3);
	return p + (n + 3) / 4 * 4;
}

/* The length of a block stands at both of its ends. */
static size_t close_block(uint8_t *block, uint8_t *end)
{
	uint32_t n = (uint32_t)(end - block) + 4;

	u32(block + 4, n);
	u32(end, n);
	return n;
}

static size_t ng_head(uint8_t *out, const struct na_capture_head *h)
{
	size_t name = h->interface ? strnlen(h->interface, 255) : 0, n;
	static const uint8_t resolution = 9; /* 10^-9 s */
	uint8_t *p = u32(out, 0x0a0d0d0a), *block;

	p = u32(u32(p, 0), 0x1a2b3c4d);
	p = u16(u16(p, 1), 0);
	p = u32(u32(p, UINT32_MAX), UINT32_MAX); /* length: not told */
	n = close_block(out, p);
	block = out + n;
	p = u32(u32(block, 1), 0);
	p = u16(u16(p, h->link), 0);
	p = u32(p, h->snap_bytes);
	if (name)
		p = option(p, 2, h->interface, name);
	p = option(p, 9, &resolution, 1);
	p = option(p, 0, "", 0);
	return n + close_block(block, p);
}

size_t na_capture_head(uint8_t out[NA_CAPTURE_HEAD],
		       const struct na_capture_head *h)
{
	uint8_t *p = out;

	if (h->ng)
		return ng_head(out, h);
	p = u16(u16(u32(p, 0xa1b23c4d), 2), 4);
	p = u32(u32(p, 0), 0);
	p = u32(u32(p, h->snap_bytes), h->link);
	return (size_t)(p - out);
}

static size_t padding(const struct na_record *r)
{
	return (4 - r->captured_bytes % 4) % 4;
}

size_t na_capture_before(uint8_t out[NA_CAPTURE_RECORD], bool ng,
			 const struct na_record *r)
{
	uint64_t ns = (uint64_t)r->time_ns;
	uint8_t *p = out;

	if (ng) {
		p = u32(p, 6);
		p = u32(p, (uint32_t)(32 + r->captured_bytes + padding(r)));
		p = u32(p, 0);
		p = u32(u32(p, (uint32_t)(ns >> 32)), (uint32_t)ns);
	} else {
		p = u32(p, (uint32_t)(ns / 1000000000));
		p = u32(p, (uint32_t)(ns % 1000000000));
	}
	p = u32(u32(p, r->captured_bytes), r->wire_bytes);
	return (size_t)(p - out);
}

size_t na_capture_behind(uint8_t out[8], bool ng, const struct na_record *r)
{
	size_t pad = padding(r);

	if (!ng)
		return 0;
	memset(out, 0, pad);
	u32(out + pad, (uint32_t)(32 + r->captured_bytes + pad));
	return pad + 4;
}

size_t na_capture_tail(uint8_t out[NA_CAPTURE_HEAD], bool ng, int64_t time_ns,
		       uint64_t received, uint64_t dropped)
{
	uint64_t ns = (uint64_t)time_ns;
	uint8_t *p = out, value[8];

	if (!ng)
		return 0;
	p = u32(u32(p, 5), 0);
	p = u32(p, 0);
	p = u32(u32(p, (uint32_t)(ns >> 32)), (uint32_t)ns);
	u32(u32(value, (uint32_t)received), (uint32_t)(received >> 32));
	p = option(p, 4, value, 8);
	u32(u32(value, (uint32_t)dropped), (uint32_t)(dropped >> 32));
	p = option(p, 5, value, 8);
	p = option(p, 0, "", 0);
	return close_block(out, p);
}
