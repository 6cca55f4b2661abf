#include "netan/engine/memory.h"

#include "netan/base/memory/memory_limit.h"
#include "netan/base/memory/spill.h"

#define DEFAULT_PERCENT 80

enum na_status na_memory_start(const struct na_request *q, struct na_err *err)
{
	const struct na_world *w = q->world;
	/* Of the ranks on this node each has its part. */
	size_t sharers = w && w->neighbours ? w->neighbours : 1;
	uint64_t bytes = q->memory > 0 ? (uint64_t)q->memory
				       : na_memory_limit("") / 100 *
						 DEFAULT_PERCENT / sharers;

	if (q->memory > 0 && q->memory < NA_MEMORY_LEAST)
		return na_fail(err, NA_EUSAGE,
			       "--memory: %d MB is the least that works",
			       NA_MEMORY_LEAST / 1000000);
	na_memory_begin((size_t)bytes, q->memory > 0);
	return NA_OK;
}

void na_memory_tell(const struct na_request *q)
{
	struct na_memory_use use = na_memory_use();
	const char *memory = use.in_memory ? ", which is memory itself: set "
					     "TMPDIR to a disk"
					   : "";

	if (!use.budget)
		return;
	if (!*use.dir)
		na_say_detail(q, "memory: everything was kept in memory");
	else
		na_say_detail(q,
			      "memory: beyond %.0f MB, %.0f MB were spilled to "
			      "a temporary file in %s%s",
			      (double)use.budget / 1e6,
			      (double)use.spilled / 1e6, use.dir, memory);
}
