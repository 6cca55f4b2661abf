#include "tests/accuracy/draw.h"

#include <math.h>

static double unit(uint64_t x)
{
	return (double)(x >> 11) * 0x1p-53;
}

double fl_uniform(struct na_rng *r)
{
	return unit(na_rng_next(r));
}

double fl_between(struct na_rng *r, double lo, double hi)
{
	return lo + (hi - lo) * fl_uniform(r);
}

double fl_log_between(struct na_rng *r, double lo, double hi)
{
	return lo * exp(log(hi / lo) * fl_uniform(r));
}

double fl_normal(struct na_rng *r)
{
	double u = 1 - fl_uniform(r), v = fl_uniform(r);

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

double fl_lognormal(struct na_rng *r, double sigma)
{
	return exp(sigma * fl_normal(r));
}

bool fl_chance(struct na_rng *r, double p)
{
	return fl_uniform(r) < p;
}

uint32_t fl_pick(struct na_rng *r, uint32_t n)
{
	return (uint32_t)na_rng_below(r, n);
}

uint64_t fl_hash(uint64_t a, uint64_t b)
{
	uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) ^
		     (b + 1) * UINT64_C(0xd1342543de82ef95);

	z = (z ^ z >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 29) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 32;
}

double fl_hash_uniform(uint64_t a, uint64_t b)
{
	return unit(fl_hash(a, b));
}
