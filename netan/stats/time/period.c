#include "netan/stats/time/period.h"

#define LEAST 0.3 /* correlation of a period */
#define NEAR  0.8 /* of the best one */

struct series {
	const double *x;
	size_t n;
	double mean, square;
};

static double correlation(const struct series *s, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < s->n; i++)
		sum += (s->x[i] - s->mean) * (s->x[i + lag] - s->mean);
	return sum / s->square;
}

static void measure(struct series *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->x[i];
	s->mean = sum / (double)s->n;
	for (size_t i = 0; i < s->n; i++)
		s->square += (s->x[i] - s->mean) * (s->x[i] - s->mean);
}

size_t na_period(const double *x, size_t n)
{
	struct series s = {.x = x, .n = n};
	size_t first = 1, best = 0;
	double most = LEAST;

	measure(&s);
	if (!(s.square > 0))
		return 0;
	while (first <= n / 3 && correlation(&s, first) > 0)
		first++;
	for (size_t k = first; k <= n / 3; k++) {
		double r = correlation(&s, k);

		if (r >= most) {
			most = r;
			best = k;
		}
	}
	/* A multiple of the period can do as well by chance. */
	for (size_t k = first; k < best; k++) {
		double r = correlation(&s, k);

		if (r >= NEAR * most && r >= correlation(&s, k - 1) &&
		    r >= correlation(&s, k + 1))
			return k;
	}
	return best;
}
