/*
 * Device planes in parts and in the store: cores, op types, ops and busy
 * times (netan/model/device.h).  Used by part.c, store.c and resolve.c.
 */
#ifndef NETAN_MODEL_DEVICES_H
#define NETAN_MODEL_DEVICES_H

#include "netan/base/err.h"
#include "netan/model/bag.h"
#include "netan/model/device.h"

/* Distinct op types, in the order of first appearance. */
struct na_op_types {
	struct na_op_type *items;
	uint32_t *slots; /* index + 1; 0 is free */
	size_t n, cap, n_slots;
};

struct na_devices {
	struct na_core *cores;
	size_t n_cores, cap_cores;
	uint32_t *core_slots; /* index + 1; 0 is free */
	size_t n_core_slots;
	struct na_op_types types;
	struct na_bag ops;  /* na_op */
	struct na_bag busy; /* na_busy; see na_core.tangled */
	/* Of a store: busy times of its tangled cores, made straight; then
	 * those in `busy` do not count. */
	struct na_bag straight;
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

void na_devices_init(struct na_devices *d, struct na_pool *pool);
void na_devices_fini(struct na_devices *d);

/* UINT32_MAX when memory is short. */
uint32_t na_devices_core(struct na_devices *d, enum na_device_kind kind,
			 uint16_t input, int32_t number);
uint32_t na_devices_type(struct na_devices *d, const struct na_op_type *t);
bool na_devices_op(struct na_devices *d, const struct na_op *x);
bool na_devices_busy(struct na_devices *d, uint32_t core, int64_t start_ps,
		     int64_t end_ps);
bool na_devices_ordinal(struct na_devices *d, uint32_t endpoint,
			uint32_t ordinal);

/* All of `part`, of one input, behind what is there; `maps` as from
 * na_names_merge().  core_of[i]: the new index of core i, to be freed by the
 * caller; NULL when memory is short. */
uint32_t *na_devices_take(struct na_devices *d, struct na_devices *part,
			  uint16_t input, uint32_t *maps[2],
			  const size_t n_maps[2]);

/* For qsort(): by core, then start, end and type; by core, then start, end and
 * number. */
int na_op_order(const void *a, const void *b);
int na_span_order(const void *a, const void *b);
/* By na_op_order(); in one look where they are, as lines mostly tell them. */
void na_sort_ops(struct na_op *ops, size_t n);

/* Busy times of tangled cores: sorted and joined. */
bool na_devices_straighten(struct na_devices *d);

#endif
