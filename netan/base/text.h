/*
 * Text that we did not write: names from traces, paths from a shell.  It may
 * hold anything, so it is checked and escaped before a person, a terminal or
 * a spreadsheet sees it.
 */
#ifndef NETAN_BASE_TEXT_H
#define NETAN_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "netan/base/err.h"

/* Of ASCII, whatever the locale; a blank is a space or a tab. */
static inline bool na_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool na_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

#define NA_RUNE_BAD UINT32_C(0xFFFD)

/*
 * The code point at s, n bytes left (n > 0).  Returns how many bytes it
 * takes, at least 1.  Overlong forms, surrogates and broken sequences read
 * as NA_RUNE_BAD, one for each maximal broken part (Unicode, section 3.9), and
 * so do U+FFFE and U+FFFF, which are no characters.
 */
size_t na_utf8_next(const char *s, size_t n, uint32_t *rune);
/* Writes 1 to 4 bytes, no NUL; returns how many. */
size_t na_utf8_put(char *out, uint32_t rune);
bool na_utf8_valid(const char *s, size_t n);

/*
 * Escapes.  In every one, broken UTF-8 becomes U+FFFD, and control
 * characters, line separators and invisible or bidirectional marks become
 * visible ("\x1b", "\u202e"), so a name is always one line and looks like
 * what it is.
 *
 *   NA_ESC_TERMINAL  as above
 *   NA_ESC_JSON      the inside of a JSON string, lossless for valid UTF-8
 *   NA_ESC_CSV       the inside of a quoted field: '"' doubled
 *   NA_ESC_TSV       as above (a tab is "\t")
 *   NA_ESC_MD        a cell of a Markdown table, markup shown literally
 *   NA_ESC_HTML      text of an element, or the inside of a quoted attribute
 *
 * CSV and TSV put a ' before a text that a spreadsheet would take for a
 * formula (first character = + - @ TAB CR or a full-width form of these),
 * unless it is a number ("-3", "+1.50").
 */
enum na_escape {
	NA_ESC_TERMINAL,
	NA_ESC_JSON,
	NA_ESC_CSV,
	NA_ESC_TSV,
	NA_ESC_MD,
	NA_ESC_HTML
};

/* Like snprintf: returns the length that `s` needs, writes at most size - 1
 * bytes (whole characters) and a NUL when size is not 0. */
size_t na_escape(enum na_escape how, const char *s, char *buf, size_t size);
/* The same to a stream; false when the stream fails. */
bool na_escape_to(enum na_escape how, const char *s, FILE *out);

/* Terminal columns of a text (of its NA_ESC_TERMINAL form): wide East Asian
 * characters count 2, combining marks 0. */
size_t na_text_width(const char *s);
/* The same, or where that is more than `most`, any number above it: of a long
 * text only what is needed is looked at. */
size_t na_text_width_to(const char *s, size_t most);

/*
 * Shell pattern: `*` any run, `?` one character, `[a-z]` and `[!a-z]` one of
 * a set, `\` takes the next character literally; a `[` that is never closed
 * is itself.  Whole text, case counts.  Never exponential.
 */
bool na_glob(const char *pattern, const char *text);

/* Like strcmp, but runs of digits count as numbers: host-9 before host-10. */
int na_natural_order(const char *a, const char *b);

/*
 * vsnprintf() behind the n bytes that text[size] holds; n < size.  What does
 * not fit is cut off.  Returns how many it holds then.
 */
size_t na_text_append(char *text, size_t size, size_t n, const char *fmt,
		      va_list ap) NA_PRINTF(4, 0);

#endif
