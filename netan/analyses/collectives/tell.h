/*
 * Each execution that counts and is neither the record of a graph execution
 * nor joined over ranks, one by one: the list "device_executions" of the side
 * tree, where the scope asks for it.
 */
#ifndef NETAN_ANALYSES_COLLECTIVES_TELL_H
#define NETAN_ANALYSES_COLLECTIVES_TELL_H

#include "netan/model/scope.h"
#include "netan/model/store.h"
#include "netan/result/result.h"

struct coll_execution {
	const char *collective, *type, *group, *state; /* NULL: not told */
	int64_t sequence;                              /* -1: not told */
	int64_t start_ps, end_ps;
	bool ends_alone, begun_alone; /* nothing tells its start; its end */
	uint64_t size_bytes;          /* NA_UNKNOWN_U64 */
	uint32_t core;
};

struct coll_tell; /* NULL: nobody asks */

/* Takes what it needs of the store, which it borrows; NULL: no memory. */
struct coll_tell *na_collectives_tell_new(const struct na_store *store);
void na_collectives_tell_free(struct coll_tell *t);
/* Where they are told, of now on; r is borrowed. */
void na_collectives_tell_into(struct coll_tell *t, struct na_result *r);
void na_collectives_tell(struct coll_tell *t, const struct coll_execution *x);

#endif
