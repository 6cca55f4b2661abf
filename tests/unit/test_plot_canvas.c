#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "netan/base/text.h"
#include "plot/canvas.h"

/* Marks that a name might bring: markup, an escape sequence, a bidirectional
 * override, bytes that are no UTF-8, a character that XML refuses. */
#define HOSTILE "<b>&\"'\x1b[31m\xe2\x80\xae\xff\xc3(\xef\xbf\xbe\r\n</title>"

static const struct na_canvas_info info = {
	.width = 640,
	.height = 360,
	.scale = 1,
	.version = "0.1.0",
	.command = "netan timeline -o x.png trace.pb",
	.id = "fig-1"};

static const struct na_color ink = {20, 30, 40, 255};

static void draw(struct na_canvas *c, const char *title, const char *desc)
{
	/* clang-format off */
	const struct na_point p[] = {
		{10, 20}, {100, 50}, {NAN, NAN}, {120, 50}, {200, 9}};
	const struct na_pen pen = {ink, 1.5, NA_DASHED};
	const struct na_font font = {.size = 13, .color = ink, .bold = true};

	na_draw_rect(c, (struct na_box){0, 0, 640, 360}, ink);
	na_draw_polyline(c, p, 5, &pen);
	na_draw_area(c, p, 5, na_fade(ink, 0.5));
	na_draw_hatch(c, (struct na_box){10, 10, 40, 30}, 6, &pen);
	na_clip(c, (struct na_box){0, 0, 50, 50});
	na_draw_line(c, 0, 0, 100, 100, &pen);
	na_unclip(c);
	na_draw_text(c, 50, 80, title, &font);
	na_canvas_describe(c, title, desc);
}

/* The file, to be freed. */
static char *picture(const char *format, const struct na_canvas_info *how,
		     const char *title, const char *desc, size_t *n)
{
	struct na_err err = {.status = NA_OK};
	struct na_canvas *c;
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, n);

	assert_non_null(out);
	assert_int_equal(na_canvas_open(&c, format, how, out, &err), NA_OK);
	draw(c, title, desc);
	assert_int_equal(na_canvas_finish(c, &err), NA_OK);
	na_canvas_free(c);
	assert_int_equal(fclose(out), 0);
	return bytes;
}

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

/* Walks the chunks, checks their sums, and returns the data of the one with
 * this type and these first bytes. */
static const unsigned char *find_chunk(const char *png, size_t n,
				       const char *type, const char *key,
				       size_t *len)
{
	const unsigned char *p = (const unsigned char *)png + 8;
	const unsigned char *end = (const unsigned char *)png + n;
	const unsigned char *found = NULL;
	size_t key_len = strlen(key) + (*key ? 1 : 0);

	assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
	while (p < end) {
		size_t size;

		assert_true(end - p >= 12);
		size = be32(p);
		assert_true((size_t)(end - p) - 12 >= size);
		assert_int_equal(be32(p + 8 + size),
				 crc32(0, p + 4, (uInt)(size + 4)));
		if (memcmp(p + 4, type, 4) == 0 && size >= key_len &&
		    memcmp(p + 8, key, key_len) == 0) {
			found = p + 8;
			*len = size;
		}
		p += 12 + size;
	}
	return found;
}

static void test_png_chunks(void **state)
{
	const unsigned char *data;
	size_t n, len;
	char *png = picture("png", &info, "Mean 3 \xc3\x97 4",
			    "Gr\xc3\xb6\xc3\x9f"
			    "e",
			    &n);

	(void)state;
	data = find_chunk(png, n, "IHDR", "", &len);
	assert_non_null(data);
	assert_int_equal(be32(data), 640);
	assert_int_equal(be32(data + 4), 360);
	data = find_chunk(png, n, "sRGB", "", &len);
	assert_non_null(data);
	assert_int_equal(len, 1);
	assert_int_equal(data[0], 0);
	data = find_chunk(png, n, "tEXt", "Software", &len);
	assert_non_null(data);
	assert_memory_equal(data + 9, "netan 0.1.0", len - 9);
	data = find_chunk(png, n, "tEXt", "Command", &len);
	assert_non_null(data);
	assert_memory_equal(data + 8, info.command, len - 8);
	data = find_chunk(png, n, "tEXt", "Description", &len);
	assert_non_null(data);
	assert_int_equal(len - 12, 17);
	assert_memory_equal(data + 12,
			    "Mean 3 \xd7 4. Gr\xf6\xdf"
			    "e",
			    17);
	assert_non_null(find_chunk(png, n, "IEND", "", &len));
	free(png);
}

