/*
 * Texts on a terminal, for the tables that people read.  Widths are columns of
 * the terminal (na_text_width()); what is printed is escaped for it.
 */
#ifndef NETAN_RESULT_EMIT_LINES_H
#define NETAN_RESULT_EMIT_LINES_H

#include "netan/result/emit_impl.h"

void na_put_spaces(FILE *out, size_t n);

/* Cut in the middle to `width`, at least 1: both ends of a collective's name
 * tell it apart. */
void na_put_cut(FILE *out, const char *text, size_t width);

/* How many bytes of `text` are the words that fill `room` columns, and their
 * width: always the first word, however wide that is. */
size_t na_words_fit(const char *text, size_t room, size_t *width);

/* The first n bytes of it. */
void na_put_part(FILE *out, const char *text, size_t n);

/* Words, broken between them: no row is longer than `limit`; the first begins
 * at column `from`, those behind it with `in` spaces. */
void na_put_broken(FILE *out, const char *text, size_t limit, size_t from,
		   size_t in);

/* The rows of a list as aligned columns, as many of them as the terminal has
 * room for.  False: no memory. */
bool na_put_columns(FILE *out, const struct na_view *view,
		    const struct na_emit_opts *o);

#endif
