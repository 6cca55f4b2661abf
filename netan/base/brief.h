/*
 * Numbers in as few bytes as they need, for what one process writes and reads
 * again: nothing is checked in reading.  What others have sent is parcel.h's.
 * After a failed allocation `failed` stays set: look once, at the end.
 */
#ifndef NETAN_BASE_BRIEF_H
#define NETAN_BASE_BRIEF_H

#include <math.h>
#include <stdint.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

struct na_brief { /* being written; all zero: empty */
	NA_VEC(uint8_t) is;
	bool failed;
};

static inline void na_brief_put(struct na_brief *b, const void *p, size_t n)
{
	b->failed |= !na_append(&b->is, (const uint8_t *)p, n);
}

/* What is read moves on behind it. */
static inline void na_brief_take(const uint8_t **p, void *to, size_t n)
{
	memcpy(to, *p, n);
	*p += n;
}

/* ---- whole numbers; those with a sign are small near 0, on either side */

static inline void na_brief_put_number(struct na_brief *b, uint64_t x)
{
	uint8_t buf[10];
	size_t n = 0;

	for (; x >= 0x80; x >>= 7)
		buf[n++] = (uint8_t)(x | 0x80);
	buf[n++] = (uint8_t)x;
	na_brief_put(b, buf, n);
}

static inline uint64_t na_brief_number(const uint8_t **p)
{
	uint64_t x = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		x |= (uint64_t)(*(*p)++ & 0x7F) << shift;
	return x | (uint64_t) * (*p)++ << shift;
}

static inline uint64_t na_brief_folded(int64_t i)
{
	return (uint64_t)i << 1 ^ (i < 0 ? UINT64_MAX : 0);
}

static inline int64_t na_brief_unfolded(uint64_t u)
{
	return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
}

/* Of 128 bits, of which 62 are mostly enough; else all follow. */
static inline void na_brief_put_wide(struct na_brief *b, na_i128 x)
{
	uint64_t low = na_brief_folded((int64_t)x);
	bool fits = x == (int64_t)x && !(low >> 63);

	na_brief_put_number(b, fits ? low << 1 : 1);
	if (!fits)
		na_brief_put(b, &x, sizeof(x));
}

static inline na_i128 na_brief_wide(const uint8_t **p)
{
	uint64_t low = na_brief_number(p);
	na_i128 x;

	if (!(low & 1))
		return na_brief_unfolded(low >> 1);
	na_brief_take(p, &x, sizeof(x));
	return x;
}

/* ---- real numbers: most are whole, or were whole microseconds or
 * picoseconds */

enum { NA_BRIEF_SCALE_BITS = 2, NA_BRIEF_WHOLE_BITS = 32 };
static const double na_brief_scales[] = {0, 1, 1e6, 1e12};

/* A whole number over a scale, and which; over none: as it is. */
static inline void na_brief_put_real(struct na_brief *b, double x)
{
	for (size_t k = 1; k < NA_LEN(na_brief_scales); k++) {
		double near = x * na_brief_scales[k], again;
		int64_t whole;

		if (!(fabs(near) <
		      (double)(UINT64_C(1) << NA_BRIEF_WHOLE_BITS)))
			break;
		whole = (int64_t)(near + copysign(0.5, x));
		again = (double)whole / na_brief_scales[k];
		if (memcmp(&again, &x, sizeof(x)) == 0) {
			na_brief_put_number(b, na_brief_folded(whole)
						       << NA_BRIEF_SCALE_BITS |
						       k);
			return;
		}
	}
	na_brief_put_number(b, 0);
	na_brief_put(b, &x, sizeof(x));
}

static inline double na_brief_real(const uint8_t **p)
{
	uint64_t u = na_brief_number(p);
	uint64_t k = u & ((1 << NA_BRIEF_SCALE_BITS) - 1);
	double x;

	if (k)
		return (double)na_brief_unfolded(u >> NA_BRIEF_SCALE_BITS) /
		       na_brief_scales[k];
	na_brief_take(p, &x, sizeof(x));
	return x;
}

#endif