static void test_png_beyond_latin1(void **state)
{
	const unsigned char *data;
	size_t n, len;
	char *png = picture("png", &info, "\xe6\x97\xa5\xe6\x9c\xac", "", &n);

	(void)state;
	assert_null(find_chunk(png, n, "tEXt", "Description", &len));
	data = find_chunk(png, n, "iTXt", "Description", &len);
	assert_non_null(data);
	assert_int_equal(len, 12 + 4 + 6);
	assert_memory_equal(data + 12, "\0\0\0\0\xe6\x97\xa5\xe6\x9c\xac", 10);
	free(png);
}

static void test_png_scale(void **state)
{
	struct na_canvas_info big = info;
	const unsigned char *data;
	size_t n, len;
	char *png;

	(void)state;
	big.scale = 2;
	png = picture("png", &big, "t", "d", &n);
	data = find_chunk(png, n, "IHDR", "", &len);
	assert_non_null(data);
	assert_int_equal(be32(data), 1280);
	free(png);
}

static void test_svg_says_what_it_is(void **state)
{
	size_t n;
	char *svg = picture("svg", &info, "A < B & C", "1 > 0", &n);

	(void)state;
	assert_non_null(strstr(svg, " role=\"img\">\n"
				    "<title>A &lt; B &amp; C</title>\n"
				    "<desc>1 &gt; 0</desc>\n"));
	assert_null(strstr(svg, "id=\"surface"));
	assert_null(strstr(svg, "<text"));
	assert_null(strstr(svg, "href=\"http"));
	assert_null(strstr(svg, "<script"));
	free(svg);
}

static void check_hostile(const char *format)
{
	size_t n;
	char *svg = picture(format, &info, HOSTILE, HOSTILE, &n);

	assert_int_equal(strlen(svg), n);
	assert_true(na_utf8_valid(svg, n));
	for (size_t i = 0; i < n; i++)
		assert_true((unsigned char)svg[i] >= 0x20 || svg[i] == '\n');
	assert_null(strstr(svg, "<b>"));
	assert_null(strstr(svg, "\xe2\x80\xae"));
	assert_null(strstr(svg, "\xef\xbf\xbe"));
	/* One closing tag: the text could not close the element. */
	assert_null(strstr(strstr(svg, "</title>") + 1, "</title>"));
	free(svg);
}

static void test_svg_hostile_text(void **state)
{
	(void)state;
	check_hostile("svg");
	check_hostile("inline");
}

/* Both colours of a pair, and light ones alone where more differs. */
static void test_inline_schemes(void **state)
{
	static const struct na_color light = {255, 255, 255, 255},
				     dark = {17, 20, 24, 255};
	const struct na_box b = {1, 2, 11, 22}, moved = {1, 2, 11, 23};

	(void)state;
	for (int alike = 0; alike < 2; alike++) {
		struct na_canvas *x, *y;
		struct na_err err = {.status = NA_OK};
		char *bytes = NULL;
		bool paired;
		size_t n;
		FILE *out = open_memstream(&bytes, &n);

		assert_non_null(out);
		assert_int_equal(na_canvas_open(&x, "inline", &info, out, &err),
				 NA_OK);
		assert_int_equal(na_canvas_open(&y, "inline", &info, out, &err),
				 NA_OK);
		na_draw_rect(x, b, light);
		na_draw_rect(x, b, na_fade(ink, 0.5));
		na_draw_rect(x, b, light);
		na_draw_rect(y, b, dark);
		na_draw_rect(y, alike ? b : moved, na_fade(ink, 0.5));
		na_draw_rect(y, b, light);
		assert_int_equal(na_canvas_finish_both(x, y, &paired, &err),
				 NA_OK);
		na_canvas_free(x);
		na_canvas_free(y);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(paired, alike);
		assert_non_null(strstr(
			bytes, alike ? "#fig-1{--c0:#111418;--c1:#141e2880;"
				       "--c2:#ffffff;}}\n"
				     : "{#fig-1{--c0:#ffffff;--c1:#141e2880;}}"
				       "\n"));
		assert_non_null(strstr(bytes, alike ? "\"f2\"" : "\"f0\""));
		assert_non_null(strstr(bytes, "<path class=\"f1\" "
					      "d=\"M8 16h80v160h-80z\"/>\n"));
		free(bytes);
	}
}

