/*
 * Random numbers for synthetic traces: xoshiro256** seeded by splitmix64
 * (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * 2021), and everything above it in integers.  No libm, no floating point:
 * the same seed gives the same bytes with any compiler on any machine.
 *
 * "q16" is a fixed-point number with 16 binary digits after the point.
 */
#ifndef NETAN_SYNTH_RNG_H
#define NETAN_SYNTH_RNG_H

#include <stdbool.h>
#include <stdint.h>

#define NA_Q16_ONE INT64_C(65536)

struct na_rng {
	uint64_t s[4];
};

void na_rng_seed(struct na_rng *r, uint64_t seed);
uint64_t na_rng_next(struct na_rng *r);

/* Uniform in [0, n); 0 for n = 0.  The bias is below n / 2^64. */
uint64_t na_rng_below(struct na_rng *r, uint64_t n);

/* True with probability share_q16 / 65536. */
bool na_rng_hit(struct na_rng *r, int64_t share_q16);

/* Standard normal as a sum of twelve uniforms: mean 0, variance 1, never
 * beyond 6, tails lighter than the real thing beyond about 3. */
int64_t na_rng_normal_q16(struct na_rng *r);

/* 2^x, relative error below 2^-14 for results of at least 1.  x is clamped
 * to [-16, 30]. */
int64_t na_exp2_q16(int64_t x_q16);

/* x * q, rounded down, through 128 bits. */
int64_t na_mul_q16(int64_t x, int64_t q_q16);

/* median * 2^(sigma * normal); sigma is in powers of two. */
int64_t na_rng_lognormal(struct na_rng *r, int64_t median, int64_t sigma_q16);

#endif
