#include "netan/model/joins/join.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum na_status na_store_join_programs(struct na_store *s,
				      const struct na_hlo *h,
				      struct na_op_joins *joins,
				      struct na_err *err)
{
	struct join j = {.s = s, .h = h, .err = err};
	enum na_status st = NA_OK;

	memset(joins, 0, sizeof(*joins));
	joins->modules = h ? h->n_modules : 0;
	st = na_join_runs(&j);
	if (st != NA_OK)
		return st;
	j.told = na_calloc(s->devices.types.n, sizeof(*j.told));
	if (!j.told)
		return na_fail_nomem(err);
	st = na_join_modules(&j);
	if (st == NA_OK)
		st = na_join_ops(&j);
	for (size_t i = 0; i < s->devices.types.n; i++) {
		const struct na_op_type *t = &s->devices.types.items[i];

		if (t->opcode != NA_OPCODE_OTHER &&
		    t->opcode != NA_OPCODE_CONTAINER)
			joins->types[t->joined]++;
	}
	free(j.told);
	return st;
}
