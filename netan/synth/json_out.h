/*
 * The truth files: JSON written member by member.  A name of NULL is for
 * elements of an array.
 */
#ifndef NETAN_SYNTH_JSON_OUT_H
#define NETAN_SYNTH_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "netan/base/err.h"

struct na_json {
	FILE *out;
	int64_t origin_ps; /* what na_json_when() counts from */
	bool inside;       /* a comma is due */
};

/* The text is made in memory, by `put`, and written to a file of `bytes`. */
enum na_status na_json_save(struct na_json *j,
			    void (*put)(struct na_json *j, const void *what),
			    const void *what, const char *path, uint64_t *bytes,
			    struct na_err *err) NA_MUST_CHECK;

void na_json_key(struct na_json *j, const char *name);
void na_json_open(struct na_json *j, const char *name, char bracket);
void na_json_close(struct na_json *j, char bracket);

/* The next member starts a line of its own, indented by depth. */
void na_json_line(struct na_json *j, int depth);

void na_json_int(struct na_json *j, const char *name, int64_t v);
void na_json_uint(struct na_json *j, const char *name, uint64_t v);
void na_json_text(struct na_json *j, const char *name, const char *s);
void na_json_bool(struct na_json *j, const char *name, bool v);
/* null where it is not known. */
void na_json_when(struct na_json *j, const char *name, bool known, int64_t ps);

#endif
