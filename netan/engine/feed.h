/*
 * Records of a store through the add_*() of an analysis, as its filter says.
 */
#ifndef NETAN_ENGINE_FEED_H
#define NETAN_ENGINE_FEED_H

#include "netan/analyses/analysis.h"

/* Some records of one kind, where they lie in the store. */
struct na_record_span {
	const void *records;
	size_t n, size; /* bytes of one */
	enum na_record_kind kind;
};

/* All that the analysis looks at, a chunk each, in the order in which it gets
 * them: by kind as in records.def, each kind in the order of the store; *n is
 * how many.  The list is to be freed by the caller; it points into the store.
 * NULL, and *n 0, when memory is short, never for an empty store. */
struct na_record_span *na_feed_list(const struct na_analysis *a,
				    const struct na_store *s, size_t *n);

static inline size_t na_block_size(const struct na_analysis *a)
{
	return a->block_size ? a->block_size : a->state_size;
}

static inline void na_block_fini(const struct na_analysis *a, void *block)
{
	if (a->fini_block)
		a->fini_block(block);
	else if (a->fini)
		a->fini(block);
}

/* What one block has eaten. */
struct na_fed {
	struct na_extent used;          /* na_analysis.counts; not NA_ASIDE */
	uint64_t dropped[NA_N_REASONS]; /* transfers and packets */
};

/*
 * The records of `in`, in their order, into a block state of `a` (forked by
 * it): those that the filter keeps go to add_*().
 *
 *   scope  has a store, a filter and the same one bound
 *   fed    added to, not reset; times in ps
 *
 * What an add_*() said that is neither NA_OK nor NA_ASIDE ends it and is
 * returned.  O(records); nothing is allocated here.
 */
enum na_status na_feed(const struct na_analysis *a,
		       const struct na_scope *scope, void *block,
		       const struct na_record_span *in,
		       struct na_fed *fed) NA_MUST_CHECK;

#endif
