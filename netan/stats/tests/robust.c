#include "netan/stats/tests/robust.h"

#include <math.h>
#include <string.h>

enum { SMALL = 48 }; /* below, insertion beats counting */

static void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

/* Leaves the median of first, middle and last in the middle. */
static double pivot(double *x, size_t lo, size_t hi)
{
	size_t mid = lo + (hi - lo) / 2;

	if (x[mid] < x[lo])
		swap(&x[mid], &x[lo]);
	if (x[hi] < x[mid]) {
		swap(&x[hi], &x[mid]);
		if (x[mid] < x[lo])
			swap(&x[mid], &x[lo]);
	}
	return x[mid];
}

double na_select(double *x, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double p = pivot(x, lo, hi);
		size_t i = lo, j = hi;

		for (;;) {
			while (x[i] < p)
				i++;
			while (p < x[j])
				j--;
			if (i >= j)
				break;
			swap(&x[i++], &x[j--]);
		}
		/* Up to j nothing is above p, behind it nothing below. */
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return x[k];
}

double na_quantile(double *x, size_t n, double p)
{
	double h, low, next;
	size_t i;

	if (!n)
		return 0;
	h = (double)(n - 1) * p;
	i = (size_t)h;
	low = na_select(x, n, i);
	if (h <= (double)i || i + 1 >= n)
		return low;
	/* What follows is not smaller: its least is the next in order. */
	next = x[i + 1];
	for (size_t k = i + 2; k < n; k++)
		next = x[k] < next ? x[k] : next;
	return low + (h - (double)i) * (next - low);
}

double na_median(double *x, size_t n)
{
	return na_quantile(x, n, 0.5);
}

double na_mad(double *x, size_t n, double centre)
{
	for (size_t i = 0; i < n; i++)
		x[i] = fabs(x[i] - centre);
	return na_median(x, n);
}

/* Bits that order like the number. */
static uint32_t key(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u ^ (u >> 31 ? UINT32_MAX : UINT32_C(0x80000000));
}

static void insertion(float *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		float v = x[i];
		size_t k = i;

		for (; k && v < x[k - 1]; k--)
			x[k] = x[k - 1];
		x[k] = v;
	}
}

/* Least significant byte first; bytes that all share are skipped. */
void na_sort_f32(float *x, float *tmp, size_t n)
{
	size_t count[4][256] = {{0}};
	float *from = x, *to = tmp;

	if (n <= SMALL) {
		insertion(x, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t k = key(x[i]);

		for (unsigned b = 0; b < 4; b++)
			count[b][k >> (8 * b) & 255]++;
	}
	for (unsigned b = 0; b < 4; b++) {
		size_t at = 0;

		if (count[b][key(x[0]) >> (8 * b) & 255] == n)
			continue;
		for (unsigned v = 0; v < 256; v++) {
			size_t c = count[b][v];

			count[b][v] = at;
			at += c;
		}
		for (size_t i = 0; i < n; i++)
			to[count[b][key(from[i]) >> (8 * b) & 255]++] = from[i];
		to = from;
		from = from == x ? tmp : x;
	}
	if (from != x)
		memcpy(x, from, n * sizeof(*x));
}

double na_quantile_f32(const float *x, size_t n, double p)
{
	double h;
	size_t i;

	if (!n)
		return 0;
	h = (double)(n - 1) * p;
	i = (size_t)h;
	if (i + 1 >= n)
		return x[n - 1];
	return x[i] + (h - (double)i) * ((double)x[i + 1] - x[i]);
}

/* Walks outwards from the centre, nearest first, to the middle distance. */
double na_mad_f32(const float *x, size_t n, double centre)
{
	size_t right = 0, left, want = n / 2;
	double before = 0, last = 0;

	while (right < n && x[right] < centre)
		right++;
	left = right;
	for (size_t i = 0; i < n && i <= want; i++) {
		double l = left ? centre - x[left - 1] : HUGE_VAL;
		double r = right < n ? x[right] - centre : HUGE_VAL;

		before = last;
		last = l < r ? l : r;
		if (l < r)
			left--;
		else
			right++;
	}
	return n % 2 ? last : (before + last) / 2;
}
