/*
 * The blocks of all inputs, read on all cores and taken in input order,
 * whatever thread reads them: into the store, or into a transfer file.
 */
#ifndef NETAN_ENGINE_BLOCKS_H
#define NETAN_ENGINE_BLOCKS_H

#include "netan/engine/session/session.h"

struct na_turn; /* of one block */

struct na_block_work {
	size_t from, to; /* of s->inputs: to is the first beyond */
	size_t part_size; /* what becomes of a block; zeroed at first */
	/* Unlocked, of several blocks at once.  A failure goes into err, which
	 * is this block's own; the path is put before its text. */
	void (*read)(void *ctx, void *part, size_t input,
		     const struct na_block *b, struct na_turn *turn,
		     struct na_err *err);
	/* In order, one at a time, with the lock held: short, please.  Not for
	 * a block that failed, and nothing more once err holds a failure. */
	void (*take)(void *ctx, void *part, size_t input, struct na_err *err);
	/* Once for each block that was read, also after a failure. */
	void (*fini)(void *part);
	/* An input has no more blocks, in the same order; not after a failure.
	 * May be NULL. */
	void (*end)(void *ctx, size_t input, struct na_err *err);
	void *ctx;
};

/*
 * Reads every block of these inputs on s->threads threads.  NA_OK also when
 * interrupted: what was read until then is taken, and s->interrupted is set.
 * Else the first failure, of cutting, reading or taking, or NA_ENOMEM; then
 * no further block begins.  About four parts for each thread wait for their
 * turn at most, which bounds the memory.
 */
enum na_status na_read_blocks(struct na_session *s,
			      const struct na_block_work *work,
			      struct na_err *err) NA_MUST_CHECK;

/* While a block is read, from its `read`: fn(arg, err), as `take` is called,
 * if all blocks before it are taken and nothing has failed; else nothing. */
void na_in_turn(struct na_turn *turn, void (*fn)(void *arg, struct na_err *err),
		void *arg);

#endif
