#include "netan/stats/samples/sort.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* A table of counts is on the stack. */
enum { DIGIT_BITS = 10, DIGITS = 1 << DIGIT_BITS };
enum { FEW = 32 }; /* counting digits would cost more */

static void one_digit(const int64_t *x, int64_t *to, size_t n, int64_t low,
		      int shift)
{
	size_t at[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[((uint64_t)x[i] - (uint64_t)low) >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[((uint64_t)x[i] - (uint64_t)low) >> shift &
		      (DIGITS - 1)]++] = x[i];
}

static void insert_each(int64_t *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int64_t keep = x[i];
		size_t k = i;

		for (; k && x[k - 1] > keep; k--)
			x[k] = x[k - 1];
		x[k] = keep;
	}
}

void na_sort_i64(int64_t *x, int64_t *tmp, size_t n)
{
	int64_t low, high, *from = x, *to = tmp, *swap;
	bool sorted = true;

	if (n <= FEW) {
		insert_each(x, n);
		return;
	}
	low = high = x[0];
	for (size_t i = 1; i < n; i++) {
		sorted &= x[i - 1] <= x[i];
		low = x[i] < low ? x[i] : low;
		high = x[i] > high ? x[i] : high;
	}
	for (int shift = 0;
	     !sorted && shift < 64 && ((uint64_t)high - (uint64_t)low) >> shift;
	     shift += DIGIT_BITS) {
		one_digit(from, to, n, low, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != x)
		memcpy(x, from, n * sizeof(*x));
}

bool na_sort_fit_i64(int64_t **x, size_t *cap, size_t n)
{
	int64_t *tmp = na_calloc(n, sizeof(*tmp));

	if (!tmp)
		return false;
	na_sort_i64(*x, tmp, n);
	free(tmp);
	na_fit(x, cap, n, sizeof(**x));
	return true;
}

/* The bits of a double, as a signed number, rise with its value, but fall
 * below zero. */
static int64_t turned(int64_t bits)
{
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

void na_sort_f64(double *x, double *tmp, size_t n)
{
	_Static_assert(sizeof(double) == sizeof(int64_t), "IEEE doubles");
	unsigned char *bytes = (void *)x;
	int64_t key;

	for (size_t i = 0; i < n; i++) {
		memcpy(&key, bytes + i * sizeof(key), sizeof(key));
		key = turned(key);
		memcpy(bytes + i * sizeof(key), &key, sizeof(key));
	}
	na_sort_i64((void *)x, (void *)tmp, n);
	for (size_t i = 0; i < n; i++) {
		memcpy(&key, bytes + i * sizeof(key), sizeof(key));
		key = turned(key);
		memcpy(bytes + i * sizeof(key), &key, sizeof(key));
	}
}
