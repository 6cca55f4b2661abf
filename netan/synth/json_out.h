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
	FILE *out; /* into memory */
	char *text;
	size_t n;
	int64_t origin_ps; /* what na_json_when() counts from */
	bool inside;       /* a comma is due */
};

/* An empty text; na_json_save() ends its one line, writes it to a file of
 * *bytes bytes, and frees it. */
enum na_status na_json_begin(struct na_json *j, int64_t origin_ps,
			     struct na_err *err) NA_MUST_CHECK;
enum na_status na_json_save(struct na_json *j, const char *path,
			    uint64_t *bytes, struct na_err *err) NA_MUST_CHECK;

void na_json_open(struct na_json *j, const char *name, char bracket);
void na_json_close(struct na_json *j, char bracket);

/* The next member starts a line of its own, indented by depth; an object of
 * an array there. */
void na_json_line(struct na_json *j, int depth);
void na_json_item(struct na_json *j, int depth);

void na_json_int(struct na_json *j, const char *name, int64_t v);
void na_json_uint(struct na_json *j, const char *name, uint64_t v);
void na_json_text(struct na_json *j, const char *name, const char *s);
void na_json_bool(struct na_json *j, const char *name, bool v);
/* null where it is not known. */
void na_json_when(struct na_json *j, const char *name, bool known, int64_t ps);

#endif
