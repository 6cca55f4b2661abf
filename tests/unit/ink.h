/* What holds for every picture, read from its ink. */
#ifndef TESTS_UNIT_INK_H
#define TESTS_UNIT_INK_H

#include <stddef.h>

#include "netan/result/result.h"
#include "plot/figure.h"

/* The figure of that name in that format; *n bytes, to be freed. */
char *draw_figure(const char *figure, const struct na_result *r,
		  const struct na_page *page, const char *format, size_t *n);

/* How often that stands in it. */
size_t ink_count(const char *ink, const char *what);

/* No two texts may touch, nor leave the page.  Returns how many there are;
 * `what` names the picture when a check fails. */
size_t check_texts(const char *ink, const char *what);

/* An "inline" picture with the id "fig": every id once, every reference to
 * one of them, and colours of the dark scheme: the two drawings differed in
 * nothing but colours. */
void check_inline(const char *svg, size_t row);

/* Row i of a test's table as a picture; *n bytes, to be freed. */
typedef char *ink_row(size_t i, const struct na_page *page, const char *format,
		      size_t *n);

/* Of all rows, on pages of many shapes: two texts at least, none of which
 * touch; no number that is none; valid UTF-8; check_inline(). */
void check_pages(ink_row *row, size_t n_rows);
/* In every format: the same bytes twice, and less than 1 MiB. */
void check_formats(ink_row *row, size_t n_rows);

#endif
