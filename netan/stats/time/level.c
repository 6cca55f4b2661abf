#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "netan/stats/time/level.h"

#define SATURATED_SHARE 0.9
#define BRIDGED_SHARE   0.5
enum { MIN_REGION_BINS = 3, MIN_PLATEAU_BINS = 10 };

size_t na_regions(const double *rate, size_t n, double capacity,
		  struct na_region *out, size_t max)
{
	double limit = SATURATED_SHARE * capacity;
	double bridge = BRIDGED_SHARE * capacity;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		size_t to = i + 1;
		double sum = 0;

		if (rate[i] < limit)
			continue;
		while (to < n && (rate[to] >= limit ||
				  (rate[to] >= bridge && to + 1 < n &&
				   rate[to + 1] >= limit)))
			to++;
		if (to - i >= MIN_REGION_BINS) {
			for (size_t k = i; k < to; k++)
				sum += rate[k];
			if (found < max)
				out[found] = (struct na_region){
					i, to, sum / (double)(to - i)};
			found++;
		}
		i = to;
	}
	return found;
}

double na_plateau(const double *rate, size_t n, double *scratch,
		  size_t *bins_in)
{
	size_t busy = 0, in = 0, first;
	double q;

	*bins_in = 0;
	for (size_t i = 0; i < n; i++) {
		if (rate[i] > 0)
			scratch[busy++] = rate[i];
	}
	if (busy < MIN_PLATEAU_BINS)
		return 0;
	gsl_sort(scratch, 1, busy);
	q = gsl_stats_quantile_from_sorted_data(scratch, 1, busy, 0.995);
	for (first = 0; scratch[first] < 0.9 * q; first++)
		;
	while (first + in < busy && scratch[first + in] <= 1.02 * q)
		in++;
	if (in < MIN_PLATEAU_BINS || (double)in < 0.05 * (double)busy)
		return 0;
	*bins_in = in;
	return gsl_stats_median_from_sorted_data(scratch + first, 1, in);
}
