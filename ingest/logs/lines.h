/*
 * Lines of text logs, plain, gzip or zstd, from files or standard input, as
 * they come out of real machines: any length, CRLF or LF, NUL bytes, broken
 * UTF-8, a last line without its end.
 *
 * na_lines_find() is the fast way through text that holds nothing of
 * interest: it looks for needles, not for lines.
 */
#ifndef INGEST_LOGS_LINES_H
#define INGEST_LOGS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

/* Of a longer line, so many bytes from its beginning are kept, or, found by
 * a needle, so many around it. */
#define NA_LINE_MAX ((size_t)64 << 10)

struct na_line {
	const char *text; /* without its end; valid until the next call; not
			   * NUL-terminated, and may hold NULs */
	size_t n;
	uint64_t offset; /* of the line's first byte, in the unpacked text */
	uint64_t number; /* from 1 */
	bool cut;        /* longer than NA_LINE_MAX: the rest is left out */
};

/* Words to look for, in any case of their letters (ASCII); of 3 to 255 bytes
 * each, 32 of them at most. */
struct na_needles {
	const char *const *words;
	size_t n;
};

struct na_lines;

/* "-" is standard input.  Messages name the path. */
enum na_status na_lines_open(struct na_lines **l, const char *path,
			     struct na_err *err) NA_MUST_CHECK;
void na_lines_close(struct na_lines *l);

/* The next line: NA_OK, NA_END, or what is wrong (damaged packing,
 * NA_EFORMAT: what came before it has been told). */
enum na_status na_lines_next(struct na_lines *l, struct na_line *line,
			     struct na_err *err) NA_MUST_CHECK;
/* The next line that holds one of the needles; those between are passed
 * over, and counted. */
enum na_status na_lines_find(struct na_lines *l,
			     const struct na_needles *needles,
			     struct na_line *line,
			     struct na_err *err) NA_MUST_CHECK;

/* The next line, whatever it holds; of a longer one what is around the first
 * of the needles, where it holds one. */
enum na_status na_lines_each(struct na_lines *l,
			     const struct na_needles *needles,
			     struct na_line *line,
			     struct na_err *err) NA_MUST_CHECK;

const char *na_lines_packing(const struct na_lines *l); /* "gzip", NULL */
uint64_t na_lines_bytes(const struct na_lines *l);      /* read so far */
uint64_t na_lines_count(const struct na_lines *l); /* told or passed over */
/* No log: more than one in 20 of the first 4 KiB are control characters that
 * no text holds, or it begins as what netan itself writes. */
bool na_lines_binary(const struct na_lines *l);
/* It was left where it said the same for long. */
bool na_lines_endless(const struct na_lines *l);

#endif
