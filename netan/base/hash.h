/*
 * FNV-1a of 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv): of few bytes, where
 * nobody plays against it.
 */
#ifndef NETAN_BASE_HASH_H
#define NETAN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define NA_FNV1A UINT64_C(14695981039346656037) /* of nothing */

static inline uint64_t na_fnv1a(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(1099511628211);
	return h;
}

#endif
