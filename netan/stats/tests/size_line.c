#include "netan/stats/tests/size_line.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"

enum { MIN_TRANSFERS = 5, PAIRS = NA_SIZE_CLASSES * (NA_SIZE_CLASSES - 1) / 2 };

#define MIN_SPAN 4 /* largest over smallest size */

struct weighted {
	double x, weight;
};

NA_ORDER(by_x, struct weighted, NA_UP(x))

/* The least x with at least half of the weight at or below it. */
static double weighted_median(struct weighted *w, size_t n)
{
	double all = 0, sum = 0;
	size_t i = 0;

	na_sort(w, n, by_x);
	for (size_t k = 0; k < n; k++)
		all += w[k].weight;
	while (i + 1 < n && (sum += w[i].weight) < all / 2)
		i++;
	return w[i].x;
}

/* A leaf that has no other place for its pairs, and cannot fail. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
__attribute__((noinline)) static double slope_of(const struct na_size_class *c,
						 size_t n)
{
	struct weighted w[PAIRS];
	size_t pairs = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			double apart = c[i].bytes - c[k].bytes;
			double error = hypot(c[i].us / sqrt((double)c[i].n),
					     c[k].us / sqrt((double)c[k].n));

			w[pairs++] =
				(struct weighted){(c[i].us - c[k].us) / apart,
						  apart / error};
		}
	}
	return weighted_median(w, pairs);
}
#pragma GCC diagnostic pop

static double intercept_of(const struct na_size_class *c, size_t n,
			   double slope)
{
	struct weighted w[NA_SIZE_CLASSES];

	for (size_t i = 0; i < n; i++)
		w[i] = (struct weighted){c[i].us - slope * c[i].bytes,
					 (double)c[i].n / c[i].us / c[i].us};
	return weighted_median(w, n);
}

bool na_size_line(const struct na_size_class *c, size_t n,
		  struct na_size_line *out)
{
	struct na_size_class used[NA_SIZE_CLASSES];
	size_t m = 0;

	for (size_t i = 0; i < n && i < NA_SIZE_CLASSES; i++) {
		if (c[i].n >= MIN_TRANSFERS && c[i].us > 0)
			used[m++] = c[i];
	}
	if (m < 2 || used[m - 1].bytes <= used[0].bytes ||
	    used[m - 1].bytes < MIN_SPAN * used[0].bytes)
		return false;
	out->us_per_byte = fmax(slope_of(used, m), 0);
	out->fixed_us = fmax(intercept_of(used, m, out->us_per_byte), 0);
	return true;
}
