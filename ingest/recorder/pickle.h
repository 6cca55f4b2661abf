/*
 * Pickles of protocol 2 as TorchScript's pickler writes them: data and
 * nothing else.  Opcodes that import, call or build (GLOBAL, REDUCE, BUILD,
 * ...) are refused by name like any other that such files do not have: no
 * pickle makes this program do anything.
 *
 * Bounds: a value of the stack takes a byte of the file, MARKs lie at most
 * NA_PICKLE_MARKS deep, an index of the memo is at most four times as large
 * as the number of those before it (+ 255).
 *
 * Sources: Python's pickletools (opcodes of protocol 2); pytorch/pytorch
 * torch/csrc/jit/serialization/pickler.cpp.
 */
#ifndef INGEST_RECORDER_PICKLE_H
#define INGEST_RECORDER_PICKLE_H

#include "ingest/recorder/value.h"
#include "netan/base/err.h"

enum { NA_PICKLE_MARKS = 64 };

/*
 * Items of the list `list` of the dictionary at the top, one by one: each is
 * handed out when it is complete, with what the dictionary holds so far, and
 * is no more afterwards (but for what the memo has of it); so a long list takes
 * no memory, and stays in the caches.
 */
struct na_pickle_items {
	const char *list;
	/* NA_END: not yet, keep it and all behind it.  Another status than
	 * NA_OK ends the reading. */
	enum na_status (*take)(void *ctx, const struct na_dump_value *top,
			       const struct na_dump_value *item,
			       struct na_err *err);
	void *ctx;
};

/*
 * The value in the n bytes at p, which `out` goes on to borrow.  items may
 * be NULL.
 *
 * NA_EFORMAT: it breaks off or holds what is refused; err says which opcode
 * at which byte.  *out then is what was complete before, as far as it hangs
 * together, else NONE.  NA_ENOMEM.
 */
enum na_status na_pickle_read(const uint8_t *p, size_t n,
			      struct na_dump_store *store,
			      const struct na_pickle_items *items,
			      struct na_dump_value *out,
			      struct na_err *err) NA_MUST_CHECK;

#endif
