#include <stdlib.h>
#include <string.h>

#include "netan/synth/xspace/write.h"

enum na_status na_index_build(struct na_index *x, const void *of,
			      size_t n_items, size_t n_keys,
			      uint32_t (*key)(const void *of, size_t item),
			      struct na_err *err)
{
	uint32_t *next;

	x->ids = na_calloc(n_items, sizeof(*x->ids));
	x->at = na_calloc(n_keys + 1, sizeof(*x->at));
	next = na_calloc(n_keys + 1, sizeof(*next));
	if (!x->ids || !x->at || !next) {
		free(next);
		return na_fail_nomem(err);
	}
	for (size_t i = 0; i < n_items; i++)
		x->at[key(of, i) + 1]++;
	for (size_t k = 0; k < n_keys; k++)
		x->at[k + 1] += x->at[k];
	memcpy(next, x->at, n_keys * sizeof(*next));
	for (size_t i = 0; i < n_items; i++)
		x->ids[next[key(of, i)]++] = (uint32_t)i;
	free(next);
	return NA_OK;
}

void na_index_fini(struct na_index *x)
{
	free(x->ids);
	free(x->at);
	memset(x, 0, sizeof(*x));
}
