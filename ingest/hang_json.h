/*
 * Log lines that are wrapped: JSON objects of container runtimes and cloud
 * logging, and text in which newlines are written as \n.
 */
#ifndef INGEST_HANG_JSON_H
#define INGEST_HANG_JSON_H

#include "ingest/hang_shape.h"

struct na_hang_wrapped {
	struct na_bit message; /* still escaped */
	struct na_bit who[4];  /* values of the members that name the source */
	struct na_bit time;
};

/* An object, or one member of an object that is written over several lines.
 * False: there is no message in it. */
bool na_hang_unwrap(struct na_bit line, struct na_hang_wrapped *w);

/* Another line of such an object: a bracket, or a member. */
bool na_hang_is_json(struct na_bit line);

/* The text that an escaped one stands for, up to the quote that ends it;
 * room for in.n bytes at out.  Returns its length. */
size_t na_hang_unescape(struct na_bit in, char *out);

#endif
