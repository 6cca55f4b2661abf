/*
 * Quantiles of a stream in bounded memory, with a bounded relative error:
 * DDSketch (Masson, Rim and Lee, PVLDB 12, 2019).  Bucket i counts the
 * values in (gamma^(i-1), gamma^i], gamma = (1 + a) / (1 - a); its value,
 * 2 gamma^i / (gamma + 1), is within a = 0.5 % of everything in it.  Zeros
 * are counted apart.  Merging adds buckets, so it is exact: a sketch of all
 * is the same, bucket for bucket, however it was put together.
 */
#ifndef NETAN_STATS_SAMPLES_SKETCH_H
#define NETAN_STATS_SAMPLES_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/serialize.h"

#define NA_SKETCH_ERROR 0.005

struct na_sketch {
	uint64_t *count; /* [n], of buckets first, first + 1, ... */
	size_t n;
	int32_t first;
	uint64_t zeros, total;
};

/* All zero is empty. */
void na_sketch_fini(struct na_sketch *s);

/* x is finite and not negative.  False when memory is short, and nothing
 * is added then.  O(1), and one logarithm. */
bool na_sketch_add(struct na_sketch *s, double x);
bool na_sketch_merge(struct na_sketch *into, const struct na_sketch *from);

/* For another process, and there into an empty one. */
void na_sketch_pack(const struct na_sketch *s, struct na_serializer *to);
void na_sketch_unpack(struct na_sketch *s, struct na_deserializer *from);

/* Within 0.5 % of the order statistic of rank floor((total - 1) p), counted
 * from 0.  0 <= p <= 1; NaN when empty.  O(buckets). */
double na_sketch_quantile(const struct na_sketch *s, double p);

#endif