static void test_inline_ids(void **state)
{
	static const char *const bad[] = {"",    "1a",   "-a",  "a b", "a\"b",
					  "a>b", "a\nb", "a#b", NULL};
	struct na_canvas_info how = info;
	struct na_err err = {.status = NA_OK};
	char *rules = NULL, *svg;
	struct na_canvas *c;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		how.id = bad[i];
		assert_int_equal(na_canvas_open(&c, "inline", &how, NULL, &err),
				 NA_EUSAGE);
	}
	how.id = info.id;
	how.style = open_memstream(&rules, &n);
	svg = picture("inline", &how, "t", "d", &n);
	assert_int_equal(fclose(how.style), 0);
	assert_null(strstr(svg, "<style"));
	assert_ptr_equal(strstr(rules, "#fig-1{--c0:"), rules);
	assert_non_null(
		strstr(svg, "aria-labelledby=\"fig-1-title fig-1-desc\""));
	assert_non_null(strstr(svg, "<use href=\"#fig-1-g0\"/>"));
	assert_non_null(strstr(svg, "clip-path=\"url(#fig-1-c0)\""));
	free(rules);
	free(svg);
}

static void test_same_bytes(void **state)
{
	static const char *const formats[] = {"png", "svg", "pdf", "ink",
					      "inline"};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		size_t n, m;
		char *a = picture(formats[i], &info, HOSTILE, "d", &n);
		char *b = picture(formats[i], &info, HOSTILE, "d", &m);

		assert_int_equal(n, m);
		assert_memory_equal(a, b, n);
		free(a);
		free(b);
	}
}

static void test_pdf(void **state)
{
	size_t n;
	char *pdf = picture("pdf", &info, "The message", "d", &n);

	(void)state;
	assert_memory_equal(pdf, "%PDF-1.", 7);
	assert_non_null(memmem(pdf, n, "/Title (The message)", 20));
	assert_non_null(memmem(pdf, n, "20000101000000Z", 15));
	free(pdf);
}

static void test_ink(void **state)
{
	size_t n;
	char *text = picture("ink", &info, "hello", "d", &n);

	(void)state;
	assert_memory_equal(text, "page 640 360\n", 13);
	assert_non_null(strstr(text, "\nline #141e28ff 1.5 dash 10.0,20.0 "
				     "100.0,50.0 - 120.0,50.0 200.0,9.0\n"));
	assert_non_null(strstr(text, "\narea #141e2880 "));
	assert_non_null(strstr(text, "\nclip 0.0 0.0 50.0 50.0\n"));
	/* 5 characters of 0.6 em. */
	assert_non_null(strstr(text, "\ntext #141e28ff 13.0 bold 50.0 70.1 "
				     "89.0 83.1 hello\n"));
	assert_non_null(strstr(text, "\ntitle hello\ndesc d\n"));
	free(text);
}

