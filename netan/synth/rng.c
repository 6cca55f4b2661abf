#include "netan/synth/rng.h"

#include "netan/base/units.h"

__extension__ typedef unsigned __int128 na_u128;

/* 2^(1/2), 2^(1/4), ... 2^(1/65536) with 62 binary digits. */
/* clang-format off */
static const uint64_t exp2_roots[16] = {
	UINT64_C(0x5a827999fcef3242), UINT64_C(0x4c1bf828c6dc54b8),
	UINT64_C(0x45cae0f1f545eb73), UINT64_C(0x42d561b3e6243d8a),
	UINT64_C(0x4166c34c5615d0ec), UINT64_C(0x40b268f9de0183ba),
	UINT64_C(0x4058f6a7ecccd5b6), UINT64_C(0x402c6be96af2fb58),
	UINT64_C(0x4016321b687027a8), UINT64_C(0x400b18178ba33b14),
	UINT64_C(0x40058bce410147e8), UINT64_C(0x4002c5d7bff71daf),
	UINT64_C(0x400162e807ee7e5b), UINT64_C(0x4000b1730df6a524),
	UINT64_C(0x400058b9497b8152), UINT64_C(0x40002c5c955dd701),
};
/* clang-format on */

static uint64_t rotl(uint64_t x, unsigned k)
{
	return x << k | x >> (64 - k);
}

void na_rng_seed(struct na_rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		r->s[i] = z ^ z >> 31;
	}
}

uint64_t na_rng_next(struct na_rng *r)
{
	uint64_t *s = r->s, out = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return out;
}

uint64_t na_rng_below(struct na_rng *r, uint64_t n)
{
	return (uint64_t)((na_u128)na_rng_next(r) * n >> 64);
}

bool na_rng_hit(struct na_rng *r, int64_t share_q16)
{
	return (int64_t)(na_rng_next(r) >> 48) < share_q16;
}

int64_t na_rng_normal_q16(struct na_rng *r)
{
	uint64_t sum = 0;

	for (int i = 0; i < 6; i++) {
		uint64_t x = na_rng_next(r);

		sum += (x >> 32) + (x & UINT32_MAX);
	}
	return (int64_t)(sum >> 16) - 6 * NA_Q16_ONE;
}

int64_t na_exp2_q16(int64_t x_q16)
{
	int64_t whole;
	uint64_t part, m = UINT64_C(1) << 62;

	if (x_q16 < -16 * NA_Q16_ONE)
		x_q16 = -16 * NA_Q16_ONE;
	if (x_q16 > 30 * NA_Q16_ONE)
		x_q16 = 30 * NA_Q16_ONE;
	/* Shift to positive first: >> of a negative number is the
	 * compiler's choice. */
	whole = ((x_q16 + 16 * NA_Q16_ONE) >> 16) - 16;
	part = (uint64_t)(x_q16 - whole * NA_Q16_ONE);
	for (unsigned k = 0; k < 16; k++)
		if (part >> (15 - k) & 1)
			m = (uint64_t)((na_u128)m * exp2_roots[k] >> 62);
	return (int64_t)(m >> (46 - whole));
}

int64_t na_mul_q16(int64_t x, int64_t q_q16)
{
	return (int64_t)((na_i128)x * q_q16 / NA_Q16_ONE);
}

int64_t na_rng_lognormal(struct na_rng *r, int64_t median, int64_t sigma_q16)
{
	int64_t z = na_rng_normal_q16(r);

	return na_mul_q16(median, na_exp2_q16(na_mul_q16(z, sigma_q16)));
}
