/*
 * One object of CoMMA's files: an operation with what its proxies did, and
 * their steps.
 */
#ifndef INGEST_PROFILER_COMMA_OBJECT_H
#define INGEST_PROFILER_COMMA_OBJECT_H

#include "ingest/json/json.h"

/* An operation, or a proxy's part in one.  Numbers that are not told are -1;
 * times in ns. */
struct na_comma_object {
	struct na_text cat, name, hash;
	int64_t rank, peer, sequence, size;
	int64_t ts, dur, child_ts, child_dur;
	bool sends, open;
	struct na_text parts; /* proxyops, steps: where they stand */
};

struct na_comma_step {
	int64_t start, ready, end, size;
};

/* Behind its bracket, past the one that closes it. */
void na_comma_object(struct na_json *j, struct na_comma_object *x);
void na_comma_step(struct na_json *j, struct na_comma_step *x);

/* The items of an array; the next object of them, false: there is none. */
struct na_json na_comma_items(struct na_text array);
bool na_comma_next(struct na_json *j);

bool na_comma_is_operation(const struct na_comma_object *x);
/* "0x58aecebabb9e37af" */
bool na_comma_hash(struct na_text text, uint64_t *hash);
/* When it ran; false: it does not say. */
bool na_comma_ran(const struct na_comma_object *x, int64_t *from_ns,
		  int64_t *to_ns);

#endif
