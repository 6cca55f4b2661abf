/* Inside na_drive(): drive.c, and mpi/passes.c for transfers that lie with
 * several ranks. */
#ifndef NETAN_ENGINE_DRIVE_IMPL_H
#define NETAN_ENGINE_DRIVE_IMPL_H

#include "netan/engine/drive.h"
#include "netan/engine/feed.h"

enum { NA_DRIVE_SHARES = 16 }; /* of heavy work; fixed, whatever the threads */

struct drive {
	const struct na_analysis *a;
	struct na_session *s;
	struct na_scope scope;
	struct na_bound_filter bound;
	void *state;
	unsigned pass;
	struct na_record_span *chunks; /* all that is looked at */
	size_t n_chunks;
	const struct na_record_span *now; /* [n_now] of them */
	size_t n_now, first;         /* first: block of the round */
	unsigned char *blocks;       /* states of one round */
	struct na_fed *fed;          /* by block of a round */
	enum na_status *status;
	enum na_status shared[NA_DRIVE_SHARES];
	struct na_filter filter; /* the session's, as this analysis means it */
	int64_t *zero_ns;
	struct na_extent used;
	struct na_driven *out;
};

static inline void *na_drive_block(const struct drive *d, size_t i)
{
	return d->blocks + i * na_block_size(d->a);
}

/* These records in blocks, a round of them at a time, each merged in its order;
 * on another rank than the first, sent to that instead. */
enum na_status na_drive_blocks(struct drive *d, const struct na_record_span *v,
			       size_t n, struct na_err *err) NA_MUST_CHECK;
/* Block i of the round. */
enum na_status na_drive_merge(struct drive *d, size_t i) NA_MUST_CHECK;

#endif
