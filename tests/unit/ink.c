#include "tests/unit/ink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/text.h"
#include "tests/unit/pace.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

enum { TEXTS = 1400 };

struct text_box {
	double x0, y0, x1, y1;
	char words[60];
};

size_t check_texts(const char *ink, const char *what)
{
	static struct text_box t[TEXTS];
	double width = 0, height = 0;
	size_t n = 0;

	assert_int_equal(sscanf(ink, "page %lf %lf", &width, &height), 2);
	for (const char *p = ink; (p = strstr(p, "\ntext ")); p++) {
		struct text_box *b = &t[n];
		char line[400];

		assert_true(n < TEXTS);
		/* sscanf() goes through all of a text to its end. */
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(p + 1, "\n"),
			 p + 1);
		assert_int_equal(sscanf(line,
					"text %*s %*s %*s %lf %lf %lf "
					"%lf %59[^\n]",
					&b->x0, &b->y0, &b->x1, &b->y1,
					b->words),
				 5);
		if (b->x0 < 0 || b->y0 < 0 || b->x1 > width || b->y1 > height)
			fail_msg("%s: \"%s\" leaves the page: %g %g %g %g",
				 what, b->words, b->x0, b->y0, b->x1, b->y1);
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (t[i].x0 < t[k].x1 && t[k].x0 < t[i].x1 &&
			    t[i].y0 < t[k].y1 && t[k].y0 < t[i].y1)
				fail_msg("%s: \"%s\" (%g %g %g %g) touches "
					 "\"%s\" (%g %g %g %g)",
					 what, t[i].words, t[i].x0, t[i].y0,
					 t[i].x1, t[i].y1, t[k].words, t[k].x0,
					 t[k].y0, t[k].x1, t[k].y1);
		}
	}
	return n;
}

char *draw_figure(const char *figure, const struct na_result *r,
		  const struct na_page *page, const char *format, size_t *n)
{
	const struct na_figure *f = na_figure_find(figure);
	struct na_err err = {.status = NA_OK};
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, n);

	assert_non_null(f);
	assert_non_null(out);
	if (na_figure_write(f, r, page, format, out, &err) != NA_OK)
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	return bytes;
}

void check_inline(const char *svg, size_t row)
{
	const char *p = svg, *end;
	char id[80];

	/* The page's background comes first.  Where the drawings do not pair
	 * up, it is white in the dark scheme, too. */
	if (!strstr(svg, "(prefers-color-scheme:dark){#fig{--c0:#111418;"))
		fail_msg("row %zu: light and dark differ in more than colours",
			 row);
	assert_ptr_equal(strstr(svg, "<svg id=\"fig\""), svg);
	assert_null(strstr(svg, "--c0:#111418;--c0"));
	while ((p = strstr(p, " id=\""))) {
		p += strlen(" id=\"");
		assert_int_equal(strncmp(p, "fig", 3), 0);
		assert_true(p[3] == '"' || p[3] == '-');
		end = strchr(p, '"');
		assert_true(end - p < 60);
		snprintf(id, sizeof(id), " id=\"%.*s\"", (int)(end - p), p);
		assert_null(strstr(end, id));
	}
	for (p = svg; (p = strstr(p, "href=\"#"));) {
		p += strlen("href=\"#");
		end = strchr(p, '"');
		snprintf(id, sizeof(id), " id=\"%.*s\"", (int)(end - p), p);
		if (!strstr(svg, id))
			fail_msg("row %zu: no %s", row, id);
	}
}

void check_pages(ink_row *row, size_t n_rows)
{
	/* clang-format off */
	static const int sizes[][2] = {
		{0, 0},      {600, 338},   {320, 240},  {480, 900},
		{2400, 500}, {3000, 3000}, {330, 1500}, {800, 250},
	};
	/* clang-format on */

	for (size_t at = 0; at < n_rows * COUNT_OF(sizes); at += pace()) {
		size_t i = at / COUNT_OF(sizes), k = at % COUNT_OF(sizes), n;
		struct na_page page = {.version = "0.1.0",
				       .width = sizes[k][0],
				       .height = sizes[k][1],
				       .dark = k % 2,
				       .id = "fig"};
		char what[64], *ink;

		snprintf(what, sizeof(what), "row %zu, %d x %d", i, page.width,
			 page.height);
		ink = row(i, &page, "ink", &n);
		assert_true(check_texts(ink, what) >= 2);
		assert_true(na_utf8_valid(ink, n));
		assert_null(strstr(ink, "nan"));
		free(ink);
		if (k > 2) /* also the smallest page */
			continue;
		ink = row(i, &page, "inline", &n);
		check_inline(ink, i);
		assert_true(n < 1 << 20);
		free(ink);
	}
}

void check_formats(ink_row *row, size_t n_rows)
{
	static const char *const formats[] = {"svg", "png", "pdf", "inline"};
	const struct na_page page = {.version = "0.1.0", .id = "fig"};

	for (size_t i = 0; i < n_rows; i++) {
		for (size_t k = 0; k < COUNT_OF(formats); k++) {
			size_t n, again;
			char *a = row(i, &page, formats[k], &n);
			char *b = row(i, &page, formats[k], &again);

			assert_int_equal(n, again);
			assert_memory_equal(a, b, n);
			assert_true(n < 1 << 20);
			free(a);
			free(b);
		}
	}
}

size_t ink_count(const char *ink, const char *what)
{
	size_t n = 0;

	for (const char *p = ink; (p = strstr(p, what)); p++)
		n++;
	return n;
}
