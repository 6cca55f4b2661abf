/*
 * JSON read where it lies, one item after the other: nothing is copied,
 * nothing is allocated, nothing recurses.
 *
 *	struct na_json j = na_json_of(text, offset);
 *
 *	while (na_json_next(&j)) {
 *		if (j.kind == NA_JSON_KEY && na_json_is(&j, "rank"))
 *			...
 *	}
 *	if (j.damage)
 *		say(j.damage, na_json_at(&j));
 *
 * Read is what RFC 8259 defines, and beyond it what profilers write: a comma
 * before a closing bracket, control characters in strings, NaN and Infinity
 * (as words), documents one behind the other.  Where the text breaks off or
 * breaks these rules, the items end and `damage` tells what was expected
 * there; what was given before stays good.
 */
#ifndef NETAN_JSON_JSON_H
#define NETAN_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/scan.h"

/* What opens deeper than this is skipped, and given as one NA_JSON_DEEP. */
#define NA_JSON_DEPTH 64

enum na_json_kind {
	NA_JSON_END, /* of the text, or of what is good of it */
	NA_JSON_OBJECT,
	NA_JSON_OBJECT_END,
	NA_JSON_ARRAY,
	NA_JSON_ARRAY_END,
	NA_JSON_KEY,    /* its value follows */
	NA_JSON_STRING, /* text: between the quotes, escapes as they stand */
	NA_JSON_NUMBER, /* text: the number, as RFC 8259 writes one */
	NA_JSON_TRUE,
	NA_JSON_FALSE,
	NA_JSON_NULL,
	NA_JSON_WORD, /* text: NaN, Infinity, -Infinity; any bare word */
	NA_JSON_DEEP
};

struct na_json {
	struct na_text text;    /* of a key, string, number or word */
	enum na_json_kind kind; /* of the last item */
	unsigned depth;         /* how many are open: 0 at the top */
	bool escaped;           /* a backslash is in the text */
	bool bare;   /* to be set: ncclFloat32 and 0x262ca50 are words too */
	bool closed; /* a value stands before: comma or bracket follows */
	bool named;  /* a key stands before */
	bool dotted; /* a comma stands before */
	uint64_t arrays; /* bit of a depth: an array is open there */
	const char *begin, *p, *end;
	const char *from;   /* where the last item begins */
	uint64_t offset;    /* of the text in its file */
	const char *damage; /* what was expected; NULL: all is well */
};

/* The text outlives it; `offset` is where it begins in its file. */
struct na_json na_json_of(struct na_text text, uint64_t offset);

/* The next item: its kind, which is NA_JSON_END, and 0, behind the last. */
enum na_json_kind na_json_next(struct na_json *j);

/* Behind a key: past its value.  Behind a bracket that opens: past the one
 * that closes it.  Behind anything else: nothing. */
void na_json_skip(struct na_json *j);
/* Whether the next item is that bracket; past what else it is. */
bool na_json_enters(struct na_json *j, enum na_json_kind bracket);

/* Behind a key: past its value, and where that stands: of strings and numbers
 * the text, of objects and arrays with their brackets; else, and when it is
 * damaged, empty.  `kind` is that of its first item, or END. */
struct na_text na_json_value(struct na_json *j);

/* Where in the file the last item begins, or, with damage, what is wrong. */
uint64_t na_json_at(const struct na_json *j);

/* Is the text of the last item this word?  Escapes are resolved. */
bool na_json_is(const struct na_json *j, const char *word);

/*
 * A string without its escapes, in UTF-8, into buf[size], with a NUL behind
 * it; size > 0.  Cut off where buf ends, at a character.  A lone surrogate or
 * an unknown escape becomes U+FFFD.  The result may hold NUL; its length.
 */
size_t na_json_unescape(struct na_text raw, char *buf, size_t size);

/*
 * A decimal number times 10^power as an integer, exactly, cut towards zero:
 * "1.5" with power 3 is 1500.  Exponents are read.  False, and x as it was:
 * no number, or past the range.
 */
bool na_json_decimal(struct na_text text, int power, int64_t *x);

/* The same, not below zero, without a fraction or an exponent. */
bool na_json_count(struct na_text text, uint64_t *x);

#endif
