/*
 * Numbers and arrays as bytes for another process of the same build: what is
 * written is read in the same order.  A number takes a byte more than it has
 * significant ones.  After a failed allocation, or where the bytes are not what
 * was expected, `failed` stays set, nothing more is added, and all numbers read
 * are 0, so that it is enough to look at it at the end.
 */
#ifndef NETAN_BASE_SERIALIZE_H
#define NETAN_BASE_SERIALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/units.h"

struct na_serializer { /* being written; all zero: empty */
	uint8_t *p;
	size_t n, cap;
	bool failed;
};

void na_serializer_fini(struct na_serializer *p);
void na_pack_number(struct na_serializer *p, uint64_t v);
/* Small where it is near 0, on either side. */
void na_pack_signed(struct na_serializer *p, int64_t v);
void na_pack_wide(struct na_serializer *p, na_i128 v);

struct na_deserializer { /* being read */
	const uint8_t *p, *end;
	bool failed;
};

uint64_t na_unpack_number(struct na_deserializer *p);
/* Below `limit`. */
size_t na_unpack_index(struct na_deserializer *p, uint64_t limit);
/* How many things follow of which each takes a byte at least: what is made
 * room for is no more than was sent. */
size_t na_unpack_count(struct na_deserializer *p);
int64_t na_unpack_signed(struct na_deserializer *p);
na_i128 na_unpack_wide(struct na_deserializer *p);
/* What may be summed up with that of all others: from 0 to below 2^40 and
 * 2^104. */
uint64_t na_unpack_tally(struct na_deserializer *p);
na_i128 na_unpack_sum(struct na_deserializer *p);
/* Says of it that it is broken where this does not hold. */
void na_unpack_must(struct na_deserializer *p, bool holds);

#endif
