/*
 * Quantiles and the mean of a sample, and how they vary when what was
 * measured together is drawn again: the bootstrap over clusters (Efron, Ann.
 * Stat. 7, 1979; Davison and Hinkley, Bootstrap Methods, 1997, section 3.8).
 *
 * The values of one unit (a training step) are not independent; units are
 * drawn with replacement, as many as there are, and all values of a unit come
 * along.  Nothing is copied or sorted again: of the sorted sample it is known
 * how much of each unit lies below every n / B th value, so that a quantile
 * of a resample is a binary search and a walk through one bucket.
 *
 * Cost: O(n) before, then for each resample and quantile
 * O(units log B + n / B); B as large as NA_BOOT_CELLS allows.
 */
#ifndef NETAN_STATS_TESTS_BOOT_H
#define NETAN_STATS_TESTS_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NA_BOOT_CELLS ((size_t)1 << 20) /* units * buckets: 8 MiB */
enum {
	NA_BOOT_LEAST = 8,  /* units; of fewer, events are drawn */
	NA_BOOT_UNITS = 512 /* at most; of more, neighbours go together */
};

struct na_boot_item {
	double value;        /* finite */
	uint32_t unit, kind; /* kind: index of its weight */
};

struct na_boot {
	const struct na_boot_item *x; /* [n] ascending by value; borrowed */
	size_t n;
	const double *weight; /* of each kind; NULL: all are 1; borrowed */
	size_t n_units;       /* 0 to NA_BOOT_UNITS */
	/* From na_boot_begin(). */
	bool by_events; /* fewer than NA_BOOT_LEAST units hold anything */
	size_t used_units;
	double total, mean, variance; /* of all values, weighted */
	size_t size, buckets;         /* items of a bucket */
	double *below;                /* [buckets + 1][n_units] */
	double *all, *sums;           /* [n_units] weights; weighted values */
};

/* By value, then unit and kind.  For qsort(). */
int na_boot_order(const void *a, const void *b);

/* x, n, weight and n_units are set.  False when memory is short; end it
 * whatever comes back. */
bool na_boot_begin(struct na_boot *b);
void na_boot_end(struct na_boot *b);

/*
 * Of the sample itself: with weights 1 the type 7 quantile (see
 * netan/stats/samples/quantile.h); else, with W the sum of the weights scaled
 * to the number of values, linear between the values at which the cumulated
 * weights reach floor(h) and floor(h) + 1, h = p (W - 1).  NaN for n = 0.
 */
double na_boot_quantile(const struct na_boot *b, double p);

/*
 * Resample number `turn`: its quantiles into out[0 .. m - 1], its mean into
 * out[m].  The same turn draws the same units, whatever the values, as long
 * as there are as many units; samples with another `stream` are drawn
 * independently.  The generator is GSL's mt19937, seeded from all three.
 *
 * By events a resample's order statistics are drawn from their distribution
 * (uniform order statistics are beta), each quantile by itself, and the mean
 * is normal around the sample's: O(1) for each.  NaN for n = 0.
 */
void na_boot_draw(const struct na_boot *b, uint64_t seed, uint64_t stream,
		  uint64_t turn, const double *p, size_t m, double *out);

/*
 * Two samples apart: of all pairs of units, one of each, the share in which
 * that of b has the larger mean (`at` NaN), or the larger share of its values
 * beyond `at`; a tie is half a pair.  Mann and Whitney's U over its maximum
 * (Ann. Math. Stat. 18, 1947).  O(n).  NaN by events, or when memory is
 * short.
 */
double na_boot_apart(const struct na_boot *a, const struct na_boot *b,
		     double at);

/*
 * The interval of a bootstrapped difference, expanded for few units
 * (Hesterberg, The American Statistician 69, 2015, section 5.4).
 *
 *   at       the difference as observed
 *   x [n]    resamples of it; reordered; NaN are passed over
 *   units    of the smaller sample; 0: by events, nothing is expanded
 *   freedom  degrees of freedom; 0: the normal distribution
 *
 * down, up: from `at` to the ends of the 95 % percentile interval, never
 * negative, times sqrt(units / (units - 1)).  False: fewer than half of the
 * resamples are numbers.
 */
struct na_boot_span {
	double at, down, up;
	double freedom;
};
bool na_boot_span(struct na_boot_span *s, double at, double *x, size_t n,
		  size_t units, double freedom);

/* Two-sided p value of `null`: the largest level at which the interval,
 * stretched by Student's t over the normal quantile of 95 %, just reaches
 * it. */
double na_boot_p(const struct na_boot_span *s, double null);
/* The interval at level 1 - alpha, stretched likewise. */
void na_boot_interval(const struct na_boot_span *s, double alpha,
		      double out[2]);

/* Holm (Scand. J. Stat. 6, 1979), step down: alpha[i] = level / (m - rank),
 * rank 0 the smallest p, ties in order of index, down to the first that is not
 * below its own; the rest share that one's.  NaN: not a test, level.
 * rejected[i]: p < alpha, with all before it.  False when memory is short. */
bool na_holm(const double *p, size_t n, double level, double *alpha,
	     bool *rejected);

/* Of two samples.  Kolmogorov and Smirnov: D and its asymptotic p value.
 * Anderson and Darling for two samples (Scholz and Stephens, JASA 82, 1987):
 * the standardised statistic with mid-ranks, (A2 - 1) / sigma, and p by their
 * interpolation, from 0.001 to 0.25.  Values are taken as independent.  NaN
 * where a sample is empty or all values are equal.  O(n). */
struct na_two_samples {
	double ks_d, ks_p, ad_t, ad_p;
};
void na_two_samples(const struct na_boot_item *a, size_t na,
		    const struct na_boot_item *b, size_t nb,
		    struct na_two_samples *out);

#endif
