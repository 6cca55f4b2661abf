/*
 * Inside na_store_resolve(): resolve.c, resolve_cores.c, resolve_ranked.c.
 */
#ifndef NETAN_MODEL_HOSTS_RESOLVE_H
#define NETAN_MODEL_HOSTS_RESOLVE_H

#include "netan/model/store.h"

struct na_local_end {
	struct na_endpoint e;
	size_t index;
};

/* The endpoints that a source records, by slice and device: `n` of them, to
 * be freed; NULL when memory is short. */
struct na_local_end *na_local_ends(const struct na_store *s, size_t source,
				   size_t *n);

/* Of every core its endpoint; busy times of tangled ones made straight. */
enum na_status na_resolve_cores(struct na_store *s,
				struct na_err *err) NA_MUST_CHECK;

/* s->ranked, s->runs_on and s->home_of. */
enum na_status na_resolve_ranked(struct na_store *s,
				 struct na_err *err) NA_MUST_CHECK;

#endif
