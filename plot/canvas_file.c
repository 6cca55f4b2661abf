/*
 * What netan adds to the files that cairo makes.
 *
 * PNG (Portable Network Graphics Specification, third edition, section 5.3
 * and 11.3): after the signature and IHDR, which is always first,
 *
 *	length   4 bytes, big endian, of the data alone
 *	type     "sRGB" "tEXt" "iTXt"
 *	data     tEXt: keyword NUL latin-1
 *	         iTXt: keyword NUL 0 0 NUL NUL utf-8
 *	crc      4 bytes, CRC-32 of type and data
 */
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "netan/base/vec.h"
#include "plot/canvas_impl.h"

#define PNG_HEAD (8 + 4 + 4 + 13 + 4) /* signature, IHDR */

void na_bytes_add(struct na_bytes *b, const void *p, size_t n)
{
	if (b->failed || !n)
		return;
	if (n > SIZE_MAX - b->n || !na_grow(&b->p, &b->cap, b->n + n, 1)) {
		b->failed = true;
		return;
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_be32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

static void add_chunk(struct na_bytes *to, const char *type,
		      const unsigned char *data, size_t n)
{
	unsigned char number[4];
	uLong crc = crc32(0, (const unsigned char *)type, 4);

	crc = crc32(crc, data, (uInt)n);
	put_be32(number, (uint32_t)n);
	na_bytes_add(to, number, 4);
	na_bytes_add(to, type, 4);
	na_bytes_add(to, data, n);
	put_be32(number, (uint32_t)crc);
	na_bytes_add(to, number, 4);
}

/* Latin-1 of clean UTF-8 into to, which has room; false: it has characters
 * beyond. */
static bool to_latin1(unsigned char *to, size_t *n, const char *s)
{
	for (*n = 0; *s; s++) {
		unsigned char b = (unsigned char)*s;

		if (b >= 0x80) {
			if (b > 0xc3)
				return false;
			b = (unsigned char)((b & 3) << 6 | (*++s & 0x3f));
		}
		to[(*n)++] = b;
	}
	return true;
}

static void add_text(struct na_bytes *to, const char *keyword, const char *s)
{
	unsigned char data[5 * NA_TEXT_MAX];
	char text[4 * NA_TEXT_MAX];
	size_t key = strlen(keyword) + 1, n;

	na_text_clean(text, sizeof(text), s);
	if (!*text)
		return;
	memcpy(data, keyword, key);
	if (to_latin1(data + key, &n, text)) {
		add_chunk(to, "tEXt", data, key + n);
		return;
	}
	n = strlen(text);
	memset(data + key, 0, 4); /* not compressed, no language */
	memcpy(data + key + 4, text, n);
	add_chunk(to, "iTXt", data, key + 4 + n);
}

bool na_png_dress(struct na_bytes *to, const unsigned char *png, size_t n,
		  const struct na_canvas *c)
{
	static const unsigned char perceptual = 0;
	const char *version = c->info.version;
	char text[4 * NA_TEXT_MAX];

	if (n < PNG_HEAD || memcmp(png, "\x89PNG\r\n\x1a\n", 8) != 0 ||
	    memcmp(png + 12, "IHDR", 4) != 0)
		return false;
	na_bytes_add(to, png, PNG_HEAD);
	add_chunk(to, "sRGB", &perceptual, 1);
	snprintf(text, sizeof(text), "netan %s", version ? version : "");
	add_text(to, "Software", text);
	snprintf(text, sizeof(text), "%s%s%s", c->title, *c->desc ? ". " : "",
		 c->desc);
	add_text(to, "Description", text);
	add_text(to, "Command", c->info.command);
	na_bytes_add(to, png + PNG_HEAD, n - PNG_HEAD);
	return true;
}

void na_bytes_text(struct na_bytes *to, const char *s)
{
	na_bytes_add(to, s, strlen(s));
}

void na_svg_words(struct na_bytes *to, const char *s)
{
	for (; *s; s++) {
		if (*s == '&')
			na_bytes_text(to, "&amp;");
		else if (*s == '<')
			na_bytes_text(to, "&lt;");
		else if (*s == '>')
			na_bytes_text(to, "&gt;");
		else
			na_bytes_add(to, s, 1);
	}
}

static void add_element(struct na_bytes *to, const char *name, const char *s)
{
	na_bytes_text(to, "<");
	na_bytes_text(to, name);
	na_bytes_text(to, ">");
	na_svg_words(to, s);
	na_bytes_text(to, "</");
	na_bytes_text(to, name);
	na_bytes_text(to, ">\n");
}

bool na_svg_dress(struct na_bytes *to, const unsigned char *svg, size_t n,
		  const struct na_canvas *c)
{
	static const char id[] = "<g id=\"surface";
	const unsigned char *end = svg + n, *root, *close, *group, *quote;

	root = memmem(svg, n, "<svg", 4);
	if (!root)
		return false;
	close = memchr(root, '>', (size_t)(end - root));
	if (!close)
		return false;
	na_bytes_add(to, svg, (size_t)(close - svg));
	na_bytes_text(to, " role=\"img\">\n");
	add_element(to, "title", c->title);
	if (*c->desc)
		add_element(to, "desc", c->desc);
	svg = close + 1;
	group = memmem(svg, (size_t)(end - svg), id, sizeof(id) - 1);
	if (group) {
		quote = memchr(group + sizeof(id), '"',
			       (size_t)(end - group) - sizeof(id));
		if (!quote)
			return false;
		na_bytes_add(to, svg, (size_t)(group + 2 - svg));
		svg = quote + 1;
	}
	na_bytes_add(to, svg, (size_t)(end - svg));
	return true;
}