static void test_refuses(void **state)
{
	static const struct {
		const char *format;
		int width, height;
		double scale;
	} rows[] = {
		{"gif", 640, 360, 1},    {"svg", 10, 360, 1},
		{"svg", 640, -1, 1},     {"ink", 20000, 360, 1},
		{"png", 640, 360, 1000}, {"png", 640, 360, 0},
		{"png", 640, 360, -1},   {"png", 640, 360, NAN},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_err err = {.status = NA_OK};
		struct na_canvas_info bad = info;
		struct na_canvas *c;

		bad.width = rows[i].width;
		bad.height = rows[i].height;
		bad.scale = rows[i].scale;
		assert_int_equal(na_canvas_open(&c, rows[i].format, &bad,
						stdout, &err),
				 NA_EUSAGE);
		assert_null(c);
		assert_true(*err.text);
	}
}

static void test_full_disk(void **state)
{
	static const char *const formats[] = {"png", "svg", "pdf", "ink",
					      "inline"};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct na_err err = {.status = NA_OK};
		FILE *full = fopen("/dev/full", "w");
		struct na_canvas *c;

		if (!full)
			skip();
		assert_int_equal(na_canvas_open(&c, formats[i], &info, full,
						&err),
				 NA_OK);
		draw(c, "t", "d");
		assert_int_equal(na_canvas_finish(c, &err), NA_EIO);
		na_canvas_free(c);
		fclose(full);
	}
}

static void test_clean(void **state)
{
	char small[8], big[NA_TEXT_MAX], again[NA_TEXT_MAX];

	(void)state;
	assert_string_equal(na_text_clean(big, sizeof(big), NULL), "");
	assert_string_equal(na_text_clean(small, 8, "abcdefg"), "abcdefg");
	assert_string_equal(na_text_clean(small, 8, "abcdefgh"),
			    "abcd\xe2\x80\xa6");
	assert_string_equal(na_text_clean(small, 8, "abc\xc3\xa9\xc3\xa9x"),
			    "abc\xe2\x80\xa6");
	na_text_clean(big, sizeof(big), HOSTILE);
	assert_string_equal(na_text_clean(again, sizeof(again), big), big);
}

static void test_fit(void **state)
{
	const struct na_font font = {.size = 10, .color = ink};
	struct na_err err = {.status = NA_OK};
	char buf[NA_TEXT_MAX], *bytes = NULL, name[4000];
	struct na_canvas *c;
	size_t n;
	FILE *out = open_memstream(&bytes, &n);

	(void)state;
	assert_int_equal(na_canvas_open(&c, "ink", &info, out, &err), NA_OK);
	/* A character is 6 wide. */
	assert_string_equal(na_text_fit(c, buf, "host-0001", &font, 54,
					NA_CUT_MIDDLE),
			    "host-0001");
	assert_string_equal(na_text_fit(c, buf, "host-0001", &font, 42,
					NA_CUT_MIDDLE),
			    "ho\xe2\x80\xa6"
			    "0001");
	assert_string_equal(na_text_fit(c, buf, "host 0001", &font, 42,
					NA_CUT_END),
			    "host 0\xe2\x80\xa6");
	assert_string_equal(na_text_fit(c, buf, "host 0001", &font, 36,
					NA_CUT_END),
			    "host\xe2\x80\xa6");
	assert_string_equal(na_text_fit(c, buf, "host", &font, 5, NA_CUT_END),
			    "");
	assert_string_equal(na_text_fit(c, buf, "host", &font, -5,
					NA_CUT_MIDDLE),
			    "");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	na_text_fit(c, buf, name, &font, 100, NA_CUT_MIDDLE);
	assert_true(na_measure(c, buf, &font) <= 100);
	na_canvas_free(c);
	fclose(out);
	free(bytes);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_png_chunks),
		cmocka_unit_test(test_png_beyond_latin1),
		cmocka_unit_test(test_png_scale),
		cmocka_unit_test(test_svg_says_what_it_is),
		cmocka_unit_test(test_svg_hostile_text),
		cmocka_unit_test(test_inline_schemes),
		cmocka_unit_test(test_inline_ids),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_pdf),
		cmocka_unit_test(test_ink),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_fit),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
