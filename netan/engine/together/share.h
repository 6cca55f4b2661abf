/*
 * Records of a store to that of another process: what a range of inputs has
 * told, with its names, devices and counts.  Both number their inputs alike.
 *
 * What a rank has sent is out of its store afterwards but for its names, so
 * that several ranges follow each other: each is behind those before in the
 * receiver's order of names, too, as in one process.
 */
#ifndef NETAN_ENGINE_TOGETHER_SHARE_H
#define NETAN_ENGINE_TOGETHER_SHARE_H

#include "netan/engine/together/message.h"

struct na_range { /* of inputs */
	size_t from, to;
};

/* From the indices of another rank to those of this store. */
struct na_translation {
	struct na_maps m;
	size_t n_cores, n_types;
};

/* Sends all of the store, which are records of the range. */
enum na_status na_share_send(struct na_session *s, struct na_range r,
			     struct na_err *err) NA_MUST_CHECK;
/* The range of another rank, behind what the store has. */
enum na_status na_share_take(struct na_session *s, size_t rank,
			     struct na_range r,
			     struct na_err *err) NA_MUST_CHECK;

void na_translations_free(struct na_together *t);

/* take_record.c: n packed records, or records as they are, of one kind at c,
 * renamed, into the store; false: broken, or (*no_memory) no memory. */
bool na_share_take_records(struct na_store *s, const struct na_translation *t,
			   struct na_range r, struct na_cursor *c,
			   bool *no_memory);

#endif
