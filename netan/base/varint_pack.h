/*
 * Numbers in as few bytes as they need, for what one process writes and reads
 * again: nothing is checked in reading.  serialize.h reads what others sent.
 * After a failed allocation `failed` stays set: look once, at the end.
 */
#ifndef NETAN_BASE_VARINT_PACK_H
#define NETAN_BASE_VARINT_PACK_H

#include <math.h>
#include <stdint.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

struct na_varint_pack { /* being written; all zero: empty */
	NA_VEC(uint8_t) is;
	bool failed;
};

static inline void na_varint_put(struct na_varint_pack *b, const void *p,
				 size_t n)
{
	b->failed |= !na_append(&b->is, (const uint8_t *)p, n);
}

/* What is read moves on behind it. */
static inline void na_varint_take(const uint8_t **p, void *to, size_t n)
{
	memcpy(to, *p, n);
	*p += n;
}

/* ---- whole numbers; those with a sign are small near 0, on either side */

static inline void na_varint_put_number(struct na_varint_pack *b, uint64_t x)
{
	uint8_t buf[10];
	size_t n = 0;

	for (; x >= 0x80; x >>= 7)
		buf[n++] = (uint8_t)(x | 0x80);
	buf[n++] = (uint8_t)x;
	na_varint_put(b, buf, n);
}

static inline uint64_t na_varint_number(const uint8_t **p)
{
	uint64_t x = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		x |= (uint64_t)(*(*p)++ & 0x7F) << shift;
	return x | (uint64_t) * (*p)++ << shift;
}

static inline uint64_t na_varint_folded(int64_t i)
{
	return (uint64_t)i << 1 ^ (i < 0 ? UINT64_MAX : 0);
}

static inline int64_t na_varint_unfolded(uint64_t u)
{
	return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
}

/* Of 128 bits, of which 62 are mostly enough; else all follow. */
static inline void na_varint_put_wide(struct na_varint_pack *b, na_i128 x)
{
	uint64_t low = na_varint_folded((int64_t)x);
	bool fits = x == (int64_t)x && !(low >> 63);

	na_varint_put_number(b, fits ? low << 1 : 1);
	if (!fits)
		na_varint_put(b, &x, sizeof(x));
}

static inline na_i128 na_varint_wide(const uint8_t **p)
{
	uint64_t low = na_varint_number(p);
	na_i128 x;

	if (!(low & 1))
		return na_varint_unfolded(low >> 1);
	na_varint_take(p, &x, sizeof(x));
	return x;
}

/* ---- real numbers: most are whole, or were whole microseconds or
 * picoseconds */

enum { NA_VARINT_SCALE_BITS = 2, NA_VARINT_WHOLE_BITS = 32 };
static const double na_varint_scales[] = {0, 1, 1e6, 1e12};

/* A whole number over a scale, and which; over none: as it is. */
static inline void na_varint_put_real(struct na_varint_pack *b, double x)
{
	for (size_t k = 1; k < NA_LEN(na_varint_scales); k++) {
		double near = x * na_varint_scales[k], again;
		int64_t whole;

		if (!(fabs(near) <
		      (double)(UINT64_C(1) << NA_VARINT_WHOLE_BITS)))
			break;
		whole = (int64_t)(near + copysign(0.5, x));
		again = (double)whole / na_varint_scales[k];
		if (memcmp(&again, &x, sizeof(x)) == 0) {
			na_varint_put_number(
				b, na_varint_folded(whole)
						   << NA_VARINT_SCALE_BITS |
					   k);
			return;
		}
	}
	na_varint_put_number(b, 0);
	na_varint_put(b, &x, sizeof(x));
}

static inline double na_varint_real(const uint8_t **p)
{
	uint64_t u = na_varint_number(p);
	uint64_t k = u & ((1 << NA_VARINT_SCALE_BITS) - 1);
	double x;

	if (k)
		return (double)na_varint_unfolded(u >> NA_VARINT_SCALE_BITS) /
		       na_varint_scales[k];
	na_varint_take(p, &x, sizeof(x));
	return x;
}

#endif
