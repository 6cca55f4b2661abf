/*
 * A bounded sample of a stream of records, the same for any order and any
 * split of the stream: those with the smallest hashes.  Where there are more
 * than max, those with the larger half of the hashes go, about half of them,
 * until no more stay: each record of the stream has the same chance, 2^-shift.
 */
#ifndef NETAN_STATS_SAMPLES_SAMPLE_H
#define NETAN_STATS_SAMPLES_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct na_sample {
	size_t size, max;     /* bytes of an item, items at most */
	unsigned char *items; /* owned */
	size_t n, cap;
	unsigned shift; /* kept: hashes below 2^(64 - shift) */
};

/* An item is `size` bytes, is copied, and begins with its hash, a uint64_t,
 * evenly spread.  Takes no memory before the first one. */
void na_sample_init(struct na_sample *s, size_t size, size_t max);
void na_sample_fini(struct na_sample *s);

/* All that came so far is here while shift is 0.  Samples that merge have the
 * same size and max.  False when memory is short: the sample lacks the item
 * then.  O(1) an item, taken over all of them. */
bool na_sample_add(struct na_sample *s, const void *item);
bool na_sample_merge(struct na_sample *into, const struct na_sample *from);

/* Whether an item of that hash would be kept: ask before making it. */
static inline bool na_sample_wants(const struct na_sample *s, uint64_t hash)
{
	return s->shift == 0 || hash >> (64 - s->shift) == 0;
}

/* The next value of a hash over several numbers (splitmix64's finalizer by
 * Stafford, "Better bit mixing", variant 13). */
static inline uint64_t na_mix_u64(uint64_t hash, uint64_t value)
{
	uint64_t x = hash * UINT64_C(0x9e3779b97f4a7c15) + value;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

#endif
