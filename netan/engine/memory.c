#include "netan/engine/memory.h"

#include "netan/base/memory/allowed.h"
#include "netan/base/memory/spill.h"
#include "netan/base/units.h"

/* The program, what any input needs, and one thread. */
enum { LEAST_BYTES = 32 << 20 };
#define DEFAULT_PERCENT 80

enum na_status na_memory_start(const struct na_request *q, struct na_err *err)
{
	uint64_t bytes = q->memory > 0 ? (uint64_t)q->memory
				       : na_memory_allowed("") / 100 *
						 DEFAULT_PERCENT;
	char asked[NA_UNIT_BUF];

	if (q->memory > 0 && q->memory < LEAST_BYTES)
		return na_fail(err, NA_EUSAGE,
			       "--memory %s: the least that works is %d MiB",
			       na_print_bytes(asked, (double)q->memory, 4),
			       LEAST_BYTES >> 20);
	na_memory_begin((size_t)bytes, q->memory > 0);
	return NA_OK;
}

void na_memory_tell(const struct na_request *q)
{
	struct na_memory_use use = na_memory_use();
	double budget = (double)use.budget / 1e6;

	if (!use.budget)
		return;
	if (!use.dir)
		na_say_detail(q,
			      "memory: all was kept within %.0f MB (--memory)",
			      budget);
	else
		na_say_detail(
			q,
			"memory: %.0f MB at most (--memory); %.0f MB were "
			"spilled to an unlinked file in %s%s",
			budget, (double)use.spilled / 1e6, use.dir,
			use.in_memory ? ", which is memory, too: set "
					"TMPDIR to a disk"
				      : "");
}
