/*
 * Who is slow in a fleet of a few hosts: each is held out in turn, and compared
 * with what the others predict.
 *
 * The one model (netan/judge) estimates what healthy hosts differ by from all of
 * them, as if at most a fifth were slow.  Of five hosts one that is slow both
 * ways touches eight of twenty pairs, and widens that spread until it hides in
 * it.  Here the spread is that of the others alone:
 *
 *	x    of a pair: median over its rows of log time per byte, as if it had
 *	     had its ports for itself (time over mean number of rows there), and
 *	     50 us for 64 KiB: less than that is processors that wake up
 *	mu   median of x over pairs of the others
 *	s2   variance of the medians of the others' sides about mu, moderated
 *	     (Smyth 2004) by 4 of 0.1; plus what their pairs vary beyond, by the
 *	     number of pairs
 *	m    of a side: lower quartile of x - mu over its pairs; of a host: the
 *	     lesser of its sides
 *
 * odds = prior x (mean of t((m - a) / s) over a = log 1.15 ... log 20) / t(m / s)
 *
 * with as many degrees of freedom as sides, and four (predictive t: Gelman et
 * al., Bayesian Data Analysis, ch. 3).  Where each host has one peer, pairs are
 * compared instead.  A host is named when the odds of its sides and of both
 * together come to 9; then it is left out, and the rest is looked at again.
 */
#ifndef NETAN_EVIDENCE_HELD_OUT_H
#define NETAN_EVIDENCE_HELD_OUT_H

#include "netan/evidence/evidence.h"

enum { NA_HELD_OUT_LEAST = 4, NA_HELD_OUT_MOST = 16 }; /* hosts */

/* Of that many hosts.  As na_judge(); no clocks, no pairs. */
enum na_status na_held_out(const struct na_evidence *e,
			   struct na_judge_result *out,
			   struct na_err *err) NA_MUST_CHECK;

#endif
