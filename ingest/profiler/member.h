/*
 * Members of an object in JSON that go into a struct by a table.
 */
#ifndef INGEST_PROFILER_MEMBER_H
#define INGEST_PROFILER_MEMBER_H

#include "ingest/json/json.h"

struct na_profiled_member {
	const char *word;
	enum {
		NA_TAKE_TEXT,   /* struct na_text: also of an array */
		NA_TAKE_NUMBER, /* int64_t, not below 0; else it stays */
		NA_TAKE_NS      /* the same, in microseconds */
	} take;
	size_t to; /* where in the struct */
};

/* The text of a string, number, word or array. */
struct na_text na_profiled_text(struct na_json *j);
/* Behind the key of a member, into `to`; false: it is none of the n. */
bool na_profiled_take(const struct na_profiled_member *of, size_t n,
		      struct na_json *j, void *to);

#endif
