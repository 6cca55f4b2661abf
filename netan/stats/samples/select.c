#include "netan/stats/samples/select.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"

/* A table of counts is on the stack. */
enum { DIGIT = 10, SMALL = 1024 };

static double value_at(const unsigned char *x, size_t i, size_t stride)
{
	double v;

	memcpy(&v, x + i * stride, sizeof(v));
	return v;
}

/* Of numbers that are not negative, the bits rise with the value. */
static uint64_t bits_at(const unsigned char *x, size_t i, size_t stride)
{
	double v = value_at(x, i, stride) + 0.0; /* -0 is 0 */
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* Shell's sort with Ciura's gaps: few values are dearer to count. */
static void sort_few(double *x, size_t n)
{
	static const size_t gaps[] = {301, 132, 57, 23, 10, 4, 1};

	for (size_t g = 0; g < NA_LEN(gaps); g++) {
		for (size_t i = gaps[g]; i < n; i++) {
			double v = x[i];
			size_t j = i;

			for (; j >= gaps[g] && x[j - gaps[g]] > v; j -= gaps[g])
				x[j] = x[j - gaps[g]];
			x[j] = v;
		}
	}
}

/* The value of rank k, counted from 0, from its highest digit downwards;
 * *next is that of rank k + 1, or the same where there is none. */
static double of_rank(const unsigned char *x, size_t n, size_t stride, size_t k,
		      double *next)
{
	uint64_t found = 0, least = UINT64_MAX;
	size_t upto = 0;
	double v;

	for (int left = 64; left > 0;) {
		int shift = left > DIGIT ? left - DIGIT : 0;
		size_t count[1 << DIGIT] = {0}, d = 0;
		uint64_t mask = ((uint64_t)1 << (left - shift)) - 1;

		for (size_t i = 0; i < n; i++) {
			uint64_t b = bits_at(x, i, stride);

			if (left == 64 || b >> left == found)
				count[b >> shift & mask]++;
		}
		while (k >= count[d])
			k -= count[d++];
		found = found << (left - shift) | d;
		left = shift;
	}
	memcpy(&v, &found, sizeof(v));
	*next = v;
	for (size_t i = 0; i < n; i++) {
		uint64_t b = bits_at(x, i, stride);

		upto += b == found;
		least = b > found && b < least ? b : least;
	}
	if (k + 1 >= upto && least != UINT64_MAX)
		memcpy(next, &least, sizeof(*next));
	return v;
}

void na_quantiles_of(const void *first, size_t stride, size_t n,
		     const double *p, double *q, size_t m, double *tmp,
		     size_t k)
{
	const unsigned char *x = first;

	for (size_t i = 0; n <= k && i < n; i++)
		tmp[i] = value_at(x, i, stride);
	if (n <= k && n <= SMALL)
		sort_few(tmp, n);
	else if (n <= k)
		na_sort_f64(tmp, tmp + k, n);
	for (size_t i = 0; i < m; i++) {
		double pair[2], h = (double)(n - 1) * p[i];

		if (n <= k) {
			q[i] = na_quantile_sorted(tmp, n, p[i]);
			continue;
		}
		pair[0] = of_rank(x, n, stride, (size_t)h, &pair[1]);
		q[i] = pair[0] + (h - floor(h)) * (pair[1] - pair[0]);
	}
}
