/* info: by what steps are told that have no line of their own. */
#include <stdlib.h>

#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/info.h"

/* Of each core, the last of enum na_step_told; 0: it has no steps, or by
 * events of their own. */
static void told_of(const struct na_store *store, uint8_t *told)
{
	na_each_record (struct na_span, x, &store->spans) {
		if (x->told > told[x->core])
			told[x->core] = x->told;
	}
}

void na_info_note_steps(struct na_result *r, const struct na_store *store)
{
	/* clang-format off */
	static const char *const by[NA_STEP_BY_TIME + 1] = {
		[NA_STEP_BY_GROUP] = "by the group_id of kernels",
		[NA_STEP_BY_LAUNCH] = "by the host's step markers (step_num) "
			"and the launches of kernels in them",
		[NA_STEP_BY_TIME] = "by the host's step markers (step_num), "
			"and for some kernels by time alone",
	};
	/* clang-format on */
	size_t n[NA_STEP_BY_TIME + 1] = {0};
	uint8_t *told = na_calloc(store->devices.n_cores + 1, sizeof(*told));

	if (!told)
		return;
	told_of(store, told);
	for (size_t i = 0; i < store->devices.n_cores; i++)
		n[told[i]]++;
	for (size_t i = NA_STEP_BY_GROUP; i <= NA_STEP_BY_TIME; i++) {
		if (n[i])
			na_result_note(r, "steps of %zu GPU%s are told %s",
				       n[i], na_plural(n[i]), by[i]);
	}
	free(told);
}
