/*
 * Device planes in parts and in the store: cores, op types and busy times
 * (netan/model/device.h).  Used by part.c, store.c and resolve.c.
 */
#ifndef NETAN_MODEL_DEVICES_H
#define NETAN_MODEL_DEVICES_H

#include "netan/base/err.h"
#include "netan/base/triples.h"
#include "netan/model/chunk_list.h"
#include "netan/model/device.h"
#include "netan/model/transfer.h"

/* Distinct op types, in the order of first appearance. */
struct na_op_types {
	struct na_op_type *items;
	uint32_t *slots; /* index + 1; 0 is free */
	size_t n, cap, n_slots;
};

struct na_devices { /* all zero: empty */
	struct na_core *cores;
	size_t n_cores, cap_cores;
	struct na_triples core_of; /* kind, input and number to core */
	struct na_op_types types;
	struct last_busy { /* by core */
		int64_t start_ps, end_ps;
		bool any;
	} * last;
	size_t cap_last;
	/* Which device of its host an endpoint is, by endpoint and as graph
	 * executions tell: NA_UNKNOWN_U32. */
	uint32_t *ordinals;
	size_t n_ordinals;
	uint64_t refused; /* records since there were NA_CORES_MAX cores */
};

void na_devices_fini(struct na_devices *d);

/* "TPU 3", "GPU 3", "r3"; with `between` before the number but of ranks. */
#define NA_CORE_BUF 24
const char *na_core_print(char buf[NA_CORE_BUF], const struct na_core *c,
			  char between);

/* UINT32_MAX when memory is short. */
uint32_t na_devices_core(struct na_devices *d, enum na_device_kind kind,
			 uint32_t input, int32_t number);
uint32_t na_devices_type(struct na_devices *d, const struct na_op_type *t);
/* Into the list, which is always the same: less what it covers already. */
bool na_devices_busy(struct na_devices *d, struct na_chunk_list *busy,
		     uint32_t core, int64_t start_ps, int64_t end_ps);
bool na_devices_ordinal(struct na_devices *d, uint32_t endpoint,
			uint32_t ordinal);

/* All types are there: what finds them goes until one is added after all, and
 * the room that growth left. */
void na_devices_settle_types(struct na_devices *d);

/* From the indices of a part to those of the store.  Beyond them: unknown. */
struct na_maps {
	uint32_t *names, *endpoints; /* from na_names_merge() */
	size_t n_names, n_endpoints;
	uint32_t *cores, *types; /* from na_devices_take() */
	uint32_t input;
};
static inline uint32_t na_map_index(const uint32_t *map, size_t n, uint32_t i)
{
	return i < n ? map[i] : NA_UNKNOWN_U32;
}

/* Its names are those of the store then. */
void na_op_type_rename(struct na_op_type *t, const struct na_maps *m);
/* All of `part`, of one input, behind what is there; fills in `cores` and
 * `types`, to be freed by the caller.  False when memory is short. */
bool na_devices_take(struct na_devices *d, const struct na_devices *part,
		     struct na_maps *m);
/* A busy time of a part, its core renamed, behind those before. */
void na_devices_join_busy(struct na_devices *d, struct na_busy *x);

/* For qsort(): by core, then start, end and type; by core, then start, end and
 * number. */
int na_op_order(const void *a, const void *b);
int na_span_order(const void *a, const void *b);
/* By na_op_order(), where they lie in a store. */
void na_sort_ops(const struct na_op **ops, size_t n);

/* Busy times of tangled cores: sorted and joined, at the end of the list; where
 * they were they have no length any more. */
bool na_devices_straighten(const struct na_devices *d,
			   struct na_chunk_list *busy);

#endif
