/*
 * Metadata ids (any int64) to small indices.  Ids are per plane and usually
 * dense from 1; both a dense table and a hash serve behind one lookup.
 */
#ifndef INGEST_BYTES_IDMAP_H
#define INGEST_BYTES_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct na_idmap {
	uint32_t *dense; /* index + 1 by id */
	size_t n_dense;
	struct na_idslot {
		int64_t id;
		uint32_t index1;
	} * slots;
	size_t n_slots, used;
};

/* All zero is an empty map. */
void na_idmap_fini(struct na_idmap *m);

/* Last one wins, as in a protobuf map.  False when memory is short. */
bool na_idmap_set(struct na_idmap *m, int64_t id, uint32_t index);

/* The part of na_idmap_at() that is rarely needed. */
uint32_t na_idmap_hashed(const struct na_idmap *m, int64_t id);

/* UINT32_MAX when the id is not there.  O(1), whatever the ids are. */
static inline uint32_t na_idmap_at(const struct na_idmap *m, int64_t id)
{
	if ((uint64_t)id < m->n_dense)
		return m->dense[id] - 1;
	return m->used ? na_idmap_hashed(m, id) : UINT32_MAX;
}

#endif
