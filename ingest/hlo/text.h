/*
 * Pieces of HLO text: brackets, quotes, shapes.  What line.c is made of.
 */
#ifndef INGEST_HLO_TEXT_H
#define INGEST_HLO_TEXT_H

#include "netan/base/scan.h"

static inline bool na_hlo_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' ||
	       c == '/' || c == ':' || c == '$' || (unsigned char)c >= 0x80;
}

/* Without blanks at both ends. */
struct na_text na_hlo_trimmed(struct na_text x);

/* A quoted text or a comment begins at c: behind it; else NULL. */
const char *na_hlo_past(const struct na_scan *c);

/* c is at an opening bracket: the one that closes it, or the end.  Brackets
 * in quotes and comments do not count; kinds are not told apart. */
const char *na_hlo_closing(struct na_scan c);

/* The first comma outside of brackets, quotes and comments, or the end. */
const char *na_hlo_to_comma(struct na_scan c);

/* A shape; NA_UNKNOWN_U64 bytes for types and sizes that we do not know.
 * False: it is none, or deeper than `depth`. */
bool na_hlo_shape(struct na_scan *c, uint64_t *bytes, int depth);

#endif
