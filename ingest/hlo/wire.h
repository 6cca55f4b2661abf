/*
 * Messages inside an HloInstructionProto: shapes, groups of devices,
 * attributes.
 *
 *   ShapeProto      2 element_type  3 dimensions*  4 tuple_shapes*
 *                   5 layout {1 minor_to_major*  7 element_size_in_bits}
 *   ReplicaGroup    1 replica_ids*          SourceTarget  1, 2
 *   CollectiveDeviceListProto  1 replica_groups*  2 iota {1 num_groups
 *                   2 devices_per_group  3 reshape_dims*  4 transpose*}
 *   FrontendAttributes  1 map {1 key, 2 value}
 *
 * Source: openxla/xla, xla/xla_data.proto.
 */
#ifndef INGEST_HLO_WIRE_H
#define INGEST_HLO_WIRE_H

#include "ingest/bytes/wire.h"
#include "ingest/hlo/parts.h"

enum { HLO_SHAPE_DEPTH = 64 }; /* tuples in tuples */

/* Each call hands out the next of a repeated number, packed or not: of one
 * field, with *c = its body and *first = true before the first. */
bool na_hlo_next_number(const struct na_field *f, struct na_cursor *c,
			bool *first, uint64_t *out);

/* False: damaged.  *bytes: NA_UNKNOWN_U64 where a type is not known, a
 * dimension has no size, or nests too deep. */
bool na_hlo_shape_bytes(struct na_cursor shape, uint64_t *bytes);
/* bf16[8,128]{1,0} or (a, b). */
void na_hlo_shape_text(struct na_hlo_buf *b, struct na_cursor shape, int depth);

struct na_hlo_groups {
	uint32_t n, first_size;
	bool uneven;
};

/* One ReplicaGroup more; a whole CollectiveDeviceListProto. */
bool na_hlo_group_add(struct na_hlo_groups *g, struct na_cursor group);
bool na_hlo_device_list(struct na_hlo_groups *g, struct na_cursor list);
/* {0,1},{2,3} or [2,2]<=[4]T(1,0) */
void na_hlo_group_text(struct na_hlo_buf *b, struct na_cursor group);
void na_hlo_device_list_text(struct na_hlo_buf *b, struct na_cursor list);

struct na_hlo_pair {
	struct na_text key, value;
};
/* Sorted by key, since maps have no order; to be freed.  False: damaged or
 * no memory (*nomem). */
bool na_hlo_attributes(struct na_cursor map, struct na_hlo_pair **pairs,
		       size_t *n, bool *nomem);

#endif
