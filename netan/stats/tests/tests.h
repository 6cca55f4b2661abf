/*
 * Tail probabilities and the correction for many of them.
 */
#ifndef NETAN_STATS_TESTS_TESTS_H
#define NETAN_STATS_TESTS_TESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* P(Z >= z) of a standard normal; underflows to 0 beyond 38. */
double na_normal_upper(double z);
/* P(|T| <= x) of Student's t with nu > 0 degrees of freedom. */
double na_t_within(double x, double nu);

/* P(X >= k), X Poisson of this mean, or binomial with n trials of
 * probability p; 1 for k = 0. */
double na_poisson_upper(uint64_t k, double mean);
double na_binomial_upper(uint64_t k, uint64_t n, double p);
/* Log of n over k. */
double na_ln_choose(double n, double k);
/* Fisher's exact test, one-sided: that of `drawn` out of `all`, `marked` of
 * which are marked, k or more are, by chance.  1 where k is no more than the
 * mean. */
double na_fisher_upper(uint64_t k, uint64_t drawn, uint64_t marked,
		       uint64_t all);
/*
 * One side of one host of `hosts`: k events in n, where all sides of its kind
 * together have all_k in all_n.  The probability that so many or more come
 * about at the rate of the others, for twice as many sides as hosts looked at;
 * where the others have none, half an event is the least that it could have
 * been.  NaN where there are no others.
 */
double na_side_p_value(uint64_t k, uint64_t n, uint64_t all_k, uint64_t all_n,
		       size_t hosts);

/*
 * Log likelihood ratios, as chance alone would have it (0) or more:
 * na_count_llr: a count, of a Poisson law of its own rather than of this mean.
 * na_share_llr: k of n, with probability k / n rather than p < k / n.
 */
double na_count_llr(double n, double mean);
double na_share_llr(double k, double n, double p);

/*
 * Benjamini and Hochberg (JRSS-B, 1995): the smallest false discovery rate
 * at which each would be rejected, min over p(j) >= p of p(j) * m / rank,
 * at most 1.  NaN stays NaN and does not count.  q may be p.  False when
 * memory is short.  O(n log n); scratch: 24 bytes each.
 */
bool na_bh(const double *p, double *q, size_t n);

#endif
