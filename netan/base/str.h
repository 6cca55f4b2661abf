/*
 * Text that is put together piece by piece, and counts with their nouns.
 *
 *	struct na_str s = {0};                    grows
 *	struct na_str s = na_str_over(buf, size); what does not fit is cut off
 *
 *	na_str_addf(&s, "%zu host%s", n, na_plural(n));
 *	na_str_join(&s, ", ", "%s", name);
 */
#ifndef NETAN_BASE_STR_H
#define NETAN_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/arena.h"
#include "netan/base/err.h"

/* s ends in NUL once something was added; it is n bytes long without it. */
struct na_str {
	char *s; /* to be freed if it grows */
	size_t n, cap;
	bool fixed;  /* a buffer of the caller's */
	bool failed; /* memory was short: s is what was there before */
};

/* An empty text in buf; size is not 0. */
struct na_str na_str_over(char *buf, size_t size);

void na_str_addf(struct na_str *s, const char *fmt, ...) NA_PRINTF(2, 3);
void na_str_addv(struct na_str *s, const char *fmt, va_list ap) NA_PRINTF(2, 0);

/* The same behind `between`, which does not stand before the first piece. */
void na_str_join(struct na_str *s, const char *between, const char *fmt, ...)
	NA_PRINTF(3, 4);

/* A copy that belongs to the arena, and s, which grows, is freed; NULL: memory
 * was short, now or before. */
char *na_str_keep(struct na_str *s, struct na_arena *a);

/* A word of a schema as others are written: "few large".  Returns buf. */
const char *na_print_words(char *buf, size_t size, const char *word);

/* What a macro stands for, as a literal: NA_TEXT_OF(TEN) is "10". */
#define NA_TEXT_OF(x)  NA_TEXT_OF_(x)
#define NA_TEXT_OF_(x) #x

/* "" or "s". */
#define na_plural(n) ((n) == 1 ? "" : "s")

/* Room for a count and a noun of up to 47 bytes. */
#define NA_COUNT_BUF 96

/* "1 host", "3 hosts", "12 345 transfers", thousands set apart.  Returns
 * buf. */
const char *na_count_of(char buf[NA_COUNT_BUF], uint64_t n, const char *noun);

#endif
