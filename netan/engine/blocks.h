/*
 * The blocks of all inputs, read on all cores and taken in input order,
 * whatever thread reads them: into the store, or into a transfer file.
 */
#ifndef NETAN_ENGINE_BLOCKS_H
#define NETAN_ENGINE_BLOCKS_H

#include "netan/engine/session/session.h"

struct na_turn; /* of one block */

struct na_block_work {
	size_t part_size; /* what becomes of a block; zeroed at first */
	/* Unlocked, of several blocks at once. */
	void (*read)(void *ctx, void *part, size_t input,
		     const struct na_block *b, struct na_turn *turn,
		     struct na_err *err);
	/* In order, one at a time; nothing more once err holds a failure. */
	void (*take)(void *ctx, void *part, size_t input, struct na_err *err);
	void (*fini)(void *part);
	/* An input has no more blocks, in the same order.  May be NULL. */
	void (*end)(void *ctx, size_t input, struct na_err *err);
	void *ctx;
};

/* NA_OK also when interrupted: what was read until then is taken. */
enum na_status na_read_blocks(struct na_session *s,
			      const struct na_block_work *work,
			      struct na_err *err) NA_MUST_CHECK;

/* While a block is read: fn(arg, err), as `take` is called, if all blocks
 * before it are taken; else nothing. */
void na_in_turn(struct na_turn *turn, void (*fn)(void *arg, struct na_err *err),
		void *arg);

#endif
