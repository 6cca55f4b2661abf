/*
 * An analysis driven through its descriptor over a hand-made store, in
 * blocks of any size, as the command line does it.
 */
#ifndef TESTS_UNIT_HAND_DRIVE_H
#define TESTS_UNIT_HAND_DRIVE_H

#include "netan/analyses/analysis.h"
#include "tests/unit/hand_store.h"

struct driven {
	struct na_result *r;
	enum na_status status;
	uint64_t used;
	int64_t first_ps, last_ps;
	enum na_severity severity;
};

/* The store is resolved; records pass the filter of the scope. */
void hand_drive(struct driven *d, const struct na_analysis *a,
		const struct na_scope *scope, const void *params,
		size_t block_size, struct na_err *err);
void driven_end(struct driven *d);

/* A number, or NaN, at a path of the result's body. */
double driven_real(const struct driven *d, const char *path);

/* The i-th of a list; NULL: there are not so many. */
const struct na_value *value_at(const struct na_value *list, size_t i);

/* A store of one run, and what an analysis says of it. */
struct hand_run {
	struct hand h;
	struct na_scope scope;
	struct driven d;
};

struct hand_run *hand_run_begin(size_t n_sources, int side);
/* Rows as hand_fill() takes them, 100 in a part; blocks of block_size. */
void hand_run_drive(struct hand_run *x, const struct hand_row *rows, size_t n,
		    const struct na_analysis *a, const void *params,
		    size_t block_size);
void hand_run_end(struct hand_run *x);

/* The whole body as JSON text, to be freed: to compare two results. */
char *driven_json(const struct driven *d);

#endif
