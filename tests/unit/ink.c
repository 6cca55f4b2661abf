#include "tests/unit/ink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct text_box {
	double x0, y0, x1, y1;
	char words[60];
};

size_t check_texts(const char *ink, const char *what)
{
	struct text_box t[600];
	double width = 0, height = 0;
	size_t n = 0;

	assert_int_equal(sscanf(ink, "page %lf %lf", &width, &height), 2);
	for (const char *p = ink; (p = strstr(p, "\ntext ")); p++) {
		struct text_box *b = &t[n];

		assert_true(n < 600);
		assert_int_equal(sscanf(p,
					"\ntext %*s %*s %*s %lf %lf %lf "
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
