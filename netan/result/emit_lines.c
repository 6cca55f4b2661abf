/*
 * Texts on a terminal: broken between words, or cut.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/result/emit_lines.h"

void na_put_spaces(FILE *out, size_t n)
{
	for (; n; n--)
		putc(' ', out);
}

/* Prints from `s` what fits in `room` columns; gives what is left of it. */
static size_t put_some(FILE *out, const char *s, size_t room)
{
	while (*s) {
		uint32_t rune;
		size_t n = na_utf8_next(s, strnlen(s, 4), &rune);
		char one[8] = "";

		memcpy(one, s, n);
		if (na_text_width(one) > room)
			break;
		room -= na_text_width(one);
		na_escape_to(NA_ESC_TERMINAL, one, out);
		s += n;
	}
	return room;
}

/* The longest tail of `s` that fits in `room` columns. */
static const char *tail_of(const char *s, size_t room)
{
	size_t width = na_text_width(s);

	while (width > room) {
		uint32_t rune;
		size_t n = na_utf8_next(s, strnlen(s, 4), &rune);
		char one[8] = "";

		memcpy(one, s, n);
		width -= na_text_width(one);
		s += n;
	}
	return s;
}

void na_put_cut(FILE *out, const char *text, size_t width)
{
	size_t tail = (width - 1) / 2, head = width - 1 - tail;
	size_t left = put_some(out, text, head);
	const char *end = tail_of(text, tail + left);

	fputs("\xe2\x80\xa6", out); /* an ellipsis */
	left = put_some(out, end, tail + left);
	na_put_spaces(out, left);
}

static size_t width_of(const char *text, size_t n)
{
	char *copy = strndup(text, n);
	size_t width = na_text_width(copy ? copy : "");

	free(copy);
	return width;
}

size_t na_words_fit(const char *text, size_t room, size_t *width)
{
	size_t n = strcspn(text, " ");

	*width = width_of(text, n);
	while (text[n] && text[n + 1]) {
		size_t more = strcspn(text + n + 1, " ");
		size_t wide = 1 + width_of(text + n + 1, more);

		if (*width + wide > room)
			break;
		n += 1 + more;
		*width += wide;
	}
	return n;
}

void na_put_part(FILE *out, const char *text, size_t n)
{
	char *copy = strndup(text, n);

	na_escape_to(NA_ESC_TERMINAL, copy ? copy : "", out);
	free(copy);
}

void na_put_broken(FILE *out, const char *text, size_t limit, size_t from,
		   size_t in)
{
	for (text += strspn(text, " "); *text; from = in) {
		size_t width;
		size_t n = na_words_fit(text, limit > from ? limit - from : 0,
					&width);

		na_put_part(out, text, n);
		text += n + (text[n] == ' ');
		if (!*text)
			return;
		putc('\n', out);
		na_put_spaces(out, in);
	}
}
