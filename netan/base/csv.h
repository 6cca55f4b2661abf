/*
 * Small tables that users write: rows of a few fields, split at commas.
 * Blanks around fields, a byte-order mark, empty lines and lines that start
 * with '#' do not count; a field may stand in double quotes, and holds commas
 * and blanks then, but no quotes.
 */
#ifndef NETAN_BASE_CSV_H
#define NETAN_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/base/err.h"
#include "netan/base/scan.h"

enum { NA_CSV_FIELDS = 3, NA_CSV_FIELD_BYTES = 255 };

struct na_csv_row {
	struct na_text f[NA_CSV_FIELDS];
	size_t n; /* at least 2 */
};

struct na_csv {
	const char *p, *end;
	const char *file, *expected; /* for messages */
	size_t line;
};

/*
 * A reader of text [n], at its first line.  Borrows all that it is given:
 * text, file (its name) and expected ("HOST,RACK") must outlive it, and the
 * fields of a row point into text.
 */
struct na_csv na_csv_of(const char *text, size_t n, const char *file,
			const char *expected);

/* The next row that says something; NA_END behind the last; NA_EFORMAT for
 * one field alone, more than NA_CSV_FIELDS, quotes that do not pair, and a
 * field that is empty, longer than NA_CSV_FIELD_BYTES or holds a NUL. */
enum na_status na_csv_next(struct na_csv *c, struct na_csv_row *r,
			   struct na_err *err) NA_MUST_CHECK;

/* NA_EFORMAT: file, line, what is wrong, what was expected. */
enum na_status na_csv_bad(const struct na_csv *c, const char *what,
			  struct na_err *err) NA_MUST_CHECK;

/* Case does not count. */
bool na_csv_is(const struct na_text *f, const char *word);

#endif
