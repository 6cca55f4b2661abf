/*
 * Text that somebody else owns: na_text says where a piece of it is, na_scan
 * reads through one.  Neither ends in NUL, and both may hold any byte.
 *
 * A search returns where it found something, or SIZE_MAX.  Nothing here looks
 * at the locale.
 */
#ifndef NETAN_BASE_SCAN_H
#define NETAN_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct na_text {
	const char *s;
	size_t n;
};

static inline struct na_text na_text_n(const char *s, size_t n)
{
	return (struct na_text){s, n};
}

/* From s up to end, which is not before it. */
static inline struct na_text na_between(const char *s, const char *end)
{
	return (struct na_text){s, (size_t)(end - s)};
}

/* What stands from byte `at` on; at <= x.n. */
static inline struct na_text na_text_from(struct na_text x, size_t at)
{
	return (struct na_text){x.s + at, x.n - at};
}

/* The value of a hexadecimal digit, or -1. */
static inline int na_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool na_text_same(struct na_text a, struct na_text b)
{
	return a.n == b.n && (!a.n || memcmp(a.s, b.s, a.n) == 0);
}

static inline bool na_text_is(struct na_text x, const char *word)
{
	return na_text_same(x, na_text_n(word, strlen(word)));
}

static inline bool na_text_begins(struct na_text x, const char *word)
{
	size_t n = strlen(word);

	return x.n >= n && memcmp(x.s, word, n) == 0;
}

static inline bool na_text_ends(struct na_text x, const char *word)
{
	size_t n = strlen(word);

	return x.n >= n && memcmp(x.s + x.n - n, word, n) == 0;
}

static inline size_t na_text_first(struct na_text x, char c)
{
	const char *p = x.n ? memchr(x.s, c, x.n) : NULL;

	return p ? (size_t)(p - x.s) : SIZE_MAX;
}

static inline size_t na_text_last(struct na_text x, char c)
{
	for (size_t i = x.n; i-- > 0;) {
		if (x.s[i] == c)
			return i;
	}
	return SIZE_MAX;
}

/* Cuts a beginning off; false, and x as it was: it begins otherwise. */
static inline bool na_text_past(struct na_text *x, const char *word)
{
	if (!na_text_begins(*x, word))
		return false;
	*x = na_text_from(*x, strlen(word));
	return true;
}

/* What stands before and behind the first `word`; false, and both as they
 * were: it is nowhere. */
bool na_text_split(struct na_text x, const char *word, struct na_text *before,
		   struct na_text *behind);

struct na_scan {
	const char *p, *end; /* next unread character, first beyond */
};

static inline struct na_scan na_scan_of(struct na_text x)
{
	return (struct na_scan){x.s, x.s ? x.s + x.n : x.s};
}

static inline bool na_scan_at(const struct na_scan *c, char want)
{
	return c->p < c->end && *c->p == want;
}

/* Past any character, if there is one. */
static inline void na_scan_step(struct na_scan *c)
{
	c->p += c->p < c->end;
}

/* Past this one, if it is there. */
static inline bool na_scan_past(struct na_scan *c, char want)
{
	if (!na_scan_at(c, want))
		return false;
	c->p++;
	return true;
}

/* Past as many as `is` says; these. */
static inline struct na_text na_scan_while(struct na_scan *c, bool (*is)(char))
{
	const char *from = c->p;

	while (c->p < c->end && is(*c->p))
		c->p++;
	return na_between(from, c->p);
}

/* Past decimal digits; false: there are none, or they pass 64 bits. */
bool na_scan_number(struct na_scan *c, uint64_t *x);

/* Decimal digits and nothing else. */
bool na_text_number(struct na_text text, uint64_t *x);

#endif
